/* The time axis under the lanes. */

import { beginDrawing, drawLabel, roundStep } from "./plot.js";

const TICK = 64; /* CSS pixels between labelled ticks, at least */

export function drawAxis(canvas, view, theme) {
    const { context, width } = beginDrawing(canvas);
    const step = roundStep((view.end - view.start) * TICK / view.plotWidth);
    const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
    drawLabel(context, theme, view, "s", 12);
    context.font = theme.font;
    context.textAlign = "center";
    for (let tick = Math.ceil(view.start / step - 1e-9); tick * step <= view.end; tick++) {
        const x = view.x(tick * step);
        const text = (tick * step).toFixed(digits);
        const half = context.measureText(text).width / 2;
        context.fillStyle = theme.line;
        context.fillRect(Math.min(width - 1, Math.round(x)), 0, 1, 5);
        context.fillStyle = theme.faint;
        context.fillText(text, Math.min(width - half, Math.max(view.gutter + half, x)), 12);
    }
}
