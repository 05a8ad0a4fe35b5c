"""Files that tacod reads already: voices, and the parts that are put into them (attentions, inverters)."""

import json
import struct
import types

from . import attentions, inverters, safetensors, schema
from .parts import dtypes_of, metadata_of
from .report import ExportError


def is_voice(path):
    """Whether the file is a voice already, not a checkpoint."""
    try:
        return metadata_of(path).get("format") == "taco-voice"
    except (OSError, ValueError, struct.error, KeyError, AttributeError):
        return False


def change(voice, output, additions=(), settings=None, inverter=None):
    """Copies the voice to output with attentions, NAME=FILE each, and an inverter file in place of what it has of these.
    settings, if given, may change the sections model, audio and text. Returns the attentions."""
    tensors, metadata = safetensors.read(voice)
    config, stored = json.loads(metadata["config"]), dtypes_of(voice)
    if settings:
        settings(types.SimpleNamespace(**{name: config[name] for name in ("model", "audio", "text")}))
    for addition in additions:
        name, separator, path = addition.partition("=")
        if not separator:
            raise ExportError(f"--attention {addition}: expected NAME=FILE")
        attentions.put(name, path, config, tensors, stored)
    if inverter:
        inverters.put(inverter, config, tensors, stored)
    schema.check_config(config)
    schema.check_tensors(config, tensors)
    metadata["config"] = json.dumps(config, ensure_ascii=False, separators=(",", ":"))
    safetensors.write(output, {name: (stored[name], x) for name, x in tensors.items()}, metadata)
    return config["model"].get("attentions", {})
