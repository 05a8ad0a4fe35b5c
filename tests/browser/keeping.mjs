/* A link is the result; the browser keeps results and settings. */

import assert from "node:assert/strict";
import { scenario } from "./support.mjs";

scenario("a reload loses nothing and asks the server for no speech", async (person, page) => {
    const alignment = await person.speak("Reloading loses nothing.");
    const sound = await person.pcm();
    let requests = 0;
    page.on("request", (request) => { requests += Number(request.url().endsWith("/v1/speech")); });
    await page.reload();
    await person.reads(person.status, /history of this browser/);
    assert.deepEqual(await person.alignment(), alignment);
    assert.ok(sound.equals(await person.pcm()));
    assert.equal(await person.text.inputValue(), "Reloading loses nothing.");
    assert.equal(await person.seed.inputValue(), "", "a random seed stays random");
    assert.equal(requests, 0);
    await person.map.scrollIntoViewIfNeeded();
    await person.point(person.map, 0.5, 0.5);
    await person.reads(person.readout, /weight/);
});

scenario("the address is the result, for another browser, too", async (person, page, context) => {
    await page.getByText("More settings").click();
    await page.getByLabel("Pause after a sentence").fill("0.5");
    const alignment = await person.speak("A link. And its end, 100 % & more.", { seed: 11 });
    const sound = await person.pcm();
    const address = page.url();
    const other = await context.browser().newContext();
    try {
        const there = await other.newPage();
        await there.goto(address);
        await there.locator(".made-text", { hasText: "seed 11" }).waitFor();
        await there.locator("#request[aria-busy=false]").waitFor();
        const { text, seed, duration, chunks } = await there.evaluate(async () =>
            (await import(new URL("main.js", document.baseURI).href)).instrument.alignment);
        assert.deepEqual([text, seed, duration, chunks.length],
                         [alignment.text, 11, alignment.duration, alignment.chunks.length]);
        assert.equal(chunks[0].pause, 0.5);
        assert.equal(await there.locator("#text").inputValue(), alignment.text);
        assert.equal(await there.locator("#seed").inputValue(), "11");
        assert.ok(sound.length > 0);
    } finally {
        await other.close();
    }
});

scenario("the history opens, forgets, and is cleared", async (person, page) => {
    const first = await person.speak("The first of two.");
    await person.speak("The second of two.");
    const list = page.locator("#history-list");
    await page.locator("#history summary").click();
    await person.reads(page.locator("#history-size"), /^2, [\d.]+ [kM]B$/);
    await list.getByRole("button", { name: /^The first/ }).click();
    await person.reads(person.words, /^The first of two\.$/);
    assert.equal((await person.alignment()).seed, first.seed);
    await page.getByRole("button", { name: /^Forget “The second/ }).click();
    await person.reads(page.locator("#history-size"), /^1,/);
    await page.getByRole("button", { name: "Clear the history" }).click();
    await person.eventually(() => page.locator("#history").isHidden(), "the history is still there");
    await page.reload();
    await person.reads(person.voice, /\w/);
    assert.ok(await page.locator("#history").isHidden());
});

scenario("settings are remembered, the text of a draft is in the address", async (person, page) => {
    await person.reads(person.voice, /\w/);
    await page.getByText("More settings").click();
    await page.getByLabel("Volume").fill("0.5");
    await person.text.fill("Only a draft");
    await person.eventually(async () => /Only\+a\+draft/.test(page.url()), "the address does not follow");
    await page.reload();
    await person.reads(person.voice, /\w/);
    await person.eventually(async () => await person.text.inputValue() === "Only a draft", "the draft is lost");
    assert.equal(await page.getByLabel("Volume").inputValue(), "0.5");
    await page.goto(page.url().replace(/#.*/, "?"));
    await person.reads(page.locator("#more-count"), /1 changed/);
    assert.equal(await page.getByLabel("Volume").inputValue(), "0.5");
});
