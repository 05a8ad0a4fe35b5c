"""Builds the wheel: the Python files, the extension with the library, the default voice."""
import os
import shutil
import sys

from setuptools import setup
from setuptools.command.build_py import build_py

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import build_native  # noqa: E402


def default_voice() -> str:
    """The voice that the daemon embeds, as server/voices/embedded.S names it."""
    with open(os.path.join(build_native.ROOT, "server/voices/embedded.S"), encoding="utf-8") as file:
        for line in file:
            if ".incbin" in line and ".safetensors" in line:
                return os.path.join(build_native.ROOT, line.split('"')[1])
    raise SystemExit("tacod: server/voices/embedded.S embeds no voice")


class BuildWithVoice(build_py):
    def run(self) -> None:
        voices = os.path.join(HERE, "tacod", "voices")
        for folder in (voices, os.path.join(self.build_lib, "tacod", "voices")):
            shutil.rmtree(folder, ignore_errors=True)  # of an earlier build
        os.makedirs(voices)
        shutil.copy(default_voice(), voices)
        super().run()


os.chdir(HERE)
setup(cmdclass={"build_py": BuildWithVoice}, cffi_modules=["build_native.py:builder"])
