/* The text as it was written, every word a button that plays it, lit while it is spoken. */

export class Words {
    /* onPlay(word index) */
    constructor(element, note, onPlay) {
        this.element = element;
        this.note = note;
        this.onPlay = onPlay;
        this.buttons = [];
        this.lit = -1;
        element.addEventListener("keydown", (event) => this.key(event));
        for (const name of ["pointerover", "focusin"]) {
            element.addEventListener(name, (event) => this.explain(event.target));
        }
        element.addEventListener("pointerleave", () => this.explain(document.activeElement));
        element.addEventListener("focusout", () => this.explain(null));
    }

    open(result) {
        this.result = result;
        this.lit = -1;
        this.note.textContent = "";
        const nodes = [];
        let position = 0;
        this.buttons = result.words.map((word, index) => {
            const [begin, end] = result.range(word);
            nodes.push(result.text.slice(position, begin));
            position = end;
            const button = this.button(word, index);
            nodes.push(button);
            return button;
        });
        nodes.push(result.text.slice(position));
        this.element.replaceChildren(...nodes);
        this.stop(0, false);
    }

    /* A span, because a button element would let the line break before a comma. */
    button(word, index) {
        const button = document.createElement("span");
        button.setAttribute("role", "button");
        button.textContent = this.result.source(word);
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
        const note = noteOn(word, button.textContent);
        if (note) {
            button.setAttribute("aria-description", note);
        }
        return button;
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

    /* The one word that Tab stops at. */
    stop(index, focus) {
        for (const button of this.buttons) {
            if (button.tabIndex === 0) {
                button.tabIndex = -1;
            }
        }
        const button = this.buttons[index];
        if (button) {
            button.tabIndex = 0;
            if (focus) {
                button.focus();
            }
        }
    }

    key(event) {
        const from = this.buttons.indexOf(event.target);
        const last = this.buttons.length - 1;
        if (from >= 0 && (event.key === "Enter" || event.key === " ")) {
            event.preventDefault();
            event.target.click();
            return;
        }
        const to = { ArrowRight: from + 1, ArrowLeft: from - 1, Home: 0, End: last }[event.key];
        if (to === undefined || from < 0 || event.ctrlKey || event.altKey || event.metaKey) {
            return;
        }
        event.preventDefault();
        this.stop(Math.min(last, Math.max(0, to)), true);
    }

    /* How the word pointed at is spoken, and when. */
    explain(target) {
        const index = this.buttons.indexOf(target);
        if (index < 0) {
            this.note.textContent = "";
            return;
        }
        const word = this.result.words[index];
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
