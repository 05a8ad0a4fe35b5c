/* Results that this browser keeps: IndexedDB, the oldest go first when there are too many. */

const NAME = "tacod";
const MOST = 50;              /* results */
const MOST_BYTES = 200 << 20; /* together */

/* Resolves with the result of an IDBRequest. */
function asked(request) {
    return new Promise((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error);
    });
}

export class Store {
    /* Resolves with a Store, or null where the browser keeps nothing (a private window). */
    static async open() {
        try {
            const opening = indexedDB.open(NAME, 1);
            opening.onupgradeneeded = () => {
                opening.result.createObjectStore("entries", { keyPath: "id", autoIncrement: true });
                opening.result.createObjectStore("bodies", { keyPath: "id" });
            };
            return new Store(await asked(opening));
        } catch {
            return null;
        }
    }

    constructor(database) {
        this.database = database;
    }

    #stores(mode) {
        const transaction = this.database.transaction(["entries", "bodies"], mode);
        const done = new Promise((resolve, reject) => {
            transaction.oncomplete = resolve;
            transaction.onerror = transaction.onabort = () => reject(transaction.error);
        });
        done.catch(() => {}); /* whoever waits for it is told, too */
        return { entries: transaction.objectStore("entries"), bodies: transaction.objectStore("bodies"), done };
    }

    /* All entries without their sounds, the newest first: [{id, key, at, request, bytes, ...}]. */
    async list() {
        return (await asked(this.#stores("readonly").entries.getAll())).reverse();
    }

    /* {alignment, pcm, sampleRate} of an entry. */
    async body(id) {
        return asked(this.#stores("readonly").bodies.get(id));
    }

    /* Keeps a result in place of an older one with the same key. */
    async add(entry, body) {
        const all = await this.list();
        const bytes = body.pcm.byteLength + JSON.stringify(body.alignment).length;
        const { entries, bodies, done } = this.#stores("readwrite");
        let total = bytes;
        all.filter(({ key }) => key !== entry.key).forEach((old, i) => {
            total += old.bytes;
            if (i >= MOST - 1 || total > MOST_BYTES) {
                entries.delete(old.id);
                bodies.delete(old.id);
            }
        });
        for (const { id } of all.filter(({ key }) => key === entry.key)) {
            entries.delete(id);
            bodies.delete(id);
        }
        const id = await asked(entries.add({ ...entry, bytes }));
        bodies.add({ id, ...body });
        await done;
    }

    async remove(id) {
        const { entries, bodies, done } = this.#stores("readwrite");
        entries.delete(id);
        bodies.delete(id);
        await done;
    }

    async clear() {
        const { entries, bodies, done } = this.#stores("readwrite");
        entries.clear();
        bodies.clear();
        await done;
    }
}
