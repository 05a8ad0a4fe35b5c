"""Tacotron 2 text-to-speech: audio, and the alignment that made it.

    import tacod

    result = tacod.speak("Hello, world.", seed=7)
    result.audio            # NumPy float32, mono
    result.sample_rate      # Hz
    result.alignment[0]     # attention weights of the first sentence, [steps, symbols]
    result.save("hello.opus")

    for block in tacod.stream("A long text. It is spoken while it is decoded."):
        ...                 # NumPy float32, as soon as it is made

The same voice, text, options and seed give the same samples.
"""
from ._engine import Engine, Stream, speak, stream
from ._errors import (AlignmentError, BusyError, CancelledError, DeadlineError, OptionError, TacoError,
                      TextError, VoiceError)
from ._result import Attempt, Chunk, Diagnostics, Note, Result, Symbol, Word
from ._voice import Voice
from ._native import ffi as _ffi, lib as _lib

__version__: str = _ffi.string(_lib.taco_version()).decode()

__all__ = ["AlignmentError", "Attempt", "BusyError", "CancelledError", "Chunk", "DeadlineError",
           "Diagnostics", "Engine", "Note", "OptionError", "Result", "Stream", "Symbol", "TacoError",
           "TextError", "Voice", "VoiceError", "Word", "speak", "stream"]
