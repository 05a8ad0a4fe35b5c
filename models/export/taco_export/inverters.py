"""Puts an inverter file (models/train/train_inverter) into a voice: --inverter FILE."""

import json
import struct

import numpy as np

from . import safetensors
from .report import ExportError

PREFIX = "inverter."
SAME = ("sample_rate", "n_fft", "win_length", "hop_length", "n_mels", "window_periodic", "mel_power", "preemphasis")
DEFAULTS = {"window_periodic": True, "mel_power": 1, "preemphasis": 0}


def read(path):
    """(config, {name: values}) of an inverter file."""
    try:
        tensors, metadata = safetensors.read(path)
        if metadata.get("format") != "taco-inverter":
            raise ExportError(f"{path}: not an inverter file")
        return json.loads(metadata["config"]), tensors
    except OSError as e:
        raise ExportError(f"{path}: {e.strerror}") from e
    except (ValueError, struct.error, KeyError, TypeError, AttributeError) as e:
        raise ExportError(f"{path}: not an inverter file") from e


def put(path, config, tensors, stored, dtypes):
    """Adds the inverter to a voice's config, tensors and their stored types, in place of one it had. dtypes: of the
    inverter file."""
    found, values = read(path)
    basis = values.pop("basis")
    for key in SAME:
        theirs, ours = (audio.get(key, DEFAULTS.get(key)) for audio in (found["audio"], config["audio"]))
        if theirs != ours:
            raise ExportError(f"--inverter {path}: trained for audio.{key} {theirs}, the voice has {ours}")
    if np.abs(basis - tensors["audio.mel_basis"]).max() > 1e-3 * np.abs(basis).max():
        raise ExportError(f"--inverter {path}: trained for another mel basis than the voice's")
    for name in [name for name in tensors if name.startswith(PREFIX)]:
        del tensors[name]
    config["inverter"] = found["inverter"]
    for name, x in values.items():
        tensors[PREFIX + name], stored[PREFIX + name] = x, dtypes[name]
