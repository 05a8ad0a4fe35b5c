#!/usr/bin/python3
"""Makes the data beside this file: mel spectrograms of the clips, the mel basis, and reference.json, what torchaudio reaches on them.

    tests/golden/griffin_lim/make_reference.py      (needs torch, torchaudio and numpy; takes a minute)

Reference: torchaudio's GriffinLim, 32 iterations, momentum 0.99, random start, fed with the non-negative least-squares magnitudes
of each mel spectrogram, run to convergence in float64; the mean over four seeds. Measures, for the output y of a clip x, S = |STFT(x)|:

    sc_db    20 log10(||  |STFT(y)| - S  || / || S ||), all 513 bins
    mel_l1   mean |ln mel(y) - ln mel(x)|, mels floored at 1e-5

and, for the magnitudes X themselves,

    inversion_db   20 log10(|| X - S || / || S ||)
"""
import json
import pathlib

import numpy as np
import torch
import torchaudio

HERE = pathlib.Path(__file__).resolve().parent
CLIPS = ["LJ001-0002", "LJ001-0011", "LJ001-0013"]
SAMPLE_RATE, N_FFT, HOP, N_MELS, F_MAX = 22050, 1024, 256, 80, 8000.0
N_ITER, MOMENTUM, SEEDS = 32, 0.99, 4

torch.set_num_threads(1)
STFT = torchaudio.transforms.Spectrogram(n_fft=N_FFT, hop_length=HOP, power=1)
BASIS = torchaudio.functional.melscale_fbanks(N_FFT // 2 + 1, 0.0, F_MAX, N_MELS, SAMPLE_RATE, norm="slaney", mel_scale="slaney").T.contiguous()


def least_squares(mel, n_iter=20000, tolerance=1e-7):
    """argmin ||B x - mel||, x >= 0, by accelerated projected gradients from the transpose. mel [n_mels, frames] float64."""
    basis = BASIS.double()
    step = 1 / torch.linalg.matrix_norm(basis, 2) ** 2
    x = basis.T @ mel
    x *= (x * (basis.T @ mel)).sum() / (basis @ x).square().sum()
    y, t = x, 1.0
    for _ in range(n_iter):
        residual = basis @ y - mel
        if residual.norm() < tolerance * mel.norm():
            break
        new = (y - step * (basis.T @ residual)).clamp(min=0)
        t_new = (1 + (1 + 4 * t * t) ** 0.5) / 2
        y, x, t = new + (t - 1) / t_new * (new - x), new, t_new
    return x


def measures(y, x):
    """y and x [samples]."""
    s, s_y = STFT(x), STFT(y)
    frames = min(s.shape[1], s_y.shape[1])
    s, s_y = s[:, :frames], s_y[:, :frames]
    ln_mel, ln_mel_y = (torch.log((BASIS @ z).clamp(min=1e-5)) for z in (s, s_y))
    return {"sc_db": 20 * torch.log10((s_y - s).norm() / s.norm()).item(), "mel_l1": (ln_mel_y - ln_mel).abs().mean().item()}


def main():
    np.save(HERE / "mel_basis.npy", BASIS.numpy().astype("<f4"))
    reference = {}
    for clip in CLIPS:
        x = torchaudio.load(str(HERE / f"{clip}.wav"))[0][0]
        mel = BASIS @ STFT(x)
        np.save(HERE / f"{clip}.npy", torch.log(mel.clamp(min=1e-5)).T.contiguous().numpy().astype("<f4"))
        magnitudes = least_squares(mel.double())
        error = ((BASIS.double() @ magnitudes - mel.double()).norm() / mel.double().norm()).item()
        griffin_lim = torchaudio.transforms.GriffinLim(n_fft=N_FFT, n_iter=N_ITER, hop_length=HOP, power=1, momentum=MOMENTUM)
        found = []
        for seed in range(SEEDS):
            torch.manual_seed(seed)
            found.append(measures(griffin_lim(magnitudes.float()), x))
        reference[clip] = {k: round(sum(f[k] for f in found) / SEEDS, 4) for k in found[0]}
        s = STFT(x)
        reference[clip]["inversion_db"] = round(20 * torch.log10((magnitudes.float() - s).norm() / s.norm()).item(), 4)
        print(clip, "least squares to", error, reference[clip])
    (HERE / "reference.json").write_text(json.dumps(reference, indent=1) + "\n")


if __name__ == "__main__":
    main()
