/* The server's HTTP interface. Every address is relative to the page, so that the page works
 * behind a prefix. */

import { bytesFromBase64 } from "./arrays.js";

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

    constructor() {
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
            response = await fetch(path, { ...options, headers });
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

    /* Speaks. Resolves with {audio: ArrayBuffer, type, alignment, seconds of waiting}. */
    async speak(request, signal) {
        const started = performance.now();
        const response = await this.post(request, "audio/wav", signal);
        const id = response.headers.get("X-Taco-Id");
        const type = response.headers.get("Content-Type") || "audio/wav";
        const audio = await response.arrayBuffer();
        const seconds = (performance.now() - started) / 1000;
        try {
            const answer = await this.fetch(resultPath(id, "alignment?matrix=float16"),
                                            { signal, headers: { Accept: "application/json" } });
            return { audio, type, alignment: await answer.json(), seconds };
        } catch (error) {
            if (error.status !== 404 && error.status !== 410) {
                throw error;
            }
        }
        /* A server that keeps no results, or one behind a balancer that asked another: sound
         * and alignment have to come in one answer. */
        const answer = await this.post({ ...request, matrix: "float16" }, "application/json", signal);
        const both = await answer.json();
        return {
            audio: bytesFromBase64(both.audio.data).buffer,
            type: both.audio.type,
            alignment: both.alignment,
            seconds: (performance.now() - started) / 1000,
        };
    }

    post(request, accept, signal) {
        return this.fetch("v1/speech", {
            method: "POST",
            signal,
            headers: { "Content-Type": "application/json", Accept: accept },
            body: JSON.stringify(request),
        });
    }

    /* One written form of a kept result: "mel.npy", "alignment.svg", ... */
    async form(id, name, signal) {
        return this.fetch(resultPath(id, name), { signal });
    }
}

export function resultPath(id, name = "") {
    return `v1/speech/${encodeURIComponent(id)}${name && "/" + name}`;
}

async function errorFrom(response) {
    const fallback = `The server answered ${response.status} ${response.statusText}`.trim() + ".";
    try {
        const { error } = await response.json();
        return new ServerError(response.status, error.code, error.message || fallback, error.param);
    } catch {
        return new ServerError(response.status, "", fallback);
    }
}
