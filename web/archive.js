/* NumPy arrays and an archive of them (.npz): a ZIP without compression. */

/* Float32Array in C order -> Uint8Array of a .npy file. */
export function npy(data, shape) {
    let header = `{'descr': '<f4', 'fortran_order': False, 'shape': (${shape.join(", ")}${shape.length === 1 ? "," : ""}), }`;
    header += `${" ".repeat(63 - (10 + header.length) % 64)}\n`;
    const bytes = new Uint8Array(10 + header.length + 4 * data.length);
    bytes.set([0x93, ...[..."NUMPY"].map((c) => c.charCodeAt(0)), 1, 0]);
    new DataView(bytes.buffer).setUint16(8, header.length, true);
    bytes.set(new TextEncoder().encode(header), 10);
    const view = new DataView(bytes.buffer, 10 + header.length);
    data.forEach((value, i) => view.setFloat32(4 * i, value, true));
    return bytes;
}

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
    let value = byte;
    for (let bit = 0; bit < 8; bit++) {
        value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
    }
    return value;
});

function crc32(bytes) {
    let crc = 0xffffffff;
    for (const byte of bytes) {
        crc = TABLE[(crc ^ byte) & 0xff] ^ (crc >>> 8);
    }
    return (crc ^ 0xffffffff) >>> 0;
}

/* files: [[name, Uint8Array]] -> Blob. PKWARE APPNOTE 4.3, method 0 (stored). */
export function zip(files) {
    const parts = [];
    const directory = [];
    let offset = 0;
    for (const [name, bytes] of files) {
        const title = new TextEncoder().encode(name);
        const fields = new DataView(new ArrayBuffer(26)); /* what both headers share */
        fields.setUint16(0, 20, true);
        fields.setUint16(2, 0x0800, true); /* names in UTF-8 */
        fields.setUint16(8, 0x21, true);   /* 1 January 1980: no clock in the file */
        fields.setUint32(10, crc32(bytes), true);
        fields.setUint32(14, bytes.length, true);
        fields.setUint32(18, bytes.length, true);
        fields.setUint16(22, title.length, true);
        parts.push(signature(0x04034b50), fields, title, bytes);
        const place = new DataView(new ArrayBuffer(14));
        place.setUint32(10, offset, true);
        directory.push(signature(0x02014b50), word(20), fields, place, title);
        offset += 30 + title.length + bytes.length;
    }
    const end = new DataView(new ArrayBuffer(18));
    end.setUint16(4, files.length, true);
    end.setUint16(6, files.length, true);
    end.setUint32(8, directory.reduce((sum, part) => sum + part.byteLength, 0), true);
    end.setUint32(12, offset, true);
    return new Blob([...parts, ...directory, signature(0x06054b50), end], { type: "application/zip" });
}

function signature(value) {
    const view = new DataView(new ArrayBuffer(4));
    view.setUint32(0, value, true);
    return view;
}

function word(value) {
    const view = new DataView(new ArrayBuffer(2));
    view.setUint16(0, value, true);
    return view;
}
