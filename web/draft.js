/* What is known of a result while it is being made: enough to light up words and, if the server
 * stops before its end, to look at and keep what was heard. */

import { SCHEMA_VERSION } from "./result.js";

export class Draft {
    /* start: the server's first event; text: what was asked for */
    constructor(start, text, speed = 1) {
        this.start = start;
        this.text = text;
        this.speed = speed;
        this.words = [];
        this.spoken = [];
        this.symbols = [];
        this.chunks = [];
    }

    /* A sentence and its times. */
    add(timing) {
        const index = this.chunks.length;
        const last = this.chunks.at(-1);
        if (last) {
            last.pause = Math.max(0, timing.start - last.end);
        }
        this.chunks.push({
            text: timing.text, bytes: timing.bytes, codepoints: timing.codepoints,
            start: timing.start, end: timing.end, pause: 0,
            first_symbol: this.symbols.length, n_symbols: timing.symbols.length,
            stop_reason: timing.stop_reason, ok: timing.ok, diagnostics: timing.diagnostics,
        });
        this.symbols.push(...timing.symbols.map((symbol) => ({ ...symbol, chunk: index })));
        this.words.push(...timing.words);
        this.spoken.push(...timing.spoken_words);
    }

    /* Share of the text that has been spoken, 0 to 1. */
    get progress() {
        const end = this.chunks.at(-1)?.codepoints[1] || 0;
        return Math.min(1, end / Math.max(1, [...this.text].length));
    }

    /* An alignment without matrices, gate and diagnosis: what there is of it. */
    alignment(recording) {
        const { sampleRate, length, duration } = recording;
        return {
            version: SCHEMA_VERSION, partial: true, voice: this.start.voice, text: this.text,
            seed: this.start.seed, speed: this.speed, sample_rate: sampleRate, n_samples: length,
            duration, words: this.words, spoken_words: this.spoken, symbols: this.symbols,
            chunks: this.chunks, notes: [],
        };
    }
}
