"""Puts further attentions into a voice: --attention NAME=FILE.

FILE is an attention file, as models/train/train_attention writes it (safetensors with `format` taco-attention and
`config`, the attention's object of models/FORMAT.md; tensors without a prefix), or a voice, whose default
attention is taken. The voice's other tensors and settings stay as they are.
"""

import json

from . import parts, safetensors

DEFAULT = "decoder.attention."


def read(path):
    """(attention object, {name: values} without a prefix) of an attention file or a voice."""
    form, config, tensors = parts.read(path, ("taco-voice", "taco-attention"), "neither an attention file nor a voice")
    if form == "taco-voice":
        return config["model"]["attention"], {name[len(DEFAULT):]: x for name, x in tensors.items()
                                              if name.startswith(DEFAULT)}
    return config, tensors


def write(path, attention, tensors, dtype="F32"):
    """An attention file. Matrices are stored as dtype, vectors as F32."""
    stored = {name: (dtype if x.ndim > 1 else "F32", x) for name, x in tensors.items()}
    safetensors.write(path, stored, {"format": "taco-attention", "version": "1",
                                     "config": json.dumps(attention, separators=(",", ":"))})


def put(name, path, config, tensors, stored):
    """Adds the attention at path to a voice's config, tensors and their stored types, in place of one of that name."""
    dtype = stored.get("decoder.attention_rnn.weight_ih", "F32")
    prefix = f"attention.{name}."
    attention, found = read(path)
    for old in [key for key in tensors if key.startswith(prefix)]:
        del tensors[old]
    config["model"].setdefault("attentions", {})[name] = attention
    for key, values in found.items():
        tensors[prefix + key] = values
        stored[prefix + key] = dtype if values.ndim > 1 else "F32"
