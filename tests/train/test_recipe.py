"""The recipe's parts: sentences, symbols of the teacher's segments, batches, the recurrence."""

import os
import random
import subprocess
import sys
import unittest

import numpy as np
import torch

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
for folder in ("models/train", "models/export"):
    sys.path.insert(0, os.path.join(ROOT, folder))

from recipe import batches, features, network, recurrence, sentences, training  # noqa: E402


class Sentences(unittest.TestCase):
    def test_tidy(self):
        self.assertEqual(sentences.tidy(["  he  ran `home' at noon;", "too short", "10 men ran home at noon",
                                         "x" * 101, "is it as late as that?"]),
                         ["He ran 'home' at noon.", "Is it as late as that?"])

    def test_chosen_from_wordnet(self):
        chosen = sentences.choose(40)
        self.assertEqual(len(set(chosen)), 40)
        self.assertEqual(chosen, sentences.choose(40))
        for s in chosen:
            self.assertRegex(s, r"^[A-Z' -].{13,}[.?!]$")


class Symbols(unittest.TestCase):
    def test_words_signs_and_pauses(self):
        """(phone, end, stress, begins a word, signs behind the word)"""
        segments = [["pau", 0.2, 0, False, ""], ["dh", 0.3, 0, True, ""], ["ax", 0.4, 0, False, ""],
                    ["ax", 0.5, 1, True, ","], ["pau", 0.7, 0, False, ""], ["k", 0.8, 0, True, ";"],
                    ["ow", 0.9, 1, True, "?\")"], ["pau", 1.0, 0, False, ""]]
        self.assertEqual(features.symbols_of(segments), [
            ("DH", 0.3), ("AH0", 0.4), (" ", None), ("AH1", 0.5), (",", 0.7), (" ", None), ("K", 0.8),
            (";", None), (" ", None), ("OW1", 0.9), ("?", 1.0)])

    def test_pauses_without_signs(self):
        segments = [["pau", 0.2, 0, False, ""], ["k", 0.3, 0, True, ""], ["pau", 0.4, 0, False, ""],
                    ["k", 0.5, 0, True, ""], ["pau", 0.6, 0, False, ""]]
        self.assertEqual(features.symbols_of(segments),
                         [("K", 0.3), (" ", 0.4), ("K", 0.5), (".", 0.6)])


def item(n_frames, n_symbols, seed=0):
    rng = np.random.default_rng(seed)
    ends = np.sort(rng.choice(np.arange(1, n_frames), n_symbols - 1, replace=False)).astype(np.int16)
    return (torch.randn(n_frames, 80).half(), list(rng.integers(1, 96, n_symbols)),
            np.append(ends, n_frames).astype(np.int16))


class Batches(unittest.TestCase):
    def test_alignment(self):
        batch = batches.collate([item(60, 10), item(50, 12, 1)])
        self.assertEqual(batch.ids.shape, (2, 12))
        sums = batch.alignment.sum(-1)
        np.testing.assert_allclose(sums[0, :50], 1, atol=1e-4)  # sorted by symbols: the second comes first
        np.testing.assert_allclose(sums[1], 1, atol=1e-4)
        self.assertEqual(batch.gate.sum(1).tolist(), [60 - 49, 1])
        owner = batch.alignment[1].argmax(1)
        self.assertTrue((owner[1:] >= owner[:-1]).all())
        self.assertEqual(owner[-1].item(), 9)

    def test_processes_share_the_work(self):
        items = [item(100 + i, 10, i) for i in range(16)]
        first, second = (batches.forever(items, 4, rank, 2) for rank in (0, 1))
        seen = set()
        for _ in range(2):
            for one in (next(first), next(second)):
                seen.update(one.n_frames.tolist())
        self.assertEqual(seen, set(range(100, 116)))
        with self.assertRaisesRegex(SystemExit, "fewer than a batch"):
            next(batches.forever(items[:7], 4, 0, 2))


class Recurrence(unittest.TestCase):
    def library(self):
        library = recurrence.load(os.path.join(os.environ.get("TACO_TRAIN_BIN", ""), "liblstm.so"))
        if library is None:
            self.skipTest("this processor has no bf16 products")
        return library

    def test_against_torch(self):
        """Forward and gradients of lstm.c within bf16 rounding."""
        library = self.library()
        torch.manual_seed(0)
        for t, rows, units in ((1, 32, 32), (7, 8, 64), (25, 40, 128)):
            cell = torch.nn.LSTMCell(48, units)
            weights = [cell.weight_ih, cell.weight_hh, cell.bias_ih, cell.bias_hh]
            target, results = torch.randn(t, rows, units), []
            for run in (recurrence.Recurrence(library), recurrence.Recurrence()):
                x = torch.linspace(-1, 1, t * rows * 48).reshape(t, rows, 48).requires_grad_()
                cell.zero_grad()
                h = run(weights, x)
                (h * target).sum().backward()
                results.append([h.detach(), x.grad] + [w.grad.clone() for w in weights])
            for mine, theirs in zip(*results):
                error = (mine - theirs).abs().max() / theirs.abs().max().clamp(min=1e-6)
                self.assertLess(error.item(), 0.02)

    def test_gradient_in_another_order(self):
        """The gradient of a transposed output reaches backward() in transposed order, where a copy is made of it:
        the same values, so the same gradients, bit for bit."""
        library = self.library()
        torch.manual_seed(0)
        z, w, target = torch.randn(20, 32, 256), torch.randn(256, 64) / 8, torch.randn(20, 32, 64)
        gradients = []
        for transposed in (False, True):
            inputs = z.clone().requires_grad_(), w.clone().requires_grad_()
            h = recurrence._Scan.apply(*inputs, library)
            loss = (h.transpose(0, 1) * target.transpose(0, 1).contiguous()) if transposed else h * target
            loss.sum().backward()
            gradients.append([x.grad for x in inputs])
        for straight, turned in zip(*gradients):
            self.assertTrue(torch.equal(straight, turned))

    def test_no_freed_memory_is_read(self):
        """The same while glibc overwrites what is freed."""
        self.library()
        ran = subprocess.run([sys.executable, __file__, "Recurrence.test_gradient_in_another_order"], check=False,
                             env={**os.environ, "MALLOC_PERTURB_": "85", "MALLOC_MMAP_THRESHOLD_": "100000000"},
                             stderr=subprocess.PIPE, text=True)
        self.assertEqual(ran.returncode, 0, ran.stderr)

    def test_odd_batches_take_torch(self):
        cell = torch.nn.LSTMCell(4, 8)
        weights = [cell.weight_ih, cell.weight_hh, cell.bias_ih, cell.bias_hh]
        h = recurrence.Recurrence(object())(weights, torch.randn(3, 5, 4))
        self.assertEqual(h.shape, (3, 5, 8))

    def test_no_library(self):
        self.assertIsNone(recurrence.load("/nowhere/liblstm.so"))


class Training(unittest.TestCase):
    CONSTRUCTOR = dict(n_symbol=96, n_mels=80, symbol_embedding_dim=16, encoder_embedding_dim=16,
                       decoder_rnn_dim=32, attention_rnn_dim=32, attention_hidden_dim=8,
                       attention_location_n_filter=4, attention_location_kernel_size=7, prenet_dim=16,
                       postnet_embedding_dim=16)

    def test_forced_run_is_the_network(self):
        """In evaluation mode and without the prenet's dropout, the forced run and torchaudio's decoder, given
        the same context, make the same frames: here one frame, at which the context is one row of the
        memory."""
        torch.manual_seed(0)
        random.seed(0)
        net = network.create(self.CONSTRUCTOR).eval()
        run = network.Forced(net, recurrence.Recurrence(), bf16=False)
        run.dropout = lambda x, p: x
        batch = batches.collate([item(60, 10)])
        memory = run._encode(batch)
        wanted = net.encoder(net.embedding(batch.ids).transpose(1, 2), batch.n_symbols)
        np.testing.assert_allclose(memory.detach(), wanted.detach(), atol=1e-5)
        out, final, gate, _ = run(batch)
        d, context = net.decoder, batch.alignment[0, :1] @ memory[0]
        h1, _ = d.attention_rnn(torch.zeros(1, 16 + 16))
        h2, _ = d.decoder_rnn(torch.cat([h1, context], 1))
        y = torch.cat([h2, context], 1)
        np.testing.assert_allclose(out[:, 0].detach(), d.linear_projection(y).detach(), atol=1e-5)
        np.testing.assert_allclose(gate[:, 0].detach(), d.gate_layer(y)[:, 0].detach(), atol=1e-5)
        after = out + net.postnet(out.transpose(1, 2)).transpose(1, 2)
        np.testing.assert_allclose(final.detach(), after.detach(), atol=1e-5)

    def test_it_learns(self):
        torch.manual_seed(0)
        random.seed(0)
        net = network.create(self.CONSTRUCTOR)
        run = network.Forced(net, recurrence.Recurrence(), bf16=False)
        batch = batches.collate([item(60, 10), item(50, 8, 1)])
        optimiser, values = torch.optim.Adam(net.parameters(), 1e-2), []
        for _ in range(12):
            losses = training.losses(run, batch)
            optimiser.zero_grad()
            sum(losses[:3]).backward()
            optimiser.step()
            values.append([float(v) for v in losses])
        for first, last in zip(values[0], values[-1]):
            self.assertLess(last, first)


if __name__ == "__main__":
    unittest.main()
