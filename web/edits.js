/* Words and symbols whose boundaries a person may move, beside those that the attention gave. */

import { symbolName } from "./result.js";
import { Tiers } from "./tiers.js";

const NEAR = 6;        /* CSS pixels from a boundary that still grab it */
const NARROWEST = 0.002; /* seconds that an interval keeps */
const SAME = 1e-6;     /* seconds: boundaries that move together */
const KEY_STEP = 0.005;
const FINE_STEP = 0.001;

export class EditTiers extends Tiers {
    constructor(canvas, view) {
        super(canvas, view);
        this.labels = ["your words", "symbols"];
        this.rows = null;    /* [words, symbols] as {name, start, end}, or null: not editing */
        this.grabbed = null; /* seconds */
        this.undo = [];
        this.onChange = () => {};
    }

    setUp(lanes) {
        this.lanes = lanes;
        const { canvas } = this;
        canvas.parentElement.hidden = true;
        canvas.setAttribute("role", "application");
        canvas.setAttribute("aria-roledescription", "boundaries");
        canvas.setAttribute("aria-label", "Boundaries of words and symbols: arrow keys choose one, " +
                            "with Shift they move it by 5 ms, with Alt by 1 ms; Enter plays from there");
        canvas.tabIndex = 0;
        canvas.addEventListener("keydown", (event) => this.key(event));
    }

    open() {
        this.rows = null;
        this.undo = [];
        this.canvas.parentElement.hidden = true;
    }

    /* Begins with the times of the attention, or with those of a file: [{name, intervals}]. */
    begin(tiers = null) {
        const { result } = this.view;
        const find = (pattern, other) =>
            (tiers.find(({ name }) => pattern.test(name)) || tiers[other] || { intervals: [] })
                .intervals.map((interval) => ({ ...interval }));
        this.rows = tiers
            ? [find(/word/i, 0), find(/symbol|phone|segment/i, 1)]
            : [result.words.filter((word) => word.end > word.start)
                .map((word) => ({ name: result.source(word), start: word.start, end: word.end })),
               result.symbols.filter((symbol) => symbol.end > symbol.start)
                   .map((symbol) => ({ name: symbolName(symbol), start: symbol.start, end: symbol.end }))];
        this.grabbed = null;
        this.undo = [];
        this.canvas.parentElement.hidden = false;
        this.onChange();
    }

    end() {
        this.open();
        this.onChange();
    }

    tiers() {
        return [{ name: "words", intervals: this.rows[0] }, { name: "symbols", intervals: this.rows[1] }];
    }

    intervals(row) {
        return this.rows ? this.rows[row] : [];
    }

    boundaries(row) {
        return [...new Set(this.intervals(row).flatMap(({ start, end }) => [start, end]))];
    }

    draw(theme) {
        const context = super.draw(theme);
        if (this.grabbed !== null) {
            context.fillStyle = theme.accent;
            context.fillRect(this.view.x(this.grabbed) - 1, 0, 3, this.canvas.clientHeight);
        }
    }

    /* Takes hold of the boundary under the pointer; false when there is none. */
    grab(x, y) {
        const row = y < this.canvas.clientHeight / 2 ? 0 : 1;
        const near = matchMedia("(pointer: coarse)").matches ? 3 * NEAR : NEAR;
        const [closest] = this.boundaries(row)
            .map((time) => ({ time, distance: Math.abs(this.view.x(time) - x) }))
            .sort((a, b) => a.distance - b.distance);
        if (!closest || closest.distance > near) {
            return false;
        }
        this.grabbed = closest.time;
        this.remember();
        this.lanes.redraw();
        return true;
    }

    remember() {
        this.undo.push(this.rows.map((row) => row.map((interval) => ({ ...interval }))));
    }

    takeBack() {
        if (this.undo.length) {
            this.rows = this.undo.pop();
            this.grabbed = null;
            this.onChange();
            this.lanes.redraw();
        }
    }

    /* Moves the boundary that is held, in both rows, between its neighbours. */
    drag(time) {
        const from = this.grabbed;
        let least = 0;
        let most = this.view.result.duration;
        for (const { start, end } of this.rows.flat()) {
            const same = (edge) => Math.abs(edge - from) < SAME;
            if (same(start)) {
                most = Math.min(most, end - NARROWEST);
            } else if (start > from) {
                most = Math.min(most, start);
            }
            if (same(end)) {
                least = Math.max(least, start + NARROWEST);
            } else if (end < from) {
                least = Math.max(least, end);
            }
        }
        const to = Math.min(most, Math.max(least, time));
        for (const interval of this.rows.flat()) {
            for (const edge of ["start", "end"]) {
                if (Math.abs(interval[edge] - from) < SAME) {
                    interval[edge] = to;
                }
            }
        }
        this.grabbed = to;
        this.lanes.readout.textContent = `boundary at ${to.toFixed(3)} s`;
        this.lanes.redraw();
    }

    drop() {
        this.onChange();
    }

    key(event) {
        if (!this.rows) {
            return;
        }
        const forward = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
        const edges = this.boundaries(1).sort((a, b) => a - b);
        const at = this.grabbed ?? this.lanes.player.time;
        if (event.key === "z" && (event.ctrlKey || event.metaKey)) {
            this.takeBack();
        } else if (event.key === "Enter") {
            this.lanes.player.play(at);
        } else if (event.key === "Escape") {
            this.grabbed = null;
        } else if (forward && (event.shiftKey || event.altKey) && this.grabbed !== null) {
            this.remember();
            this.drag(at + forward * (event.altKey ? FINE_STEP : KEY_STEP));
            this.onChange();
        } else if (forward) {
            this.grabbed = (forward > 0 ? edges.find((edge) => edge > at + SAME)
                                        : edges.findLast((edge) => edge < at - SAME)) ?? at;
            this.view.follow(this.grabbed);
            this.lanes.readout.setAttribute("aria-live", "polite");
            this.lanes.readout.textContent = `boundary at ${this.grabbed.toFixed(3)} s`;
        } else {
            return;
        }
        event.preventDefault();
        this.lanes.redraw();
    }
}
