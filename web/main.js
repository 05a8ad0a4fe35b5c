/* The page: asks the server to speak and shows what came of it. */

import { Api } from "./api.js";
import { arrayFromNpy } from "./arrays.js";
import { curlLine } from "./curl.js";
import { showDiagnostics } from "./diagnostics.js";
import { Downloads } from "./downloads.js";
import { Form } from "./form.js";
import { Lanes } from "./lanes.js";
import { decodeAudio, Player } from "./player.js";
import { Result } from "./result.js";
import { SymbolTable } from "./table.js";
import { milliseconds, showTimings } from "./timings.js";
import { View } from "./view.js";
import { Words } from "./words.js";

const get = (id) => document.getElementById(id);

const api = new Api();
const player = new Player(get("audio"));
const view = new View();
const lanes = new Lanes(view, player);
const downloads = new Downloads(get("downloads"), get("download-error"), api);
const table = new SymbolTable(get("table"), get("rows"));
const words = new Words(get("words"), get("word-note"), (index) => {
    const word = result.words[index];
    player.play(word.start, word.end);
});
const form = new Form(speak, () => aborter?.abort());

let result = null;
let aborter = null;

/* -- asking ----------------------------------------------------------------------------------- */

async function loadVoices() {
    try {
        form.showVoices(await api.voices());
    } catch (error) {
        showError(error);
    }
}

async function speak(request) {
    api.key = form.key.value.trim();
    if (!form.voices.length) {
        await loadVoices();
        if (!form.voices.length) {
            return; /* and the reason is shown */
        }
        request.voice ??= form.voice.value;
    }
    aborter = new AbortController();
    const { signal } = aborter;
    form.setBusy(true);
    form.setStatus("Speaking…");
    try {
        const answer = await api.speak(request, signal);
        const samples = await decodeAudio(answer.audio, answer.alignment.sample_rate);
        signal.throwIfAborted();
        open(new Result(answer.alignment, samples), answer, request);
        form.setStatus(`Spoke ${result.duration.toFixed(2)} s of sound in ` +
                       `${milliseconds(answer.seconds)}.`);
    } catch (error) {
        form.setStatus(error.name === "AbortError" ? "Cancelled." : "");
        if (error.name !== "AbortError") {
            showError(error);
        }
    } finally {
        form.setBusy(false);
        aborter = null;
    }
}

function showError(error) {
    if (error.status === 401) {
        form.askKey(error.message);
    } else {
        form.showError(error.message, error.param);
    }
}

/* -- showing ------------------------------------------------------------------------------------ */

function open(opened, answer, request) {
    result = opened;
    get("empty").hidden = true;
    get("result").hidden = false;
    player.load(answer.audio, answer.type);
    words.open(result);
    lanes.open(result);
    table.open(result);
    get("duration").textContent = result.duration.toFixed(2);
    get("made").textContent = `${result.voice}, seed ${result.seed}`;
    showDiagnostics(get("diagnostics"), result, (chunk) => {
        view.show(chunk);
        player.seek(result.chunks[chunk].start);
        get("lanes").scrollIntoView({ block: "nearest" });
    });
    showTimings(get("timings"), result, answer.seconds);
    downloads.open(result, answer.audio, answer.type);
    get("curl").textContent = curlLine({ ...request, seed: result.seed }, document.baseURI, api.key);
    get("copied").textContent = "";
    loadMel(result);
    player.play(0);
}

async function loadMel(shown) {
    let mel = null;
    let reason = "";
    try {
        mel = arrayFromNpy(await (await api.form(shown.id, "mel.npy")).arrayBuffer());
        const frames = shown.chunks.reduce((sum, chunk) => sum + chunk.n_frames, 0);
        if (mel.shape[0] !== frames) {
            throw new Error(`the spectrogram has ${mel.shape[0]} frames, not ${frames}`);
        }
    } catch (error) {
        mel = null;
        reason = error.message;
    }
    if (shown === result) {
        lanes.showMel(mel, reason);
    }
}

/* -- playing ------------------------------------------------------------------------------------- */

player.addEventListener("time", () => {
    if (!result) {
        return;
    }
    const { time } = player;
    get("now").textContent = time.toFixed(2);
    words.light(time > 0 || player.playing ? result.wordAt(time) : -1);
    if (!view.whole) {
        view.show(result.chunkAt(time).index);
    }
    if (player.playing) {
        view.follow(time);
    }
    lanes.movePlayhead();
});

player.addEventListener("state", () => {
    get("play").textContent = player.playing ? "Pause" : "Play";
});

get("play").addEventListener("click", () => player.toggle());

get("keep-seed").addEventListener("click", () => {
    form.seed.value = result.seed;
    form.setStatus(`Seed ${result.seed} is kept for the next request.`);
});

get("copy").addEventListener("click", async () => {
    try {
        await navigator.clipboard.writeText(get("curl").textContent);
        get("copied").textContent = "Copied.";
    } catch {
        /* No clipboard without HTTPS or a permission: select, so that one key copies. */
        getSelection().selectAllChildren(get("curl"));
        get("copied").textContent = "Selected: press Ctrl+C.";
    }
});

/* -- looking around -------------------------------------------------------------------------------- */

function showChunk(chunk) {
    player.pause();
    view.show(chunk);
    player.seek(result.chunks[chunk].start);
}

get("chunk-previous").addEventListener("click", () => showChunk(view.chunk - 1));
get("chunk-next").addEventListener("click", () => showChunk(view.chunk + 1));
get("whole").addEventListener("click", () => {
    view.showWhole(!view.whole);
    if (!view.whole) {
        view.show(result.chunkAt(player.time).index);
    }
});
get("zoom-in").addEventListener("click", () => view.zoom(2, player.time));
get("zoom-out").addEventListener("click", () => view.zoom(0.5, player.time));
get("zoom-fit").addEventListener("click", () => view.fit());

view.addEventListener("change", () => {
    const count = result.chunks.length;
    get("chunk-nav").hidden = count < 2;
    get("chunk-name").textContent = view.whole ? `${count} sentences`
                                               : `Sentence ${view.chunk + 1} of ${count}`;
    get("chunk-previous").disabled = view.whole || view.chunk === 0;
    get("chunk-next").disabled = view.whole || view.chunk === count - 1;
    get("whole").setAttribute("aria-pressed", String(view.whole));
    get("zoom-out").disabled = get("zoom-fit").disabled = view.isFitted();
});

form.key.value = api.key;
loadVoices();
