/* What can be measured on an attention matrix, step by step. */

const SMOOTHING = 4; /* steps on either side over which the pace is averaged */

const known = new WeakMap(); /* chunk -> curves */

/* Of a chunk with weights w[t][j]:
 *   entropy[t]  = -sum_j w ln w / ln n_symbols: 0 on one symbol, 1 spread over all
 *   position[t] = sum_j j w[t][j]: where the attention is, in symbols
 *   pace[t]     symbols a step, averaged over some steps */
export function curvesOf(chunk) {
    if (!known.has(chunk)) {
        known.set(chunk, measure(chunk));
    }
    return known.get(chunk);
}

function measure({ weights, n_steps: steps, n_symbols: symbols }) {
    const entropy = new Float32Array(steps);
    const position = new Float32Array(steps);
    const pace = new Float32Array(steps);
    const full = Math.log(Math.max(2, symbols));
    for (let step = 0; step < steps; step++) {
        let sum = 0;
        for (let j = 0; j < symbols; j++) {
            sum += weights[step * symbols + j];
        }
        for (let j = 0; j < symbols; j++) {
            const w = weights[step * symbols + j] / (sum || 1);
            entropy[step] -= w > 0 ? w * Math.log(w) / full : 0;
            position[step] += j * w;
        }
    }
    for (let step = 0; step < steps; step++) {
        const from = Math.max(0, step - SMOOTHING);
        const to = Math.min(steps - 1, step + SMOOTHING);
        pace[step] = to > from ? (position[to] - position[from]) / (to - from) : 0;
    }
    return { entropy, position, pace };
}

/* The mean weight on each symbol while a symbol is being spoken, whatever time that takes: rows
 * and columns are symbols, so that two results of one text can be compared cell by cell.
 * Float32Array [n_symbols * n_symbols]. */
export function warpedBySymbol(result, chunk) {
    const { weights, n_symbols: symbols } = chunk;
    const warped = new Float32Array(symbols * symbols);
    chunk.symbols.forEach((symbol, row) => {
        const first = result.stepAt(chunk, symbol.start + 1e-6);
        const last = Math.max(first + 1, result.stepAt(chunk, symbol.end - 1e-6) + 1);
        if (symbol.end <= symbol.start) {
            return;
        }
        for (let step = first; step < last; step++) {
            for (let j = 0; j < symbols; j++) {
                warped[row * symbols + j] += weights[step * symbols + j] / (last - first);
            }
        }
    });
    return warped;
}
