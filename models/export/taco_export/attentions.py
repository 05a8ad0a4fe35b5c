"""Puts further attentions into a voice: --attention NAME=FILE.

FILE is an attention file, as models/train/train_attention writes it (safetensors with `format` taco-attention and
`config`, the attention's object of models/FORMAT.md; tensors without a prefix), or a voice, whose default
attention is taken. The voice's other tensors and settings stay as they are.
"""

import json
import struct
import types

from . import inverters, safetensors, schema
from .report import ExportError

DEFAULT = "decoder.attention."


def dtypes_of(path):
    """{name: dtype} as stored."""
    with open(path, "rb") as f:
        header = json.loads(f.read(struct.unpack("<Q", f.read(8))[0]))
    return {name: entry["dtype"] for name, entry in header.items() if name != "__metadata__"}


def is_voice(path):
    """Whether the file is a voice already, not a checkpoint."""
    try:
        return _metadata(path).get("format") == "taco-voice"
    except (OSError, ValueError, struct.error, KeyError, AttributeError):
        return False


def _metadata(path):
    """Of any file: {} where it cannot be a voice."""
    with open(path, "rb") as f:
        length = f.read(8)
        size = struct.unpack("<Q", length)[0] if len(length) == 8 else 0
        if size > 100 << 20:
            return {}
        return json.loads(f.read(size)).get("__metadata__", {})


def read(path):
    """(attention object, {name: values} without a prefix) of an attention file or a voice."""
    try:
        if _metadata(path).get("format") not in ("taco-voice", "taco-attention"):
            raise ExportError(f"{path}: neither an attention file nor a voice")
        tensors, metadata = safetensors.read(path)
        config = json.loads(metadata["config"])
    except OSError as e:
        raise ExportError(f"{path}: {e.strerror}") from e
    except (ValueError, struct.error, KeyError, TypeError, AttributeError) as e:
        raise ExportError(f"{path}: neither an attention file nor a voice") from e
    if metadata.get("format") == "taco-voice":
        return config["model"]["attention"], {name[len(DEFAULT):]: x for name, x in tensors.items()
                                              if name.startswith(DEFAULT)}
    return config, tensors


def write(path, attention, tensors, dtype="F32"):
    """An attention file. Matrices are stored as dtype, vectors as F32."""
    stored = {name: (dtype if x.ndim > 1 else "F32", x) for name, x in tensors.items()}
    safetensors.write(path, stored, {"format": "taco-attention", "version": "1",
                                     "config": json.dumps(attention, separators=(",", ":"))})


def add(voice, output, additions, change=None, inverter=None):
    """Copies the voice to output with additions, NAME=FILE each, in place of what it has under that name.
    change, if given, may change the sections model, audio and text; inverter: an inverter file."""
    tensors, metadata = safetensors.read(voice)
    config, stored = json.loads(metadata["config"]), dtypes_of(voice)
    dtype = stored.get("decoder.attention_rnn.weight_ih", "F32")
    if change:
        change(types.SimpleNamespace(**{name: config[name] for name in ("model", "audio", "text")}))
    attentions = config["model"].get("attentions", {})
    for addition in additions:
        name, separator, path = addition.partition("=")
        if not separator:
            raise ExportError(f"--attention {addition}: expected NAME=FILE")
        prefix = f"attention.{name}."
        for old in [key for key in tensors if key.startswith(prefix)]:
            del tensors[old]
        config["model"]["attentions"] = attentions
        attentions[name], found = read(path)
        for key, values in found.items():
            tensors[prefix + key] = values
            stored[prefix + key] = dtype if values.ndim > 1 else "F32"
    if inverter:
        inverters.put(inverter, config, tensors, stored, dtypes_of(inverter))
    schema.check_config(config)
    schema.check_tensors(config, tensors)
    metadata["config"] = json.dumps(config, ensure_ascii=False, separators=(",", ":"))
    safetensors.write(output, {name: (stored[name], x) for name, x in tensors.items()}, metadata)
    return attentions
