/* What can be taken home: the sound, and the written forms that the server makes of it. */

import { resultPath } from "./api.js";
import { make } from "./dom.js";

const FORMS = [ /* name on the page, path, ending of the file */
    ["Alignment, JSON", "alignment?matrix=float16", "json"],
    ["Heat map, SVG", "alignment.svg", "svg"],
    ["Heat map, PNG", "alignment.png", "png"],
    ["Attention, NumPy", "alignment.npy", "npy"],
    ["Mel, NumPy", "mel.npy", "mel.npy"],
    ["Mel, PNG", "mel.png", "mel.png"],
    ["Subtitles, SRT", "alignment.srt", "srt"],
    ["Subtitles, WebVTT", "alignment.vtt", "vtt"],
    ["Praat TextGrid", "alignment.TextGrid", "TextGrid"],
];

export class Downloads {
    constructor(list, error, api) {
        this.list = list;
        this.error = error;
        this.api = api;
    }

    /* The sound is here already; the other forms are asked for when they are wanted. */
    open(result, audio, type) {
        const name = `tacod-${result.id || result.seed}`;
        this.error.textContent = "";
        this.list.replaceChildren(
            this.item("Sound, WAV", resultPath(result.id), `${name}.wav`,
                      async () => new Blob([audio], { type })),
            ...FORMS.map(([title, path, ending]) =>
                this.item(title, resultPath(result.id, path), `${name}.${ending}`,
                          async () => (await this.api.form(result.id, path)).blob())));
    }

    /* A real link, so that its address can be copied; a click fetches it here, so that an
     * error is shown on the page and a key goes along. */
    item(title, href, file, fetchBlob) {
        const link = make("a", "", title);
        link.href = href;
        link.download = file;
        link.addEventListener("click", async (event) => {
            if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) {
                return;
            }
            event.preventDefault();
            this.error.textContent = "";
            try {
                save(await fetchBlob(), file);
            } catch (error) {
                this.error.textContent = `${title}: ${error.message}`;
            }
        });
        const item = make("li", "", "");
        item.append(link);
        return item;
    }
}

function save(blob, file) {
    const link = make("a", "", "");
    link.href = URL.createObjectURL(blob);
    link.download = file;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}
