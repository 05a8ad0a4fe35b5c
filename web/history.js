/* The list of results that this browser keeps. */

import { build, button, make } from "./dom.js";

const get = (id) => document.getElementById(id);

export class History {
    /* onOpen(entry, body) */
    constructor(onOpen) {
        this.onOpen = onOpen;
        this.store = null;
        get("history-clear").addEventListener("click", async () => {
            await this.store.clear();
            await this.show();
            get("speak").focus();
        });
    }

    async start(store) {
        this.store = store;
        await this.show();
    }

    /* Keeps a result; one that cannot be kept (no room on the disk) is heard all the same. */
    async keep(entry, body) {
        if (!this.store) {
            return;
        }
        try {
            await this.store.add({ ...entry, at: Date.now() }, body);
            await this.show();
        } catch {
            get("history-size").textContent = "There is no room for more in this browser.";
        }
    }

    /* The entry of a request, with its body, or null. */
    async find(key) {
        const entry = this.store && (await this.store.list()).find((one) => one.key === key);
        const body = entry && await this.store.body(entry.id);
        return body ? { entry, body } : null;
    }

    async show() {
        if (!this.store) {
            return;
        }
        const entries = await this.store.list();
        const bytes = entries.reduce((sum, entry) => sum + entry.bytes, 0);
        get("history").hidden = !entries.length;
        get("history-size").textContent = `${entries.length}, ${megabytes(bytes)}`;
        get("history-list").replaceChildren(...entries.map((entry) => this.item(entry)));
    }

    item(entry) {
        const { id, request, duration, at, bytes, ok } = entry;
        const text = request.text.trim().replace(/\s+/g, " ").slice(0, 80);
        const open = button("history-open", "", async () => this.onOpen(entry, await this.store.body(id)));
        open.append(make("span", "history-text", text),
                    make("span", "hint", [request.voice, `seed ${request.seed}`, `${duration.toFixed(1)} s`,
                                          ok ? "" : "attention failed", new Date(at).toLocaleString(),
                                          megabytes(bytes)].filter(Boolean).join(" · ")));
        return build("div", { class: "history-item" }, open,
            button("", "×", async (event) => {
                const next = event.target.closest(".history-item").nextElementSibling;
                await this.store.remove(id);
                await this.show();
                (next ? get("history-list").querySelector("button") : get("speak"))?.focus();
            }, { "aria-label": `Forget “${text.slice(0, 40)}”` }));
    }
}

function megabytes(bytes) {
    return bytes < 1e5 ? `${Math.ceil(bytes / 1000)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
