"""Puts an inverter file (models/train/train_inverter) into a voice: --inverter FILE."""

import numpy as np

from . import parts
from .report import ExportError

PREFIX = "inverter."
SAME = ("sample_rate", "n_fft", "win_length", "hop_length", "n_mels", "window_periodic", "mel_power", "preemphasis")
DEFAULTS = {"window_periodic": True, "mel_power": 1, "preemphasis": 0}


def put(path, config, tensors, stored):
    """Adds the inverter file to a voice's config, tensors and their stored types, in place of one it had."""
    _, found, values = parts.read(path, ("taco-inverter",), "not an inverter file")
    if "basis" not in values or not {"audio", "inverter"} <= set(found):
        raise ExportError(f"{path}: not an inverter file")
    basis, dtypes = values.pop("basis"), parts.dtypes_of(path)
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
