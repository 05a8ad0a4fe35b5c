"""NVIDIA, DeepLearningExamples, SpeechBrain, NeMo, torchaudio: one graph under several names."""

import gzip
import io
import json
import os
import tarfile
from collections import OrderedDict

import numpy as np
from support import CASES, ExportTest, load, needs_torch, silent, torch

from taco_export import main


class Detection(ExportTest):
    """Every golden case is told from the file alone, and gets its project's rules."""

    WANTED = {
        "torchaudio_a_char/checkpoint.pth": ("torchaudio", "keep", "characters", 38, 0),
        "nvidia_a/checkpoint.pt": ("NVIDIA/tacotron2", "keep", "characters", 148, 0),
        "dle_a/checkpoint.pt": ("DeepLearningExamples", "exclude", "characters", 148, 0),
        "speechbrain_a/model.ckpt": ("SpeechBrain", "exclude", "characters", 148, 0),
        "nemo_a/checkpoint.nemo": ("NeMo", "drop", "arpabet", 114, 2),
        "espnet_a_attloc/checkpoint.pth": ("ESPnet", "keep", "arpabet", 78, 0),
        "espnet_a_attforward/checkpoint.pth": ("ESPnet", "keep", "characters", 39, 0),
    }

    def test_projects(self):
        for path, (project, firing, front_end, n_symbols, min_steps) in self.WANTED.items():
            with self.subTest(path):
                voice, lines = self.export(os.path.join(CASES, path))
                self.assertIn(project, lines)
                self.assertEqual(voice.model["firing_frame"], firing)
                self.assertEqual(voice.model["min_steps"], min_steps)
                self.assertEqual(voice.text["front_end"], front_end)
                self.assertEqual(len(voice.text["symbols"]), n_symbols)

    def test_what_is_not_in_the_file_is_said(self):
        _, lines = self.export(os.path.join(CASES, "nvidia_a/checkpoint.pt"))
        self.assertRegex(lines, r"assumed: audio: sampling_rate 22050, .*hparams\.py")
        self.assertRegex(lines, r"assumed: symbols: NVIDIA's table of 148")
        _, lines = self.export(os.path.join(CASES, "dle_a/checkpoint.pt"))
        self.assertRegex(lines, r"assumed: audio: .*mel-fmax 7000")

    def test_first_kind_of_tacotron(self):
        if torch is None:
            self.skipTest("python3-torch is not installed")
        torch.save({"tacotron": {"encoder.cbhg.conv_bank.0.weight": torch.zeros(2, 2)}},
                   self.path("b.pt"))
        self.refused("first kind, with a CBHG encoder", self.path("b.pt"))


@needs_torch
class Nvidia(ExportTest):
    def state(self):
        return OrderedDict(load("nvidia_a", "checkpoint.pt")["state_dict"])

    def save(self, state, **others):
        torch.save({"iteration": 1, "state_dict": state, **others}, self.path("c.pt"))
        return self.path("c.pt")

    def test_prefixes_of_wrappers(self):
        self.export(self.save(self.state()))
        plain = self.tensors()
        for prefix in ("module.", "module.1.", "model."):
            state = OrderedDict((prefix + key, value) for key, value in self.state().items())
            self.export(self.save(state))
            for name, values in self.tensors().items():
                np.testing.assert_array_equal(values, plain[name], name)

    def test_half_precision(self):
        self.export(self.save(self.state()))
        plain = self.tensors()
        state = OrderedDict((k, v.half() if v.is_floating_point() else v)
                            for k, v in self.state().items())
        self.export(self.save(state))
        for name, values in self.tensors().items():
            self.assertEqual(values.dtype, np.float32)
            np.testing.assert_allclose(values, plain[name], rtol=2e-3, atol=2e-3, err_msg=name)

    def test_bare_state_dict(self):
        torch.save(self.state(), self.path("bare.pt"))
        _, lines = self.export(self.path("bare.pt"))
        self.assertRegex(lines, "assumed: NVIDIA/tacotron2: a bare state_dict")
        voice, lines = self.export(self.path("bare.pt"), "--from", "dle")
        self.assertEqual(voice.model["firing_frame"], "exclude")

    def test_missing_tensor(self):
        for name in ("decoder.decoder_rnn.bias_hh", "encoder.lstm.weight_ih_l0_reverse",
                     "decoder.linear_projection.linear_layer.weight", "embedding.weight"):
            state = self.state()
            del state[name]
            self.refused(name.replace(".linear_layer", "").replace(".", r"\."), self.save(state))

    def test_wrong_shape(self):
        for name, at in (("decoder.decoder_rnn.weight_hh", (slice(0, -4),)),
                         ("decoder.attention_rnn.weight_ih", (slice(None), slice(0, -1))),
                         ("encoder.convolutions.1.0.conv.weight", (slice(None), slice(0, 7))),
                         ("encoder.convolutions.1.1.running_var", (slice(0, 3),)),
                         ("decoder.gate_layer.linear_layer.weight", (slice(None), slice(0, 5))),
                         ("postnet.convolutions.2.0.conv.bias", (slice(0, 2),))):
            state = self.state()
            state[name] = state[name][at].clone()
            self.refused(name.replace(".", r"\."), self.save(state))

    def test_not_finite(self):
        for value in (float("nan"), float("inf")):
            state = self.state()
            state["decoder.attention_rnn.weight_hh"][3, 5] = value
            self.refused(r"decoder\.attention_rnn\.weight_hh: 1 of \d+ values are not finite",
                         self.save(state))
        state = self.state()
        state["encoder.convolutions.0.1.running_var"][0] = -1
        self.refused(r"encoder\.convolutions\.0\.1\.running_var: a negative variance",
                     self.save(state))

    def test_not_real_numbers(self):
        state = self.state()
        state["embedding.weight"] = state["embedding.weight"].long()
        self.refused(r"embedding\.weight: holds int64", self.save(state))

    def test_unknown_parts(self):
        state = self.state()
        state["gst.encoder.convs.0.weight"] = torch.zeros(3, 3)
        state["speaker_embedding.weight"] = torch.zeros(4, 3)
        self.refused(r"does not run: gst\.encoder\.convs\.0\.weight, speaker_embedding\.weight",
                     self.save(state))

    def test_old_graph(self):
        """Before 2018-11-25: attention_rnn on [decoder_rnn's h, context], decoder_rnn on [prenet,
        context]."""
        state = self.state()
        units = state["decoder.decoder_rnn.weight_hh"].shape[1]
        memory = state["decoder.attention_layer.memory_layer.linear_layer.weight"].shape[1]
        prenet = state["decoder.prenet.layers.1.linear_layer.weight"].shape[0]
        for name, inputs in (("attention_rnn", units + memory), ("decoder_rnn", prenet + memory)):
            rows = state[f"decoder.{name}.weight_ih"].shape[0]
            state[f"decoder.{name}.weight_ih"] = torch.zeros(rows, inputs)
        self.refused("before 25 November 2018", self.save(state))

    def test_other_symbol_count(self):
        state = self.state()
        state["embedding.weight"] = torch.zeros(150, state["embedding.weight"].shape[1])
        self.refused(r"150 symbols; .* --symbols FILE", self.save(state))
        table = self.write("table.json", json.dumps([chr(0x4E00 + i) for i in range(150)]))
        voice, _ = self.export(self.save(state), "--symbols", table)
        self.assertEqual(len(voice.text["symbols"]), 150)
        short = self.write("short.txt", "a\nb\nc\n")
        self.refused("3 symbols, the embedding 150 rows", self.save(state), "--symbols", short)

    def test_sizes_of_the_constructor_must_agree(self):
        checkpoint = load("dle_a", "checkpoint.pt")
        checkpoint["config"]["decoder_rnn_dim"] = 1024
        torch.save(checkpoint, self.path("d.pt"))
        self.refused("decoder_rnn_dim 1024, the tensors 48", self.path("d.pt"))


@needs_torch
class Nemo(ExportTest):
    def pack(self, config=None, compress=False, member="./model_config.yaml"):
        with tarfile.open(os.path.join(CASES, "nemo_a/checkpoint.nemo")) as archive:
            members = {m.name: archive.extractfile(m).read() for m in archive if m.isfile()}
        text = members["./model_config.yaml"].decode()
        if config:
            text = config(text)
        members[member] = text.encode()
        out = io.BytesIO()
        with tarfile.open(fileobj=out, mode="w") as archive:
            for name in (member, "./model_weights.ckpt"):
                info = tarfile.TarInfo(name)
                info.size = len(members[name])
                archive.addfile(info, io.BytesIO(members[name]))
        data = out.getvalue()
        return self.write("m.nemo", gzip.compress(data, 1) if compress else data, "wb")

    def test_plain_tar(self):
        voice, _ = self.export(self.pack())
        self.assertEqual(voice.audio["window_periodic"], False)
        self.assertEqual(voice.audio["center"], False)
        self.assertEqual(voice.audio["pad_mode"], "constant")
        self.assertEqual(voice.text["pad_ends"], " ")

    def test_damaged(self):
        data = open(self.pack(compress=True), "rb")
        with data:
            whole = data.read()
        self.refused("damaged archive|without model_weights",
                     self.write("cut.nemo", whole[:len(whole) // 2], "wb"))

    def test_settings_that_are_not_run(self):
        for old, new, message in (
                ("normalize: null", "normalize: per_feature", "normalize 'per_feature'"),
                ("log_zero_guard_type: clamp", "log_zero_guard_type: add", "log_zero_guard_type 'add'"),
                ("EnglishPhonemesTokenizer", "IPATokenizer", "text_tokenizer IPATokenizer")):
            with self.subTest(new):
                self.refused(message, self.pack(lambda text: text.replace(old, new)))

    def test_no_config(self):
        self.refused("no model_config.yaml", self.pack(member="./other.yaml"))

    def test_yaml_runs_nothing(self):
        mark = self.path("it-was-run")
        self.pack(lambda t: f"evil: !!python/object/apply:os.mkdir ['{mark}']\n" + t)
        self.export(self.path("m.nemo"))
        self.assertFalse(os.path.exists(mark))


class CommandLine(ExportTest):
    CHECKPOINT = os.path.join(CASES, "torchaudio_a_char/checkpoint.pth")

    def test_options_win(self):
        voice, _ = self.export(self.CHECKPOINT, "--name", "anna", "--language", "de-DE", "--licence",
                               "CC0", "--source", "here", "--description", "d", "--gate-threshold",
                               "0.25", "--set", "audio.fmax=7600", "--set", "text.case=keep",
                               "--set", "model.attention.window=espnet", "--set",
                               "model.attention.window_back=1", "--set",
                               "model.attention.window_forward=3")
        self.assertEqual(voice.config["name"], "anna")
        self.assertEqual(voice.config["language"], "de-DE")
        self.assertEqual(voice.config["model"]["gate_threshold"], 0.25)
        self.assertEqual(voice.config["audio"]["fmax"], 7600)
        self.assertEqual(voice.config["model"]["attention"]["window"], "espnet")

    def test_settings_that_make_no_sense(self):
        for setting, message in (("audio.fmax=12000", "not within half the sample rate"),
                                 ("audio.hop_length=800", "above win_length / 2"),
                                 ("model.n_mels=21", "n_mels"), ("model.colour=1", "no such setting"),
                                 ("text.front_end=klingon", "text.front_end"),
                                 ("text.eos=~", "text.eos: '~' is not in the symbol table"),
                                 ("model.gate_threshold=1.5", "gate_threshold"),
                                 ("model.prenet_dropout=NaN", "prenet_dropout"),
                                 ("fmax=3", "expected model., audio. or text."),
                                 ("audio.range.clip=true", "this voice has no audio.range")):
            with self.subTest(setting):
                self.refused(message, self.CHECKPOINT, "--set", setting)

    def test_mel_basis_follows_the_settings(self):
        self.export(self.CHECKPOINT)
        before = self.tensors()["audio.mel_basis"]
        self.export(self.CHECKPOINT, "--set", "audio.fmax=4000")
        after = self.tensors()["audio.mel_basis"]
        self.assertGreater(np.flatnonzero(before.sum(0)).max(), np.flatnonzero(after.sum(0)).max())

    def test_stored_types(self):
        self.export(self.CHECKPOINT)
        plain = self.tensors()
        for dtype, error in (("f16", 2 ** -11), ("bf16", 2 ** -8)):
            self.export(self.CHECKPOINT, "--dtype", dtype)
            for name, values in self.tensors().items():
                exact = values.ndim == 1 or name.startswith("audio.")
                np.testing.assert_allclose(values, plain[name], rtol=0 if exact else error,
                                           atol=0 if exact else 1e-7, err_msg=name)

    def test_exit_status(self):
        import sys
        from unittest import mock
        for arguments, status in (([self.CHECKPOINT, "-o", self.path("v.safetensors")], 0),
                                  ([self.path("none"), "-o", self.path("v.safetensors")], 1),
                                  ([self.CHECKPOINT, "-o", self.path("no/v.safetensors")], 1)):
            with silent() as errors, mock.patch.object(sys, "argv", ["export", *arguments]):
                self.assertEqual(main.main(), status)
            if status:
                self.assertRegex(errors.getvalue(), "export: .*(none|v.safetensors)")
