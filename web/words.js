/* The text as it was written, every word a button that plays it, lit while it is spoken. */

import { unitsOfCodePoints } from "./result.js";
import { Roving } from "./roving.js";

export class Words {
    /* onPlay(word index) */
    constructor(element, note, onPlay) {
        this.element = element;
        this.note = note;
        this.onPlay = onPlay;
        this.begin("");
        this.roving = new Roving(element, () => this.buttons);
        element.addEventListener("keydown", (event) => this.key(event));
        for (const name of ["pointerover", "focusin"]) {
            element.addEventListener(name, (event) => this.explain(event.target));
        }
        element.addEventListener("pointerleave", () => this.explain(document.activeElement));
        element.addEventListener("focusout", () => this.explain(null));
    }

    /* Shows a text of which no word can be played yet. */
    begin(text) {
        this.text = text;
        this.units = unitsOfCodePoints(text);
        this.words = [];
        this.buttons = [];
        this.lit = -1;
        this.note.textContent = "";
        this.rest = document.createTextNode(text);
        this.position = 0; /* where the rest begins */
        this.element.replaceChildren(this.rest);
    }

    /* The next words of the text, now that they have their times. */
    add(words) {
        const nodes = [];
        for (const word of words) {
            const [begin, end] = word.codepoints.map((point) => this.units[point]);
            nodes.push(this.text.slice(this.position, begin));
            const button = this.button(word, this.words.length, this.text.slice(begin, end));
            this.position = end;
            nodes.push(button);
            this.words.push(word);
            this.buttons.push(button);
        }
        this.rest.before(...nodes);
        this.rest.textContent = this.text.slice(this.position);
        if (this.words.length === words.length) {
            this.stop(0, false);
        }
    }

    open(result) {
        if (result.text !== this.text || result.words.length !== this.words.length) {
            this.begin(result.text);
            this.add(result.words);
            return;
        }
        /* The words are here: they learn what was not known of them, and keep the focus. */
        this.words = result.words;
        this.buttons.forEach((button, i) => this.describe(button, result.words[i]));
    }

    /* A span, because a button element would let the line break before a comma. */
    button(word, index, text) {
        const button = document.createElement("span");
        button.setAttribute("role", "button");
        button.textContent = text;
        button.dataset.word = index;
        button.tabIndex = -1;
        if (word.end > word.start) {
            button.addEventListener("click", () => {
                this.stop(index, true);
                this.onPlay(index);
            });
        } else {
            button.className = "silent";
            button.setAttribute("aria-disabled", "true");
        }
        this.describe(button, word);
        return button;
    }

    describe(button, word) {
        const note = noteOn(word, button.textContent);
        if (note) {
            button.setAttribute("aria-description", note);
        }
    }

    /* Lights a word, or none (-1). */
    light(index) {
        if (index === this.lit) {
            return;
        }
        this.buttons[this.lit]?.removeAttribute("aria-current");
        this.buttons[index]?.setAttribute("aria-current", "true");
        this.lit = index;
        this.reveal(this.buttons[index]);
    }

    /* Long texts scroll inside their box, never the page under the reader. */
    reveal(button) {
        if (!button) {
            return;
        }
        const top = button.offsetTop - this.element.offsetTop;
        const { scrollTop, clientHeight } = this.element;
        if (top < scrollTop || top + button.offsetHeight > scrollTop + clientHeight) {
            this.element.scrollTop = top - clientHeight / 3;
        }
    }

    stop(index, focus) {
        this.roving.stop(this.buttons[index], focus);
    }

    key(event) {
        if (this.buttons.includes(event.target) && (event.key === "Enter" || event.key === " ")) {
            event.preventDefault();
            event.target.click();
        }
    }

    /* How the word pointed at is spoken, and when. */
    explain(target) {
        const index = this.buttons.indexOf(target);
        if (index < 0) {
            this.note.textContent = "";
            return;
        }
        const word = this.words[index];
        const name = this.buttons[index].textContent;
        const note = noteOn(word, name);
        this.note.textContent = `“${name}”${note && `, ${note}`}` + (word.end > word.start
            ? `, ${word.start.toFixed(2)} to ${word.end.toFixed(2)} s` : "");
    }
}

/* What a word's letters do not tell, or "". */
function noteOn(word, name) {
    if (word.end <= word.start) {
        return "not spoken";
    }
    const spoken = word.spoken || "";
    return spoken && spoken.toLowerCase() !== name.toLowerCase() ? `spoken as ${spoken}` : "";
}
