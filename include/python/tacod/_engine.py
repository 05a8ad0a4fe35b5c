"""The engine: threads that decode and vocode, shared by all requests."""
import atexit
import queue
import threading
import weakref
from types import TracebackType
from typing import Any, Dict, Iterator, List, Optional, Set, Type, Union

import numpy as np
from numpy.typing import NDArray

from ._errors import OptionError, check, from_error
from ._native import ffi, lib
from ._result import Result
from ._voice import Path, Voice

Samples = NDArray[np.float32]

# Options of a request that are not members of struct taco_request itself.
_NESTED = {"final_punctuation": "text_options", "sentence_pause": "text_options",
           "paragraph_pause": "text_options", "max_symbols": "text_options",
           "n_iter": "vocoder", "momentum": "vocoder", "power": "vocoder", "phase": "vocoder"}
# Members that the package sets itself.
_OURS = {"text", "text_length", "has_seed", "streaming", "client", "text_options", "vocoder",
         "answer", "reserved"}


def _option_names() -> List[str]:
    members = {name for name, _ in ffi.typeof("struct taco_request").fields}
    return sorted((members - _OURS) | set(_NESTED))


def _set_option(request: Any, name: str, value: Any, kept: List[Any]) -> None:
    target = getattr(request, _NESTED[name]) if name in _NESTED else request
    kind = ffi.typeof(target)
    members = dict((kind.item if kind.kind == "pointer" else kind).fields)
    if name in _OURS or name not in members:
        raise OptionError(f"there is no option {name!r}; the options are "
                          + ", ".join(_option_names()), "invalid_argument", name)
    if name == "phase":
        phase, err = ffi.new("enum taco_phase *"), ffi.new("struct taco_error *")
        check(lib.taco_phase_parse(str(value).encode(), phase, err), err)
        value = phase[0]
    elif members[name].type.kind == "pointer":
        value = ffi.new("char[]", str(value).encode()) if value is not None else ffi.NULL
        kept.append(value)
    try:
        setattr(target, name, value)
    except (TypeError, OverflowError) as error:
        raise OptionError(f"{name} cannot be {value!r}: {error}", "invalid_argument",
                          name) from None


class _Job:
    """One request on its way. The library's threads hand over blocks and the end."""

    def __init__(self, engine: "Engine", voice: Voice, text: str, speaker: Union[str, int],
                 seed: Optional[int], streaming: bool, options: Dict[str, Any]) -> None:
        self.voice, self.engine = voice, engine
        self.blocks: "queue.SimpleQueue[Optional[Samples]]" = queue.SimpleQueue()
        self.ended = threading.Event()
        self.result: Optional[Result] = None
        self.error: Optional[Exception] = None
        self._handle = ffi.new_handle(self)
        encoded = text.encode("utf-8", "surrogatepass")
        source = ffi.new("char[]", encoded)
        request = ffi.new("struct taco_request *", lib.taco_request_default())
        kept: List[Any] = []
        for name, value in options.items():
            _set_option(request, name, value, kept)
        request.text, request.text_length = source, len(encoded)
        request.streaming = streaming
        request.speaker = voice.speaker(speaker)
        if seed is not None:
            _set_option(request, "seed", seed, kept)
            request.has_seed = True
        callbacks = ffi.new("struct taco_callbacks *")
        callbacks.user = self._handle
        callbacks.audio = lib.tacod_on_audio if streaming else ffi.NULL
        callbacks.done = lib.tacod_on_done
        out, err = ffi.new("struct taco_job **"), ffi.new("struct taco_error *")
        check(lib.taco_job_create(out, engine._open(voice), voice._cdata, request, callbacks, err),
              err)
        self._cdata = out[0]
        engine._jobs.add(self)
        lib.taco_job_start(self._cdata)

    def cancel(self) -> None:
        if not self.ended.is_set():
            lib.taco_job_cancel(self._cdata)

    def close(self) -> None:
        """Cancels what still runs, waits for its end and gives the job back."""
        if self._cdata == ffi.NULL:
            return
        self.cancel()
        self.ended.wait()
        lib.taco_job_release(self._cdata)
        self._cdata = ffi.NULL
        self.engine._jobs.discard(self)


@ffi.def_extern(error=1)  # type: ignore[misc,untyped-decorator,unused-ignore]
def tacod_on_audio(user: Any, samples: Any, n: int) -> int:
    job: _Job = ffi.from_handle(user)
    job.blocks.put(np.frombuffer(ffi.buffer(samples, n * 4), np.float32).copy())
    return 0


@ffi.def_extern()  # type: ignore[misc,untyped-decorator,unused-ignore]
def tacod_on_done(user: Any, status: int, err: Any, result: Any) -> None:
    job: _Job = ffi.from_handle(user)
    try:
        if status == lib.TACO_OK:
            job.result = Result(result, job.voice)
        else:
            job.error = from_error(err)
    except BaseException as error:  # the library's thread cannot take it
        job.error = error if isinstance(error, Exception) else RuntimeError(repr(error))
    finally:
        job.blocks.put(None)
        job.ended.set()


class Stream(Iterator[Samples]):
    """Blocks of samples while the text is decoded. Close it to cancel the rest.

    sample_rate: Hz. result: after the last block, everything about the request.
    """

    def __init__(self, job: _Job) -> None:
        self._job = job
        self.sample_rate: int = job.voice.sample_rate
        self.result: Optional[Result] = None

    def __next__(self) -> Samples:
        if self._job._cdata == ffi.NULL:
            raise StopIteration
        try:
            block = self._job.blocks.get()
        except BaseException:
            self.close()
            raise
        if block is not None:
            return block
        error, self.result = self._job.error, self._job.result
        self.close()
        if error:
            raise error
        raise StopIteration

    def close(self) -> None:
        """Ends the request, whether or not all of it was heard."""
        self._job.close()

    def __enter__(self) -> "Stream":
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], value: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        self.close()

    def __del__(self) -> None:
        if hasattr(self, "_job"):
            self.close()


class Engine:
    """Threads, the decoder's batch and the vocoder's workers. Thread-safe.

    threads: how many work; 0 takes the processors that are online.
    rows: sentences decoded side by side for a voice.
    max_jobs: requests that may wait or run; one more raises BusyError.
    max_memory: bytes that the requests' buffers may take; None keeps the library's default.
    """

    def __init__(self, *, threads: int = 0, rows: Optional[int] = None,
                 max_jobs: Optional[int] = None, max_memory: Optional[int] = None) -> None:
        options = ffi.new("struct taco_engine_options *", lib.taco_engine_options_default())
        for name, value in (("n_threads", threads), ("max_rows", rows), ("max_jobs", max_jobs),
                            ("max_memory", max_memory)):
            if value is not None:
                setattr(options, name, value)
        out, err = ffi.new("struct taco_engine **"), ffi.new("struct taco_error *")
        check(lib.taco_engine_create(out, options, err), err)
        self._cdata = out[0]
        self._jobs: Set[_Job] = set()
        # The engine keeps memory ready for each voice until it is destroyed.
        self._voices: Dict[int, Voice] = {}
        _engines.add(self)

    def _open(self, voice: Voice) -> Any:
        if self._cdata == ffi.NULL:
            raise RuntimeError("the engine is closed")
        self._voices[id(voice)] = voice
        return self._cdata

    def speak(self, text: str, *, voice: Optional[Voice] = None, speaker: Union[str, int] = 0,
              seed: Optional[int] = None, **options: Any) -> Result:
        """Speaks the text and returns audio and alignment.

        options: speed, volume, max_attempts, strict, timeout, n_iter, sentence_pause and the
        other members of struct taco_request (include/taco/request.h), which states ranges.
        """
        job = _Job(self, voice or default_voice(), text, speaker, seed, False, options)
        try:
            job.ended.wait()
        finally:
            job.close()
        if job.error:
            raise job.error
        assert job.result is not None
        return job.result

    def stream(self, text: str, *, voice: Optional[Voice] = None, speaker: Union[str, int] = 0,
               seed: Optional[int] = None, **options: Any) -> Stream:
        """Speaks the text and yields blocks of samples while it is decoded."""
        return Stream(_Job(self, voice or default_voice(), text, speaker, seed, True, options))

    @property
    def threads(self) -> int:
        """The threads that work."""
        return int(lib.taco_engine_threads(self._open_engine()))

    def _open_engine(self) -> Any:
        if self._cdata == ffi.NULL:
            raise RuntimeError("the engine is closed")
        return self._cdata

    def close(self) -> None:
        """Cancels what runs and ends the threads."""
        if self._cdata == ffi.NULL:
            return
        for job in list(self._jobs):
            job.close()
        lib.taco_engine_destroy(self._cdata)
        self._cdata = ffi.NULL
        self._voices.clear()

    def __enter__(self) -> "Engine":
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], value: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        self.close()

    def __del__(self) -> None:
        if hasattr(self, "_cdata"):
            self.close()


_engines: "weakref.WeakSet[Engine]" = weakref.WeakSet()
_lock = threading.Lock()
_default_engine: Optional[Engine] = None
_default_voice: Optional[Voice] = None


@atexit.register
def _close_all() -> None:
    for engine in list(_engines):
        engine.close()


def default_engine() -> Engine:
    """The engine of speak() and stream(), made when it is first needed."""
    global _default_engine
    with _lock:
        if _default_engine is None:
            _default_engine = Engine()
        return _default_engine


def default_voice() -> Voice:
    """The voice that comes with this package, opened when it is first needed."""
    global _default_voice
    with _lock:
        if _default_voice is None:
            _default_voice = Voice()
        return _default_voice


def _voice_of(voice: Union[Voice, Path, None]) -> Optional[Voice]:
    return voice if voice is None or isinstance(voice, Voice) else Voice(voice)


def speak(text: str, *, voice: Union[Voice, Path, None] = None, speaker: Union[str, int] = 0,
          seed: Optional[int] = None, **options: Any) -> Result:
    """Speaks the text with a shared engine. See Engine.speak.

    voice: a Voice or the path of a voice file; None takes the shipped voice. Open a Voice
    once to speak with it more often.
    """
    return default_engine().speak(text, voice=_voice_of(voice), speaker=speaker, seed=seed,
                                  **options)


def stream(text: str, *, voice: Union[Voice, Path, None] = None, speaker: Union[str, int] = 0,
           seed: Optional[int] = None, **options: Any) -> Stream:
    """Yields blocks of samples while the text is decoded. See Engine.stream."""
    return default_engine().stream(text, voice=_voice_of(voice), speaker=speaker, seed=seed,
                                   **options)
