"""Reads voices and the parts of voices: safetensors files whose metadata has a `format` and a `config`."""

import json
import struct

from . import safetensors
from .report import ExportError


def dtypes_of(path):
    """{name: dtype} as stored."""
    with open(path, "rb") as f:
        header = json.loads(f.read(struct.unpack("<Q", f.read(8))[0]))
    return {name: entry["dtype"] for name, entry in header.items() if name != "__metadata__"}


def metadata_of(path):
    """Of any file: {} where it cannot be a voice."""
    with open(path, "rb") as f:
        length = f.read(8)
        size = struct.unpack("<Q", length)[0] if len(length) == 8 else 0
        if size > 100 << 20:
            return {}
        return json.loads(f.read(size)).get("__metadata__", {})


def read(path, formats, refusal):
    """(format, config, {name: values}) of a file of one of the formats; the error of any other is `refusal`."""
    try:
        form = metadata_of(path).get("format")
        if form not in formats:
            raise ExportError(f"{path}: {refusal}")
        tensors, metadata = safetensors.read(path)
        return form, json.loads(metadata["config"]), tensors
    except OSError as e:
        raise ExportError(f"{path}: {e.strerror}") from e
    except (ValueError, struct.error, KeyError, TypeError, AttributeError) as e:
        raise ExportError(f"{path}: {refusal}") from e
