/* Selecting, looping and keeping a part of the sound, and moving boundaries: what a phonetician
 * does in Praat. */

import { build, button, save } from "./dom.js";
import { readTextGrid, textOfFile, writeTextGrid } from "./textgrid.js";

export class Editing {
    constructor(lanes) {
        this.lanes = lanes;
        const { view, player } = lanes;
        const pressed = (element, on) => element.setAttribute("aria-pressed", String(on));
        this.select = button("", "Select", () => {
            lanes.selecting = !lanes.selecting;
            pressed(this.select, lanes.selecting);
        }, { "aria-pressed": "false", title: "Drag over the lanes to select; Shift and drag does the same" });
        this.loop = button("", "Loop", () => player.loop(...view.region));
        this.zoom = button("", "Zoom to it", () => {
            view.follows(false);
            view.zoomTo(view.region);
        });
        this.keep = button("", "Save as WAV", () => {
            const [from, to] = view.region;
            save(this.recording.wav(from, to), `tacod-${from.toFixed(3)}-${to.toFixed(3)}.wav`);
        });
        this.clear = button("", "Clear", () => {
            player.pause();
            player.region = null;
            view.select(0, 0);
        });
        this.extent = build("span", { class: "extent" });
        this.edit = button("", "Edit boundaries", () => {
            if (lanes.edits.rows) {
                lanes.edits.end();
            } else {
                lanes.edits.begin();
            }
        }, { "aria-pressed": "false" });
        this.undo = button("", "Undo", () => lanes.edits.takeBack());
        this.saveGrid = button("", "Save TextGrid", () => save(
            new Blob([writeTextGrid(lanes.edits.tiers(), lanes.result.duration)], { type: "text/plain" }),
            `tacod-${lanes.result.id || lanes.result.seed}-edited.TextGrid`));
        this.file = build("input", { type: "file", accept: ".TextGrid,.textgrid", hidden: true,
                                     "aria-label": "TextGrid file", onchange: () => this.read() });
        this.openGrid = button("", "Open TextGrid…", () => this.file.click());
        this.error = build("p", { class: "error", role: "alert" });
        this.element = build("div", { class: "editing" },
            build("div", { class: "toolbar", role: "group", "aria-label": "Selection" }, this.select,
                  this.loop, this.zoom, this.keep, this.clear, this.extent),
            build("div", { class: "toolbar", role: "group", "aria-label": "Boundaries" }, this.edit,
                  this.undo, this.saveGrid, this.openGrid, this.file),
            this.error);
        lanes.edits.onChange = () => this.show();
        view.addEventListener("change", () => this.show());
        this.show();
    }

    open(recording) {
        this.recording = recording;
        this.error.textContent = "";
        this.show();
    }

    show() {
        const { view, edits } = this.lanes;
        for (const part of [this.loop, this.zoom, this.keep, this.clear, this.extent]) {
            part.hidden = !view.region;
        }
        if (view.region) {
            const [from, to] = view.region;
            this.extent.textContent = `${from.toFixed(3)} to ${to.toFixed(3)} s (${(to - from).toFixed(3)} s)`;
        }
        this.edit.setAttribute("aria-pressed", String(Boolean(edits.rows)));
        this.undo.hidden = this.saveGrid.hidden = !edits.rows;
        this.undo.disabled = !edits.undo.length;
        this.lanes.redraw();
    }

    async read() {
        const [file] = this.file.files;
        this.file.value = "";
        this.error.textContent = "";
        try {
            const tiers = readTextGrid(await textOfFile(file));
            if (!tiers.length) {
                throw new Error("This TextGrid has no interval with a text.");
            }
            this.lanes.edits.begin(tiers);
        } catch (error) {
            this.error.textContent = `${file.name}: ${error.message}`;
        }
    }
}
