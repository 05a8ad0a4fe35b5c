/* The lab: one text through several columns. */

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { check } from "./axe.mjs";
import { address, scenario } from "./support.mjs";

const COLUMNS = JSON.stringify([{}, { temperature: 3 }]);
const TEXT = "A black cat, a black hat, a black mat.";

async function open(page) {
    await page.goto(`${address}lab.html#${new URLSearchParams({ text: TEXT, seed: 7, columns: COLUMNS })}`);
    await page.locator(".column").nth(1).waitFor({ state: "attached" });
}

async function run(person, page) {
    await page.getByRole("button", { name: "Run all" }).click();
    await person.reads(page.locator("#lab-status"), /^2 columns in/);
}

const inLab = (page, what) => page.evaluate(`(async () => {
    const { columns } = await import(new URL("lab.js", document.baseURI).href);
    return (${what})(columns);
})()`);

scenario("columns of one text and seed stand side by side, linked by symbol", async (person, page) => {
    await open(page);
    await run(person, page);
    const columns = page.locator(".column");
    assert.equal(await columns.count(), 2);
    assert.ok(await columns.nth(0).getByRole("application", { name: /^Attention/ }).isVisible());
    await person.reads(columns.nth(1).locator("h2"), /^B location, temperature 3/);
    await person.reads(columns.nth(0).locator(".equation"), /tanh/);
    await person.reads(columns.nth(0).locator(".verdict"), /^OK|^Attention failed/);
    const [a, b] = await inLab(page, "(all) => all.map(({ result }) => [result.seed, result.text, result.diagnostics.focus])");
    assert.deepEqual([a[0], a[1]], [7, TEXT]);
    assert.ok(a[2] > b[2], "a temperature of 3 looks as sharply as one of 1");
    /* Where A goes, B goes to the same symbol. */
    const places = await inLab(page, `(all) => {
        const symbol = all[0].result.symbols[9];
        all[0].player.seek((symbol.start + symbol.end) / 2);
        return [all[1].player.time, all[1].result.symbols[9]];
    }`);
    assert.ok(places[0] >= places[1].start - 0.001 && places[0] <= places[1].end + 0.001, "B is at another symbol");
    await person.reads(page.locator("#divergence"), /^They part first at symbol \d+|^They never part/);
    assert.ok(await page.locator("#difference").isVisible());
    assert.equal((await page.locator("#curls").textContent()).split("\n").length, 2);
    await check(page);
}, { viewport: { width: 1440, height: 900 } });

scenario("the lab sweeps, exports and is a link", async (person, page) => {
    await open(page);
    await run(person, page);
    await page.getByLabel("Values across").fill("1, 4");
    await page.getByLabel("Values down").fill("3");
    await page.getByRole("button", { name: "Sweep" }).click();
    await person.reads(page.locator("#lab-status"), /^2 settings, \d with a failed attention/);
    await person.reads(page.locator("#sweep figcaption").first(), /temperature 1, window forward 3: \d+ %/);
    const take = async (name) => {
        const download = page.waitForEvent("download");
        await page.getByRole("group", { name: "Export" }).getByRole("button", { name }).click();
        return readFile(await (await download).path());
    };
    const steps = await inLab(page, "(all) => all.map(({ result }) => result.chunks.map((chunk) => chunk.n_steps))");
    const lines = (await take("CSV")).toString("utf8").trim().split("\n");
    assert.equal(lines.length, 1 + steps.flat().reduce((sum, n) => sum + n, 0));
    assert.match(lines[0], /^column,attention,sentence,step,/);
    const zip = await take("NumPy (npz)");
    assert.equal(zip.readUInt32LE(0), 0x04034b50);
    assert.equal(zip.readUInt16LE(zip.length - 12), 3 * steps.flat().length, "arrays in the archive");
    assert.equal(zip.readUInt32LE(zip.readUInt32LE(zip.length - 6)), 0x02014b50, "the directory is where it is said to be");
    assert.ok(zip.includes(`'shape': (${steps[0][0]}, `));
    assert.match((await take("SVG page")).toString("utf8"), /^<svg[\s\S]*A location[\s\S]*<\/svg>\s*$/);
    await page.reload();
    await page.getByRole("region", { name: /^Column B/ }).waitFor();
    assert.equal(await page.getByRole("textbox", { name: "Text" }).inputValue(), TEXT);
    await person.reads(page.locator(".column h2").nth(1), /temperature 3/);
});

scenario("columns are listened to blind", async (person, page) => {
    await open(page);
    await run(person, page);
    await page.getByRole("button", { name: "Listen blind" }).click();
    const blind = page.getByRole("region", { name: "Blind listening" });
    await person.reads(blind.getByRole("status"), /^Round 1/);
    await blind.getByRole("button", { name: "Play 1" }).click();
    await person.eventually(() => inLab(page, "(all) => all.some(({ player }) => player.playing)"), "nothing plays");
    assert.doesNotMatch(await blind.textContent(), /location|temperature/);
    await blind.getByRole("button", { name: "2 is better" }).click();
    await person.reads(blind.getByRole("status"), /^Round 2/);
    await blind.getByRole("button", { name: "Show the result" }).click();
    await person.reads(blind, /preferred 1 of 1/);
});

scenario("on a phone the lab shows one column at a time", async (person, page) => {
    await open(page);
    await run(person, page);
    assert.equal(await page.locator(".column:visible").count(), 1);
    await page.getByRole("group", { name: "Column on show" }).getByRole("button", { name: /^B/ }).click();
    assert.ok(await page.getByRole("region", { name: /^Column B/ }).isVisible());
    assert.equal(await page.locator(".column:visible").count(), 1);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), 0);
    await check(page);
}, { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, colorScheme: "dark" });

scenario("a mechanism that fails is called so, and its places are listed", async (person, page) => {
    /* The second column's answer tells of a failure. */
    await page.route(/\/v1\/speech$/, async (route) => {
        const answer = await route.fetch();
        let body = await answer.text();
        if (route.request().postDataJSON().temperature) {
            const at = body.lastIndexOf("event: done");
            const json = JSON.parse(body.slice(body.indexOf("{", at)));
            const [{ start, end, bytes, codepoints }] = json.chunks;
            json.diagnostics.ok = json.chunks[0].diagnostics.ok = false;
            json.failures = [{ kind: "stall", chunk: 0, bytes, codepoints, start: (start + end) / 2, end,
                               sentence: "A sound drags." }];
            body = `${body.slice(0, at)}event: done\ndata: ${JSON.stringify(json)}\n\n`;
        }
        await route.fulfill({ response: answer, body });
    });
    await open(page);
    await run(person, page);
    await person.reads(page.locator(".column .verdict").nth(0), /^OK/);
    await person.reads(page.locator(".column .verdict").nth(1), /^Attention failed: \d+ places?, see below/);
    const places = page.getByRole("region", { name: "Failures of B" }).getByRole("button");
    const failures = (await inLab(page, "(all) => all[1].result.failures"));
    assert.equal(await places.count(), failures.length);
    await places.last().click();
    const time = await inLab(page, "(all) => all[1].player.time");
    assert.ok(failures.some(({ start, end }) => time >= start - 0.001 && time <= end + 0.001));
}, { viewport: { width: 1440, height: 900 } });
