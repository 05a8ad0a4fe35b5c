"""What the tests of the exporter share: cases, changed checkpoints, the exporter run in this process."""

import contextlib
import io
import os
import sys
import tempfile
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
CASES = os.path.join(ROOT, "tests/golden/cases")
sys.path.insert(0, os.path.join(ROOT, "models/export"))
sys.path.insert(0, os.path.join(ROOT, "tests/golden"))

from taco_export import main, safetensors  # noqa: E402
from taco_export.report import ExportError  # noqa: E402

try:
    import torch
except ImportError:
    torch = None

needs_torch = unittest.skipIf(torch is None, "python3-torch is not installed")


class ExportTest(unittest.TestCase):
    """A folder of its own, gone after the test."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def write(self, name, text, mode="w"):
        with open(self.path(name), mode) as f:
            f.write(text)
        return self.path(name)

    def link(self, case, *names):
        """Puts files of a golden case into the folder, under their own names."""
        for name in names:
            os.symlink(os.path.abspath(os.path.join(CASES, case, name)), self.path(name))

    def export(self, checkpoint, *arguments):
        """(voice, lines that a person reads)."""
        lines = io.StringIO()
        voice = main.run([checkpoint, "-o", self.path("voice.safetensors"), *arguments], lines)
        return voice, lines.getvalue()

    def refused(self, pattern, checkpoint, *arguments):
        """The export stops with a message that matches, and leaves no file."""
        if os.path.exists(self.path("voice.safetensors")):
            os.unlink(self.path("voice.safetensors"))
        with self.assertRaisesRegex(ExportError, pattern):
            self.export(checkpoint, *arguments)
        self.assertEqual([n for n in os.listdir(self.folder) if n.startswith("voice.safe")], [])

    def tensors(self):
        return safetensors.read(self.path("voice.safetensors"))[0]


def load(case, name):
    """A golden checkpoint as torch reads it."""
    return torch.load(os.path.join(CASES, case, name), map_location="cpu")


@contextlib.contextmanager
def silent():
    """No output of the command line while its exit status is looked at."""
    with contextlib.redirect_stderr(io.StringIO()) as errors:
        yield errors
