/* The stop gate's probability in every decoder step, 0 to 1. */

import { beginDrawing, clipToPlot, drawLabel } from "./plot.js";

export class GateCurve {
    constructor(canvas, view) {
        this.canvas = canvas;
        this.view = view;
    }

    draw(theme) {
        const { context, height } = beginDrawing(this.canvas);
        const { view } = this;
        const { result } = view;
        const y = (probability) => 2 + (1 - probability) * (height - 4);
        drawLabel(context, theme, view, "gate 1", 7);
        drawLabel(context, theme, view, "0", height - 6);
        clipToPlot(context, view, height);
        context.fillStyle = theme.line;
        for (const level of [0, 0.5, 1]) {
            context.fillRect(view.gutter, y(level), view.plotWidth, 1);
        }
        context.strokeStyle = theme.accent;
        context.lineWidth = 1.5;
        for (const chunk of view.chunks()) {
            context.beginPath();
            chunk.gate.forEach((probability, step) => {
                context.lineTo(view.x(result.stepTime(chunk, step + 0.5)), y(probability));
            });
            context.stroke();
        }
    }

    describe(time) {
        const { result } = this.view;
        const chunk = result.chunkAt(time);
        if (time >= chunk.end) {
            return "pause";
        }
        const step = result.stepAt(chunk, time);
        return `step ${step + 1} of ${chunk.n_steps} · ` +
               `probability of stopping ${chunk.gate[step].toFixed(3)}`;
    }
}
