/* The attention heat map: symbols upwards, time to the right, darker (in the dark: brighter)
 * for more weight. Several sentences stand one above the other, as steps of a stair. */

import { beginDrawing, cellImage, clipToPlot, devicePixels, drawCells, fitText,
         snap } from "./plot.js";
import { symbolName } from "./result.js";

const ROW_HEIGHT = 11;           /* CSS pixels a symbol gets when there is room */
const LEAST_HEIGHT = 180;
const READABLE = 10;             /* the lowest row that carries its symbol's name */

/* Shade of a weight: the square root, so that a tenth can be told from nothing. */
export function shadeOfWeight(weight) {
    return Math.sqrt(weight);
}

export class AttentionMap {
    constructor(canvas, view) {
        this.canvas = canvas;
        this.view = view;
        this.images = new Map();
        this.cursor = { chunk: 0, step: 0, symbol: 0 };
    }

    open() {
        this.forget();
        this.cursor = { chunk: 0, step: 0, symbol: 0 };
    }

    /* The pictures were made for another theme. */
    forget() {
        this.images.clear();
    }

    /* A chunk's picture for a place of so many pixels: a cell a pixel, or, where cells are
     * smaller than pixels, the largest weight under each, since a mean would let the line of
     * attention fade. */
    image(chunk, theme, width, height) {
        const columns = Math.min(chunk.n_steps, Math.max(1, width));
        const rows = Math.min(chunk.n_symbols, Math.max(1, height));
        const kept = this.images.get(chunk.index);
        if (kept?.width === columns && kept.height === rows) {
            return kept;
        }
        const largest = new Float32Array(columns * rows);
        for (let step = 0, i = 0; step < chunk.n_steps; step++) {
            const column = Math.floor(step * columns / chunk.n_steps);
            for (let symbol = 0; symbol < chunk.n_symbols; symbol++, i++) {
                const cell = Math.floor(symbol * rows / chunk.n_symbols) * columns + column;
                largest[cell] = Math.max(largest[cell], chunk.weights[i]);
            }
        }
        const image = cellImage(columns, rows, theme.map, (column, row) =>
            shadeOfWeight(largest[row * columns + column]));
        this.images.set(chunk.index, image);
        return image;
    }

    /* Symbols that are shown, and those below a chunk's first. */
    get rows() {
        return this.view.chunks().reduce((sum, chunk) => sum + chunk.n_symbols, 0);
    }

    rowsBelow(chunk) {
        return this.view.chunks().filter(({ index }) => index < chunk.index)
            .reduce((sum, { n_symbols: symbols }) => sum + symbols, 0);
    }

    /* Top edge and height of the rows first..end of a chunk. */
    band(chunk, first, end = first + 1) {
        const height = this.canvas.clientHeight / this.rows;
        const below = this.rowsBelow(chunk);
        return { top: this.canvas.clientHeight - (below + end) * height,
                 height: (end - first) * height };
    }

    /* The map is as high as the longest sentence needs, within what a screen can show: so the page
     * stands still when the next one is shown. */
    fitHeight() {
        const most = Math.max(LEAST_HEIGHT, Math.min(560, 0.6 * window.innerHeight));
        const rows = this.view.whole ? this.rows : this.view.result.mostSymbols;
        const height = Math.min(most, Math.max(LEAST_HEIGHT, rows * ROW_HEIGHT));
        this.canvas.style.height = `${Math.round(height)}px`;
    }

    draw(theme) {
        this.fitHeight();
        const { context, width, height } = beginDrawing(this.canvas);
        const { view } = this;
        context.fillStyle = theme.plot;
        context.fillRect(view.gutter, 0, view.plotWidth, height);
        for (const chunk of view.chunks()) {
            this.drawNames(context, theme, chunk);
        }
        clipToPlot(context, view, height);
        for (const chunk of view.chunks()) {
            const left = snap(view.x(chunk.start));
            const right = snap(view.x(view.result.stepTime(chunk, chunk.n_steps)));
            if (chunk.weights && right > view.gutter && left < width) {
                const band = this.band(chunk, 0, chunk.n_symbols);
                const top = snap(band.top);
                const bottom = snap(band.top + band.height);
                const image = this.image(chunk, theme, devicePixels(right - left),
                                         devicePixels(bottom - top));
                drawCells(context, image, left, top, right - left, bottom - top);
            }
        }
    }

    /* Names of the symbols where they are readable, and of the words; of sentences when even
     * words are too many. */
    drawNames(context, theme, chunk) {
        const { view } = this;
        const row = this.band(chunk, 0).height;
        const symbols = row >= READABLE;
        const right = view.gutter - 6;
        const room = symbols ? right - 34 : right;
        context.textAlign = "right";
        if (symbols) {
            context.font = theme.font.replace(/^\d+/, (size) => Math.min(size, Math.floor(row) - 1));
            context.fillStyle = theme.faint;
            chunk.symbols.forEach((symbol, index) => {
                const { top, height } = this.band(chunk, index);
                context.fillText(symbol.symbol, right, top + height / 2 + 0.5);
            });
        }
        context.font = theme.font;
        if (room < 30 || row < 1.5) {
            if (!symbols && this.view.whole) {
                const { top, height } = this.band(chunk, 0, chunk.n_symbols);
                if (height >= READABLE) {
                    context.fillStyle = theme.faint;
                    context.fillText(`${chunk.index + 1}`, right, top + height / 2);
                }
            }
            return;
        }
        context.fillStyle = theme.ink;
        let covered = Infinity; /* top of the last name written: names must not touch */
        for (const { name, first, end } of view.result.spokenRuns(chunk)) {
            const { top, height } = this.band(chunk, first, end);
            const middle = top + height / 2;
            if (middle + READABLE / 2 <= covered) {
                context.fillText(fitText(context, name, room), symbols ? right - 34 : right,
                                 middle);
                covered = middle - READABLE / 2;
            }
        }
    }

    /* The cell at a time and a height, or null between sentences. */
    cellAt(time, y) {
        const { view } = this;
        let row = Math.floor((1 - y / this.canvas.clientHeight) * this.rows);
        row = Math.min(this.rows - 1, Math.max(0, row));
        const chunk = view.result.chunkAt(time);
        if (!view.chunks().includes(chunk) || time >= view.result.stepTime(chunk, chunk.n_steps)) {
            return null;
        }
        const symbol = row - this.rowsBelow(chunk);
        if (symbol < 0 || symbol >= chunk.n_symbols) {
            return null;
        }
        return { chunk: chunk.index, step: view.result.stepAt(chunk, time), symbol };
    }

    describeCell({ chunk: index, step, symbol: number }) {
        const { result } = this.view;
        const chunk = result.chunks[index];
        const symbol = chunk.symbols[number];
        const word = symbol.word === null ? "" : ` of “${result.source(result.words[symbol.word])}”`;
        const weight = result.weight(chunk, step, number);
        return `step ${step + 1} of ${chunk.n_steps} · ${symbolName(symbol)}${word}, symbol ` +
               `${number + 1} of ${chunk.n_symbols} · ` +
               `weight ${Number.isNaN(weight) ? "not sent" : weight.toFixed(3)}`;
    }

    describe(time, y) {
        const cell = this.cellAt(time, y);
        return cell ? this.describeCell(cell) : "";
    }

    /* Puts the keyboard's cursor on the symbol that is attended to most at a time. */
    place(time) {
        const { result } = this.view;
        let chunk = result.chunkAt(time);
        if (!this.view.chunks().includes(chunk)) {
            chunk = this.view.chunks()[0];
        }
        const step = result.stepAt(chunk, time);
        this.cursor = { chunk: chunk.index, step, symbol: result.focus(chunk, step).symbol };
    }

    /* Moves the cursor by a key; false when the key means nothing here. */
    move(key, large) {
        const { result } = this.view;
        const chunk = result.chunks[this.cursor.chunk];
        let { step, symbol } = this.cursor;
        const stride = large ? 10 : 1;
        switch (key) {
        case "ArrowLeft": step -= stride; break;
        case "ArrowRight": step += stride; break;
        case "ArrowUp": symbol += stride; break;
        case "ArrowDown": symbol -= stride; break;
        case "Home": step = 0; symbol = result.focus(chunk, 0).symbol; break;
        case "End": step = chunk.n_steps - 1; symbol = result.focus(chunk, step).symbol; break;
        case "PageUp":
        case "PageDown":
            symbol = this.neighbourWord(chunk, symbol, key === "PageUp" ? 1 : -1);
            step = result.peak(chunk, symbol).step;
            break;
        default: return false;
        }
        this.cursor = {
            chunk: chunk.index,
            step: Math.min(chunk.n_steps - 1, Math.max(0, step)),
            symbol: Math.min(chunk.n_symbols - 1, Math.max(0, symbol)),
        };
        return true;
    }

    /* First symbol of the next or previous spoken word; the same symbol when there is none. */
    neighbourWord(chunk, symbol, direction) {
        const starts = this.view.result.spokenRuns(chunk).map(({ first }) => first);
        const ahead = direction > 0 ? starts.find((start) => start > symbol)
                                    : starts.reverse().find((start) => start < symbol);
        return ahead ?? symbol;
    }
}

/* The colours from weight 0 to 1, with the weights that they stand for. */
export function drawLegend(canvas, theme) {
    const { context, width, height } = beginDrawing(canvas);
    const bar = 8;
    for (let x = 0; x < width; x++) {
        const color = 3 * Math.round(255 * shadeOfWeight(x / (width - 1)));
        context.fillStyle = `rgb(${theme.map[color]} ${theme.map[color + 1]} ${theme.map[color + 2]})`;
        context.fillRect(x, 0, 1, bar);
    }
    context.strokeStyle = theme.line;
    context.strokeRect(0.5, 0.5, width - 1, bar - 1);
    context.font = theme.font;
    context.fillStyle = theme.faint;
    for (const [weight, align] of [[0, "left"], [0.2, "center"], [0.5, "center"], [1, "right"]]) {
        context.textAlign = align;
        context.fillText(String(weight), weight * width, (bar + height) / 2 + 1);
    }
}
