/* Praat's TextGrid: written in the long text form, read in the long and the short one.
 * https://www.fon.hum.uva.nl/praat/manual/TextGrid_file_formats.html */

/* tiers: [{name, intervals: [{name, start, end}]}] in order of time; gaps become empty
 * intervals, for Praat wants every tier to cover the whole. */
export function writeTextGrid(tiers, duration) {
    const lines = ['File type = "ooTextFile"', 'Object class = "TextGrid"', "", "xmin = 0 ",
                   `xmax = ${time(duration)} `, "tiers? <exists> ", `size = ${tiers.length} `,
                   "item []: "];
    tiers.forEach(({ name, intervals }, index) => {
        const tiles = tile(intervals, duration);
        lines.push(`    item [${index + 1}]:`, '        class = "IntervalTier" ',
                   `        name = ${quote(name)} `, "        xmin = 0 ",
                   `        xmax = ${time(duration)} `, `        intervals: size = ${tiles.length} `);
        tiles.forEach((tile, i) => {
            lines.push(`        intervals [${i + 1}]:`, `            xmin = ${time(tile.start)} `,
                       `            xmax = ${time(tile.end)} `, `            text = ${quote(tile.name)} `);
        });
    });
    return `${lines.join("\n")}\n`;
}

const time = (seconds) => String(Number(seconds.toFixed(6)));
const quote = (text) => `"${text.replaceAll('"', '""')}"`;

function tile(intervals, duration) {
    const tiles = [];
    let end = 0;
    for (const interval of intervals) {
        if (interval.end <= interval.start) {
            continue;
        }
        if (interval.start > end + 1e-6) {
            tiles.push({ name: "", start: end, end: interval.start });
        }
        tiles.push({ ...interval, start: Math.max(end, interval.start) });
        end = interval.end;
    }
    if (end < duration - 1e-6) {
        tiles.push({ name: "", start: end, end: duration });
    }
    return tiles;
}

/* The interval tiers of a file, empty intervals left out: [{name, intervals}]. Throws an Error
 * that says what is wrong. In both forms only free-standing numbers, quoted strings and <exists>
 * carry meaning. */
export function readTextGrid(text) {
    const tokens = text.match(/"(?:[^"]|"")*"|<exists>|(?<![^\s])-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?(?![^\s])/g) || [];
    let next = 0;
    const take = (what, fits) => {
        const token = tokens[next++];
        if (token === undefined || !fits(token)) {
            throw new Error(token === undefined
                ? `This TextGrid ends where ${what} should stand.`
                : `This TextGrid has ${token.slice(0, 40)} where ${what} should stand.`);
        }
        return token;
    };
    const string = (what) => take(what, (token) => token[0] === '"').slice(1, -1).replaceAll('""', '"');
    const number = (what) => Number(take(what, (token) => /^[-\d]/.test(token)));
    if (tokens[0] !== '"ooTextFile"' || tokens[1] !== '"TextGrid"') {
        throw new Error("This is no TextGrid in Praat's text form.");
    }
    next = 2;
    number("the start");
    number("the end");
    take("<exists>", (token) => token === "<exists>");
    const tiers = [];
    for (let left = number("the number of tiers"); left > 0; left--) {
        const kind = string("the class of a tier");
        const tier = { name: string("the name of a tier"), intervals: [] };
        number("the start of a tier");
        number("the end of a tier");
        for (let count = number("the number of intervals"); count > 0; count--) {
            const start = number("a time");
            const end = kind === "IntervalTier" ? number("a time") : start;
            const name = string("a text");
            if (end < start || start < (tier.intervals.at(-1)?.end ?? 0) - 1e-6) {
                throw new Error(`In this TextGrid the intervals of “${tier.name}” are not in order ` +
                                `at ${start} s.`);
            }
            if (name.trim() && end > start) {
                tier.intervals.push({ name, start, end });
            }
        }
        tiers.push(tier);
    }
    return tiers.filter(({ intervals }) => intervals.length);
}

/* The text of a file that Praat wrote: UTF-8, or UTF-16 with a mark at its beginning. */
export async function textOfFile(file) {
    const bytes = new Uint8Array(await file.arrayBuffer());
    const wide = bytes[0] === 0xfe && bytes[1] === 0xff ? "utf-16be"
               : bytes[0] === 0xff && bytes[1] === 0xfe ? "utf-16le" : "utf-8";
    return new TextDecoder(wide).decode(bytes);
}
