/* Downloads, and the same request in a shell. */

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { readWav, scenario } from "./support.mjs";

async function take(page, name) {
    const download = page.waitForEvent("download");
    await page.getByRole("link", { name }).click();
    const file = await download;
    return { name: file.suggestedFilename(), bytes: await readFile(await file.path()) };
}

scenario("every form can be downloaded and is what it says", async (person, page) => {
    const alignment = await person.speak("Hello, world. It costs $25.50.");
    const steps = alignment.chunks.reduce((sum, chunk) => sum + chunk.n_steps, 0);
    const frames = alignment.chunks.reduce((sum, chunk) => sum + chunk.n_frames, 0);
    const text = ({ bytes }) => bytes.toString("utf8");
    const checks = {
        "Sound, WAV": [/\.wav$/, ({ bytes }) => {
            assert.equal(readWav(bytes).samples.length, alignment.n_samples);
        }],
        "Alignment, JSON": [/\.json$/, (file) => {
            const json = JSON.parse(text(file));
            assert.equal(json.text, alignment.text);
            assert.equal(json.seed, alignment.seed);
        }],
        "Heat map, SVG": [/\.svg$/, (file) => assert.match(text(file), /<svg[\s\S]*<\/svg>\s*$/)],
        "Heat map, PNG": [/\.png$/, ({ bytes }) => {
            assert.equal(bytes.toString("latin1", 1, 4), "PNG");
        }],
        "Attention, NumPy": [/\.npy$/, ({ bytes }) => {
            assert.ok(bytes.toString("latin1", 0, 128).includes(
                `(${steps}, ${alignment.symbols.length})`));
        }],
        "Mel, NumPy": [/\.mel\.npy$/, ({ bytes }) => {
            assert.match(bytes.toString("latin1", 0, 128), new RegExp(`\\(${frames}, \\d+\\)`));
        }],
        "Mel, PNG": [/\.mel\.png$/, ({ bytes }) => {
            assert.equal(bytes.toString("latin1", 1, 4), "PNG");
        }],
        "Subtitles, SRT": [/\.srt$/, (file) => {
            assert.match(text(file), /^1\r?\n00:00:00,\d{3} --> /);
        }],
        "Subtitles, WebVTT": [/\.vtt$/, (file) => assert.match(text(file), /^WEBVTT[\s\S]* --> /)],
        "Praat TextGrid": [/\.TextGrid$/, (file) => {
            assert.match(text(file), /^File type = "ooTextFile"[\s\S]*"\$25\.50"/);
        }],
    };
    const links = await page.locator(".downloads").getByRole("link").allTextContents();
    assert.deepEqual(links, Object.keys(checks));
    for (const [name, [ending, check]] of Object.entries(checks)) {
        const file = await take(page, name);
        assert.match(file.name, ending);
        assert.ok(file.name.startsWith(`tacod-${alignment.id}`), file.name);
        check(file);
    }
    assert.equal(await page.locator(".download-error").textContent(), "");
});

scenario("the links lead where they say", async (person, page) => {
    const alignment = await person.speak("Hello.");
    const hrefs = await page.locator(".downloads").getByRole("link").evaluateAll(
        (links) => links.map((link) => link.href));
    for (const href of hrefs) {
        const answer = await page.request.get(href);
        assert.ok(answer.ok(), href);
        assert.ok(href.includes(`/v1/speech/${alignment.id}`));
    }
});

scenario("the curl line gives the same sound in a shell", async (person, page) => {
    const folder = await mkdtemp(path.join(os.tmpdir(), "tacod-"));
    try {
        /* Quotes, dollars, backslashes and newlines have to survive the shell. */
        await person.speak("It's \"fine\": $HOME costs $25.50; C:\\temp `date` café.\n\nThe end!");
        const line = await page.locator(".curl-line").textContent();
        await promisify(execFile)("sh", ["-c", line], { cwd: folder });
        const { bytes } = await take(page, "Sound, WAV");
        /* A stream's header cannot tell its length; the samples are the same. */
        const streamed = await readFile(path.join(folder, "speech.wav"));
        assert.ok(readWav(bytes).samples.length > 0);
        assert.ok(bytes.subarray(44).equals(streamed.subarray(streamed.indexOf("data") + 8)));
    } finally {
        await rm(folder, { recursive: true });
    }
});

scenario("the curl line can be copied", async (person, page, context) => {
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await person.speak("Hello.");
    await page.getByRole("button", { name: "Copy" }).click();
    await person.reads(page.locator(".copied"), /^Copied/);
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()),
                 await page.locator(".curl-line").textContent());
});

scenario("without a clipboard the curl line is selected", async (person, page) => {
    await page.evaluate(() => Object.defineProperty(navigator, "clipboard", { value: undefined }));
    await person.speak("Hello.");
    await page.getByRole("button", { name: "Copy" }).click();
    await person.reads(page.locator(".copied"), /^Selected/);
    assert.equal(await page.evaluate(() => String(getSelection())), await page.locator(".curl-line").textContent());
});
