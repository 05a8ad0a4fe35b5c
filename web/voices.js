/* What a voice can do, as /v1/voices/NAME tells it. */

/* Its attention mechanisms, the default one first: [{name, description}]. */
export function mechanismsOf(voice) {
    const listed = voice.attentions || [];
    const all = Array.isArray(listed)
        ? listed.map((one) => (typeof one === "string" ? { name: one } : one))
        : Object.entries(listed).map(([name, more]) => ({ name, ...more }));
    const usual = all.find((one) => one.default) || all.find(({ name }) => name === voice.attention);
    return usual ? [usual, ...all.filter((one) => one !== usual)] : all;
}

/* The same as choices of a field. */
export function mechanismChoices(voice) {
    return mechanismsOf(voice).map(({ name }) => [name, name]);
}
