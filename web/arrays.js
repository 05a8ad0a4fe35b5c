/* Number arrays as the server sends them: base64, float16, NumPy's .npy. */

export function bytesFromBase64(text) {
    const binary = atob(text);
    const bytes = new Uint8Array(binary.length);
    for (let i = 0; i < binary.length; i++) {
        bytes[i] = binary.charCodeAt(i);
    }
    return bytes;
}

/* IEEE 754 binary16: 1 sign, 5 exponent, 10 fraction bits. */
function numberFromHalf(half) {
    const sign = half & 0x8000 ? -1 : 1;
    const exponent = (half >> 10) & 0x1f;
    const fraction = half & 0x3ff;
    if (exponent === 0) {
        return sign * fraction * 2 ** -24;
    }
    if (exponent === 0x1f) {
        return fraction ? NaN : sign * Infinity;
    }
    return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

let halves = null; /* [65536], made at first use */

/* bytes [2 n], little-endian, any alignment -> Float32Array [n] */
export function floatsFromHalves(bytes) {
    if (!halves) {
        halves = Float32Array.from({ length: 65536 }, (_, half) => numberFromHalf(half));
    }
    const floats = new Float32Array(bytes.length >> 1);
    for (let i = 0; i < floats.length; i++) {
        floats[i] = halves[bytes[2 * i] | (bytes[2 * i + 1] << 8)];
    }
    return floats;
}

/* A .npy file of little-endian float32 in C order -> {shape, data: Float32Array}. */
export function arrayFromNpy(buffer) {
    const bytes = new Uint8Array(buffer);
    const view = new DataView(buffer);
    if (bytes.length < 12 || bytes[0] !== 0x93 ||
        String.fromCharCode(...bytes.subarray(1, 6)) !== "NUMPY") {
        throw new Error("not a NumPy file");
    }
    const wide = bytes[6] > 1; /* version 2 has a 4-byte header length */
    const start = wide ? 12 : 10;
    const end = start + (wide ? view.getUint32(8, true) : view.getUint16(8, true));
    const header = new TextDecoder("latin1").decode(bytes.subarray(start, end));
    const shape = /'shape':\s*\(([\d,\s]*)\)/.exec(header);
    if (!shape || !/'descr':\s*'<f4'/.test(header) || !/'fortran_order':\s*False/.test(header)) {
        throw new Error(`a NumPy file of another kind: ${header.trim()}`);
    }
    const sizes = shape[1].split(",").map((size) => size.trim()).filter(Boolean).map(Number);
    const count = sizes.reduce((product, size) => product * size, 1);
    if (bytes.length - end < 4 * count) {
        throw new Error("a NumPy file that is cut short");
    }
    return { shape: sizes, data: new Float32Array(buffer.slice(end, end + 4 * count)) };
}
