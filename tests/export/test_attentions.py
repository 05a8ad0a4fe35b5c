"""--attention NAME=FILE: attentions are added to a voice, replaced, and refused when they do not fit."""

import json
import os
import tempfile
import unittest

import numpy as np

from support import ROOT
from taco_export import attentions, main, safetensors, schema
from taco_export.report import ExportError

VOICE = os.path.join(ROOT, "models/slt.safetensors")
DOT = {"type": "dot", "dim": 8}


def config_of(path):
    return json.loads(safetensors.read(path)[1]["config"])


class Attentions(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        model = config_of(VOICE)["model"]
        shapes = schema.attention_shapes(DOT, model["attention_rnn_dim"], schema.memory_width(model),
                                         model["n_mels"])
        rng = np.random.default_rng(1)
        self.tensors = {name: rng.standard_normal(shape).astype(np.float32) for name, shape in shapes.items()}

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def file(self, name, attention, tensors):
        attentions.write(self.path(name), attention, tensors)
        return self.path(name)

    def export(self, voice, *additions, settings=()):
        out = self.path("out.safetensors")
        arguments = [voice, "-o", out]
        for addition in additions:
            arguments += ["--attention", addition]
        for setting in settings:
            arguments += ["--set", setting]
        with open(os.devnull, "w", encoding="utf-8") as silence:
            main.run(arguments, silence)
        return out

    def refused(self, message, *additions):
        with self.assertRaisesRegex(ExportError, message):
            self.export(VOICE, *additions)

    def test_added_and_replaced(self):
        dot = self.file("dot", DOT, self.tensors)
        out = self.export(VOICE, f"dot={dot}", f"own={VOICE}", settings=["model.frames_per_symbol=6"])
        before, after = safetensors.read(VOICE)[0], safetensors.read(out)[0]
        for name, values in before.items():
            np.testing.assert_array_equal(after[name], values)
        config = config_of(out)["model"]
        self.assertEqual(config["frames_per_symbol"], 6)
        self.assertEqual(config["attentions"]["dot"], DOT)
        self.assertEqual(config["attentions"]["own"], config["attention"])
        np.testing.assert_array_equal(after["attention.own.v.weight"], before["decoder.attention.v.weight"])
        np.testing.assert_allclose(after["attention.dot.query_layer.weight"], self.tensors["query_layer.weight"],
                                   atol=1e-2)
        again = self.export(out, f"dot={VOICE}")
        self.assertEqual(config_of(again)["model"]["attentions"]["dot"]["type"], config["attention"]["type"])
        self.assertNotIn("attention.dot.query_layer.bias", safetensors.read(again)[0])

    def test_refused(self):
        good = self.file("good", DOT, self.tensors)
        missing = dict(self.tensors)
        del missing["memory_layer.weight"]
        self.refused(r"attention\.a\.memory_layer\.weight: missing", "a=" + self.file("missing", DOT, missing))
        self.refused(r"attention\.a\.query_layer\.weight: expected shape",
                     "a=" + self.file("shape", {**DOT, "dim": 9}, self.tensors))
        self.refused(r"attention\.a\.v\.weight: not a tensor",
                     "a=" + self.file("many", DOT, {**self.tensors, "v.weight": np.zeros(8)}))
        self.refused("attentions.a.type", "a=" + self.file("type", {"type": "no_such"}, self.tensors))
        self.refused("expected NAME=FILE", good)
        self.refused("a-z", f"A b={good}")
        self.refused("the default's name", f"location={good}")
        self.refused("nobody.*No such file", "a=" + self.path("nobody"))
        with open(self.path("text"), "w", encoding="utf-8") as f:
            f.write("no attention file at all")
        self.refused("neither an attention file nor a voice", "a=" + self.path("text"))
        self.refused("a voice of tacod already")


if __name__ == "__main__":
    unittest.main()
