/* Selecting, looping, moving boundaries: the sound as a phonetician handles it. */

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { readWav, scenario } from "./support.mjs";

async function select(person, page, from, to) {
    await person.point(person.map, from, 0.5);
    await page.keyboard.down("Shift");
    await page.mouse.down();
    await person.point(person.map, to, 0.5);
    await page.mouse.up();
    await page.keyboard.up("Shift");
    const text = await person.reads(page.locator(".extent"), /s\)$/);
    return /^([\d.]+) to ([\d.]+) s/.exec(text).slice(1).map(Number);
}

scenario("a region is looped, zoomed to and saved", async (person, page) => {
    const alignment = await person.speak("The birch canoe slid on the smooth planks.");
    await person.pause();
    const [from, to] = await select(person, page, 0.4, 0.6);
    assert.ok(to - from > 0.1 && to < alignment.duration);
    const selection = page.getByRole("group", { name: "Selection" });
    await selection.getByRole("button", { name: "Loop" }).click();
    const times = [];
    for (let i = 0; i < 40; i++) {
        times.push((await person.sound()).time);
        await page.waitForTimeout(30);
    }
    assert.ok(times.every((time) => time >= from - 0.01 && time <= to + 0.01), "it leaves the region");
    assert.ok(times.some((time, i) => time < times[i - 1]), "it does not begin again");
    await person.pause();
    await selection.getByRole("button", { name: "Zoom to it" }).click();
    await person.drawn();
    await person.point(person.map, 0.999, 0.5);
    const right = parseFloat(await person.reads(person.readout, / s/));
    assert.ok(Math.abs(right - to) < 0.1 * (to - from), `${right} is not near ${to}`);
    const download = page.waitForEvent("download");
    await selection.getByRole("button", { name: "Save as WAV" }).click();
    const { samples } = readWav(await readFile(await (await download).path()));
    assert.ok(Math.abs(samples.length - (to - from) * alignment.sample_rate) < 40);
    await selection.getByRole("button", { name: "Clear" }).click();
    assert.ok(await page.locator(".extent").isHidden());
});

scenario("boundaries are moved, saved as a TextGrid, and read back", async (person, page) => {
    const alignment = await person.speak("Hello, world.");
    await person.pause();
    const boundaries = page.getByRole("group", { name: "Boundaries" });
    await boundaries.getByRole("button", { name: "Edit boundaries" }).click();
    const lane = page.getByRole("application", { name: /^Boundaries/ });
    await lane.focus();
    await person.seek(0);
    await page.keyboard.press("ArrowRight");
    const [, was] = /at ([\d.]+)/.exec(await person.reads(person.readout, /boundary/));
    await page.keyboard.press("Shift+ArrowRight");
    await page.keyboard.press("Alt+ArrowRight");
    await person.reads(person.readout, new RegExp(`at ${(Number(was) + 0.006).toFixed(3)}`));
    assert.ok(alignment.symbols.some(({ start, end }) => [start, end].some((time) => time.toFixed(3) === was)));
    /* By mouse: from where the boundary is drawn. */
    const at = Number(was) + 0.006;
    const place = await page.evaluate(async (time) => {
        const { instrument } = await import(new URL("main.js", document.baseURI).href);
        return instrument.view.x(time);
    }, at);
    const box = await lane.boundingBox();
    await page.mouse.move(box.x + place, box.y + 0.75 * box.height);
    await page.mouse.down();
    await page.mouse.move(box.x + place + 6, box.y + 0.75 * box.height, { steps: 3 });
    await page.mouse.up();
    const [, now] = /at ([\d.]+)/.exec(await person.reads(person.readout, /boundary/));
    assert.ok(Number(now) > at, `${now} is not behind ${at}`);
    const download = page.waitForEvent("download");
    await boundaries.getByRole("button", { name: "Save TextGrid" }).click();
    const file = await (await download).path();
    const grid = await readFile(file, "utf8");
    assert.match(grid, /^File type = "ooTextFile"\nObject class = "TextGrid"/);
    assert.ok([...grid.matchAll(/xmin = ([\d.]+)/g)].some(([, time]) => Math.abs(time - now) < 0.001));
    await boundaries.getByRole("button", { name: "Undo" }).click();
    await boundaries.getByRole("button", { name: "Edit boundaries" }).click();
    assert.ok(await lane.isHidden());
    await page.getByLabel("TextGrid file").setInputFiles(file);
    await lane.waitFor();
    const rows = await page.evaluate(async () => {
        const { instrument } = await import(new URL("main.js", document.baseURI).href);
        return instrument.lanes.edits.rows;
    });
    assert.deepEqual(rows[0].map(({ name }) => name), alignment.words.map(({ text }) => text));
    assert.ok(rows[1].some(({ start, end }) => Math.abs(start - now) < 0.001 || Math.abs(end - now) < 0.001));
    await page.getByLabel("TextGrid file").setInputFiles(
        { name: "bad.TextGrid", mimeType: "text/plain", buffer: Buffer.from('"ooTextFile"\n"TextGrid"\n0 1 <exists> 2') });
    await person.reads(page.locator(".editing .error"), /^bad\.TextGrid: This TextGrid ends where the class/);
});
