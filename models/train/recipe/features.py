"""From the teacher's speech to what the network learns: mels, symbols, and the frame at which each symbol ends."""

import numpy as np
import torch
import torchaudio

from . import speech_files

LEAD, TAIL = 0.05, 0.18  # seconds of silence that stay before and after the speech
QUIET = 0.004            # of full scale: rms of 10 ms below which nothing is heard
SIGNS = ",.?!;:"
VOWELS = {"aa", "ae", "ah", "ao", "aw", "ax", "ay", "eh", "er", "ey", "ih", "iy", "ow", "oy", "uh", "uw"}


def symbol_of(phone, stress):
    """Flite's phone as the CMU dictionary writes it."""
    if phone == "ax":
        return "AH1" if stress else "AH0"
    return phone.upper() + (str(stress) if phone in VOWELS else "")


def symbols_of(segments):
    """[(symbol, end in seconds or None)]: phones, a space between words, and behind a word its sign: where
    the teacher pauses the sign (or a space) lasts as long as the pause; elsewhere signs and spaces take no
    time (None)."""
    out, sign = [], None
    for i, (phone, end, stress, begins_word, _) in enumerate(segments):
        last = i + 1 == len(segments)
        if phone == "pau":
            if i > 0:
                out.append((sign or ("." if last else " "), end))
                sign = None
            continue
        if begins_word and out:
            if sign:
                out.append((sign, None))
                sign = None
            if out[-1][0] != " ":
                out.append((" ", None))
        out.append((symbol_of(phone, stress), end))
        if last or segments[i + 1][3] or segments[i + 1][0] == "pau":
            sign = next((c for c in segments[i][4] if c in SIGNS), sign)
    return out


def mel_transform(audio):
    """The voice's features before the logarithm; audio: the "audio" object of the voice's JSON."""
    return torchaudio.transforms.MelSpectrogram(
        audio["sample_rate"], n_fft=audio["n_fft"], win_length=audio["win_length"],
        hop_length=audio["hop_length"], f_min=audio["fmin"], f_max=audio["fmax"],
        n_mels=audio["n_mels"], power=1.0, norm="slaney", mel_scale="slaney", center=True,
        pad_mode="reflect")


def loud(samples, rate):
    """The first and the last second at which something is heard."""
    n = rate // 100
    rms = np.sqrt((samples[:len(samples) // n * n].reshape(-1, n) ** 2).mean(1))
    heard = np.flatnonzero(rms > QUIET)
    return (heard[0] / 100, (heard[-1] + 1) / 100) if len(heard) else (0.0, len(samples) / rate)


def timed_symbols(line, samples, rate):
    """([(symbol, end in seconds or None)], first and last second of speech) of a teacher's line."""
    if "segments" in line:  # Flite knows where its pauses are
        timed = symbols_of(line["segments"])
        last = max((end for symbol, end in timed if end is not None and symbol not in SIGNS), default=0.0)
        return timed, line["segments"][0][1], last
    first, last = loud(samples, rate)
    ends = [min(end, last) for end in line["ends"][:-1]] + [len(samples) / rate]  # the last symbol has the silence
    return list(zip(line["symbols"], ends)), first, last


def log_mel(samples, transform):
    """[T, n_mels]"""
    return torch.log(torch.clamp(transform(samples), min=1e-5)).T


def one(line, samples, audio, transform, numbers):
    """(mel [T, n_mels], ids, last frame of each symbol) of a sentence, or None if the table lacks a symbol."""
    rate, hop = audio["sample_rate"], audio["hop_length"]
    if line["sample_rate"] != rate:
        raise SystemExit(f"train_voice: the teacher speaks at {line['sample_rate']} Hz, not {rate}")
    timed, first, last = timed_symbols(line, samples, rate)
    if not timed or any(symbol not in numbers for symbol, _ in timed):
        return None
    begin, end = max(0.0, first - LEAD), min(len(samples) / rate, last + TAIL)
    mel = log_mel(torch.from_numpy(samples[int(begin * rate):int(end * rate)]), transform)
    ends, now = [], 0.0
    for _, at in timed:
        now = now if at is None else max(now, min(at, end) - begin)
        ends.append(now)
    frames = np.clip(np.round(np.array(ends) * rate / hop), 0, len(mel)).astype(np.int16)
    frames[-1] = len(mel)
    return mel.half(), [numbers[symbol] for symbol, _ in timed], frames


def prepare(folder, audio, table):
    """[(mel, ids, frames)] of every sentence, once and in an order that does not depend on the number of processes."""
    transform, numbers = mel_transform(audio), {symbol: i for i, symbol in enumerate(table)}
    items = {}
    for line, samples in speech_files.read(folder):
        item = one(line, samples, audio, transform, numbers)
        if item is not None:
            items[line.get("i", len(items))] = item
    return [items[i] for i in sorted(items)]
