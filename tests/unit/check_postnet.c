/* Postnet: against the reference; streams in portions of every size give the bits of the
 * whole. */
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

static float *random_mel(const struct test_model *m, int t, uint64_t seed) {
    size_t n = (size_t)t * (size_t)m->hparams.n_mels;
    float *mel = calloc(n ? n : 1, sizeof *mel);
    test_random_fill(&seed, 4, mel, n);
    return mel;
}

START_TEST(against_reference) {
    static const int lengths[] = {1, 2, 5, 11, 63, 64, 65, 150};
    struct test_model m;
    test_model_open(&m, test_graphs[_i].overrides, 3);
    struct test_reference ref = {&m.voice, m.hparams};
    for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++) {
        int t = lengths[k];
        size_t n = (size_t)t * (size_t)m.hparams.n_mels;
        struct taco_arena scratch = TACO_ARENA_INIT;
        float *mel = random_mel(&m, t, 9), *out = calloc(n, sizeof *out);
        double *x = test_doubles(n), *want = test_doubles(n);
        for (size_t i = 0; i < n; i++)
            x[i] = (double)mel[i];
        test_reference_postnet(&ref, x, t, want);
        ck_assert_int_eq(taco_postnet_forward(m.model, mel, t, &scratch, out), TACO_OK);
        for (size_t i = 0; i < n; i++)
            ck_assert_msg(fabs((double)out[i] - want[i]) <= 2e-5,
                          "%d frames, %zu: %g not %g", t, i, (double)out[i], want[i]);
        free(mel);
        free(out);
        free(x);
        free(want);
        taco_arena_free(&scratch);
    }
    test_model_close(&m);
}
END_TEST

START_TEST(no_frames) {
    struct test_model m;
    test_model_open(&m, NULL, 3);
    struct taco_arena scratch = TACO_ARENA_INIT;
    float mel = 1, out = 2;
    ck_assert_int_eq(taco_postnet_forward(m.model, &mel, 0, &scratch, &out), TACO_OK);
    ck_assert_float_eq(out, 2);
    taco_arena_free(&scratch);
    test_model_close(&m);
}
END_TEST

START_TEST(look_ahead) {
    struct test_model m;
    test_model_open(&m, "{'model': {'postnet_n_convolutions': 5}}", 3);
    ck_assert_int_eq(taco_postnet_reach(m.model), 10);
    test_model_close(&m);
    test_model_open(&m, "{'model': {'postnet_n_convolutions': 0}}", 3);
    ck_assert_int_eq(taco_postnet_reach(m.model), 0);
    test_model_close(&m);
    test_model_open(&m, "{'model': {'postnet_kernel_size': 1}}", 3);
    ck_assert_int_eq(taco_postnet_reach(m.model), 0);
    test_model_close(&m);
}
END_TEST

/* The whole in portions. */
static void stream(const struct test_model *m, const float *mel, int t, int portion,
                   float *out) {
    int n_mels = m->hparams.n_mels, reach = taco_postnet_reach(m->model), done = 0;
    struct taco_arena keep = TACO_ARENA_INIT, scratch = TACO_ARENA_INIT;
    struct taco_postnet_stream *s;
    ck_assert_int_eq(taco_postnet_stream_create(&s, m->model, &keep), TACO_OK);
    for (int known = portion, last = 0; !last; known += portion) {
        last = known >= t;
        known = last ? t : known;
        /* frames not known yet must not be looked at, nor more written than is said */
        float *copy = malloc((size_t)(known * n_mels) * sizeof *copy);
        float *frames = malloc((size_t)((known - done) * n_mels) * sizeof *frames);
        memcpy(copy, mel, (size_t)(known * n_mels) * sizeof *copy);
        int n, complete = last ? t : known > reach ? known - reach : 0;
        ck_assert_int_eq(
            taco_postnet_stream_feed(s, copy, known, last, &scratch, frames, &n),
            TACO_OK);
        ck_assert_int_eq(n, complete - done);
        memcpy(&out[done * n_mels], frames, (size_t)(n * n_mels) * sizeof *out);
        done += n;
        free(copy);
        free(frames);
        taco_arena_reset(&scratch);
    }
    taco_arena_free(&keep);
    taco_arena_free(&scratch);
}

START_TEST(streams_have_the_same_bits) {
    static const int lengths[] = {1, 4, 9, 40, 131},
                     portions[] = {1, 2, 3, 7, 20, 64, 100};
    struct test_model m;
    test_model_open(&m, test_graphs[_i].overrides, 3);
    for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++) {
        int t = lengths[k];
        size_t n = (size_t)t * (size_t)m.hparams.n_mels;
        struct taco_arena scratch = TACO_ARENA_INIT;
        float *mel = random_mel(&m, t, 9), *whole = calloc(n, sizeof *whole);
        ck_assert_int_eq(taco_postnet_forward(m.model, mel, t, &scratch, whole), TACO_OK);
        for (size_t p = 0; p < sizeof portions / sizeof *portions; p++) {
            float *out = calloc(n, sizeof *out);
            stream(&m, mel, t, portions[p], out);
            ck_assert_msg(memcmp(out, whole, n * sizeof *out) == 0, "%d frames by %d", t,
                          portions[p]);
            free(out);
        }
        free(mel);
        free(whole);
        taco_arena_free(&scratch);
    }
    test_model_close(&m);
}
END_TEST

/* The real sizes, whose products take other paths through the library. */
START_TEST(streams_at_full_size) {
    struct test_model m;
    test_model_open(&m,
                    "{'model': {'n_mels': 80, 'postnet_n_convolutions': 5,"
                    " 'postnet_embedding_dim': 512}, 'audio': {'n_mels': 80}}",
                    3);
    enum { T = 100 };
    struct taco_arena scratch = TACO_ARENA_INIT;
    float *mel = random_mel(&m, T, 9), *whole = calloc(T * 80, sizeof *whole);
    float *out = calloc(T * 80, sizeof *out);
    ck_assert_int_eq(taco_postnet_forward(m.model, mel, T, &scratch, whole), TACO_OK);
    stream(&m, mel, T, 13, out);
    ck_assert_mem_eq(out, whole, T * 80 * sizeof *out);
    free(mel);
    free(whole);
    free(out);
    taco_arena_free(&scratch);
    test_model_close(&m);
}
END_TEST

/* A feed that fails for want of memory may be tried again. */
START_TEST(fed_again) {
    struct test_model m;
    test_model_open(&m, NULL, 3);
    enum { T = 30 };
    size_t n_mels = (size_t)m.hparams.n_mels;
    struct taco_arena keep = TACO_ARENA_INIT, scratch = TACO_ARENA_INIT;
    float *mel = random_mel(&m, T, 9), *out = random_mel(&m, T, 9);
    float *whole = random_mel(&m, T, 9);
    ck_assert_int_eq(taco_postnet_forward(m.model, mel, T, &scratch, whole), TACO_OK);
    struct taco_postnet_stream *s;
    ck_assert_int_eq(taco_postnet_stream_create(&s, m.model, &keep), TACO_OK);
    int done = 0, n, n_failed = 0;
    for (int t = 17; t <= T; t += T - 17) {
        for (long k = 1;; k++) {
            struct taco_arena little = TACO_ARENA_INIT;
            taco_memory_fail_at(k);
            enum taco_status status = taco_postnet_stream_feed(
                s, mel, t, t == T, &little, &out[(size_t)done * n_mels], &n);
            taco_memory_fail_at(0);
            taco_arena_free(&little);
            if (status == TACO_OK)
                break;
            ck_assert_int_eq(status, TACO_ERR_NO_MEMORY);
            n_failed++;
        }
        done += n;
    }
    ck_assert_int_eq(done, T);
    ck_assert_int_gt(n_failed, 0);
    ck_assert_mem_eq(out, whole, T * n_mels * sizeof *out);
    free(mel);
    free(out);
    free(whole);
    taco_arena_free(&keep);
    taco_arena_free(&scratch);
    test_model_close(&m);
}
END_TEST

START_TEST(no_memory) {
    struct test_model m;
    test_model_open(&m, NULL, 3);
    float *mel = random_mel(&m, 30, 9), *out = random_mel(&m, 30, 9);
    for (long n = 1;; n++) {
        struct taco_arena scratch = TACO_ARENA_INIT;
        taco_memory_fail_at(n);
        enum taco_status status = taco_postnet_forward(m.model, mel, 30, &scratch, out);
        taco_memory_fail_at(0);
        taco_arena_free(&scratch);
        if (status == TACO_OK) {
            ck_assert_int_ge(n, 2);
            break;
        }
        ck_assert_int_eq(status, TACO_ERR_NO_MEMORY);
    }
    free(mel);
    free(out);
    test_model_close(&m);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("postnet");
    TCase *t = tcase_create("postnet");
    tcase_add_test(t, no_frames);
    tcase_add_test(t, no_memory);
    tcase_add_test(t, fed_again);
    tcase_add_test(t, look_ahead);
    tcase_add_loop_test(t, against_reference, 0, (int)test_n_graphs);
    tcase_add_loop_test(t, streams_have_the_same_bits, 0, (int)test_n_graphs);
    tcase_add_test(t, streams_at_full_size);
    tcase_set_timeout(t, 120);
    suite_add_tcase(s, t);
    return s;
}

int main(void) {
    return test_run(suite());
}
