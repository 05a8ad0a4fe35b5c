"""A voice in memory: what a layout makes and what is written to the file."""

import json
from dataclasses import dataclass, field

from . import audio, safetensors, schema

FORMAT_VERSION = "1"


@dataclass
class Voice:
    model: dict
    audio: dict
    text: dict
    tensors: dict  # {name: float64 or float32 values} in normal form
    speakers: list = None
    name: str = ""
    description: str = ""
    language: str = ""
    licence: str = ""
    source: str = ""
    config: dict = field(init=False, default=None)

    def add_frame_limit(self):
        """The default limit of a chunk's frames: a quarter of a second a symbol and two seconds, about
        three times what speech takes."""
        rate = self.audio["sample_rate"] / self.audio["hop_length"]
        self.model.setdefault("max_frames_per_symbol", round(0.25 * rate, 1))
        self.model.setdefault("max_frames_base", round(2 * rate))

    def add_mel_basis(self):
        """The basis that the audio section describes: Slaney's scale and norm."""
        schema.check_audio(self.audio)
        self.tensors["audio.mel_basis"] = audio.basis_of(self.audio)

    def check(self):
        """Makes the config and holds it and the tensors against FORMAT.md."""
        self.config = {"name": self.name, "description": self.description,
                       "language": self.language, "licence": self.licence, "source": self.source,
                       "model": self.model, "audio": self.audio, "text": self.text}
        if self.speakers is not None:
            self.config["speakers"] = self.speakers
        schema.check_config(self.config)
        schema.check_tensors(self.config, self.tensors)

    def write(self, path, dtype):
        """dtype: F32, F16 or BF16 for the weight matrices. Vectors (biases) and what describes the
        audio stay F32: they are small."""
        self.check()
        stored = {name: (dtype if values.ndim > 1 and not name.startswith("audio.") else "F32", values)
                  for name, values in self.tensors.items()}
        safetensors.write(path, stored, {
            "format": "taco-voice", "version": FORMAT_VERSION,
            "config": json.dumps(self.config, ensure_ascii=False, separators=(",", ":"))})
