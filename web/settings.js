/* Everything else that a request may say, as the server itself describes it in openapi.json: a
 * field that the server does not have is not offered, and a new one appears by itself. */

import { build, uniqueId } from "./dom.js";

/* What other parts of the page take care of. */
const ELSEWHERE = new Set(["text", "voice", "speaker", "seed", "speed", "format", "sample_rate", "bit_rate",
                           "stream", "matrix", "timeout", "speech_id"]);

/* Names and explanations in a person's words; what is missing here goes by the server's. */
const WORDS = {
    attention: ["Attention", "the mechanism that reads the text"],
    input: ["Text is", "how the text is to be read"],
    volume: ["Volume", "1 is as loud as the voice was recorded"],
    max_attempts: ["Attempts", "a sentence whose attention fails is tried again: another seed, then a window, too"],
    strict: ["Strict", "no sound at all rather than a sentence that failed"],
    sentence_pause: ["Pause after a sentence", "seconds"],
    paragraph_pause: ["Pause after a paragraph", "seconds"],
    final_punctuation: ["Add a final full stop", "to a sentence that has none: without one it may run on"],
    temperature: ["Attention temperature", "below 1 is sharper, above 1 is softer"],
    window_back: ["Window back", "symbols behind the last place that may be read"],
    window_forward: ["Window forward", "symbols ahead of the last place that may be read"],
    gate_threshold: ["Stop at", "probability of the gate at which a sentence ends"],
    max_frames: ["Most frames", "of a sentence"],
    n_iter: ["Griffin-Lim iterations", "of the phase; at most 4 while streaming"],
    phase: ["Phase begins with", ""],
    momentum: ["Momentum", "of fast Griffin-Lim"],
    power: ["Power", "magnitudes are raised to it"],
};
const ORDER = Object.keys(WORDS);

/* How the values of a choice are called; others go by their own names. */
const VALUES = { text: "plain text", markdown: "Markdown", ssml: "SSML", html: "HTML", srt: "subtitles" };

/* The fields of POST /v1/speech in a description: {name: schema}. */
export function fieldsOf(description) {
    return description?.components?.schemas?.SpeechRequest?.properties || {};
}

export class Settings {
    /* onChange(): a person changed something */
    constructor(element, onChange) {
        this.element = element;
        this.onChange = onChange;
        this.schemas = {};
        this.inputs = new Map();
        this.pending = {}; /* values for fields that are not known yet */
    }

    /* choices: {field: [[value, label]]} for fields whose values depend on the voice */
    show(schemas, choices = {}) {
        const values = this.values();
        this.schemas = schemas;
        const rank = (name) => (ORDER.includes(name) ? ORDER.indexOf(name) : ORDER.length);
        const names = Object.keys(schemas).filter((name) => !ELSEWHERE.has(name))
            .sort((a, b) => rank(a) - rank(b));
        this.inputs.clear();
        this.element.replaceChildren(...names.flatMap((name) =>
            this.field(name, schemas[name], choices[name]) || []));
        this.fill(values);
    }

    field(name, schema, choices) {
        const [label, hint] = WORDS[name] || [name, schema.description || ""];
        const id = uniqueId("option");
        const attributes = { id, name, "aria-describedby": `${id}-hint`, oninput: () => this.onChange() };
        const type = [schema.type].flat().find((one) => one !== "null");
        const values = choices || schema.enum?.map((value) => [value, VALUES[value] || value]);
        let input;
        if (values) {
            if (values.length < 2) {
                return null;
            }
            input = build("select", attributes);
            const usual = schema.default ?? (choices ? choices[0][0] : null);
            if (!choices && usual === null) {
                input.append(new Option("by the server", ""));
            }
            input.append(...values.map(([value, text]) => new Option(text, value, value === usual,
                                                                    value === usual)));
            input.dataset.usual = usual ?? "";
        } else if (type === "boolean") {
            input = build("input", { ...attributes, type: "checkbox" });
            input.defaultChecked = input.checked = schema.default === true;
        } else if (type === "number" || type === "integer") {
            input = build("input", { ...attributes, type: "number", min: schema.minimum, max: schema.maximum,
                                     step: type === "integer" ? 1 : "any", placeholder: schema.default ?? "",
                                     inputmode: type === "integer" ? "numeric" : "decimal" });
        } else if (type === "string" && schema.enum === undefined) {
            input = build("input", { ...attributes, type: "text", autocomplete: "off" });
        } else {
            return null; /* of a kind that no control here can express */
        }
        this.inputs.set(name, input);
        const range = schema.minimum !== undefined && schema.maximum !== undefined && !values
            ? `${schema.minimum} to ${schema.maximum}` : "";
        return build("div", { class: `field option${type === "boolean" ? " option-check" : ""}` },
            build("label", { for: id }, label), input,
            build("p", { class: "hint", id: `${id}-hint` }, [hint, range].filter(Boolean).join("; ")));
    }

    /* What differs from the defaults. Throws the field's name and reason in an Error with param. */
    values() {
        const values = { ...this.pending };
        for (const [name, input] of this.inputs) {
            delete values[name];
            if (input.type === "checkbox") {
                if (input.checked !== input.defaultChecked) {
                    values[name] = input.checked;
                }
            } else if (input.type === "number") {
                if (input.value !== "" || input.validity.badInput) {
                    values[name] = input.validity.badInput ? NaN : Number(input.value);
                }
            } else if (input.value !== (input.dataset.usual ?? "")) {
                values[name] = input.value;
            }
        }
        return values;
    }

    /* The first value that cannot be right: {param, message}, or null. */
    fault() {
        for (const [name, value] of Object.entries(this.values())) {
            const { minimum, maximum, type } = this.schemas[name] || {};
            const label = WORDS[name]?.[0] || name;
            if (typeof value === "number" && (Number.isNaN(value) || value < minimum || value > maximum ||
                                              (type === "integer" && !Number.isInteger(value)))) {
                return { param: name, message: `${label}: a${type === "integer" ? " whole" : ""} number ` +
                         `from ${minimum} to ${maximum}, please.` };
            }
        }
        return null;
    }

    /* Sets the fields that are named, and the others to their defaults. */
    fill(values) {
        this.pending = {};
        for (const [name, input] of this.inputs) {
            const value = values[name];
            if (input.type === "checkbox") {
                input.checked = value === undefined ? input.defaultChecked : value === true || value === "true";
            } else if (value === undefined || Number.isNaN(value)) {
                input.value = input.dataset.usual ?? "";
            } else {
                input.value = value;
                if (input.tagName === "SELECT" && input.selectedIndex < 0) {
                    input.value = input.dataset.usual ?? "";
                }
            }
        }
        for (const [name, value] of Object.entries(values)) {
            if (!this.inputs.has(name) && !ELSEWHERE.has(name)) {
                this.pending[name] = value;
            }
        }
    }
}
