"""From the teacher's speech to what the network learns: mels, symbols, and the frame at which each symbol ends."""

import json

import numpy as np
import torch
import torchaudio

LEAD, TAIL = 0.05, 0.18  # seconds of silence that stay before and behind the speech
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


def one(line, samples, audio, transform, numbers):
    """(mel [T, n_mels], ids, last frame of each symbol) of a sentence, or None if the table lacks a symbol."""
    rate, hop = audio["sample_rate"], audio["hop_length"]
    if line["sample_rate"] != rate:
        raise SystemExit(f"train_voice: the teacher speaks at {line['sample_rate']} Hz, not {rate}")
    timed = symbols_of(line["segments"])
    if not timed or any(symbol not in numbers for symbol, _ in timed):
        return None
    begin = max(0.0, line["segments"][0][1] - LEAD)
    last_phone = max(end for symbol, end in timed if end is not None and symbol not in SIGNS)
    end = min(len(samples) / rate, last_phone + TAIL)
    mel = torch.log(torch.clamp(transform(samples[int(begin * rate):int(end * rate)]), min=1e-5)).T
    ends, now = [], 0.0
    for _, at in timed:
        now = now if at is None else min(at, end) - begin
        ends.append(now)
    frames = np.clip(np.round(np.array(ends) * rate / hop), 0, len(mel)).astype(np.int16)
    frames[-1] = len(mel)
    return mel.half(), [numbers[symbol] for symbol, _ in timed], frames


def prepare(segments_path, audio_path, audio, table):
    """[(mel, ids, frames)] of every sentence."""
    transform, numbers = mel_transform(audio), {symbol: i for i, symbol in enumerate(table)}
    raw = np.memmap(audio_path, np.int16, "r")
    items = []
    with open(segments_path, encoding="utf-8") as f:
        for text in f:
            line = json.loads(text)
            samples = raw[line["offset"]:line["offset"] + line["n"]].astype(np.float32) / 32768
            item = one(line, torch.from_numpy(samples), audio, transform, numbers)
            if item is not None:
                items.append(item)
    return items
