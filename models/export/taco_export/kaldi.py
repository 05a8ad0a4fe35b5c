"""Reads one matrix of Kaldi's, binary or text: the statistics of ESPnet 1's features."""

import struct

import numpy as np

from .report import ExportError


def read_matrix(path):
    """The matrix [rows, columns] in float64."""
    with open(path, "rb") as f:
        data = f.read(64 << 20)
    start = data.find(b"\0B")
    # An archive puts a key before the matrix.
    if 0 <= start <= 256:
        return _binary(path, data[start + 2:])
    text = data.decode("ascii", "replace")
    begin, end = text.find("["), text.find("]")
    if begin < 0 or end < begin:
        raise ExportError(f"{path}: no matrix of Kaldi's")
    return np.array([[float(x) for x in row.split()]
                     for row in text[begin + 1:end].strip().split("\n")])


def _binary(path, data):
    kinds = {b"FM ": "<f4", b"DM ": "<f8"}
    dtype = kinds.get(data[:3])
    if dtype is None or len(data) < 13 or data[3] != 4 or data[8] != 4:
        raise ExportError(f"{path}: a matrix of Kaldi's of type {data[:2]!r}; FM and DM are known "
                          "here")
    rows, = struct.unpack("<i", data[4:8])
    columns, = struct.unpack("<i", data[9:13])
    n_bytes = rows * columns * np.dtype(dtype).itemsize
    if rows <= 0 or columns <= 0 or len(data) < 13 + n_bytes:
        raise ExportError(f"{path}: truncated matrix")
    return np.frombuffer(data[13:13 + n_bytes], dtype).reshape(rows, columns).astype(np.float64)
