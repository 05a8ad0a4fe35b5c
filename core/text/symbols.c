#include "text/symbols.h"

#include "base/error.h"
#include "base/memory.h"
#include <string.h>
#include <unistr.h>

/* FNV-1a, 32 bits. */
static uint32_t hash(const char *name, size_t n) {
    uint32_t h = 2166136261U;
    for (size_t i = 0; i < n; i++)
        h = (h ^ (unsigned char)name[i]) * 16777619U;
    return h;
}

/* The slot that holds name, or the empty one where it belongs. */
static uint32_t find_slot(const struct taco_symbols *symbols, const char *name,
                          size_t n) {
    uint32_t at = hash(name, n) & (symbols->n_slots - 1);
    while (symbols->slots[at] != TACO_NO_SYMBOL) {
        const char *there = symbols->names[symbols->slots[at]];
        if (strncmp(there, name, n) == 0 && !there[n])
            break;
        at = (at + 1) & (symbols->n_slots - 1);
    }
    return at;
}

enum taco_status taco_symbols_init(struct taco_symbols *symbols, const char *const *names,
                                   size_t n, struct taco_error *err) {
    *symbols = (struct taco_symbols){0};
    uint32_t n_slots = 16;
    while (n_slots < 2 * n)
        n_slots *= 2;
    symbols->names = taco_calloc(n + 1, sizeof *symbols->names);
    symbols->slots = taco_malloc(n_slots * sizeof *symbols->slots);
    if (!symbols->names || !symbols->slots)
        goto no_memory;
    symbols->n_slots = n_slots;
    for (uint32_t i = 0; i < n_slots; i++)
        symbols->slots[i] = TACO_NO_SYMBOL;
    for (size_t i = 0; i < n; i++) {
        size_t length = strlen(names[i]);
        if (!length) {
            taco_error_set(err, TACO_ERR_FORMAT, "text.symbols",
                           "text.symbols: number %zu is empty", i);
            goto fail;
        }
        uint32_t slot = find_slot(symbols, names[i], length);
        if (symbols->slots[slot] != TACO_NO_SYMBOL) {
            taco_error_set(err, TACO_ERR_FORMAT, "text.symbols",
                           "text.symbols: '%s' stands twice, as number %d and %zu",
                           names[i], (int)symbols->slots[slot], i);
            goto fail;
        }
        symbols->names[i] = taco_strdup(names[i]);
        if (!symbols->names[i])
            goto no_memory;
        symbols->n++;
        symbols->slots[slot] = (int32_t)i;
        if (length > symbols->longest)
            symbols->longest = length;
    }
    return TACO_OK;
no_memory:
    taco_symbols_free(symbols);
    return taco_error_set(err, TACO_ERR_NO_MEMORY, NULL, "out of memory");
fail:
    taco_symbols_free(symbols);
    return TACO_ERR_FORMAT;
}

void taco_symbols_free(struct taco_symbols *symbols) {
    for (int32_t i = 0; i < symbols->n; i++)
        taco_free(symbols->names[i]);
    taco_free(symbols->names);
    taco_free(symbols->slots);
    *symbols = (struct taco_symbols){0};
}

int32_t taco_symbols_find(const struct taco_symbols *symbols, const char *name,
                          size_t n) {
    return symbols->n ? symbols->slots[find_slot(symbols, name, n)] : TACO_NO_SYMBOL;
}

int32_t taco_symbols_find_cp(const struct taco_symbols *symbols, uint32_t cp) {
    uint8_t bytes[6];
    int n = u8_uctomb(bytes, cp, sizeof bytes);
    return n > 0 ? taco_symbols_find(symbols, (const char *)bytes, (size_t)n)
                 : TACO_NO_SYMBOL;
}

int32_t taco_symbols_match(const struct taco_symbols *symbols, const char *bytes,
                           size_t n, size_t *used) {
    for (size_t k = n < symbols->longest ? n : symbols->longest; k > 0; k--) {
        int32_t id = taco_symbols_find(symbols, bytes, k);
        if (id != TACO_NO_SYMBOL) {
            *used = k;
            return id;
        }
    }
    return TACO_NO_SYMBOL;
}
