/* What can be taken home: the sound in any format, and the written forms of the alignment. What
 * the page can write itself needs no server. */

import { resultPath } from "./api.js";
import { build, button, make, save } from "./dom.js";
import { explain } from "./errors.js";
import { alignmentSvg, PAGE_SENTENCES } from "./svg.js";

const FORMS = [ /* name on the page, path, ending of the file */
    ["Heat map, SVG", "alignment.svg", "svg"],
    ["Heat map, PNG", "alignment.png", "png"],
    ["Attention, NumPy", "alignment.npy", "npy"],
    ["Mel, NumPy", "mel.npy", "mel.npy"],
    ["Mel, PNG", "mel.png", "mel.png"],
    ["Subtitles, SRT", "alignment.srt", "srt"],
    ["Subtitles, WebVTT", "alignment.vtt", "vtt"],
    ["Praat TextGrid", "alignment.TextGrid", "TextGrid"],
];

const SOUNDS = { flac: "FLAC", opus: "Opus", mp3: "MP3", pcm: "bare PCM", ulaw: "µ-law", alaw: "A-law",
                 aiff: "AIFF", au: "AU" };

export class Downloads {
    /* formats: further audio formats of the server */
    constructor(element, error, api) {
        this.element = element;
        this.error = error;
        this.api = api;
        this.formats = [];
    }

    open(result, recording, alignment) {
        const name = `tacod-${result.id || result.seed}`;
        this.error.textContent = "";
        const list = build("ul", { class: "downloads" });
        list.append(
            this.item("Sound, WAV", result.id && resultPath(result.id, "?format=wav"), `${name}.wav`,
                      async () => recording.wav()),
            this.item("Alignment, JSON", result.id && resultPath(result.id, "alignment?matrix=float16"),
                      `${name}.json`, async () => new Blob([JSON.stringify(alignment)],
                                                           { type: "application/json" })));
        if (result.id) {
            list.append(...FORMS.map(([title, path, ending]) =>
                this.item(title, resultPath(result.id, path), `${name}.${ending}`,
                          async () => (await this.api.form(result.id, path)).blob())));
        }
        this.element.replaceChildren(list, ...this.pages(result, name), ...this.otherFormats(result, name));
    }

    /* A real link, so that its address can be copied; a click fetches it here, so that an
     * error is shown on the page and a key goes along. */
    item(title, href, file, fetchBlob) {
        const take = async (event) => {
            if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) {
                return;
            }
            event.preventDefault();
            this.take(title, file, fetchBlob);
        };
        return build("li", {}, href ? build("a", { href: this.api.base + href, download: file, onclick: take }, title)
                                    : button("link", title, take));
    }

    async take(title, file, fetchBlob) {
        this.error.textContent = "";
        try {
            save(await fetchBlob(), file);
        } catch (error) {
            this.error.textContent = `${title}: ${explain(error)}`;
        }
    }

    /* The heat map of many sentences as pages that a program can still open. */
    pages(result, name) {
        const count = Math.ceil(result.chunks.length / PAGE_SENTENCES);
        if (count < 2 || !result.hasMatrix) {
            return [];
        }
        const choice = build("select", { "aria-label": "Page of the heat map" });
        for (let page = 0; page < count; page++) {
            const first = page * PAGE_SENTENCES + 1;
            const last = Math.min(result.chunks.length, first + PAGE_SENTENCES - 1);
            choice.append(new Option(`Sentences ${first} to ${last}`, page));
        }
        const take = button("", "Save SVG", () => this.take("Heat map", `${name}-${Number(choice.value) + 1}.svg`,
            async () => {
                const first = Number(choice.value) * PAGE_SENTENCES;
                return new Blob([alignmentSvg(result, result.chunks.slice(first, first + PAGE_SENTENCES))],
                                { type: "image/svg+xml" });
            }));
        return [build("div", { class: "other-format" }, make("span", "", "Heat map by pages:"), choice, take)];
    }

    /* Sound in another format is encoded by the server. */
    otherFormats(result, name) {
        const formats = this.formats.filter((format) => format in SOUNDS);
        if (!result.id || !formats.length) {
            return [];
        }
        const choice = build("select", { "aria-label": "Format of the sound" });
        choice.append(...formats.map((format) => new Option(SOUNDS[format], format)));
        const endings = { opus: "opus", ulaw: "ulaw.wav", alaw: "alaw.wav" };
        const take = button("", "Save sound", () => {
            const format = choice.value;
            this.take(`Sound, ${SOUNDS[format]}`, `${name}.${endings[format] || format}`, async () =>
                (await this.api.form(result.id, `?format=${format}`)).blob());
        });
        return [build("div", { class: "other-format" }, make("span", "", "Sound as"), choice, take)];
    }
}
