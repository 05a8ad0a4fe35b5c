"""Coqui and Mozilla TTS: attentions, frames a step, what is folded, speakers, styles, audio, symbols."""

import json
import os
import unittest

import numpy as np
from small import coqui, save_coqui
from support import CASES, ExportTest, needs_torch, torch

import reference
from taco_export import symbols


@needs_torch
class Attention(ExportTest):
    def attention(self, state, config):
        voice, _ = self.export(save_coqui(self, state, config))
        return voice.model["attention"]

    def test_original(self):
        for norm in ("softmax", "sigmoid"):
            a = self.attention(coqui(), {"attention_norm": norm})
            self.assertEqual((a["type"], a["normaliser"], a["v_bias"]),
                             ("location", norm, norm == "sigmoid"))
            self.assertEqual(a["location_channels"], ["prev", "cum"])

    def test_without_location(self):
        a = self.attention(coqui(location=False), {"location_attn": False})
        self.assertEqual(a["location_n_filters"], 0)

    def test_window(self):
        a = self.attention(coqui(), {"attention_win": True})
        self.assertEqual((a["window"], a["window_back"], a["window_forward"]), ("coqui", 2, 6))

    def test_forward(self):
        a = self.attention(coqui(agent=True), {"use_forward_attn": True, "forward_attn_mask": True,
                                               "transition_agent": True})
        self.assertEqual((a["type"], a["forward_rule"], a["forward_mask"], a["transition_agent"]),
                         ("forward", "coqui", True, True))
        a = self.attention(coqui(agent=True), {"transition_agent": True})
        self.assertEqual(a["type"], "location")

    def test_graves(self):
        a = self.attention(coqui(attention="graves"), {"attention_type": "graves"})
        self.assertEqual(a, {"type": "gmm", "gmm_components": 5})

    def test_dynamic_convolution(self):
        a = self.attention(coqui(attention="dynamic_convolution"),
                           {"attention_type": "dynamic_convolution"})
        self.assertEqual((a["dynamic_n_filters"], a["dynamic_kernel_size"], a["prior_length"]),
                         (8, 21, 11))

    def test_unknown(self):
        for config, message in (({"attention_type": "transformer"}, "attention_type 'transformer'"),
                                ({"attention_norm": "sparsemax"}, "attention_norm 'sparsemax'"),
                                ({"attention_type": "graves"}, r"N_a|gmm\.0\.weight: not in"),
                                ({"model": "glow_tts"}, "glow_tts"),
                                ({"use_capacitron_vae": True}, "Capacitron")):
            with self.subTest(message):
                self.refused(message, save_coqui(self, coqui(), config))
        state = coqui()
        state["capacitron_vae_layer.encoder.convs.0.weight"] = torch.zeros(2)
        self.refused("Capacitron", save_coqui(self, state))
        state = coqui()
        state["encoder._language_embedding.weight"] = torch.zeros(2, 2)
        self.refused("language embedding", save_coqui(self, state))

    def test_training_decoders_are_left_out(self):
        state = coqui()
        for prefix in ("coarse_decoder", "decoder_backward"):
            state.update({f"{prefix}.{k[8:]}": v for k, v in coqui(r_init=5).items()
                          if k.startswith("decoder.")})
        self.export(save_coqui(self, coqui()))
        plain = self.tensors()
        _, lines = self.export(save_coqui(self, state))
        self.assertIn("left out: ", lines)
        self.assertEqual(set(plain), set(self.tensors()))


@needs_torch
class Folding(ExportTest):
    def test_stop_layer(self):
        """stopnet([h2 | all r_init frames]) == gate_layer([h2 | context])."""
        state = coqui(r_init=4)
        self.export(save_coqui(self, state, {"r": 2}))
        mine, rng = self.tensors(), np.random.default_rng(0)
        w = {k: v.double().numpy() for k, v in state.items() if v.is_floating_point()}
        h2, context = rng.standard_normal(16), rng.standard_normal(12)
        y = np.concatenate([h2, context])
        frames = (w["decoder.linear_projection.linear_layer.weight"] @ y
                  + w["decoder.linear_projection.linear_layer.bias"])
        stop = (w["decoder.stopnet.1.linear_layer.weight"] @ np.concatenate([h2, frames])
                + w["decoder.stopnet.1.linear_layer.bias"])
        gate = mine["decoder.gate_layer.weight"] @ y + mine["decoder.gate_layer.bias"]
        np.testing.assert_allclose(gate, stop, atol=1e-5)
        kept = mine["decoder.linear_projection.weight"] @ y + mine["decoder.linear_projection.bias"]
        np.testing.assert_allclose(kept, frames[:2 * 8], atol=1e-5)

    def test_where_r_stands(self):
        for of_state, config, options, wanted in (
                ({"config": {"r": 1}}, {}, (), 1), ({"r": 2}, {}, (), 2), ({}, {}, (), 3),
                ({"r": 2}, {}, ("--frames-per-step", "1"), 1)):
            voice, _ = self.export(save_coqui(self, coqui(), config, **of_state), *options)
            self.assertEqual(voice.model["n_frames_per_step"], wanted)
        _, lines = self.export(save_coqui(self, coqui(), {"gradual_training": [[0, 3, 32]]}))
        self.assertRegex(lines, "assumed: 3 frames a step, the configuration's first value")
        self.refused("r is 4, and the projection makes 3", save_coqui(self, coqui(), {"r": 4}))

    def test_batch_norm_of_the_prenet(self):
        state = coqui(prenet="bn")
        voice, _ = self.export(save_coqui(self, state, {"prenet_type": "bn"}))
        self.assertTrue(voice.model["prenet_bias"])
        mine, x = self.tensors(), torch.randn(1, 8)
        layer = torch.nn.BatchNorm1d(6)
        prefix = "decoder.prenet.linear_layers.0."
        layer.load_state_dict({k: state[prefix + "batch_normalization." + k]
                               for k in layer.state_dict()})
        with torch.no_grad():
            wanted = layer.eval()(x @ state[prefix + "linear_layer.weight"].T).numpy()[0]
        got = mine["decoder.prenet.0.weight"] @ x.numpy()[0] + mine["decoder.prenet.0.bias"]
        np.testing.assert_allclose(got, wanted, atol=1e-5)

    def test_dropout_when_it_speaks(self):
        for config, wanted in (({}, 0.0), ({"prenet_dropout_at_inference": True}, 0.5),
                               ({"prenet_dropout": False, "prenet_dropout_at_inference": True}, 0.0)):
            voice, _ = self.export(save_coqui(self, coqui(), config))
            self.assertEqual(voice.model["prenet_dropout"], wanted)

    def test_style_of_zeros(self):
        """Without a style, the columns of the style meet zeros: cutting them out changes nothing."""
        state = coqui(memory_extra=5)
        state["gst_layer.style_token_layer.style_tokens"] = torch.zeros(10, 5)
        voice, lines = self.export(save_coqui(self, state, {"use_gst": True,
                                                            "gst": {"gst_embedding_dim": 5}}))
        self.assertIn("left out: global style tokens", lines)
        mine = self.tensors()
        self.assertEqual(mine["decoder.attention_rnn.weight_ih"].shape[1], 6 + 12)
        full = state["decoder.decoder_rnn.weight_ih"].numpy()
        np.testing.assert_allclose(mine["decoder.decoder_rnn.weight_ih"], full[:, :32], rtol=1e-6)
        self.assertEqual(mine["decoder.attention.memory_layer.weight"].shape[1], 12)


@needs_torch
class Speakers(ExportTest):
    def multi(self, **config):
        state = coqui(memory_extra=5)
        state["speaker_embedding.weight"] = torch.arange(15.0).reshape(3, 5)
        return save_coqui(self, state, config)

    def test_table(self):
        path = self.multi()
        voice, lines = self.export(path)
        self.assertIn("assumed: names of the 3 speakers", lines)
        self.assertEqual(voice.config["speakers"], ["0", "1", "2"])
        self.assertEqual(voice.model["speaker_mode"], "concat")
        self.write("speakers.json", json.dumps({"bea": 1, "ada": 0, "cleo": 2}))
        voice, _ = self.export(path)
        self.assertEqual(voice.config["speakers"], ["ada", "bea", "cleo"])
        for wanted in ("bea", "1"):
            voice, _ = self.export(path, "--speaker", wanted)
            self.assertEqual(voice.config["speakers"], ["bea"])
            np.testing.assert_array_equal(self.tensors()["speaker_embedding.weight"],
                                          [[5, 6, 7, 8, 9]])
        self.refused("there are 3: ada, bea, cleo", path, "--speaker", "dora")
        self.write("speakers.json", json.dumps({"ada": 0, "bea": 1}))
        self.refused("names for numbers 0 to 2 expected", path)

    def test_one_speaker(self):
        self.refused("has one speaker", save_coqui(self, coqui()), "--speaker", "ada")

    def test_vectors_from_outside(self):
        path = save_coqui(self, coqui(memory_extra=4), {"use_d_vector_file": True})
        self.refused("--d-vectors FILE", path)
        clips = {"a.wav": {"name": "ada", "embedding": [1, 2, 3, 4]},
                 "b.wav": {"name": "ada", "embedding": [3, 2, 1, 0]},
                 "c.wav": {"name": "bea", "embedding": [0, 0, 0, 1]}}
        vectors = self.write("vectors.json", json.dumps(clips))
        voice, _ = self.export(path, "--d-vectors", vectors)
        self.assertEqual(voice.config["speakers"], ["ada", "bea"])
        np.testing.assert_array_equal(self.tensors()["speaker_embedding.weight"],
                                      [[2, 2, 2, 2], [0, 0, 0, 1]])
        bad = self.write("bad.json", json.dumps({"a.wav": {"name": "ada"}}))
        self.refused("a.wav: expected a name and an embedding", path, "--d-vectors", bad)

    def test_a_speaker_speaks_as_the_table_says(self):
        """concat: the twin's memory ends with the speaker's row at every symbol."""
        self.export(self.multi(), "--speaker", "2")
        memory = reference.encode(reference.Voice(self.path("voice.safetensors")), [1, 2, 3])
        np.testing.assert_array_equal(memory[:, 12:], [[10, 11, 12, 13, 14]] * 3)


@needs_torch
class Audio(ExportTest):
    def audio(self, **settings):
        from small import COQUI_CONFIG
        config = {"audio": {**COQUI_CONFIG["audio"], **settings}}
        voice, lines = self.export(save_coqui(self, coqui(), config))
        return voice.audio, lines

    def test_range(self):
        a, _ = self.audio(signal_norm=True, min_level_db=-90, ref_level_db=15, max_norm=1.0,
                          symmetric_norm=False, clip_norm=False, spec_gain=20, log_func="np.log10")
        self.assertEqual(a["range"], {"ref_level_db": 15, "min_level_db": -90, "max_norm": 1.0,
                                      "symmetric": False, "clip": False})
        self.assertEqual((a["log"], a["log_gain"], a["log_floor"]), ("log10", 20, 1e-8))

    def test_defaults_are_said(self):
        from small import COQUI_CONFIG
        settings = {k: v for k, v in COQUI_CONFIG["audio"].items() if k != "hop_length"}
        _, lines = self.export(save_coqui(self, coqui(), {"audio": settings}))
        self.assertRegex(lines, "assumed: audio: hop_length 256")

    def test_frames_in_milliseconds(self):
        a, _ = self.audio(hop_length=None, win_length=None, frame_shift_ms=10, frame_length_ms=40)
        self.assertEqual((a["hop_length"], a["win_length"]), (220, 880))

    def test_what_is_not_run(self):
        for settings, message in (({"log_func": "np.log2"}, "log_func"),
                                  ({"do_amp_to_db_mel": False}, "do_amp_to_db_mel"),
                                  ({"num_mels": 80}, "num_mels 80, the tensors 8"),
                                  ({"mel_fmax": 12000}, "half the sample rate")):
            with self.subTest(message):
                from small import COQUI_CONFIG
                config = {"audio": {**COQUI_CONFIG["audio"], **settings}}
                self.refused(message, save_coqui(self, coqui(), config))

    def test_mean_and_deviation(self):
        from small import COQUI_CONFIG
        config = {"audio": {**COQUI_CONFIG["audio"], "stats_path": "/far/away/scale_stats.npy"}}
        path = save_coqui(self, coqui(), config)
        self.refused("scale_stats.npy: .*--stats FILE", path)
        stats = {"mel_mean": np.arange(8.0), "mel_std": np.arange(8.0) + 1, "linear_mean": np.zeros(3)}
        np.save(self.path("scale_stats.npy"), stats, allow_pickle=True)
        self.export(path)
        np.testing.assert_array_equal(self.tensors()["audio.std"], np.arange(8) + 1)
        for key, value in (("mel_std", np.zeros(8)), ("mel_mean", np.full(8, np.nan)),
                           ("mel_mean", np.zeros(7))):
            np.save(self.path("scale_stats.npy"), {**stats, key: value}, allow_pickle=True)
            self.refused("scale_stats.npy", path)


class Configuration(ExportTest):
    @needs_torch
    def test_damaged(self):
        path = save_coqui(self, coqui())
        for text, message in (("{", "config.json"), ("[1]", "expected a JSON object"), ("", "config.json")):
            self.write("config.json", text)
            self.refused(message, path)
        os.unlink(self.path("config.json"))
        self.refused("no configuration", path)

    def test_comments_and_infinity(self):
        from taco_export import configuration
        path = self.write("c.json", '{"a": "http://x/y", // b\n "c": Infinity, /* d */ "e": "\\"// no"}')
        self.assertEqual(configuration.read_json(path),
                         {"a": "http://x/y", "c": float("inf"), "e": '"// no'})

    def test_yaml_tags(self):
        from taco_export import configuration
        path = self.write("c.yaml", "n: 3\nm: !ref <n>\nnet: !new:a.b.C\n  n: !ref <n>\nf: !name:d.e\n")
        self.assertEqual(configuration.read_yaml(path)["m"], 3)
        for text in ("a: [", "- 1", "a: &x [*x, *x]\nb: {? *x : 1}"):
            with self.assertRaises(configuration.ExportError):
                configuration.read_yaml(self.write("c.yaml", text))


class Symbols(unittest.TestCase):
    def test_sizes_of_the_defaults(self):
        self.assertEqual(len(symbols.NVIDIA), 148)
        self.assertEqual(len(symbols.TORCHAUDIO_PHONES), 96)
        self.assertEqual(len(symbols.coqui_table(67, False)), 67)
        self.assertEqual(len(symbols.coqui_table(131, True)), 131)
        self.assertEqual(len(symbols.mozilla_table(False)), 181)
        self.assertEqual(len(symbols.mozilla_table(True)), 129)

    def test_golden_tables(self):
        for case, table in (("nvidia_a", symbols.NVIDIA),
                            ("coqui_a_forward_attn_ta", symbols.coqui_table(67, False)),
                            ("mozilla_a_softmax_win_r2of7", symbols.mozilla_table(False)),
                            ("torchaudio_a_char", symbols.TORCHAUDIO_CHARACTERS)):
            with open(os.path.join(CASES, case, "case.json"), encoding="utf-8") as f:
                self.assertEqual(json.load(f)["symbols"], table, case)

    def test_older_coqui_tables(self):
        """Punctuation in both strings: today's rule counts it twice, the older one once."""
        c = {"pad": "_", "eos": "~", "bos": "^", "characters": "CBAcba!. ", "punctuations": "!. ",
             "phonemes": "ieu"}
        self.assertEqual(symbols.coqui_table(15, False, c),
                         ["_", "~", "^"] + sorted("CBAcba!. ") + ["!", ".", " "])
        self.assertEqual(symbols.coqui_table(12, False, c), ["_", "~", "^"] + list("CBAcba!. "))
        self.assertEqual(symbols.coqui_table(9, True, c), ["_", "~", "^", "e", "i", "u", "!", ".", " "])
        self.assertIsNone(symbols.coqui_table(50, False, c))

    def test_last_place_counts(self):
        self.assertEqual(symbols.distinct(["a", ".", "b", "."]), ["a", "<unused 1>", "b", "."])
