"""The files that a teacher leaves in a folder (teachers.py): N.raw holds samples, N.jsonl a line for each sentence."""

import glob
import json
import os
import sys
import wave

import numpy as np


def read_wav(path, rate):
    """Samples in -1..1 of a 16-bit recording with one channel at rate Hz; anything else ends the program."""
    with wave.open(path) as speech:
        if (speech.getnchannels(), speech.getsampwidth(), speech.getframerate()) != (1, 2, rate):
            sys.exit(f"{os.path.basename(sys.argv[0])}: {path}: not 16-bit mono at {rate} Hz")
        return np.frombuffer(speech.readframes(speech.getnframes()), "<i2").astype(np.float32) / 32768


def read(folder):
    """(line, samples in -1..1) of every sentence that was spoken."""
    for path in sorted(glob.glob(os.path.join(folder, "*.jsonl"))):
        raw = np.memmap(path[:-len("jsonl")] + "raw", np.int16, "r")
        with open(path, encoding="utf-8") as f:
            for line in map(json.loads, f):
                if "left_out" not in line:
                    yield line, raw[line["offset"]:line["offset"] + line["n"]].astype(np.float32) / 32768


def resume(path):
    """(number of the last line of path.jsonl that is whole, samples before its end), -1 and 0 if there is none. Cuts
    from both files what a process that was ended had half written."""
    kept, done, samples = [], -1, 0
    if os.path.exists(path + ".jsonl"):
        size = os.path.getsize(path + ".raw") // 2
        with open(path + ".jsonl", encoding="utf-8") as f:
            for text in f:
                if not text.endswith("\n"):
                    break
                line = json.loads(text)
                end = samples if "left_out" in line else line["offset"] + line["n"]
                if end > size:
                    break
                kept.append(text)
                done, samples = line["i"], end
        with open(path + ".jsonl", "w", encoding="utf-8") as f:
            f.writelines(kept)
        os.truncate(path + ".raw", samples * 2)
    return done, samples
