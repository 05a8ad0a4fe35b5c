/* A request as a line for a shell. */

/* Quotes a word for a POSIX shell. */
export function shellQuote(word) {
    return `'${word.replaceAll("'", "'\\''")}'`;
}

/* The request that gives the same sound: the seed that was used is part of it, and that it was
 * streamed. */
export function curlLine(request, page, key) {
    const address = new URL("v1/speech", page).href;
    const words = ["curl", "-sSf", "-H", shellQuote("Content-Type: application/json")];
    if (key) {
        words.push("-H", '"Authorization: Bearer $TACO_KEY"'); /* never the key itself */
    }
    words.push("-d", shellQuote(JSON.stringify({ ...request, stream: true })), shellQuote(address), "-o", "speech.wav");
    return words.join(" ");
}
