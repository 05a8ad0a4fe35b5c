"""A network that turns log mels into linear magnitudes (models/FORMAT.md, "The inverter"), and its training.

    u = (ln mel - OFFSET) GAIN
    h = relu(conv(u));  h = h + relu(conv(h)) for the other convolutions
    ln magnitude = W [h, u] + b

No convolution is padded: a clip is lengthened by silent frames at both ends instead, so that a frame at the
edge is computed as any other. The loss weighs every bin's logarithm, and the square roots, which is about
how loud a bin is heard."""

import glob
import json
import os
import time

import numpy as np
import torch
import torch.nn.functional as F

from . import features, speech_files

OFFSET, GAIN = -5.0, 0.4
FLOOR = 1e-5
WINDOW, BATCH = 64, 32  # frames of a window, windows a step
QUIETEST, LOUDEST = -2.5, 1.0  # a window's gain, ln


class Inverter(torch.nn.Module):
    def __init__(self, n_mels, n_bins, width, n_convolutions, kernel):
        super().__init__()
        self.convolutions = torch.nn.ModuleList(
            torch.nn.Conv1d(width if i else n_mels, width, kernel) for i in range(n_convolutions))
        self.out = torch.nn.Conv1d(width + n_mels, n_bins, 1)
        self.half, self.reach = kernel // 2, n_convolutions * (kernel // 2)

    def forward(self, mel):
        """ln magnitudes [batch, n_bins, t] of ln mels [batch, n_mels, t + 2 reach]."""
        u = (mel - OFFSET) * GAIN
        h = F.relu(self.convolutions[0](u))
        for convolution in self.convolutions[1:]:
            h = h[..., self.half:h.shape[-1] - self.half] + F.relu(convolution(h))
        return self.out(torch.cat([h, u[..., self.reach:u.shape[-1] - self.reach]], 1))


def samples_of(paths, rate):
    """Samples of each recording: WAV files, or folders that a teacher has spoken into (teachers.py)."""
    for path in paths:
        if os.path.isdir(path) and glob.glob(os.path.join(path, "*.jsonl")):
            for _, samples in speech_files.read(path):
                yield samples
            continue
        for name in sorted(glob.glob(os.path.join(path, "*.wav"))) if os.path.isdir(path) else [path]:
            yield speech_files.read_wav(name, rate)


class Speech:
    """Magnitudes of all recordings, one behind the other, with silence between."""

    def __init__(self, paths, audio, reach):
        transform = features.mel_transform(audio)
        self.basis = transform.mel_scale.fb.T.contiguous()  # [n_mels, n_bins]
        silence = torch.zeros(2 * reach, self.basis.shape[1], dtype=torch.half)
        parts = [silence]
        for samples in samples_of(paths, audio["sample_rate"]):
            if len(samples) > audio["n_fft"]:
                parts += [transform.spectrogram(torch.from_numpy(samples)).T.half(), silence]
        self.magnitudes, self.reach = torch.cat(parts), reach

    def windows(self, generator):
        """(ln mel [B, n_mels, t + 2 reach], magnitudes [B, n_bins, t])"""
        n = WINDOW + 2 * self.reach
        first = torch.randint(0, len(self.magnitudes) - n, (BATCH,), generator=generator)
        gain = torch.exp(torch.rand(BATCH, 1, 1, generator=generator) * (LOUDEST - QUIETEST) + QUIETEST)
        seen = torch.stack([self.magnitudes[i:i + n] for i in first]).float().transpose(1, 2) * gain
        mel = torch.log(torch.clamp(self.basis @ seen, min=FLOOR))
        return mel, seen[..., self.reach:n - self.reach]


def loss_of(predicted, magnitudes):
    logarithm = (predicted - torch.log(torch.clamp(magnitudes, min=FLOOR))).abs().mean()
    root = torch.sqrt(magnitudes)
    squared = ((torch.exp(0.5 * predicted) - root) ** 2).sum() / (root ** 2).sum()
    return 0.3 * logarithm + 3 * squared, logarithm, squared


def train(net, sources, minutes, bf16=False, rate=1.5e-3, seed=1):
    """sources: [(Speech, share of the steps)]; bf16: products in bfloat16. The learning rate falls linearly with the
    time."""
    generator = torch.Generator().manual_seed(seed)
    chooser = np.random.default_rng(seed)
    optimiser = torch.optim.AdamW(net.parameters(), rate, weight_decay=1e-4)
    shares = np.array([share for _, share in sources], float)
    average = {name: p.detach().clone() for name, p in net.named_parameters()}
    start, step = time.monotonic(), 0
    while True:
        done = (time.monotonic() - start) / (60 * minutes)
        if done >= 1:
            break
        for group in optimiser.param_groups:
            group["lr"] = rate * (1 - done) + 1e-5
        speech = sources[chooser.choice(len(sources), p=shares / shares.sum())][0]
        mel, magnitudes = speech.windows(generator)
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=bf16):
            predicted = net(mel)
        loss, logarithm, squared = loss_of(predicted.float(), magnitudes)
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimiser.step()
        step += 1
        decay = min(0.998, step / (step + 100))
        with torch.no_grad():
            for name, p in net.named_parameters():
                average[name].lerp_(p, 1 - decay)
        if step % 100 == 0:
            print(f"step {step} {done:.1%} logarithm {logarithm.item():.3f} squared {squared.item():.4f}", flush=True)
    with torch.no_grad():
        for name, p in net.named_parameters():
            p.copy_(average[name])


def tensors_of(net, speech):
    """{name: array} of models/FORMAT.md."""
    found = {"basis": speech.basis.numpy()}
    for i, convolution in enumerate(net.convolutions):
        found[f"conv.{i}.weight"] = convolution.weight.detach().numpy()
        found[f"conv.{i}.bias"] = convolution.bias.detach().numpy()
    found["out.weight"] = net.out.weight.detach().numpy()[..., 0]
    found["out.bias"] = net.out.bias.detach().numpy()
    return found


def config_of(net, audio, licence, source):
    return {"audio": {**audio, "log": "ln", "log_floor": FLOOR}, "licence": licence, "source": source,
            "inverter": {"n_convolutions": len(net.convolutions), "kernel_size": 2 * net.half + 1,
                         "channels": net.convolutions[0].out_channels, "offset": OFFSET, "gain": GAIN}}


def dump(config):
    return json.dumps(config, ensure_ascii=False, separators=(",", ":"))
