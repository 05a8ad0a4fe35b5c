/* What failed in a result's attention: the kind, the place, a sentence. */

const LONG_REST = 0.5; /* seconds on one symbol that are worth telling */

/* By the server's kinds. */
const KINDS = {
    skip: "words may be missing", repeat: "something may be said twice",
    stall: "a sound drags", run_on: "it goes on after the text", cut_off: "the end may be missing",
    dragging: "the speech is slower than it should be",
};

export function isFailed(chunk) {
    return chunk.diagnostics ? !chunk.diagnostics.ok : chunk.ok === false;
}

/* Every failure of a result: [{chunk, kind, text, start, end}], seconds of the whole audio. */
export function failuresOf(result) {
    return result.chunks.filter(isFailed).flatMap((chunk) => {
        const told = (chunk.diagnostics?.failures || []).map((failure) => ({
            chunk, kind: failure.kind,
            text: failure.message || KINDS[failure.kind] || failure.kind,
            start: failure.start ?? chunk.start, end: failure.end ?? chunk.end,
        }));
        const found = told.length || !chunk.diagnostics ? told : derive(result, chunk);
        return found.length ? found : [{ chunk, kind: "failed", text: "the attention failed",
                                         start: chunk.start, end: chunk.end }];
    });
}

/* From the numbers of the diagnosis and the path of the attention, for a server that does not
 * name failures. */
function derive(result, chunk) {
    const { coverage, backward_jumps: back, forward_jumps: ahead, longest_stall: rest } =
        chunk.diagnostics;
    const failures = [];
    const add = (kind, text, step) => {
        const start = step === null ? chunk.start : result.stepTime(chunk, step);
        failures.push({ chunk, kind, text, start, end: Math.min(chunk.end, start + 1) });
    };
    const path = chunk.weights
        ? Array.from({ length: chunk.n_steps }, (_, step) => result.focus(chunk, step).symbol) : [];
    const jump = (jumps) => {
        const step = path.findIndex((symbol, t) => t > 0 && jumps(symbol - path[t - 1]));
        return step < 0 ? null : step;
    };
    if (coverage < 1) {
        add("skip", `${Math.floor(100 * coverage)} % of the words' symbols were read: words may be ` +
                    "missing", jump((by) => by > 3));
    }
    if (back > 0) {
        add("repeat", `the attention went back ${times(back)}: something may be said twice`,
            jump((by) => by < -1));
    }
    if (ahead > 0) {
        add("skip", `the attention leapt ahead ${times(ahead)}: something may be left out`,
            jump((by) => by > 3));
    }
    if (rest * result.stepSeconds > LONG_REST) {
        add("stall", `it rested ${(rest * result.stepSeconds).toFixed(2)} s on one symbol`, null);
    }
    const left = path.length ? chunk.n_symbols - 1 - path.at(-1) : 0;
    if (left > 0) {
        add("cut_off", `it ended ${left} ${left === 1 ? "symbol" : "symbols"} before the last`,
            chunk.n_steps - 1);
    }
    if (chunk.stop_reason === "max_frames") {
        add("run_on", "it was cut off at the frame limit: its end may be missing, or noise",
            chunk.n_steps - 1);
    }
    return failures;
}

function times(count) {
    return count === 1 ? "once" : `${count} times`;
}
