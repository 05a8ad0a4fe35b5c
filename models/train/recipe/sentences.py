"""Sentences for the teacher to speak: the examples and definitions of WordNet (Debian's wordnet-base)."""

import glob
import random
import re

WORDNET = "/usr/share/wordnet"
LETTERS = re.compile(r"[A-Za-z ,.'?!;:-]+")
SHORTEST, LONGEST = 15, 100  # letters
# Of four sentences three are examples (whole sentences), one a definition (a phrase).
EXAMPLES_IN_FOUR = 3


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


def tidy(strings):
    """Those that the teacher can read as they are, with a capital and an end."""
    kept = []
    for s in strings:
        s = re.sub(r"\s+", " ", s.replace("`", "'")).strip(" ;,:-'")
        if SHORTEST <= len(s) <= LONGEST and LETTERS.fullmatch(s):
            kept.append(s[0].upper() + s[1:] + ("" if s[-1] in ".?!" else "."))
    return sorted(set(kept))


def choose(n, seed=1):
    """n sentences in random order, the same for the same seed."""
    rng = random.Random(seed)
    examples, definitions = map(tidy, glosses())
    rng.shuffle(examples)
    rng.shuffle(definitions)
    n_examples = n * EXAMPLES_IN_FOUR // 4
    chosen = examples[:n_examples] + definitions[:n - n_examples]
    rng.shuffle(chosen)
    return chosen
