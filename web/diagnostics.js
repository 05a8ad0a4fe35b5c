/* The verdict on the alignment, and what was done to the text. */

import { button, facts, list, make } from "./dom.js";
import { failuresOf, isFailed } from "./failures.js";

const NOTES = {
    final_punctuation_added: (text, put) =>
        `The sentence had no final punctuation: “${put || "."}” was added.`,
    dropped_characters: (text) => `Left out, because it cannot be spoken: “${text}”.`,
    replaced_characters: (text, put) => `“${text}” was read as “${put}”.`,
    markup_ignored: (text, what) => `The markup asks for “${what}”, which has no effect.`,
    sentence_split: () => "A long sentence was cut in two.",
};

const STOPS = {
    gate: "The stop gate ended it.",
    attention_end: "The stop gate did not fire: it was ended because the attention rested on " +
                   "the last symbol.",
    max_frames: "It was cut off at the frame limit: its end may be missing, or noise.",
};

const MOST = 4; /* failures that the verdict names; the panel has all */

export function describeNote(result, note) {
    const describe = NOTES[note.kind];
    const text = result.source(note);
    return describe ? describe(text, note.text) : `${note.kind}: ${text}`;
}

/* One sentence beside Play, with the first failures; a longer list stands below it. onGo(failure) */
export function showVerdict(element, result, onGo, most = MOST) {
    const failures = failuresOf(result);
    const failed = result.chunks.filter(isFailed).length;
    const count = result.chunks.length;
    element.className = failed || result.partial ? "verdict unsound" : "verdict sound";
    if (result.partial) {
        element.replaceChildren(`Incomplete: the first ${result.duration.toFixed(2)} s are here. `);
    } else if (!failed) {
        element.replaceChildren(count > 1 ? `OK: all ${count} sentences were read once, in order.`
                                          : "OK: read once, in order, to its end.");
        return;
    } else {
        element.replaceChildren(count > 1 ? `Attention failed in ${failed} of ${count} sentences: `
                                          : "Attention failed: ");
    }
    element.append(...failures.slice(0, most).map((failure) => link(failure, count > 1, onGo)));
    const rest = failures.length - most;
    const parts = [];
    if (rest > 0) {
        parts.push(most ? `And ${rest} more, see below.` : `${rest} ${rest === 1 ? "place" : "places"}, see below.`);
    }
    if (failures.length) {
        parts.push("Check by ear.");
    }
    element.append(parts.join(" "));
}

/* All failures, each a way to its place. */
export function failureList(result, onGo) {
    const links = failuresOf(result).map((failure) => link(failure, result.chunks.length > 1, onGo));
    return list(links, "failures");
}

function link(failure, several, onGo) {
    const { chunk, text, start } = failure;
    const name = `${several ? `${chunk.index + 1}: ` : ""}${text} (${start.toFixed(2)} s)`;
    return button("link", name, () => onGo(failure));
}

/* The panel: every failure, notes, numbers. */
export function showDiagnostics(element, result, onGo) {
    const { diagnostics, chunks } = result;
    const several = chunks.length > 1;
    const failures = failuresOf(result);
    const parts = [make("p", diagnostics.ok ? "verdict sound" : "verdict unsound",
                        diagnostics.ok ? "OK: the text was read once, in order, to its end."
                                       : "Attention failed: check by ear.")];
    if (several) {
        const sound = chunks.filter((chunk) => !isFailed(chunk)).length;
        parts.push(make("p", "", `${sound} of ${chunks.length} sentences are OK.`));
    }
    if (failures.length) {
        parts.push(failureList(result, onGo));
    }
    const stops = chunks.filter(({ stop_reason: reason }) => several ? reason !== "gate" : true);
    parts.push(list(stops.map((chunk) =>
        `${several ? `Sentence ${chunk.index + 1}: ` : ""}` +
        `${STOPS[chunk.stop_reason] || `It ended by ${chunk.stop_reason}.`}`)));
    const again = chunks.filter((chunk) => chunk.attempts > 1).length;
    if (again) {
        parts.push(make("p", "", `${again} of ${chunks.length} sentences needed more than one attempt.`));
    }
    if (result.notes.length) {
        parts.push(list(result.notes.map((note) => describeNote(result, note)), "notes"));
    }
    parts.push(facts([
        ["Coverage (symbols read)", `${(100 * diagnostics.coverage).toFixed(0)} %`],
        ["Focus (mean largest weight)", diagnostics.focus.toFixed(2)],
        ["Frames per symbol", diagnostics.frames_per_symbol.toFixed(1)],
        ["Longest rest on a symbol",
         `${(diagnostics.longest_stall * result.stepSeconds).toFixed(2)} s`],
        ["Clipped samples", String(result.n_clipped)],
    ]));
    element.replaceChildren(...parts);
}
