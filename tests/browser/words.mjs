/* The text lights up word by word; a word can be heard alone. */

import assert from "node:assert/strict";
import { scenario, spokenWords } from "./support.mjs";

/* Records which word is lit, and when, from now on. */
function watchWords(page) {
    return page.evaluate(async () => {
        const { instrument: { player } } = await import(new URL("main.js", document.baseURI).href);
        window.lit = [];
        new MutationObserver((changes) => {
            for (const { target } of changes) {
                if (target.getAttribute("aria-current") === "true") {
                    window.lit.push([Number(target.dataset.word),
                                     player.time]);
                }
            }
        }).observe(document.querySelector(".words"), { subtree: true, attributeFilter: ["aria-current"] });
    });
}

scenario("words light up in order while they are spoken", async (person, page) => {
    /* Slowly, so that a busy machine misses none. */
    await person.speed.fill("5");
    const alignment = await person.speak("Hello, world. It costs $25.50.");
    assert.equal(alignment.speed, 0.7);
    await person.pause();
    await person.waveform.press("Home");
    await watchWords(page);
    await page.getByRole("button", { name: "Play", exact: true }).click();
    await person.until(({ ended }) => ended, "the sound does not end");
    const lit = await page.evaluate(() => window.lit);
    const spoken = spokenWords(alignment);
    assert.deepEqual(lit.map(([index]) => index), spoken.map(([index]) => index));
    spoken.forEach(([index, word], i) => {
        const [, time] = lit[i];
        assert.ok(time > word.start - 0.02 && time < word.end + 0.3,
                  `word ${index} lit at ${time}, sounds ${word.start} to ${word.end}`);
    });
    const first = await person.words.getByRole("button", { name: "Hello" }).getAttribute("aria-current");
    assert.equal(first, null, "the first word stays lit");
});

scenario("the text stands as it was written", async (person) => {
    const text = "Two lines,\n  “quoted” — café; and 50 % more.";
    await person.speak(text);
    assert.equal(await person.words.textContent(), text);
});

scenario("a click on a word plays that word alone", async (person, page) => {
    const alignment = await person.speak("The birch canoe slid on the smooth planks.");
    await person.pause();
    const word = alignment.words.find(({ text }) => text === "canoe");
    await person.noteStartsAndStops();
    await page.getByRole("button", { name: "canoe" }).click();
    const [from] = await person.hasPlayed();
    assert.ok(Math.abs(from - word.start) < 0.01, `played from ${from}, word starts at ${word.start}`);
    const { time } = await person.sound();
    assert.ok(Math.abs(time - word.end) < 0.01, `stopped at ${time}, word ends at ${word.end}`);
    assert.equal(await page.getByRole("button", { name: "canoe" }).getAttribute("aria-current"), "true");
});

scenario("a word tells how it is spoken", async (person, page) => {
    const alignment = await person.speak("It costs $25.50.");
    const word = alignment.words.find(({ text }) => text.startsWith("$25"));
    assert.match(word.spoken, /twenty.five dollars/);
    const button = page.getByRole("button", { name: "$25.50" });
    await button.hover();
    const note = await person.reads(page.locator(".word-note"), /spoken as/);
    assert.ok(note.includes(word.spoken), note);
    assert.ok(note.includes(`${word.start.toFixed(2)} to ${word.end.toFixed(2)} s`), note);
    assert.equal(await button.getAttribute("aria-description"), `spoken as ${word.spoken}`);
});

scenario("arrow keys go from word to word, Enter plays", async (person, page) => {
    const alignment = await person.speak("The birch canoe slid on the smooth planks.");
    await person.pause();
    await page.getByRole("button", { name: "The", exact: true }).focus();
    const focused = () => page.evaluate(() => document.activeElement.textContent);
    await page.keyboard.press("ArrowRight");
    assert.equal(await focused(), "birch");
    await page.keyboard.press("End");
    assert.equal(await focused(), "planks");
    await page.keyboard.press("ArrowLeft");
    assert.equal(await focused(), "smooth");
    await person.noteStartsAndStops();
    await page.keyboard.press("Enter");
    const word = alignment.words.find(({ text }) => text === "smooth");
    const [from] = await person.hasPlayed();
    assert.ok(Math.abs(from - word.start) < 0.01, `played from ${from}, word starts at ${word.start}`);
    await person.until(({ time, paused }) => paused && Math.abs(time - word.end) < 0.01,
                       "it does not stop at the word's end");
    /* Tab leaves the words: they are one stop. */
    await page.keyboard.press("Tab");
    assert.equal(await page.evaluate(() => document.activeElement.className), "waveform");
});
