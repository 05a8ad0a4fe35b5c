"""Results: audio, alignment, times and diagnostics. Arrays show the library's own memory."""
import base64
import html
import json
import os
import tempfile
from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Tuple

import numpy as np
from numpy.typing import NDArray

from ._errors import OptionError, check, text_of
from ._native import ffi, lib
from ._voice import Path, Voice

Array = NDArray[np.float32]


class _Handle:
    """A reference on a result of the library; the voice lives as long."""

    def __init__(self, result: Any, voice: Voice) -> None:
        self.voice = voice
        self.cdata = lib.taco_result_ref(result)

    def __del__(self) -> None:
        lib.taco_result_unref(self.cdata)


class _Memory:
    """Floats of a result, in the form that NumPy takes without copying."""

    def __init__(self, handle: _Handle, pointer: Any, shape: Tuple[int, ...]) -> None:
        self.handle = handle
        self.__array_interface__ = {"version": 3, "typestr": "<f4", "shape": shape,
                                    "data": (int(ffi.cast("uintptr_t", pointer)), True)}


@dataclass(frozen=True)
class Word:
    """A word and when it is spoken. begin and end slice the text that was given."""

    text: str
    start: float
    end: float
    begin: int
    stop: int


@dataclass(frozen=True)
class Symbol:
    """An input of the encoder and when it is spoken. id is a row of the embedding."""

    text: str
    id: int
    start: float
    end: float
    begin: int
    stop: int


@dataclass(frozen=True)
class Note:
    """Something of the text that was changed or left out."""

    kind: str
    text: str
    begin: int
    stop: int


@dataclass(frozen=True)
class Diagnostics:
    """What the alignment looks like. flaws is empty when it is sound."""

    ok: bool
    coverage: float
    focus: float
    backward_jumps: int
    forward_jumps: int
    longest_stall: int
    frames_per_symbol: float
    flaws: Tuple[str, ...]


@dataclass(frozen=True)
class Attempt:
    """How a chunk was decoded once. No flaws: the attention succeeded."""

    seed: int
    window_back: int
    window_forward: int
    flaws: Tuple[str, ...]


@dataclass(frozen=True)
class Chunk:
    """A sentence, or a part of one: one row of the decoder."""

    text: str
    stop_reason: str
    seed: int
    attempts: int
    tried: Tuple[Attempt, ...]
    first_sample: int
    n_samples: int
    diagnostics: Diagnostics


def _flaws(flaws: int) -> Tuple[str, ...]:
    return tuple(text_of(lib.taco_flaw_name(1 << i)) for i in range(lib.TACO_N_FLAWS)
                 if flaws & 1 << i)


def _diagnostics(d: Any) -> Diagnostics:
    return Diagnostics(d.ok, d.coverage, d.focus, d.backward_jumps, d.forward_jumps,
                       d.longest_stall, d.frames_per_symbol, _flaws(d.flaws))


def _tried(chunk: Any) -> Tuple[Attempt, ...]:
    return tuple(Attempt(a.seed, a.window_back, a.window_forward, _flaws(a.flaws))
                 for a in (chunk.tried[i] for i in range(chunk.attempts)))


class Result:
    """What became of a text. Arrays are read-only views of the library's memory."""

    def __init__(self, result: Any, voice: Voice) -> None:
        self._handle = _Handle(result, voice)
        r = self._result = self._handle.cdata
        self.voice = voice
        self.sample_rate: int = r.sample_rate
        self.seed: int = r.seed
        self.text: str = bytes(ffi.buffer(r.text.source, r.text.source_length)).decode("utf-8")
        self.audio: Array = self._array(r.samples, r.n_samples)
        self.diagnostics: Diagnostics = _diagnostics(r.diagnostics)
        parts = [r.chunks[i] for i in range(r.n_chunks)]
        self.alignment: List[Array] = [self._array(c.alignment, c.n_steps, c.n_symbols)
                                       for c in parts]
        self.gate: List[Array] = [self._array(c.gate, c.n_steps) for c in parts]
        self.mels: List[Array] = [self._array(c.mel, c.n_frames, voice.n_mels) for c in parts]
        self.chunks: List[Chunk] = [
            Chunk(self._cut(r.text.chunks[i].span), text_of(lib.taco_stop_reason_name(c.stop_reason)),
                  c.seed, c.attempts, _tried(c), c.first_sample, c.n_samples,
                  _diagnostics(c.diagnostics))
            for i, c in enumerate(parts)]

    def _array(self, pointer: Any, *shape: int) -> Array:
        if 0 in shape:
            return np.zeros(shape, np.float32)
        return np.asarray(_Memory(self._handle, pointer, shape))

    def _cut(self, span: Any) -> str:
        return self.text[span.begin_cp:span.end_cp]

    @property
    def ok(self) -> bool:
        """True if every sentence's attention read the whole text in order."""
        return self.diagnostics.ok

    @property
    def duration(self) -> float:
        """Seconds."""
        return len(self.audio) / self.sample_rate

    @property
    def mel(self) -> Array:
        """The log-mel spectrogram of the whole text, [frames, n_mels], in the voice's scale."""
        return self.mels[0] if len(self.mels) == 1 else np.concatenate(self.mels)

    @property
    def words(self) -> List[Word]:
        """The words of the text that was given."""
        t, times = self._result.text, self._result.words
        return [Word(self._cut(t.words[i].span), times[i].start, times[i].end,
                     t.words[i].span.begin_cp, t.words[i].span.end_cp) for i in range(t.n_words)]

    @property
    def spoken_words(self) -> List[Word]:
        """The words as they are spoken: "$5" has two, "five" and "dollars"."""
        t, times = self._result.text, self._result.spoken
        spans = [t.words[t.spoken[i].word].span for i in range(t.n_spoken)]
        return [Word(text_of(t.spoken[i].text), times[i].start, times[i].end, span.begin_cp,
                     span.end_cp) for i, span in enumerate(spans)]

    @property
    def symbols(self) -> List[Symbol]:
        """The encoder's inputs: phones or characters, and punctuation."""
        t, times, names = self._result.text, self._result.symbols, self.voice.symbols
        return [Symbol(names[t.symbols[i].id], t.symbols[i].id, times[i].start, times[i].end,
                       t.symbols[i].span.begin_cp, t.symbols[i].span.end_cp)
                for i in range(t.n_symbols)]

    @property
    def notes(self) -> List[Note]:
        """What of the text was changed or left out."""
        t = self._result.text
        return [Note(text_of(lib.taco_note_kind_name(t.notes[i].kind)), text_of(t.notes[i].text),
                     t.notes[i].span.begin_cp, t.notes[i].span.end_cp) for i in range(t.n_notes)]

    # -- written forms -----------------------------------------------------------------------

    def _written(self, form: int, matrix: Optional[str] = None) -> bytes:
        options = ffi.new("struct taco_format_options *", lib.taco_format_options_default())
        if matrix is not None:
            options.matrix = {"none": lib.TACO_MATRIX_NONE, "arrays": lib.TACO_MATRIX_ARRAYS,
                              "f16": lib.TACO_MATRIX_F16}[matrix]
        out, size, err = ffi.new("char **"), ffi.new("size_t *"), ffi.new("struct taco_error *")
        check(lib.taco_result_write(self._result, form, options, out, size, err), err)
        return _take(out[0], size[0])

    def to_json(self, matrix: str = "none") -> Dict[str, Any]:
        """The alignment document (core/engine/ALIGNMENT.md); matrix is none, arrays or f16."""
        if matrix not in ("none", "arrays", "f16"):
            raise OptionError(f"matrix is none, arrays or f16, not {matrix!r}", "invalid_argument",
                              "matrix")
        document: Dict[str, Any] = json.loads(self._written(lib.TACO_FORMAT_ALIGNMENT_JSON, matrix))
        return document

    def to_svg(self) -> str:
        """The heat map of the attention, an SVG picture."""
        return self._written(lib.TACO_FORMAT_ALIGNMENT_SVG).decode("utf-8")

    def to_bytes(self, form: str, *, sample_rate: int = 0, bit_rate: int = 0) -> bytes:
        """The audio (wav, flac, opus, mp3, pcm, ...) or the alignment (json, svg, png, npy,
        srt, vtt, TextGrid, mel.npy, mel.png), as the ending of a file says."""
        err = ffi.new("struct taco_error *")
        written = ffi.new("enum taco_result_format *")
        if lib.taco_result_format_parse(form.encode(), written, ffi.NULL) == lib.TACO_OK:
            return self._written(written[0])
        options = ffi.new("struct taco_audio_options *", lib.taco_audio_options_default())
        audio = ffi.new("enum taco_audio_format *")
        name = {"ogg": "opus", "wave": "wav"}.get(form.lower(), form.lower())
        check(lib.taco_audio_format_parse(name.encode(), audio, err), err)
        options.format, options.sample_rate, options.bit_rate = audio[0], sample_rate, bit_rate
        out, size = ffi.new("void **"), ffi.new("size_t *")
        check(lib.taco_audio_encode(self._result.samples, self._result.n_samples, self.sample_rate,
                                    options, out, size, err), err)
        return _take(out[0], size[0])

    def save(self, path: Path, *, sample_rate: int = 0, bit_rate: int = 0) -> None:
        """Writes a file in the form that its ending names. An existing file is replaced only
        when all of it has been written."""
        name = os.fspath(path)
        base = os.path.basename(name)
        form = "mel." + base.rsplit(".", 1)[-1] if ".mel." in base else base.rsplit(".", 1)[-1]
        if "." not in base:
            raise OptionError(f"{name}: the ending names the form, such as .wav or .json",
                              "invalid_argument", "path")
        data = self.to_bytes(form, sample_rate=sample_rate, bit_rate=bit_rate)
        folder = os.path.dirname(os.path.abspath(name))
        handle, partial = tempfile.mkstemp(dir=folder, prefix="." + base + ".")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
            mask = os.umask(0)
            os.umask(mask)
            os.chmod(partial, 0o666 & ~mask)
            os.replace(partial, name)
        except BaseException:
            os.unlink(partial)
            raise

    def _repr_html_(self) -> str:
        """A player and the heat map, in a notebook."""
        audio = base64.b64encode(self.to_bytes("wav")).decode()
        picture = base64.b64encode(self.to_svg().encode()).decode()
        verdict = "attention OK" if self.ok else "attention failed: " + ", ".join(
            self.diagnostics.flaws)
        return (f'<figure style="margin:0"><audio controls src="data:audio/wav;base64,{audio}">'
                f"</audio><figcaption>{html.escape(self.text)}<br>{self.duration:.2f} s, seed "
                f"{self.seed}, {verdict}</figcaption>"
                f'<img alt="Attention: symbols by frames" src="data:image/svg+xml;base64,{picture}"'
                f' style="max-width:100%"></figure>')

    def __repr__(self) -> str:
        text = self.text if len(self.text) <= 40 else self.text[:39] + "…"
        return (f"<tacod.Result {text!r}: {self.duration:.2f} s at {self.sample_rate} Hz, "
                f"seed {self.seed}, {'ok' if self.ok else 'attention failed'}>")


def _take(pointer: Any, size: int) -> bytes:
    """Bytes that the library allocated, which are freed."""
    try:
        return bytes(ffi.buffer(pointer, size))
    finally:
        lib.taco_free(pointer)
