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

const STOPS = {
    gate: "The stop gate ended it.",
    attention_end: "The stop gate did not fire: it was ended because the attention rested on " +
                   "the last symbol.",
    max_frames: "It was cut off at the frame limit: its end may be missing, or noise.",
};

/* The verdict and the reasons for it: {ok, lines}. */
export function judge(diagnostics, stopReason, stepSeconds) {
    const lines = [];
    const percent = Math.floor(100 * diagnostics.coverage);
    if (diagnostics.coverage < 0.8) {
        lines.push(`Only ${percent} % of the symbols were read: words may be missing.`);
    }
    if (diagnostics.backward_jumps > 0) {
        lines.push(`The attention went back ${times(diagnostics.backward_jumps)}: ` +
                   "something may be said twice.");
    }
    if (diagnostics.forward_jumps > 0) {
        lines.push(`The attention leapt ahead ${times(diagnostics.forward_jumps)}: ` +
                   "something may be left out.");
    }
    if (!diagnostics.ok && diagnostics.longest_stall * stepSeconds > 0.5) {
        lines.push(`It rested ${(diagnostics.longest_stall * stepSeconds).toFixed(2)} s on one ` +
                   "symbol.");
    }
    lines.push(STOPS[stopReason] || `It ended by ${stopReason}.`);
    return { ok: diagnostics.ok, lines };
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
        parts.push(list(judge(diagnostics, result.stop_reason, result.stepSeconds).lines));
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
        ["Coverage of the symbols", `${(100 * diagnostics.coverage).toFixed(0)} %`],
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
    const { lines } = judge(chunk.diagnostics, chunk.stop_reason, result.stepSeconds);
    const line = make("p", "", "");
    const button = make("button", "link", `Sentence ${chunk.index + 1}`);
    button.type = "button";
    button.addEventListener("click", () => onChunk(chunk.index));
    line.append(button, `: ${lines.join(" ")}`);
    return line;
}

function times(count) {
    return count === 1 ? "once" : `${count} times`;
}
