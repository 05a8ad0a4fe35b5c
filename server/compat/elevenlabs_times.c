#include "compat/elevenlabs_times.h"

#include <string.h>

struct arrays {
    json_t *characters, *starts, *ends;
};

static bool begin(struct arrays *a) {
    *a = (struct arrays){json_array(), json_array(), json_array()};
    return a->characters && a->starts && a->ends;
}

static bool add(struct arrays *a, const char *character, size_t size, double start,
                double end) {
    return json_array_append_new(a->characters, json_stringn(character, size)) == 0 &&
           json_array_append_new(a->starts, json_real(start)) == 0 &&
           json_array_append_new(a->ends, json_real(end)) == 0;
}

static json_t *end(struct arrays *a, bool ok) {
    if (ok)
        return json_pack("{s:o, s:o, s:o}", "characters", a->characters,
                         "character_start_times_seconds", a->starts,
                         "character_end_times_seconds", a->ends);
    json_decref(a->characters);
    json_decref(a->starts);
    json_decref(a->ends);
    return NULL;
}

/* Bytes of the code point at text [size > 0]. */
static size_t width(const char *text, size_t size) {
    size_t n = 1;
    while (n < size && ((unsigned char)text[n] & 0xC0) == 0x80)
        n++;
    return n;
}

json_t *taco_character_times(const char *text, size_t size,
                             const struct taco_times *times) {
    struct arrays a;
    bool ok = begin(&a);
    for (size_t i = 0, n; ok && i < size; i += n, times++) {
        n = width(text + i, size - i);
        ok = add(&a, text + i, n, times->start, times->end);
    }
    return end(&a, ok);
}

static bool add_word(struct arrays *a, const char *text, struct taco_times times) {
    const size_t size = strlen(text);
    size_t n_letters = 0, letter = 0;
    for (size_t i = 0; i < size; i += width(text + i, size - i))
        n_letters++;
    double step = n_letters ? (times.end - times.start) / (double)n_letters : 0;
    for (size_t i = 0, n; i < size; i += n, letter++) {
        n = width(text + i, size - i);
        double last = letter + 1 == n_letters ? times.end
                                              : times.start + step * (double)(letter + 1);
        if (!add(a, text + i, n, times.start + step * (double)letter, last))
            return false;
    }
    return true;
}

json_t *taco_spoken_times(const struct taco_spoken_word *words,
                          const struct taco_times *times, uint32_t n) {
    struct arrays a;
    bool ok = begin(&a);
    for (uint32_t i = 0; ok && i < n; i++) {
        if (i > 0)
            ok = add(&a, " ", 1, times[i - 1].end, times[i].start);
        ok = ok && add_word(&a, words[i].text, times[i]);
    }
    return end(&a, ok);
}
