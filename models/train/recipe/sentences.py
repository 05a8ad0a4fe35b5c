"""Sentences for the teacher to speak: WordNet's examples and definitions (Debian's wordnet-base), quotations of
Debian's fortunes, and sentences that are made up from lists: numbers, dates, names, letters, single words."""

import glob
import itertools
import random
import re

from . import phrases

WORDNET = "/usr/share/wordnet"
FORTUNES = "/usr/share/games/fortunes"
LETTERS = re.compile(r"[^\W\d_](?:[^\W\d_]|[ ,.'?!;:-])+")
SHORTEST, LONGEST = 15, 100  # letters


def glosses():
    """(examples, definitions), each a set of strings as they stand in WordNet."""
    files = sorted(glob.glob(WORDNET + "/data.*"))
    if not files:
        raise SystemExit(f"train_voice: no {WORDNET}/data.*: apt-get install wordnet-base")
    examples, definitions = set(), set()
    for path in files:
        with open(path, encoding="latin1") as f:
            for line in f:
                _, bar, gloss = line.partition("|")
                if not bar:
                    continue
                examples.update(quoted.strip() for quoted in re.findall(r'"([^"]+)"', gloss))
                definition = re.sub(r'"[^"]*"', "", gloss).split(";")[0]
                definitions.add(re.sub(r"\([^)]*\)", "", definition).strip())
    return examples, definitions


def quotations(folder=FORTUNES):
    """The sentences of fortune's files in a folder, without attributions."""
    files = [path for path in sorted(glob.glob(folder + "/*")) if re.fullmatch(r"[\w-]+(\.fortunes)?", path.rsplit("/", 1)[1])]
    if not files:
        raise SystemExit(f"train_voice: no fortunes in {folder}: apt-get install fortunes")
    out = set()
    for path in files:
        with open(path, encoding="utf-8", errors="replace") as f:
            for cookie in re.split(r"^%$", f.read(), flags=re.M):
                cookie = re.split(r"^\s*--", cookie, flags=re.M)[0]
                cookie = re.sub(r"\s+", " ", cookie.replace('"', "").replace("--", ",").replace(" ,", ","))
                for s in re.split(r"(?<=[.?!])\s+(?=[A-Z])", cookie):
                    s = re.sub(r"^[A-Z][A-Za-z' ]{0,20}:\s+", "", s.strip())  # who says it in a dialogue
                    if s and s[0].isupper() and s[-1] in ".?!" and not re.search(r"\b[A-Z]{4,}\b|\.\.|[a-z][A-Z]", s):
                        out.add(s)
    return out


def tidy(strings):
    """Those that the teacher can read as they are, with a capital and an end."""
    kept = []
    for s in strings:
        s = re.sub(r"\s+", " ", s.replace("`", "'")).strip(" ;,:-'")
        if SHORTEST <= len(s) <= LONGEST and LETTERS.fullmatch(s):
            kept.append(s[0].upper() + s[1:] + ("" if s[-1] in ".?!" else "."))
    return sorted(set(kept))


def _joined(short, sign):
    """Two sentences as the clauses of one."""
    return [a[:-1] + sign + " " + b[0].lower() + b[1:] for a, b in zip(short[::2], short[1::2])]


def _pools(wanted, rng):
    """{kind: sentences in random order} for the kinds that are wanted."""
    pools = {}
    if wanted.keys() & {"examples", "questions", "definitions", "clauses", "words"}:
        examples, definitions = map(tidy, glosses())
        rng.shuffle(examples)
        rng.shuffle(definitions)
        short = [s for s in examples if s[-1] == "." and len(s) <= 50]
        words = sorted({w for s in examples for w in re.findall(r"[a-z]{3,}", s)})
        rng.shuffle(words)
        pools.update(examples=[s for s in examples if s[-1] not in "?!"], definitions=definitions,
                     questions=[s for s in examples if s[-1] in "?!"],
                     clauses=[s for pair in zip(_joined(short, ";"), _joined(short[::-1], ", and"),
                                                _joined(short[1:], ":")) for s in pair],
                     words=[w.capitalize() + sign for w, sign in zip(words, itertools.cycle("..?!"))])
    if "quotations" in wanted:
        pools["quotations"] = tidy(quotations(wanted.get("quotations_from", FORTUNES)))
        rng.shuffle(pools["quotations"])
    pools["small_talk"] = phrases.SMALL_TALK
    for kind, make in (("numbers", phrases.numbers), ("letters", phrases.letters)):
        made = sorted({make(rng) for _ in range(2 * wanted.get(kind, 0))})
        rng.shuffle(made)
        pools[kind] = made
    return pools


def choose(wanted, seed=1):
    """Sentences in random order, the same for the same seed. wanted: {kind: how many at most}, kinds `examples`,
    `questions`, `definitions`, `clauses` and `words` of WordNet, `quotations` (of the folder `quotations_from`),
    `small_talk`, `numbers`, `letters`."""
    rng = random.Random(seed)
    pools = _pools(wanted, rng)
    chosen = []
    for kind, n in wanted.items():
        if kind != "quotations_from":
            if kind not in pools:
                raise SystemExit(f"train_voice: sentences: no kind {kind!r}: {', '.join(sorted(pools))}")
            chosen += pools[kind][:n]
    chosen = sorted(set(chosen))
    rng.shuffle(chosen)
    return chosen
