"""The mel basis, and the safetensors writer."""

import json
import os
import struct
import unittest

import numpy as np
from support import CASES, ExportTest, needs_torch, torch

from taco_export import audio, safetensors
from taco_export.report import ExportError


class MelBasis(unittest.TestCase):
    def test_against_the_bases_in_checkpoints(self):
        """NeMo's and ESPnet's checkpoints carry what librosa made."""
        if torch is None:
            self.skipTest("python3-torch is not installed")
        path = os.path.join(CASES, "espnet_a_attloc/checkpoint.pth")
        theirs = torch.load(path)["feats_extract.logmel.melmat"].numpy().T
        np.testing.assert_allclose(audio.mel_basis(22050, 1024, 20, 80, 7600), theirs, atol=1e-8)

    def test_against_torchaudio(self):
        try:
            from torchaudio.functional import melscale_fbanks
        except ImportError:
            self.skipTest("python3-torchaudio is not installed")
        for rate, n_fft, n_mels, fmin, fmax in ((16000, 1024, 80, 0, 8000), (22050, 2048, 80, 40, 11025),
                                                (48000, 2048, 128, 20, 20000)):
            for scale, norm in (("slaney", "slaney"), ("htk", None)):
                theirs = melscale_fbanks(n_fft // 2 + 1, float(fmin), float(fmax), n_mels, rate, norm,
                                         scale).numpy().T
                mine = audio.mel_basis(rate, n_fft, n_mels, fmin, fmax, scale, norm or "none")
                np.testing.assert_allclose(mine, theirs, atol=2e-5 * theirs.max())

    def test_areas(self):
        """Slaney's norm: each triangle has an area of one, in Hz, when the bins are fine enough."""
        basis = audio.mel_basis(16000, 16384, 40, 100, 7000)
        np.testing.assert_allclose(basis.sum(1) * 16000 / 16384, 1, atol=0.01)

    def test_scales_are_inverse(self):
        hz = np.linspace(0, 11025, 500)
        for scale in ("slaney", "htk"):
            np.testing.assert_allclose(audio.mel_to_hz(audio.hz_to_mel(hz, scale), scale), hz, atol=1e-6)

    def test_unknown(self):
        with self.assertRaises(ExportError):
            audio.mel_basis(16000, 512, 20, 0, 8000, "bark")


class Safetensors(ExportTest):
    def test_layout(self):
        path = self.path("a.safetensors")
        safetensors.write(path, {"a": ("F32", np.arange(3)), "b": ("F16", np.ones((4, 8))),
                                 "c": ("BF16", np.zeros((32, 1))), "d": ("I64", np.arange(5))},
                          {"format": "x", "umlaut": "ä"})
        with open(path, "rb") as f:
            data = f.read()
        size = struct.unpack("<Q", data[:8])[0]
        header = json.loads(data[8:8 + size])
        self.assertEqual((8 + size) % 64, 0)
        self.assertEqual(header["__metadata__"]["umlaut"], "ä")
        ends = sorted(header[n]["data_offsets"] for n in "abcd")
        self.assertEqual([e[0] for e in ends], [0] + [e[1] for e in ends[:-1]])
        self.assertEqual(ends[-1][1], len(data) - 8 - size)
        for name in "bc":
            self.assertEqual(header[name]["data_offsets"][0] % 64, 0)
        tensors, _ = safetensors.read(path)
        np.testing.assert_array_equal(tensors["d"], np.arange(5))

    def test_f16_overflow(self):
        with self.assertRaisesRegex(ExportError, "w: values up to 7e.04 do not fit f16"):
            safetensors.write(self.path("a"), {"w": ("F16", np.array([7e4]))}, {})
        self.assertEqual(os.listdir(self.folder), [])

    @needs_torch
    def test_bf16_rounds_as_torch_does(self):
        values = torch.randn(10000) * torch.logspace(-30, 30, 10000)
        mine = safetensors.from_bf16(safetensors.to_bf16(values.numpy()))
        np.testing.assert_array_equal(mine, values.bfloat16().float().numpy())
