"""What the homograph model sees of a sentence. core/text/homograph_features.c is the same in C."""
import re
import unicodedata

TOKEN = re.compile(r"[A-Za-z]+(?:'[A-Za-z]+)?|[0-9]+|[^\sA-Za-z0-9]")
PLAIN = {'‘': "'", '’': "'", '“': '"', '”': '"', '–': '-', '—': '-', '−': '-', '…': '.'}
SIDE = 10    # words on each side that are looked at
CLASSES = {
    'TO': "to",
    'MD': "will would can could shall should may might must cannot can't won't couldn't wouldn't shouldn't "
          "didn't doesn't don't",
    'DO': "do does did",
    'BE': "is are was were be been being am isn't wasn't aren't weren't",
    'HV': "have has had having haven't hasn't hadn't",
    'DT': "the a an",
    'DD': "this that these those",
    'PP': "my your his its our their her whose",
    'QT': "some any no every each all both many much few several more most other another such same own enough",
    'PS': "i he she we they you who it",
    'PO': "him me us them himself herself itself themselves myself yourself",
    'CC': "and or but nor",
    'NT': "not never",
    'WH': "which what when where why how if because while although though since unless until as than",
    'IN': "of in on at by for with from into about against between through during before after above below over "
          "under within without among across toward towards upon via per near behind along around onto off out "
          "up down",
    'NU': "one two three four five six seven eight nine ten hundred thousand million first second third",
    'RB': "also then now often always usually sometimes still already just only very so too even thus therefore "
          "however finally again later soon here there well",
}
CLASS = {word: name for name, words in CLASSES.items() for word in words.split()}
ENDINGS = ('ing ed ly tion sion ment ness ity ous ful ive able ible al ic ary ant ent ate ize ise ify er or est ism '
           'ist ship ss us is s y').split()
AUXILIARY = {'MD', 'TO', 'DO', 'BE', 'HV', 'DT', 'PS'}
FIRST, LAST = '<s>', '</s>'


def tokens(text):
    text = ''.join(PLAIN.get(c, c) for c in text)
    text = ''.join(c for c in unicodedata.normalize('NFD', text) if not unicodedata.combining(c))
    return TOKEN.findall(text)


def word_class(word, at_start):
    """A part of speech as far as the form tells it."""
    if word in (FIRST, LAST):
        return word
    lower = word.lower()
    if lower in CLASS:
        return CLASS[lower]
    if word[0].isdigit():
        return 'CD4' if len(word) == 4 else 'CD'
    if not word[0].isalpha():
        return word if word in '.,;:()-\'"&$%' else '?'
    name = 'N' if word[0].isupper() and not at_start else ''
    for ending in ENDINGS:
        if lower.endswith(ending) and len(lower) > len(ending) + 1:
            return name + '-' + ending
    return name + 'x'


def features(before, word, after):
    """Strings; those that begin with "B=" are the words around, in any place."""
    before, after = before[-SIDE:], after[:SIDE]
    start = len(before) < SIDE
    row = before + [word] + after
    at = len(before)

    def near(k):
        return FIRST if at + k < 0 else LAST if at + k >= len(row) else row[at + k]

    w = {k: near(k).lower() for k in range(-3, 4)}
    c = {k: word_class(near(k), start and at + k == 0) for k in range(-3, 4)}
    out = ['b', 'cap' + ('A' if word.isupper() else 'C' if word[0].isupper() else 'l') + ('0' if at == 0 else '1')]
    for k in (-3, -2, -1, 1, 2, 3):
        out += ['w%d=%s' % (k, w[k]), 'c%d=%s' % (k, c[k])]
    for k in (-1, 1):
        out += ['s%d=%s' % (k, w[k][-3:]), 't%d=%s' % (k, w[k][-2:])]
    pairs = {'a': (c[-1], c[1]), 'd': (c[-2], c[-1]), 'e': (c[1], c[2]), 'f': (w[-1], w[1]), 'g': (w[-2], w[-1]),
             'h': (w[1], w[2]), 'i': (w[-1], c[1]), 'j': (c[-1], w[1]), 'k': (w[-2], c[-1]), 'l': (c[1], w[2])}
    out += ['%s=%s,%s' % (name, x, y) for name, (x, y) in pairs.items()]
    out += ['m=%s,%s,%s' % (c[-2], c[-1], c[1]), 'n=%s,%s,%s' % (c[-1], c[1], c[2]),
            'o=%s,%s,%s' % (c[-3], c[-2], c[-1])]
    for other in reversed(before[-6:]):
        name = CLASS.get(other.lower())
        if name in AUXILIARY:
            out.append('p=' + name)
            break
    out += sorted({'B=' + x.lower() for k, x in enumerate(row) if k != at and x[0].isalpha()})
    return out
