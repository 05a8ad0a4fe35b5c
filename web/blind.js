/* Listening without knowing which column it is: two at a time, in random order, until one is
 * preferred; then the tally. */

import { build, button, make } from "./dom.js";

export class Blind {
    constructor(element) {
        this.element = element;
        this.tally = new Map(); /* column -> times preferred */
        this.rounds = 0;
    }

    begin(columns) {
        this.columns = columns;
        this.tally.clear();
        this.rounds = 0;
        this.element.hidden = false;
        this.round();
    }

    /* Two columns that a coin chooses. */
    round() {
        const pair = [...this.columns];
        for (let i = pair.length - 1; i > 0; i--) {
            const j = Math.floor(Math.random() * (i + 1));
            [pair[i], pair[j]] = [pair[j], pair[i]];
        }
        this.pair = pair.slice(0, 2);
        const play = this.pair.map((column, i) =>
            button("primary", `Play ${i + 1}`, () => column.player.play(0)));
        const prefer = this.pair.map((column, i) =>
            button("", `${i + 1} is better`, () => this.choose(column)));
        this.element.replaceChildren(
            build("p", { role: "status" }, `Round ${this.rounds + 1}: listen to both. Which is better?`),
            build("div", { class: "toolbar" }, ...play, ...prefer,
                  button("", "No difference", () => this.choose(null)),
                  button("", "Show the result", () => this.finish())));
        play[0].focus();
    }

    choose(column) {
        this.rounds++;
        for (const { player } of this.pair) {
            player.pause();
        }
        if (column) {
            this.tally.set(column, (this.tally.get(column) || 0) + 1);
        }
        this.round();
    }

    finish() {
        const lines = this.columns.map((column) =>
            `${column.title.textContent}: preferred ${this.tally.get(column) || 0} of ${this.rounds}`);
        this.element.replaceChildren(make("p", "", lines.join("; ") + "."),
            button("", "Close", () => { this.element.hidden = true; }));
        this.element.querySelector("button").focus();
    }
}
