"""Symbol tables that the projects keep in their code, not in their checkpoints."""

import string

# The Carnegie Mellon Pronouncing Dictionary's phones, a vowel without and with its three stresses.
VOWELS = ["AA", "AE", "AH", "AO", "AW", "AY", "EH", "ER", "EY", "IH", "IY", "OW", "OY", "UH", "UW"]
CONSONANTS = ["B", "CH", "D", "DH", "F", "G", "HH", "JH", "K", "L", "M", "N", "NG", "P", "R", "S",
              "SH", "T", "TH", "V", "W", "Y", "Z", "ZH"]
ARPABET = sorted([v + s for v in VOWELS for s in ("", "0", "1", "2")] + CONSONANTS)

PUNCTUATION = list("_-!'(),.:;? ")

TORCHAUDIO_CHARACTERS = PUNCTUATION + list(string.ascii_lowercase)
TORCHAUDIO_PHONES = PUNCTUATION + ARPABET
NVIDIA = (PUNCTUATION + list(string.ascii_uppercase) + list(string.ascii_lowercase)
          + ["@" + phone for phone in ARPABET])


def punctuation_in(symbols):
    """The signs of the table that may follow a word."""
    return "".join(s for s in symbols if s in tuple(",.:;?!"))


def distinct(symbols):
    """The table with every symbol once. A table built by a Python dict keeps a repeated symbol's last
    place; the earlier places are never used and get a name that no text contains."""
    last = {symbol: i for i, symbol in enumerate(symbols)}
    return [s if last[s] == i else f"<unused {i}>" for i, s in enumerate(symbols)]


def section(front_end, symbols, **others):
    """The config's "text" object; keys that are left out have FORMAT.md's defaults."""
    symbols = list(symbols)
    text = {"front_end": front_end, "symbols": symbols, "punctuation": punctuation_in(symbols)}
    text["final_punctuation"] = "." if "." in symbols else ""
    text["word_separator"] = " " if " " in symbols else ""
    text.update(others)
    return text
