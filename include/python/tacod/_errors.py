"""Exceptions. Each has the library's code, the option at fault, and the place in the text."""
from typing import Any, Dict, Optional, Type

from ._native import ffi, lib


class TacoError(Exception):
    """A call of the library failed.

    code: the stable name of the cause, such as "invalid_argument".
    param: the option, tensor or field at fault, or None.
    offset: the byte in the text or the file, or None.
    """

    code: str
    param: Optional[str]
    offset: Optional[int]

    def __init__(self, message: str, code: str = "internal", param: Optional[str] = None,
                 offset: Optional[int] = None) -> None:
        super().__init__(message)
        self.code, self.param, self.offset = code, param, offset


class TextError(TacoError, ValueError):
    """The text cannot be spoken: it is empty, too long, or names an unknown phone."""


class OptionError(TacoError, ValueError):
    """An option is out of range or of the wrong kind."""


class VoiceError(TacoError):
    """The voice file is missing, damaged, or of a kind that this build does not run."""


class BusyError(TacoError):
    """The engine's queue or memory is full. Try again later."""


class CancelledError(TacoError):
    """The request was cancelled."""


class DeadlineError(TacoError, TimeoutError):
    """The request's deadline passed."""


class AlignmentError(TacoError):
    """A strict request: the attention failed on every attempt."""


_CLASSES: Dict[str, Type[TacoError]] = {
    "invalid_argument": OptionError,
    "empty_text": TextError,
    "nothing_to_speak": TextError,
    "invalid_utf8": TextError,
    "text_too_long": TextError,
    "unknown_phone": TextError,
    "not_found": VoiceError,
    "io": VoiceError,
    "format": VoiceError,
    "version": VoiceError,
    "shape": VoiceError,
    "unsupported": VoiceError,
    "busy": BusyError,
    "cancelled": CancelledError,
    "timeout": DeadlineError,
    "alignment": AlignmentError,
}


def text_of(pointer: Any) -> str:
    """A C string of the library."""
    value: bytes = ffi.string(pointer)
    return value.decode("utf-8", "replace")


def from_error(err: Any) -> Exception:
    """The exception of a struct taco_error."""
    code, message = text_of(lib.taco_status_name(err.status)), text_of(err.message)
    if err.status == lib.TACO_ERR_NO_MEMORY:
        return MemoryError(message)
    return _CLASSES.get(code, TacoError)(message, code, text_of(err.param) or None,
                                         err.offset if err.offset >= 0 else None)


def check(status: int, err: Any) -> None:
    """Raises the exception of a failed call."""
    if status != lib.TACO_OK:
        raise from_error(err)
