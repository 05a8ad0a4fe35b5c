/* Where the time went: the server's stages, and how that compares with the sound's length. */

import { facts, make } from "./dom.js";

const STAGES = [
    ["text", "Text"],
    ["encoder", "Encoder"],
    ["decoder", "Decoder"],
    ["postnet", "Postnet"],
    ["vocoder", "Vocoder"],
];

/* roundTrip: seconds that the page waited, or null when it did not. */
export function showTimings(element, result, roundTrip) {
    const { times } = result;
    const work = STAGES.reduce((sum, [stage]) => sum + times[stage], 0);
    const bar = make("div", "bar", "");
    bar.setAttribute("aria-hidden", "true");
    for (const [stage, name] of STAGES) {
        const part = make("span", stage, "");
        part.title = name;
        part.style.flexGrow = String(times[stage] / (work || 1));
        bar.append(part);
    }
    const rows = STAGES.map(([stage, name]) => [name, milliseconds(times[stage])]);
    element.replaceChildren(
        make("p", "", `${result.duration.toFixed(2)} s of sound in ${milliseconds(times.total)}: ` +
                      `${speedUp(result.duration / times.total)} real time.`),
        bar,
        facts([["Waiting", milliseconds(times.queued)], ...rows,
               ...(roundTrip === null ? [] : [["With the network", milliseconds(roundTrip)]])]));
}

export function milliseconds(seconds) {
    const value = 1000 * seconds;
    return value >= 1000 ? `${seconds.toFixed(2)} s` : `${value.toFixed(value < 10 ? 1 : 0)} ms`;
}

function speedUp(factor) {
    return factor >= 1 ? `${factor.toFixed(factor < 10 ? 1 : 0)} times faster than`
                       : `${(1 / factor).toFixed(1)} times slower than`;
}
