/* Entropy and pace of the attention over time: a sharp attention that walks evenly reads well. */

import { curvesOf } from "./measure.js";
import { beginDrawing, clipToPlot, drawLabel } from "./plot.js";

const FASTEST = 1; /* symbols a step at the top of the lane, at least */

export class StepCurves {
    constructor(canvas, view) {
        this.canvas = canvas;
        this.view = view;
    }

    draw(theme) {
        const { context, height } = beginDrawing(this.canvas);
        const { view } = this;
        const chunks = view.chunks();
        const fastest = chunks.reduce((most, chunk) =>
            curvesOf(chunk).pace.reduce((a, b) => Math.max(a, b), most), FASTEST);
        drawLabel(context, { ...theme, faint: theme.wave }, view, "entropy", 10);
        drawLabel(context, { ...theme, faint: theme.accent }, view, "pace", height - 10);
        clipToPlot(context, view, height);
        context.fillStyle = theme.line;
        for (const y of [0, height / 2, height - 1]) {
            context.fillRect(view.gutter, y, view.plotWidth, 1);
        }
        context.lineWidth = 1.25;
        for (const chunk of chunks) {
            const { entropy, pace } = curvesOf(chunk);
            this.line(context, chunk, theme.wave, height, entropy, 1);
            this.line(context, chunk, theme.accent, height, pace, fastest);
        }
    }

    line(context, chunk, color, height, values, most) {
        const { result } = this.view;
        context.strokeStyle = color;
        context.beginPath();
        values.forEach((value, step) => {
            const part = Math.min(1, Math.max(0, value / most));
            context.lineTo(this.view.x(result.stepTime(chunk, step + 0.5)),
                           height - 2 - part * (height - 4));
        });
        context.stroke();
    }

    describe(time) {
        const { result } = this.view;
        const chunk = result.chunkAt(time);
        if (time >= chunk.end) {
            return "pause";
        }
        const step = result.stepAt(chunk, time);
        const { entropy, pace } = curvesOf(chunk);
        return `step ${step + 1} of ${chunk.n_steps} · entropy ${entropy[step].toFixed(2)} · ` +
               `pace ${(pace[step] / result.stepSeconds).toFixed(1)} symbols a second`;
    }
}
