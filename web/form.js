/* The form: what to say and how, and errors at the field that they are about. */

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

export class Form {
    /* onSpeak(request), onCancel() */
    constructor(onSpeak, onCancel) {
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
        this.timer = 0;
        this.setUpSpeed();
        this.setUpExamples();
        this.form.addEventListener("submit", (event) => {
            event.preventDefault();
            this.submit(onSpeak);
        });
        this.form.addEventListener("keydown", (event) => {
            if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
                event.preventDefault();
                this.form.requestSubmit();
            } else if (event.key === "Escape" && this.busy) {
                onCancel();
            }
        });
        get("cancel").addEventListener("click", onCancel);
        this.voice.addEventListener("change", () => this.showVoice());
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
        const show = () => {
            const speed = SPEEDS[this.speed.value];
            get("speed-value").textContent = `${speed.toFixed(2)} ×`;
            this.speed.setAttribute("aria-valuetext", `${speed} times`);
        };
        this.speed.addEventListener("input", show);
        addEventListener("pageshow", show); /* a browser may restore the last setting */
        show();
    }

    setUpExamples() {
        for (const [name, text] of EXAMPLES) {
            const button = document.createElement("button");
            button.type = "button";
            button.className = "link";
            button.textContent = name;
            button.addEventListener("click", () => {
                this.text.value = text;
                this.text.focus();
            });
            get("examples").append(button, " ");
        }
    }

    /* voices as the server lists them; the default one first chosen. */
    showVoices(voices) {
        const chosen = this.voice.value;
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
    }

    submit(onSpeak) {
        if (this.busy) {
            return;
        }
        this.clearError();
        const request = { text: this.text.value };
        if (this.voice.value) {
            request.voice = this.voice.value;
        }
        if (!get("speaker-field").hidden) {
            request.speaker = this.speaker.value;
        }
        const seed = this.seed.value.trim();
        if (seed !== "") {
            /* Numbers above 2^53 - 1 would silently become others in JavaScript. */
            if (!/^\d+$/.test(seed) || !Number.isSafeInteger(Number(seed))) {
                this.showError(`The seed is a whole number from 0 to ${Number.MAX_SAFE_INTEGER}.`,
                               "seed");
                return;
            }
            request.seed = Number(seed);
        }
        request.speed = SPEEDS[this.speed.value];
        onSpeak(request);
    }

    setBusy(busy) {
        this.busy = busy;
        this.form.setAttribute("aria-busy", String(busy));
        /* Not disabled: the keyboard's focus would be lost with it. */
        get("speak").setAttribute("aria-disabled", String(busy));
        get("cancel").hidden = !busy;
        get("shortcut").hidden = busy;
        clearInterval(this.timer);
        get("elapsed").textContent = "";
        if (busy) {
            const start = performance.now();
            this.timer = setInterval(() => {
                const seconds = (performance.now() - start) / 1000;
                get("elapsed").textContent = `${seconds.toFixed(1)} s`;
            }, 100);
        }
    }

    setStatus(text) {
        get("status").textContent = text;
    }

    /* param: the field that the error is about, if it is one of ours: the message then stands
     * under it, else under the buttons. */
    showError(message, param) {
        const field = this.fields[param];
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
        for (const field of Object.values(this.fields)) {
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
