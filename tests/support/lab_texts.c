#include "support/lab_texts.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/rng.h"
#include "support/measure.h"

enum { LONGEST_WORD = 15 };

/* A text that grows, and the random numbers it is drawn with. */
struct text {
    char *at;
    int left; /* words */
    bool first;
    struct taco_rng_key key;
    uint32_t drawn;
};

static uint32_t draw(struct text *t, uint32_t below) {
    uint32_t x;
    taco_rng_u32(&t->key, t->drawn++, 0, 1, &x);
    return x % below;
}

/* The word's letters without what stands behind them, and `behind` in its place. */
static void add(struct text *t, const char *word, const char *behind) {
    size_t n = strcspn(word, " .,?!;:");
    if (t->left-- <= 0)
        return;
    t->at += sprintf(t->at, "%s%.*s%s", t->first ? "" : " ",
                     (int)(n < LONGEST_WORD ? n : LONGEST_WORD), word,
                     t->left > 0 ? behind : "");
    t->first = false;
}

/* All words of a sentence, with a comma behind the last. */
static void add_sentence(struct text *t, const char *sentence, const char *behind) {
    while (*sentence) {
        size_t n = strcspn(sentence, " ");
        const char *next = sentence + n + strspn(sentence + n, " ");
        add(t, sentence, *next ? "" : behind);
        sentence = next;
    }
}

static const char *one_of(struct text *t, const char *const *list, uint32_t n) {
    return list[draw(t, n)];
}

static const char *const numbers[] = {"one",    "two",    "three", "four",   "five",
                                      "six",    "seven",  "eight", "nine",   "ten",
                                      "twenty", "thirty", "forty", "hundred"};
static const char *const short_words[] = {"no",  "yes", "cat",   "dog",  "the", "red",
                                          "tea", "sun", "bread", "milk", "go",  "stop"};
static const char *const twisters[] = {"six thick thistle sticks",
                                       "she sells sea shells",
                                       "red lorry yellow lorry",
                                       "a proper copper coffee pot",
                                       "which witch wished which wish",
                                       "three free throws",
                                       "fresh fried fish",
                                       "toy boat toy boat"};

/* A word of a sentence of at least two letters. */
static const char *any_word(struct text *t, char *const *sentences, size_t n) {
    const char *at = sentences[draw(t, (uint32_t)n)];
    for (uint32_t skip = draw(t, 6); skip > 0 && strchr(at, ' '); skip--)
        at = strchr(at, ' ') + 1;
    return at;
}

static void grow(struct text *t, char *const *sentences, size_t n,
                 enum test_lab_kind kind) {
    const char *word;
    char letter[2] = {0};
    switch (kind) {
    case TEST_LAB_ORDINARY:
    case TEST_LAB_LONG:
        add_sentence(t, sentences[draw(t, (uint32_t)n)],
                     kind == TEST_LAB_LONG ? "" : ",");
        break;
    case TEST_LAB_REPEATS:
        word = any_word(t, sentences, n);
        for (uint32_t i = draw(t, 4) + 1; i > 0; i--)
            add(t, word, "");
        break;
    case TEST_LAB_LIST:
        add(t, one_of(t, short_words, sizeof short_words / sizeof *short_words), ",");
        break;
    case TEST_LAB_LETTERS:
        letter[0] = (char)('B' + draw(t, 25)); /* "A" may be the article */
        add(t, letter, draw(t, 4) ? "" : ",");
        break;
    case TEST_LAB_NUMBERS:
        add(t, one_of(t, numbers, sizeof numbers / sizeof *numbers), "");
        break;
    case TEST_LAB_TWISTER:
        add_sentence(t, one_of(t, twisters, sizeof twisters / sizeof *twisters), "");
        break;
    case TEST_LAB_SPELLING:
        word = any_word(t, sentences, n);
        add(t, word, ",");
        for (; isalpha((unsigned char)*word); word++) {
            letter[0] = (char)toupper((unsigned char)*word);
            add(t, letter, isalpha((unsigned char)word[1]) ? "" : ",");
        }
        break;
    }
}

const char *test_lab_kind_name(enum test_lab_kind kind) {
    static const char *const names[TEST_LAB_KINDS] = {
        "ordinary", "long clause", "repeats", "list",
        "letters",  "numbers",     "twister", "spelling"};
    return names[kind];
}

char *test_lab_text(char *const *sentences, size_t n, enum test_lab_kind kind,
                    int n_words, uint64_t seed) {
    char *out = test_need((size_t)n_words * (LONGEST_WORD + 2) + 2, 1);
    struct text t = {out, n_words, true, {.seed = seed}, 0};
    while (t.left > 0)
        grow(&t, sentences, n, kind);
    *t.at++ = '.';
    *t.at = 0;
    return out;
}
