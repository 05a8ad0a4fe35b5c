"""The package as its users see it."""
import gc
import io
import os
import signal
import subprocess
import sys
import threading
import time
import zipfile

import numpy as np
import pytest
import soundfile
import tacod

TEXT = "Hello, world. It costs $5."
LONG = "The birch canoe slid on the smooth planks. " * 60


@pytest.fixture(scope="module")
def result():
    return tacod.speak(TEXT, seed=7)


def test_audio(result):
    assert result.audio.dtype == np.float32 and result.audio.ndim == 1
    assert result.sample_rate == tacod.Voice().sample_rate
    assert 1.5 < result.duration < 6
    assert 0.05 < np.abs(result.audio).max() <= 1
    assert result.seed == 7 and result.ok and result.diagnostics.flaws == ()


def test_every_attempt_is_told():
    failed = tacod.speak(TEXT, seed=7, max_frames=9, max_attempts=3)
    for chunk in failed.chunks:
        assert chunk.attempts == 3
        assert [(a.seed, a.window_back, a.window_forward) for a in chunk.tried] == [
            (7, 0, 0), (8, 0, 0), (9, 2, 6)]
        assert all("cut_off" in a.flaws for a in chunk.tried)


def test_same_seed_same_samples(result):
    again = tacod.speak(TEXT, seed=7)
    other = tacod.speak(TEXT, seed=8)
    assert np.array_equal(again.audio, result.audio)
    assert not np.array_equal(other.audio[:20000], result.audio[:20000])


def test_arrays_are_the_librarys_memory(result):
    address = result._result.samples
    assert result.audio.__array_interface__["data"][0] == int(
        tacod._result.ffi.cast("uintptr_t", address))
    assert not result.audio.flags.writeable and not result.audio.flags.owndata


def test_arrays_outlive_the_result():
    result = tacod.speak("One.", seed=1)
    copy, kept, alignment = result.audio.copy(), result.audio, result.alignment[0]
    rows = alignment.copy()
    del result
    gc.collect()
    for seed in range(2, 6):
        tacod.speak("Something else altogether.", seed=seed)
    assert np.array_equal(kept, copy) and np.array_equal(alignment, rows)


def test_alignment(result):
    assert len(result.alignment) == len(result.chunks) == 2
    for weights, gate, mel, chunk in zip(result.alignment, result.gate, result.mels,
                                         result.chunks):
        assert weights.shape[0] == len(gate)
        assert np.allclose(weights.sum(axis=1), 1, atol=1e-3)
        assert np.mean(np.diff(weights.argmax(axis=1)) >= 0) > 0.9
        assert mel.shape[1] == result.voice.n_mels
        assert chunk.stop_reason == "gate" and chunk.diagnostics.ok
    assert len(result.mel) == sum(len(mel) for mel in result.mels)
    assert sum(a.shape[1] for a in result.alignment) == len(result.symbols)


def test_words(result):
    assert [w.text for w in result.words] == ["Hello", "world", "It", "costs", "$5"]
    assert [TEXT[w.begin:w.stop] for w in result.words] == [w.text for w in result.words]
    assert [w.text for w in result.spoken_words[-2:]] == ["five", "dollars"]
    times = [t for w in result.words for t in (w.start, w.end)]
    assert times == sorted(times) and times[-1] <= result.duration
    assert "".join(c.text for c in result.chunks).replace(" ", "") == TEXT.replace(" ", "")


def test_notes():
    notes = tacod.speak("Hi \U0001f600 there.", seed=1).notes
    assert [(n.kind, n.begin, n.stop) for n in notes] == [("dropped_characters", 3, 4)]


def test_json(result):
    document = result.to_json(matrix="arrays")
    assert document["seed"] == 7
    assert np.allclose(document["chunks"][0]["alignment"], result.alignment[0], atol=1e-4)
    with pytest.raises(tacod.OptionError, match="none, arrays or f16"):
        result.to_json(matrix="b64")


@pytest.mark.parametrize("name", ["x.wav", "x.flac", "x.opus", "x.ogg", "x.mp3"])
def test_save_audio(result, tmp_path, name):
    result.save(tmp_path / name)
    info = soundfile.info(tmp_path / name)
    assert info.channels == 1 and abs(info.duration - result.duration) < 0.15
    assert os.listdir(tmp_path) == [name]


@pytest.mark.parametrize("name,start", [
    ("x.json", b"{"), ("x.svg", b"<svg"), ("x.png", b"\x89PNG"), ("x.npy", b"\x93NUMPY"),
    ("x.srt", b"1\r\n00:00:00"), ("x.vtt", b"WEBVTT"), ("x.TextGrid", b"File type"),
    ("x.mel.npy", b"\x93NUMPY"), ("x.mel.png", b"\x89PNG")])
def test_save_forms(result, tmp_path, name, start):
    result.save(str(tmp_path / name))
    data = (tmp_path / name).read_bytes()
    assert data.lstrip().startswith(start)
    if name == "x.mel.npy":
        assert np.load(io.BytesIO(data)).shape == result.mel.shape


def test_a_failed_save_keeps_the_file(result, tmp_path):
    path = tmp_path / "kept.wav"
    path.write_bytes(b"precious")
    with pytest.raises(tacod.OptionError, match="sample_rate|rate"):
        result.save(path, sample_rate=7)
    assert path.read_bytes() == b"precious" and os.listdir(tmp_path) == ["kept.wav"]
    with pytest.raises(tacod.OptionError) as caught:
        result.save(tmp_path / "x.xyz")
    assert "wav" in str(caught.value)


def test_stream():
    with tacod.stream(TEXT, seed=7) as stream:
        blocks = list(stream)
        assert all(b.dtype == np.float32 and len(b) for b in blocks) and len(blocks) > 2
    assert sum(map(len, blocks)) == len(stream.result.audio)
    assert np.array_equal(np.concatenate(blocks), stream.result.audio)
    assert next(stream, None) is None


def test_closing_a_stream_cancels():
    with tacod.Engine(threads=1) as engine:
        stream = engine.stream(LONG, seed=1)
        next(stream)
        stream.close()
        assert stream.result is None and next(stream, None) is None
        assert engine.speak("Done.", seed=1).ok


def test_the_end_of_an_engine_ends_its_streams():
    engine = tacod.Engine(threads=1)
    stream = engine.stream(LONG, seed=1)
    next(stream)
    engine.close()
    with pytest.raises(RuntimeError, match="closed"):
        engine.speak("Hi.")


def test_an_interrupt_cancels():
    with tacod.Engine(threads=1) as engine:
        previous = signal.signal(signal.SIGALRM, lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        try:
            with pytest.raises(KeyboardInterrupt):
                for _ in range(1000):
                    engine.speak(LONG * 4, seed=1)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, previous)
        assert not engine._jobs
        assert engine.speak("Still there.", seed=1).ok


def test_other_threads_run_meanwhile():
    counts, ended = [0], threading.Event()

    def count():
        while not ended.is_set():
            counts[0] += 1
            time.sleep(0)

    thread = threading.Thread(target=count)
    thread.start()
    while not counts[0]:
        time.sleep(0.001)
    before = counts[0]
    tacod.speak(LONG, seed=1)
    during = counts[0] - before
    ended.set()
    thread.join()
    assert during > 10


def test_many_threads_share_an_engine(result):
    outcomes = [None] * 8

    def work(i):
        outcomes[i] = tacod.speak(TEXT, seed=7)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(len(outcomes))]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert all(np.array_equal(r.audio, result.audio) for r in outcomes)


@pytest.mark.parametrize("kind,code,param,call", [
    (tacod.TextError, "empty_text", "text", lambda: tacod.speak("  ")),
    (tacod.OptionError, "invalid_argument", "speed", lambda: tacod.speak("Hi.", speed=9)),
    (tacod.OptionError, "invalid_argument", "speed", lambda: tacod.speak("Hi.", speed="fast")),
    (tacod.OptionError, "invalid_argument", "sped", lambda: tacod.speak("Hi.", sped=1)),
    (tacod.OptionError, "invalid_argument", "streaming", lambda: tacod.speak("Hi.", streaming=True)),
    (tacod.OptionError, "invalid_argument", "seed", lambda: tacod.speak("Hi.", seed=-1)),
    (tacod.OptionError, "invalid_argument", "phase", lambda: tacod.speak("Hi.", phase="x")),
    (tacod.VoiceError, "not_found", None, lambda: tacod.speak("Hi.", voice="/nonexistent")),
    (tacod.VoiceError, "format", None, lambda: tacod.Voice(__file__)),
    (tacod.DeadlineError, "timeout", None, lambda: tacod.speak(LONG, timeout=1e-6))])
def test_errors(kind, code, param, call):
    with pytest.raises(kind) as caught:
        call()
    assert caught.value.code == code and str(caught.value)
    if param is not None:
        assert caught.value.param == param


def test_errors_are_of_pythons_kinds():
    for kind, base in ((tacod.TextError, ValueError), (tacod.OptionError, ValueError),
                       (tacod.DeadlineError, TimeoutError)):
        assert issubclass(kind, base) and issubclass(kind, tacod.TacoError)


def test_invalid_utf8_tells_the_byte():
    with pytest.raises(tacod.TextError) as caught:
        tacod.speak("abc\ud800")
    assert caught.value.code == "invalid_utf8" and caught.value.offset == 3


def test_speakers():
    with pytest.raises(ValueError, match="no speaker 'bob'"):
        tacod.speak("Hi.", speaker="bob")


def test_busy():
    with tacod.Engine(threads=1, max_jobs=1) as engine:
        with engine.stream(LONG, seed=1):
            with pytest.raises(tacod.BusyError):
                engine.speak("Hi.")


def test_notebook(result):
    page = result._repr_html_()
    assert page.count("<audio controls") == 1 and "data:image/svg+xml;base64," in page
    assert "$5." in page and "attention OK" in page


def test_a_program_may_end_at_any_time():
    code = ("import tacod; s = tacod.stream('One two three. ' * 200); next(s); "
            "e = tacod.Engine(); print('end')")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stdout, done.stderr) == (0, "end\n", "")


def test_the_wheel_is_whole():
    names = zipfile.ZipFile(os.environ["WHEEL"]).namelist()
    assert sum(n.startswith("tacod/voices/") and n.endswith(".safetensors") for n in names) == 1
    assert "tacod/py.typed" in names and any(n.startswith("tacod/_native") and n.endswith(".so")
                                             for n in names)
    needed = subprocess.run(["ldd", tacod._native.__file__], capture_output=True, text=True,
                            check=True).stdout
    assert "libtaco" not in needed and "not found" not in needed
