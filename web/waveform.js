/* The waveform: for every pixel the range of the samples under it, and inside it their root
 * mean square. */

import { beginDrawing, drawLabel } from "./plot.js";

const BLOCK = 64; /* samples summed up once, for windows that show many */

/* [least, largest, sum of squares] of every block of samples. */
export class Envelope {
    constructor(samples) {
        this.samples = samples;
        const blocks = Math.ceil(samples.length / BLOCK);
        this.least = new Float32Array(blocks);
        this.largest = new Float32Array(blocks);
        this.energy = new Float32Array(blocks);
        this.peak = 0;
        for (let block = 0; block < blocks; block++) {
            let least = Infinity;
            let largest = -Infinity;
            let energy = 0;
            const end = Math.min(samples.length, (block + 1) * BLOCK);
            for (let i = block * BLOCK; i < end; i++) {
                const sample = samples[i];
                least = Math.min(least, sample);
                largest = Math.max(largest, sample);
                energy += sample * sample;
            }
            this.least[block] = least;
            this.largest[block] = largest;
            this.energy[block] = energy;
            this.peak = Math.max(this.peak, -least, largest);
        }
    }

    /* Range and root mean square of the samples from..to, at least one sample. */
    range(from, to) {
        from = Math.max(0, Math.floor(from));
        to = Math.min(this.samples.length, Math.max(from + 1, Math.ceil(to)));
        let least = 0;
        let largest = 0;
        let energy = 0;
        if (to - from > 4 * BLOCK) {
            const end = Math.ceil(to / BLOCK);
            for (let block = Math.floor(from / BLOCK); block < end; block++) {
                least = Math.min(least, this.least[block]);
                largest = Math.max(largest, this.largest[block]);
                energy += this.energy[block];
            }
        } else {
            for (let i = from; i < to; i++) {
                const sample = this.samples[i];
                least = Math.min(least, sample);
                largest = Math.max(largest, sample);
                energy += sample * sample;
            }
        }
        return { least, largest, rms: Math.sqrt(energy / Math.max(1, to - from)) };
    }
}

/* Draws seconds start..end right of the view's gutter. marks: intervals {start, end} that stand
 * out, since something is wrong in them. */
export function drawWaveform(canvas, envelope, sampleRate, view, start, end, theme, marks = []) {
    const { context, height } = beginDrawing(canvas);
    for (const mark of marks) {
        const at = (time) => view.gutter + (time - start) / (end - start) * view.plotWidth;
        const width = Math.max(2, at(mark.end) - at(mark.start));
        context.fillStyle = theme.wash;
        context.fillRect(at(mark.start), 0, width, height);
        context.fillStyle = theme.accent;
        context.fillRect(at(mark.start), height - 3, width, 3);
    }
    const middle = height / 2;
    const scale = (middle - 1) / (envelope.peak || 1);
    const rate = (end - start) * sampleRate / view.plotWidth; /* samples a pixel */
    context.fillStyle = theme.line;
    context.fillRect(view.gutter, middle - 0.5, view.plotWidth, 1);
    for (let x = 0; x < view.plotWidth; x++) {
        const from = start * sampleRate + x * rate;
        if (from >= envelope.samples.length) {
            break;
        }
        const { least, largest, rms } = envelope.range(from, from + rate);
        context.globalAlpha = 0.45;
        context.fillStyle = theme.wave;
        context.fillRect(view.gutter + x, middle - largest * scale, 1,
                         Math.max(1, (largest - least) * scale));
        context.globalAlpha = 1;
        context.fillRect(view.gutter + x, middle - rms * scale, 1, 2 * rms * scale);
    }
    drawLabel(context, theme, view, `±${envelope.peak.toFixed(2)}`, middle);
}
