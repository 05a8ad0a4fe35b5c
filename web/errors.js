/* What went wrong, as one person tells another: what it is and what to do about it. */

const number = (value) => Number(value).toLocaleString("en");

/* By the server's code: (error, request) -> sentence. */
const SENTENCES = {
    empty_text: () => "There is nothing to say yet. Write something first.",
    nothing_to_speak: () => "There is no word in this text that can be spoken.",
    unknown_phone: (error, request) =>
        `The voice has no phone “${phoneAt(request.text, error.offset) || "like that"}”. ` +
        "Phones stand in braces, as in {HH AH0 L OW1}.",
    invalid_utf8: () => "The text has a character that is broken. Remove it and try again.",
    text_too_long: (error, request) =>
        `The text is too long for this server: it has ${number([...request.text].length)} ` +
        `characters${/(\d{2,})\D*$/.test(error.message)
            ? `, and ${number(/(\d{2,})\D*$/.exec(error.message)[1])} are the most` : ""}.`,
    body_too_large: () => "The text is too long for this server.",
    unknown_voice: (error, request) =>
        `The server no longer has the voice “${request.voice}”. Reload the page to see which it has.`,
    unauthorized: () => "This server asks for an API key. Enter it and press Speak again.",
    busy: (error) => "The server is busy and takes no more requests. Try again " +
                     (error.retryAfter > 1 ? `in ${error.retryAfter} seconds.` : "in a moment."),
    alignment_failed: () =>
        "The attention failed in every attempt, so there is no sound (“Strict” is on). Allow more " +
        "attempts, or turn “Strict” off to hear it all the same.",
    timeout: () => "It took longer than the server allows. Try a shorter text.",
    no_memory: () => "The server has run out of memory. Try a shorter text, or again later.",
    shutting_down: () => "The server is being restarted. Try again in a moment.",
    internal: () => "Something is wrong in the server. Its log tells more.",
    gone: () => "The server no longer keeps this result. Press Speak to make it again: the seed " +
                "gives the same sound.",
    not_found: () => "The server does not know this result. Press Speak to make it again: the seed " +
                     "gives the same sound.",
    unreachable: () => "The server does not answer. Is it running, and is this machine online?",
    broken_off: () => "The connection broke off before the end.",
};

export function explain(error, request = { text: "" }) {
    return SENTENCES[error.code]?.(error, request) || error.message;
}

/* The word of the text at an offset in bytes, as [start, end) in UTF-16 units, or null. */
export function placeInText(text, offset) {
    if (offset === undefined || offset === null) {
        return null;
    }
    const before = new TextDecoder().decode(new TextEncoder().encode(text).subarray(0, offset));
    const length = /^[^\s{}]*/.exec(text.slice(before.length))[0].length;
    return [before.length, before.length + Math.max(1, length)];
}

function phoneAt(text, offset) {
    const place = placeInText(text, offset);
    return place ? text.slice(...place) : "";
}
