/* What the scenarios share: the daemon, the browser, and a person at a page. */

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import http from "node:http";
import { createRequire } from "node:module";
import net from "node:net";
import path from "node:path";
import { after, before, test } from "node:test";

const { TACOD, CHROMIUM, MODULES, PATTERN } = process.env;
const { chromium } = createRequire(path.resolve(MODULES, "package.json"))("playwright-core");

const BROWSER_OPTIONS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
                         "--disable-background-networking", "--disable-component-update",
                         "--disable-sync", "--autoplay-policy=user-gesture-required"];
const PATIENCE = Number(process.env.PATIENCE) || 60000; /* ms: for slow machines; nothing waits that long when all is well */

const OWN_READING = /willReadFrequently/; /* the browser on scenarios that read pixels */

export let address = ""; /* of the daemon, "http://127.0.0.1:1234/" */
export const foreign = { origin: "", page: "" }; /* another site, which the daemon allows, and its page */
let daemon = null;
let browser = null;

before(async () => {
    const port = await freePort();
    const site = http.createServer((request, answer) => {
        answer.setHeader("Content-Type", "text/html; charset=utf-8");
        answer.end(foreign.page);
    }).listen(0, "127.0.0.1");
    await once(site, "listening");
    site.unref();
    foreign.origin = `http://127.0.0.1:${site.address().port}`;
    daemon = spawn(TACOD, ["serve", "--host", "127.0.0.1", "--port", String(port), "--log-level", "warning",
                           "--base-path", "/house/voice", "--cors-origin", foreign.origin],
                   { stdio: ["ignore", "ignore", "inherit"] });
    address = `http://127.0.0.1:${port}/`;
    await ready(`${address}readyz`);
    browser = await chromium.launch({ executablePath: CHROMIUM, args: BROWSER_OPTIONS });
});

after(async () => {
    await browser?.close();
    if (daemon && daemon.exitCode === null) {
        const ended = once(daemon, "exit");
        daemon.kill("SIGTERM");
        await ended;
    }
});

async function freePort() {
    const server = net.createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address();
    server.close();
    await once(server, "close");
    return port;
}

async function ready(url) {
    const deadline = Date.now() + PATIENCE;
    for (;;) {
        assert.equal(daemon.exitCode, null, "the daemon has ended");
        const answer = await fetch(url).catch(() => null);
        if (answer?.ok) {
            return;
        }
        assert.ok(Date.now() < deadline, "the daemon did not become ready");
        await new Promise((resolve) => setTimeout(resolve, 50));
    }
}

/* A scenario on a fresh page. It fails, too, when the page logs an error or asks another host.
 * options: of the browser's context; at: address of the page; expectedErrors: pattern of
 * console errors that belong to the scenario. */
export function scenario(name, act, { at, expectedErrors, ...options } = {}) {
    test(name, { skip: Boolean(PATTERN) && !name.includes(PATTERN), timeout: 3 * PATIENCE }, async () => {
        const context = await browser.newContext({
            viewport: { width: 1280, height: 900 }, acceptDownloads: true, ...options,
        });
        context.setDefaultTimeout(PATIENCE);
        const troubles = [];
        const page = await context.newPage();
        page.on("pageerror", (error) => troubles.push(`thrown: ${error.message}`));
        page.on("console", (message) => {
            if (["error", "warning"].includes(message.type()) &&
                !OWN_READING.test(message.text()) && !expectedErrors?.test(message.text())) {
                troubles.push(`console: ${message.text()}`);
            }
        });
        const home = at ? await at() : address;
        page.on("request", (request) => {
            const url = request.url();
            if (!url.startsWith(home) && !url.startsWith("blob:")) {
                troubles.push(`request outside ${home}: ${url}`);
            }
        });
        try {
            await page.goto(home);
            await act(new Person(page), page, context);
            assert.deepEqual(troubles, []);
        } finally {
            await context.close();
        }
    });
}

/* What a person does on the page, by what is to be seen and read there. */
export class Person {
    constructor(page) {
        this.page = page;
        this.text = page.getByRole("textbox", { name: "Text" });
        this.voice = page.getByRole("combobox", { name: "Voice" });
        this.seed = page.getByRole("textbox", { name: "Seed" });
        this.speed = page.getByRole("slider", { name: "Speed" });
        this.speakButton = page.getByRole("button", { name: "Speak" });
        this.waveform = page.getByRole("slider", { name: "Position in the waveform" });
        this.map = page.getByRole("application", { name: /^Attention/ });
        this.words = page.getByRole("group", { name: "Words" });
        this.result = page.getByRole("region", { name: "Result" });
        this.error = page.locator("#error");
        this.status = page.locator("#status");
        this.readout = page.locator("#result .readout");
    }

    /* Writes, presses Speak, waits for the sound. Resolves with the alignment's JSON. */
    async speak(text, { seed } = {}) {
        await this.text.fill(text);
        if (seed !== undefined) {
            await this.seed.fill(String(seed));
        }
        return this.press(() => this.speakButton.click());
    }

    async press(go) {
        const answer = this.page.waitForResponse((response) =>
            response.url().endsWith("/v1/speech") && response.ok());
        await go();
        await answer;
        await this.page.locator("#request[aria-busy=false]").waitFor();
        const alignment = await this.alignment();
        await this.reads(this.page.locator("#result .made-text"), new RegExp(`seed ${alignment.seed}$`));
        return alignment;
    }

    /* The alignment that the page shows, as the server sent it. */
    alignment() {
        return this.page.evaluate(async () =>
            (await import(new URL("main.js", document.baseURI).href)).instrument.alignment);
    }

    /* The sound that the page has, 16-bit samples as bytes. */
    async pcm() {
        return Buffer.from(await this.page.evaluate(async () => {
            const { instrument } = await import(new URL("main.js", document.baseURI).href);
            let text = "";
            for (const byte of new Uint8Array(instrument.recording.pcm())) {
                text += String.fromCharCode(byte);
            }
            return btoa(text);
        }), "base64");
    }

    /* To a second, exactly. */
    async seek(time) {
        await this.page.evaluate(async (at) => {
            const { instrument } = await import(new URL("main.js", document.baseURI).href);
            instrument.player.seek(at);
        }, time);
    }

    /* The sound begins by itself, and may come to its end before the button is pressed. */
    async pause() {
        await this.until(({ time, paused }) => !paused || time > 0, "the sound does not begin");
        await this.eventually(async () => {
            if (!(await this.sound()).paused) {
                await this.page.getByRole("button", { name: "Pause" }).click({ timeout: 1000 }).catch(() => {});
            }
            return (await this.sound()).paused;
        }, "the sound goes on");
        await this.page.getByRole("button", { name: "Play", exact: true }).waitFor();
    }

    /* Writes down from now on where the sound starts and stops: each as [type, time]. What is
     * short may have passed before anybody looks. */
    async noteStartsAndStops() {
        await this.page.evaluate(async () => {
            const { instrument: { player } } = await import(new URL("main.js", document.baseURI).href);
            window.heard = [];
            let { playing } = player;
            player.addEventListener("state", () => {
                if (player.playing !== playing) {
                    ({ playing } = player);
                    window.heard.push([playing ? "play" : "pause", player.time]);
                }
            });
        });
    }

    /* Waits until the sound has been started and stopped again, once. Resolves with both times. */
    async hasPlayed() {
        const heard = () => this.page.evaluate(() => window.heard);
        await this.eventually(async () => (await heard()).length >= 2, "it does not play and stop");
        const [[start, from], [stop, to], ...more] = await heard();
        assert.deepEqual([start, stop, more], ["play", "pause", []]);
        return [from, to];
    }

    /* Waits until the page has drawn what it knows. */
    async drawn() {
        await this.page.evaluate(() => new Promise((resolve) => {
            requestAnimationFrame(() => requestAnimationFrame(resolve));
        }));
    }

    /* Waits until holds() resolves with true. */
    async eventually(holds, message) {
        const deadline = Date.now() + PATIENCE;
        while (!await holds()) {
            assert.ok(Date.now() < deadline, message);
            await this.page.waitForTimeout(20);
        }
    }

    /* {time, paused, ended, duration} of the sound. */
    sound() {
        return this.page.evaluate(async () => {
            const { instrument: { player } } = await import(new URL("main.js", document.baseURI).href);
            const { time, playing, ended, duration } = player;
            return { time, paused: !playing, ended, duration };
        });
    }

    /* Waits until something holds: what(sound) is true. */
    async until(what, message) {
        const deadline = Date.now() + PATIENCE;
        for (;;) {
            const sound = await this.sound();
            if (what(sound)) {
                return sound;
            }
            assert.ok(Date.now() < deadline, `${message}: ${JSON.stringify(sound)}`);
            await this.page.waitForTimeout(20);
        }
    }

    /* What stands in a place once it matches. */
    async reads(locator, pattern) {
        const deadline = Date.now() + PATIENCE;
        for (;;) {
            const text = await locator.textContent();
            if (pattern.test(text)) {
                return text;
            }
            assert.ok(Date.now() < deadline, `“${text}” does not match ${pattern}`);
            await this.page.waitForTimeout(20);
        }
    }

    /* Puts the mouse on a place of a drawing, given as fractions of its width and height. */
    async point(drawing, across, down) {
        await drawing.scrollIntoViewIfNeeded();
        const box = await drawing.boundingBox();
        await this.page.mouse.move(box.x + across * (box.width - 1), box.y + down * (box.height - 1));
    }
}

/* The words that take time, as [index, word]. */
export function spokenWords(alignment) {
    return alignment.words.map((word, index) => [index, word])
        .filter(([, { start, end }]) => end > start);
}

/* A chunk's weights by step and symbol, read from its base64 float16. */
export function weightsOf(chunk) {
    const bytes = Buffer.from(chunk.alignment.data, "base64");
    assert.equal(bytes.length, 2 * chunk.n_steps * chunk.n_symbols);
    return (step, symbol) => {
        const half = bytes.readUInt16LE(2 * (step * chunk.n_symbols + symbol));
        const exponent = (half >> 10) & 31;
        const fraction = half & 1023;
        return exponent ? (1 + fraction / 1024) * 2 ** (exponent - 15) : fraction * 2 ** -24;
    };
}

/* {sampleRate, samples} of a 16-bit mono WAV, its header checked. */
export function readWav(bytes) {
    assert.equal(bytes.toString("latin1", 0, 4), "RIFF");
    assert.equal(bytes.readUInt32LE(4), bytes.length - 8);
    assert.equal(bytes.toString("latin1", 8, 12), "WAVE");
    let position = 12;
    let sampleRate = 0;
    for (;;) {
        const name = bytes.toString("latin1", position, position + 4);
        const size = bytes.readUInt32LE(position + 4);
        if (name === "fmt ") {
            assert.equal(bytes.readUInt16LE(position + 10), 1, "mono");
            sampleRate = bytes.readUInt32LE(position + 12);
            assert.equal(bytes.readUInt16LE(position + 22), 16, "bits");
        } else if (name === "data") {
            const samples = new Int16Array(size / 2);
            for (let i = 0; i < samples.length; i++) {
                samples[i] = bytes.readInt16LE(position + 8 + 2 * i);
            }
            return { sampleRate, samples };
        }
        position += 8 + size + (size & 1);
    }
}

/* A reverse proxy that knows the daemon under a prefix, as a larger site would. Resolves with
 * the page's address; the proxy ends with the process. It takes the prefix off, or hands it on. */
export async function behindPrefix(prefix, { strip }) {
    const target = new URL(address);
    const proxy = http.createServer((request, answer) => {
        if (!request.url.startsWith(prefix)) {
            answer.writeHead(404).end();
            return;
        }
        const onward = http.request({
            host: target.hostname, port: target.port, method: request.method,
            path: strip ? `/${request.url.slice(prefix.length)}` : request.url, headers: request.headers,
        }, (response) => {
            answer.writeHead(response.statusCode, response.headers);
            response.pipe(answer);
        });
        onward.on("error", () => answer.destroy());
        request.pipe(onward);
    }).listen(0, "127.0.0.1");
    await once(proxy, "listening");
    proxy.unref();
    return `http://127.0.0.1:${proxy.address().port}${prefix}`;
}
