/* What axe finds (WCAG 2.2, A and AA): nothing. */

import assert from "node:assert/strict";
import { createRequire } from "node:module";
import path from "node:path";
import { scenario } from "./support.mjs";

const axe = createRequire(path.resolve(process.env.MODULES, "package.json")).resolve("axe-core");

export async function check(page) {
    /* Not as a script element: the page's policy would refuse it. */
    const { readFile } = await import("node:fs/promises");
    await page.evaluate(await readFile(axe, "utf8"));
    const found = await page.evaluate(async () => (await window.axe.run()).violations.map(
        ({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(" ")).join(", ")}`));
    assert.deepEqual(found, []);
}

for (const [width, colorScheme] of [[390, "light"], [1024, "dark"], [1440, "light"]]) {
    scenario(`axe has nothing to say at ${width} pixels, ${colorScheme}`, async (person, page) => {
        await person.speak("Hello, world. This is the second sentence.");
        await person.pause();
        await page.getByText("More settings").click();
        await page.locator("#history summary").click();
        await page.getByRole("button", { name: "Edit boundaries" }).click();
        await page.getByText("Table of symbols").click();
        await check(page);
    }, { viewport: { width, height: 900 }, colorScheme });
}
