"""A voice with several attentions: which one reads the text, its temperature and window, what is told of it."""

import json
import math
import os
import subprocess
import sys
import tempfile
import unittest

from daemon import Daemon, DaemonCase

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
VOICE = os.path.join(ROOT, "models/slt.safetensors")
sys.path.insert(0, os.path.join(ROOT, "models/export"))

try:
    import numpy as np

    from taco_export import attentions, safetensors, schema
except ImportError:
    np = None

TEXT = "Five wine glasses."
OTHERS = {"dot": {"type": "dot", "dim": 16}, "mixture": {"type": "gmm", "gmm_components": 3},
          "heads": {"type": "multi_head", "n_heads": 3, "head_score": "scaled_dot", "dim": 8, "value_dim": 8}}


def make_voice(folder):
    """The voice slt with untrained attentions beside its own."""
    _, metadata = safetensors.read(VOICE)
    model = json.loads(metadata["config"])["model"]
    rng, additions = np.random.default_rng(1), []
    for name, attention in OTHERS.items():
        shapes = schema.attention_shapes(attention, model["attention_rnn_dim"], schema.memory_width(model),
                                         model["n_mels"])
        tensors = {key: rng.standard_normal(shape) / math.sqrt(shape[-1]) for key, shape in shapes.items()}
        path = os.path.join(folder, name + ".safetensors")
        attentions.write(path, attention, tensors)
        additions += ["--attention", f"{name}={path}"]
    voice = os.path.join(folder, "several.safetensors")
    subprocess.run([os.path.join(ROOT, "models/export/export"), VOICE, "-o", voice, *additions], check=True,
                   capture_output=True)
    return voice


@unittest.skipUnless(np, "python3-numpy is not installed")
class Attentions(DaemonCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.tacod = Daemon("--voice", "several=" + make_voice(cls.folder.name), "--voice", "slt=" + VOICE)

    @classmethod
    def tearDownClass(cls):
        super().tearDownClass()
        cls.folder.cleanup()

    def alignment(self, **fields):
        answer = self.tacod.post(json.dumps({"text": TEXT, "seed": 5, "max_frames": 40, "matrix": "arrays",
                                             **fields}), "application/json", Accept="application/json")
        self.assertEqual(answer.status, 200, answer.body[:300])
        return answer.json()["alignment"]

    def test_list(self):
        voice = self.tacod.get("/v1/voices/several").json()
        listed = {a["name"]: a for a in voice["attentions"]}
        self.assertEqual(list(listed), [voice["attention"], *OTHERS])
        self.assertEqual(listed["mixture"]["type"], "gmm")
        self.assertFalse(listed["mixture"]["has_energies"])
        self.assertEqual(listed["heads"]["n_heads"], 3)
        self.assertTrue(all(a["summary"] for a in listed.values()))

    def test_the_default_is_the_voice_without_them(self):
        plain = self.alignment(voice="slt")
        ours = self.alignment()
        self.assertEqual(ours["attention"], plain["attention"])
        self.assertEqual(ours["chunks"][0]["alignment"], plain["chunks"][0]["alignment"])
        named = self.alignment(attention=plain["attention"])
        self.assertEqual(named["chunks"][0]["alignment"], plain["chunks"][0]["alignment"])

    def test_each_reads_in_its_way(self):
        seen = set()
        for name in OTHERS:
            alignment = self.alignment(attention=name)
            self.assertEqual(alignment["attention"], name)
            chunk = alignment["chunks"][0]
            rows = chunk["alignment"]
            seen.add(json.dumps(rows))
            self.assertEqual(len(chunk["entropy"]), chunk["n_steps"])
            for row, entropy in zip(rows, chunk["entropy"]):
                share = [w / sum(row) for w in row]
                self.assertAlmostEqual(entropy, -sum(w * math.log(w) for w in share if w > 0), delta=0.05)
            self.assertEqual("heads" in chunk, name == "heads")
        self.assertEqual(len(seen), len(OTHERS))

    def test_heads(self):
        chunk = self.alignment(attention="heads")["chunks"][0]
        self.assertEqual(len(chunk["heads"]), 3)
        for t, row in enumerate(chunk["alignment"]):
            for j, weight in enumerate(row):
                self.assertAlmostEqual(weight, sum(head[t][j] for head in chunk["heads"]) / 3, 5)

    def test_the_shipped_voice(self):
        """Every attention of heart speaks, and the error of an unknown one names them all."""
        names = [a["name"] for a in self.tacod.get("/v1/voices/heart").json()["attentions"]]
        self.assertGreater(len(names), 15)
        message = self.tacod.speak(voice="heart", attention="nobody").error["message"]
        for name in names:
            self.assertIn(name, message)
            self.assertEqual(self.alignment(voice="heart", attention=name)["attention"], name)

    def test_temperature_and_window(self):
        cold, warm = (self.alignment(attention="dot", temperature=t)["chunks"][0]["entropy"][0]
                      for t in (0.5, 4))
        self.assertLess(cold, warm)
        rows = self.alignment(attention="dot", window_back=1, window_forward=3)["chunks"][0]["alignment"]
        at = 0
        for row in rows:
            for j, weight in enumerate(row):
                self.assertTrue(weight == 0 or at - 1 <= j < at + 3, (at, j))
            at = row.index(max(row))

    def test_refused(self):
        answer = self.tacod.speak(attention="nobody")
        self.assert_error(answer, 400, "unknown_attention", "attention")
        for name in OTHERS:
            self.assertIn(name, answer.error["message"])
        self.assert_error(self.tacod.speak(voice="slt", attention="dot"), 400, "unknown_attention",
                          "attention")
        self.assert_error(self.tacod.speak(attention="mixture", temperature=2), 400, "invalid_argument",
                          "temperature")
        self.assert_error(self.tacod.speak(window_back=2), 400, "invalid_argument", "window_forward")
        self.assert_error(self.tacod.speak(attention=1), 400, "wrong_type", "attention")


if __name__ == "__main__":
    unittest.main()
