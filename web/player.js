/* Plays the audio, the whole or a part, and tells the time while it does.
 *
 * Events: "time" (at every frame while playing, and after a seek), "state" (played, paused). */

export class Player extends EventTarget {
    constructor(element) {
        super();
        this.element = element;
        this.until = Infinity; /* seconds: where a part ends */
        this.frame = 0;
        for (const name of ["play", "pause", "ended"]) {
            element.addEventListener(name, () => this.changed());
        }
        element.addEventListener("seeked", () => this.tick());
        /* Animation frames stop in a hidden tab, this does not. */
        element.addEventListener("timeupdate", () => this.tick());
    }

    get time() {
        return this.element.currentTime;
    }

    get playing() {
        return !this.element.paused && !this.element.ended;
    }

    load(bytes, type) {
        this.unload();
        this.url = URL.createObjectURL(new Blob([bytes], { type }));
        this.element.src = this.url;
    }

    unload() {
        this.pause();
        this.until = Infinity;
        if (this.url) {
            URL.revokeObjectURL(this.url);
            this.element.removeAttribute("src");
            this.url = null;
        }
    }

    /* Plays from a time, or on from here (from the start when at the end). */
    play(from, until = Infinity) {
        if (from !== undefined) {
            this.element.currentTime = from;
        } else if (this.element.ended) {
            this.element.currentTime = 0;
        }
        this.until = until;
        /* Refused where the browser wants a click first: the button still says Play. */
        return this.element.play().catch(() => {});
    }

    pause() {
        this.element.pause();
    }

    toggle() {
        if (this.playing) {
            this.pause();
        } else {
            this.play();
        }
    }

    seek(time) {
        this.until = Infinity;
        this.element.currentTime = time;
        this.dispatchEvent(new Event("time"));
    }

    changed() {
        cancelAnimationFrame(this.frame);
        if (this.playing) {
            this.frame = requestAnimationFrame(() => this.run());
        }
        this.dispatchEvent(new Event("state"));
        this.dispatchEvent(new Event("time"));
    }

    run() {
        this.tick();
        if (this.playing) {
            this.frame = requestAnimationFrame(() => this.run());
        }
    }

    tick() {
        if (this.playing && this.time >= this.until) {
            const end = this.until;
            this.until = Infinity;
            this.pause();
            /* Within the part still, so that its word stays lit. */
            this.element.currentTime = end - 0.001;
        }
        this.dispatchEvent(new Event("time"));
    }
}

/* The samples of an audio file, Float32Array, at the file's own rate. */
export async function decodeAudio(bytes, sampleRate) {
    const context = new OfflineAudioContext(1, 1, sampleRate);
    const buffer = await context.decodeAudioData(bytes.slice(0)); /* it takes the bytes away */
    return buffer.getChannelData(0);
}
