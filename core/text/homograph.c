#include "text/homograph.h"

#include "text/homograph_features.h"
#include <string.h>

extern const uint8_t taco_homograph_weights[];

enum { BUCKETS = 4096, SENSES_MAX = 3 };
enum kind { NOUN_VERB, SENSES };

struct homograph {
    const char *word;
    enum kind kind;
    const char *phones[SENSES_MAX]; /* NULL past the last */
};

static const struct homograph homographs[] = {
#define SENSE(name, phones) phones
#define HOMOGRAPH(kind, word, ...) {word, kind, {__VA_ARGS__}},
#include "text/homographs.inc"
#undef HOMOGRAPH
#undef SENSE
};

static const struct homograph *find(const char *word, size_t n) {
    size_t low = 0, high = sizeof homographs / sizeof *homographs;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const char *other = homographs[middle].word;
        int order = 0;
        size_t i = 0;
        for (; i < n && order == 0; i++) {
            char c = word[i] >= 'A' && word[i] <= 'Z' ? (char)(word[i] | 32) : word[i];
            order = (unsigned char)other[i] - (unsigned char)c;
            if (!other[i])
                break;
        }
        if (order == 0 && i == n && !other[n])
            return &homographs[middle];
        if (order < 0 || (order == 0 && i < n))
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

bool taco_homograph_is(const char *word, size_t n) {
    return find(word, n);
}

/* -- the weights -------------------------------------------------------------------- */

static uint32_t fnv(uint32_t hash, const char *text) {
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * 16777619;
    return hash;
}

/* The upper bits of FNV hardly depend on the last bytes. */
static uint32_t mix(uint32_t hash) {
    hash ^= hash >> 15;
    hash *= 0x85EBCA6B;
    return hash ^ hash >> 13;
}

static uint32_t u32_at(uint32_t i) {
    const uint8_t *b = taco_homograph_weights + (size_t)i * 4;
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 |
           (uint32_t)b[3] << 24;
}

static int weight(uint32_t hash) {
    uint32_t n = u32_at(BUCKETS), first = u32_at(hash >> 20),
             end = u32_at((hash >> 20) + 1);
    const uint8_t *checks = taco_homograph_weights + (BUCKETS + 1) * 4;
    for (uint32_t i = first; i < end; i++)
        if ((uint32_t)(checks[(size_t)i * 2] | checks[(size_t)i * 2 + 1] << 8) ==
            (hash & 0xFFFF))
            return (int8_t)checks[(size_t)n * 2 + i];
    return 0;
}

/* -- the decision ------------------------------------------------------------------- */

struct scores {
    uint32_t own[SENSES_MAX]; /* hash of what stands before "own" features */
    uint32_t shared;
    int n; /* senses */
    bool noun_verb;
    int sum[SENSES_MAX]; /* [0] stays 0 */
};

/* A word anywhere around counts half of what a feature of the place counts. */
static void add_feature(void *user, const char *feature, bool around) {
    struct scores *s = user;
    for (int i = 1; i < s->n; i++)
        s->sum[i] += weight(mix(fnv(s->own[i], feature))) * (around ? 1 : 2);
    if (s->noun_verb && !around)
        s->sum[1] += weight(mix(fnv(s->shared, feature))) * 2;
}

static uint32_t parse(const char *names, struct taco_phone *phones) {
    uint32_t n = 0;
    while (*names && n < TACO_HOMOGRAPH_PHONES_MAX) {
        size_t length = strcspn(names, " ");
        if (!taco_phone_parse(names, length, &phones[n++]))
            return 0;
        names += length + (names[length] == ' ');
    }
    return n;
}

uint32_t taco_homograph_choose(const char *word, size_t n,
                               const struct taco_code_points *code_points, uint32_t begin,
                               uint32_t end, uint32_t at, uint32_t at_end,
                               struct taco_phone *phones) {
    const struct homograph *h = find(word, n);
    if (!h)
        return 0;
    struct taco_context context;
    taco_context_read(&context, code_points, begin, end, at, at_end);
    struct scores s = {.noun_verb = h->kind == NOUN_VERB, .n = h->phones[2] ? 3 : 2};
    const uint32_t basis = 2166136261;
    s.shared = fnv(basis, "|");
    s.own[1] = fnv(fnv(basis, h->word), "|");
    s.own[2] = fnv(fnv(basis, h->word), "#2|");
    taco_context_features(&context, add_feature, &s);
    int best = 0;
    for (int i = 1; i < s.n; i++)
        if (s.sum[i] > s.sum[best])
            best = i;
    return parse(h->phones[best], phones);
}
