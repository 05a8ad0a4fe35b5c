"""Reads and writes safetensors: a length, a JSON header, the tensors (models/FORMAT.md)."""

import json
import os
import struct

import numpy as np

from .report import ExportError

ALIGNMENT = 64
DTYPES = {"F32": np.dtype("<f4"), "F16": np.dtype("<f2"), "BF16": np.dtype("<u2"),
          "I64": np.dtype("<i8")}


def to_bf16(values):
    """float32 to bfloat16 bits, to nearest, ties to even."""
    bits = np.ascontiguousarray(values, np.float32).view(np.uint32)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)


def from_bf16(bits):
    return (bits.astype(np.uint32) << 16).view(np.float32)


def encode(name, values, dtype):
    """Values as stored in dtype (F32, F16, BF16, I64); what does not fit is an error."""
    if dtype == "BF16":
        return to_bf16(values)
    with np.errstate(over="ignore"):
        stored = np.ascontiguousarray(values).astype(DTYPES[dtype])
    if dtype == "F16" and not np.isfinite(stored).all():
        raise ExportError(f"{name}: values up to {np.abs(values).max():.3g} do not fit f16; "
                          "use --dtype bf16 or f32")
    return stored


def write(path, tensors, metadata):
    """tensors: {name: (dtype, values)}. Each tensor begins at a multiple of 64 bytes as long as the
    sizes allow: those whose size is such a multiple come first. The file appears whole or not at all."""
    encoded = {name: (dtype, encode(name, values, dtype), np.shape(values))
               for name, (dtype, values) in tensors.items()}
    order = sorted(encoded, key=lambda n: (encoded[n][1].nbytes % ALIGNMENT != 0, n))
    header, offset = {"__metadata__": metadata}, 0
    for name in order:
        dtype, stored, shape = encoded[name]
        header[name] = {"dtype": dtype, "shape": list(shape),
                        "data_offsets": [offset, offset + stored.nbytes]}
        offset += stored.nbytes
    text = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
    text += b" " * (-(8 + len(text)) % ALIGNMENT)
    partial = f"{path}.{os.getpid()}.partial"
    try:
        with open(partial, "wb") as f:
            f.write(struct.pack("<Q", len(text)))
            f.write(text)
            for name in order:
                f.write(encoded[name][1].tobytes())
        os.replace(partial, path)
    finally:
        if os.path.exists(partial):
            os.unlink(partial)


def read(path):
    """({name: values as float32 or int64}, metadata) of a file that write() made."""
    with open(path, "rb") as f:
        size = struct.unpack("<Q", f.read(8))[0]
        header, data = json.loads(f.read(size)), f.read()
    metadata, tensors = header.pop("__metadata__", {}), {}
    for name, entry in header.items():
        begin, end = entry["data_offsets"]
        values = np.frombuffer(data[begin:end], DTYPES[entry["dtype"]]).reshape(entry["shape"])
        if entry["dtype"] == "BF16":
            values = from_bf16(values)
        tensors[name] = values if entry["dtype"] == "I64" else values.astype(np.float32)
    return tensors, metadata
