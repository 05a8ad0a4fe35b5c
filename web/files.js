/* Texts from files: plain, Markdown, subtitles. */

const LARGEST = 1 << 20; /* bytes: more is no text to be read aloud */

/* Resolves with {text, input}; input names the form of the text ("markdown", "ssml") where there is
 * more to it than plain text. */
export async function readTextFile(file) {
    if (file.size > LARGEST) {
        throw new Error(`${file.name} is too large: a text may have 1 MB.`);
    }
    const bytes = await file.arrayBuffer();
    let text;
    try {
        text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    } catch {
        throw new Error(`${file.name} is no text in UTF-8.`);
    }
    if (text.includes("\0")) {
        throw new Error(`${file.name} is no text.`);
    }
    text = text.replaceAll("\r\n", "\n");
    const ending = /\.([^.]*)$/.exec(file.name.toLowerCase())?.[1];
    switch (ending) {
    case "srt": return { text: fromSubtitles(text), input: "text" };
    case "md": return { text, input: "markdown" };
    case "ssml":
    case "xml": return { text, input: "ssml" };
    default: return { text, input: "text" };
    }
}

/* What is said in SubRip subtitles, without numbers, times and tags: a line a cue. */
export function fromSubtitles(text) {
    return text.split(/\n\s*\n/).map((cue) => {
        const lines = cue.trim().split("\n");
        const time = lines.findIndex((line) => line.includes("-->"));
        return lines.slice(time + 1).join(" ").replace(/<[^>]*>|\{\\[^}]*\}/g, "").trim();
    }).filter(Boolean).join("\n");
}
