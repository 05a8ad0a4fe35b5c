/* Where the page comes from and what it may do. */

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { address, behindPrefix, foreign, scenario } from "./support.mjs";

async function worksBehindPrefix(person, page) {
    const alignment = await person.speak("Hello, world.");
    await person.until(({ time }) => time > 0.1, "the sound does not play");
    const home = page.url().replace(/#.*/, "");
    assert.match(await page.locator(".curl-line").textContent(),
                 new RegExp(`'${home.replaceAll(".", "\\.")}v1/speech'`));
    const href = await page.getByRole("link", { name: "Praat TextGrid" }).evaluate((link) => link.href);
    assert.equal(href, `${home}v1/speech/${alignment.id}/alignment.TextGrid`);
}

for (const [how, strip] of [["takes it off", true], ["hands it on", false]]) {
    scenario(`the page works behind a prefix when the proxy ${how}`, worksBehindPrefix,
             { at: () => behindPrefix("/house/voice/", { strip }) });
}

scenario("the page is held by a strict policy", async (person, page) => {
    const answer = await page.request.get(address);
    const headers = answer.headers();
    assert.match(headers["content-type"], /^text\/html; *charset=utf-8/i);
    const policy = headers["content-security-policy"];
    assert.ok(policy, "no Content-Security-Policy");
    assert.match(policy, /default-src 'none'/);
    assert.match(policy, /frame-ancestors/);
    assert.doesNotMatch(policy, /unsafe|\*|https?:/);
    assert.equal(headers["x-content-type-options"], "nosniff");
    /* And the policy is enforced: what is inline does not run. */
    const ran = await page.evaluate(() => {
        const script = document.createElement("script");
        script.textContent = "window.ran = true";
        document.head.append(script);
        return window.ran === true;
    });
    assert.equal(ran, false);
}, { expectedErrors: /Content Security Policy/ });

scenario("text is shown as text, never as markup", async (person, page) => {
    const text = "Bold <b>words</b> & <img src=x onerror=alert(1)> end.";
    await person.speak(text);
    assert.equal(await person.words.textContent(), text);
    assert.equal(await page.locator("#result img, #result b").count(), 0);
});

scenario("the parts work alone on somebody else's page, as README shows it", async (person, page) => {
    const [, example] = /```html\n([\s\S]*?)```/.exec(await readFile("README.md", "utf8"));
    assert.ok(example.includes("http://127.0.0.1:8020/"));
    foreign.page = `<!DOCTYPE html><title>Elsewhere</title><link rel="icon" href="data:,">` +
                   example.replaceAll("http://127.0.0.1:8020/", address);
    const elsewhere = await page.context().newPage();
    const thrown = [];
    elsewhere.on("pageerror", (error) => thrown.push(error.message));
    await elsewhere.goto(`${foreign.origin}/`);
    await person.eventually(() => elsewhere.evaluate(() => {
        const { width, height } = document.querySelector("canvas");
        const { data } = document.querySelector("canvas").getContext("2d").getImageData(0, 0, width, height);
        return data.some((value, i) => i % 4 === 2 && value > 60 && data[i - 2] < 60 && data[i + 1] === 255);
    }), "no line of attention is drawn");
    assert.deepEqual(thrown, []);
});
