/* Write, press Speak, hear. */

import assert from "node:assert/strict";
import { scenario } from "./support.mjs";

scenario("the example is spoken at once", async (person, page) => {
    assert.notEqual(await person.text.inputValue(), "");
    await person.press(() => person.speakButton.click());
    await person.until(({ time, paused }) => !paused && time > 0.2, "the sound does not play");
    await page.getByRole("button", { name: "Pause" }).waitFor();
    await person.until(({ ended }) => ended, "the sound does not end");
    await page.getByRole("button", { name: "Play", exact: true }).waitFor();
});

scenario("what plays is no silence", async (person, page) => {
    const alignment = await person.speak("Hello, world.");
    /* As loud as a listener would get it, measured where the player hands it over; several times
     * over, because a busy machine may start to listen late. */
    const loudest = await page.evaluate(async () => {
        const { instrument: { player } } = await import(new URL("main.js", document.baseURI).href);
        let loudness = 0;
        for (let turn = 0; turn < 5 && loudness < 0.01; turn++) {
            await player.play(0);
            const meter = player.context.createAnalyser();
            player.gain.connect(meter);
            const samples = new Float32Array(meter.fftSize);
            while (player.playing) {
                meter.getFloatTimeDomainData(samples);
                loudness = Math.max(loudness, Math.hypot(...samples) / Math.sqrt(samples.length));
                await new Promise((resolve) => setTimeout(resolve, 20));
            }
        }
        return loudness;
    });
    assert.ok(loudest > 0.01, `root mean square ${loudest}`);
    assert.equal((await person.pcm()).length, 2 * alignment.n_samples);
    const { duration } = await person.sound();
    assert.equal(duration, alignment.n_samples / alignment.sample_rate);
});

scenario("the playhead and the clock move with the sound", async (person, page) => {
    await person.speak("The birch canoe slid on the smooth planks.");
    const playhead = page.locator(".overview .playhead");
    const place = async () => (await playhead.boundingBox()).x;
    await person.until(({ time }) => time > 0.1, "the sound does not play");
    const [x, clock] = [await place(), Number(await page.locator(".now").textContent())];
    await person.until(({ time }) => time > 0.6, "the sound does not play on");
    await person.pause();
    assert.ok(await place() > x + 10, "the playhead stands still");
    assert.ok(Number(await page.locator(".now").textContent()) > clock, "the clock stands still");
    /* The playhead stands where the sound stands. */
    const { time, duration } = await person.sound();
    await person.point(person.waveform, 1, 0.5);
    const box = await person.waveform.boundingBox();
    const right = box.x + box.width;
    const fraction = (right - await place()) / (1 - time / duration);
    await person.waveform.press("End");
    assert.ok(Math.abs(await place() - right) < 2);
    await person.waveform.press("Home");
    assert.ok(Math.abs(right - await place() - fraction) < 4);
});

scenario("a click into the waveform seeks", async (person, page) => {
    await person.speak("The birch canoe slid on the smooth planks.");
    await person.pause();
    await person.waveform.press("Home");
    const { duration } = await person.sound();
    const box = await person.waveform.boundingBox();
    const start = (await page.locator(".overview .playhead").boundingBox()).x;
    await page.mouse.click(start + (box.x + box.width - start) / 2, box.y + box.height / 2);
    const { time, paused } = await person.sound();
    assert.ok(paused);
    assert.ok(Math.abs(time - duration / 2) < 0.02 * duration, `${time} of ${duration}`);
});

scenario("a seed that is kept gives the same sound again, a drawn one another", async (person, page) => {
    const first = await person.speak("Rice is often served in round bowls.");
    const bytes = await person.pcm();
    await page.getByRole("button", { name: "Keep seed" }).click();
    assert.equal(await person.seed.inputValue(), String(first.seed));
    const second = await person.press(() => person.speakButton.click());
    assert.equal(second.seed, first.seed);
    assert.ok(bytes.equals(await person.pcm()), "other bytes from the same seed");
    await person.seed.fill("");
    const third = await person.press(() => person.speakButton.click());
    assert.notEqual(third.seed, first.seed);
    assert.ok(!bytes.equals(await person.pcm()), "the same bytes from another seed");
});

scenario("speed shortens the sound", async (person, page) => {
    const normal = await person.speak("Rice is often served in round bowls.", { seed: 7 });
    await person.speed.focus();
    for (let i = 0; i < 30 && await page.locator("#speed-value").textContent() !== "2.00 ×"; i++) {
        await page.keyboard.press("ArrowRight");
    }
    assert.equal(await person.speed.getAttribute("aria-valuetext"), "2 times");
    const fast = await person.press(() => person.speakButton.click());
    assert.equal(fast.speed, 2);
    assert.ok(Math.abs(fast.duration / normal.duration - 0.5) < 0.05,
              `${normal.duration} s, then ${fast.duration} s`);
    await person.until(({ duration }) => Math.abs(duration - fast.duration) < 0.05,
                       "another sound than announced");
});

scenario("a voice is chosen from those that the server has", async (person, page) => {
    const voices = await page.evaluate(() => fetch("v1/voices").then((answer) => answer.json()));
    assert.ok(voices.voices.length >= 1);
    assert.deepEqual(await person.voice.locator("option").evaluateAll((all) => all.map((one) => one.value)),
                     voices.voices.map(({ name }) => name));
    const { name } = voices.voices.at(-1);
    await person.voice.selectOption(name);
    assert.equal((await person.speak("Hello.")).voice, name);
});

scenario("speaking can be cancelled, and done again", async (person, page) => {
    await page.route("**/v1/speech", async (route) => {
        await new Promise((resolve) => setTimeout(resolve, 1000));
        await route.continue().catch(() => {});
    }, { times: 1 });
    await person.text.fill("This will not be heard.");
    await person.speakButton.click();
    await person.reads(person.status, /^Speaking/);
    assert.ok(await person.speakButton.isDisabled());
    await page.getByRole("button", { name: "Stop" }).click();
    await person.reads(person.status, /^Stopped/);
    assert.ok(await person.speakButton.isEnabled());
    assert.ok(await page.getByRole("button", { name: "Stop" }).isHidden());
    assert.equal(await person.error.textContent(), "");
    const alignment = await person.speak("But this will.");
    assert.equal(alignment.text, "But this will.");
});

scenario("a new text replaces the old result", async (person, page) => {
    await person.speak("One.");
    const alignment = await person.speak("Two words.");
    assert.equal(await person.words.textContent(), "Two words.");
    await person.until((sound) => Math.abs(sound.duration - alignment.duration) < 0.05, "the old sound");
    assert.equal(await page.locator(".duration").textContent(), alignment.duration.toFixed(2));
});

scenario("who has to wait is told how many others there are", async (person, page) => {
    await page.route("**/v1/speech", async (route) => {
        await new Promise((resolve) => setTimeout(resolve, 2500));
        await route.continue();
    }, { times: 1 });
    await page.route("**/v1/status", async (route) => {
        const answer = await route.fetch();
        const json = await answer.json();
        json.queue.running = 3;
        json.queue.waiting = 5;
        await route.fulfill({ response: answer, json });
    });
    await person.reads(person.voice, /\w/);
    const spoken = person.speak("At last.");
    await person.reads(person.status, /3 requests are being spoken, 5 are waiting/);
    await spoken;
    await person.reads(person.status, /^Spoke/);
});
