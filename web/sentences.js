/* All sentences of a long text as a list: find one, see which failed, go there. */

import { build, button, make } from "./dom.js";
import { failuresOf, isFailed } from "./failures.js";
import { Roving } from "./roving.js";

const MOST_REASONS = 2; /* in the list: the panel has all */

export class Sentences {
    /* onGo(chunk index) */
    constructor(onGo) {
        this.onGo = onGo;
        this.items = [];
        this.current = -1;
        this.search = build("input", { type: "search", "aria-label": "Find a sentence",
                                       placeholder: "Find", oninput: () => this.filter() });
        this.failedOnly = build("input", { type: "checkbox", onchange: () => this.filter() });
        this.failedLabel = build("label", { class: "check" }, this.failedOnly, "Failed only");
        this.count = build("span", { class: "hint", role: "status" });
        this.list = build("div", { class: "sentence-list", role: "group", "aria-label": "Sentences" });
        this.roving = new Roving(this.list, () => this.items.filter((item) => !item.hidden));
        this.element = build("section", { class: "sentences", "aria-label": "Sentences", hidden: true },
            make("h2", "", "Sentences"),
            build("div", { class: "toolbar" }, this.search, this.failedLabel, this.count), this.list);
    }

    open(result) {
        this.element.hidden = result.chunks.length < 2;
        this.search.value = "";
        this.failedOnly.checked = false;
        this.failedLabel.hidden = !result.chunks.some(isFailed);
        this.current = -1;
        const reasons = new Map();
        for (const { chunk, text } of failuresOf(result)) {
            reasons.set(chunk, [...(reasons.get(chunk) || []), text]);
        }
        this.items = result.chunks.map((chunk) => {
            const failed = reasons.get(chunk);
            const item = button(failed ? "sentence failed" : "sentence", "", () => this.onGo(chunk.index));
            item.append(make("span", "sentence-number", String(chunk.index + 1)),
                        make("span", "sentence-text", chunk.text.replace(/\s+/g, " ")),
                        make("span", "sentence-time", `${chunk.start.toFixed(1)} s`));
            if (failed) {
                item.append(make("span", "sentence-failure", `Failed: ${brief(failed)}`));
            }
            /* What is scrolled away is not laid out, and would have no name of its own. */
            item.setAttribute("aria-label", `${chunk.index + 1}: ${chunk.text.replace(/\s+/g, " ")}` +
                              (failed ? `, failed: ${brief(failed)}` : ""));
            item.tabIndex = -1;
            return item;
        });
        this.list.replaceChildren(...this.items);
        this.filter();
    }

    filter() {
        const wanted = this.search.value.trim().toLowerCase();
        let shown = 0;
        for (const item of this.items) {
            const fits = item.textContent.toLowerCase().includes(wanted) &&
                         (!this.failedOnly.checked || item.classList.contains("failed"));
            item.hidden = !fits;
            item.tabIndex = -1;
            shown += Number(fits);
        }
        this.count.textContent = shown === this.items.length ? `${shown} sentences`
                                                             : `${shown} of ${this.items.length}`;
        this.roving.stop(this.items.find((item) => !item.hidden), false);
    }

    /* Marks the sentence that is shown. */
    mark(index) {
        if (index === this.current) {
            return;
        }
        this.items[this.current]?.removeAttribute("aria-current");
        const item = this.items[index];
        item?.setAttribute("aria-current", "true");
        this.current = index;
        if (item && !item.hidden && !this.list.contains(document.activeElement)) {
            const top = item.offsetTop - this.list.offsetTop;
            const { scrollTop, clientHeight } = this.list;
            if (top < scrollTop || top + item.offsetHeight > scrollTop + clientHeight) {
                this.list.scrollTop = top - clientHeight / 3;
            }
        }
    }
}

function brief(reasons) {
    const more = reasons.length - MOST_REASONS;
    return reasons.slice(0, MOST_REASONS).join("; ") + (more > 0 ? `; and ${more} more` : "");
}
