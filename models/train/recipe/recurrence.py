"""An LSTM over a whole sequence: by lstm.c where the processor has bf16 products, otherwise by torch."""

import ctypes

import torch
from torch.nn import functional

_FLOATS = ctypes.POINTER(ctypes.c_float)
BATCH_MULTIPLE = 8  # of lstm.c


def load(path):
    """The library of lstm.c, or None where the processor, or the library, lacks what it takes."""
    try:
        with open("/proc/cpuinfo", encoding="ascii", errors="replace") as f:
            flags = next((line for line in f if line.startswith("flags")), "").split()
        return ctypes.CDLL(path) if "avx512_bf16" in flags else None
    except OSError:
        return None


def _pointer(tensor):
    assert tensor.is_contiguous() and tensor.dtype == torch.float32
    return ctypes.cast(tensor.data_ptr(), _FLOATS)


def _call(function, sizes, *tensors):
    """Calls a function of lstm.c. The tensors are this call's own references: a pointer keeps no tensor alive, and a
    temporary would be freed, and its memory reused, before the function reads it."""
    if function(*sizes, *map(_pointer, tensors)):
        raise MemoryError(function.__name__)


class _Scan(torch.autograd.Function):
    """h [T, B, H] from the input sums z [T, B, 4H] and the recurrent weights w [4H, H]."""

    @staticmethod
    def forward(ctx, z, w, library):
        z, w = z.contiguous(), w.contiguous()
        (t, b, _), units = z.shape, w.shape[1]
        h, c, gates = torch.empty(t, b, units), torch.empty(t, b, units), torch.empty_like(z)
        _call(library.taco_lstm_forward, (t, b, units), z, w, h, c, gates)
        ctx.save_for_backward(w, h, c, gates)
        ctx.library = library
        return h

    @staticmethod
    def backward(ctx, d_h):
        w, h, c, gates = ctx.saved_tensors
        (t, b, units), dz = h.shape, torch.empty_like(gates)
        _call(ctx.library.taco_lstm_backward, (t, b, units), d_h.contiguous(), w, c, gates, dz)
        rows, columns = dz[1:].reshape(-1, 4 * units), h[:-1].reshape(-1, units)
        return dz, (rows.bfloat16().t() @ columns.bfloat16()).float(), None


class Recurrence:
    """Callable: recurrence(weights, x [T, B, D]) -> h [T, B, H]; weights: (w_ih, w_hh, b_ih, b_hh) of torch's."""

    def __init__(self, library=None):
        self.library = library

    def __call__(self, weights, x):
        w_ih, w_hh, b_ih, b_hh = weights
        if self.library is None or x.shape[1] % BATCH_MULTIPLE:
            start = x.new_zeros(1, x.shape[1], w_hh.shape[1])
            # pylint: disable=protected-access  (the same call as torch.nn.LSTM's)
            return torch._VF.lstm(x, (start, start), list(weights), True, 1, 0.0, True, False, False)[0]
        with torch.autocast("cpu", dtype=torch.bfloat16):
            z = functional.linear(x, w_ih)
        return _Scan.apply(z.float() + (b_ih + b_hh), w_hh, self.library)
