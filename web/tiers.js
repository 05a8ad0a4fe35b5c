/* Words and symbols as intervals over time, in two rows: what a TextGrid shows. */

import { beginDrawing, clipToPlot, drawLabel, fitText } from "./plot.js";
import { symbolName } from "./result.js";

const NARROWEST = 3; /* CSS pixels of an interval that is worth drawing */

export class Tiers {
    constructor(canvas, view) {
        this.canvas = canvas;
        this.view = view;
        this.labels = ["words", "symbols"];
    }

    /* The intervals of a row that are shown. */
    intervals(row) {
        const { result } = this.view;
        if (row === 0) {
            return result.words.filter((word) => word.end > word.start)
                .map((word) => ({ ...word, name: result.source(word) }));
        }
        return this.view.chunks().flatMap((chunk) => chunk.symbols)
            .map((symbol) => ({ ...symbol, name: symbolName(symbol) }));
    }

    draw(theme) {
        const { context, height } = beginDrawing(this.canvas);
        const { view } = this;
        const middle = height / 2;
        this.labels.forEach((label, row) =>
            drawLabel(context, theme, view, label, middle * (row + 0.5)));
        clipToPlot(context, view, height);
        context.font = theme.font;
        context.textAlign = "center";
        for (const row of [0, 1]) {
            for (const { name, start, end } of this.intervals(row)) {
                const left = view.x(start);
                const right = view.x(end);
                if (right < view.gutter || left > view.width || right - left < NARROWEST) {
                    continue;
                }
                context.fillStyle = theme.line;
                context.fillRect(Math.round(left), row * middle, 1, middle);
                context.fillRect(Math.round(right), row * middle, 1, middle);
                context.fillStyle = row === 0 ? theme.ink : theme.faint;
                context.fillText(fitText(context, name, right - left - 3), (left + right) / 2,
                                 row * middle + middle / 2);
            }
        }
        context.fillStyle = theme.line;
        context.fillRect(view.gutter, middle, view.plotWidth, 1);
        return context;
    }

    /* The interval at a time and a height, or undefined. */
    intervalAt(time, y) {
        const row = y < this.canvas.clientHeight / 2 ? 0 : 1;
        return this.intervals(row).find(({ start, end }) => time >= start && time < end);
    }

    describe(time, y) {
        const interval = this.intervalAt(time, y);
        return interval
            ? `${interval.name} · ${interval.start.toFixed(3)} to ${interval.end.toFixed(3)} s`
            : "";
    }
}
