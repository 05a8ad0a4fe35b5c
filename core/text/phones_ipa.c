#include "text/phones_ipa.h"

#include <string.h>

/* Longest match first where one begins another. V stands for the vowel's stress. */
static const struct {
    const char *ipa, *phones;
} letters[] = {
    {"t͡ʃ", "CH"},  {"tʃ", "CH"},  {"ʧ", "CH"},     {"d͡ʒ", "JH"},    {"dʒ", "JH"},
    {"ʤ", "JH"},   {"eɪ", "EYV"}, {"aɪ", "AYV"},   {"aʊ", "AWV"},   {"ɔɪ", "OYV"},
    {"oʊ", "OWV"}, {"əʊ", "OWV"}, {"ɪə", "IHV R"}, {"eə", "EHV R"}, {"ʊə", "UHV R"},
    {"ə˞", "ERV"}, {"ɜ˞", "ERV"}, {"n̩", "AH0 N"},  {"l̩", "AH0 L"},  {"m̩", "AH0 M"},
    {"i", "IYV"},  {"ɪ", "IHV"},  {"ᵻ", "IHV"},    {"ɨ", "IHV"},    {"e", "EYV"},
    {"ɛ", "EHV"},  {"æ", "AEV"},  {"a", "AEV"},    {"ɑ", "AAV"},    {"ɒ", "AAV"},
    {"ɔ", "AOV"},  {"o", "OWV"},  {"ʊ", "UHV"},    {"u", "UWV"},    {"ʌ", "AHV"},
    {"ə", "AHV"},  {"ɐ", "AHV"},  {"ɜ", "ERV"},    {"ɝ", "ERV"},    {"ɚ", "ERV"},
    {"p", "P"},    {"b", "B"},    {"t", "T"},      {"d", "D"},      {"k", "K"},
    {"g", "G"},    {"ɡ", "G"},    {"f", "F"},      {"v", "V"},      {"θ", "TH"},
    {"ð", "DH"},   {"s", "S"},    {"z", "Z"},      {"ʃ", "SH"},     {"ʒ", "ZH"},
    {"h", "HH"},   {"m", "M"},    {"n", "N"},      {"ŋ", "NG"},     {"l", "L"},
    {"ɫ", "L"},    {"r", "R"},    {"ɹ", "R"},      {"ɻ", "R"},      {"w", "W"},
    {"j", "Y"},    {"ʍ", "HH W"}, {"ɾ", "D"},      {"ʔ", "T"},      {"x", "K"},
    {"ː", ""},     {"ˑ", ""},     {"ʰ", ""},       {"͡", ""},        {"̯", ""},
    {"̪", ""},      {".", ""},     {" ", ""},       {"‿", ""},       {"-", ""},
};

enum { STRESS_PRIMARY = '1', STRESS_SECONDARY = '2', STRESS_NONE = '0' };

/* The mark at ipa, 0 if there is none; *n: its bytes. */
static char stress_mark(const char *ipa, size_t *n) {
    static const struct {
        const char *mark;
        char stress;
    } marks[] = {{"ˈ", STRESS_PRIMARY},
                 {"'", STRESS_PRIMARY},
                 {"ˌ", STRESS_SECONDARY},
                 {",", STRESS_SECONDARY}};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (strncmp(ipa, marks[i].mark, *n = strlen(marks[i].mark)) == 0)
            return marks[i].stress;
    return 0;
}

bool taco_phones_from_ipa(const char *ipa, struct taco_string *out,
                          const char **unknown) {
    char stress = STRESS_NONE;
    uint32_t n_vowels = 0, vowel = 0; /* where the last vowel's stress stands in out */
    *unknown = NULL;
    while (*ipa) {
        size_t n, i = 0;
        char mark = stress_mark(ipa, &n);
        if (mark) {
            stress = mark;
            ipa += n;
            continue;
        }
        while (i < sizeof letters / sizeof *letters &&
               strncmp(ipa, letters[i].ipa, strlen(letters[i].ipa)) != 0)
            i++;
        if (i == sizeof letters / sizeof *letters) {
            *unknown = ipa;
            return false;
        }
        ipa += strlen(letters[i].ipa);
        const char *phones = letters[i].phones;
        if (*phones && out->n && !taco_string_add_char(out, ' '))
            return false;
        for (const char *c = phones; *c; c++) {
            bool is_mark = *c == 'V' && c > phones && c[-1] != ' ';
            if (is_mark) {
                vowel = out->n;
                n_vowels++;
            }
            if (!taco_string_add_char(out, is_mark ? stress : *c))
                return false;
            stress = is_mark ? STRESS_NONE : stress;
        }
    }
    if (n_vowels == 1 && out->bytes[vowel] == STRESS_NONE)
        out->bytes[vowel] = STRESS_PRIMARY;
    return true;
}
