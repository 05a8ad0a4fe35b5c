"""What a player hears: the audio of an answer, decoded by libsndfile, or by sox if it has no
header."""

import ctypes
import subprocess
import tempfile
from typing import NamedTuple


class Sound(NamedTuple):
    kind: str  # "wav", "flac", "opus", "mp3", "aiff", "au", "pcm", "ulaw", "alaw"
    rate: int
    samples: bytes  # 16 bits, mono

    @property
    def duration(self):
        return len(self.samples) / 2 / self.rate


def _kind(body):
    if body[:4] == b"RIFF" and body[8:12] == b"WAVE":
        return "wav"
    if body[:4] == b"fLaC":
        return "flac"
    if body[:4] == b"OggS" and b"OpusHead" in body[:64]:
        return "opus"
    if body[:4] == b"FORM" and body[8:12] == b"AIFF":
        return "aiff"
    if body[:4] == b".snd":
        return "au"
    if body[:3] == b"ID3" or (body[0] == 0xFF and body[1] & 0xE0 == 0xE0):
        return "mp3"
    return None


RAW = {"audio/pcm": "pcm", "audio/basic": "ulaw", "audio/pcmu": "ulaw", "audio/pcma": "alaw"}


def _raw_options(media_type):
    name, *parameters = media_type.lower().split(";")
    parameters = dict(p.split("=") for p in parameters)
    if name == "audio/pcm":
        return "pcm", ["-t", "raw", "-e", "signed", "-b", "16", "-L", "-c", "1",
                       "-r", parameters["rate"]]
    kind = RAW[name]
    return kind, ["-t", "raw", "-e", {"ulaw": "mu-law", "alaw": "a-law"}[kind], "-b", "8", "-c",
                  "1", "-r", parameters.get("rate", "8000")]


class _Info(ctypes.Structure):
    _fields_ = [("frames", ctypes.c_int64), ("samplerate", ctypes.c_int),
                ("channels", ctypes.c_int), ("format", ctypes.c_int),
                ("sections", ctypes.c_int), ("seekable", ctypes.c_int)]


def _read_file(path):
    """(rate, samples) through libsndfile."""
    lib = ctypes.CDLL("libsndfile.so.1")
    lib.sf_open.restype = ctypes.c_void_p
    lib.sf_readf_short.restype = ctypes.c_int64
    lib.sf_readf_short.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64]
    lib.sf_close.argtypes = [ctypes.c_void_p]
    info = _Info()
    file = lib.sf_open(path.encode(), 0x10, ctypes.byref(info))
    assert file, f"libsndfile does not read {path}"
    assert info.channels == 1, info.channels
    block, data = ctypes.create_string_buffer(2 * 65536), b""
    while (n := lib.sf_readf_short(file, block, 65536)) > 0:
        data += block.raw[:2 * n]
    lib.sf_close(file)
    return info.samplerate, data


def decode_bytes(body, media_type=""):
    """By the bytes themselves; what has no header, by its media type."""
    kind = _kind(body)
    if kind == "mp3" and media_type.lower().split(";")[0] in RAW:
        kind = None  # 0xFF is silence in mu-law
    with tempfile.NamedTemporaryFile(suffix=f".{kind or 'raw'}") as file:
        file.write(body)
        file.flush()
        if kind:
            return Sound(kind, *_read_file(file.name))
        kind, options = _raw_options(media_type)
        sox = subprocess.run(["sox", "-V1", *options, file.name, "-t", "raw", "-e", "signed",
                              "-b", "16", "-c", "1", "-"], capture_output=True, check=True)
        return Sound(kind, int(options[-1]), sox.stdout)


def decode(answer):
    return decode_bytes(answer.body, answer["Content-Type"])
