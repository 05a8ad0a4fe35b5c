#include "text/fold.h"

#include <stddef.h>

struct form {
    uint32_t cp;
    const char *ascii;
};

/* In order of code point, for the binary search. */
static const struct form marks[] = {
    {0x00AB, "\""}, {0x00B4, "'"},   {0x00BB, "\""}, {0x02B9, "'"},  {0x02BA, "\""},
    {0x02BB, "'"},  {0x02BC, "'"},   {0x02BD, "'"},  {0x02C8, "'"},  {0x2010, "-"},
    {0x2011, "-"},  {0x2012, "-"},   {0x2013, "-"},  {0x2014, "--"}, {0x2015, "--"},
    {0x2018, "'"},  {0x2019, "'"},   {0x201A, "'"},  {0x201B, "'"},  {0x201C, "\""},
    {0x201D, "\""}, {0x201E, "\""},  {0x201F, "\""}, {0x2022, "-"},  {0x2023, "-"},
    {0x2025, ".."}, {0x2026, "..."}, {0x2032, "'"},  {0x2033, "\""}, {0x2034, "\""},
    {0x2035, "'"},  {0x2036, "\""},  {0x2039, "'"},  {0x203A, "'"},  {0x2043, "-"},
    {0x2212, "-"},  {0x22EF, "..."}, {0x2E3A, "--"}, {0x2E3B, "--"}, {0x3001, ","},
    {0x3002, "."},  {0x3008, "\""},  {0x3009, "\""}, {0x300A, "\""}, {0x300B, "\""},
    {0x300C, "\""}, {0x300D, "\""},  {0x300E, "\""}, {0x300F, "\""}, {0x301D, "\""},
    {0x301E, "\""}, {0x301F, "\""},  {0xFF02, "\""}, {0xFF07, "'"},  {0xFF0D, "-"},
    {0xFF61, "."},  {0xFF64, ","},
};

static const struct form letters[] = {
    {0x00C6, "AE"}, {0x00D0, "D"}, {0x00D8, "O"},  {0x00DE, "Th"}, {0x00DF, "ss"},
    {0x00E6, "ae"}, {0x00F0, "d"}, {0x00F8, "o"},  {0x00FE, "th"}, {0x0110, "D"},
    {0x0111, "d"},  {0x0126, "H"}, {0x0127, "h"},  {0x0131, "i"},  {0x0138, "k"},
    {0x0141, "L"},  {0x0142, "l"}, {0x014A, "Ng"}, {0x014B, "ng"}, {0x0152, "OE"},
    {0x0153, "oe"}, {0x0166, "T"}, {0x0167, "t"},  {0x0180, "b"},  {0x0181, "B"},
    {0x0186, "O"},  {0x0189, "D"}, {0x018A, "D"},  {0x018E, "E"},  {0x018F, "E"},
    {0x0190, "E"},  {0x0192, "f"}, {0x0198, "K"},  {0x0199, "k"},  {0x019A, "l"},
    {0x019D, "N"},  {0x019E, "n"}, {0x01B3, "Y"},  {0x01B4, "y"},  {0x01B5, "Z"},
    {0x01B6, "z"},  {0x01DD, "e"}, {0x0237, "j"},  {0x0253, "b"},  {0x0254, "o"},
    {0x0256, "d"},  {0x0257, "d"}, {0x0259, "e"},  {0x025B, "e"},  {0x0261, "g"},
    {0x0268, "i"},  {0x026A, "i"}, {0x0272, "n"},  {0x0289, "u"},  {0x0292, "z"},
    {0x1E9E, "SS"},
};

/* U+0391 to U+03A9 and U+03B1 to U+03C9: the second capital sigma does not exist. */
static const char *const greek[25] = {"a", "b", "g", "d", "e",  "z",  "e", "th", "i",
                                      "k", "l", "m", "n", "x",  "o",  "p", "r",  "s",
                                      "s", "t", "y", "f", "ch", "ps", "o"};
static const char *const greek_capital[25] = {
    "A", "B", "G", "D", "E",  "Z", "E", "Th", "I", "K",  "L",  "M", "N",
    "X", "O", "P", "R", NULL, "S", "T", "Y",  "F", "Ch", "Ps", "O"};

/* U+0410 to U+042F and U+0430 to U+044F; the two letters without a sound are silent. */
static const char *const cyrillic[32] = {"a",  "b",    "v", "g", "d", "e",  "zh", "z",
                                         "i",  "y",    "k", "l", "m", "n",  "o",  "p",
                                         "r",  "s",    "t", "u", "f", "kh", "ts", "ch",
                                         "sh", "shch", "",  "y", "",  "e",  "yu", "ya"};
static const char *const cyrillic_capital[32] = {
    "A",  "B",  "V",  "G",    "D", "E", "Zh", "Z", "I",  "Y", "K",
    "L",  "M",  "N",  "O",    "P", "R", "S",  "T", "U",  "F", "Kh",
    "Ts", "Ch", "Sh", "Shch", "",  "Y", "",   "E", "Yu", "Ya"};

/* The other Slavic alphabets. */
static const struct form slavic[] = {
    {0x0402, "Dj"}, {0x0404, "Ye"}, {0x0405, "Dz"},  {0x0406, "I"},   {0x0408, "J"},
    {0x0409, "Lj"}, {0x040A, "Nj"}, {0x040B, "Ch"},  {0x040F, "Dzh"}, {0x0452, "dj"},
    {0x0454, "ye"}, {0x0455, "dz"}, {0x0456, "i"},   {0x0458, "j"},   {0x0459, "lj"},
    {0x045A, "nj"}, {0x045B, "ch"}, {0x045F, "dzh"}, {0x0490, "G"},   {0x0491, "g"},
};

static const char *find(const struct form *forms, size_t n, uint32_t cp) {
    size_t low = 0, high = n;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (forms[middle].cp < cp)
            low = middle + 1;
        else
            high = middle;
    }
    return low < n && forms[low].cp == cp ? forms[low].ascii : NULL;
}

#define FIND(forms, cp) find(forms, sizeof(forms) / sizeof *(forms), cp)

const char *taco_fold_punctuation(uint32_t cp) {
    return FIND(marks, cp);
}

const char *taco_fold_letter(uint32_t cp) {
    if (cp >= 0x0391 && cp <= 0x03A9)
        return greek_capital[cp - 0x0391];
    if (cp >= 0x03B1 && cp <= 0x03C9)
        return greek[cp - 0x03B1];
    if (cp >= 0x0410 && cp <= 0x042F)
        return cyrillic_capital[cp - 0x0410];
    if (cp >= 0x0430 && cp <= 0x044F)
        return cyrillic[cp - 0x0430];
    if (cp >= 0x0400 && cp <= 0x04FF)
        return FIND(slavic, cp);
    return FIND(letters, cp);
}

bool taco_fold_is_silent(uint32_t cp) {
    static const uint32_t silent[] = {
        0x00A1, /* inverted exclamation mark */
        0x00AE, /* registered */
        0x00B6, /* pilcrow */
        0x00BF, /* inverted question mark */
        0x2020, /* dagger */
        0x2021, /* double dagger */
        0x2120, /* service mark */
        0x2122, /* trade mark */
    };
    for (size_t i = 0; i < sizeof silent / sizeof *silent; i++)
        if (silent[i] == cp)
            return true;
    return false;
}
