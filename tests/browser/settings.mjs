/* All that a request may say, and texts from files. */

import assert from "node:assert/strict";
import { scenario } from "./support.mjs";

const bodyOf = (page) => page.waitForRequest((request) => request.url().endsWith("/v1/speech"))
    .then((request) => request.postDataJSON());

scenario("every field of the server's description can be set, and only what is changed is sent", async (person, page) => {
    await person.reads(person.voice, /\w/);
    const fields = await page.evaluate(async () =>
        (await (await fetch("openapi.json")).json()).components.schemas.SpeechRequest.properties);
    await page.getByText("More settings").click();
    for (const name of ["volume", "max_attempts", "strict", "sentence_pause", "paragraph_pause", "n_iter"]) {
        assert.ok(name in fields);
        assert.ok(await page.locator(`#options [name=${name}]`).isVisible(), name);
    }
    let body = bodyOf(page);
    await person.speak("Nothing is changed.");
    assert.deepEqual(Object.keys(await body).sort(), ["format", "matrix", "stream", "text", "voice"]);
    await page.getByLabel("Volume").fill("0.25");
    await page.getByLabel("Attempts").fill("3");
    await page.getByLabel("Strict").check();
    await page.getByLabel("Add a final full stop").uncheck();
    body = bodyOf(page);
    await person.speak("Something is changed");
    const { volume, max_attempts: attempts, strict, final_punctuation: stop } = await body;
    assert.deepEqual([volume, attempts, strict, stop], [0.25, 3, true, false]);
    await person.reads(page.locator("#more-count"), /4 changed/);
    await page.getByRole("button", { name: "Back to the defaults" }).click();
    await person.reads(page.locator("#more-count"), /^$/);
});

scenario("a setting out of range is refused where it stands", async (person, page) => {
    await person.reads(person.voice, /\w/);
    await page.getByText("More settings").click();
    await page.getByLabel("Volume").fill("9");
    await page.getByText("More settings").click();
    await person.speakButton.click();
    await person.reads(person.error, /^Volume: a number from 0 to 4/);
    assert.equal(await page.getByLabel("Volume").getAttribute("aria-invalid"), "true");
    assert.ok(await page.getByLabel("Volume").isVisible());
});

scenario("a text comes from a file", async (person, page) => {
    const give = (name, text) => page.locator("#file").setInputFiles(
        { name, mimeType: "text/plain", buffer: Buffer.from(text) });
    await give("a.txt", "From a file.");
    await person.eventually(async () => await person.text.inputValue() === "From a file.", "no text");
    await person.reads(page.locator("#counter"), /^12 characters, about 1 s$/);
    await give("b.srt", "1\r\n00:00:01,000 --> 00:00:02,000\r\n<i>First</i> cue,\r\nin two lines.\r\n\r\n" +
                        "2\r\n00:00:03,000 --> 00:00:04,000\r\nSecond cue.\r\n");
    await person.eventually(async () => await person.text.inputValue() ===
        "First cue, in two lines.\nSecond cue.", "the subtitles are not read");
    await page.locator("#file").setInputFiles(
        { name: "c.txt", mimeType: "text/plain", buffer: Buffer.from([0xff, 0xfe, 0x00]) });
    await person.reads(person.error, /c\.txt is no text/);
    /* Dropped on the field. */
    await page.evaluate(() => {
        const dataTransfer = new DataTransfer();
        dataTransfer.items.add(new File(["Dropped."], "d.md"));
        document.querySelector("#text").dispatchEvent(
            new DragEvent("drop", { bubbles: true, cancelable: true, dataTransfer }));
    });
    await person.eventually(async () => await person.text.inputValue() === "Dropped.", "nothing dropped");
});

scenario("the sound can be had in another format", async (person, page) => {
    await person.speak("In another format.");
    await page.getByLabel("Format of the sound").selectOption("flac");
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Save sound" }).click();
    assert.match((await download).suggestedFilename(), /\.flac$/);
});

scenario("stopping keeps what was heard", async (person, page) => {
    await person.text.fill("This is a sentence of a long text. ".repeat(200));
    await person.speakButton.click();
    await person.until(({ time }) => time > 0.1, "it does not play while it is made");
    assert.equal(await page.locator("#request").getAttribute("aria-busy"), "true",
                 "it plays only when all has come");
    await page.getByRole("button", { name: "Stop" }).click();
    await person.reads(person.status, /^Stopped\. What had been spoken is here/);
    const { duration, paused } = await person.sound();
    assert.ok(paused && duration > 1);
    await person.reads(page.locator(".transport .verdict"), /^Incomplete/);
});
