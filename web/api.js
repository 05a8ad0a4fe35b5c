/* The server's HTTP interface. Every address is relative to the page, so that the page works
 * behind a prefix. */

import { bytesFromBase64 } from "./arrays.js";
import { readEvents } from "./sse.js";

/* An answer that is no success: the server's message, its code, the field at fault. */
export class ServerError extends Error {
    constructor(status, code, message, param) {
        super(message);
        this.status = status; /* 0: no answer at all */
        this.code = code;
        this.param = param || "";
    }
}

/* Where the tab keeps the key: it survives a reload, and ends with the tab. */
const STORED_KEY = "tacod-key";

export class Api {
    #key = "";

    /* base: of a server elsewhere, "https://speech.example.com/", which has to allow this page
     * (--cors-origin); without one it is the server of the page. */
    constructor(base = "") {
        this.base = base;
        try {
            this.#key = sessionStorage.getItem(STORED_KEY) || "";
        } catch {
            /* Storage may be forbidden: then a reload asks again. */
        }
    }

    get key() {
        return this.#key;
    }

    set key(key) {
        this.#key = key;
        try {
            sessionStorage.setItem(STORED_KEY, key);
        } catch {
            /* As above. */
        }
    }

    /* GET or POST; resolves with the Response of a success, else throws ServerError, or
     * AbortError when the signal was raised. */
    async fetch(path, options = {}) {
        const headers = { ...options.headers };
        if (this.key) {
            headers.Authorization = `Bearer ${this.key}`;
        }
        let response;
        try {
            response = await fetch(this.base + path, { ...options, headers });
        } catch (error) {
            if (error.name === "AbortError") {
                throw error;
            }
            throw new ServerError(0, "unreachable", "The server does not answer. Is it running?");
        }
        if (!response.ok) {
            throw await errorFrom(response);
        }
        return response;
    }

    /* [{name, language, sample_rate, ...}] */
    async voices() {
        const answer = await (await this.fetch("v1/voices")).json();
        return answer.voices;
    }

    /* The server's own description: which fields and paths it has. */
    async description() {
        return (await this.fetch("openapi.json")).json();
    }

    /* What the server does at the moment. */
    async status() {
        return (await this.fetch("v1/status")).json();
    }

    async voice(name) {
        return (await this.fetch(`v1/voices/${encodeURIComponent(name)}`)).json();
    }

    /* Speaks, in one request. Calls heard.start({id, seed, voice, audio}), heard.audio(bytes) and
     * heard.timing(sentence) as they arrive. Resolves with the alignment; throws ServerError if it
     * does not come to that, AbortError when the signal was raised. What was handed over before is
     * good in every case. */
    async speak(request, heard, signal) {
        const response = await this.fetch("v1/speech", {
            method: "POST",
            signal,
            headers: { "Content-Type": "application/json", Accept: "text/event-stream" },
            body: JSON.stringify({ ...request, stream: "sse", format: "pcm", matrix: "float16" }),
        });
        try {
            for await (const { event, data } of readEvents(response)) {
                const content = JSON.parse(data || "null");
                switch (event) {
                case "start": heard.start(content); break;
                case "audio": heard.audio(bytesFromBase64(content.data)); break;
                case "timing": heard.timing(content); break;
                case "done": return content;
                case "error":
                    throw new ServerError(response.status, content.code, content.message,
                                          content.param);
                }
            }
        } catch (error) {
            if (error.name === "AbortError" || error instanceof ServerError) {
                throw error;
            }
            signal?.throwIfAborted();
        }
        throw new ServerError(0, "broken_off", "The connection to the server broke off.");
    }

    /* One written form of a kept result: "mel.npy", "alignment.svg", ... */
    async form(id, name, signal) {
        return this.fetch(resultPath(id, name), { signal });
    }
}

/* name: a written form, or "?" and a query for the sound itself. */
export function resultPath(id, name = "") {
    return `v1/speech/${encodeURIComponent(id)}${name && !name.startsWith("?") ? "/" : ""}${name}`;
}

async function errorFrom(response) {
    const fallback = `The server answered ${response.status} ${response.statusText}`.trim() + ".";
    const error = new ServerError(response.status, "", fallback);
    error.retryAfter = Number(response.headers.get("Retry-After")) || 0;
    try {
        Object.assign(error, (await response.json()).error);
    } catch {
        /* Not the server's own error: of a proxy, perhaps. The status has to do. */
    }
    return error;
}
