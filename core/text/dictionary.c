#include "text/dictionary.h"

#include <string.h>

extern const uint8_t taco_dictionary_table[];

enum { BLOCK = 16, LAST = 0x80, N_VOWELS = 15 };

static uint32_t u32_at(const uint8_t *bytes) {
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
           (uint32_t)bytes[3] << 24;
}

static uint32_t n_words(void) {
    return u32_at(taco_dictionary_table);
}

static uint32_t n_blocks(void) {
    return u32_at(taco_dictionary_table + 4);
}

static const uint8_t *block(uint32_t i) {
    const uint8_t *offsets = taco_dictionary_table + 12;
    return offsets + (size_t)n_blocks() * 4 + u32_at(offsets + (size_t)i * 4);
}

/* Completes word with the letters at at; returns where its phones begin. */
static const uint8_t *read_word(const uint8_t *at, char *word) {
    uint32_t n = *at++;
    do
        word[n++] = (char)(*at & ~LAST);
    while (!(*at++ & LAST));
    word[n] = '\0';
    return at;
}

static const uint8_t *skip_phones(const uint8_t *at) {
    while (!(*at++ & LAST))
        ;
    return at;
}

static uint32_t read_phones(const uint8_t *at, struct taco_phone *phones) {
    uint32_t n = 0;
    for (bool last = false; !last; at++, n++) {
        int code = *at & ~LAST;
        last = *at & LAST;
        if (phones)
            phones[n] = code < 3 * N_VOWELS
                            ? (struct taco_phone){(int8_t)(code / 3), (int8_t)(code % 3)}
                            : (struct taco_phone){(int8_t)(code - 2 * N_VOWELS), -1};
    }
    return n;
}

uint32_t taco_dictionary_find(const char *word, size_t n, struct taco_phone *phones) {
    char wanted[TACO_DICTIONARY_WORD_MAX + 1], found[TACO_DICTIONARY_WORD_MAX + 1];
    if (n == 0 || n > TACO_DICTIONARY_WORD_MAX)
        return 0;
    for (size_t i = 0; i < n; i++)
        wanted[i] = word[i] >= 'A' && word[i] <= 'Z' ? (char)(word[i] | 32) : word[i];
    wanted[n] = '\0';
    /* The last block whose first word is not behind the one that is looked for. */
    uint32_t low = 0, high = n_blocks();
    while (low + 1 < high) {
        uint32_t middle = low + (high - low) / 2;
        read_word(block(middle), found);
        if (strcmp(found, wanted) <= 0)
            low = middle;
        else
            high = middle;
    }
    const uint8_t *at = block(low);
    for (uint32_t i = low * BLOCK; i < n_words() && i < (low + 1) * BLOCK; i++) {
        at = read_word(at, found);
        int order = strcmp(found, wanted);
        if (order == 0)
            return read_phones(at, phones);
        if (order > 0)
            return 0;
        at = skip_phones(at);
    }
    return 0;
}

bool taco_dictionary_word(uint32_t i, char *word) {
    if (i >= n_words())
        return false;
    const uint8_t *at = block(i / BLOCK);
    for (uint32_t k = 0; k < i % BLOCK; k++)
        at = skip_phones(read_word(at, word));
    read_word(at, word);
    return true;
}
