/* Plays a recording through Web Audio: the whole or a part, once or in a loop, to the sample, and
 * already while it is still growing.
 *
 * Events: "time" (at every frame while playing, and after a seek), "state" (played, paused,
 * waiting for samples). */

const AHEAD = 2;         /* seconds that are handed to the sound card in advance */
const PIECE = 1;         /* seconds in one buffer */
const FADE = 0.004;      /* seconds: a cut inside a wave would click */
const LEAD = 0.03;       /* seconds from now to the first sample */
const PUMP = 200;        /* milliseconds: also in a hidden tab, where animation frames stop */
const PATIENCE = 500;    /* milliseconds that the browser may take to allow sound */

/* One context a sample rate, so that the browser does not resample each piece by itself. */
const contexts = new Map();

function contextAt(sampleRate) {
    if (!contexts.has(sampleRate)) {
        if (navigator.audioSession) {
            navigator.audioSession.type = "playback"; /* iPhones: heard with the ringer off, too */
        }
        contexts.set(sampleRate, new AudioContext({ sampleRate, latencyHint: "interactive" }));
    }
    return contexts.get(sampleRate);
}

/* Tells the browser, in a click or a key press, that there will be sound a moment after it. */
export function allowSound(sampleRate) {
    contextAt(sampleRate).resume().catch(() => {});
}

let current = null; /* of all players, the one that is heard */

export class Player extends EventTarget {
    constructor() {
        super();
        this.recording = null;
        this.position = 0;     /* seconds, while nothing plays */
        this.until = Infinity; /* seconds: where a part ends */
        this.region = null;    /* [from, to] that is played again and again */
        this.playing = false;
        this.waiting = false;  /* playing, but the samples have not come */
        this.spans = [];       /* what was handed over: {at (context), from, to} */
        this.sources = new Set();
        this.frame = 0;
        this.timer = 0;
    }

    load(recording) {
        this.pause();
        this.recording = recording;
        this.position = 0;
        this.until = Infinity;
        this.region = null;
        this.changed();
    }

    get duration() {
        return this.recording ? this.recording.duration : 0;
    }

    get ended() {
        return Boolean(this.recording?.complete) && !this.playing && this.position >= this.duration;
    }

    /* Where the sound stands that is heard now. */
    get time() {
        if (!this.playing || !this.spans.length) {
            return Math.min(this.position, this.duration);
        }
        const now = this.context.currentTime - (this.context.outputLatency || 0);
        const span = this.spans.findLast(({ at }) => at <= now) || this.spans[0];
        return Math.min(span.to, span.from + Math.max(0, now - span.at));
    }

    /* Plays from a time, or on from here (from the start when at the end). Resolves when it
     * plays, or when the browser has refused to play without a click. */
    async play(from, until = Infinity) {
        if (!this.recording) {
            return;
        }
        if (current && current !== this) {
            current.pause();
        }
        current = this;
        this.silence();
        this.position = from ?? (this.ended || this.position >= this.until ? 0 : this.position);
        this.until = until;
        if (this.region && (this.position < this.region[0] || this.position >= this.region[1])) {
            this.region = null;
        }
        this.context = contextAt(this.recording.sampleRate);
        const turn = this.turn = Symbol("play");
        this.playing = true;
        if (this.context.state !== "running") {
            await Promise.race([this.context.resume(),
                                new Promise((resolve) => setTimeout(resolve, PATIENCE))]);
            if (turn !== this.turn) {
                return;
            }
            if (this.context.state !== "running") {
                this.playing = false;
                this.changed();
                return;
            }
        }
        this.gain = this.context.createGain();
        this.gain.connect(this.context.destination);
        this.cursor = this.position;
        this.at = 0;
        this.pump();
        this.timer = setInterval(() => this.pump(), PUMP);
        this.changed();
    }

    pause() {
        if (this.playing) {
            this.position = this.time;
            this.silence();
            this.changed();
        }
    }

    toggle() {
        if (this.playing) {
            this.pause();
        } else {
            this.play();
        }
    }

    seek(time) {
        const within = Math.min(this.duration, Math.max(0, time));
        if (this.playing) {
            this.play(within);
        } else {
            this.until = Infinity;
            this.position = within;
        }
        this.dispatchEvent(new Event("time"));
    }

    /* Plays a part again and again until it is paused. */
    loop(from, to) {
        this.region = [from, to];
        this.play(from);
    }

    /* The recording has more samples, or is complete. */
    grown() {
        if (this.playing && this.gain) {
            this.pump();
        }
    }

    /* -- handing over --------------------------------------------------------------------- */

    get limit() {
        return Math.min(this.region ? this.region[1] : this.until, this.duration);
    }

    /* Whether a time is at another, to the sample. */
    reaches(time, end) {
        return time >= end - 0.75 / this.recording.sampleRate;
    }

    /* Everything that can be played has been handed over. */
    get atEnd() {
        return !this.region && this.reaches(this.cursor, this.limit) &&
               (this.recording.complete || this.until <= this.duration);
    }

    pump() {
        const { context, recording } = this;
        const now = context.currentTime;
        if (this.region && this.reaches(this.cursor, this.region[1])) {
            this.cursor = this.region[0];
        }
        while (this.at < now + AHEAD && !this.reaches(this.cursor, this.limit)) {
            const first = Math.round(this.cursor * recording.sampleRate);
            const last = Math.min(first + PIECE * recording.sampleRate,
                                  Math.round(this.limit * recording.sampleRate));
            this.schedule(first, last, this.at > now ? this.at : now + LEAD);
            this.cursor = last / recording.sampleRate;
            if (this.region && this.reaches(this.cursor, this.region[1])) {
                this.cursor = this.region[0];
            }
        }
        this.spans = this.spans.filter((span, i, all) => i >= all.length - 1 || all[i + 1].at > now - 1);
        const waiting = this.at <= now && !this.atEnd;
        if (waiting !== this.waiting) {
            this.waiting = waiting;
            this.dispatchEvent(new Event("state"));
        }
        this.tick();
    }

    schedule(first, last, when) {
        const { context, recording } = this;
        const rate = recording.sampleRate;
        const buffer = context.createBuffer(1, last - first, rate);
        buffer.copyToChannel(recording.samples.subarray(first, last), 0);
        const source = context.createBufferSource();
        source.buffer = buffer;
        source.connect(this.gain);
        const start = Math.ceil(when * rate - 1e-6) / rate; /* on a sample: nothing between pieces */
        source.start(start);
        source.onended = () => this.sources.delete(source);
        this.sources.add(source);
        if (!this.spans.length && first > 0) {
            this.gain.gain.setValueAtTime(0, start);
            this.gain.gain.linearRampToValueAtTime(1, start + FADE);
        }
        this.at = start + (last - first) / rate;
        this.spans.push({ at: start, from: first / rate, to: last / rate });
        if (this.reaches(last / rate, this.until)) {
            this.gain.gain.setValueAtTime(1, Math.max(start, this.at - FADE));
            this.gain.gain.linearRampToValueAtTime(0, this.at);
        }
    }

    /* Takes back what was handed over. */
    silence() {
        clearInterval(this.timer);
        this.turn = null;
        this.playing = this.waiting = false;
        if (this.gain) {
            const now = this.context.currentTime;
            this.gain.gain.cancelScheduledValues(now);
            this.gain.gain.setTargetAtTime(0, now, FADE / 2);
            for (const source of this.sources) {
                source.stop(now + 4 * FADE);
            }
            this.gain = null;
        }
        this.sources.clear();
        this.spans = [];
    }

    /* -- telling ---------------------------------------------------------------------------- */

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
        if (this.playing && this.gain && this.atEnd &&
            this.context.currentTime - (this.context.outputLatency || 0) >= this.at) {
            /* Within the part still, so that its word stays lit. */
            const end = this.until <= this.duration ? this.until - 0.001 : this.duration;
            this.silence();
            this.position = Math.max(0, end);
            this.changed();
            return;
        }
        this.dispatchEvent(new Event("time"));
    }
}
