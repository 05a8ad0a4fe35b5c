"""The training loop: stages of falling learning rate, on one or several one-thread processes. It can be ended at any
time and goes on from what it saved last."""

import os
import random
import time
from dataclasses import dataclass

import numpy as np
import torch
import torch.distributed
import torch.multiprocessing
from torch.nn import functional

from . import batches, network, recurrence

GATE_WEIGHT, ATTENTION_WEIGHT = 0.2, 0.3
GATE_POSITIVE = 5.0  # one frame in hundreds is the last
WARM_UP = 100        # steps
SAVE_EVERY = 200     # steps


@dataclass
class Stage:
    """Steps over which the learning rate falls from lr to lr_end."""

    steps: int
    lr: float
    lr_end: float
    fall: str = "exponential"  # or "linear"

    def rate(self, step):
        """The learning rate of a step, after a warm-up."""
        done = step / self.steps
        if self.fall == "linear":
            lr = self.lr + (self.lr_end - self.lr) * done
        else:
            lr = self.lr * (self.lr_end / self.lr) ** done
        return lr * min(1, (step + 1) / WARM_UP)


def losses(run, batch):
    """(mel, gate, attention, squared error of the final mel): absolute and squared errors before and after
    the postnet, means over what is speech."""
    out, final, gate, attention = run(batch)
    heard = (torch.arange(batch.mel.shape[1])[None] < batch.n_frames[:, None]).float()
    n_values = heard.sum() * batch.mel.shape[2]
    mel = 0.0
    for prediction in (out, final):
        error = (prediction - batch.mel) * heard[..., None]
        mel = mel + (error.abs().sum() + (error ** 2).sum()) / n_values
    squared = (((final - batch.mel) * heard[..., None]) ** 2).sum() / n_values
    stop = functional.binary_cross_entropy_with_logits(
        gate, batch.gate, reduction="none", pos_weight=torch.tensor(GATE_POSITIVE))
    return mel, (stop * heard).sum() / heard.sum(), attention, squared


def average_gradients(net, n_ranks):
    flat = torch.cat([p.grad.reshape(-1) for p in net.parameters()])
    torch.distributed.all_reduce(flat)
    flat /= n_ranks
    at = 0
    for p in net.parameters():
        p.grad.copy_(flat[at:at + p.numel()].view_as(p))
        at += p.numel()


class Trainer:
    """One process's share. report(line) is called on the first only."""

    def __init__(self, net, items, options, rank):
        self.net, self.options, self.rank = net, options, rank
        self.saved = None
        if os.path.exists(options.checkpoint + ".resume"):
            self.saved = torch.load(options.checkpoint + ".resume")
            net.load_state_dict(self.saved["net"])
        at = (self.saved["stage"], self.saved["step"]) if self.saved else (0, 0)
        random.seed(f"{rank} {at}")
        library = recurrence.load(options.library)
        self.run = network.Forced(net, recurrence.Recurrence(library), bf16=library is not None)
        learn, self.held_out = batches.split(items)
        self.batches = batches.forever(learn, options.batch, rank, options.ranks, seed=f"{at}")
        self.how = "bf16 recurrence of lstm.c" if library is not None else "torch's LSTM"

    def report(self, line):
        if self.rank == 0:
            print(line, flush=True)

    def stage(self, number, stage):
        """A stage begins with a fresh optimiser."""
        first, optimiser = 0, torch.optim.Adam(self.net.parameters(), betas=(0.9, 0.99), eps=1e-6, weight_decay=1e-6)
        if self.saved:
            if number < self.saved["stage"]:
                return
            if number == self.saved["stage"]:
                first = self.saved["step"]
                optimiser.load_state_dict(self.saved["optimiser"])
                self.report(f"stage {number} goes on at step {first}")
        began, smooth = time.monotonic(), None
        self.net.train()
        for step in range(first, stage.steps):
            for group in optimiser.param_groups:
                group["lr"] = stage.rate(step)
            values = losses(self.run, next(self.batches))
            optimiser.zero_grad()
            (values[0] + GATE_WEIGHT * values[1] + ATTENTION_WEIGHT * values[2]).backward()
            if self.options.ranks > 1:
                average_gradients(self.net, self.options.ranks)
            norm = torch.nn.utils.clip_grad_norm_(self.net.parameters(), 1.0)
            if torch.isfinite(norm):
                optimiser.step()
            now = np.array([float(v) for v in values])
            smooth = now if smooth is None else 0.95 * smooth + 0.05 * now
            if (step + 1) % 20 == 0 or step + 1 == stage.steps:
                self.report(f"stage {number} step {step + 1}/{stage.steps} "
                            f"{(time.monotonic() - began) / 60:.1f} min: mel {smooth[0]:.3f} gate "
                            f"{smooth[1]:.3f} attention {smooth[2]:.3f} squared {smooth[3]:.3f}")
            if (step + 1) % SAVE_EVERY == 0 or step + 1 == stage.steps:
                self.save(optimiser, number, step + 1)
        self.report(f"stage {number}, held out: {self.evaluate()}")

    def evaluate(self):
        """Losses on sentences that were not learned."""
        self.net.eval()
        with torch.no_grad():
            values = [[float(v) for v in losses(self.run, batches.collate(self.held_out[i:i + 32]))]
                      for i in range(0, len(self.held_out), 32)]
        mel, gate, attention, squared = np.mean(values, 0)
        return f"mel {mel:.3f} gate {gate:.3f} attention {attention:.3f} squared {squared:.3f}"

    def save(self, optimiser, stage, step):
        """What going on takes."""
        if self.rank == 0:
            network.save({"net": self.net.state_dict(), "optimiser": optimiser.state_dict(), "stage": stage,
                          "step": step}, self.options.checkpoint + ".resume")

    def finish(self):
        """Leaves the state_dict alone."""
        if self.rank == 0:
            network.save(self.net.state_dict(), self.options.checkpoint)
            os.unlink(self.options.checkpoint + ".resume")


def _process(rank, constructor, items, options):
    torch.set_num_threads(1)
    torch.manual_seed(0)  # the same weights in every process
    net = network.create(constructor)
    if options.init:
        net.load_state_dict(torch.load(options.init))
    torch.manual_seed(rank)
    if options.ranks > 1:
        torch.distributed.init_process_group("gloo", f"file://{options.checkpoint}.rendezvous",
                                             rank=rank, world_size=options.ranks)
    trainer = Trainer(net, items, options, rank)
    trainer.report(f"{sum(p.numel() for p in net.parameters()) / 1e6:.1f} M parameters, {options.ranks} "
                   f"process(es), {trainer.how}")
    for number, stage in enumerate(options.stages, 1):
        trainer.stage(number, stage)
    trainer.finish()


def train(constructor, items, options):
    """Trains and leaves options.checkpoint. options: stages, batch (sentences a process), ranks, library,
    checkpoint, init (a state_dict to begin with, or None)."""
    rendezvous = options.checkpoint + ".rendezvous"
    if os.path.exists(rendezvous):
        os.unlink(rendezvous)
    if options.ranks == 1:
        _process(0, constructor, items, options)
    else:
        torch.multiprocessing.start_processes(_process, (constructor, items, options), options.ranks,
                                              start_method="fork")
    if os.path.exists(rendezvous):
        os.unlink(rendezvous)
