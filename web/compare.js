/* Two results of one text compared, symbol by symbol. */

import { warpedBySymbol } from "./measure.js";

const APART = 0.5; /* half of the weight lies elsewhere */

/* The chunk and place of a moment by symbol: {index, part}; index counts the symbols of the whole
 * text, part is how much of it has been spoken. */
export function symbolAt(result, time) {
    const { symbols } = result;
    let index = 0;
    symbols.forEach((symbol, i) => {
        if (symbol.start <= time && symbol.end > symbol.start) {
            index = i;
        }
    });
    const { start, end } = symbols[index];
    return { index, part: end > start ? Math.min(1, Math.max(0, (time - start) / (end - start))) : 0 };
}

/* The moment of a symbol in another result. */
export function timeOfSymbol(result, { index, part }) {
    const symbol = result.symbols[Math.min(index, result.symbols.length - 1)];
    return symbol.start + part * (symbol.end - symbol.start);
}

/* Whether the same symbols stand in both. */
export function sameSymbols(a, b) {
    return a.symbols.length === b.symbols.length &&
           a.symbols.every(({ symbol }, i) => symbol === b.symbols[i].symbol);
}

/* Per chunk the difference of the warped matrices, b - a, and the first symbol while which half
 * of the weight lies elsewhere: {chunks: [{n, difference}], first: {chunk, symbol} or null}. */
export function compare(a, b) {
    let first = null;
    const chunks = a.chunks.map((chunk, c) => {
        const n = chunk.n_symbols;
        const [left, right] = [warpedBySymbol(a, chunk), warpedBySymbol(b, b.chunks[c])];
        const difference = right.map((value, i) => value - left[i]);
        for (let row = 0; row < n && !first; row++) {
            let apart = 0;
            for (let j = 0; j < n; j++) {
                apart += Math.abs(difference[row * n + j]) / 2;
            }
            if (apart > APART) {
                first = { chunk: c, symbol: row };
            }
        }
        return { n, difference };
    });
    return { chunks, first };
}
