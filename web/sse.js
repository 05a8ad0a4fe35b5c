/* Server-sent events from the body of a response.
 * https://html.spec.whatwg.org/multipage/server-sent-events.html */

/* Yields {event, data} until the body ends; throws when the connection breaks. */
export async function* readEvents(response) {
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let pieces = []; /* of an event that is not complete: the last may be megabytes long */
    try {
        for (;;) {
            const { value, done } = await reader.read();
            if (done) {
                return;
            }
            /* The blank line that ends an event may be cut in two by the pieces. */
            let text = value;
            if (pieces.length && pieces.at(-1).endsWith("\n")) {
                text = pieces.pop() + text;
            }
            let end;
            while ((end = text.indexOf("\n\n")) >= 0) {
                pieces.push(text.slice(0, end));
                yield parse(pieces.join(""));
                pieces = [];
                text = text.slice(end + 2);
            }
            if (text) {
                pieces.push(text);
            }
        }
    } finally {
        reader.cancel().catch(() => {});
    }
}

function parse(block) {
    const found = { event: "message", data: "" };
    const data = [];
    for (const line of block.split("\n")) {
        const [, name, value] = /^([^:]*):? ?(.*)$/s.exec(line);
        if (name === "event") {
            found.event = value;
        } else if (name === "data") {
            data.push(value);
        }
    }
    found.data = data.join("\n");
    return found;
}
