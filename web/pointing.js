/* What the pointer, fingers and the keyboard do on the lanes. */

const WIDE = 12; /* pixels that a finger moves before it drags */

/* The lanes: point to read, press or drag to seek, Shift and drag (or the page's Select) to
 * select, Ctrl and wheel or two fingers to zoom. */
export function listenToLanes(lanes) {
    const { element, view, player } = lanes;
    const fingers = new Map(); /* pointer id -> x */
    let drag = null; /* {kind: "seek" | "select" | "wait" | "edit", x, from} */
    let pinch = 0;   /* distance of two fingers */

    const x = (event) => event.clientX - element.getBoundingClientRect().left;

    element.addEventListener("pointermove", (event) => {
        if (fingers.has(event.pointerId)) {
            fingers.set(event.pointerId, x(event));
        }
        if (fingers.size === 2) {
            const [a, b] = fingers.values();
            const distance = Math.max(20, Math.abs(a - b));
            view.follows(false);
            view.zoom(distance / pinch, view.time((a + b) / 2));
            pinch = distance;
            return;
        }
        point(lanes, event);
        if (!drag) {
            return;
        }
        const time = view.time(x(event));
        if (drag.kind === "wait" && Math.abs(x(event) - drag.x) > WIDE) {
            drag.kind = "seek";
        }
        if (drag.kind === "seek") {
            player.seek(time);
        } else if (drag.kind === "select") {
            view.select(drag.from, time);
        } else if (drag.kind === "edit") {
            lanes.edits.drag(time);
        }
    });
    element.addEventListener("pointerleave", () => {
        if (!drag) {
            lanes.hideCursor();
        }
    });
    element.addEventListener("pointerdown", (event) => {
        if (event.button !== 0 || !(event.target instanceof HTMLCanvasElement)) {
            return;
        }
        if (event.pointerType === "touch") {
            fingers.set(event.pointerId, x(event));
            if (fingers.size === 2) {
                const [a, b] = fingers.values();
                pinch = Math.max(20, Math.abs(a - b));
                drag = null;
                return;
            }
        }
        const time = view.time(x(event));
        const drawing = lanes.drawingOn(event.target);
        const interval = drawing?.intervalAt?.(time, event.offsetY);
        if (drawing && drawing === lanes.edits && lanes.edits.grab(x(event), event.offsetY)) {
            drag = { kind: "edit" };
            event.preventDefault();
        } else if (event.shiftKey || lanes.selecting) {
            drag = { kind: "select", from: time };
            event.preventDefault();
        } else if (interval) {
            player.play(interval.start, interval.end);
        } else if (event.pointerType === "touch") {
            drag = { kind: "wait", x: x(event), from: time };
        } else {
            drag = { kind: "seek" };
            player.seek(time);
        }
    });
    for (const name of ["pointerup", "pointercancel"]) {
        window.addEventListener(name, (event) => {
            if (drag?.kind === "wait" && name === "pointerup") {
                player.seek(drag.from); /* a tap */
            }
            if (drag?.kind === "edit") {
                lanes.edits.drop();
            }
            fingers.delete(event.pointerId);
            drag = null;
        });
    }
    element.addEventListener("wheel", (event) => {
        if (event.ctrlKey) {
            event.preventDefault();
            view.zoom(2 ** (-event.deltaY / 200), view.time(x(event)));
        } else if (event.deltaX && !view.isFitted()) {
            event.preventDefault();
            view.follows(false);
            view.pan(event.deltaX / view.plotWidth * (view.end - view.start));
        }
    }, { passive: false });
}

function point(lanes, event) {
    const { view, attention } = lanes;
    if (!(event.target instanceof HTMLCanvasElement) || event.offsetX < view.gutter || !lanes.result) {
        lanes.hideCursor();
        return;
    }
    const lane = lanes.drawingOn(event.target);
    lanes.readout.setAttribute("aria-live", "off");
    const time = view.time(event.offsetX);
    const cell = lane === attention && attention.cellAt(time, event.offsetY);
    const text = lane ? lane.describe(time, event.offsetY) : "";
    const band = cell && attention.band(lanes.result.chunks[cell.chunk], cell.symbol);
    lanes.showCursor(event.offsetX, band || null, describeMoment(time, text));
}

/* The overview: a slider over the whole. */
export function listenToOverview(lanes) {
    const { waveform, player } = lanes;
    const seek = (event) => player.seek(lanes.overviewTime(event.offsetX));
    waveform.addEventListener("pointerdown", (event) => {
        if (event.button === 0) {
            waveform.setPointerCapture(event.pointerId);
            lanes.view.follows(true);
            seek(event);
        }
    });
    waveform.addEventListener("pointermove", (event) => {
        if (waveform.hasPointerCapture(event.pointerId)) {
            seek(event);
        }
    });
    waveform.addEventListener("keydown", (event) => {
        const { duration } = player;
        const steps = { ArrowLeft: -0.1, ArrowDown: -0.1, ArrowRight: 0.1, ArrowUp: 0.1,
                        PageDown: -1, PageUp: 1, Home: -duration, End: duration };
        if (event.key === " ") {
            player.toggle();
        } else if (event.key in steps) {
            player.seek(Math.min(duration, Math.max(0, player.time + steps[event.key])));
        } else {
            return;
        }
        event.preventDefault();
    });
}

/* The attention map by keyboard: a cursor that walks over its cells. */
export function listenToMap(lanes) {
    const { attention, player } = lanes;
    const map = attention.canvas;
    map.addEventListener("focus", () => {
        if (map.matches(":focus-visible") && lanes.result?.hasMatrix) {
            attention.place(player.time);
            lanes.showCell();
        }
    });
    map.addEventListener("blur", () => lanes.hideCursor());
    map.addEventListener("keydown", (event) => {
        const { result, view } = lanes;
        const { chunk, step } = attention.cursor;
        const time = result.stepTime(result.chunks[chunk], step);
        if (event.key === "Enter") {
            player.play(time);
        } else if (event.key === " ") {
            player.toggle();
        } else if (event.key === "[") {
            view.select(time, view.region?.[1] > time ? view.region[1] : view.bounds()[1]);
        } else if (event.key === "]") {
            view.select(view.region?.[0] < time ? view.region[0] : view.bounds()[0], time);
        } else if (attention.move(event.key, event.shiftKey)) {
            lanes.showCell();
        } else {
            return;
        }
        event.preventDefault();
    });
}

export function describeMoment(time, text) {
    return [`${time.toFixed(3)} s`, text].filter(Boolean).join(" · ");
}
