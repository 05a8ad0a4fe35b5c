/* Every graph and attention mechanism against the reference in double precision: a whole
 * run of the decoder, fed with its own output. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/graphs.h"
#include "support/model.h"
#include "support/numbers.h"
#include "support/reference.h"
#include "support/runner.h"

static bool close_to(const char *graph, const char *what, const float *x,
                     const double *want, size_t n, double tolerance) {
    double largest = 0, worst = 0;
    for (size_t i = 0; i < n; i++) {
        largest = fmax(largest, fabs(want[i]));
        double error = fabs((double)x[i] - want[i]);
        worst = error <= worst ? worst : error; /* NaN is worse than anything */
    }
    bool good = worst <= tolerance * fmax(largest, 1);
    if (!good)
        printf("%s: %s differs by %g of %g\n", graph, what, worst, largest);
    return good;
}

static void compare(const struct test_graph *graph, int n, int n_steps, bool taught) {
    struct test_model m;
    struct test_text text;
    test_model_open(&m, graph->overrides, 7);
    test_text_make(&text, &m, n, n_steps, 3);
    const struct taco_hparams *h = &m.hparams;
    size_t steps = (size_t)n_steps, frames = (size_t)(h->n_frames_per_step * h->n_mels);
    const float *masks[TACO_MAX_PRENET_LAYERS];
    for (int i = 0; i < h->prenet_n_layers; i++)
        masks[i] = text.masks[i];
    float *teacher = calloc(steps * frames, sizeof *teacher);
    uint64_t seed = 11;
    test_random_fill(&seed, 3, teacher, steps * frames);
    text.row.masks = masks;
    text.row.teacher = taught ? teacher : NULL;
    test_text_decode(&text, &m);
    ck_assert_int_eq(text.row.n_steps, n_steps);

    struct test_reference ref = {&m.voice, *h};
    struct test_feed feed = {masks, text.row.teacher};
    double *memory = test_doubles((size_t)(n * h->memory_dim));
    double *mel = test_doubles(steps * frames);
    double *gate = test_doubles(steps * (size_t)h->gate_dim);
    double *alignment = test_doubles(steps * (size_t)n);
    test_reference_encode(&ref, text.ids, n, 0, memory);
    test_reference_decode(&ref, memory, n, n_steps, &feed, mel, gate, alignment);
    bool good = close_to(graph->name, "alignment", text.row.alignment, alignment,
                         steps * (size_t)n, 1e-4) &
                close_to(graph->name, "mel", text.row.mel, mel, steps * frames, 1e-4) &
                close_to(graph->name, "gate", text.row.gate, gate,
                         steps * (size_t)h->gate_dim, 1e-4);
    ck_assert_msg(good, "%s, %d symbols", graph->name, n);
    free(teacher);
    free(memory);
    free(mel);
    free(gate);
    free(alignment);
    test_text_free(&text);
    test_model_close(&m);
}

START_TEST(short_text) {
    compare(&test_graphs[_i], 1, 6, false);
    compare(&test_graphs[_i], 2, 6, false);
    compare(&test_graphs[_i], 3, 6, false);
}
END_TEST

START_TEST(middling_text) {
    compare(&test_graphs[_i], 13, 25, false);
}
END_TEST

START_TEST(long_text) {
    compare(&test_graphs[_i], 71, 12, true);
}
END_TEST

/* -- what a mechanism promises of its weights -------------------------------- */

static float *weights_of(struct test_text *text, int step) {
    return &text->row.alignment[step * text->n];
}

static void expect_sum(const char *overrides, double low, double high) {
    struct test_model m;
    struct test_text text;
    test_model_open(&m, overrides, 5);
    test_text_make(&text, &m, 17, 20, 9);
    test_text_decode(&text, &m);
    for (int t = 0; t < 20; t++) {
        double sum = 0;
        for (int j = 0; j < 17; j++) {
            ck_assert(weights_of(&text, t)[j] >= 0);
            sum += weights_of(&text, t)[j];
        }
        ck_assert_msg(sum >= low && sum <= high, "step %d: %g", t, sum);
    }
    test_text_free(&text);
    test_model_close(&m);
}

START_TEST(weights_sum_to_one) {
    for (size_t i = test_n_referenced; i < test_n_graphs; i++)
        expect_sum(test_graphs[i].overrides, 0, 1 + 1e-5); /* local_p: below 1 */
    for (size_t i = 0; i < test_n_referenced; i++)
        if (!test_graphs[i].overrides || !strstr(test_graphs[i].overrides, "'gmm'"))
            expect_sum(test_graphs[i].overrides, 1 - 1e-5, 1 + 1e-5);
}
END_TEST

/* A window lets nothing through outside, exactly. */
START_TEST(window_is_exact) {
    struct test_model m;
    struct test_text text;
    test_model_open(&m,
                    "{'model': {'attention': {'window': 'espnet', 'window_back': 1,"
                    " 'window_forward': 3}}}",
                    5);
    test_text_make(&text, &m, 30, 40, 9);
    test_text_decode(&text, &m);
    int at = 0;
    for (int t = 0; t < 40; t++) {
        int next = 0;
        for (int j = 0; j < 30; j++) {
            bool inside = j >= at - 1 && j < at + 3;
            ck_assert_msg(inside == (weights_of(&text, t)[j] > 0), "step %d symbol %d", t,
                          j);
            if (weights_of(&text, t)[j] > weights_of(&text, t)[next])
                next = j;
        }
        at = next;
    }
    test_text_free(&text);
    test_model_close(&m);
}
END_TEST

/* The mixture's means only go forward, so its centre of weight does. */
START_TEST(mixture_goes_forward) {
    struct test_model m;
    struct test_text text;
    test_model_open(&m,
                    "{'model': {'attention': {'type': 'gmm', 'dim': null,"
                    " 'gmm_components': 1, 'location_n_filters': null,"
                    " 'location_kernel_size': null, 'location_channels': null}}}",
                    5);
    test_text_make(&text, &m, 200, 60, 9);
    test_text_decode(&text, &m);
    double before = -1;
    for (int t = 0; t < 60; t++) {
        double sum = 0, moment = 0;
        for (int j = 0; j < 200; j++) {
            sum += weights_of(&text, t)[j];
            moment += j * (double)weights_of(&text, t)[j];
        }
        ck_assert_double_gt(moment / sum, before);
        before = moment / sum;
    }
    ck_assert_double_gt(before, 5);
    test_text_free(&text);
    test_model_close(&m);
}
END_TEST

/* Energies so low that every sigmoid is zero leave no weights, and no NaN. */
START_TEST(sigmoid_of_nothing) {
    struct test_model m;
    struct test_text text;
    test_model_open(
        &m, "{'model': {'attention': {'normaliser': 'sigmoid', 'v_bias': true}}}", 5);
    test_voice_tensor(&m.voice, "decoder.attention.v.bias")->data[0] = -1000;
    struct taco_error err = TACO_ERROR_INIT;
    ck_assert_int_eq(test_model_load(&m, TACO_PRECISION_F32, &err), TACO_OK);
    test_text_make(&text, &m, 9, 5, 9);
    test_text_decode(&text, &m);
    for (int i = 0; i < 45; i++)
        ck_assert(text.row.alignment[i] == 0);
    for (int i = 0; i < 5 * m.hparams.n_mels; i++)
        ck_assert(isfinite(text.row.mel[i]));
    test_text_free(&text);
    test_model_close(&m);
}
END_TEST

/* A row's own temperature and window give the bits that a voice with this scale and window
 * gives. */
START_TEST(own_temperature_and_window) {
    struct test_model m, own;
    struct test_text text, same;
    test_model_open(&m,
                    "{'model': {'attention': {'scale': 0.5, 'window': 'espnet',"
                    " 'window_back': 2, 'window_forward': 5}}}",
                    5);
    test_model_open(&own, NULL, 5);
    test_text_make(&text, &m, 30, 20, 9);
    test_text_make(&same, &own, 30, 20, 9);
    test_text_decode(&text, &m);
    test_text_decode(&same, &own);
    ck_assert_mem_ne(text.row.alignment, same.row.alignment, 600 * sizeof(float));
    same.row.temperature = 2;
    same.row.window_back = 2;
    same.row.window_forward = 5;
    test_text_decode(&same, &own);
    ck_assert_mem_eq(text.row.alignment, same.row.alignment, 600 * sizeof(float));
    ck_assert_mem_eq(text.row.mel, same.row.mel, 20 * 16 * sizeof(float));
    test_text_free(&text);
    test_text_free(&same);
    test_model_close(&m);
    test_model_close(&own);
}
END_TEST

/* Every mechanism keeps within a row's own window of one symbol, at first the text's
 * first. Only local-p moves by itself: its place may lie outside the window, and comes
 * first. */
START_TEST(own_window_of_every_mechanism) {
    for (size_t i = test_n_referenced; i < test_n_graphs; i++) {
        struct test_model m;
        struct test_text text;
        test_model_open(&m, test_graphs[i].overrides, 5);
        test_text_make(&text, &m, 20, 6, 9);
        text.row.window_back = 0;
        text.row.window_forward = 1;
        test_text_decode(&text, &m);
        bool moves = strstr(test_graphs[i].name, "local") != NULL ||
                     strcmp(test_graphs[i].name, "stepwise") == 0;
        for (int t = 0; !moves && t < 6; t++)
            for (int j = 1; j < 20; j++)
                ck_assert_msg(weights_of(&text, t)[j] == 0, "%s", test_graphs[i].name);
        test_text_free(&text);
        test_model_close(&m);
    }
}
END_TEST

/* The mean of the heads' weights is the alignment. */
START_TEST(heads_are_kept) {
    struct test_model m;
    struct test_text text;
    test_model_open(
        &m,
        "{'model': {'attention': {'type': 'multi_head', 'n_heads': 3, 'dim': 5,"
        " 'value_dim': 4, 'head_score': 'scaled_dot',"
        " 'location_n_filters': null, 'location_kernel_size': null,"
        " 'location_channels': null}}}",
        5);
    test_text_make(&text, &m, 11, 8, 9);
    float heads[8 * 3 * 11];
    text.row.heads = heads;
    test_text_decode(&text, &m);
    bool differ = false;
    for (int t = 0; t < 8; t++)
        for (int j = 0; j < 11; j++) {
            double sum = 0;
            for (int i = 0; i < 3; i++)
                sum += (double)heads[(t * 3 + i) * 11 + j];
            ck_assert(fabs(sum / 3 - (double)weights_of(&text, t)[j]) < 1e-6);
            differ |= heads[t * 33 + j] != heads[t * 33 + 11 + j];
        }
    ck_assert(differ);
    test_text_free(&text);
    test_model_close(&m);
}
END_TEST

/* What is drawn follows the row's seed, and is one symbol. */
START_TEST(hard_draws_by_seed) {
    struct test_model m;
    struct test_text text;
    test_model_open(&m, "{'model': {'attention': {'type': 'hard', 'draw': true}}}", 5);
    test_text_make(&text, &m, 20, 30, 9);
    float first[600];
    test_text_decode(&text, &m);
    memcpy(first, text.row.alignment, sizeof first);
    for (int i = 0; i < 600; i++)
        ck_assert(first[i] == 0 || first[i] == 1);
    test_text_decode(&text, &m);
    ck_assert_mem_eq(first, text.row.alignment, sizeof first);
    text.row.seed++;
    test_text_decode(&text, &m);
    ck_assert_mem_ne(first, text.row.alignment, sizeof first);
    test_text_free(&text);
    test_model_close(&m);
}
END_TEST

/* Monotonic and stepwise attention never go back; stepwise moves by one at most. */
START_TEST(never_back) {
    static const char *const types[] = {"'monotonic'", "'stepwise'"};
    for (int i = 0; i < 2; i++) {
        char overrides[200];
        snprintf(overrides, sizeof overrides,
                 "{'model': {'attention': {'type': %s, 'v_bias': true}}}", types[i]);
        struct test_model m;
        struct test_text text;
        test_model_open(&m, overrides, 5);
        test_text_make(&text, &m, 20, 40, 9);
        test_text_decode(&text, &m);
        int at = 0;
        for (int t = 0; t < 40; t++)
            for (int j = 0; j < 20; j++)
                if (weights_of(&text, t)[j] > 0) {
                    ck_assert(weights_of(&text, t)[j] == 1);
                    ck_assert_int_ge(j, at);
                    ck_assert(i == 0 || j <= at + 1);
                    at = j;
                }
        ck_assert_int_gt(at, 0);
        test_text_free(&text);
        test_model_close(&m);
    }
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("attention");
    TCase *graphs = tcase_create("graphs");
    tcase_add_loop_test(graphs, short_text, 0, (int)test_n_referenced);
    tcase_add_loop_test(graphs, middling_text, 0, (int)test_n_referenced);
    tcase_add_loop_test(graphs, long_text, 0, (int)test_n_referenced);
    tcase_set_timeout(graphs, 120);
    suite_add_tcase(s, graphs);
    TCase *promises = tcase_create("promises");
    tcase_add_test(promises, weights_sum_to_one);
    tcase_add_test(promises, window_is_exact);
    tcase_add_test(promises, mixture_goes_forward);
    tcase_add_test(promises, sigmoid_of_nothing);
    tcase_add_test(promises, own_temperature_and_window);
    tcase_add_test(promises, own_window_of_every_mechanism);
    tcase_add_test(promises, heads_are_kept);
    tcase_add_test(promises, hard_draws_by_seed);
    tcase_add_test(promises, never_back);
    tcase_set_timeout(promises, 120);
    suite_add_tcase(s, promises);
    return s;
}

int main(void) {
    return test_run(suite());
}
