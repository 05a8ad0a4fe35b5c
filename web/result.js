/* The alignment of one result, made ready to draw and to ask: arrays decoded, positions in
 * the text counted in JavaScript's UTF-16 units, lookups by time. */

import { bytesFromBase64, floatsFromHalves } from "./arrays.js";

export const SCHEMA_VERSION = 1;

export class Result {
    /* alignment: the server's JSON; samples: of the audio, Float32Array */
    constructor(alignment, samples) {
        if (alignment.version !== SCHEMA_VERSION) {
            throw new Error(`This page reads alignments of version ${SCHEMA_VERSION}, ` +
                            `the server sent version ${alignment.version}. Reload the page.`);
        }
        Object.assign(this, alignment);
        this.samples = samples;
        this.units = unitsOfCodePoints(this.text);
        this.stepSeconds = alignment.frames_per_step / alignment.frame_rate;
        this.frameSeconds = 1 / alignment.frame_rate;
        this.spokenOfWord = new Map();
        for (const spoken of alignment.spoken_words) {
            this.spokenOfWord.set(spoken.word,
                                  [...(this.spokenOfWord.get(spoken.word) || []), spoken]);
        }
        this.chunks = alignment.chunks.map((chunk, index) => ({
            ...chunk,
            index,
            symbols: alignment.symbols.slice(chunk.first_symbol,
                                             chunk.first_symbol + chunk.n_symbols),
        }));
        this.mostSymbols = this.chunks.reduce((most, { n_symbols: n }) => Math.max(most, n), 1);
        /* Decoded when they are first wanted: a long text has hundreds of sentences. */
        for (const chunk of this.chunks) {
            let weights;
            Object.defineProperty(chunk, "weights", {
                get: () => (weights === undefined ? weights = weightsOf(chunk) : weights),
            });
        }
    }

    /* Whether the attention came along, or the sound and its times alone. */
    get hasMatrix() {
        return this.chunks.every((chunk) => Boolean(chunk.alignment));
    }

    /* The source text of a span {codepoints: [begin, end]}. */
    source(span) {
        const [begin, end] = this.range(span);
        return this.text.slice(begin, end);
    }

    /* A span's UTF-16 range in the text. */
    range({ codepoints: [begin, end] }) {
        return [this.units[begin], this.units[end]];
    }

    /* The chunk that sounds at a time; the pause after a chunk belongs to it. */
    chunkAt(time) {
        return this.chunks[Math.max(0, countStarted(this.chunks, time) - 1)];
    }

    /* The word that sounds at a time, or -1 between words. */
    wordAt(time) {
        return wordAt(this.words, time);
    }

    /* Decoder step of a chunk at a time, held inside the chunk. */
    stepAt(chunk, time) {
        const step = Math.floor((time - chunk.start) / this.stepSeconds);
        return Math.min(chunk.n_steps - 1, Math.max(0, step));
    }

    stepTime(chunk, step) {
        return chunk.start + step * this.stepSeconds;
    }

    /* Weight of a symbol of the chunk in a step, or NaN when the matrix did not come. */
    weight(chunk, step, symbol) {
        return chunk.weights ? chunk.weights[step * chunk.n_symbols + symbol] : NaN;
    }

    /* The symbol that a step attends to most: {symbol, weight}. */
    focus(chunk, step) {
        let symbol = 0;
        for (let i = 1; i < chunk.n_symbols; i++) {
            if (this.weight(chunk, step, i) > this.weight(chunk, step, symbol)) {
                symbol = i;
            }
        }
        return { symbol, weight: this.weight(chunk, step, symbol) };
    }

    /* The step in which a symbol of the chunk has its largest weight: {step, weight}. */
    peak(chunk, symbol) {
        let step = 0;
        for (let i = 1; i < chunk.n_steps; i++) {
            if (this.weight(chunk, i, symbol) > this.weight(chunk, step, symbol)) {
                step = i;
            }
        }
        return { step, weight: this.weight(chunk, step, symbol) };
    }

    /* Symbols of a word within a chunk as [first, end), or null. */
    symbolsOfWord(chunk, word) {
        const numbers = [...chunk.symbols.keys()].filter((i) => chunk.symbols[i].word === word);
        return numbers.length ? [numbers[0], numbers.at(-1) + 1] : null;
    }

    /* Runs of symbols that make one spoken word, in order: [{name, first, end}]. A word that is
     * spoken as several, "$25.50", goes by what is spoken. */
    spokenRuns(chunk) {
        const runs = [];
        chunk.symbols.forEach(({ word, start, end }, index) => {
            if (word === null) {
                return;
            }
            const spoken = this.spokenAt(word, (start + end) / 2);
            const last = runs.at(-1);
            if (last && last.end === index && last.word === word && last.spoken === spoken) {
                last.end++;
                return;
            }
            const several = this.spokenOfWord.get(word)?.length > 1;
            runs.push({ word, spoken, first: index, end: index + 1,
                        name: spoken && several ? spoken.text : this.source(this.words[word]) });
        });
        return runs;
    }

    /* What is spoken of a word at a time: one of spoken_words, or undefined. */
    spokenAt(word, time) {
        const spoken = this.spokenOfWord.get(word) || [];
        return spoken.find((one) => time >= one.start && time < one.end) ||
               spoken.find((one) => time <= one.end);
    }
}

/* The same of a list of words. */
export function wordAt(words, time) {
    for (let i = countStarted(words, time) - 1; i >= 0; i--) {
        const word = words[i];
        if (word.end > word.start) { /* a word that is not spoken takes no time */
            return time < word.end ? i : -1;
        }
    }
    return -1;
}

/* How a symbol is shown: a space has to be visible. */
export function symbolName(symbol) {
    return symbol.symbol.trim() === "" ? "␣" : symbol.symbol;
}

/* Entries of a list ordered by start that start at or before a time. */
function countStarted(list, time) {
    let low = 0;
    let high = list.length;
    while (low < high) {
        const middle = (low + high) >> 1;
        if (list[middle].start <= time) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* [n_steps * n_symbols], row-major, or null. */
function weightsOf(chunk) {
    const { alignment, n_steps: steps, n_symbols: symbols } = chunk;
    if (!alignment) {
        return null;
    }
    const weights = Array.isArray(alignment)
        ? Float32Array.from(alignment.flat())
        : floatsFromHalves(bytesFromBase64(alignment.data));
    if (weights.length !== steps * symbols) {
        throw new Error(`The alignment has ${weights.length} weights ` +
                        `where ${steps} steps of ${symbols} symbols were announced.`);
    }
    return weights;
}

/* [n code points + 1]: where each code point starts in UTF-16 units. */
export function unitsOfCodePoints(text) {
    const units = [];
    let unit = 0;
    for (const character of text) {
        units.push(unit);
        unit += character.length;
    }
    units.push(unit);
    return units;
}
