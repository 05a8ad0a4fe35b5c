// ElevenLabs's own client against the daemon: what its users call works unchanged.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { ElevenLabsClient, ElevenLabsError } from "@elevenlabs/elevenlabs-js";
import { PATIENCE, start, startWithAKey } from "./daemon.mjs";

const TEXT = "Hello, world. It costs $25.50 – naïve!";
let daemon, client;

const connect = ({ address }, apiKey = "any") =>
    new ElevenLabsClient({ apiKey, baseUrl: address, timeoutInSeconds: PATIENCE / 1000, maxRetries: 0 });

before(async () => {
    daemon = await start("--voice", "another=models/heart.safetensors");
    client = connect(daemon);
});

after(() => daemon?.stop());

const bytesOf = async (stream) => {
    const pieces = [];
    for await (const piece of stream)
        pieces.push(piece);
    return Buffer.concat(pieces);
};
const convert = async (fields, voice = "heart", by = client) =>
    bytesOf(await by.textToSpeech.convert(voice, { text: TEXT, ...fields }));
const isMp3 = (b) => b.subarray(0, 3).toString() === "ID3" || b[0] === 0xff;
/* The bytes of the magic number of a file. */
const magic = (b) => b.subarray(0, 4).toString();

test("speech as the client's own examples ask for it", async () => {
    const audio = await convert({ modelId: "eleven_multilingual_v2", outputFormat: "mp3_44100_128" });
    assert.ok(isMp3(audio));
    assert.ok(audio.length > 16000 * 2); // two seconds of 128 kbit/s
});

test("output formats", async () => {
    assert.equal(magic(await convert({ outputFormat: "wav_24000" })), "RIFF");
    assert.equal(magic(await convert({ outputFormat: "opus_48000_64" })), "OggS");
    assert.ok(isMp3(await convert({ outputFormat: "mp3_22050_32" })));
    const [pcm, ulaw] = [await convert({ outputFormat: "pcm_8000", seed: 7 }),
        await convert({ outputFormat: "ulaw_8000", seed: 7 })];
    assert.equal(pcm.length, ulaw.length * 2);
});

test("every parameter, speed and seed", async () => {
    const fields = { modelId: "eleven_flash_v2_5", languageCode: "en", seed: 4294967295, outputFormat: "pcm_16000",
        previousText: "Before.", nextText: "After.", previousRequestIds: ["a"], nextRequestIds: ["b"],
        applyTextNormalization: "auto", applyLanguageTextNormalization: false, usePvcAsIvc: false,
        pronunciationDictionaryLocators: [], enableLogging: true, optimizeStreamingLatency: 0 };
    const voiceSettings = { stability: 0.5, similarityBoost: 0.75, style: 0, useSpeakerBoost: true };
    const plain = await convert({ ...fields, voiceSettings });
    assert.deepEqual(await convert({ ...fields, voiceSettings: { ...voiceSettings, speed: 1 } }), plain);
    const slow = await convert({ ...fields, voiceSettings: { ...voiceSettings, speed: 0.7 } });
    assert.ok(Math.abs(slow.length - plain.length / 0.7) < 3200, `${slow.length} of ${plain.length}`);
});

test("a stream is the whole in pieces", async () => {
    const fields = { text: "The birch canoe slid on the smooth planks. ".repeat(4), outputFormat: "pcm_16000", seed: 7 };
    const stream = await client.textToSpeech.stream("heart", fields);
    const [streamed, again] = [await bytesOf(stream), await bytesOf(await client.textToSpeech.stream("heart", fields))];
    assert.ok(streamed.length > 2 * 16000 * 4);
    assert.deepEqual(streamed, again);
});

const assertTimes = (times, text) => {
    assert.equal(times.characters.join(""), text);
    const [starts, ends] = [times.characterStartTimesSeconds, times.characterEndTimesSeconds];
    assert.equal(starts.length, ends.length);
    starts.forEach((begin, i) => {
        assert.ok(begin <= ends[i]);
        assert.ok(i === 0 || ends[i - 1] <= begin + 1e-6);
    });
    return ends.at(-1);
};

test("timestamps", async () => {
    const answer = await client.textToSpeech.convertWithTimestamps("heart", { text: TEXT, outputFormat: "pcm_16000" });
    const audio = Buffer.from(answer.audioBase64, "base64");
    const last = assertTimes(answer.alignment, TEXT);
    assert.ok(Math.abs(last - audio.length / 32000) < 1e-3);
    assert.match(answer.normalizedAlignment.characters.join(""), /twenty five dollars/);
});

test("a stream with timestamps", async () => {
    const stream = await client.textToSpeech.streamWithTimestamps("heart", { text: TEXT, outputFormat: "pcm_16000" });
    let size = 0, text = "", last = 0;
    for await (const { audioBase64, alignment } of stream) {
        size += Buffer.from(audioBase64, "base64").length;
        if (!alignment)
            continue;
        text += alignment.characters.join("");
        last = alignment.characterEndTimesSeconds.at(-1);
    }
    assert.equal(text, TEXT);
    assert.ok(Math.abs(last - size / 32000) < 1e-3, `${last} of ${size / 32000}`);
});

test("every listed voice speaks", async () => {
    const found = await client.voices.search();
    assert.equal(found.totalCount, 2);
    for (const voices of [found.voices, (await client.voices.getAll()).voices]) {
        assert.deepEqual(voices.map((voice) => voice.voiceId), ["another", "heart"]);
        for (const { voiceId, name } of voices) {
            assert.equal(name, voiceId);
            assert.equal((await client.voices.get(voiceId)).voiceId, voiceId);
            assert.ok(isMp3(await convert({ text: "Hi." }, voiceId)));
        }
    }
});

test("a search finds all voices on one page", async () => {
    const page = await client.voices.search({ pageSize: 1, includeTotalCount: true, sort: "name", search: "nothing" });
    assert.deepEqual(page.voices.map((voice) => voice.voiceId), ["another", "heart"]);
    assert.deepEqual([page.hasMore, page.totalCount], [false, 2]);
});

test("settings and account", async () => {
    assert.equal((await client.voices.settings.getDefault()).speed, 1);
    assert.equal((await client.voices.settings.get("heart")).speed, 1);
    const subscription = await client.user.subscription.get();
    assert.ok(subscription.characterLimit > subscription.characterCount);
    assert.equal((await client.user.get()).subscription.characterLimit, subscription.characterLimit);
});

test("every listed model speaks", async () => {
    const models = await client.models.list();
    assert.ok(models.some(({ modelId }) => modelId === "eleven_multilingual_v2"));
    for (const { modelId, canDoTextToSpeech, languages } of models) {
        assert.ok(canDoTextToSpeech);
        assert.deepEqual(languages.map(({ languageId }) => languageId), ["en"]);
        assert.ok(isMp3(await convert({ text: "Hi.", modelId })));
    }
});

const failing = (call, statusCode, status) => assert.rejects(call, (error) => {
    assert.ok(error instanceof ElevenLabsError, `${error}`);
    assert.equal(error.statusCode, statusCode);
    assert.equal(error.body.detail.status, status);
    assert.ok(error.body.detail.message);
    return true;
});

test("errors tell what is wrong", async () => {
    await failing(() => convert({}, "21m00Tcm4TlvDq8ikWAM"), 404, "not_found");
    await failing(() => convert({ text: "" }), 400, "empty_text");
    await failing(() => convert({ voiceSettings: { speed: 9 } }), 400, "invalid_argument");
    await failing(() => convert({ text: "Yes. ".repeat(5000) }), 413, "text_too_long");
    await failing(() => client.textToSpeech.streamWithTimestamps("heart", { text: " " }), 400, "empty_text");
});

test("keys", async (t) => {
    const locked = await startWithAKey();
    t.after(locked.stop);
    const good = connect(locked, locked.key);
    assert.ok(isMp3(await convert({ text: "Hi." }, "heart", good)));
    assert.ok((await good.voices.search()).voices.length > 0);
    assert.ok((await good.models.list()).length > 0);
    const bad = connect(locked, "wrong");
    for (const call of [() => convert({ text: "Hi." }, "heart", bad), () => bad.voices.search(),
        () => bad.textToSpeech.convertWithTimestamps("heart", { text: "Hi." })])
        await failing(call, 401, "unauthorized");
    await assert.rejects(() => bad.models.list(), (error) => error.statusCode === 401);
});
