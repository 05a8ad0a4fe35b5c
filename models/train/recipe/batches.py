"""Batches of sentences of about the same length, for one or several processes."""

import random
from dataclasses import dataclass

import torch
from torch.nn import functional

SHORTEST, LONGEST = 40, 640  # frames
N_HELD_OUT = 64
SILENCE = -11.5129  # ln(1e-5)
JITTER = 12  # frames by which lengths are shuffled before the batches are cut


@dataclass
class Batch:
    ids: torch.Tensor        # [B, N]
    n_symbols: torch.Tensor  # [B]
    mel: torch.Tensor        # [B, T, n_mels]
    n_frames: torch.Tensor   # [B]
    alignment: torch.Tensor  # [B, T, N], rows sum to one within the text
    gate: torch.Tensor       # [B, T], one from the last frame on


def split(items):
    """(items to learn from, items held out) of usable length."""
    usable = [item for item in items if SHORTEST <= len(item[0]) <= LONGEST]
    n = min(N_HELD_OUT, len(usable) // 8)
    return usable[n:], usable[:n]


def collate(items):
    items = sorted(items, key=lambda item: -len(item[1]))
    n = max(len(ids) for _, ids, _ in items)
    t = max(len(mel) for mel, _, _ in items)
    n_mels = items[0][0].shape[1]
    batch = Batch(ids=torch.zeros(len(items), n, dtype=torch.long),
                  n_symbols=torch.tensor([len(ids) for _, ids, _ in items]),
                  mel=torch.full((len(items), t, n_mels), SILENCE),
                  n_frames=torch.tensor([len(mel) for mel, _, _ in items]),
                  alignment=torch.zeros(len(items), t, n), gate=torch.zeros(len(items), t))
    for row, (mel, ids, ends) in enumerate(items):
        frames = torch.arange(len(mel))
        batch.ids[row, :len(ids)] = torch.tensor(ids)
        batch.mel[row, :len(mel)] = mel.float()
        batch.gate[row, len(mel) - 1:] = 1
        owner = torch.searchsorted(torch.from_numpy(ends.astype("int64")), frames, right=True)
        batch.alignment[row, frames, owner.clamp(max=len(ids) - 1)] = 1
    # Softened over time, so that neighbours overlap a little.
    a = functional.pad(batch.alignment, (0, 0, 1, 1))
    a = 0.25 * a[:, :-2] + 0.5 * a[:, 1:-1] + 0.25 * a[:, 2:]
    batch.alignment = a / (a.sum(-1, keepdim=True) + 1e-6)
    return batch


def forever(items, size, rank=0, n_ranks=1, seed=7):
    """Batches without end. All processes draw the same groups of size * n_ranks sentences of about one
    length, and each takes its share, so that they finish together."""
    rng, group = random.Random(seed), size * n_ranks
    if len(items) < group:
        raise SystemExit(f"train_voice: {len(items)} sentences are fewer than a batch of {group}")
    while True:
        order = sorted(items, key=lambda item: len(item[0]) + rng.uniform(-JITTER, JITTER))
        groups = [order[i:i + group] for i in range(0, len(order) - group + 1, group)]
        rng.shuffle(groups)
        for chosen in groups:
            yield collate(chosen[rank::n_ranks])
