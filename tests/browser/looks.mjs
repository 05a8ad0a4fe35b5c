/* Light and dark, narrow and wide. */

import assert from "node:assert/strict";
import { scenario } from "./support.mjs";

const LONG = "Supercalifragilisticexpialidocious words, and a long sentence that goes on and on, with commas, " +
             "until it has to be cut or at least to be drawn rather densely. Then another one.";

/* Contrast of two colours "#rrggbb" (WCAG 2.1, relative luminance). */
function contrast(a, b) {
    const luminance = (color) => [1, 3, 5].map((i) => parseInt(color.slice(i, i + 2), 16) / 255)
        .map((c) => c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
        .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
    const [dark, light] = [luminance(a), luminance(b)].sort((x, y) => x - y);
    return (light + 0.05) / (dark + 0.05);
}

function brightness(page, selector) {
    return page.locator(selector).evaluate((element) => {
        const [r, g, b] = getComputedStyle(element).backgroundColor.match(/\d+/g).map(Number);
        return (r + g + b) / 765;
    });
}

for (const colorScheme of ["light", "dark"]) {
    scenario(`${colorScheme} is ${colorScheme}, and readable`, async (person, page) => {
        await person.speak("Hello, world.");
        const dark = colorScheme === "dark";
        assert.equal(await brightness(page, "body") < 0.2, dark);
        assert.equal(await brightness(page, "textarea") < 0.2, dark);
        const colors = await page.evaluate(() => {
            const style = getComputedStyle(document.documentElement);
            return Object.fromEntries(["paper", "panel", "ink", "faint", "accent", "accent-wash", "focus", "wave"]
                .map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
        });
        for (const [front, back, least] of [["ink", "paper", 7], ["ink", "panel", 7], ["faint", "paper", 4.5],
                                            ["faint", "panel", 4.5], ["accent", "paper", 4.5],
                                            ["ink", "accent-wash", 4.5], ["focus", "paper", 3],
                                            ["wave", "paper", 3]]) {
            const ratio = contrast(colors[front], colors[back]);
            assert.ok(ratio >= least, `${front} on ${back}: ${ratio.toFixed(1)}`);
        }
    }, { colorScheme });
}

scenario("the drawings follow when light turns dark", async (person, page) => {
    await person.speak("Hello, world.");
    await person.pause();
    const corner = () => page.evaluate(() => {
        const map = document.querySelector(".attention");
        const { data } = map.getContext("2d").getImageData(map.width - 3, map.height - 3, 1, 1);
        return (data[0] + data[1] + data[2]) / 765;
    });
    await person.eventually(async () => await corner() > 0.9, "the map is not light");
    await page.emulateMedia({ colorScheme: "dark" });
    await person.eventually(async () => await corner() < 0.1, "the map does not turn dark");
});

for (const width of [360, 768, 1920]) {
    scenario(`at ${width} pixels nothing sticks out`, async (person, page) => {
        await person.speak(LONG);
        await person.pause();
        await page.getByText("Table of symbols").click();
        const wide = await page.evaluate(() => {
            const limit = document.documentElement.clientWidth;
            const scrolls = (element) => {
                for (let e = element; e; e = e.parentElement) {
                    if (["auto", "scroll", "hidden"].includes(getComputedStyle(e).overflowX)) {
                        return true;
                    }
                }
                return false;
            };
            return {
                page: document.documentElement.scrollWidth - limit,
                parts: [...document.querySelectorAll("body *")]
                    .filter((e) => e.getBoundingClientRect().right > limit + 0.5 && !scrolls(e))
                    .map((e) => e.id || e.tagName),
            };
        });
        assert.deepEqual(wide, { page: 0, parts: [] });
        /* All of it works there, too. */
        await person.drawn();
        await person.map.scrollIntoViewIfNeeded();
        const { y } = await person.map.boundingBox();
        await person.point(person.map, 0.5, 0.5);
        await person.reads(person.readout, /weight/);
        assert.ok(Math.abs((await person.map.boundingBox()).y - y) < 1, "the map moved under the pointer");
    }, { viewport: { width, height: 740 } });
}

scenario("the drawings follow the window's width", async (person, page) => {
    await person.speak("Hello, world.");
    await person.pause();
    for (const width of [1000, 500]) {
        await page.setViewportSize({ width, height: 800 });
        await person.eventually(() => page.locator(".lanes canvas:visible").evaluateAll((all) => all.every(
            (canvas) => canvas.width === Math.round(canvas.clientWidth * devicePixelRatio))),
                                "the drawings have another width than their places");
    }
});
