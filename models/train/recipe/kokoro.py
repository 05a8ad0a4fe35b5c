"""The teacher Kokoro-82M speaks lines of symbols. Runs in the teacher's environment, one thread a process.

    python kokoro.py SETTINGS.json LINES N K OUT

Worker K of N speaks every Nth of the lines that symbols.c wrote and leaves OUT.raw (16-bit mono) and OUT.jsonl: the
line's number, text and symbols, its `offset` and number `n` of samples, `sample_rate`, and the second at which each
symbol ends (`ends`). It goes on where it was ended."""

import json
import sys

import numpy as np
import onnxruntime
import soxr
import speech_files
import spelling

RATE, UNIT = 24000, 600  # Hz; samples in a unit of duration
# The sound is ahead of the durations by this much: with the boundaries moved by it vowels are loudest, stops and
# fricatives quietest.
EARLY = 0.0475


class Kokoro:
    """settings: graph, styles, row, vocabulary, rate, gain and, by the front end, dictionary or tokens."""

    def __init__(self, settings):
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        self.session = onnxruntime.InferenceSession(settings["graph"], options, providers=["CPUExecutionProvider"])
        self.style = np.fromfile(settings["styles"], np.float32).reshape(-1, 256)[settings["row"]]
        with open(settings["vocabulary"], encoding="utf-8") as f:
            self.ids = json.load(f)["vocab"]
        if settings["front_end"] == "arpabet":
            with open(settings["dictionary"], encoding="utf-8") as f:
                self.speller = spelling.Arpabet(json.load(f))
        else:
            self.speller = spelling.Ipa(settings["tokens"])
        self.rate, self.gain = settings["rate"], settings["gain"]

    def speak(self, line):
        """(samples at the voice's rate, the second at which each symbol ends). ValueError: not to be spoken."""
        tokens, owner = self.speller.spell(line["symbols"], line["spoken"])
        unknown = sorted(set(tokens) - self.ids.keys())
        if unknown or not 0 < len(tokens) <= 510:
            raise ValueError(f"{len(tokens)} tokens, unknown: {' '.join(unknown)}")
        ids = [0, *(self.ids[c] for c in tokens), 0]
        audio, units = self.session.run(["audio", "durations"], {
            "tokens": np.array([ids]), "style": self.style[None], "speed": np.ones(1, np.float32)})
        units = units.reshape(-1)
        length = np.zeros(len(line["symbols"]))
        np.add.at(length, owner, units[1:-1])
        ends = (units[0] + np.cumsum(length)) * UNIT / RATE - EARLY
        return soxr.resample(self.gain * audio.reshape(-1), RATE, self.rate, "HQ"), ends


def main():
    settings, lines, n, k, path = sys.argv[1:]
    with open(settings, encoding="utf-8") as f:
        teacher = Kokoro(json.load(f))
    done, offset = speech_files.resume(path)
    with open(lines, encoding="utf-8") as f, open(path + ".raw", "ab") as audio, \
            open(path + ".jsonl", "a", encoding="utf-8") as out:
        for i, text in enumerate(f):
            if i % int(n) != int(k) or i <= done:
                continue
            line = json.loads(text)
            entry = {"i": i, "text": line["text"]}
            try:
                x, ends = teacher.speak(line)
            except ValueError as why:
                entry["left_out"] = str(why)
            else:
                x = (np.clip(x, -1, 1) * 32767).astype(np.int16)
                audio.write(x.tobytes())
                audio.flush()
                entry.update(symbols=line["symbols"], offset=offset, n=len(x), sample_rate=teacher.rate,
                             ends=[round(float(e), 4) for e in ends])
                offset += len(x)
            out.write(json.dumps(entry, ensure_ascii=False) + "\n")
            out.flush()


if __name__ == "__main__":
    main()
