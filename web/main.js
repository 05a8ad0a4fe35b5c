/* The page: asks the server to speak, plays what comes while it comes, keeps and shows it. */

import { Api } from "./api.js";
import { curlLine } from "./curl.js";
import { debounce } from "./dom.js";
import { Draft } from "./draft.js";
import { explain, placeInText } from "./errors.js";
import { Form } from "./form.js";
import { History } from "./history.js";
import { Instrument } from "./instrument.js";
import { linkOf, requestKey, requestOf } from "./link.js";
import { allowSound } from "./player.js";
import { Recording, recordingOf } from "./recording.js";
import { fieldsOf } from "./settings.js";
import { Store } from "./store.js";
import { milliseconds } from "./timings.js";
import { mechanismChoices } from "./voices.js";

const get = (id) => document.getElementById(id);

const REMEMBERED = "tacod-settings"; /* in localStorage: all but text, seed and key */
const ASK_QUEUE = 1000;              /* ms without a sound before the queue is asked for */
const QUIET = 400;                   /* ms without a key before the address follows */

const api = new Api();
export const instrument = new Instrument(get("result"), api);
const draft = debounce(() => remember(form.request()), QUIET);
const form = new Form(speak, stop, draft);
const history = new History(openKept);

let schemas = {};   /* of the server's fields */
let aborter = null;

/* -- speaking ---------------------------------------------------------------------------------- */

/* One request: the sound begins with its first bytes; whatever comes to pass afterwards, what
 * has arrived stays. */
async function speak(request, { play = true } = {}) {
    api.key = form.key.value.trim();
    if (!form.voices.length) {
        await loadVoices();
        if (!form.voices.length) {
            return; /* and the reason is shown */
        }
        request.voice ??= form.voice.value;
    }
    const { sample_rate: rate } = form.voices.find(({ name }) => name === request.voice) || {};
    if (play && rate) {
        allowSound(rate);
    }
    aborter = new AbortController();
    form.setBusy(true);
    form.setStatus("Speaking…");
    const begun = performance.now();
    const making = new Making(request, play);
    const asking = setInterval(() => tellQueue(making), ASK_QUEUE);
    try {
        const alignment = await api.speak(request, making, aborter.signal);
        const seconds = (performance.now() - begun) / 1000;
        making.complete(alignment, seconds);
        form.setStatus(`Spoke ${alignment.duration.toFixed(2)} s of sound in ${milliseconds(seconds)}; ` +
                       `the first came after ${milliseconds(making.firstSound)}.`);
    } catch (error) {
        const kept = making.breakOff();
        if (error.name === "AbortError") {
            form.setStatus(kept ? "Stopped. What had been spoken is here." : "Stopped.");
        } else {
            form.setStatus(kept ? "What had been spoken is here." : "");
            showError(error, request);
        }
    } finally {
        clearInterval(asking);
        form.setBusy(false);
        aborter = null;
    }
}

/* While nothing is heard yet: how many are before us. */
async function tellQueue(making) {
    if (making.recording) {
        return;
    }
    try {
        const { queue } = await api.status();
        if (aborter && !making.recording && queue.waiting + queue.running > 1) {
            form.setStatus(`The server is busy: ${queue.running} requests are being spoken, ` +
                           `${queue.waiting} are waiting.`);
        }
    } catch {
        /* It is only told if it can be: the request itself says what is wrong. */
    }
}

function stop() {
    aborter?.abort();
    instrument.player.pause();
}

/* A result in the making: what Api.speak tells goes to the ear and to the page. */
class Making {
    constructor(request, play) {
        this.request = request;
        this.play = play;
        this.begun = performance.now();
        this.recording = null;
        this.frame = 0;
    }

    start(start) {
        this.draft = new Draft(start, this.request.text, this.request.speed);
        this.recording = new Recording(start.audio.sample_rate);
    }

    audio(bytes) {
        const first = this.recording.length === 0;
        this.recording.append(bytes);
        if (first && this.recording.length) {
            this.firstSound = (performance.now() - this.begun) / 1000;
            show();
            instrument.begin(this.recording, this.request.text);
            if (this.play) {
                instrument.player.play(0);
            }
        }
        this.frame ||= requestAnimationFrame(() => {
            this.frame = 0;
            if (!this.recording.complete) {
                instrument.grow(this.draft);
            }
        });
        instrument.player.grown();
    }

    timing(sentence) {
        this.draft.add(sentence);
        form.showProgress(this.draft.chunks.length, this.draft.progress);
    }

    complete(alignment, seconds) {
        const { recording, request } = this;
        recording.complete = true;
        const entry = { ...request, seed: alignment.seed };
        openResult(entry, alignment, recording, seconds);
        remember(entry);
        form.learn([...alignment.text].length, alignment.duration, alignment.speed);
        history.keep({ key: requestKey(entry), request: entry, duration: alignment.duration,
                       ok: alignment.diagnostics.ok, random: request.seed === undefined },
                     { alignment, pcm: recording.pcm(), sampleRate: recording.sampleRate });
    }

    /* The end before the end. Returns whether there is something to hear. */
    breakOff() {
        if (!this.recording?.length) {
            return false;
        }
        this.recording.complete = true;
        openResult({ ...this.request, seed: this.draft.start.seed },
                   this.draft.alignment(this.recording), this.recording, null);
        return true;
    }
}

function openResult(request, alignment, recording, seconds) {
    show();
    instrument.open(alignment, recording,
                    { seconds, curl: curlLine(request, document.baseURI, api.key) });
}

/* The result comes into sight; on a small screen it stands below the form. */
function show() {
    const hidden = get("result").hidden;
    get("empty").hidden = true;
    get("result").hidden = false;
    if ((hidden || aborter) && matchMedia("(max-width: 63.99rem)").matches) {
        get("result").scrollIntoView({ block: "start" });
    }
}

function showError(error, request) {
    const text = explain(error, request);
    if (error.status === 401) {
        form.askKey(text);
        return;
    }
    form.showError(text, error.param);
    const place = request && error.param !== "seed" && placeInText(request.text, error.offset);
    if (place) {
        form.text.focus();
        form.text.setSelectionRange(...place);
    }
}

/* -- keeping ----------------------------------------------------------------------------------- */

/* The address says what the form, or the result, is: it can be sent to somebody. */
function remember(request) {
    draft.cancel(); /* what was written before is in it */
    window.history.replaceState(null, "", `#${linkOf(request)}`);
    get("to-lab").href = `lab.html#${linkOf({ text: request.text, seed: request.seed })}`;
    const { text, seed, ...settings } = form.request();
    try {
        localStorage.setItem(REMEMBERED, JSON.stringify(settings));
    } catch {
        /* Storage may be forbidden: then nothing is remembered. */
    }
}

function remembered() {
    try {
        return JSON.parse(localStorage.getItem(REMEMBERED)) || {};
    } catch {
        return {};
    }
}

function openKept(entry, body) {
    form.fill({ ...entry.request, seed: entry.random ? undefined : entry.request.seed });
    openResult(entry.request, body.alignment, recordingOf(body.pcm, body.sampleRate), null);
    form.setStatus("From the history of this browser.");
    remember(entry.request);
}

/* What the address says: the result itself, from the history or made again. */
async function followAddress() {
    const request = requestOf(location.hash, schemas);
    if (request.text === undefined) {
        form.fill(remembered());
        return;
    }
    form.fill(request);
    const kept = request.seed !== undefined && await history.find(requestKey(request));
    if (kept) {
        openKept(kept.entry, kept.body);
    } else if (request.seed !== undefined && form.voices.length) {
        await speak(request, { play: false });
    }
}

/* -- beginning ----------------------------------------------------------------------------------- */

async function loadVoices() {
    try {
        form.showVoices(await api.voices());
    } catch (error) {
        showError(error);
    }
}

/* What the server can do decides what is offered. */
async function loadDescription() {
    try {
        schemas = fieldsOf(await api.description());
    } catch {
        schemas = {}; /* an older server, or one that does not answer: of that the voices tell */
    }
    instrument.downloads.formats = schemas.format?.enum || [];
    form.settings.show(schemas);
    get("more").hidden = !form.settings.inputs.size;
}

form.onVoice = async (name) => {
    try {
        const choices = mechanismChoices(name ? await api.voice(name) : {});
        if (name === form.voice.value) {
            form.settings.show(schemas, { attention: choices });
        }
    } catch {
        form.settings.show(schemas, { attention: [] });
    }
    form.count();
};

instrument.element.addEventListener("keepseed", (event) => {
    form.seed.value = event.detail;
    form.edited();
    form.setStatus(`Seed ${event.detail} is kept for the next request.`);
});

/* Space plays and pauses, wherever it has no other meaning. */
addEventListener("keydown", (event) => {
    const typing = "input:not([type=range]), textarea, select, button, a, summary, [role=button], " +
                   "[role=application], [role=slider]";
    if (event.key === " " && !event.defaultPrevented && !event.target.closest?.(typing) &&
        (instrument.result || instrument.recording)) {
        event.preventDefault();
        instrument.player.toggle();
    }
});

addEventListener("hashchange", followAddress);

async function begin() {
    form.key.value = api.key;
    const [store] = await Promise.all([Store.open(), loadDescription(), loadVoices()]);
    await history.start(store);
    await followAddress();
}

begin();
