/* One result to hear and to look at: playback, verdict, words, drawings, panels. It makes its
 * own elements, so that a page may have several, and somebody else's page one. */

import { Api } from "./api.js";
import { arrayFromNpy } from "./arrays.js";
import { drawLegend } from "./attention.js";
import { showDiagnostics, showVerdict } from "./diagnostics.js";
import { build, button, make, uniqueId } from "./dom.js";
import { Downloads } from "./downloads.js";
import { Editing } from "./editing.js";
import { explain } from "./errors.js";
import { Lanes } from "./lanes.js";
import { Player } from "./player.js";
import { Result, wordAt } from "./result.js";
import { Sentences } from "./sentences.js";
import { SymbolTable } from "./table.js";
import { showTimings } from "./timings.js";
import { View } from "./view.js";
import { Words } from "./words.js";

export class Instrument {
    /* element: an empty one, which is filled; api: the server that keeps the results */
    constructor(element, api = new Api()) {
        this.element = element;
        this.api = api;
        this.result = null;
        this.player = new Player();
        this.view = new View();
        this.lanes = new Lanes(this.view, this.player);
        this.editing = new Editing(this.lanes);
        this.sentences = new Sentences((chunk) => this.showChunk(chunk));
        this.fill();
        this.words = new Words(this.wordBox, this.wordNote, (index) => {
            const word = this.words.words[index];
            this.player.play(word.start, word.end);
        });
        this.downloads = new Downloads(this.downloadBox, this.downloadError, this.api);
        this.table = new SymbolTable(this.tableBox, this.tableRows);
        this.player.addEventListener("time", () => this.follow());
        this.player.addEventListener("state", () => {
            this.playButton.textContent = this.player.playing ? "Pause" : "Play";
            this.clock.classList.toggle("waiting", this.player.waiting);
            this.view.follows(this.view.following || this.player.playing && !this.wasPlaying);
            this.wasPlaying = this.player.playing;
        });
        this.view.addEventListener("change", () => this.showView());
    }

    /* -- elements ------------------------------------------------------------------------------ */

    fill() {
        this.element.append(this.makeTransport(), this.makeWords(), this.lanes.overview,
                            this.makeToolbar(), this.lanes.element, this.makeLegend(),
                            this.editing.element, this.sentences.element, this.makePanels(),
                            this.makeTable());
    }

    makeTransport() {
        this.playButton = button("primary play", "Play", () => this.player.toggle());
        this.now = make("span", "now", "0.00");
        this.durationText = make("span", "duration", "0.00");
        this.clock = build("span", { class: "clock" }, this.now, " / ", this.durationText, " s");
        this.verdict = build("p", { class: "verdict", role: "status" });
        this.made = make("span", "made-text", "");
        this.keepSeed = button("link keep-seed", "Keep seed", () => this.element.dispatchEvent(
            new CustomEvent("keepseed", { detail: this.result.seed })));
        return build("div", { class: "transport", role: "group", "aria-label": "Playback" },
                     this.playButton, this.clock, this.verdict,
                     build("span", { class: "made" }, this.made, " ", this.keepSeed));
    }

    makeWords() {
        const hint = uniqueId("words-hint");
        this.wordBox = build("div", { class: "words", role: "group", "aria-label": "Words",
                                      "aria-describedby": hint });
        this.wordNote = build("p", { class: "hint word-note", "aria-live": "polite" });
        return build("div", {},
            build("p", { id: hint, class: "visually-hidden" },
                  "Left and right arrow keys go from word to word; Enter plays the word."),
            this.wordBox, this.wordNote);
    }

    makeToolbar() {
        const { view, player } = this;
        const zoom = (factor) => () => {
            view.follows(false);
            view.zoom(factor, player.time);
        };
        this.previous = button("", "‹", () => this.showChunk(view.chunk - 1),
                               { "aria-label": "Previous sentence" });
        this.chunkName = make("span", "chunk-name", "");
        this.next = button("", "›", () => this.showChunk(view.chunk + 1), { "aria-label": "Next sentence" });
        this.whole = button("", "Whole text", () => {
            view.showWhole(!view.whole);
            if (!view.whole) {
                view.show(this.result.chunkAt(player.time).index);
            }
        }, { "aria-pressed": "false" });
        this.chunkNav = build("span", { class: "chunk-nav" }, this.previous, this.chunkName, this.next,
                              this.whole);
        this.zoomOut = button("", "−", zoom(0.5), { "aria-label": "Zoom out" });
        this.zoomIn = button("zoom-in", "+", zoom(2), { "aria-label": "Zoom in" });
        this.zoomFit = button("", "Fit", () => view.fit());
        this.followButton = button("", "Follow the sound", () => {
            view.follows(!view.following);
            this.follow();
        }, { "aria-pressed": "true" });
        this.toolbar = build("div", { class: "toolbar", role: "group", "aria-label": "View" }, this.chunkNav,
                             build("span", { class: "zoom" }, this.zoomOut, this.zoomIn, this.zoomFit),
                             this.followButton, this.lanes.readout);
        return this.toolbar;
    }

    makeLegend() {
        this.legend = build("canvas", { class: "legend-bar", role: "img",
                                        "aria-label": "Colours from weight 0 to weight 1" });
        this.legendBox = build("p", { id: this.lanes.hintId, class: "hint legend" },
            make("span", "", "Weight"), this.legend,
            make("span", "", "Point, or focus the map and use the arrow keys (Page Up and Down: a word; " +
                             "Enter: play from there; [ and ]: select from and to). Shift and drag " +
                             "selects, Ctrl and wheel or two fingers zoom."));
        return this.legendBox;
    }

    makePanels() {
        const panel = (name, title, ...children) => {
            const id = uniqueId(name);
            return build("section", { class: `panel ${name}`, "aria-labelledby": id },
                         build("h2", { id }, title), ...children);
        };
        this.diagnosticsBox = build("div", { class: "diagnostics" });
        this.timingsBox = build("div");
        this.downloadBox = build("div", { class: "downloads-box" });
        this.downloadError = build("p", { class: "error download-error", role: "alert" });
        this.curl = build("pre", { class: "curl-line", tabindex: 0, "aria-label": "The same by curl" });
        this.copied = build("span", { class: "hint copied", role: "status" });
        this.copyButton = button("copy", "Copy", () => this.copy());
        this.alignmentPanel = panel("alignment-panel", "Alignment", this.diagnosticsBox);
        this.timePanel = panel("time-panel", "Time", this.timingsBox);
        this.curlPanel = panel("curl", "The same by curl", this.curl, this.copyButton, " ", this.copied);
        return build("div", { class: "panels" }, this.alignmentPanel, this.timePanel,
                     panel("downloads-panel", "Downloads", this.downloadBox, this.downloadError),
                     this.curlPanel);
    }

    makeTable() {
        const heads = ["Word", "Symbol", "Start, s", "End, s", "Largest weight", "at, s"]
            .map((name) => build("th", { scope: "col" }, name));
        this.tableRows = build("tbody");
        this.tableBox = build("details", { class: "table", "aria-label": "Table of symbols" },
            build("summary", {}, "Table of symbols"),
            build("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Table of symbols" },
                  build("table", { "aria-label": "Symbols in order, with their times" },
                        build("thead", {}, build("tr", {}, ...heads)), this.tableRows)));
        return this.tableBox;
    }

    /* -- while it is made ------------------------------------------------------------------------ */

    /* A recording that will grow begins to be heard. */
    begin(recording, text) {
        this.result = null;
        this.recording = recording;
        this.element.classList.add("growing");
        this.verdict.replaceChildren();
        this.made.textContent = "";
        this.words.begin(text);
        this.lanes.grow(recording, 1);
        this.player.load(recording);
    }

    /* More of it has come: draft tells which words. */
    grow(draft) {
        const { recording } = this;
        this.words.add(draft.words.slice(this.words.words.length));
        this.durationText.textContent = recording.duration.toFixed(2);
        const spoken = draft.chunks.at(-1)?.end || recording.duration;
        this.lanes.grow(recording, spoken / (draft.progress || 0.2));
        this.player.grown();
    }

    /* All of it is here. options: answer {seconds}, curl: the line */
    open(alignment, recording, { seconds = null, curl = "" } = {}) {
        const result = new Result(alignment, recording.samples);
        this.result = result;
        this.alignment = alignment;
        this.element.classList.remove("growing");
        if (this.recording !== recording) {
            this.recording = recording;
            this.player.load(recording);
        }
        this.lanes.open(result);
        this.words.open(result);
        this.player.grown();
        this.editing.open(recording);
        this.table.open(result);
        this.sentences.open(result);
        this.sentences.mark(this.view.chunk);
        this.durationText.textContent = result.duration.toFixed(2);
        this.made.textContent = [result.voice, result.attention, `seed ${result.seed}`]
            .filter(Boolean).join(", ");
        const go = ({ chunk, start }) => this.go(chunk, start);
        showVerdict(this.verdict, result, go);
        this.alignmentPanel.hidden = this.timePanel.hidden = Boolean(result.partial);
        if (!result.partial) {
            showDiagnostics(this.diagnosticsBox, result, go);
            showTimings(this.timingsBox, result, seconds);
        }
        this.legendBox.hidden = !result.hasMatrix;
        this.downloads.open(result, recording, alignment);
        this.curl.textContent = curl;
        this.curlPanel.hidden = !curl;
        this.copied.textContent = "";
        this.follow();
        this.loadMel(result);
    }

    async loadMel(shown) {
        let mel = null;
        let reason = "the server does not keep the spectrogram";
        try {
            if (shown.id) {
                mel = arrayFromNpy(await (await this.api.form(shown.id, "mel.npy")).arrayBuffer());
                const frames = shown.chunks.reduce((sum, chunk) => sum + chunk.n_frames, 0);
                if (mel.shape[0] !== frames) {
                    throw new Error(`the spectrogram has ${mel.shape[0]} frames, not ${frames}`);
                }
            }
        } catch (error) {
            mel = null;
            reason = error.status === 404 || error.status === 410 ? reason : explain(error);
        }
        if (shown === this.result) {
            this.lanes.showMel(mel, reason);
            this.lanes.canvases.mel.parentElement.classList.toggle("missing", !mel);
        }
    }

    /* -- playing and looking around ---------------------------------------------------------------- */

    follow() {
        const { player, view, result } = this;
        const { time } = player;
        this.now.textContent = time.toFixed(2);
        this.words.light(time > 0 || player.playing ? wordAt(this.words.words, time) : -1);
        if (result && view.following) {
            if (!view.whole) {
                view.show(result.chunkAt(time).index);
            }
            if (player.playing) {
                view.follow(time);
            }
        }
        this.lanes.movePlayhead();
    }

    showChunk(chunk) {
        this.player.pause();
        this.view.follows(true);
        this.view.show(chunk);
        this.player.seek(this.result.chunks[chunk].start);
    }

    /* To a place in a sentence, ready to be heard. */
    go(chunk, time) {
        this.showChunk(chunk.index);
        this.player.seek(time);
        this.lanes.element.scrollIntoView({ block: "nearest" });
    }

    showView() {
        const { view } = this;
        const count = this.result.chunks.length;
        this.chunkNav.hidden = count < 2;
        this.chunkName.textContent = view.whole ? `${count} sentences`
                                                : `Sentence ${view.chunk + 1} of ${count}`;
        this.previous.disabled = view.whole || view.chunk === 0;
        this.next.disabled = view.whole || view.chunk === count - 1;
        this.whole.setAttribute("aria-pressed", String(view.whole));
        this.zoomOut.disabled = this.zoomFit.disabled = view.isFitted();
        this.followButton.hidden = count < 2 && view.isFitted();
        this.followButton.setAttribute("aria-pressed", String(view.following));
        this.sentences.mark(view.chunk);
        requestAnimationFrame(() => drawLegend(this.legend, this.lanes.theme));
    }

    async copy() {
        try {
            await navigator.clipboard.writeText(this.curl.textContent);
            this.copied.textContent = "Copied.";
        } catch {
            /* No clipboard without HTTPS or a permission: select, so that one key copies. */
            getSelection().selectAllChildren(this.curl);
            this.copied.textContent = "Selected: press Ctrl+C.";
        }
    }
}
