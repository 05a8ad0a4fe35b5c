/* The samples of one result, which may still be growing while it is heard. */

const FIRST_ROOM = 1 << 16; /* samples */

export class Recording {
    #samples = new Float32Array(FIRST_ROOM);
    #half = null; /* the first byte of a sample whose second has not come yet */

    constructor(sampleRate) {
        this.sampleRate = sampleRate;
        this.length = 0;       /* samples */
        this.complete = false; /* no more will come */
    }

    /* bytes: signed 16-bit little-endian PCM, cut anywhere. */
    append(bytes) {
        if (this.#half !== null) {
            const whole = new Uint8Array(bytes.length + 1);
            whole[0] = this.#half;
            whole.set(bytes, 1);
            bytes = whole;
        }
        const count = bytes.length >> 1;
        this.#half = bytes.length & 1 ? bytes[bytes.length - 1] : null;
        if (this.length + count > this.#samples.length) {
            const larger = new Float32Array(Math.max(2 * this.#samples.length, this.length + count));
            larger.set(this.samples);
            this.#samples = larger;
        }
        const view = new DataView(bytes.buffer, bytes.byteOffset, 2 * count);
        for (let i = 0; i < count; i++) {
            this.#samples[this.length + i] = view.getInt16(2 * i, true) / 32768;
        }
        this.length += count;
    }

    /* Float32Array of what has come so far, -1 to 1. */
    get samples() {
        return this.#samples.subarray(0, this.length);
    }

    /* Seconds so far. */
    get duration() {
        return this.length / this.sampleRate;
    }

    /* Signed 16-bit PCM of the seconds from..to: exactly the bytes that came. */
    pcm(from = 0, to = this.duration) {
        const part = this.samples.subarray(Math.round(from * this.sampleRate),
                                           Math.round(to * this.sampleRate));
        const bytes = new DataView(new ArrayBuffer(2 * part.length));
        part.forEach((sample, i) => bytes.setInt16(2 * i, Math.round(sample * 32768), true));
        return bytes.buffer;
    }

    /* A WAV file of the seconds from..to. */
    wav(from, to) {
        const data = this.pcm(from, to);
        const header = new DataView(new ArrayBuffer(44));
        const name = (at, text) => [...text].forEach(
            (letter, i) => header.setUint8(at + i, letter.charCodeAt(0)));
        name(0, "RIFF");
        header.setUint32(4, 36 + data.byteLength, true);
        name(8, "WAVEfmt ");
        header.setUint32(16, 16, true);                  /* bytes of the format */
        header.setUint16(20, 1, true);                   /* PCM */
        header.setUint16(22, 1, true);                   /* mono */
        header.setUint32(24, this.sampleRate, true);
        header.setUint32(28, 2 * this.sampleRate, true); /* bytes a second */
        header.setUint16(32, 2, true);                   /* bytes a frame */
        header.setUint16(34, 16, true);                  /* bits a sample */
        name(36, "data");
        header.setUint32(40, data.byteLength, true);
        return new Blob([header, data], { type: "audio/wav" });
    }
}

/* A complete recording of PCM bytes. */
export function recordingOf(pcm, sampleRate) {
    const recording = new Recording(sampleRate);
    recording.append(new Uint8Array(pcm));
    recording.complete = true;
    return recording;
}
