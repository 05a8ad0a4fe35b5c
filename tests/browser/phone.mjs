/* On a phone: fingers, little room. */

import assert from "node:assert/strict";
import { scenario } from "./support.mjs";

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

scenario("on a phone the result comes into view and targets have 44 pixels", async (person, page) => {
    await person.speak("Hello, world. This is a phone.");
    await person.eventually(async () => {
        const { y } = await page.getByRole("group", { name: "Playback" }).boundingBox();
        return y >= -1 && y < 300;
    }, "the result is not in view");
    await page.getByText("More settings").click();
    const small = await page.evaluate(() => [...document.querySelectorAll(
        "button, select, input:not([type=checkbox], [type=file]), .downloads a, summary, nav a")]
        .filter((element) => element.checkVisibility() && !element.closest(".sentence-list, .hint, .verdict, .failures") &&
                             element.getBoundingClientRect().height < 43.5)
        .map((element) => element.id || element.className || element.textContent));
    assert.deepEqual(small, []);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), 0);
}, PHONE);

scenario("the map is touched and pinched", async (person, page, context) => {
    await person.speak("Hello, world.");
    await person.pause();
    await person.map.scrollIntoViewIfNeeded();
    const box = await person.map.boundingBox();
    await page.touchscreen.tap(box.x + box.width * 0.6, box.y + box.height / 2);
    await person.until(({ time }) => time > 0.2, "a tap does not seek");
    const session = await context.newCDPSession(page);
    const touch = (type, ...xs) => session.send("Input.dispatchTouchEvent", {
        type, touchPoints: xs.map((x, id) => ({ x: box.x + box.width * x, y: box.y + 60, id })) });
    await touch("touchStart", 0.5, 0.6);
    for (let i = 1; i <= 5; i++) {
        await touch("touchMove", 0.5 - 0.05 * i, 0.6 + 0.05 * i);
    }
    await touch("touchEnd");
    await person.eventually(() => page.getByRole("button", { name: "Zoom out" }).isEnabled(),
                            "two fingers do not zoom");
    /* What a person has zoomed to stays while it plays. */
    const view = () => page.evaluate(async () => {
        const { instrument } = await import(new URL("main.js", document.baseURI).href);
        return [instrument.view.start, instrument.view.end];
    });
    const before = await view();
    assert.ok(before[1] - before[0] < 0.7 * (await person.sound()).duration);
}, PHONE);
