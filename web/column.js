/* A column of the lab: one way to attend, with its own settings, drawings and player. */

import { curlLine } from "./curl.js";
import { failureList, showVerdict } from "./diagnostics.js";
import { build, button, make } from "./dom.js";
import { Lanes } from "./lanes.js";
import { describeMechanism } from "./mechanisms.js";
import { Player } from "./player.js";
import { Recording } from "./recording.js";
import { Result } from "./result.js";
import { Settings } from "./settings.js";
import { View } from "./view.js";
import { mechanismChoices, mechanismsOf } from "./voices.js";

/* What a column may set, of what the server has. */
const FIELDS = ["attention", "temperature", "window_back", "window_forward", "gate_threshold"];

export class Column extends EventTarget {
    /* voices: details of all; schemas: of the server's fields. Events: "time", "change", "remove" */
    constructor(api, voices, schemas, number) {
        super();
        Object.assign(this, { api, voices, number, result: null });
        this.schemas = Object.fromEntries(FIELDS.filter((name) => name in schemas)
            .map((name) => [name, schemas[name]]));
        this.player = new Player();
        this.view = new View();
        this.lanes = new Lanes(this.view, this.player, ["attention", "steps", "gate", "axis"]);
        this.title = make("h2", "", "");
        this.equation = make("p", "equation", "");
        this.look = make("p", "hint look", "");
        this.verdict = build("p", { class: "verdict", role: "status" });
        this.failures = build("div", { class: "column-failures", tabindex: 0, role: "region" });
        this.facts = make("p", "column-facts", "");
        this.options = build("div", { class: "options" });
        this.playButton = button("", "Play", () => this.player.toggle());
        this.voice = build("select", { "aria-label": "Voice", onchange: () => this.setVoice() },
            ...voices.map(({ name }) => new Option(name, name)));
        this.settings = new Settings(this.options, () => this.describe());
        this.element = build("section", { class: "column" },
            build("div", { class: "column-head" }, this.title,
                  button("", "×", () => this.dispatchEvent(new Event("remove")), { "aria-label": "Remove this column" })),
            this.equation, this.look,
            build("div", { class: "field" }, build("label", {}, "Voice ", this.voice)), this.options,
            build("div", { class: "toolbar" }, this.playButton, this.facts), this.verdict,
            this.lanes.element, this.lanes.readout, this.failures);
        this.lanes.element.hidden = true;
        this.playButton.disabled = true;
        this.player.addEventListener("time", () => {
            if (this.result && this.player.playing) {
                this.view.show(this.result.chunkAt(this.player.time).index);
            }
            this.lanes.movePlayhead();
            this.dispatchEvent(new Event("time"));
        });
        this.player.addEventListener("state", () => {
            this.playButton.textContent = this.player.playing ? "Pause" : "Play";
        });
        this.setVoice();
    }

    get letter() {
        return String.fromCharCode(65 + this.number % 26);
    }

    get mechanism() {
        const all = mechanismsOf(this.voices.find(({ name }) => name === this.voice.value) || {});
        const { attention } = this.settings.values();
        return all.find(({ name }) => name === attention) || all[0] || { name: "attention" };
    }

    setVoice() {
        const voice = this.voices.find(({ name }) => name === this.voice.value);
        this.settings.show(this.schemas, { attention: mechanismChoices(voice || {}) });
        this.describe();
    }

    describe() {
        const { name } = this.mechanism;
        const { equation, sentence } = describeMechanism(this.mechanism);
        const { voice, attention: _, ...others } = this.own;
        const more = Object.entries(others).map(([field, value]) => `, ${field.replaceAll("_", " ")} ${value}`);
        this.title.textContent = `${this.letter} ${name}${more.join("")}` +
                                 (this.voices.length > 1 ? `, ${voice}` : "");
        this.element.setAttribute("aria-label", `Column ${this.letter}: ${name}`);
        /* e_j with its index below the line */
        this.failures.setAttribute("aria-label", `Failures of ${this.letter}`);
        this.equation.replaceChildren(...equation.split(/_([a-z](?!\w))/).map((part, i) =>
            (i % 2 ? make("sub", "", part) : part)));
        this.look.textContent = sentence;
        this.dispatchEvent(new Event("change"));
    }

    /* What differs from the text and the seed of all. */
    get own() {
        return { ...(this.voice.value && { voice: this.voice.value }), ...this.settings.values() };
    }

    fill({ voice, ...values }) {
        if (voice && [...this.voice.options].some((option) => option.value === voice)) {
            this.voice.value = voice;
            this.setVoice();
        }
        this.settings.fill(values);
        this.describe();
    }

    async run(shared, signal) {
        const fault = this.settings.fault();
        if (fault) {
            throw new Error(fault.message);
        }
        this.request = { ...shared, ...this.own };
        const { alignment, recording } = await hear(this.api, this.request, signal);
        this.show(alignment, recording);
    }

    show(alignment, recording) {
        this.recording = recording;
        this.result = new Result(alignment, recording.samples);
        this.player.load(recording);
        this.lanes.element.hidden = false;
        this.lanes.open(this.result);
        this.playButton.disabled = false;
        this.facts.textContent = `${this.result.duration.toFixed(2)} s, coverage ` +
                                 `${Math.floor(100 * alignment.diagnostics.coverage)} %`;
        const go = ({ chunk, start }) => {
            this.view.show(chunk.index);
            this.player.seek(start);
        };
        showVerdict(this.verdict, this.result, go, 0);
        this.failures.replaceChildren(failureList(this.result, go));
    }

    curl(page) {
        return curlLine(this.request, page, this.api.key);
    }
}

/* Speaks, and resolves with all of it. */
export async function hear(api, request, signal) {
    let recording;
    const alignment = await api.speak(request, {
        start(start) {
            recording = new Recording(start.audio.sample_rate);
        },
        audio: (bytes) => recording.append(bytes),
        timing() {},
    }, signal);
    recording.complete = true;
    return { alignment, recording };
}
