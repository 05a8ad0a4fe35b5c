"""Voices: the weights of one exported Tacotron 2."""
import os
from typing import Any, Dict, List, Optional, Union

from ._errors import check, text_of
from ._native import ffi, lib

Path = Union[str, "os.PathLike[str]"]


def _shipped() -> str:
    folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "voices")
    names = [name for name in sorted(os.listdir(folder)) if name.endswith(".safetensors")]
    return os.path.join(folder, names[0])


class Voice:
    """An open voice. It is constant: any number of engines and threads may share it.

    path: a voice file; None opens the voice that comes with this package.
    precision: "auto", "f32", "bf16" or "int8": how the decoder's matrices are held.
    lexicon: a file of pronunciations, lines "WORD PH PH PH".
    inverter: an inverter file in place of the voice's own; "none": solve the equations of the mel basis.
    """

    _cdata: Any

    def __init__(self, path: Optional[Path] = None, *, precision: str = "auto",
                 lexicon: Optional[Path] = None, inverter: Optional[Path] = None) -> None:
        self.path = os.fspath(path) if path is not None else _shipped()
        options = ffi.new("struct taco_voice_options *", lib.taco_voice_options_default())
        err = ffi.new("struct taco_error *")
        value = ffi.new("enum taco_precision *")
        check(lib.taco_precision_parse(precision.encode(), value, err), err)
        options.precision = value[0]
        kept = [ffi.NULL if path is None else ffi.new("char[]", os.fsencode(path)) for path in (lexicon, inverter)]
        options.lexicon, options.inverter = kept
        out = ffi.new("struct taco_voice **")
        check(lib.taco_voice_open(out, os.fsencode(self.path), options, err), err)
        self._cdata = ffi.gc(out[0], lib.taco_voice_close)
        info = lib.taco_voice_info(self._cdata)
        self.name: str = text_of(info.name)
        self.description: str = text_of(info.description)
        self.language: str = text_of(info.language)
        self.licence: str = text_of(info.licence)
        self.attention: str = text_of(info.attention)
        self.precision: str = text_of(lib.taco_precision_name(info.precision))
        self.sample_rate: int = info.sample_rate
        self.hop_length: int = info.hop_length
        self.n_mels: int = info.n_mels
        self.n_parameters: int = info.n_parameters
        self.symbols: List[str] = [text_of(info.symbols[i]) for i in range(info.n_symbols)]
        self.speakers: List[str] = ([text_of(info.speakers[i]) for i in range(info.n_speakers)]
                                    if info.speakers != ffi.NULL else [])

    def speaker(self, name: Union[str, int]) -> int:
        """The number of a speaker, given by number or by name."""
        if isinstance(name, int):
            return name
        numbers: Dict[str, int] = {s: i for i, s in enumerate(self.speakers)}
        if name not in numbers:
            known = ", ".join(self.speakers) or "a single speaker without a name"
            raise ValueError(f"voice {self.name} has no speaker {name!r}; it has {known}")
        return numbers[name]

    def __repr__(self) -> str:
        return (f"<tacod.Voice {self.name}: {self.language}, {self.sample_rate} Hz, "
                f"{self.n_parameters / 1e6:.1f} M parameters, {self.attention} attention, "
                f"{self.precision}>")
