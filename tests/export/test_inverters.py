"""--inverter FILE: an inverter is put into a voice, replaced, and refused when it does not fit."""

import json
import os
import tempfile
import unittest

import numpy as np

from support import ROOT
from taco_export import main, safetensors
from taco_export.report import ExportError

VOICE = os.path.join(ROOT, "models/slt.safetensors")
INVERTER = {"n_convolutions": 2, "kernel_size": 3, "channels": 4, "offset": -5.0, "gain": 0.4}


class Inverters(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        tensors, metadata = safetensors.read(VOICE)
        self.config = {"audio": json.loads(metadata["config"])["audio"], "inverter": dict(INVERTER), "licence": "none"}
        n_mels, n_bins = tensors["audio.mel_basis"].shape
        shapes = {"conv.0.weight": (4, n_mels, 3), "conv.0.bias": (4,), "conv.1.weight": (4, 4, 3), "conv.1.bias": (4,),
                  "out.weight": (n_bins, 4 + n_mels), "out.bias": (n_bins,)}
        rng = np.random.default_rng(1)
        self.tensors = {name: rng.standard_normal(shape).astype(np.float32) for name, shape in shapes.items()}
        self.tensors["basis"] = tensors["audio.mel_basis"]

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def file(self, form="taco-inverter"):
        safetensors.write(self.path("inverter"), {name: ("F32", x) for name, x in self.tensors.items()},
                          {"format": form, "version": "1", "config": json.dumps(self.config)})
        return self.path("inverter")

    def export(self, voice, inverter):
        out = self.path("out.safetensors")
        with open(os.devnull, "w", encoding="utf-8") as silence:
            main.run([voice, "-o", out, "--inverter", inverter], silence)
        return out

    def refused(self, message, form="taco-inverter"):
        with self.assertRaisesRegex(ExportError, message):
            self.export(VOICE, self.file(form))

    def test_put_and_replaced(self):
        out = self.export(VOICE, self.file())
        before, (after, metadata) = safetensors.read(VOICE)[0], safetensors.read(out)
        for name, values in before.items():
            np.testing.assert_array_equal(after[name], values)
        self.assertEqual(json.loads(metadata["config"])["inverter"], INVERTER)
        self.assertEqual(set(after) - set(before), {"inverter." + name for name in self.tensors if name != "basis"})
        np.testing.assert_array_equal(after["inverter.conv.1.weight"], self.tensors["conv.1.weight"])
        self.config["inverter"]["n_convolutions"] = 1
        for name in ("conv.1.weight", "conv.1.bias"):
            del self.tensors[name]
        again, metadata = safetensors.read(self.export(out, self.file()))
        self.assertEqual(json.loads(metadata["config"])["inverter"]["n_convolutions"], 1)
        self.assertNotIn("inverter.conv.1.weight", again)

    def test_other_mels(self):
        hop = self.config["audio"]["hop_length"]
        self.config["audio"]["hop_length"] = hop + 1
        self.refused(f"trained for audio.hop_length {hop + 1}, the voice has {hop}")
        self.config["audio"]["hop_length"] = hop
        self.tensors["basis"] = self.tensors["basis"] * 1.1
        self.refused("another mel basis")

    def test_what_does_not_fit(self):
        self.refused("not an inverter file", form="taco-voice")
        basis = self.tensors.pop("basis")
        self.refused("not an inverter file")
        self.tensors["basis"] = basis
        self.config["inverter"]["channels"] = 5
        self.refused(r"inverter\.conv\.0\.weight: expected shape \[5, 80, 3\]")
        self.config["inverter"]["channels"] = 0
        self.refused("inverter.channels")


if __name__ == "__main__":
    unittest.main()
