/* A list that is one stop of the Tab key: arrow keys, Home and End go from item to item. */

export class Roving {
    /* items(): the elements that can have the focus now, in order */
    constructor(element, items) {
        this.items = items;
        element.addEventListener("keydown", (event) => this.key(event));
    }

    /* The one item that Tab stops at. */
    stop(item, focus) {
        for (const other of this.items()) {
            other.tabIndex = -1;
        }
        if (item) {
            item.tabIndex = 0;
            if (focus) {
                item.focus();
            }
        }
    }

    key(event) {
        const items = this.items();
        const from = items.indexOf(event.target);
        const last = items.length - 1;
        const to = { ArrowRight: from + 1, ArrowDown: from + 1, ArrowLeft: from - 1, ArrowUp: from - 1,
                     Home: 0, End: last }[event.key];
        if (to === undefined || from < 0 || event.ctrlKey || event.altKey || event.metaKey) {
            return;
        }
        event.preventDefault();
        this.stop(items[Math.min(last, Math.max(0, to))], true);
    }
}
