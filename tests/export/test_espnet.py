"""ESPnet 2 and 1."""

import json
import os
import struct
from collections import OrderedDict

import numpy as np
import yaml
from support import CASES, ExportTest, load, needs_torch, torch

CASE = "espnet_a_attloc"


@needs_torch
class Espnet2(ExportTest):
    def save(self, change_state=None, change_config=None, case=CASE):
        state = OrderedDict(load(case, "checkpoint.pth"))
        with open(os.path.join(CASES, case, "config.yaml"), encoding="utf-8") as f:
            config = yaml.safe_load(f)
        if change_state:
            change_state(state)
        if change_config:
            change_config(config)
        torch.save(state, self.path("model.pth"))
        self.write("config.yaml", yaml.safe_dump(config))
        return self.path("model.pth")

    def test_rules(self):
        voice, _ = self.export(self.save())
        m, a = voice.model, voice.model["attention"]
        self.assertTrue(m["attention_first"] and m["gate_inclusive"] and m["prenet_bias"])
        self.assertFalse(m["decoder_rnn_context"])
        self.assertEqual((m["zoneout"], m["max_frames_per_symbol"]), (0.1, 10.0))
        self.assertEqual((a["location_channels"], a["start"], a["memory_bias"]), (["cum"], "uniform", True))
        self.assertEqual(voice.text["eos"], "<sos/eos>")
        self.assertEqual(voice.text["word_separator"], "")
        theirs = load(CASE, "checkpoint.pth")
        np.testing.assert_allclose(self.tensors()["decoder.attention.v.weight"],
                                   2 * theirs["tts.dec.att.gvec.weight"].numpy()[0], rtol=1e-6)
        np.testing.assert_array_equal(self.tensors()["audio.mel_basis"],
                                      theirs["feats_extract.logmel.melmat"].numpy().T)

    def test_order_of_rows_with_two_frames_a_step(self):
        """feat_out's rows are d * r + k, the engine's k * n_mels + d."""
        def double(state):
            rows = state["tts.dec.feat_out.weight"].shape[1]
            state["tts.dec.feat_out.weight"] = torch.arange(40.0)[:, None].repeat(1, rows)
            state["tts.dec.prob_out.weight"] = torch.zeros(2, rows)
            state["tts.dec.prob_out.bias"] = torch.zeros(2)
        path = self.save(double, lambda c: c["tts_conf"].update(reduction_factor=2))
        voice, _ = self.export(path)
        self.assertEqual(voice.model["gate_dim"], 2)
        column = self.tensors()["decoder.linear_projection.weight"][:, 0]
        np.testing.assert_array_equal(column, np.arange(40).reshape(20, 2).T.reshape(-1))

    def test_without_context_at_the_output(self):
        """use_concate false: the outputs see h2 alone."""
        def cut(state):
            for name in ("feat_out", "prob_out"):
                state[f"tts.dec.{name}.weight"] = state[f"tts.dec.{name}.weight"][:, :48].clone()
        self.export(self.save(cut, lambda c: c["tts_conf"].update(use_concate=False)))
        weight = self.tensors()["decoder.linear_projection.weight"]
        self.assertEqual(weight.shape, (20, 80))
        self.assertFalse(weight[:, 48:].any())

    def test_transition_agent(self):
        def agent(state):
            state["tts.dec.att.mlp_ta.weight"] = torch.ones(1, 32 + 20 + 48)
            state["tts.dec.att.mlp_ta.bias"] = torch.zeros(1)
        voice, _ = self.export(self.save(agent, lambda c: c["tts_conf"].update(atype="forward_ta"),
                                         "espnet_a_attforward"))
        self.assertTrue(voice.model["attention"]["transition_agent"])
        self.assertEqual(voice.model["attention"]["start"], "one_hot")

    def test_constraint(self):
        voice, _ = self.export(self.save(), "--constraint", "1", "3")
        a = voice.model["attention"]
        self.assertEqual((a["window"], a["window_back"], a["window_forward"]), ("espnet", 1, 3))

    def test_what_is_not_run(self):
        for settings, message in (({"atype": "location2d"}, "atype 'location2d'"),
                                  ({"use_gst": True}, "use_gst"), ({"dlayers": 3}, "dlayers 3"),
                                  ({"output_activation": "relu"}, "output_activation relu"),
                                  ({"elayers": 2}, "elayers 2"), ({"prenet_layers": 0}, "prenet_layers"),
                                  ({"spk_embed_dim": 192}, "spk_embed_dim 192.*--d-vectors"),
                                  ({"reduction_factor": 3}, "reduction_factor 3")):
            with self.subTest(message):
                self.refused(message, self.save(None, lambda c: c["tts_conf"].update(settings)))
        for settings, message in (({"tts": "fastspeech2"}, "fastspeech2"),
                                  ({"feats_extract": "linear_spectrogram"}, "feats_extract"),
                                  ({"normalize": "utterance_mvn"}, "utterance_mvn"),
                                  ({"g2p": "pyopenjtalk", "token_list": [f"x{i}" for i in range(78)]},
                                   "g2p 'pyopenjtalk'")):
            with self.subTest(message):
                self.refused(message, self.save(None, lambda c: c.update(settings)))
        self.refused("decoder without zoneout",
                     self.save(None, lambda c: c["tts_conf"].update(zoneout_rate=0.1),
                               "espnet_a_attforward"))

    def test_statistics_outside(self):
        def drop(state):
            del state["normalize.mean"], state["normalize.std"]
        path = self.save(drop)
        self.refused("feats_stats.npz", path)
        mean, std = np.linspace(-3, 1, 20), np.linspace(0.5, 2, 20)
        np.savez(self.path("feats_stats.npz"), count=100, sum=100 * mean,
                 sum_square=100 * (std ** 2 + mean ** 2))
        self.export(path)
        np.testing.assert_allclose(self.tensors()["audio.mean"], mean, rtol=1e-6)
        np.testing.assert_allclose(self.tensors()["audio.std"], std, rtol=1e-6)

    def test_speakers_and_languages(self):
        def tables(state):
            state["tts.sid_emb.weight"] = torch.arange(96.0).reshape(3, 32)
            state["tts.lid_emb.weight"] = torch.ones(2, 32)
        path = self.save(tables)
        voice, lines = self.export(path, "--speaker", "1")
        self.assertIn("assumed: language 0 of 2", lines)
        self.assertEqual((voice.model["speaker_mode"], voice.config["speakers"]), ("add", ["1"]))
        np.testing.assert_array_equal(self.tensors()["speaker_embedding.weight"],
                                      [np.arange(32, 64) + 1])
        self.refused("there are 2 languages", path, "--language-id", "2")

    def test_speaker_vector_added(self):
        def projection(state):
            state["tts.projection.weight"], state["tts.projection.bias"] = torch.eye(32)[:, :4], torch.ones(32)
        path = self.save(projection, lambda c: c["tts_conf"].update(
            spk_embed_dim=4, spk_embed_integration_type="add"))
        np.save(self.path("x.npy"), np.array([3.0, 0, 4, 0]))
        self.export(path, "--d-vectors", self.path("x.npy"))
        row = self.tensors()["speaker_embedding.weight"][0]
        np.testing.assert_allclose(row[:5], [1.6, 1, 1.8, 1, 1], rtol=1e-6)
        np.save(self.path("x.npy"), np.zeros(5))
        self.refused("expected vectors of 4 numbers", path, "--d-vectors", self.path("x.npy"))


@needs_torch
class Espnet1(ExportTest):
    """The same network as ESPnet 2's case, kept as version 1 keeps it."""

    def save(self, **settings):
        state = OrderedDict((k[4:], v) for k, v in load(CASE, "checkpoint.pth").items()
                            if k.startswith("tts."))
        with open(os.path.join(CASES, CASE, "config.yaml"), encoding="utf-8") as f:
            config = yaml.safe_load(f)
        torch.save(state, self.path("model.loss.best"))
        self.write("model.json", json.dumps([78, 20, {**config["tts_conf"], **settings}]))
        self.write("units.txt", "".join(f"{t} {i + 1}\n" for i, t in
                                        enumerate(config["token_list"][1:-1])))
        return self.path("model.loss.best")

    def cmvn(self, kind):
        mean, std = np.linspace(-3, 1, 20), np.linspace(0.5, 2, 20)
        rows = np.array([np.append(50 * mean, 50), np.append(50 * (std ** 2 + mean ** 2), 0)])
        if kind == "text":
            body = "\n".join(" ".join(map(str, row)) for row in rows)
            self.write("cmvn.ark", f"key  [\n{body} ]\n")
        else:
            dtype = {"FM ": "<f4", "DM ": "<f8"}[kind]
            self.write("cmvn.ark", b"key \0B" + kind.encode() + b"\x04" + struct.pack("<i", 2) + b"\x04"
                       + struct.pack("<i", 21) + rows.astype(dtype).tobytes(), "wb")
        return mean, std

    def test_export(self):
        path = self.save()
        self.refused("cmvn.ark", path, "--symbols", self.path("units.txt"))
        for kind in ("FM ", "DM ", "text"):
            mean, std = self.cmvn(kind)
            voice, lines = self.export(path, "--symbols", self.path("units.txt"), "--front-end", "arpabet")
            self.assertRegex(lines, "assumed: audio: fs 22050")
            np.testing.assert_allclose(self.tensors()["audio.mean"], mean, rtol=1e-6)
            np.testing.assert_allclose(self.tensors()["audio.std"], std, rtol=1e-4)
        mine = self.tensors()
        self.assertEqual(voice.text["symbols"][0], "<blank>")
        self.assertEqual(voice.text["eos"], "<eos>")
        self.export(os.path.join(CASES, CASE, "checkpoint.pth"))
        for name, values in self.tensors().items():
            if not name.startswith("audio."):
                np.testing.assert_array_equal(mine[name], values, name)

    def test_refused(self):
        self.cmvn("FM ")
        self.refused("units.txt", self.save())
        self.refused("CBHG", self.save(use_cbhg=True), "--symbols", self.path("units.txt"))
        path = self.save()
        self.write("units.txt", "a 1\nb 3\n")
        self.refused("numbers 1 to 76 expected", path, "--symbols", self.path("units.txt"))
        self.write("model.json", "{}")
        self.refused("idim, odim", path)
        self.write("cmvn.ark", b"key \0BCM " + b"\0" * 40, "wb")
        path = self.save()
        self.refused("cmvn.ark: a matrix of Kaldi's of type", path, "--symbols", self.path("units.txt"))
