/* What failed in a result's attention: the kind, the place, a sentence, as the server found it
 * (core/engine/ALIGNMENT.md). */

export function isFailed(chunk) {
    return chunk.diagnostics ? !chunk.diagnostics.ok : chunk.ok === false;
}

/* Every failure of a result: [{chunk, kind, text, start, end}], seconds of the whole audio. A
 * sentence of which no more is known than that it failed (the server stopped early) has one, too. */
export function failuresOf(result) {
    const told = (result.failures || []).map(({ chunk, kind, sentence, start, end }) =>
        ({ chunk: result.chunks[chunk], kind, text: sentence.replace(/\.$/, ""), start, end }));
    const silent = result.chunks.filter((chunk) => isFailed(chunk) &&
                                                   !told.some((failure) => failure.chunk === chunk));
    return [...told, ...silent.map((chunk) => ({ chunk, kind: "failed", text: "The attention failed",
                                                 start: chunk.start, end: chunk.end }))]
        .sort((a, b) => a.start - b.start);
}
