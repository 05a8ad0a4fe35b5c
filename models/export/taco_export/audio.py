"""The audio section of a voice, and the mel basis that its features were made with."""

import numpy as np

from .report import ExportError


def hz_to_mel(hz, scale):
    """The mel scale: `slaney` (Auditory Toolbox: linear below 1 kHz, then logarithmic) or `htk`."""
    hz = np.asarray(hz, np.float64)
    if scale == "htk":
        return 2595.0 * np.log10(1.0 + hz / 700.0)
    linear = hz * 3.0 / 200.0
    log_step = np.log(6.4) / 27.0
    return np.where(hz < 1000.0, linear, 15.0 + np.log(np.maximum(hz, 1000.0) / 1000.0) / log_step)


def mel_to_hz(mel, scale):
    mel = np.asarray(mel, np.float64)
    if scale == "htk":
        return 700.0 * (10.0 ** (mel / 2595.0) - 1.0)
    log_step = np.log(6.4) / 27.0
    return np.where(mel < 15.0, mel * 200.0 / 3.0, 1000.0 * np.exp(log_step * (mel - 15.0)))


def mel_basis(sample_rate, n_fft, n_mels, fmin, fmax, scale="slaney", norm="slaney"):
    """Triangular filters [n_mels, n_fft / 2 + 1], made in double precision. With norm `slaney` each has
    an area of one (in Hz), with `none` a height of one."""
    if scale not in ("slaney", "htk") or norm not in ("slaney", "none"):
        raise ExportError(f"mel scale {scale!r}, norm {norm!r}: slaney or htk; slaney or none")
    bins = np.linspace(0.0, sample_rate / 2.0, n_fft // 2 + 1)
    edges = mel_to_hz(np.linspace(hz_to_mel(fmin, scale), hz_to_mel(fmax, scale), n_mels + 2), scale)
    slopes = edges[:, None] - bins[None, :]
    widths = np.diff(edges)
    rising = -slopes[:-2] / widths[:-1, None]
    falling = slopes[2:] / widths[1:, None]
    basis = np.maximum(0.0, np.minimum(rising, falling))
    if norm == "slaney":
        basis *= (2.0 / (edges[2:] - edges[:-2]))[:, None]
    return basis.astype(np.float32)


def section(sample_rate, n_fft, win_length, hop_length, n_mels, fmin, fmax, *, log="ln",
            log_floor=1e-5, **others):
    """The config's "audio" object; keys that are left out have FORMAT.md's defaults."""
    return {"sample_rate": int(sample_rate), "n_fft": int(n_fft), "win_length": int(win_length),
            "hop_length": int(hop_length), "n_mels": int(n_mels), "fmin": fmin, "fmax": fmax,
            "log": log, "log_floor": log_floor, **others}


def basis_of(audio, scale="slaney", norm="slaney"):
    """The mel basis for an audio section."""
    return mel_basis(audio["sample_rate"], audio["n_fft"], audio["n_mels"], audio["fmin"],
                     audio["fmax"], scale, norm)
