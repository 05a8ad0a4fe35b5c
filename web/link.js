/* A request in the page's address, behind the #: a link is the result. */

const NUMBERS = new Set(["seed", "speed"]);

/* request -> "text=…&voice=…&seed=7" */
export function linkOf(request) {
    return new URLSearchParams(Object.entries(request).filter(([, value]) =>
        value !== undefined && value !== "")).toString();
}

/* The other way round. schemas: of the server's fields, for the types of the values. */
export function requestOf(hash, schemas = {}) {
    const request = {};
    for (const [name, value] of new URLSearchParams(hash.replace(/^#/, ""))) {
        const types = [schemas[name]?.type].flat();
        if (NUMBERS.has(name) || types.includes("number") || types.includes("integer") && name !== "speaker") {
            if (value.trim() !== "" && Number.isFinite(Number(value))) {
                request[name] = Number(value);
            }
        } else if (types.includes("boolean")) {
            request[name] = value === "true";
        } else {
            request[name] = value;
        }
    }
    return request;
}

/* One name for one request, whatever the order of its fields. */
export function requestKey(request) {
    return JSON.stringify(Object.entries(request).sort(([a], [b]) => (a < b ? -1 : 1)));
}
