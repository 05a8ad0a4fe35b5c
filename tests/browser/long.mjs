/* Hundreds of sentences. */

import assert from "node:assert/strict";
import { scenario } from "./support.mjs";

scenario("hundreds of sentences are a list that can be searched", async (person, page) => {
    const text = Array.from({ length: 120 }, (_, i) => `Line ${i % 7} is short.`).join(" ") + " The needle is here.";
    const alignment = await person.speak(text, { seed: 3 });
    assert.ok(alignment.chunks.length >= 100);
    await person.pause();
    const list = page.getByRole("group", { name: "Sentences" });
    assert.equal(await list.getByRole("button").count(), alignment.chunks.length);
    await page.getByRole("searchbox", { name: "Find a sentence" }).fill("needle");
    const found = list.getByRole("button", { name: /needle/ });
    assert.equal(await list.locator("button:visible").count(), 1);
    await found.click();
    await person.reads(page.locator(".chunk-name"), new RegExp(`^Sentence ${alignment.chunks.length} of`));
    assert.equal(await found.getAttribute("aria-current"), "true");
    /* Only what is seen has been drawn, and one Tab passes the list. */
    const [decoded, stops] = await page.evaluate(async () => {
        const { instrument } = await import(new URL("main.js", document.baseURI).href);
        return [instrument.lanes.attention.images.size,
                document.querySelectorAll(".sentence[tabindex='0']").length];
    });
    assert.ok(decoded < 20, `${decoded} pictures`);
    assert.equal(stops, 1);
    /* The heat map comes by pages. */
    await page.getByLabel("Page of the heat map").selectOption("1");
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Save SVG" }).click();
    assert.match((await download).suggestedFilename(), /-2\.svg$/);
    /* Space plays from anywhere that has no other use for it. */
    await page.locator(".masthead p").click();
    await page.keyboard.press(" ");
    await page.getByRole("button", { name: "Pause" }).waitFor();
    await page.keyboard.press(" ");
    await page.getByRole("button", { name: "Play", exact: true }).waitFor();
});
