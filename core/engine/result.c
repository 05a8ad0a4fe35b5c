/* Results: references, size, names. */
#include "base/memory.h"
#include "engine/owned_result.h"
#include <stdint.h>

struct taco_owned_result *taco_owned_result_create(uint32_t n_chunks) {
    struct taco_owned_result *owned = taco_calloc(1, sizeof *owned);
    if (!owned)
        return NULL;
    atomic_init(&owned->refs, 1);
    owned->chunks = taco_calloc(n_chunks, sizeof *owned->chunks);
    if (!owned->chunks) {
        taco_free(owned);
        return NULL;
    }
    owned->result.n_chunks = n_chunks;
    owned->result.chunks = owned->chunks;
    return owned;
}

/* Everybody sees results as const; the count and the memory are ours. */
static struct taco_owned_result *owner_of(const struct taco_result *result) {
    return (struct taco_owned_result *)(uintptr_t)result;
}

static void free_const(const float *array) {
    taco_free((void *)(uintptr_t)array);
}

const struct taco_result *taco_result_ref(const struct taco_result *result) {
    atomic_fetch_add(&owner_of(result)->refs, 1);
    return result;
}

void taco_result_unref(const struct taco_result *result) {
    if (!result)
        return;
    struct taco_owned_result *owned = owner_of(result);
    if (atomic_fetch_sub(&owned->refs, 1) > 1)
        return;
    for (uint32_t i = 0; i < result->n_chunks; i++) {
        free_const(owned->chunks[i].alignment);
        free_const(owned->chunks[i].heads);
        free_const(owned->chunks[i].gate);
        free_const(owned->chunks[i].mel);
    }
    taco_free(owned->chunks);
    if (owned->sample_pages)
        taco_free_pages(owned->samples, owned->sample_pages);
    else
        taco_free(owned->samples);
    taco_free(owned->symbols);
    taco_free(owned->words);
    taco_free(owned->spoken);
    taco_text_destroy(owned->text);
    taco_free(owned);
}

size_t taco_result_bytes(const struct taco_result *result) {
    return owner_of(result)->bytes;
}

const char *taco_stop_reason_name(enum taco_stop_reason reason) {
    switch (reason) {
    case TACO_STOP_GATE:
        return "gate";
    case TACO_STOP_ATTENTION_END:
        return "attention_end";
    case TACO_STOP_MAX_FRAMES:
        return "max_frames";
    }
    return "unknown";
}

const char *taco_flaw_name(enum taco_flaw flaw) {
    switch (flaw) {
    case TACO_FLAW_SKIP:
        return "skip";
    case TACO_FLAW_REPEAT:
        return "repeat";
    case TACO_FLAW_STALL:
        return "stall";
    case TACO_FLAW_RUN_ON:
        return "run_on";
    case TACO_FLAW_CUT_OFF:
        return "cut_off";
    case TACO_FLAW_DRAGGING:
        return "dragging";
    }
    return "unknown";
}
