/* Encoder: against the reference, lengths from one symbol on, speakers, determinism, no
 * memory. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "support/graphs.h"
#include "support/model.h"
#include "support/numbers.h"
#include "support/reference.h"
#include "support/runner.h"
#include "tacotron2/attention.h"

static void compare(struct test_model *m, int n, int speaker, double tolerance) {
    const struct taco_hparams *h = &m->hparams;
    size_t M = (size_t)h->memory_dim, D = (size_t)h->attention.dim;
    struct test_reference ref = {&m->voice, *h};
    struct taco_arena keep = TACO_ARENA_INIT, scratch = TACO_ARENA_INIT;
    struct taco_memory memory;
    uint64_t seed = (uint64_t)n;
    int32_t *ids = calloc((size_t)n, sizeof *ids);
    for (int i = 0; i < n; i++)
        ids[i] = (int32_t)test_random_below(&seed, (size_t)h->n_symbols);
    ck_assert_int_eq(taco_encoder_forward(m->model, ids, n, speaker, 0, NULL, &keep,
                                          &scratch, &memory),
                     TACO_OK);
    ck_assert_int_eq(memory.n_symbols, n);

    double *want = test_doubles((size_t)n * M);
    test_reference_encode(&ref, ids, n, speaker, want);
    for (size_t i = 0; i < (size_t)n * M; i++)
        ck_assert_msg(fabs((double)memory.memory[i] - want[i]) <= tolerance,
                      "%zu: %g, not %g", i, (double)memory.memory[i], want[i]);

    bool scored = h->attention.mechanism == &taco_attention_location ||
                  h->attention.mechanism == &taco_attention_forward;
    ck_assert_int_eq(memory.processed_memory != NULL, scored);
    ck_assert_uint_eq(taco_memory_bytes(m->model, n, 0),
                      (size_t)n * (M + (scored ? D : 0)) * sizeof(float));
    double *processed = test_doubles(D);
    for (size_t j = 0; scored && j < (size_t)n; j++) {
        test_reference_linear(&ref, "decoder.attention.memory_layer.", &want[j * M],
                              processed);
        for (size_t d = 0; d < D; d++)
            ck_assert_double_le(
                fabs((double)memory.processed_memory[j * D + d] - processed[d]),
                10 * tolerance);
    }
    free(processed);
    free(want);
    free(ids);
    taco_arena_free(&keep);
    taco_arena_free(&scratch);
}

START_TEST(against_reference) {
    static const int lengths[] = {1, 2, 3, 7, 64, 65, 130};
    struct test_model m;
    test_model_open(&m, test_graphs[_i].overrides, 3);
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        compare(&m, lengths[i], 0, 1e-5);
    for (int speaker = 0; speaker < m.hparams.n_speakers; speaker++)
        compare(&m, 5, speaker, 1e-5);
    test_model_close(&m);
}
END_TEST

/* Beside a decoder in bf16 or int8 the encoder has its products in bf16, of 8 bits. */
START_TEST(rounded) {
    static const int lengths[] = {1, 2, 64, 65, 130};
    struct test_model m;
    struct taco_error err = TACO_ERROR_INIT;
    test_model_open(&m, test_graphs[_i].overrides, 3);
    for (int p = TACO_PRECISION_BF16; p <= TACO_PRECISION_INT8; p++) {
        ck_assert_int_eq(test_model_load(&m, (enum taco_precision)p, &err), TACO_OK);
        for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
            compare(&m, lengths[i], 0, 5e-2);
    }
    test_model_close(&m);
}
END_TEST

/* Scratch that was used before, and by another text, changes no bit. */
START_TEST(same_bits_again) {
    struct test_model m;
    struct test_text a, b;
    test_model_open(&m, NULL, 3);
    test_text_make(&a, &m, 40, 1, 5);
    test_text_make(&b, &m, 90, 1, 6);
    struct taco_arena keep = TACO_ARENA_INIT;
    struct taco_memory again;
    taco_arena_reset(&b.scratch);
    ck_assert_int_eq(
        taco_encoder_forward(m.model, a.ids, 40, 0, 0, NULL, &keep, &b.scratch, &again),
        TACO_OK);
    ck_assert_mem_eq(again.memory, a.memory.memory, 40 * 24 * sizeof(float));
    ck_assert_mem_eq(again.processed_memory, a.memory.processed_memory,
                     40 * 16 * sizeof(float));
    taco_arena_free(&keep);
    test_text_free(&a);
    test_text_free(&b);
    test_model_close(&m);
}
END_TEST

START_TEST(no_memory) {
    struct test_model m;
    test_model_open(&m, test_graphs[_i].overrides, 3);
    static const int32_t ids[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    struct taco_memory memory;
    for (long n = 1;; n++) {
        struct taco_arena keep = TACO_ARENA_INIT, scratch = TACO_ARENA_INIT;
        taco_memory_fail_at(n);
        enum taco_status status =
            taco_encoder_forward(m.model, ids, 9, 0, 0, NULL, &keep, &scratch, &memory);
        taco_memory_fail_at(0);
        taco_arena_free(&keep);
        taco_arena_free(&scratch);
        if (status == TACO_OK) {
            ck_assert_int_ge(n, 3);
            break;
        }
        ck_assert_int_eq(status, TACO_ERR_NO_MEMORY);
    }
    test_model_close(&m);
}
END_TEST

/* Says stop at the nth look. */
struct looks {
    int n, stop_at;
};

static int look(void *user) {
    struct looks *looks = user;
    return ++looks->n == looks->stop_at;
}

START_TEST(is_cancelled_at_any_look) {
    struct test_model m;
    test_model_open(&m, NULL, 3);
    int32_t ids[100] = {0};
    struct looks looks = {0};
    const struct taco_cancel cancel = {look, &looks};
    enum taco_status status = TACO_ERR_CANCELLED;
    int n_looks = 0;
    while (status == TACO_ERR_CANCELLED) {
        struct taco_arena keep = TACO_ARENA_INIT, scratch = TACO_ARENA_INIT;
        struct taco_memory memory;
        looks = (struct looks){.stop_at = ++n_looks};
        status = taco_encoder_forward(m.model, ids, 100, 0, 0, &cancel, &keep, &scratch,
                                      &memory);
        if (status == TACO_ERR_CANCELLED)
            ck_assert_int_eq(looks.n, n_looks);
        taco_arena_free(&keep);
        taco_arena_free(&scratch);
    }
    ck_assert_int_eq(status, TACO_OK);
    /* Each layer, and both directions of the LSTM every 16 symbols. */
    ck_assert_int_ge(looks.n, 14);
    test_model_close(&m);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("encoder");
    TCase *t = tcase_create("encoder");
    tcase_add_loop_test(t, no_memory, 0, (int)test_n_graphs);
    tcase_add_loop_test(t, against_reference, 0, (int)test_n_referenced);
    tcase_add_loop_test(t, rounded, 0, (int)test_n_referenced);
    tcase_add_test(t, same_bits_again);
    tcase_add_test(t, is_cancelled_at_any_look);
    tcase_set_timeout(t, 120);
    suite_add_tcase(s, t);
    return s;
}

int main(void) {
    return test_run(suite());
}
