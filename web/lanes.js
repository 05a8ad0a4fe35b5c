/* The stack of drawings over one time axis: draws them, moves the playhead, and follows the
 * pointer and the keyboard over them. */

import { AttentionMap, drawLegend } from "./attention.js";
import { drawAxis } from "./axis.js";
import { GateCurve } from "./gate.js";
import { MelPicture } from "./mel.js";
import { readTheme } from "./plot.js";
import { Tiers } from "./tiers.js";
import { drawWaveform, Envelope } from "./waveform.js";

const get = (id) => document.getElementById(id);

export class Lanes {
    constructor(view, player) {
        this.view = view;
        this.player = player;
        this.element = get("lanes");
        this.overview = get("overview");
        this.readout = get("readout");
        this.mel = new MelPicture(get("mel"), view);
        this.tiers = new Tiers(get("tiers"), view);
        this.attention = new AttentionMap(get("attention"), view);
        this.gate = new GateCurve(get("gate"), view);
        this.describers = new Map([
            [get("mel"), this.mel], [get("tiers"), this.tiers],
            [get("attention"), this.attention], [get("gate"), this.gate],
        ]);
        this.theme = readTheme();
        this.pending = 0;
        view.addEventListener("change", () => this.redraw());
        new ResizeObserver(() => view.resize(this.element.clientWidth)).observe(this.element);
        matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
            this.theme = readTheme();
            this.mel.forget();
            this.attention.forget();
            this.redraw();
        });
        this.listenToLanes();
        this.listenToOverview();
        this.listenToMap();
    }

    open(result) {
        this.result = result;
        this.envelope = new Envelope(result.samples);
        this.mel.open(null, "loading");
        this.attention.open();
        this.hideCursor();
        get("waveform").setAttribute("aria-valuemax", result.duration.toFixed(3));
        this.view.open(result);
        get("attention").setAttribute("aria-label", result.chunks.length > 1
            ? `Attention, ${result.chunks.length} sentences`
            : `Attention, ${result.chunks[0].n_symbols} symbols by ${result.chunks[0].n_steps} steps`);
    }

    /* The mel spectrogram comes after the rest. */
    showMel(mel, reason) {
        this.mel.open(mel, reason);
        this.redraw();
    }

    /* Draws at the next frame, once however often it was asked. */
    redraw() {
        if (!this.pending && this.result) {
            this.pending = requestAnimationFrame(() => {
                this.pending = 0;
                this.draw();
            });
        }
    }

    draw() {
        const { view, theme, result } = this;
        if (!view.width) {
            return;
        }
        const wave = (canvas, start, end) =>
            drawWaveform(canvas, this.envelope, result.sample_rate, view, start, end, theme);
        wave(get("waveform"), 0, result.duration);
        get("detail-lane").hidden = view.showsEverything();
        if (!view.showsEverything()) {
            wave(get("detail"), view.start, view.end);
        }
        this.mel.draw(theme);
        this.tiers.draw(theme);
        this.attention.draw(theme);
        this.gate.draw(theme);
        drawAxis(get("axis"), view, theme);
        drawLegend(get("legend"), theme);
        this.placeWindow();
        this.movePlayhead();
        if (document.activeElement === get("attention") && !get("cursor-time").hidden) {
            this.showCell();
        }
    }

    /* -- overlays ------------------------------------------------------------------------- */

    overviewX(time) {
        const { view, result } = this;
        return view.gutter + time / result.duration * view.plotWidth;
    }

    overviewTime(x) {
        const { view, result } = this;
        const time = (x - view.gutter) / view.plotWidth * result.duration;
        return Math.min(result.duration, Math.max(0, time));
    }

    /* Where the lanes below are in the whole. */
    placeWindow() {
        const element = get("overview-window");
        const { view } = this;
        element.hidden = view.showsEverything();
        element.style.left = `${this.overviewX(view.start)}px`;
        element.style.width = `${this.overviewX(view.end) - this.overviewX(view.start)}px`;
    }

    movePlayhead() {
        const { view, result } = this;
        if (!result || !view.width) {
            return;
        }
        const time = Math.min(this.player.time, result.duration);
        place(this.overview.querySelector(".playhead"), this.overviewX(time), true);
        place(this.element.querySelector(".playhead"), view.x(time),
              time >= view.start && time <= view.end);
        const wave = get("waveform");
        wave.setAttribute("aria-valuenow", time.toFixed(3));
        wave.setAttribute("aria-valuetext",
                          `${time.toFixed(2)} of ${result.duration.toFixed(2)} seconds`);
        this.boxWord(time);
    }

    /* A frame around the word that sounds, in the attention map. */
    boxWord(time) {
        const box = get("word-box");
        const { view, result } = this;
        const index = result.wordAt(time);
        const word = result.words[index];
        const chunk = view.chunks().find((shown) => word && word.start >= shown.start &&
                                                    word.start < shown.end);
        const symbols = chunk && result.symbolsOfWord(chunk, index);
        box.hidden = !symbols || word.end <= view.start || word.start >= view.end;
        if (box.hidden) {
            return;
        }
        const { top, height } = this.attention.band(chunk, ...symbols);
        const left = view.x(Math.max(view.start, word.start));
        box.style.left = `${left}px`;
        box.style.width = `${view.x(Math.min(view.end, word.end)) - left}px`;
        box.style.top = `${get("attention").offsetTop + top}px`;
        box.style.height = `${height}px`;
    }

    /* Lines through a moment and, in the map, a symbol; what is there, in words. */
    showCursor(x, band, text) {
        place(get("cursor-time"), x, true);
        const row = get("cursor-symbol");
        row.hidden = !band;
        if (band) {
            row.style.top = `${get("attention").offsetTop + band.top}px`;
            row.style.height = `${Math.max(1, band.height)}px`;
        }
        this.readout.textContent = text;
    }

    hideCursor() {
        get("cursor-time").hidden = true;
        get("cursor-symbol").hidden = true;
        this.readout.textContent = "";
    }

    /* -- pointer -------------------------------------------------------------------------- */

    listenToLanes() {
        const { element, view, player } = this;
        let scrubbing = false;
        element.addEventListener("pointermove", (event) => {
            this.point(event);
            if (scrubbing) {
                player.seek(view.time(event.offsetX));
            }
        });
        element.addEventListener("pointerleave", () => this.hideCursor());
        element.addEventListener("pointerdown", (event) => {
            if (event.button !== 0 || !(event.target instanceof HTMLCanvasElement)) {
                return;
            }
            const time = view.time(event.offsetX);
            const interval = event.target.id === "tiers" &&
                             this.tiers.intervalAt(time, event.offsetY);
            if (interval) {
                player.play(interval.start, interval.end);
            } else {
                scrubbing = true;
                player.seek(time);
            }
        });
        for (const name of ["pointerup", "pointercancel"]) {
            window.addEventListener(name, () => { scrubbing = false; });
        }
        element.addEventListener("wheel", (event) => {
            if (event.ctrlKey) {
                event.preventDefault();
                view.zoom(2 ** (-event.deltaY / 200), view.time(event.offsetX));
            } else if (event.deltaX && !view.isFitted()) {
                event.preventDefault();
                view.pan(event.deltaX / view.plotWidth * (view.end - view.start));
            }
        }, { passive: false });
    }

    point(event) {
        const { view } = this;
        const lane = this.describers.get(event.target);
        if (!(event.target instanceof HTMLCanvasElement) || event.offsetX < view.gutter) {
            this.hideCursor();
            return;
        }
        this.readout.setAttribute("aria-live", "off");
        const time = view.time(event.offsetX);
        const cell = lane === this.attention && this.attention.cellAt(time, event.offsetY);
        const text = lane ? lane.describe(time, event.offsetY) : "";
        const band = cell && this.attention.band(this.result.chunks[cell.chunk], cell.symbol);
        this.showCursor(event.offsetX, band || null, describe(time, text));
    }

    listenToOverview() {
        const wave = get("waveform");
        const { player } = this;
        const seek = (event) => player.seek(this.overviewTime(event.offsetX));
        wave.addEventListener("pointerdown", (event) => {
            if (event.button === 0) {
                wave.setPointerCapture(event.pointerId);
                seek(event);
            }
        });
        wave.addEventListener("pointermove", (event) => {
            if (wave.hasPointerCapture(event.pointerId)) {
                seek(event);
            }
        });
        wave.addEventListener("keydown", (event) => {
            const { duration } = this.result;
            const steps = { ArrowLeft: -0.1, ArrowDown: -0.1, ArrowRight: 0.1, ArrowUp: 0.1,
                            PageDown: -1, PageUp: 1, Home: -duration, End: duration };
            if (event.key === " ") {
                player.toggle();
            } else if (event.key in steps) {
                player.seek(Math.min(duration, Math.max(0, player.time + steps[event.key])));
            } else {
                return;
            }
            event.preventDefault();
        });
    }

    /* -- keyboard in the attention map ------------------------------------------------------ */

    listenToMap() {
        const map = get("attention");
        map.addEventListener("focus", () => {
            if (map.matches(":focus-visible")) {
                this.attention.place(this.player.time);
                this.showCell();
            }
        });
        map.addEventListener("blur", () => this.hideCursor());
        map.addEventListener("keydown", (event) => {
            const { chunk, step } = this.attention.cursor;
            if (event.key === "Enter") {
                this.player.play(this.result.stepTime(this.result.chunks[chunk], step));
            } else if (event.key === " ") {
                this.player.toggle();
            } else if (this.attention.move(event.key, event.shiftKey)) {
                this.showCell();
            } else {
                return;
            }
            event.preventDefault();
        });
    }

    showCell() {
        const { cursor } = this.attention;
        const chunk = this.result.chunks[cursor.chunk];
        if (!this.view.chunks().includes(chunk)) {
            this.attention.place(this.player.time);
            return;
        }
        const time = this.result.stepTime(chunk, cursor.step + 0.5);
        this.view.follow(time);
        this.readout.setAttribute("aria-live", "polite");
        this.showCursor(this.view.x(time), this.attention.band(chunk, cursor.symbol),
                        describe(this.result.stepTime(chunk, cursor.step),
                                 this.attention.describeCell(cursor)));
    }
}

function describe(time, text) {
    return [`${time.toFixed(3)} s`, text].filter(Boolean).join(" · ");
}

function place(element, x, visible) {
    element.hidden = !visible;
    element.style.transform = `translateX(${x}px)`;
}
