/* The attention map, the lanes over one time axis, and long texts. */

import assert from "node:assert/strict";
import { scenario, weightsOf } from "./support.mjs";

const READOUT = /^([\d.]+) s · step (\d+) of (\d+) · (\S+)(?: of “(.+)”)?, symbol (\d+) of (\d+) · weight ([\d.]+)$/;

/* The readout in numbers, checked against the alignment. */
function check(alignment, chunk, readout) {
    const match = READOUT.exec(readout);
    assert.ok(match, readout);
    const [step, steps, symbol, symbols] = [2, 3, 6, 7].map((i) => Number(match[i]));
    const [time, weight] = [1, 8].map((i) => Number(match[i]));
    assert.equal(steps, chunk.n_steps);
    assert.equal(symbols, chunk.n_symbols);
    const named = alignment.symbols[chunk.first_symbol + symbol - 1];
    assert.equal(match[4], named.symbol.trim() === "" ? "␣" : named.symbol);
    assert.equal(match[5], named.word === null ? undefined : alignment.words[named.word].text);
    assert.equal(weight.toFixed(3), weightsOf(chunk)(step - 1, symbol - 1).toFixed(3));
    const start = chunk.start + (step - 1) * alignment.frames_per_step / alignment.frame_rate;
    const length = alignment.frames_per_step / alignment.frame_rate;
    assert.ok(time > start - 0.001 && time < start + length + 0.001, `step ${step} at ${time} s`);
    return { step, symbol, weight, time };
}

/* How different from the empty plot a place of the map is, 0 to 1. */
function shadeAt(page, across, down) {
    return page.evaluate(([x, y]) => {
        const map = document.querySelector(".attention");
        const pixel = map.getContext("2d").getImageData(x * (map.width - 1), y * (map.height - 1), 1, 1);
        const empty = getComputedStyle(document.documentElement).getPropertyValue("--map-0").trim();
        return [0, 1, 2].reduce((sum, i) => sum + Math.abs(
            pixel.data[i] - parseInt(empty.slice(1 + 2 * i, 3 + 2 * i), 16)), 0) / 765;
    }, [across, down]);
}

scenario("pointing at the map names symbol, time and weight", async (person, page) => {
    const alignment = await person.speak("Hello, world.");
    await person.pause();
    const [chunk] = alignment.chunks;
    const seen = [];
    for (const down of [0.02, 0.3, 0.5, 0.8, 0.98]) {
        for (const across of [0.12, 0.3, 0.5, 0.7, 0.9, 0.99]) {
            await person.point(person.map, across, down);
            const text = await person.reads(person.readout, /weight|^[\d.]+ s$/);
            if (/weight/.test(text)) {
                seen.push({ across, down, ...check(alignment, chunk, text),
                            shade: await shadeAt(page, across, down) });
            }
        }
    }
    assert.ok(seen.length >= 20);
    for (const a of seen) {
        for (const b of seen) {
            assert.ok(a.across >= b.across || a.step <= b.step, "time goes to the right");
            assert.ok(a.down <= b.down || a.symbol <= b.symbol, "symbols go upwards");
        }
    }
    assert.equal(Math.max(...seen.map(({ symbol }) => symbol)), chunk.n_symbols);
    assert.equal(Math.min(...seen.map(({ symbol }) => symbol)), 1);
    await person.point(page.getByRole("heading", { name: "tacod" }), 0.5, 0.5);
    await person.reads(person.readout, /^$/);
});

scenario("what is attended to is drawn stronger", async (person, page) => {
    const alignment = await person.speak("Hello, world.");
    await person.pause();
    const [chunk] = alignment.chunks;
    const weights = weightsOf(chunk);
    await person.map.focus();
    await page.keyboard.press("Home");
    const box = await person.map.boundingBox();
    let strong = 0;
    let weak = 0;
    for (let symbol = 0; symbol < chunk.n_symbols; symbol++) {
        let step = 0;
        for (let i = 0; i < chunk.n_steps; i++) {
            step = weights(i, symbol) > weights(step, symbol) ? i : step;
        }
        /* The playhead shows where the step is drawn. */
        const time = chunk.start + (step + 0.5) * alignment.frames_per_step / alignment.frame_rate;
        await person.seek(time);
        await person.until((sound) => Math.abs(sound.time - time) < 0.002, "no seek");
        await person.drawn();
        const x = (await page.locator(".lanes .playhead").boundingBox()).x + 0.5 - box.x;
        const down = 1 - (symbol + 0.5) / chunk.n_symbols;
        const other = 1 - ((symbol + chunk.n_symbols / 2) % chunk.n_symbols + 0.5) / chunk.n_symbols;
        if (weights(step, symbol) > 0.5) {
            strong += Number(await shadeAt(page, x / box.width, down) > 0.3);
            weak += Number(await shadeAt(page, x / box.width, other) < 0.1);
        } else {
            strong++;
            weak++;
        }
    }
    assert.ok(strong >= 0.9 * chunk.n_symbols, `${strong} of ${chunk.n_symbols} peaks are drawn`);
    assert.ok(weak >= 0.9 * chunk.n_symbols, `${weak} of ${chunk.n_symbols} symbols are empty elsewhere`);
});

scenario("arrow keys walk over the map", async (person, page) => {
    const alignment = await person.speak("Hello, world.");
    await person.pause();
    const [chunk] = alignment.chunks;
    await person.waveform.focus();
    await page.keyboard.press("Home");
    for (let i = 0; i < 8 && await page.evaluate(() => document.activeElement.className) !== "attention"; i++) {
        await page.keyboard.press("Tab");
    }
    const read = async () => check(alignment, chunk, await person.readout.textContent());
    await page.keyboard.press("Home");
    const start = await read();
    assert.equal(start.step, 1);
    await page.keyboard.press("ArrowRight");
    assert.equal((await read()).step, 2);
    await page.keyboard.press("Shift+ArrowRight");
    assert.equal((await read()).step, 12);
    await page.keyboard.press("ArrowUp");
    assert.equal((await read()).symbol, start.symbol + 1);
    await page.keyboard.press("ArrowDown");
    assert.equal((await read()).symbol, start.symbol);
    /* A word further: on its first symbol, where that weighs most. */
    await page.keyboard.press("PageUp");
    const word = await read();
    const first = alignment.symbols.findIndex((symbol) => symbol.word === 1);
    assert.equal(word.symbol, first - chunk.first_symbol + 1);
    assert.ok(word.weight > 0.3);
    await page.keyboard.press("PageDown");
    assert.equal((await read()).symbol, 1);
    await page.keyboard.press("End");
    const end = await read();
    assert.equal(end.step, chunk.n_steps);
    assert.equal(await person.readout.getAttribute("aria-live"), "polite");
    await page.keyboard.press("PageDown");
    const from = await read();
    await person.noteStartsAndStops();
    await page.keyboard.press("Enter");
    await person.eventually(async () => (await person.sound()).time > from.time, "it does not play");
    await page.keyboard.press(" ");
    const [played] = await person.hasPlayed();
    assert.ok(Math.abs(played - from.time) < 0.1, `played from ${played}, not from ${from.time}`);
});

scenario("a word that is spoken as several is one word on the page", async (person, page) => {
    const alignment = await person.speak("It costs $25.50 today.");
    await person.pause();
    const index = alignment.words.findIndex(({ text }) => text.startsWith("$25"));
    const spoken = alignment.spoken_words.filter(({ word }) => word === index);
    assert.ok(spoken.length >= 4);
    /* While it sounds, its frame holds all of it. */
    const [chunk] = alignment.chunks;
    const numbers = [...alignment.symbols.keys()].filter((i) => alignment.symbols[i].word === index);
    await page.getByRole("button", { name: "$25.50" }).click();
    await person.until(({ paused }) => paused, "it does not stop");
    const box = await page.locator(".word-box").boundingBox();
    const map = await person.map.boundingBox();
    const rows = box.height / (map.height / chunk.n_symbols);
    assert.ok(Math.abs(rows - (numbers.at(-1) - numbers[0] + 1)) < 0.5, `${rows} rows`);
    /* By Page Up one hears of every spoken part. */
    await person.map.focus();
    await page.keyboard.press("Home");
    const firsts = [];
    for (let i = 0; i < 10; i++) {
        await page.keyboard.press("PageUp");
        const { symbol } = check(alignment, chunk, await person.readout.textContent());
        if (alignment.symbols[symbol - 1].word === index) {
            firsts.push(symbol);
        }
    }
    assert.equal(new Set(firsts).size, spoken.length);
});

scenario("the lanes share one time axis and tell what they show", async (person, page) => {
    const alignment = await person.speak("Hello, world.");
    await person.pause();
    const time = async (drawing) => {
        await person.point(drawing, 0.6, 0.4);
        return /^([\d.]+) s/.exec(await person.reads(person.readout, / s/))[1];
    };
    const [mel, gate, tiers] = [/^Mel/, /^Probability/, /^Words and symbols/]
        .map((name) => page.getByRole("img", { name }));
    const there = await time(person.map);
    assert.equal(await time(gate), there);
    const step = Math.floor((there - alignment.chunks[0].start) * alignment.frame_rate /
                            alignment.frames_per_step);
    await person.reads(person.readout,
                       new RegExp(`probability of stopping ${alignment.chunks[0].gate[step].toFixed(3)}`));
    assert.equal(await time(mel), there);
    await person.reads(person.readout, /frame \d+ of \d+ · mel band \d+ · -?[\d.]+$/);
    assert.equal(await time(tiers), there);
    const interval = alignment.words.find(({ start, end }) => there >= start && there < end);
    if (interval) {
        await person.point(tiers, 0.6, 0.2);
        await person.reads(person.readout, new RegExp(interval.text));
    }
    await person.point(gate, 0.995, 0.5);
    await person.reads(person.readout, /probability of stopping|pause/);
});

scenario("a click on a symbol's interval plays it", async (person, page) => {
    const alignment = await person.speak("Hello, world.");
    await person.pause();
    const tiers = page.getByRole("img", { name: /^Words and symbols/ });
    await person.point(tiers, 0.5, 0.75);
    const [, start, end] = /([\d.]+) to ([\d.]+) s$/.exec(await person.reads(person.readout, / to /));
    assert.ok(alignment.symbols.some((symbol) => symbol.start.toFixed(3) === start &&
                                                 symbol.end.toFixed(3) === end));
    await page.mouse.down();
    await page.mouse.up();
    await person.until(({ time, paused }) => paused && Math.abs(time - end) < 0.01,
                       "it does not stop at the symbol's end");
});

const LONG = "The rainbow is a division of white light into many beautiful colors. These take the " +
             "shape of a long round arch, with its path high above. There is, according to legend, " +
             "a boiling pot of gold at one end.\n\nPeople look, but no one ever finds it.";

scenario("a long text is shown sentence by sentence", async (person, page) => {
    const alignment = await person.speak(LONG);
    const count = alignment.chunks.length;
    assert.ok(count >= 4);
    await person.pause();
    await person.waveform.press("Home");
    const name = page.locator(".chunk-name");
    assert.equal(await name.textContent(), `Sentence 1 of ${count}`);
    assert.ok(await page.getByRole("button", { name: "Previous sentence" }).isDisabled());
    await page.getByRole("button", { name: "Next sentence" }).click();
    assert.equal(await name.textContent(), `Sentence 2 of ${count}`);
    const { time } = await person.sound();
    assert.ok(Math.abs(time - alignment.chunks[1].start) < 0.002);
    await person.drawn();
    await person.point(person.map, 0.5, 0.5);
    check(alignment, alignment.chunks[1], await person.reads(person.readout, /weight/));
    /* It turns the page by itself. */
    const end = alignment.chunks[1].end - 0.2;
    await person.seek(end);
    await page.getByRole("button", { name: "Play", exact: true }).click();
    await person.reads(name, /^Sentence 3/);
    await person.pause();
    /* A click far to the right of the waveform goes to the last sentence. */
    await person.point(person.waveform, 0.99, 0.5);
    await page.mouse.down();
    await page.mouse.up();
    await person.reads(name, new RegExp(`^Sentence ${count} of`));
    assert.ok(await page.getByRole("button", { name: "Next sentence" }).isDisabled());
});

scenario("the whole text can be seen at once, and nearer", async (person, page) => {
    const alignment = await person.speak(LONG);
    await person.pause();
    const whole = page.getByRole("button", { name: "Whole text" });
    await whole.click();
    assert.equal(await whole.getAttribute("aria-pressed"), "true");
    await person.drawn();
    const seen = new Set();
    for (let i = 0; i < 40; i++) { /* along the stair of sentences */
        for (let j = 0; j < 10; j++) {
            await person.point(person.map, 0.1 + 0.9 * i / 40, 1 - (i + j / 4) / 42);
            const match = READOUT.exec(await person.readout.textContent());
            if (match) {
                const chunk = alignment.chunks.find(({ start, end }) => match[1] >= start - 0.001 &&
                                                                        match[1] < end);
                check(alignment, chunk, match[0]);
                seen.add(chunk.text);
                break;
            }
        }
    }
    assert.ok(seen.size >= alignment.chunks.length - 1, `${seen.size} sentences found`);
    /* However many cells fall on a pixel, the line of attention does not fade. */
    const strong = await page.evaluate(() => {
        const map = document.querySelector(".attention");
        const { data, width } = map.getContext("2d").getImageData(0, 0, map.width, map.height);
        const columns = new Set();
        for (let i = 0; i < data.length; i += 4) {
            if (data[i] + data[i + 1] + data[i + 2] < 300) {
                columns.add(i / 4 % width);
            }
        }
        return columns.size / width;
    });
    assert.ok(strong > 0.6, `the line of attention is strong in ${strong} of the columns`);
    const zoomOut = page.getByRole("button", { name: "Zoom out" });
    assert.ok(await zoomOut.isDisabled());
    await page.getByRole("button", { name: "Zoom in" }).click();
    await person.drawn();
    assert.ok(await zoomOut.isEnabled());
    await person.point(person.map, 0.11, 0.5);
    const left = parseFloat(await person.reads(person.readout, / s/));
    await person.point(person.map, 0.999, 0.5);
    const right = parseFloat(await person.reads(person.readout, / s/));
    assert.ok(Math.abs((right - left) / alignment.duration - 0.5) < 0.05, `${left} to ${right}`);
    await page.getByRole("button", { name: "Fit" }).click();
    assert.ok(await zoomOut.isDisabled());
    await whole.click();
    await person.reads(page.locator(".chunk-name"), /^Sentence/);
});

scenario("the table says the same as the pictures", async (person, page) => {
    const alignment = await person.speak("Hello, it costs $25.50 today.");
    await page.getByText("Table of symbols").click();
    const rows = await page.getByRole("row").evaluateAll((all) => all.slice(1).map(
        (row) => [...row.cells].map((cell) => cell.textContent)));
    assert.equal(rows.length, alignment.symbols.length);
    const [chunk] = alignment.chunks;
    const weights = weightsOf(chunk);
    rows.forEach(([, symbol, start, end, weight], index) => {
        const expected = alignment.symbols[index];
        assert.equal(symbol, expected.symbol.trim() === "" ? "␣" : expected.symbol);
        assert.equal(start, expected.start.toFixed(3));
        assert.equal(end, expected.end.toFixed(3));
        let largest = 0;
        for (let step = 0; step < chunk.n_steps; step++) {
            largest = Math.max(largest, weights(step, index));
        }
        assert.equal(weight, largest.toFixed(3));
    });
    assert.deepEqual(rows.map(([word]) => word).filter(Boolean), alignment.words.map(({ text }) => text));
});
