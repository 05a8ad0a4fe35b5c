/* The form: what to say and how, and errors at the field that they are about. */

import { readTextFile } from "./files.js";
import { Settings } from "./settings.js";

const SPEEDS = [0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 1, 1.05, 1.1, 1.15, 1.2,
                1.25, 1.3, 1.4, 1.5, 1.6, 1.75, 2, 2.5, 3, 4];

const EXAMPLES = [
    ["greeting", "Hello, world. It costs $25.50."],
    ["numbers", "Dr. Smith paid £12.40 on May 3rd, 1998, at 9:30 in the morning."],
    ["a paragraph",
     "The rainbow is a division of white light into many beautiful colors. These take the shape " +
     "of a long round arch, with its path high above, and its two ends apparently beyond the " +
     "horizon. There is, according to legend, a boiling pot of gold at one end. People look, but " +
     "no one ever finds it."],
    ["phones", "You say {T AH0 M EY1 T OW0}, I say {T AH0 M AA1 T OW0}."],
];

const get = (id) => document.getElementById(id);

const PER_SECOND = 14; /* characters, until a result has told it better */

export class Form {
    /* onSpeak(request), onStop(), onEdit(): a person has changed something */
    constructor(onSpeak, onStop, onEdit) {
        this.form = get("request");
        this.text = get("text");
        this.voice = get("voice");
        this.speaker = get("speaker");
        this.seed = get("seed");
        this.speed = get("speed");
        this.key = get("key");
        this.error = get("error");
        this.fields = { text: this.text, voice: this.voice, speaker: this.speaker,
                        seed: this.seed, speed: this.speed, key: this.key };
        this.voices = [];
        this.wanted = {}; /* voice and speaker of a link, until the voices are known */
        this.timer = 0;
        this.perSecond = PER_SECOND;
        this.onEdit = onEdit;
        this.settings = new Settings(get("options"), () => this.edited());
        this.setUpSpeed();
        this.setUpExamples();
        this.setUpFiles();
        this.form.addEventListener("submit", (event) => {
            event.preventDefault();
            this.submit(onSpeak);
        });
        this.form.addEventListener("keydown", (event) => {
            if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
                event.preventDefault();
                this.form.requestSubmit();
            }
        });
        addEventListener("keydown", (event) => {
            if (event.key === "Escape" && this.busy) {
                onStop();
            }
        });
        get("stop").addEventListener("click", onStop);
        get("defaults").addEventListener("click", () => {
            this.settings.fill({});
            this.edited();
        });
        this.voice.addEventListener("change", () => {
            this.showVoice();
            this.edited();
        });
        for (const field of [this.text, this.seed, this.speed, this.speaker]) {
            field.addEventListener("input", () => this.edited());
        }
        this.count();
    }

    edited() {
        this.count();
        this.onEdit();
    }

    /* How long the text is, on paper and in time. */
    count() {
        const characters = [...this.text.value].length;
        const seconds = characters / this.perSecond / SPEEDS[this.speed.value];
        const about = seconds < 90 ? `${Math.max(characters ? 1 : 0, Math.round(seconds))} s`
                                   : `${Math.round(seconds / 60)} min`;
        get("counter").textContent = `${characters.toLocaleString("en")} ` +
            `${characters === 1 ? "character" : "characters"}, about ${about}`;
        const changed = Object.keys(this.settings.values()).length;
        get("more-count").textContent = changed ? `(${changed} changed)` : "";
    }

    /* A result tells how fast the voice speaks. */
    learn(characters, seconds, speed) {
        if (characters > 20 && seconds > 0) {
            this.perSecond = characters / seconds / speed;
            this.count();
        }
    }

    /* A text from a file: chosen, or dropped on the field. */
    setUpFiles() {
        const take = async (file) => {
            this.clearError();
            try {
                const { text, input } = await readTextFile(file);
                this.text.value = text;
                const forms = this.settings.schemas.input?.enum || [];
                if (forms.includes(input)) {
                    this.settings.fill({ ...this.settings.values(), input });
                }
                this.edited();
                this.text.focus();
            } catch (error) {
                this.showError(error.message, "text");
            }
        };
        const field = get("text-field");
        get("open-file").addEventListener("click", () => get("file").click());
        get("file").addEventListener("change", () => {
            const [file] = get("file").files;
            get("file").value = "";
            take(file);
        });
        field.addEventListener("dragover", (event) => {
            if (event.dataTransfer.types.includes("Files")) {
                event.preventDefault();
                field.classList.add("dropping");
            }
        });
        field.addEventListener("dragleave", () => field.classList.remove("dropping"));
        field.addEventListener("drop", (event) => {
            field.classList.remove("dropping");
            const [file] = event.dataTransfer.files;
            if (file) {
                event.preventDefault();
                take(file);
            }
        });
    }

    setUpSpeed() {
        this.speed.min = 0;
        this.speed.max = SPEEDS.length - 1;
        this.speed.value = SPEEDS.indexOf(1);
        for (const speed of [0.5, 1, 2]) {
            const mark = document.createElement("option");
            mark.value = SPEEDS.indexOf(speed);
            get("speed-marks").append(mark);
        }
        this.speed.addEventListener("input", () => this.showSpeed());
        addEventListener("pageshow", () => this.showSpeed()); /* a browser may restore the last setting */
        this.showSpeed();
    }

    showSpeed() {
        const speed = SPEEDS[this.speed.value];
        get("speed-value").textContent = `${speed.toFixed(2)} ×`;
        this.speed.setAttribute("aria-valuetext", `${speed} times`);
    }

    setUpExamples() {
        for (const [name, text] of EXAMPLES) {
            const button = document.createElement("button");
            button.type = "button";
            button.className = "link";
            button.textContent = name;
            button.addEventListener("click", () => {
                this.text.value = text;
                this.edited();
                this.text.focus();
            });
            get("examples").append(button, " ");
        }
    }

    /* voices as the server lists them; the default one first chosen. */
    showVoices(voices) {
        const chosen = this.wanted.voice || this.voice.value;
        this.voices = voices;
        this.voice.replaceChildren(...voices.map(
            ({ name, language }) => new Option(language ? `${name} (${language})` : name, name)));
        const start = voices.find(({ name }) => name === chosen) ||
                      voices.find((voice) => voice.default) || voices[0];
        this.voice.value = start ? start.name : "";
        this.voice.disabled = voices.length === 0;
        this.showVoice();
    }

    /* What the chosen voice is, and its speakers when there are several. */
    showVoice() {
        const voice = this.voices.find(({ name }) => name === this.voice.value) || {};
        const facts = [];
        if (voice.sample_rate) {
            facts.push(`${voice.sample_rate / 1000} kHz`);
        }
        for (const fact of [voice.front_end, voice.licence]) {
            if (fact) {
                facts.push(fact);
            }
        }
        get("voice-hint").textContent = [voice.description, facts.join(", ")]
            .filter(Boolean).map((line) => line.replace(/\.?$/, ".")).join(" ");
        const speakers = voice.speakers || [];
        this.speaker.replaceChildren(...speakers.map((name) => new Option(name, name)));
        get("speaker-field").hidden = speakers.length < 2;
        if (speakers.includes(this.wanted.speaker)) {
            this.speaker.value = this.wanted.speaker;
        }
        this.onVoice?.(voice.name);
    }

    /* Sets every field as a request says it; what it does not name goes back to its default. */
    fill({ text, voice, speaker, seed, speed = 1, ...others }) {
        if (text !== undefined) {
            this.text.value = text;
        }
        this.wanted = { voice, speaker };
        if (this.voices.length) {
            this.showVoices(this.voices);
        }
        this.seed.value = seed ?? "";
        const nearest = SPEEDS.reduce((a, b) => (Math.abs(b - speed) < Math.abs(a - speed) ? b : a));
        this.speed.value = SPEEDS.indexOf(nearest);
        this.showSpeed();
        this.settings.fill(others);
        this.count();
    }

    /* What the form says, without what is the default. */
    request() {
        const request = { text: this.text.value };
        if (this.voice.value) {
            request.voice = this.voice.value;
        }
        if (!get("speaker-field").hidden) {
            request.speaker = this.speaker.value;
        }
        const seed = this.seed.value.trim();
        if (seed !== "") {
            request.seed = Number(seed);
        }
        if (SPEEDS[this.speed.value] !== 1) {
            request.speed = SPEEDS[this.speed.value];
        }
        return { ...request, ...this.settings.values() };
    }

    submit(onSpeak) {
        if (this.busy) {
            return;
        }
        this.clearError();
        const seed = this.seed.value.trim();
        /* Numbers above 2^53 - 1 would silently become others in JavaScript. */
        if (seed !== "" && (!/^\d+$/.test(seed) || !Number.isSafeInteger(Number(seed)))) {
            this.showError(`The seed is a whole number from 0 to ${Number.MAX_SAFE_INTEGER}.`, "seed");
            return;
        }
        const fault = this.settings.fault();
        if (fault) {
            this.showError(fault.message, fault.param);
            return;
        }
        onSpeak(this.request());
    }

    setBusy(busy) {
        this.busy = busy;
        this.form.setAttribute("aria-busy", String(busy));
        /* Not disabled: the keyboard's focus would be lost with it. */
        get("speak").setAttribute("aria-disabled", String(busy));
        get("stop").hidden = !busy;
        get("shortcut").hidden = busy;
        clearInterval(this.timer);
        get("elapsed").textContent = "";
        get("progress").hidden = true;
        this.progress = "";
        if (busy) {
            const start = performance.now();
            this.timer = setInterval(() => {
                const seconds = (performance.now() - start) / 1000;
                get("elapsed").textContent = `${seconds.toFixed(1)} s${this.progress}`;
            }, 100);
        }
    }

    /* How far the server is: sentences, and the share of the text, 0 to 1. */
    showProgress(sentences, share) {
        get("progress").hidden = false;
        get("progress").value = share;
        this.progress = `, ${sentences} ${sentences === 1 ? "sentence" : "sentences"}`;
    }

    setStatus(text) {
        get("status").textContent = text;
    }

    /* param: the field that the error is about, if it is one of ours: the message then stands
     * under it, else under the buttons. */
    showError(message, param) {
        const field = this.fields[param] || this.settings.inputs.get(param);
        if (this.settings.inputs.has(param)) {
            get("more").open = true;
        }
        if (field) {
            field.closest(".field").append(this.error);
        } else {
            get("status").before(this.error);
        }
        this.error.textContent = message;
        if (field) {
            field.setAttribute("aria-invalid", "true");
            field.setAttribute("aria-errormessage", "error");
            field.focus();
        }
    }

    clearError() {
        this.error.textContent = "";
        for (const field of [...Object.values(this.fields), ...this.settings.inputs.values()]) {
            field.removeAttribute("aria-invalid");
            field.removeAttribute("aria-errormessage");
        }
    }

    /* The server wants a key: ask for it. */
    askKey(message) {
        get("key-field").hidden = false;
        this.showError(message, "key");
    }
}
