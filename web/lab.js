/* The lab: the same text and seed through several mechanisms, side by side. */

import { Api } from "./api.js";
import { AttentionMap } from "./attention.js";
import { npy, zip } from "./archive.js";
import { Blind } from "./blind.js";
import { Column, hear } from "./column.js";
import { compare, sameSymbols, symbolAt, timeOfSymbol } from "./compare.js";
import { button, save } from "./dom.js";
import { explain } from "./errors.js";
import { linkOf, requestOf } from "./link.js";
import { curvesOf } from "./measure.js";
import { allowSound } from "./player.js";
import { beginDrawing, readTheme } from "./plot.js";
import { Result, symbolName } from "./result.js";
import { fieldsOf } from "./settings.js";
import { panelOf, svgPage } from "./svg.js";
import { View } from "./view.js";
import { mechanismsOf } from "./voices.js";

const get = (id) => document.getElementById(id);
const MOST = 8; /* columns */

const api = new Api();
export const columns = [];
const blind = new Blind(get("blind-test"));
let schemas = {};
let voices = [];
let aborter = null;
let shown = 0;      /* the column on show, where there is room for one */
let linking = false;

/* -- columns ------------------------------------------------------------------------------------- */

function addColumn(values = {}) {
    if (columns.length >= MOST) {
        return;
    }
    const column = new Column(api, voices, schemas, columns.length);
    column.fill(values);
    column.addEventListener("remove", () => {
        columns.splice(columns.indexOf(column), 1);
        column.player.pause();
        column.element.remove();
        refresh();
    });
    column.addEventListener("change", () => refresh());
    column.addEventListener("time", () => follow(column));
    columns.push(column);
    get("columns").append(column.element);
    shown = columns.length - 1;
    refresh();
}

function refresh() {
    columns.forEach((column, i) => {
        if (column.number !== i) {
            column.number = i;
            column.describe();
        }
        column.element.classList.toggle("shown", i === Math.min(shown, columns.length - 1));
    });
    get("add").disabled = columns.length >= MOST;
    get("tabs").replaceChildren(...columns.map((column, i) => button("", column.title.textContent, () => {
        shown = i;
        refresh();
    }, { "aria-pressed": String(i === Math.min(shown, columns.length - 1)) })));
    for (const [id, usual] of [["left", 0], ["right", 1]]) {
        const chosen = Number(get(id).dataset.chosen ?? usual);
        get(id).replaceChildren(...columns.map((column, i) => new Option(column.title.textContent, i)));
        get(id).selectedIndex = Math.min(columns.length - 1, chosen);
    }
    get("blind").disabled = columns.filter(({ result }) => result).length < 2;
    remember();
}

/* The playheads are linked by symbol, not by second. */
function follow(column) {
    if (linking || !column.result) {
        return;
    }
    linking = true;
    const place = symbolAt(column.result, column.player.time);
    for (const other of columns) {
        if (other !== column && other.result && !other.player.playing && sameSymbols(column.result, other.result)) {
            other.player.seek(timeOfSymbol(other.result, place));
            other.view.show(other.result.chunkAt(other.player.time).index);
        }
    }
    linking = false;
}

/* -- running ------------------------------------------------------------------------------------- */

function shared() {
    const seed = get("lab-seed").value.trim();
    if (!/^\d+$/.test(seed) || !Number.isSafeInteger(Number(seed))) {
        throw new Error(`The seed is a whole number from 0 to ${Number.MAX_SAFE_INTEGER}.`);
    }
    return { text: get("lab-text").value, seed: Number(seed) };
}

/* Runs what asks the server; one at a time, an error where it can be read. */
async function busy(act) {
    aborter?.abort();
    aborter = new AbortController();
    const { signal } = aborter;
    get("lab-error").textContent = "";
    get("lab-status").textContent = "Running…";
    get("lab-request").setAttribute("aria-busy", "true");
    try {
        get("lab-status").textContent = await act(signal);
    } catch (error) {
        if (error.name !== "AbortError") {
            get("lab-status").textContent = "";
            get("lab-error").textContent = explain(error, { text: get("lab-text").value });
        }
    } finally {
        if (signal === aborter?.signal) {
            get("lab-request").setAttribute("aria-busy", "false");
        }
    }
}

/* All columns at once: the server decodes them in one batch. */
function runAll() {
    return busy(async (signal) => {
        const request = shared();
        const begun = performance.now();
        await Promise.all(columns.map((column) => column.run(request, signal)));
        refresh();
        showDifference();
        get("curls").textContent = columns.map((column) => column.curl(document.baseURI)).join("\n");
        return `${columns.length} columns in ${((performance.now() - begun) / 1000).toFixed(2)} s.`;
    });
}

/* -- difference ------------------------------------------------------------------------------------ */

function showDifference() {
    const [a, b] = [get("left"), get("right")].map(({ selectedIndex }) => columns[selectedIndex]);
    const canvas = get("difference");
    canvas.hidden = true;
    if (!a?.result || !b?.result || a === b) {
        get("divergence").textContent = "Run two columns to see where they part.";
        return;
    }
    if (!sameSymbols(a.result, b.result)) {
        get("divergence").textContent = "These two do not have the same symbols: their voices read the text " +
                                        "differently, so there is nothing to subtract.";
        return;
    }
    const { chunks, first } = compare(a.result, b.result);
    const index = first ? first.chunk : 0;
    const chunk = a.result.chunks[index];
    const symbol = first && chunk.symbols[first.symbol];
    get("divergence").textContent = first
        ? `They part first at symbol ${first.symbol + 1} of sentence ${index + 1}, ${symbolName(symbol)}` +
          `${symbol.word === null ? "" : ` of “${a.result.source(a.result.words[symbol.word])}”`}: ` +
          `${symbol.start.toFixed(2)} s in ${a.letter}, ` +
          `${b.result.chunks[index].symbols[first.symbol].start.toFixed(2)} s in ${b.letter}. ` +
          `Blue: more weight in ${a.letter}; red: more in ${b.letter}.`
        : `They never part: in each symbol at least half of the weight is shared. Blue: more weight in ` +
          `${a.letter}; red: more in ${b.letter}.`;
    canvas.hidden = false;
    drawDifference(canvas, chunks[index], first);
}

function drawDifference(canvas, { n, difference }, first) {
    const { context, width, height } = beginDrawing(canvas);
    const theme = readTheme();
    context.fillStyle = theme.plot;
    context.fillRect(0, 0, width, height);
    for (let row = 0; row < n; row++) {
        for (let j = 0; j < n; j++) {
            const value = difference[row * n + j];
            if (Math.abs(value) > 0.02) {
                context.globalAlpha = Math.min(1, Math.sqrt(Math.abs(value)));
                context.fillStyle = value > 0 ? theme.accent : theme.wave;
                context.fillRect(row / n * width, height - (j + 1) / n * height,
                                 Math.max(1, width / n), Math.max(1, height / n));
            }
        }
    }
    context.globalAlpha = 1;
    if (first) {
        context.fillStyle = theme.ink;
        context.fillRect(first.symbol / n * width, 0, 1, height);
    }
}

/* -- sweep --------------------------------------------------------------------------------------------- */

const SWEEPS = { temperature: "0.5, 1, 2", window_forward: "3, 6, 12", gate_threshold: "0.3, 0.5, 0.7",
                 speed: "0.8, 1, 1.25", seed: "1, 2, 3" };

function numbersOf(text) {
    const values = text.split(/[\s,;]+/).filter(Boolean).map(Number);
    if (!values.length || values.length > 8 || values.some((value) => !Number.isFinite(value))) {
        throw new Error("A sweep takes one to eight numbers each way, with commas between them.");
    }
    return values;
}

function sweep() {
    return busy(async (signal) => {
        const [x, y] = [get("sweep-x").value, get("sweep-y").value];
        const [xs, ys] = [numbersOf(get("sweep-xs").value), numbersOf(get("sweep-ys").value)];
        const grid = get("sweep");
        grid.replaceChildren();
        grid.style.gridTemplateColumns = `repeat(${xs.length}, max-content)`;
        let failed = 0;
        for (const b of ys) {
            await Promise.all(xs.map(async (a) => {
                const thumbnail = document.createElement("figure");
                grid.append(thumbnail);
                const extra = { [x]: a, [y]: b };
                if (x === "window_forward" || y === "window_forward") {
                    extra.window_back ??= columns[0].own.window_back ?? 2;
                }
                const { alignment, recording } = await hear(api, { ...shared(), ...columns[0].own, ...extra }, signal);
                failed += Number(!showThumbnail(thumbnail, new Result(alignment, recording.samples),
                                                `${x} ${a}, ${y} ${b}`.replaceAll("_", " ")));
            }));
        }
        return `${xs.length * ys.length} settings, ${failed} with a failed attention.`;
    });
}

/* Returns whether the attention held. */
function showThumbnail(figure, result, name) {
    const canvas = document.createElement("canvas");
    const { coverage, ok } = result.diagnostics;
    const caption = document.createElement("figcaption");
    caption.textContent = `${name}: ${Math.floor(100 * coverage)} %${ok ? "" : ", failed"}`;
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", `Attention with ${caption.textContent}`);
    figure.append(canvas, caption);
    figure.classList.toggle("failed", !ok);
    canvas.style.borderColor = `color-mix(in srgb, var(--accent) ${Math.min(100, Math.round(400 * (1 - coverage)))}%, var(--line))`;
    const view = new View();
    view.result = result;
    view.whole = true;
    view.width = canvas.clientWidth;
    [view.start, view.end] = [0, result.duration];
    const map = new AttentionMap(canvas, view);
    map.fitHeight = () => {};
    map.draw(readTheme());
    return ok;
}

/* -- export --------------------------------------------------------------------------------------------- */

const ready = () => columns.filter(({ result }) => result);

function csv() {
    const quote = (text) => `"${String(text).replaceAll('"', '""')}"`;
    const lines = ["column,attention,sentence,step,seconds,symbol,weight,entropy,pace,gate"];
    for (const column of ready()) {
        for (const chunk of column.result.chunks) {
            const { entropy, pace } = curvesOf(chunk);
            for (let step = 0; step < chunk.n_steps; step++) {
                const { symbol, weight } = column.result.focus(chunk, step);
                lines.push([column.letter, column.mechanism.name, chunk.index + 1, step + 1,
                            column.result.stepTime(chunk, step).toFixed(4), quote(chunk.symbols[symbol].symbol),
                            weight.toFixed(4), entropy[step].toFixed(4), pace[step].toFixed(4),
                            chunk.gate[step].toFixed(6)].join(","));
            }
        }
    }
    return new Blob([`${lines.join("\n")}\n`], { type: "text/csv" });
}

function npz() {
    return zip(ready().flatMap((column) => column.result.chunks.flatMap((chunk) => {
        const name = `${column.letter}_${chunk.index + 1}`;
        return [[`${name}_attention.npy`, npy(chunk.weights, [chunk.n_steps, chunk.n_symbols])],
                [`${name}_gate.npy`, npy(Float32Array.from(chunk.gate), [chunk.n_steps])],
                [`${name}_entropy.npy`, npy(curvesOf(chunk).entropy, [chunk.n_steps])]];
    })));
}

function svg() {
    let left = 0;
    let height = 0;
    const parts = [];
    for (const column of ready()) {
        let top = 8;
        let width = 0;
        for (const chunk of column.result.chunks) {
            const panel = panelOf(column.result, chunk, `${column.title.textContent}, sentence ${chunk.index + 1}`);
            parts.push(`<g transform="translate(${left} ${top})">${panel.content}</g>`);
            top += panel.height;
            width = Math.max(width, panel.width);
        }
        left += width;
        height = Math.max(height, top);
    }
    return new Blob([svgPage(Math.max(1, left), Math.max(1, height), get("lab-text").value, parts)],
                    { type: "image/svg+xml" });
}

for (const [id, make, file] of [["csv", csv, "lab.csv"], ["npz", npz, "lab.npz"], ["svg", svg, "lab.svg"]]) {
    get(id).addEventListener("click", () => {
        if (ready().length) {
            save(make(), `tacod-${file}`);
        } else {
            get("lab-status").textContent = "Run the columns first.";
        }
    });
}

/* -- link and beginning ------------------------------------------------------------------------------------ */

function remember() {
    const link = linkOf({ text: get("lab-text").value, seed: get("lab-seed").value,
                          columns: JSON.stringify(columns.map(({ own }) => own)) });
    window.history.replaceState(null, "", `#${link}`);
}

function columnsOf(text) {
    try {
        const list = JSON.parse(text);
        return Array.isArray(list) ? list.filter((one) => one && typeof one === "object").slice(0, MOST) : [];
    } catch {
        return [];
    }
}

const CONTRAST = ["location", "additive", "stepwise"]; /* place and content; content; place */

/* Without a link: some mechanisms of the default voice, or two temperatures, or two voices,
 * whatever there is to compare. */
function usualColumns() {
    const usual = voices.find((voice) => voice.default) || voices[0];
    const names = mechanismsOf(usual).map(({ name }) => name);
    const contrast = CONTRAST.filter((name) => names.includes(name));
    const chosen = contrast.length > 1 ? contrast : names.slice(0, CONTRAST.length);
    if (chosen.length > 1) {
        return chosen.map((attention) => ({ voice: usual.name, attention }));
    }
    if ("temperature" in schemas) {
        return [{ voice: usual.name }, { voice: usual.name, temperature: 3 }];
    }
    return voices.slice(0, 2).map(({ name }) => ({ voice: name }));
}

function setUpSweep() {
    const fields = Object.keys(SWEEPS).filter((name) => name in schemas);
    for (const [id, usual] of [["sweep-x", 0], ["sweep-y", 1]]) {
        const choice = get(id);
        choice.replaceChildren(...fields.map((name) => new Option(name.replaceAll("_", " "), name)));
        choice.selectedIndex = Math.min(usual, fields.length - 1);
        const show = () => { get(`${id}s`).value = SWEEPS[choice.value]; };
        choice.addEventListener("change", show);
        show();
    }
}

async function begin() {
    try {
        const [description, list] = await Promise.all([api.description(), api.voices()]);
        schemas = fieldsOf(description);
        voices = list;
    } catch (error) {
        get("lab-error").textContent = explain(error);
        return;
    }
    const { text, seed, columns: listed } = requestOf(location.hash);
    if (text !== undefined) {
        get("lab-text").value = text;
    }
    if (seed !== undefined) {
        get("lab-seed").value = seed;
    }
    const chosen = columnsOf(listed);
    for (const values of chosen.length ? chosen : usualColumns()) {
        addColumn(values);
    }
    shown = 0;
    refresh();
    setUpSweep();
}

get("lab-request").addEventListener("submit", (event) => {
    event.preventDefault();
    allowSound(columns[0] ? voices.find(({ name }) => name === columns[0].voice.value).sample_rate : 22050);
    runAll();
});
get("sweep-form").addEventListener("submit", (event) => {
    event.preventDefault();
    sweep();
});
get("add").addEventListener("click", () => addColumn(columns.at(-1)?.own));
get("blind").addEventListener("click", () => blind.begin(ready()));
for (const id of ["lab-text", "lab-seed"]) {
    get(id).addEventListener("change", remember);
}
for (const id of ["left", "right"]) {
    get(id).addEventListener("change", () => {
        get(id).dataset.chosen = get(id).selectedIndex;
        showDifference();
    });
}
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", showDifference);
begin();
