/* Errors are shown where they belong, in a person's words, and pass. */

import assert from "node:assert/strict";
import { scenario } from "./support.mjs";

const REFUSED = /status of 4\d\d|status of 5\d\d/; /* the browser's own line about an answer */

async function refused(person, page) {
    const answer = page.waitForResponse((response) => response.url().endsWith("/v1/speech"));
    await person.speakButton.click();
    const response = await answer;
    const { error } = await response.json();
    const told = await person.reads(person.error, /\w/);
    assert.ok(await person.speakButton.isEnabled());
    return { status: response.status(), told, ...error };
}

scenario("an empty text is refused at the text", async (person, page) => {
    await person.text.fill("  ");
    const { status, code, told } = await refused(person, page);
    assert.equal(status, 400);
    assert.match(told, /^There is nothing to say yet/);
    assert.equal(code, "empty_text");
    assert.equal(await person.text.getAttribute("aria-invalid"), "true");
    const [text, voice, error] = await Promise.all(
        [person.text, person.voice, person.error].map((part) => part.boundingBox()));
    assert.ok(error.y > text.y && error.y < voice.y, "the error does not stand at the text");
    await person.speak("Better.");
    assert.equal(await person.error.textContent(), "");
    assert.equal(await person.text.getAttribute("aria-invalid"), null);
}, { expectedErrors: REFUSED });

scenario("a text without a word is refused", async (person, page) => {
    await person.text.fill("…!?");
    const { code, told } = await refused(person, page);
    assert.equal(code, "nothing_to_speak");
    assert.match(told, /no word in this text/);
}, { expectedErrors: REFUSED });

scenario("an unknown phone is refused where it is asked for, and the old result stays", async (person, page) => {
    await person.speak("Hello.");
    await page.getByText("More settings").click();
    await page.getByLabel("Strict").check();
    await person.text.fill("Say {QQ9}.");
    const { code, told } = await refused(person, page);
    assert.equal(code, "unknown_phone");
    assert.match(told, /no phone “QQ9”/);
    /* And it is shown where: the phone is selected. */
    assert.equal(await person.text.evaluate((text) => text.value.slice(text.selectionStart, text.selectionEnd)),
                 "QQ9");
    assert.equal(await person.words.textContent(), "Hello.");
}, { expectedErrors: REFUSED });

scenario("a seed that is no number is refused at the seed", async (person) => {
    for (const seed of ["seven", "-1", "1.5", "9007199254740993"]) {
        await person.seed.fill(seed);
        await person.speakButton.click();
        await person.reads(person.error, /from 0 to 9007199254740991/);
        assert.equal(await person.seed.getAttribute("aria-invalid"), "true");
    }
    const alignment = await person.speak("Hello.", { seed: "9007199254740991" });
    assert.equal(alignment.seed, Number.MAX_SAFE_INTEGER);
    assert.equal(await person.seed.getAttribute("aria-invalid"), null);
});

scenario("a busy server is reported, with the time it asks for", async (person, page) => {
    await page.route("**/v1/speech", (route) => route.fulfill({
        status: 503, contentType: "application/json", headers: { "Retry-After": "7" },
        body: JSON.stringify({ error: { code: "busy", message: "The queue is full: try again.", param: null } }),
    }), { times: 1 });
    await person.speakButton.click();
    await person.reads(person.error, /^The server is busy.* in 7 seconds\.$/);
    assert.equal((await person.speak("Hello.")).text, "Hello.");
}, { expectedErrors: REFUSED });

scenario("an answer that is no JSON is reported by its status", async (person, page) => {
    await page.route("**/v1/speech", (route) => route.fulfill({
        status: 502, contentType: "text/html", body: "<h1>Bad Gateway</h1>",
    }), { times: 1 });
    await person.speakButton.click();
    await person.reads(person.error, /502/);
}, { expectedErrors: REFUSED });

scenario("a server that is gone is reported", async (person, page) => {
    await person.reads(person.voice, /\w/);
    await page.route("**/v1/speech", (route) => route.abort("connectionrefused"), { times: 1 });
    await person.speakButton.click();
    await person.reads(person.error, /does not answer/);
}, { expectedErrors: /ERR_CONNECTION_REFUSED/ });

scenario("voices that did not come are asked for again", async (person, page) => {
    let down = true;
    await page.route("**/v1/voices", (route) => down ? route.abort("connectionrefused") : route.continue());
    await page.reload();
    await person.reads(person.error, /does not answer/);
    assert.ok(await person.voice.isDisabled());
    down = false;
    await person.speak("Hello.");
    assert.equal(await person.error.textContent(), "");
    assert.ok(await person.voice.isEnabled());
}, { expectedErrors: /ERR_CONNECTION_REFUSED/ });

scenario("a server with keys is given one", async (person, page, context) => {
    await page.route("**/v1/**", async (route) => {
        const { authorization } = route.request().headers();
        if (authorization === "Bearer sesame") {
            await route.continue();
        } else {
            await route.fulfill({ status: 401, contentType: "application/json", body: JSON.stringify(
                { error: { code: "unauthorized", message: "An API key is needed.", param: null } }) });
        }
    });
    await page.reload();
    await person.reads(person.error, /asks for an API key/);
    const key = page.getByRole("textbox", { name: "API key" });
    assert.ok(await key.isVisible());
    await key.fill("sesame");
    await person.speak("Hello.");
    assert.equal(await person.error.textContent(), "");
    assert.doesNotMatch(await page.locator(".curl-line").textContent(), /sesame/);
    assert.match(await page.locator(".curl-line").textContent(), /Bearer \$TACO_KEY/);
    const download = page.waitForEvent("download");
    await page.getByRole("link", { name: "Praat TextGrid" }).click();
    assert.match((await download).suggestedFilename(), /\.TextGrid$/);
    assert.equal(await page.locator(".download-error").textContent(), "");
    /* A reload asks for nothing; another tab knows nothing. */
    await page.reload();
    await person.reads(person.voice, /\w/);
    assert.ok(!(await key.isVisible()));
    await person.speak("Hello again.");
    const other = await context.newPage();
    await other.goto(page.url());
    assert.ok(await other.evaluate(() => ![sessionStorage, localStorage].some((storage) =>
        JSON.stringify(storage).includes("sesame"))));
    await other.close();
}, { expectedErrors: REFUSED });

/* A server that speaks, but whose answer goes through change(events) on its way: events are
 * blocks of text. */
function changeEvents(page, change) {
    return page.route(/\/v1\/speech$/, async (route) => {
        const answer = await route.fetch();
        const events = (await answer.text()).split("\n\n").filter(Boolean);
        await route.fulfill({ response: answer, body: `${change(events).join("\n\n")}\n\n` });
    });
}

scenario("a server that keeps no results still gives sound and alignment, in one request", async (person, page) => {
    await page.route(/\/v1\/speech\/.*/, (route) => route.fulfill({
        status: 410, contentType: "application/json",
        body: JSON.stringify({ error: { code: "gone", message: "This result is no longer kept.", param: null } }),
    }));
    let requests = 0;
    page.on("request", (request) => { requests += Number(request.url().endsWith("/v1/speech")); });
    const alignment = await person.speak("Nothing is kept.");
    assert.equal(requests, 1);
    await person.until(({ duration }) => Math.abs(duration - alignment.duration) < 0.05, "no sound");
    await person.point(person.map, 0.5, 0.5);
    await person.reads(person.readout, /weight/);
    const download = page.waitForEvent("download");
    await page.getByRole("link", { name: "Sound, WAV" }).click();
    assert.match((await download).suggestedFilename(), /\.wav$/);
    await page.getByRole("link", { name: "Praat TextGrid" }).click();
    await person.reads(page.locator(".download-error"), /no longer keeps this result/);
}, { expectedErrors: REFUSED });

scenario("a server that stops after the audio leaves a playable result", async (person, page) => {
    await changeEvents(page, (events) => events.filter((event) => !event.startsWith("event: done")));
    await person.text.fill("This was said. And this was said, too.");
    await person.speakButton.click();
    await person.reads(person.error, /broke off/);
    await person.reads(person.status, /What had been spoken is here/);
    await person.reads(page.locator(".transport .verdict"), /^Incomplete/);
    const { duration } = await person.sound();
    assert.ok(duration > 1);
    await person.pause();
    await person.noteStartsAndStops();
    await person.words.getByRole("button", { name: "said", exact: true }).first().click();
    const [from, to] = await person.hasPlayed();
    assert.ok(to > from);
    assert.ok(await person.map.isHidden(), "an attention that never came");
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Sound, WAV" }).click();
    assert.match((await download).suggestedFilename(), /\.wav$/);
});

scenario("what was done to the text is told", async (person, page) => {
    const alignment = await person.speak("Hello 😀 world");
    const diagnostics = page.locator(".diagnostics");
    assert.ok(alignment.notes.some(({ kind }) => kind === "final_punctuation_added"));
    assert.ok(alignment.notes.some(({ kind }) => kind === "dropped_characters"));
    await person.reads(diagnostics, /no final punctuation/);
    await person.reads(diagnostics, /cannot be spoken: “😀”/);
    await person.reads(diagnostics, alignment.diagnostics.ok ? /^OK/ : /^Attention failed/);
});

scenario("a bad alignment is called bad, sentence by sentence", async (person, page) => {
    await changeEvents(page, (events) => events.map((event) => {
        if (!event.startsWith("event: done")) {
            return event;
        }
        const json = JSON.parse(event.slice(event.indexOf("{")));
        const bad = { ok: false, coverage: 0.5, focus: 0.4, backward_jumps: 2, forward_jumps: 1,
                      longest_stall: 400, frames_per_symbol: 30 };
        json.diagnostics = { ...bad, coverage: 0.75 };
        json.stop_reason = "max_frames";
        json.chunks[1].diagnostics = bad;
        json.chunks[1].stop_reason = "max_frames";
        const { start, end, bytes, codepoints } = json.chunks[1];
        const place = { chunk: 1, bytes, codepoints };
        json.failures = [{ ...place, kind: "repeat", start: start + 0.2, end: start + 0.4, sentence: "“one” was read twice." },
                         { ...place, kind: "cut_off", start: end, end, sentence: "It ended before “not”." }];
        return `event: done\ndata: ${JSON.stringify(json)}`;
    }));
    await person.speak("This is sound. This one is not.");
    const diagnostics = page.locator(".diagnostics");
    for (const part of [/^Attention failed/, /1 of 2 sentences/, /2: “one” was read twice \(/, /2: It ended before “not”/,
                        /frame limit/, /75 %/]) {
        await person.reads(diagnostics, part);
    }
    /* In sight, beside Play: announced, and a way there. */
    const verdict = page.getByRole("status").filter({ hasText: "Attention failed in 1 of 2 sentences" });
    assert.ok((await verdict.boundingBox()).y < (await person.words.boundingBox()).y);
    await person.pause();
    await verdict.getByRole("button", { name: /^2: “one” was read twice/ }).click();
    const { time } = await person.sound();
    await person.reads(page.locator(".chunk-name"), /^Sentence 2 of 2/);
    const { start } = (await person.alignment()).failures[0];
    assert.ok(Math.abs(time - start) < 0.001, `at ${time}, not at ${start}`);
    /* And marked in the overview and in the list. */
    const list = page.getByRole("group", { name: "Sentences" });
    assert.equal(await list.locator(".failed").count(), 1);
    await page.getByRole("checkbox", { name: "Failed only" }).check();
    assert.deepEqual(await list.getByRole("button").locator("visible=true").locator(".sentence-number").allTextContents(), ["2"]);
    const marked = await page.evaluate(() => {
        const wave = document.querySelector(".waveform");
        const { data } = wave.getContext("2d").getImageData(0, wave.height - 2, wave.width, 1);
        const columns = [];
        for (let x = 0; x < wave.width; x++) {
            if (data[4 * x] > data[4 * x + 2] + 100) {
                columns.push(x / wave.width);
            }
        }
        return columns;
    });
    assert.ok(marked.length > 10 && Math.min(...marked) > 0.4, "the second half is not marked");
});
