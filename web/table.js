/* The alignment as a table: what the pictures show, for those who read or copy it. */

import { make } from "./dom.js";
import { symbolName } from "./result.js";

/* Rows are made when the table is first opened: long texts have thousands. */
export class SymbolTable {
    constructor(details, body) {
        this.details = details;
        this.body = body;
        details.addEventListener("toggle", () => this.fill());
    }

    open(result) {
        this.result = result;
        this.body.replaceChildren();
        this.fill();
    }

    fill() {
        if (!this.details.open || this.body.childElementCount || !this.result) {
            return;
        }
        const { result } = this;
        const rows = [];
        let last = null;
        for (const chunk of result.chunks) {
            chunk.symbols.forEach((symbol, index) => {
                const { step, weight } = result.peak(chunk, index);
                const word = symbol.word !== null && symbol.word !== last
                    ? result.source(result.words[symbol.word]) : "";
                last = symbol.word ?? last;
                const row = make("tr", word ? "first" : "", "");
                row.append(make("td", "", word), make("td", "", symbolName(symbol)),
                           make("td", "", symbol.start.toFixed(3)),
                           make("td", "", symbol.end.toFixed(3)),
                           make("td", "", Number.isNaN(weight) ? "" : weight.toFixed(3)),
                           make("td", "", Number.isNaN(weight) ? ""
                               : result.stepTime(chunk, step).toFixed(3)));
                rows.push(row);
            });
        }
        this.body.replaceChildren(...rows);
    }
}
