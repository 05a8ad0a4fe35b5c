/* What the drawings share: canvases at the screen's resolution, the colours of the style
 * sheet, colour maps, ticks. */

/* Sizes a canvas to its CSS box and returns {context, width, height} in CSS pixels, cleared. */
export function beginDrawing(canvas) {
    const ratio = window.devicePixelRatio || 1;
    const width = canvas.clientWidth;
    const height = canvas.clientHeight;
    canvas.width = devicePixels(width);
    canvas.height = devicePixels(height);
    const context = canvas.getContext("2d");
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.textBaseline = "middle";
    return { context, width, height };
}

/* CSS pixels in whole pixels of the screen, and a place moved to the border of one. */
export function devicePixels(length) {
    return Math.round(length * (window.devicePixelRatio || 1));
}

export function snap(place) {
    return devicePixels(place) / (window.devicePixelRatio || 1);
}

/* For pages that set no colours of their own. */
const DEFAULTS = {
    "--ink": "#1d1c1a", "--faint": "#66625a", "--line": "#d9d5ca", "--wave": "#34507a",
    "--accent": "#b8321c", "--accent-wash": "#f7ddd5", "--map-0": "#fdfcf9", "--map-1": "#dbe6ea",
    "--map-2": "#a4c3d3", "--map-3": "#6696b9", "--map-4": "#376a9d", "--map-5": "#1f3f73",
    "--map-6": "#0c1533", "--plot-font": "11px system-ui, sans-serif",
};

/* The colours in use, read from the style sheet's custom properties, so that light and dark
 * are told there alone. */
export function readTheme() {
    const style = getComputedStyle(document.documentElement);
    const own = style.getPropertyValue("--map-0").trim() !== "";
    const color = (name) => (own ? style.getPropertyValue(name).trim() : DEFAULTS[name] || "");
    const stops = [];
    for (let i = 0; color(`--map-${i}`); i++) {
        stops.push(color(`--map-${i}`));
    }
    return {
        ink: color("--ink"),
        faint: color("--faint"),
        line: color("--line"),
        wave: color("--wave"),
        accent: color("--accent"),
        wash: color("--accent-wash"),
        plot: color("--map-0"),
        font: color("--plot-font"),
        map: colorMap(stops),
    };
}

/* 256 colours [256 * 3] through equally spaced stops "#rrggbb". */
export function colorMap(stops) {
    const rgb = stops.map((stop) => [1, 3, 5].map((i) => parseInt(stop.slice(i, i + 2), 16)));
    const map = new Uint8ClampedArray(256 * 3);
    for (let i = 0; i < 256; i++) {
        const position = i / 255 * (rgb.length - 1);
        const left = Math.min(rgb.length - 2, Math.floor(position));
        for (let c = 0; c < 3; c++) {
            const [a, b] = [rgb[left][c], rgb[left + 1][c]];
            map[3 * i + c] = a + (b - a) * (position - left);
        }
    }
    return map;
}

/* An image of columns by rows, one pixel a cell, row 0 at the bottom: shade(column, row) is
 * 0 to 1. */
export function cellImage(columns, rows, map, shade) {
    const canvas = document.createElement("canvas");
    canvas.width = columns;
    canvas.height = rows;
    const context = canvas.getContext("2d");
    const image = context.createImageData(columns, rows);
    for (let row = 0; row < rows; row++) {
        for (let column = 0; column < columns; column++) {
            const color = 3 * Math.round(255 * Math.min(1, Math.max(0, shade(column, row))));
            const pixel = 4 * ((rows - 1 - row) * columns + column);
            image.data[pixel] = map[color];
            image.data[pixel + 1] = map[color + 1];
            image.data[pixel + 2] = map[color + 2];
            image.data[pixel + 3] = 255;
        }
    }
    context.putImageData(image, 0, 0);
    return canvas;
}

/* Draws a cell image into a rectangle: cells stay sharp when enlarged, are averaged when there
 * are more of them than pixels. */
export function drawCells(context, image, x, y, width, height) {
    context.imageSmoothingEnabled = image.width > devicePixels(width) ||
                                    image.height > devicePixels(height);
    context.imageSmoothingQuality = "high";
    context.drawImage(image, x, y, width, height);
}

/* Keeps what follows right of the labels. */
export function clipToPlot(context, view, height) {
    context.beginPath();
    context.rect(view.gutter, 0, view.plotWidth, height);
    context.clip();
}

/* A small label at the right end of the gutter. */
export function drawLabel(context, theme, view, text, y) {
    context.font = theme.font;
    context.fillStyle = theme.faint;
    context.textAlign = "right";
    context.fillText(text, view.gutter - 8, y);
}

/* A step of 1, 2 or 5 times a power of ten, not below the least. */
export function roundStep(least) {
    const power = 10 ** Math.floor(Math.log10(least));
    return power * [1, 2, 5, 10].find((step) => step * power >= least * (1 - 1e-9));
}

/* A text cut to a width with an ellipsis, "" when not even a letter fits. */
export function fitText(context, text, width) {
    if (context.measureText(text).width <= width) {
        return text;
    }
    for (let length = text.length - 1; length > 0; length--) {
        const cut = text.slice(0, length) + "…";
        if (context.measureText(cut).width <= width) {
            return cut;
        }
    }
    return "";
}
