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


# -- Coqui TTS and Mozilla TTS -----------------------------------------------------------------

_IPA_VOWELS = "iyɨʉɯuɪʏʊeøɘəɵɤoɛœɜɞʌɔæɐaɶɑɒᵻ"
_IPA_CLICKS = "ʘɓǀɗǃʄǂɠǁʛ"
_IPA_CONSONANTS = "pbtdʈɖcɟkɡqɢʔɴŋɲɳnɱmʙrʀⱱɾɽɸβfvθðszʃʒʂʐçʝxɣχʁħʕhɦɬɮʋɹɻjɰlɭʎʟ"
_IPA_MARKS = "ˈˌːˑ"
_IPA_OTHERS = "ʍwɥʜʢʡɕʑɺɧ"
_IPA_COLOURED = "ɚ˞ɫ"

MOZILLA_IPA = _IPA_VOWELS + _IPA_CLICKS + _IPA_CONSONANTS + _IPA_MARKS + _IPA_OTHERS + _IPA_COLOURED
COQUI_IPA = (_IPA_VOWELS + _IPA_CLICKS + _IPA_CONSONANTS + _IPA_MARKS + _IPA_OTHERS + "ʲ"
             + _IPA_COLOURED)
COQUI_PUNCTUATION = "!'(),-.:;? "


def mozilla_table(use_phonemes, characters=None):
    """symbols.py's make_symbols; characters: the configuration's "characters" object, if any."""
    c = {"pad": "_", "eos": "~", "bos": "^", "punctuations": COQUI_PUNCTUATION,
         "characters": string.ascii_uppercase + string.ascii_lowercase + COQUI_PUNCTUATION,
         "phonemes": MOZILLA_IPA}
    c.update({key: value for key, value in (characters or {}).items() if value is not None})
    special = [c["pad"], c["eos"], c["bos"]]
    phonemes = sorted(set(c["phonemes"]))
    if use_phonemes:
        return special + phonemes + list(c["punctuations"])
    return special + list(c["characters"]) + ["@" + p for p in phonemes]


def coqui_table(n_symbols, use_phonemes, characters=None):
    """The vocabulary of n_symbols that Coqui makes of the configuration's "characters" object, or of its
    defaults without one: [pad, eos, bos, blank] characters punctuation (characters.py); before its
    version 0.6 as Mozilla, without the "@" phonemes. None if no rule gives so many."""
    c = characters
    if c is None:
        c = {"pad": "<PAD>", "eos": "<EOS>", "bos": "<BOS>", "blank": "<BLNK>",
             "characters": COQUI_IPA if use_phonemes else (string.ascii_uppercase
                                                          + string.ascii_lowercase),
             "punctuations": COQUI_PUNCTUATION}
    chosen = list((use_phonemes and c.get("phonemes")) or c.get("characters") or "")
    if c.get("is_unique", False):
        chosen = list(dict.fromkeys(chosen))
    if c.get("is_sorted", True) is not False:
        chosen = sorted(chosen)
    special = [c[key] for key in ("pad", "eos", "bos", "blank") if c.get(key)]
    tables = [special + chosen + list(c.get("punctuations") or "")]
    old = mozilla_table(use_phonemes, c)
    tables += [old, [symbol for symbol in old if use_phonemes or not
                     (len(symbol) > 1 and symbol.startswith("@"))]]
    return next((table for table in tables if len(table) == n_symbols), None)


# -- NeMo -------------------------------------------------------------------------------------

NEMO_PUNCTUATION = list(",.!?-:;/\"()[]{}")
NEMO_VOWELS = VOWELS
NEMO_CONSONANTS = CONSONANTS


def nemo_table(tokenizer, settings):
    """tts_tokenizers.py: the tokens of EnglishPhonemesTokenizer and EnglishCharsTokenizer."""
    table = [" "]
    if tokenizer == "EnglishPhonemesTokenizer":
        if settings.get("silence") is not None:
            table.append(settings["silence"])
        table += NEMO_CONSONANTS
        stresses = ("0", "1", "2") if settings.get("stresses", False) else ("",)
        table += [v + s for v in NEMO_VOWELS for s in stresses]
        if settings.get("chars", False):
            table += string.ascii_lowercase
    else:
        table += string.ascii_lowercase
    if settings.get("apostrophe", True):
        table.append("'")
    if settings.get("punct", True):
        table += settings.get("non_default_punct_list") or NEMO_PUNCTUATION
    table.append("<pad>")
    blank_at = settings.get("add_blank_at")
    if blank_at is not None:
        table += ["<oov>", "<blank>"] if blank_at == "last" else ["<blank>", "<oov>"]
    else:
        table.append("<oov>")
    return table
