/* The stack of drawings over one time axis: draws them and moves what lies over them (playhead,
 * cursor, selection). pointing.js follows the pointer and the keyboard. */

import { AttentionMap } from "./attention.js";
import { drawAxis } from "./axis.js";
import { build, uniqueId } from "./dom.js";
import { EditTiers } from "./edits.js";
import { isFailed } from "./failures.js";
import { GateCurve } from "./gate.js";
import { MelPicture } from "./mel.js";
import { readTheme } from "./plot.js";
import { describeMoment, listenToLanes, listenToMap, listenToOverview } from "./pointing.js";
import { StepCurves } from "./steps.js";
import { Tiers } from "./tiers.js";
import { drawWaveform, Envelope } from "./waveform.js";

const TITLES = {
    detail: "Waveform of what is shown", mel: "Mel spectrogram",
    tiers: "Words and symbols over time. The table of symbols holds the same times.",
    edits: "Words and symbols that can be moved", gate: "Probability of stopping",
    steps: "Entropy and pace of the attention", axis: "Time axis in seconds",
};

const overlay = (name) => build("div", { class: name, "aria-hidden": "true", hidden: true });

export class Lanes {
    /* shown: which lanes, from the top down */
    constructor(view, player, shown = ["detail", "mel", "tiers", "edits", "attention", "gate", "axis"]) {
        this.view = view;
        this.player = player;
        this.result = null;
        this.envelope = null;
        this.hintId = uniqueId("attention-hint");
        this.readout = build("span", { class: "readout", "aria-live": "off" });
        this.makeOverview();
        this.makeLanes(shown);
        this.theme = readTheme();
        this.pending = 0;
        view.addEventListener("change", () => this.redraw());
        new ResizeObserver(() => view.resize(this.element.clientWidth)).observe(this.element);
        matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
            this.theme = readTheme();
            this.mel?.forget();
            this.attention.forget();
            this.redraw();
        });
        listenToLanes(this);
        listenToOverview(this);
        listenToMap(this);
    }

    makeOverview() {
        this.waveform = build("canvas", { class: "waveform", tabindex: 0, role: "slider",
            "aria-label": "Position in the waveform", "aria-orientation": "horizontal",
            "aria-valuemin": 0, "aria-valuenow": 0 });
        this.window = overlay("window");
        this.overviewRegion = overlay("region");
        this.overviewPlayhead = overlay("playhead");
        this.overview = build("div", { class: "lane overview" }, this.waveform, this.window,
                              this.overviewRegion, this.overviewPlayhead);
    }

    makeLanes(shown) {
        this.canvases = {};
        this.element = build("div", { class: "lanes" });
        for (const name of shown) {
            const canvas = name === "attention"
                ? build("canvas", { class: name, tabindex: 0, role: "application",
                                    "aria-roledescription": "attention map",
                                    "aria-label": "Attention", "aria-describedby": this.hintId })
                : build("canvas", { class: name, role: "img", "aria-label": TITLES[name] });
            this.canvases[name] = canvas;
            this.element.append(build("div", { class: `lane ${name}-lane` }, canvas));
        }
        this.wordBox = overlay("word-box");
        this.cursorTime = overlay("cursor");
        this.cursorSymbol = overlay("cursor-row");
        this.regionBox = overlay("region");
        this.playhead = overlay("playhead");
        this.element.append(this.wordBox, this.regionBox, this.cursorTime, this.cursorSymbol,
                            this.playhead);
        const { view } = this;
        const drawing = (name, Drawing) =>
            (this.canvases[name] ? new Drawing(this.canvases[name], view) : null);
        this.mel = drawing("mel", MelPicture);
        this.tiers = drawing("tiers", Tiers);
        this.edits = drawing("edits", EditTiers);
        this.attention = drawing("attention", AttentionMap);
        this.steps = drawing("steps", StepCurves);
        this.gate = drawing("gate", GateCurve);
        this.edits?.setUp(this);
    }

    /* The drawing on a canvas, or undefined. */
    drawingOn(canvas) {
        return [this.mel, this.tiers, this.edits, this.attention, this.steps, this.gate]
            .find((drawing) => drawing?.canvas === canvas);
    }

    open(result) {
        this.result = result;
        this.envelope = new Envelope(result.samples);
        this.mel?.open(null, "loading");
        this.attention.open();
        this.edits?.open(result);
        this.hideCursor();
        for (const name of ["mel", "attention", "gate", "steps"]) {
            if (this.canvases[name]) {
                this.canvases[name].parentElement.hidden = !result.hasMatrix;
            }
        }
        this.waveform.setAttribute("aria-valuemax", result.duration.toFixed(3));
        this.view.open(result);
        this.attention.canvas.setAttribute("aria-label", result.chunks.length > 1
            ? `Attention, ${result.chunks.length} sentences`
            : `Attention, ${result.chunks[0].n_symbols} symbols by ${result.chunks[0].n_steps} steps`);
    }

    /* While the sound is still being made there is the waveform alone: of what has come, over the
     * length that is to be expected. */
    grow(recording, expected) {
        this.result = this.view.result = null;
        this.growing = { recording, expected: Math.max(expected, recording.duration) };
        this.waveform.setAttribute("aria-valuemax", recording.duration.toFixed(3));
        this.redraw();
    }

    /* The mel spectrogram comes after the rest. */
    showMel(mel, reason) {
        this.mel.open(mel, reason);
        this.redraw();
    }

    /* Draws at the next frame, once however often it was asked. */
    redraw() {
        if (!this.pending && (this.result || this.growing)) {
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
        if (!result) {
            const { recording, expected } = this.growing;
            this.window.hidden = this.overviewRegion.hidden = true;
            drawWaveform(this.waveform, new Envelope(recording.samples), recording.sampleRate, view,
                         0, expected, theme);
            this.movePlayhead();
            return;
        }
        const wave = (canvas, start, end, marks) =>
            drawWaveform(canvas, this.envelope, result.sample_rate, view, start, end, theme, marks);
        if (this.overview.isConnected) {
            wave(this.waveform, 0, result.duration, result.chunks.filter(isFailed));
        }
        if (this.canvases.detail) {
            this.canvases.detail.parentElement.hidden = view.showsEverything();
            if (!view.showsEverything()) {
                wave(this.canvases.detail, view.start, view.end);
            }
        }
        for (const drawing of [this.mel, this.tiers, this.edits, this.attention, this.steps, this.gate]) {
            if (drawing && !drawing.canvas.parentElement.hidden) {
                drawing.draw(theme);
            }
        }
        drawAxis(this.canvases.axis, view, theme);
        this.placeWindow();
        this.placeRegion();
        this.movePlayhead();
        if (document.activeElement === this.attention.canvas && !this.cursorTime.hidden) {
            this.showCell();
        }
    }

    /* -- overlays ------------------------------------------------------------------------- */

    get overviewLength() {
        return this.result ? this.result.duration : this.growing?.expected || 1;
    }

    overviewX(time) {
        return this.view.gutter + time / this.overviewLength * this.view.plotWidth;
    }

    overviewTime(x) {
        const time = (x - this.view.gutter) / this.view.plotWidth * this.overviewLength;
        return Math.min(this.overviewLength, Math.max(0, time));
    }

    /* Where the lanes below are in the whole. */
    placeWindow() {
        const { view, window: element } = this;
        element.hidden = view.showsEverything();
        span(element, this.overviewX(view.start), this.overviewX(view.end));
    }

    placeRegion() {
        const { view } = this;
        const [start, end] = view.region || [0, 0];
        this.overviewRegion.hidden = !view.region;
        this.regionBox.hidden = !view.region || end <= view.start || start >= view.end;
        span(this.overviewRegion, this.overviewX(start), this.overviewX(end));
        span(this.regionBox, view.x(Math.max(view.start, start)), view.x(Math.min(view.end, end)));
    }

    movePlayhead() {
        const { view, result } = this;
        if (!view.width || !(result || this.growing)) {
            return;
        }
        const duration = result ? result.duration : this.player.duration;
        const time = Math.min(this.player.time, duration);
        place(this.overviewPlayhead, this.overviewX(time), true);
        this.waveform.setAttribute("aria-valuenow", time.toFixed(3));
        this.waveform.setAttribute("aria-valuetext",
                                   `${time.toFixed(2)} of ${duration.toFixed(2)} seconds`);
        place(this.playhead, view.x(time), Boolean(result) && time >= view.start && time <= view.end);
        if (result) {
            this.boxWord(time);
        }
    }

    /* A frame around the word that sounds, in the attention map. */
    boxWord(time) {
        const { view, result, wordBox: box } = this;
        const index = result.wordAt(time);
        const word = result.words[index];
        const chunk = view.chunks().find((shown) => word && word.start >= shown.start &&
                                                    word.start < shown.end);
        const symbols = chunk && result.hasMatrix && result.symbolsOfWord(chunk, index);
        box.hidden = !symbols || word.end <= view.start || word.start >= view.end;
        if (box.hidden) {
            return;
        }
        const { top, height } = this.attention.band(chunk, ...symbols);
        span(box, view.x(Math.max(view.start, word.start)), view.x(Math.min(view.end, word.end)));
        box.style.top = `${this.attention.canvas.offsetTop + top}px`;
        box.style.height = `${height}px`;
    }

    /* Lines through a moment and, in the map, a symbol; what is there, in words. */
    showCursor(x, band, text) {
        place(this.cursorTime, x, true);
        const row = this.cursorSymbol;
        row.hidden = !band;
        if (band) {
            row.style.top = `${this.attention.canvas.offsetTop + band.top}px`;
            row.style.height = `${Math.max(1, band.height)}px`;
        }
        this.readout.textContent = text;
    }

    hideCursor() {
        this.cursorTime.hidden = true;
        this.cursorSymbol.hidden = true;
        this.readout.textContent = "";
    }

    /* The cell under the keyboard's cursor. */
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
                        describeMoment(this.result.stepTime(chunk, cursor.step),
                                       this.attention.describeCell(cursor)));
    }
}


function place(element, x, visible) {
    element.hidden = !visible;
    element.style.transform = `translateX(${x}px)`;
}

function span(element, left, right) {
    element.style.left = `${left}px`;
    element.style.width = `${Math.max(1, right - left)}px`;
}
