"""The recipe's parts: sentences, symbols of the teacher's segments, batches, the recurrence."""

import io
import json
import os
import random
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

import numpy as np
import torch

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
for folder in ("models/train", "models/export"):
    sys.path.insert(0, os.path.join(ROOT, folder))

from recipe import (attentions, batches, features, network, packages, phrases, recurrence,  # noqa: E402
                    sentences, speech_files, spelling, training, unseen)


class Sentences(unittest.TestCase):
    def test_tidy(self):
        self.assertEqual(sentences.tidy(["  he  ran `home' at noon;", "too short", "10 men ran home at noon",
                                         "x" * 101, "is it as late as that?"]),
                         ["He ran 'home' at noon.", "Is it as late as that?"])

    def test_chosen_from_wordnet(self):
        wanted = {"examples": 30, "definitions": 10}
        chosen = sentences.choose(wanted)
        self.assertEqual(len(set(chosen)), 40)
        self.assertEqual(chosen, sentences.choose(wanted))
        for s in chosen:
            self.assertRegex(s, r"^[A-Z' -].{13,}[.?!]$")


    def test_every_kind(self):
        wanted = {"questions": 7, "clauses": 9, "words": 12, "quotations": 11, "numbers": 20, "letters": 8, "small_talk": 5}
        chosen = sentences.choose(wanted)
        self.assertEqual(len(chosen), sum(wanted.values()))
        for s in chosen:
            self.assertIn(s[-1], ".?!")
        self.assertTrue(any(";" in s for s in chosen) and any(":" in s for s in chosen))
        self.assertTrue(set(phrases.SMALL_TALK[:5]) <= set(chosen))
        self.assertGreaterEqual(sum(any(c.isdigit() for c in s) for s in chosen), 10)
        with self.assertRaisesRegex(SystemExit, "no kind 'poems'"):
            sentences.choose({"poems": 1})

    def test_quotations(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "wise.fortunes"), "w", encoding="utf-8") as f:
                f.write("Who knows? Nobody -- not me.\n\t\t-- A. Nonymous\n%\nTHIS IS SHOUTED.\n%\nJoe: El niño\ncome.\n")
            with open(os.path.join(folder, "wise.fortunes.dat"), "wb") as f:
                f.write(b"Binary.")
            self.assertEqual(sorted(sentences.quotations(folder)), ["El niño come.", "Nobody, not me.", "Who knows?"])
            self.assertEqual(sentences.tidy(["El niño come pan."]), ["El niño come pan."])


class Spelling(unittest.TestCase):
    def spell(self, dictionary, symbols, spoken):
        text, owner = spelling.Arpabet(dictionary).spell(symbols.split("|"), spoken)
        self.assertEqual(len(text), len(owner))
        return text, owner

    def test_phone_by_phone(self):
        self.assertEqual(self.spell({}, "HH|AH0|L|OW1|,| |OY1|.", [("hello", 0, 4), ("oy", 6, 1)]),
                         ("həlˈO, ˈY.", [0, 1, 2, 3, 3, 4, 5, 6, 6, 7]))

    def test_dictionary(self):
        """Its flap and its stress, each token owned by the symbol that it stands for."""
        self.assertEqual(self.spell({"water": "wˈɔɾəɹ"}, "W|AO1|T|ER0", [("water", 0, 4)]),
                         ("wˈɔTəɹ", [0, 1, 1, 2, 3, 3]))
        self.assertEqual(self.spell({"than": {"DEFAULT": "ðæn", "None": "ðən"}}, "DH|AE1|N", [("than", 0, 3)])[0], "ðæn")

    def test_dictionary_with_an_ending(self):
        self.assertEqual(self.spell({"dog": "dˈɔɡ"}, "D|AO1|G|Z", [("dogs", 0, 4)]), ("dˈɔɡz", [0, 1, 1, 2, 3]))

    def test_another_word_of_the_dictionary_is_not_taken(self):
        self.assertEqual(self.spell({"read": "ɹˈid"}, "B|OW1|T", [("read", 0, 3)])[0], "bˈOt")

    def test_function_words(self):
        self.assertEqual(self.spell({}, "AH0", [("a", 0, 1)])[0], "ɐ")
        self.assertEqual(self.spell({}, "T|UW1| |G|OW1", [("to", 0, 2), ("go", 3, 2)])[0], "tə ɡˈO")
        self.assertEqual(self.spell({}, "T|UW1| |AE1|D", [("to", 0, 2), ("add", 3, 2)])[0], "tˈu ˈæd")

    def test_ipa(self):
        self.assertEqual(spelling.Ipa({"tʃ": "ʧ"}).spell(["tʃ", "ˈ", "i", "."], []), ("ʧˈi.", [0, 1, 2, 3]))


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


class Speech(unittest.TestCase):
    AUDIO = dict(sample_rate=22050, n_fft=1024, win_length=1024, hop_length=256, n_mels=80, fmin=0, fmax=8000)

    def leave(self, folder, name, lines, samples):
        with open(os.path.join(folder, name + ".jsonl"), "w", encoding="utf-8") as f:
            f.write("".join(json.dumps(line) + "\n" for line in lines))
        (samples * 32767).astype(np.int16).tofile(os.path.join(folder, name + ".raw"))

    def test_silence_is_trimmed_and_the_last_symbol_has_its_rest(self):
        rate, silent = 22050, np.zeros(22050, np.float32)
        tone = 0.3 * np.sin(np.arange(22050) * 0.3).astype(np.float32)
        samples = np.concatenate([silent, tone, silent])
        line = {"i": 0, "text": "x", "symbols": ["AA1", "."], "ends": [2.1, 2.9], "offset": 0, "n": len(samples),
                "sample_rate": rate}
        with tempfile.TemporaryDirectory() as folder:
            self.leave(folder, "0", [line, {"i": 1, "text": "", "left_out": "too long"}], samples)
            ((mel, ids, frames),) = features.prepare(folder, self.AUDIO, ["_", ".", "AA1"])
        self.assertEqual(ids, [2, 1])
        seconds = features.LEAD + 1 + features.TAIL
        self.assertAlmostEqual(len(mel) * 256 / rate, seconds, delta=0.02)
        self.assertAlmostEqual(frames[0] * 256 / rate, features.LEAD + 1, delta=0.02)
        self.assertEqual(frames[1], len(mel))

    def test_going_on_after_a_half_written_line(self):
        lines = [{"i": 0, "offset": 0, "n": 100}, {"i": 2, "left_out": "no"}, {"i": 4, "offset": 100, "n": 50}]
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "0")
            self.assertEqual(speech_files.resume(path), (-1, 0))
            self.leave(folder, "0", lines, np.zeros(140))  # ten samples of the last are missing
            self.assertEqual(speech_files.resume(path), (2, 100))
            self.assertEqual(os.path.getsize(path + ".raw"), 200)
            self.leave(folder, "0", lines, np.zeros(160))
            with open(path + ".jsonl", "a", encoding="utf-8") as f:
                f.write('{"i": 6, "off')
            self.assertEqual(speech_files.resume(path), (4, 150))
            self.assertEqual(speech_files.resume(path), (4, 150))
            self.assertEqual([line["i"] for line, _ in speech_files.read(folder)], [0, 4])


class Packages(unittest.TestCase):
    def test_what_cannot_be_had(self):
        with tempfile.TemporaryDirectory() as folder, mock.patch.dict(os.environ, PATH="/nowhere"):
            with self.assertRaisesRegex(packages.Unreachable, "npm is not installed"):
                packages.npm(folder, "x@1")
            self.assertEqual(os.listdir(folder), ["x.partial"])

    def test_checksum(self):
        with tempfile.NamedTemporaryFile() as f:
            packages.check_sha256(f.name, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
            with self.assertRaisesRegex(packages.Unreachable, "SHA-256 e3b0c4"):
                packages.check_sha256(f.name, "00")


class Unseen(unittest.TestCase):
    def test_nearest(self):
        table = ["_", ",", "-", "AH0", "AH1", "AH2", "OY1", "OY2", "K"]
        state = {"embedding.weight": torch.arange(9.0)[:, None].repeat(1, 2)}
        filled = unseen.fill(state, [(None, [1, 3, 6], None)], table)
        self.assertEqual(filled, {"-": ",", "AH1": "AH0", "AH2": "AH0", "OY2": "OY1"})
        self.assertEqual(state["embedding.weight"][:, 0].tolist(), [0, 1, 1, 3, 3, 3, 6, 6, 8])


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


class Attentions(unittest.TestCase):
    def test_several_ends_end_one_word(self):
        words = attentions.word_of([5, 6, 1, 2, 7, 1, 8], {1, 2})
        self.assertEqual(words.tolist(), [0, 0, 0, 0, 1, 1, 2])

    def test_words_end_where_the_text_says(self):
        text = {"symbols": ["_", ",", " ", "A", "."], "word_separator": " ", "punctuation": ",."}
        self.assertEqual(attentions.settings("hierarchical", {}, text)["word_ends"], [1, 2, 4])

    def test_losses_fall(self):
        """What has a loss of its own learns to follow a path that the queries tell."""
        torch.manual_seed(0)
        rule = {"local_m": {"dim": 8, "local_width": 2, "pace_learnt": True},
                "hierarchical": {"dim": 8, "word_ends": [2]}}
        target = torch.eye(6).repeat_interleave(3, 0)
        ids, memory, queries = np.array([3, 2, 4, 5, 2, 6]), torch.randn(6, 12), target @ torch.randn(6, 10)
        item = attentions.Sentence(ids, memory, queries, target)
        model = {"attention_rnn_dim": 10, "encoder_lstm_dim": 6, "n_mels": 80}
        for kind, settings in rule.items():
            settings = {"type": kind, **settings}
            with mock.patch.object(attentions.schema, "memory_width", lambda model: 12):
                p = attentions.start(settings, model, {}, torch.Generator().manual_seed(1))
            before = float(attentions.loss_of(p, settings, item))
            optimiser = torch.optim.Adam(p.values(), lr=0.02)
            for _ in range(60):
                optimiser.zero_grad()
                attentions.loss_of(p, settings, item).backward()
                optimiser.step()
            self.assertLess(float(attentions.loss_of(p, settings, item)), 0.5 * before, kind)


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


    def test_rates(self):
        falling = training.Stage(1000, 1e-3, 1e-5)
        self.assertAlmostEqual(falling.rate(500), 1e-4)
        self.assertAlmostEqual(training.Stage(1000, 1e-3, 0, "linear").rate(500), 5e-4)
        self.assertAlmostEqual(falling.rate(0), 1e-5)  # the warm-up

    def test_going_on(self):
        """An ended training goes on from what it saved, in the stage and at the step where it was, and leaves the
        weights alone."""
        items = [item(60 + i, 10, i) for i in range(24)]
        stages = [training.Stage(3, 1e-3, 1e-4), training.Stage(6, 1e-3, 1e-4)]
        with tempfile.TemporaryDirectory() as folder:
            options = mock.Mock(checkpoint=os.path.join(folder, "x.pth"), ranks=1, batch=4, stages=stages, init=None,
                                library="/nowhere")
            reports = io.StringIO()
            with mock.patch.object(training, "SAVE_EVERY", 2), mock.patch("sys.stdout", reports):
                with mock.patch.object(training, "losses", self.ended_after(7)), self.assertRaises(KeyboardInterrupt):
                    training.train(self.CONSTRUCTOR, items, options)
                self.assertEqual(os.listdir(folder), ["x.pth.resume"])
                training.train(self.CONSTRUCTOR, items, options)
            self.assertEqual(os.listdir(folder), ["x.pth"])
            self.assertIn("stage 2 goes on at step 4", reports.getvalue())
            self.assertEqual(set(torch.load(options.checkpoint)), set(network.create(self.CONSTRUCTOR).state_dict()))

    @staticmethod
    def ended_after(n):
        """training.losses, interrupted at the call after the nth while the network learns."""
        count, losses = 0, training.losses

        def counted(run, batch):
            nonlocal count
            count += run.net.training
            if count > n:
                raise KeyboardInterrupt
            return losses(run, batch)
        return counted


if __name__ == "__main__":
    unittest.main()
