// OpenAI's own client against the daemon: what its users call works unchanged.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import OpenAI from "openai";
import { PATIENCE, start, startWithAKey } from "./daemon.mjs";

let daemon, client;

const connect = ({ address }, apiKey = "sk-anything") =>
    new OpenAI({ apiKey, baseURL: `${address}/v1`, maxRetries: 0, timeout: PATIENCE });

before(async () => {
    daemon = await start();
    client = connect(daemon);
});

after(() => daemon?.stop());

const speak = (fields) => client.audio.speech.create({ model: "gpt-4o-mini-tts", voice: "alloy",
    input: "Hello, world.", ...fields });
const bytesOf = async (response) => Buffer.from(await response.arrayBuffer());

const formats = {
    wav: ["audio/wav", (b) => b.subarray(0, 4).toString() === "RIFF"],
    flac: ["audio/flac", (b) => b.subarray(0, 4).toString() === "fLaC"],
    opus: ["audio/ogg", (b) => b.subarray(0, 4).toString() === "OggS"],
    mp3: ["audio/mpeg", (b) => b.subarray(0, 3).toString() === "ID3" || b[0] === 0xff],
    pcm: ["audio/pcm", (b) => b.length % 2 === 0 && b.length > 24000],
};

for (const [name, [type, isRight]] of Object.entries(formats))
    test(`speech in ${name}`, async () => {
        const response = await speak({ response_format: name });
        assert.ok(response.headers.get("content-type").startsWith(type));
        const bytes = await bytesOf(response);
        assert.ok(bytes.length > 2000);
        assert.ok(isRight(bytes));
    });

test("mp3 is the default", async () => {
    const response = await speak({});
    assert.equal(response.headers.get("content-type"), "audio/mpeg");
    await bytesOf(response);
});

test("a whole WAV has exact sizes", async () => {
    const bytes = await bytesOf(await speak({ response_format: "wav" }));
    assert.equal(bytes.readUInt32LE(4), bytes.length - 8);
});

test("audio arrives in pieces while it is made", async () => {
    const input = "The birch canoe slid on the smooth planks. ".repeat(8);
    const response = await speak({ input, response_format: "pcm" });
    let pieces = 0, size = 0;
    for await (const piece of response.body) {
        pieces++;
        size += piece.length;
    }
    assert.ok(pieces > 3, `${pieces} pieces`);
    assert.ok(size > 24000 * 2 * 5);
});

test("events", async () => {
    const response = await speak({ response_format: "pcm", stream_format: "sse" });
    assert.equal(response.headers.get("content-type"), "text/event-stream");
    const events = (await response.text()).trim().split("\n\n")
        .map((event) => JSON.parse(event.replace(/^data: /, "")));
    const done = events.pop();
    assert.equal(done.type, "speech.audio.done");
    assert.equal(done.usage.total_tokens, done.usage.input_tokens + done.usage.output_tokens);
    assert.ok(events.length > 0);
    for (const event of events) {
        assert.equal(event.type, "speech.audio.delta");
        assert.ok(Buffer.from(event.audio, "base64").length > 0);
    }
});

test("voices by name and by object, speed, instructions", async () => {
    for (const voice of ["marin", "heart", { id: "verse" }])
        await bytesOf(await speak({ voice, speed: 1.5, instructions: "Whisper." }));
});

test("every listed model can be had and speaks", async () => {
    const models = [];
    for await (const model of client.models.list())
        models.push(model);
    assert.deepEqual(models.map((model) => model.id), ["tts-1", "tts-1-hd", "gpt-4o-mini-tts", "heart"]);
    for (const model of models) {
        assert.equal(model.object, "model");
        assert.deepEqual(await client.models.retrieve(model.id), model);
        await bytesOf(await speak({ model: model.id, input: "Hi." }));
    }
});

const failing = (fields, type, expected) => assert.rejects(() => speak(fields), (error) => {
    assert.ok(error instanceof type, `${error}`);
    for (const [name, value] of Object.entries(expected))
        assert.equal(error[name], value);
    return true;
});

test("errors have the client's types", async () => {
    await failing({ response_format: "aac" }, OpenAI.BadRequestError,
        { status: 400, code: "unsupported", param: "response_format", type: "invalid_request_error" });
    await failing({ speed: 5 }, OpenAI.BadRequestError, { code: "invalid_argument", param: "speed" });
    await failing({ input: "" }, OpenAI.BadRequestError, { code: "empty_text", param: "input" });
    await failing({ input: "x".repeat(4097) }, OpenAI.BadRequestError, { param: "input" });
    await failing({ voice: "nobody" }, OpenAI.BadRequestError, { code: "unknown_voice", param: "voice" });
    await failing({ model: "gpt-9" }, OpenAI.NotFoundError, { status: 404, code: "model_not_found" });
    await assert.rejects(() => client.models.retrieve("whisper-1"), OpenAI.NotFoundError);
});

test("keys", async (t) => {
    const locked = await startWithAKey();
    t.after(locked.stop);
    const good = connect(locked, locked.key);
    const fields = { model: "tts-1", voice: "alloy", input: "Hello, world." };
    assert.ok((await bytesOf(await good.audio.speech.create(fields))).length > 2000);
    assert.equal((await good.models.retrieve("tts-1")).object, "model");
    const bad = connect(locked, "sk-wrong");
    for (const call of [() => bad.audio.speech.create(fields), () => bad.models.retrieve("tts-1")])
        await assert.rejects(call, (error) => {
            assert.ok(error instanceof OpenAI.AuthenticationError, `${error}`);
            assert.equal(error.code, "unauthorized");
            assert.equal(error.type, "authentication_error");
            return true;
        });
});

test("a client that goes away harms nobody", async () => {
    const gone = new AbortController();
    const response = await client.audio.speech.create({ model: "tts-1", voice: "alloy",
        input: "The birch canoe slid on the smooth planks. ".repeat(40), response_format: "pcm" },
    { signal: gone.signal });
    const reader = response.body.getReader();
    await reader.read();
    gone.abort();
    await assert.rejects(async () => { while (!(await reader.read()).done); });
    await bytesOf(await speak({ input: "Hi." }));
});
