/* A result with its count of references. */
#ifndef TACO_ENGINE_OWNED_RESULT_H
#define TACO_ENGINE_OWNED_RESULT_H

#include <stdatomic.h>
#include <taco/result.h>

struct taco_owned_result {
    struct taco_result result; /* first: one can be taken for the other */
    atomic_int refs;
    size_t bytes;
    /* What result points to, not const; all of it may be NULL. */
    struct taco_text *text;
    struct taco_chunk_result *chunks; /* [result.n_chunks], arrays of each owned, too */
    float *samples;
    size_t
        sample_pages; /* bytes of samples, from taco_alloc_pages; 0: from taco_malloc */
    struct taco_times *symbols, *words, *spoken;
};

/* A result of n_chunks empty chunks, one reference; NULL: no memory. */
struct taco_owned_result *taco_owned_result_create(uint32_t n_chunks);

#endif
