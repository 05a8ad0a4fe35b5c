/* Everything without a mouse, and what assistive technology is told. */

import assert from "node:assert/strict";
import { scenario } from "./support.mjs";

/* Id or name of what has the focus. */
function focused(page) {
    return page.evaluate(() => {
        const element = document.activeElement;
        return element.id || (element.tagName === "CANVAS" || element.tagName === "PRE" ||
                              element.matches(".result .play, .keep-seed, .zoom-in, .copy")
            ? element.className.split(" ").at(-1) : element.textContent.trim());
    });
}

scenario("from writing to hearing by keyboard alone", async (person, page) => {
    await person.reads(person.voice, /\w/);
    for (const name of ["Speak", "to-lab", "text"]) {
        await page.keyboard.press("Tab");
        assert.equal(await focused(page), name);
    }
    await page.keyboard.press("Control+A");
    await page.keyboard.type("Keys are enough.");
    const alignment = await person.press(() => page.keyboard.press("Control+Enter"));
    assert.equal(alignment.text, "Keys are enough.");
    await person.until(({ time }) => time > 0, "it does not play");
    assert.equal(await focused(page), "text", "the focus stays where one writes");
    /* Tab reaches everything, in the order in which it is read. */
    const order = [];
    for (let i = 0; i < 60; i++) {
        await page.keyboard.press("Tab");
        const name = await focused(page);
        const visible = await page.evaluate(() => {
            const style = getComputedStyle(document.activeElement);
            return document.activeElement === document.body || style.outlineStyle !== "none";
        });
        assert.ok(visible, `the focus on ${name} cannot be seen`);
        order.push(name);
        if (name === "Table of symbols") {
            break;
        }
    }
    const wanted = ["voice", "seed", "speed", "speak", "play", "keep-seed", "Keys", "waveform", "zoom-in",
                    "attention", "Sound, WAV", "curl-line", "copy", "Table of symbols"];
    assert.deepEqual(order.filter((name) => wanted.includes(name)), wanted);
});

scenario("the waveform is a slider", async (person, page) => {
    const alignment = await person.speak("The birch canoe slid on the smooth planks.");
    await person.pause();
    await person.waveform.focus();
    await page.keyboard.press("Home");
    assert.equal(await person.waveform.getAttribute("aria-valuenow"), "0.000");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowRight");
    assert.ok(Math.abs((await person.sound()).time - 0.2) < 0.001);
    assert.equal(await person.waveform.getAttribute("aria-valuetext"),
                 `0.20 of ${alignment.duration.toFixed(2)} seconds`);
    await page.keyboard.press("PageUp");
    assert.ok(Math.abs((await person.sound()).time - 1.2) < 0.001);
    await page.keyboard.press("ArrowLeft");
    assert.ok(Math.abs((await person.sound()).time - 1.1) < 0.001);
    await person.noteStartsAndStops();
    await page.keyboard.press(" ");
    await person.until(({ time }) => time > 1.2, "Space does not play");
    await page.keyboard.press(" ");
    await person.hasPlayed();
});

scenario("Escape cancels", async (person, page) => {
    await page.route("**/v1/speech", () => {}, { times: 1 }); /* an answer that never comes */
    await person.text.fill("Never heard.");
    await page.keyboard.press("Control+Enter");
    await person.reads(person.status, /^Speaking/);
    await page.keyboard.press("Escape");
    await person.reads(person.status, /^Stopped/);
});

scenario("everything that can be used has a name", async (person, page, context) => {
    await person.speak("Hello, world. This is a second sentence.");
    await page.getByText("Table of symbols").click();
    const session = await context.newCDPSession(page);
    const { nodes } = await session.send("Accessibility.getFullAXTree");
    const roles = new Set(["button", "link", "textbox", "combobox", "slider", "image", "img", "application",
                           "group", "region", "form", "table", "searchbox", "spinbutton"]);
    const nameless = nodes.filter((node) => !node.ignored && roles.has(node.role?.value) &&
                                            !node.name?.value && node.role.value !== "generic");
    assert.deepEqual(nameless.map(({ role, properties }) => [role.value, properties]), []);
    const tree = await page.locator("body").ariaSnapshot();
    for (const part of [/heading "tacod" \[level=1\]/, /form "Request"/, /textbox "Text"/,
                        /combobox "Voice"/, /textbox "Seed"/, /slider "Speed"/, /button "Speak"/,
                        /region "Result"/, /group "Playback"/, /group "Words"/, /button "Hello"/,
                        /slider "Position in the waveform"/, /application "Attention, 2 sentences"/,
                        /heading "Alignment" \[level=2\]/, /heading "Downloads"/,
                        /link "Praat TextGrid"/, /button "Copy"/, /columnheader "Symbol"/]) {
        assert.match(tree, part);
    }
});

scenario("what happens is announced", async (person, page) => {
    assert.equal(await person.status.getAttribute("role"), "status");
    assert.equal(await person.error.getAttribute("role"), "alert");
    await person.speak("Hello.");
    await person.reads(person.status, /^Spoke [\d.]+ s of sound in [\d.]+ m?s; the first came after [\d.]+ m?s\.$/);
    await person.text.fill("");
    await person.speakButton.click();
    await person.reads(person.error, /\w/);
    assert.equal(await person.text.getAttribute("aria-invalid"), "true");
    assert.equal(await person.text.getAttribute("aria-errormessage"), "error");
    assert.equal(await page.evaluate(() => document.activeElement.id), "text");
}, { expectedErrors: /status of 400/ });
