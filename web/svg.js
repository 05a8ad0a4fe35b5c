/* The heat map as an SVG page of its own: a panel a sentence, symbols upwards, time to the right.
 * Without style sheets and scripts, so that every program can show and edit it. */

import { shadeOfWeight } from "./attention.js";
import { colorMap } from "./plot.js";
import { symbolName } from "./result.js";

export const PAGE_SENTENCES = 12; /* on a page */

const ROW = 11;       /* pixels a symbol */
const STEP = 3;       /* pixels a decoder step */
const LABELS = 90;
const HEAD = 22;
const FOOT = 26;
const FAINTEST = 0.02; /* weights below are not drawn: there are many, and one sees none */
const INK = "#1d1c1a";
const STOPS = ["#fdfcf9", "#dbe6ea", "#a4c3d3", "#6696b9", "#376a9d", "#1f3f73", "#0c1533"];

export const escapeXml = (text) => text.replace(/[<>&"]/g, (c) => `&#${c.charCodeAt(0)};`)
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g, "");

export function alignmentSvg(result, chunks, title = result.text) {
    const panels = [];
    let top = 8;
    let width = 0;
    for (const chunk of chunks) {
        const panel = panelOf(result, chunk);
        panels.push(`<g transform="translate(0 ${top})">${panel.content}</g>`);
        top += panel.height;
        width = Math.max(width, panel.width);
    }
    return svgPage(width, top, title, panels);
}

export function svgPage(width, height, title, parts) {
    return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" ` +
           `viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="10" fill="${INK}">\n` +
           `<title>Attention: ${escapeXml(title.slice(0, 200))}</title>\n` +
           `<rect width="${width}" height="${height}" fill="${STOPS[0]}"/>\n${parts.join("\n")}\n</svg>\n`;
}

/* One sentence: {content, width, height}. */
export function panelOf(result, chunk, caption = "") {
    const { n_steps: steps, n_symbols: symbols, weights } = chunk;
    const map = colorMap(STOPS);
    const height = symbols * ROW;
    const cells = [];
    for (let step = 0; step < steps; step++) {
        for (let symbol = 0; symbol < symbols; symbol++) {
            const weight = weights[step * symbols + symbol];
            if (weight >= FAINTEST) {
                const color = 3 * Math.round(255 * Math.min(1, shadeOfWeight(weight)));
                cells.push(`<path d="M${LABELS + step * STEP} ${HEAD + height - (symbol + 1) * ROW}h${STEP}v${ROW}h-${STEP}z" ` +
                           `fill="rgb(${map[color]},${map[color + 1]},${map[color + 2]})"/>`);
            }
        }
    }
    const names = chunk.symbols.map((symbol, index) =>
        `<text x="${LABELS - 6}" y="${HEAD + height - index * ROW - 2}" text-anchor="end">` +
        `${escapeXml(symbolName(symbol))}</text>`);
    const ticks = [];
    const seconds = steps * result.stepSeconds;
    for (let tick = 0; tick <= seconds; tick += seconds > 4 ? 1 : 0.5) {
        const x = LABELS + tick / result.stepSeconds * STEP;
        ticks.push(`<path d="M${x} ${HEAD + height}v4" stroke="${INK}"/>` +
                   `<text x="${x}" y="${HEAD + height + 15}" text-anchor="middle">${(chunk.start + tick).toFixed(1)}</text>`);
    }
    const heading = caption || `${chunk.index + 1}. ${chunk.text.replace(/\s+/g, " ").slice(0, 120)}`;
    return {
        width: LABELS + steps * STEP + 20,
        height: HEAD + height + FOOT,
        content: `<text x="${LABELS}" y="14" font-size="12">${escapeXml(heading)}</text>` +
                 `<rect x="${LABELS}" y="${HEAD}" width="${steps * STEP}" height="${height}" fill="none" stroke="#d9d5ca"/>` +
                 `<g shape-rendering="crispEdges">${cells.join("")}</g>${names.join("")}${ticks.join("")}`,
    };
}
