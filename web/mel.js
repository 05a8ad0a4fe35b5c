/* The mel spectrogram that the decoder made, in the voice's own scale (for most voices the
 * natural logarithm of the magnitude). */

import { beginDrawing, cellImage, clipToPlot, drawCells, drawLabel } from "./plot.js";

const SAMPLE = 2000; /* frames that decide where the shades begin and end */

export class MelPicture {
    constructor(canvas, view) {
        this.canvas = canvas;
        this.view = view;
        this.mel = null;
        this.images = new Map();
    }

    /* mel: {shape: [frames, bands], data}, the chunks' frames one after the other; null: it
     * could not be had, for that reason. */
    open(mel, reason = "") {
        this.mel = mel;
        this.reason = reason;
        this.forget();
        if (mel) {
            const [frames, bands] = mel.shape;
            const every = Math.ceil(frames / SAMPLE) || 1;
            const sorted = mel.data.filter((_, i) => Math.floor(i / bands) % every === 0).sort();
            this.low = sorted[Math.floor(0.02 * sorted.length)] ?? 0;
            this.high = sorted[Math.floor(0.998 * sorted.length)] ?? 1;
        }
    }

    /* The pictures were made for another theme. */
    forget() {
        this.images.clear();
    }

    get bands() {
        return this.mel ? this.mel.shape[1] : 0;
    }

    /* First frame of a chunk in the array. */
    firstFrame(chunk) {
        let frame = 0;
        for (const { n_frames: frames } of this.view.result.chunks.slice(0, chunk.index)) {
            frame += frames;
        }
        return frame;
    }

    image(chunk, theme) {
        if (!this.images.has(chunk.index)) {
            const first = this.firstFrame(chunk);
            const range = this.high - this.low || 1;
            this.images.set(chunk.index, cellImage(
                chunk.n_frames, this.bands, theme.map,
                (frame, band) =>
                    (this.mel.data[(first + frame) * this.bands + band] - this.low) / range));
        }
        return this.images.get(chunk.index);
    }

    draw(theme) {
        const { context, width, height } = beginDrawing(this.canvas);
        const { view } = this;
        context.fillStyle = theme.plot;
        context.fillRect(view.gutter, 0, view.plotWidth, height);
        if (!this.mel) {
            context.font = theme.font;
            context.fillStyle = theme.faint;
            context.textAlign = "center";
            context.fillText(this.reason, (view.gutter + width) / 2, height / 2);
            return;
        }
        drawLabel(context, theme, view, `mel ${this.bands}`, 8);
        drawLabel(context, theme, view, "1", height - 8);
        clipToPlot(context, view, height);
        for (const chunk of view.chunks()) {
            const x = view.x(chunk.start);
            const end = view.x(chunk.start + chunk.n_frames * view.result.frameSeconds);
            if (end > view.gutter && x < width) {
                drawCells(context, this.image(chunk, theme), x, 0, end - x, height);
            }
        }
    }

    /* What lies at a time and a height, in words. */
    describe(time, y) {
        const { result } = this.view;
        const chunk = result.chunkAt(time);
        const frame = Math.floor((time - chunk.start) / result.frameSeconds);
        if (!this.mel || frame < 0 || frame >= chunk.n_frames) {
            return "";
        }
        const band = Math.min(this.bands - 1,
                              Math.max(0, Math.floor((1 - y / this.canvas.clientHeight) *
                                                     this.bands)));
        const value = this.mel.data[(this.firstFrame(chunk) + frame) * this.bands + band];
        return `frame ${frame + 1} of ${chunk.n_frames} · mel band ${band + 1} · ` +
               value.toFixed(2);
    }
}
