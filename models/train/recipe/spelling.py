"""From a voice's symbols to Kokoro's tokens. Every token is owned by one symbol, so that the token's duration is the
symbol's.

ARPAbet: a word is spelt as misaki's dictionary has it where that is about what the symbols say: this brings secondary
stress, unstressed function words, flaps and schwas. Otherwise each phone becomes its own tokens. IPA: each symbol
becomes the tokens that the voice's JSON gives it, or else itself."""

PHONES = {"AA": "ɑ", "AE": "æ", "AH": "ʌ", "AO": "ɔ", "AW": "W", "AY": "I", "B": "b", "CH": "ʧ", "D": "d", "DH": "ð",
          "EH": "ɛ", "ER": "ɜɹ", "EY": "A", "F": "f", "G": "ɡ", "HH": "h", "IH": "ɪ", "IY": "i", "JH": "ʤ", "K": "k",
          "L": "l", "M": "m", "N": "n", "NG": "ŋ", "OW": "O", "OY": "Y", "P": "p", "R": "ɹ", "S": "s", "SH": "ʃ",
          "T": "t", "TH": "θ", "UH": "ʊ", "UW": "u", "V": "v", "W": "w", "Y": "j", "Z": "z", "ZH": "ʒ"}
UNSTRESSED = {"AH": "ə", "ER": "əɹ"}
SIGNS = {",": ",", ".": ".", "?": "?", "!": "!", ":": ":", ";": ";", "-": "—", " ": " ", "'": "", "(": "(", ")": ")"}
VOWELS = frozenset("ɑæʌɔWIɛɜAɪiOYʊuəᵊɐᵻ")
STRESS = {"1": "ˈ", "2": "ˌ"}
ENDINGS = ("'s", "s", "es", "'ll", "'ve", "'d", "'re", "n't", "ed", "d", "ing", "ly", "er", "ers", "ness")

# Costs of writing one sound for another, and of a sound that only one spelling has.
SAME_SOUND, NEAR_SOUND, OTHER_SOUND, OTHER_KIND = 0.05, 0.3, 1.0, 2.0
WEAK_GAP, GAP = 0.4, 1.1
NEAR = {**{frozenset(pair): SAME_SOUND for pair in "əᵊ əʌ əɐ ɪᵻ tɾ tʔ dɾ əᵻ ɜə".split()},
        **{frozenset(pair): NEAR_SOUND for pair in
           "əɪ ɪi ɔɑ ʊu sz ᵊʌ ᵊɪ ɐʌ ɪᵊ ɛæ ɔO ɪɛ iə uə ʊə ɑə æə ɛə jʤ".split()}}


def tokens_of(symbol):
    """(tokens, mark of stress) of one ARPAbet phone."""
    base, stress = (symbol[:-1], symbol[-1]) if symbol[-1].isdigit() else (symbol, "")
    if stress == "0" and base in UNSTRESSED:
        return UNSTRESSED[base], ""
    return PHONES[base], STRESS.get(stress, "")


def sounds(spelling):
    """[(marks, sound)]: the marks of stress stand before their vowel."""
    out, marks = [], ""
    for c in spelling:
        if c in STRESS.values():
            marks += c
        else:
            out.append((marks, c))
            marks = ""
    return out


def _cost(a, b):
    if a == b:
        return 0.0
    return NEAR.get(frozenset((a, b)), OTHER_KIND if (a in VOWELS) != (b in VOWELS) else OTHER_SOUND)


def _gap(c):
    return WEAK_GAP if c in "əᵊj" else GAP


def align(mine, theirs):
    """(cost of the cheapest alignment of two strings of sounds, for each of theirs the index of mine that owns it)."""
    n, m = len(mine), len(theirs)
    d = [[0.0] * (m + 1) for _ in range(n + 1)]
    for i in range(n + 1):
        for j in range(m + 1):
            ways = []
            if i and j:
                ways.append(d[i - 1][j - 1] + _cost(mine[i - 1], theirs[j - 1]))
            if i:
                ways.append(d[i - 1][j] + _gap(mine[i - 1]))
            if j:
                ways.append(d[i][j - 1] + _gap(theirs[j - 1]))
            d[i][j] = min(ways, default=0.0)
    owner, i, j = [0] * m, n, m
    while j:
        if i and d[i][j] == d[i - 1][j - 1] + _cost(mine[i - 1], theirs[j - 1]):
            i, j = i - 1, j - 1
            owner[j] = i
        elif i and d[i][j] == d[i - 1][j] + _gap(mine[i - 1]):
            i -= 1
        else:
            j -= 1
            owner[j] = min(i, n - 1)
    return d[n][m], owner


def _stems(word):
    """(stem, ending) under which a dictionary may have the word."""
    yield word, ""
    for ending in ENDINGS:
        if word.endswith(ending) and len(word) > len(ending) + 1:
            stem = word[:-len(ending)]
            yield stem, ending
            yield stem + "e", ending
            if len(stem) > 3 and stem[-1] == stem[-2]:
                yield stem[:-1], ending


class Arpabet:
    """dictionary: misaki's, {word: spelling or {"DEFAULT": spelling, ...}}."""

    def __init__(self, dictionary):
        self.dictionary = dictionary

    def spell(self, symbols, spoken):
        """(tokens, index of each one's owner). spoken: [(word, first symbol, number of symbols)]."""
        words = {first: (word, n) for word, first, n in spoken if n}
        text, owner, at = "", [], 0
        while at < len(symbols):
            word, n = words.get(at, (None, 1))
            if word is None:
                symbol = symbols[at]
                tokens = SIGNS[symbol] if symbol in SIGNS else "".join(reversed(tokens_of(symbol)))
                text, owner = text + tokens, owner + [at] * len(tokens)
            else:
                following = next((s for s in symbols[at + n:] if s not in SIGNS), None)
                for c, k in self._word(word, symbols[at:at + n], following):
                    text, owner = text + c, owner + [at + k]
            at += n
        return text.replace("ɾ", "T").replace("ʔ", "t"), owner

    def _word(self, word, symbols, following):
        """[(token, index of its owner)]"""
        if word == "a" and symbols == ["AH0"]:
            return [("ɐ", 0)]
        if word == "the" and len(symbols) == 2:
            return [("ð", 0), ("ə" if symbols[1] == "AH0" else "i", 1)]
        before_consonant = following is not None and tokens_of(following)[0][0] not in VOWELS
        if word == "to" and before_consonant and len(symbols) == 2:
            return [("t", 0), ("ə", 1)]
        found = self._by_dictionary(word, symbols)
        return found or [(c, k) for k, s in enumerate(symbols) for c in "".join(reversed(tokens_of(s)))]

    def _by_dictionary(self, word, symbols):
        mine = [(c, k) for k, s in enumerate(symbols) for c in tokens_of(s)[0]]
        for stem, ending in _stems(word):
            entry = self.dictionary.get(stem) or self.dictionary.get(stem.capitalize())
            theirs = sounds((entry.get("DEFAULT") if isinstance(entry, dict) else entry) or "")
            for n in (len(theirs), len(theirs) - 1, len(theirs) + 1) if ending else (len(mine),):
                found = theirs and 0 < n <= len(mine) and _with_ending(mine, theirs, n, ending)
                if found:
                    return found
        return None


def _with_ending(mine, theirs, n, ending):
    """theirs for the first n sounds of mine, then the rest of mine as the ending; None if they differ too much."""
    rest = mine[n:]
    if bool(rest) != bool(ending) or len(rest) > 4 or rest and rest[0][1] == mine[n - 1][1]:
        return None
    total, owner = align([c for c, _ in mine[:n]], [c for _, c in theirs])
    if total > min(1.0, 0.25 * n + 0.2) or ending and _cost(mine[n - 1][0], theirs[-1][1]) > 0.1:
        return None
    return [(c, mine[o][1]) for (marks, sound), o in zip(theirs, owner) for c in marks + sound] + rest


class Ipa:
    """table: {symbol: tokens} for symbols that are not tokens themselves."""

    def __init__(self, table):
        self.table = table

    def spell(self, symbols, _spoken):
        pairs = [(c, at) for at, s in enumerate(symbols) for c in self.table.get(s, s)]
        return "".join(c for c, _ in pairs), [at for _, at in pairs]
