/* What the alignment says about itself, in words: whether the attention read the text from
 * its start to its end, how decoding ended, what was done to the text. */

import { facts, list, make } from "./dom.js";

const NOTES = {
    final_punctuation_added: (text, put) =>
        `The sentence had no final punctuation: “${put || "."}” was added.`,
    dropped_characters: (text) => `Left out, because it cannot be spoken: “${text}”.`,
    replaced_characters: (text, put) => `“${text}” was read as “${put}”.`,
    sentence_split: () => "A long sentence was cut in two.",
};

const LONG_REST = 0.5; /* seconds on one symbol that are worth telling */

const STOPS = {
    gate: "The stop gate ended it.",
    attention_end: "The stop gate did not fire: it was ended because the attention rested on " +
                   "the last symbol.",
    max_frames: "It was cut off at the frame limit: its end may be missing, or noise.",
};

/* Why an alignment (of a chunk) is not sound, and how it ended, a line each. */
export function judge(result, chunk) {
    const { ok, coverage, backward_jumps: back, forward_jumps: ahead, longest_stall: rest } =
        chunk.diagnostics;
    const lines = [];
    if (!ok && coverage < 1) {
        lines.push(`${Math.floor(100 * coverage)} % of the words' symbols were read: words may be ` +
                   "missing.");
    }
    if (!ok && back > 0) {
        lines.push(`The attention went back ${times(back)}: something may be said twice.`);
    }
    if (!ok && ahead > 0) {
        lines.push(`The attention leapt ahead ${times(ahead)}: something may be left out.`);
    }
    if (!ok && rest * result.stepSeconds > LONG_REST) {
        lines.push(`It rested ${(rest * result.stepSeconds).toFixed(2)} s on one symbol.`);
    }
    const left = chunk.weights
        ? chunk.n_symbols - 1 - result.focus(chunk, chunk.n_steps - 1).symbol : 0;
    if (!ok && left > 0) {
        lines.push(`It ended ${left} ${left === 1 ? "symbol" : "symbols"} before the last.`);
    }
    lines.push(STOPS[chunk.stop_reason] || `It ended by ${chunk.stop_reason}.`);
    return lines;
}

export function describeNote(result, note) {
    const describe = NOTES[note.kind];
    const text = result.source(note);
    return describe ? describe(text, note.text) : `${note.kind}: ${text}`;
}

export function showDiagnostics(element, result, onChunk) {
    const { diagnostics, chunks } = result;
    const { ok } = diagnostics;
    const parts = [make("p", ok ? "verdict sound" : "verdict unsound",
                        ok ? "Sound: the text was read once, in order, to its end."
                           : "Unsound: listen before you trust it.")];
    if (chunks.length === 1) {
        parts.push(list(judge(result, chunks[0])));
    } else {
        const sound = chunks.filter((chunk) => chunk.diagnostics.ok).length;
        parts.push(make("p", "", sound === chunks.length
            ? `All ${sound} sentences are sound.`
            : `${sound} of ${chunks.length} sentences are sound.`));
        parts.push(...chunks.filter(isRemarkable)
            .map((chunk) => chunkVerdict(result, chunk, onChunk)));
    }
    const again = chunks.filter((chunk) => chunk.attempts > 1).length;
    if (again) {
        parts.push(make("p", "", `${again} of ${chunks.length} sentences needed more than one ` +
                                 "attempt."));
    }
    if (result.notes.length) {
        parts.push(list(result.notes.map((note) => describeNote(result, note)), "notes"));
    }
    parts.push(facts([
        ["Coverage (symbols read)", `${(100 * diagnostics.coverage).toFixed(0)} %`],
        ["Focus (mean largest weight)", diagnostics.focus.toFixed(2)],
        ["Frames a symbol", diagnostics.frames_per_symbol.toFixed(1)],
        ["Longest rest on a symbol",
         `${(diagnostics.longest_stall * result.stepSeconds).toFixed(2)} s`],
        ["Clipped samples", String(result.n_clipped)],
    ]));
    element.replaceChildren(...parts);
}

function isRemarkable(chunk) {
    return !chunk.diagnostics.ok || chunk.stop_reason !== "gate";
}

function chunkVerdict(result, chunk, onChunk) {
    const line = make("p", "", "");
    const button = make("button", "link", `Sentence ${chunk.index + 1}`);
    button.type = "button";
    button.addEventListener("click", () => onChunk(chunk.index));
    line.append(button, `: ${judge(result, chunk).join(" ")}`);
    return line;
}

function times(count) {
    return count === 1 ? "once" : `${count} times`;
}
