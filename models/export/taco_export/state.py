"""A checkpoint's state_dict under the common names, with every use checked.

The common names are torchaudio's, the plainest; each layout gives the renames that lead there
(layouts/). What a layout does not take by the end is an unknown part and stops the export.
"""

import re

import numpy as np

from .checkpoint import Tensor
from .report import ExportError


def is_state_dict(value):
    return isinstance(value, dict) and any(isinstance(v, Tensor) for v in value.values())


def strip_prefixes(state):
    """Removes what wrappers put before every key: DataParallel's and DistributedDataParallel's
    `module.`, NVIDIA apex's `module.1.`, `model.`."""
    for prefix in ("module.", "1.", "model.", "module."):
        keys = [k for k, v in state.items() if isinstance(v, Tensor)]
        if keys and all(k.startswith(prefix) for k in keys):
            state = {k[len(prefix):] if k.startswith(prefix) else k: v for k, v in state.items()}
    return state


class State:
    """Tensors by common name. take() gives float64 values and marks the tensor as used."""

    def __init__(self, state, renames=()):
        self._tensors, self._original = {}, {}
        for key, tensor in state.items():
            if not isinstance(key, str) or not isinstance(tensor, Tensor):
                continue
            name = key
            for pattern, replacement in renames:
                name = re.sub(pattern, replacement, name)
            if name in self._tensors:
                raise ExportError(f"{key} and {self._original[name]}: two tensors for {name}")
            self._tensors[name], self._original[name] = tensor, key
        self._left = set(self._tensors)

    def __contains__(self, name):
        return name in self._tensors

    def names(self):
        return list(self._tensors)

    def original(self, name):
        """The name that the checkpoint's own project gives it."""
        return self._original.get(name, name)

    def shape(self, name):
        if name not in self._tensors:
            raise ExportError(f"{name}: not in the checkpoint")
        return self._tensors[name].shape

    def take(self, name, *shape):
        """The tensor's values in float64 and in C order; shape: sizes, None where any is right."""
        found = self.shape(name)
        if shape and (len(found) != len(shape) or
                      any(want is not None and want != n for want, n in zip(shape, found))):
            want = ", ".join("any" if n is None else str(n) for n in shape)
            raise ExportError(f"{self.original(name)}: expected shape [{want}], "
                              f"found {list(found)}")
        values = self._tensors[name].numpy()
        if values.dtype.kind != "f":
            raise ExportError(f"{self.original(name)}: holds {values.dtype}, not real numbers")
        values = values.astype(np.float64)
        if not np.isfinite(values).all():
            n_bad = int((~np.isfinite(values)).sum())
            raise ExportError(f"{self.original(name)}: {n_bad} of {values.size} values are not "
                              "finite (a training run that diverged?)")
        self._left.discard(name)
        return values

    def count(self, pattern):
        """How many consecutive numbers from 0 fill pattern's {i}."""
        n = 0
        while pattern.format(i=n) in self._tensors:
            n += 1
        return n

    def drop(self, pattern):
        """Forgets the tensors whose common name matches; returns how many."""
        matching = [name for name in self._left if re.match(pattern, name)]
        self._left.difference_update(matching)
        return len(matching)

    def check_all_used(self):
        self.drop(r".*\.num_batches_tracked$")
        if self._left:
            names = sorted(self.original(name) for name in self._left)
            more = f" and {len(names) - 6} more" if len(names) > 6 else ""
            raise ExportError("parts of the checkpoint that tacod does not run: "
                              + ", ".join(names[:6]) + more)
