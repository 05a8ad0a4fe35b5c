/* The part of the result that the lanes show: a window of time, and the chunks (sentences)
 * inside it. All lanes share it, so that a moment stands at the same x in each. It follows the
 * sound until a person moves it.
 *
 * Event: "change". */

const SHORTEST = 0.05;        /* seconds that the window shows at least */
const SHORTEST_REGION = 0.02; /* seconds: less is a click */

export class View extends EventTarget {
    constructor() {
        super();
        this.result = null;
        this.width = 0;   /* CSS pixels of a lane, labels included */
        this.gutter = 0;  /* of these, for the labels at the left */
        this.start = 0;   /* seconds */
        this.end = 1;
        this.chunk = 0;   /* the sentence shown */
        this.whole = false;
        this.following = true; /* it goes where the sound goes */
        this.region = null;    /* [start, end] in seconds: what a person has selected */
    }

    open(result) {
        this.result = result;
        this.whole = false;
        this.following = true;
        this.region = null;
        this.chunk = -1;
        this.show(0);
    }

    resize(width) {
        this.width = width;
        this.gutter = width < 560 ? 58 : 92;
        this.changed();
    }

    /* Shows one sentence. */
    show(chunk) {
        if (chunk === this.chunk && !this.whole) {
            return;
        }
        this.chunk = Math.min(this.result.chunks.length - 1, Math.max(0, chunk));
        this.whole = false;
        this.fit();
    }

    showWhole(whole) {
        this.whole = whole;
        this.fit();
    }

    fit() {
        [this.start, this.end] = this.bounds();
        this.changed();
    }

    /* The chunks that are shown, in order: those that lie in the window, or the sentence. */
    chunks() {
        return this.whole
            ? this.result.chunks.filter(({ start, end, pause }) =>
                start < this.end && end + pause > this.start)
            : [this.result.chunks[this.chunk]];
    }

    /* The time that can be shown: a sentence without its pause, or everything. */
    bounds() {
        if (this.whole || this.result.chunks.length === 1) {
            return [0, this.result.duration];
        }
        const chunk = this.result.chunks[this.chunk];
        return [chunk.start, chunk.end];
    }

    select(start, end) {
        const [from, to] = [Math.min(start, end), Math.max(start, end)];
        this.region = to - from >= SHORTEST_REGION
            ? [Math.max(0, from), Math.min(this.result.duration, to)] : null;
        this.changed();
    }

    /* Shows a region, with a little around it. */
    zoomTo([start, end]) {
        const margin = 0.05 * (end - start);
        if (start < this.bounds()[0] || end > this.bounds()[1]) {
            this.whole = true;
        }
        this.set(start - margin, Math.max(SHORTEST, end - start + 2 * margin));
        this.changed();
    }

    follows(following) {
        if (following !== this.following) {
            this.following = following;
            this.changed();
        }
    }

    isFitted() {
        const [start, end] = this.bounds();
        return this.start <= start && this.end >= end;
    }

    showsEverything() {
        return this.start <= 0 && this.end >= this.result.duration;
    }

    /* Zooms about a time by a factor above (nearer) or below 1. */
    zoom(factor, time) {
        const center = time >= this.start && time <= this.end ? time : (this.start + this.end) / 2;
        const length = Math.max(SHORTEST, (this.end - this.start) / factor);
        const before = (center - this.start) / (this.end - this.start);
        this.set(center - before * length, length);
    }

    /* Moves the window by a time, as far as there is something to show. */
    pan(seconds) {
        this.set(this.start + seconds, this.end - this.start);
    }

    /* Turns a page when a time lies outside. */
    follow(time) {
        if (time < this.start || time >= this.end) {
            this.set(time, this.end - this.start);
        }
    }

    set(start, length) {
        const [first, last] = this.bounds();
        length = Math.min(length, last - first);
        start = Math.min(last - length, Math.max(first, start));
        if (start !== this.start || start + length !== this.end) {
            this.start = start;
            this.end = start + length;
            this.changed();
        }
    }

    x(time) {
        return this.gutter + (time - this.start) / (this.end - this.start) * this.plotWidth;
    }

    time(x) {
        const time = this.start + (x - this.gutter) / this.plotWidth * (this.end - this.start);
        return Math.min(this.end, Math.max(this.start, time));
    }

    get plotWidth() {
        return Math.max(1, this.width - this.gutter);
    }

    changed() {
        if (!this.result) {
            return; /* nothing to show yet */
        }
        this.dispatchEvent(new Event("change"));
    }
}
