#include "text/spelling.h"

#include "text/dictionary.h"
#include <string.h>

static bool is_upper(char c) {
    return c >= 'A' && c <= 'Z';
}

static bool is_lower(char c) {
    return c >= 'a' && c <= 'z';
}

/* Initialisms that the dictionary has as another word, or not as letters. */
static bool is_initialism(const char *lower) {
    static const char *const known[] = {
        "ad",  "ai",  "aws", "ba",  "coo", "da",  "dea", "dob", "dui", "eeg", "er", "eu",
        "ev",  "faq", "fyi", "ged", "id",  "ide", "ids", "imo", "ins", "io",  "ip", "it",
        "ko",  "la",  "led", "mia", "mit", "ngo", "oas", "os",  "oss", "ot",  "pa", "po",
        "pow", "raf", "roi", "sat", "sec", "seo", "ta",  "ui",  "un",  "ups", "us"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(known[i], lower) == 0)
            return true;
    return false;
}

static bool known(const char *lower) {
    return taco_dictionary_find(lower, strlen(lower), NULL) > 0;
}

/* Does the dictionary say the names of the word's letters ("ibm")? */
static bool said_as_letters(const char *lower) {
    struct taco_phone whole[TACO_DICTIONARY_PHONES_MAX],
        letter[TACO_DICTIONARY_PHONES_MAX];
    uint32_t n = taco_dictionary_find(lower, strlen(lower), whole), at = 0;
    for (; *lower; lower++) {
        static const struct taco_phone ey = {8, 1}; /* "a" alone is the article */
        uint32_t k = 1;
        letter[0] = ey;
        if (*lower != 'a')
            k = taco_dictionary_find(lower, 1, letter);
        if (!k || at + k > n)
            return false;
        for (uint32_t i = 0; i < k; i++)
            if (letter[i].base != whole[at++].base)
                return false;
    }
    return at == n;
}

static bool has_vowel(const char *lower) {
    return strpbrk(lower, "aeiouy");
}

/* Leaves at most `most` of the same letter in a row. */
static void squeeze(const char *word, size_t most, char *out) {
    size_t run = 0, n = 0;
    for (size_t i = 0; word[i]; i++) {
        run = i > 0 && word[i] == word[i - 1] ? run + 1 : 1;
        if (run <= most)
            out[n++] = word[i];
    }
    out[n] = '\0';
}

/* "ohhh", "hmmmm": the word that is drawn out; false if it is none. */
static bool undraw(char *lower) {
    char short_form[TACO_SPELLING_WORD_MAX + 1];
    bool drawn = false;
    for (size_t i = 0; lower[i] && lower[i + 1]; i++)
        drawn = drawn || (lower[i] == lower[i + 1] &&
                          (lower[i + 1] == lower[i + 2] || !has_vowel(lower)));
    for (size_t most = 2; drawn && most > 0; most--) {
        squeeze(lower, most, short_form);
        if (short_form[1] && known(short_form)) {
            memcpy(lower, short_form, strlen(short_form) + 1);
            return true;
        }
    }
    return false;
}

struct reader {
    struct taco_spelling_part *parts;
    uint32_t n;
    bool headline;
};

static struct taco_spelling_part *add(struct reader *r, const char *word, size_t n) {
    struct taco_spelling_part *part = &r->parts[r->n++];
    for (size_t i = 0; i < n; i++)
        part->text[i] = is_upper(word[i]) ? (char)(word[i] | 32) : word[i];
    part->text[n] = '\0';
    part->letters = part->plural = false;
    return part;
}

static void read_capitals(struct reader *r, const char *word, size_t n) {
    struct taco_spelling_part *part = add(r, word, n);
    bool is_word = known(part->text);
    if (is_word) /* a headline shouts words, not initialisms */
        part->letters =
            !r->headline && (is_initialism(part->text) || said_as_letters(part->text));
    else /* longer ones are words that somebody shouts */
        part->letters = is_initialism(part->text) ||
                        (!undraw(part->text) && (n <= 5 || !has_vowel(part->text)));
}

bool taco_spelling_shouts(const char *word, size_t n) {
    char lower[TACO_SPELLING_WORD_MAX + 1];
    if (n < 2 || n > TACO_SPELLING_WORD_MAX)
        return false;
    for (size_t i = 0; i < n; i++) {
        if (!is_upper(word[i]))
            return false;
        lower[i] = (char)(word[i] | 32);
    }
    lower[n] = '\0';
    return known(lower) && !is_initialism(lower) && !said_as_letters(lower);
}

static void read_lower(struct reader *r, const char *word, size_t n) {
    struct taco_spelling_part *part = add(r, word, n);
    if (!known(part->text) && !undraw(part->text))
        part->letters = !has_vowel(part->text);
}

/* Where the first part of word [n] ends: "Git" of GitHub, "JSON" of JSONParser. */
static size_t part_end(const char *word, size_t n) {
    size_t i = 1;
    if (is_upper(word[0])) {
        while (i < n && is_upper(word[i]))
            i++;
        if (i == n)
            return n;
        if (i > 1) /* the last capital begins a word, unless only a plural s follows */
            return i + 1 == n && word[i] == 's' ? n : i - 1;
    }
    while (i < n && is_lower(word[i]))
        i++;
    return i;
}

static void read_part(struct reader *r, const char *word, size_t n) {
    size_t capitals = 0;
    while (capitals < n && is_upper(word[capitals]))
        capitals++;
    if (capitals == n && n > 1) {
        read_capitals(r, word, n);
    } else if (capitals > 1 && capitals + 1 == n) { /* CEOs, IDs */
        read_capitals(r, word, capitals);
        r->parts[r->n - 1].plural = true;
    } else {
        read_lower(r, word, n);
        if (n == 1) /* the i of iPhone */
            r->parts[r->n - 1].letters = true;
    }
}

uint32_t taco_spelling_read(const char *word, size_t n, bool headline,
                            struct taco_spelling_part *parts) {
    if (n < 2 || n > TACO_SPELLING_WORD_MAX)
        return 0;
    bool upper_inside = false, lower = false;
    for (size_t i = 0; i < n; i++) {
        if (!is_upper(word[i]) && !is_lower(word[i]))
            return 0;
        upper_inside = upper_inside || (i > 0 && is_upper(word[i]));
        lower = lower || is_lower(word[i]);
    }
    struct reader r = {parts, 0, headline};
    bool mixed = upper_inside && lower;
    bool plural = mixed && part_end(word, n) == n;
    if (!mixed || (!plural && taco_dictionary_find(word, n, NULL))) {
        if (mixed)
            add(&r, word, n);
        else
            read_part(&r, word, n);
        return r.n;
    }
    for (size_t i = 0; i < n;) {
        size_t length = part_end(word + i, n - i);
        if (r.n + 1 == TACO_SPELLING_PARTS_MAX)
            length = n - i;
        read_part(&r, word + i, length);
        i += length;
    }
    return r.n;
}
