/* The decoder's batch: when rows stop, what belongs to them, and above all that a row's
 * bits are its own, whoever shares the batch and however many threads there are. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/rng.h"
#include "support/graphs.h"
#include "support/model.h"
#include "support/numbers.h"
#include "support/runner.h"

static struct taco_decoder *create(const struct test_model *m, int max_rows) {
    struct taco_decoder *decoder;
    struct taco_error err = TACO_ERROR_INIT;
    ck_assert_int_eq(taco_decoder_create(&decoder, m->model, max_rows, &err), TACO_OK);
    ck_assert_int_eq(taco_decoder_count(decoder), 0);
    return decoder;
}

static void add(struct taco_decoder *decoder, struct test_text *text) {
    struct taco_error err = TACO_ERROR_INIT;
    ck_assert_int_eq(taco_decoder_add(decoder, &text->row, &err), TACO_OK);
}

/* A model whose gate says the same logit at every step, for each of its frames. */
static void open_with_gate(struct test_model *m, const char *overrides,
                           const float *logits) {
    test_model_open(m, overrides, 1);
    struct test_tensor *weight =
        test_voice_tensor(&m->voice, "decoder.gate_layer.weight");
    struct test_tensor *bias = test_voice_tensor(&m->voice, "decoder.gate_layer.bias");
    memset(weight->data, 0,
           (size_t)(weight->shape[0] * weight->shape[1]) * sizeof *weight->data);
    memcpy(bias->data, logits, (size_t)bias->shape[0] * sizeof *bias->data);
    struct taco_error err = TACO_ERROR_INIT;
    ck_assert_int_eq(test_model_load(m, TACO_PRECISION_F32, &err), TACO_OK);
}

/* Steps that a row of at most 12 takes with a gate of that logit. */
static int steps_with(const char *overrides, float logit, float threshold,
                      enum taco_row_end *end) {
    struct test_model m;
    struct test_text text;
    const float logits[3] = {logit, logit, logit};
    open_with_gate(&m, overrides, logits);
    test_text_make(&text, &m, 5, 12, 1);
    text.row.ignore_gate = false;
    text.row.gate_threshold = threshold;
    test_text_decode(&text, &m);
    int n = text.row.n_steps;
    *end = text.row.end;
    test_text_free(&text);
    test_model_close(&m);
    return n;
}

/* -- stopping ---------------------------------------------------------------- */

START_TEST(gate) {
    static const struct {
        const char *overrides;
        float logit, threshold;
        int steps;
    } cases[] = {
        {NULL, -0.1f, 0, 12},
        {NULL, 0.1f, 0, 1},
        {NULL, 0, 0, 12}, /* exactly the threshold */
        {"{'model': {'gate_inclusive': true}}", 0, 0, 1},
        {"{'model': {'gate_inclusive': true}}", -0.001f, 0, 12},
        {"{'model': {'min_steps': 1}}", 5, 0, 1},
        {"{'model': {'min_steps': 2}}", 5, 0, 2},
        {"{'model': {'min_steps': 7}}", 5, 0, 7},
        {"{'model': {'min_steps': 500}}", 5, 0, 12},
        {"{'model': {'gate_threshold': 0.9}}", 2, 0, 12}, /* sigmoid(2) = 0.88 */
        {"{'model': {'gate_threshold': 0.9}}", 2.3f, 0, 1},
        {NULL, 2, 0.9f, 12}, /* the row's own */
        {NULL, 2.3f, 0.9f, 1},
        {NULL, -2.3f, 0.05f, 1},
        {NULL, -100, 0.00001f, 12},
        {NULL, 100, 0.99999f, 1}, /* saturated */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        enum taco_row_end end;
        int n = steps_with(cases[i].overrides, cases[i].logit, cases[i].threshold, &end);
        ck_assert_msg(n == cases[i].steps, "%zu: %d steps", i, n);
        bool fired = n < 12;
        ck_assert_int_eq(end, fired ? TACO_ROW_GATE : TACO_ROW_MAX_STEPS);
    }
}
END_TEST

/* The gate at the last step that is allowed is still the gate. */
START_TEST(gate_at_the_limit) {
    enum taco_row_end end;
    ck_assert_int_eq(steps_with("{'model': {'min_steps': 12}}", 5, 0, &end), 12);
    ck_assert_int_eq(end, TACO_ROW_GATE);
}
END_TEST

/* Any logit of a step's frames ends it. */
START_TEST(gate_of_any_frame) {
    for (int frame = 0; frame < 3; frame++) {
        float logits[3] = {-1, -1, -1};
        logits[frame] = 1;
        struct test_model m;
        struct test_text text;
        open_with_gate(&m, "{'model': {'n_frames_per_step': 3, 'gate_dim': 3}}", logits);
        test_text_make(&text, &m, 5, 12, 1);
        text.row.ignore_gate = false;
        test_text_decode(&text, &m);
        ck_assert_int_eq(text.row.n_steps, 1);
        for (int k = 0; k < 3; k++)
            ck_assert_float_eq(text.row.gate[k], logits[k]);
        test_text_free(&text);
        test_model_close(&m);
    }
}
END_TEST

START_TEST(frames_of_a_row) {
    static const struct {
        const char *rule;
        int kept, seen; /* of the firing step's 3 frames */
    } rules[] = {{"keep", 3, 3}, {"exclude", 0, 3}, {"drop", 0, 0}};
    for (size_t i = 0; i < 3; i++) {
        char overrides[120];
        snprintf(overrides, sizeof overrides,
                 "{'model': {'n_frames_per_step': 3, 'firing_frame': '%s'}}",
                 rules[i].rule);
        struct test_model m;
        test_model_open(&m, overrides, 1);
        for (int end = TACO_ROW_RUNNING; end <= TACO_ROW_MAX_STEPS; end++) {
            struct taco_row row = {.n_steps = 5, .end = (enum taco_row_end)end};
            int n_frames, n_postnet;
            taco_row_frames(m.model, &row, &n_frames, &n_postnet);
            bool fired = end == TACO_ROW_GATE;
            ck_assert_int_eq(n_frames, 12 + (fired ? rules[i].kept : 3));
            ck_assert_int_eq(n_postnet, 12 + (fired ? rules[i].seen : 3));
        }
        test_model_close(&m);
    }
}
END_TEST

/* An attention that walks a quarter of a symbol a step and stays at the end. */
static void open_walker(struct test_model *m, int r) {
    char overrides[300];
    snprintf(
        overrides, sizeof overrides,
        "{'model': {'n_frames_per_step': %d, 'attention': {'type': 'gmm', 'dim': null,"
        " 'gmm_components': 1, 'location_n_filters': null,"
        " 'location_kernel_size': null, 'location_channels': null}}}",
        r);
    test_model_open(m, overrides, 1);
    struct test_tensor *weight =
        test_voice_tensor(&m->voice, "decoder.attention.gmm.1.weight");
    float *bias = test_voice_tensor(&m->voice, "decoder.attention.gmm.1.bias")->data;
    memset(weight->data, 0,
           (size_t)(weight->shape[0] * weight->shape[1]) * sizeof *weight->data);
    bias[0] = 0;
    bias[1] = 1; /* sigma 1.3 */
    bias[2] = logf(expm1f(0.25f));
    struct taco_error err = TACO_ERROR_INIT;
    ck_assert_int_eq(test_model_load(m, TACO_PRECISION_F32, &err), TACO_OK);
}

static int most_attended(const struct test_text *text, int step) {
    const float *w = &text->row.alignment[step * text->n];
    int best = 0;
    for (int j = 1; j < text->n; j++)
        best = w[j] > w[best] ? j : best;
    return best;
}

START_TEST(attention_at_the_end) {
    static const struct {
        int n, r;
    } cases[] = {{1, 1}, {1, 3}, {2, 1}, {3, 1}, {4, 1}, {9, 1}, {9, 2}, {20, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int n = cases[i].n, r = cases[i].r;
        struct test_model m;
        struct test_text text;
        open_walker(&m, r);
        test_text_make(&text, &m, n, 200, 1);
        text.row.watch_end = false;
        test_text_decode(&text, &m);
        ck_assert_int_eq(text.row.end, TACO_ROW_MAX_STEPS);
        int rest = 0, want = 0;
        while (rest < 80) {
            int at = most_attended(&text, want++);
            rest = at == n - 1 ? rest + 2 * r : at == n - 2 && n >= 4 ? rest + r : 0;
        }
        ck_assert_int_gt(want, 3 * n / r); /* not before it got there */
        text.row.watch_end = true;
        test_text_decode(&text, &m);
        ck_assert_int_eq(text.row.end, TACO_ROW_ATTENTION_END);
        ck_assert_msg(text.row.n_steps == want, "%d symbols: %d, not %d", n,
                      text.row.n_steps, want);
        test_text_free(&text);
        test_model_close(&m);
    }
}
END_TEST

/* -- a row's inputs ---------------------------------------------------------- */

#define MEL_BYTES(m, steps)                                                              \
    ((size_t)((steps) * (m).hparams.n_frames_per_step * (m).hparams.n_mels) *            \
     sizeof(float))

static float *copy_of(const float *x, size_t n) {
    float *copy = malloc(n * sizeof *copy);
    memcpy(copy, x, n * sizeof *copy);
    return copy;
}

/* Decodes 20 steps anew and says whether the mel is the one given. */
static bool same_mel(struct test_text *text, const struct test_model *m,
                     const float *mel) {
    memset(text->row.mel, 0xFF, MEL_BYTES(*m, 20));
    test_text_decode(text, m);
    return memcmp(text->row.mel, mel, MEL_BYTES(*m, 20)) == 0;
}

/* A model, a text, and the mel of its first 20 steps. */
static float *open_and_decode(struct test_model *m, const char *overrides,
                              struct test_text *text) {
    test_model_open(m, overrides, 1);
    test_text_make(text, m, 7, 20, 1);
    text->row.seed = 123456789012345;
    text->row.chunk = 3;
    test_text_decode(text, m);
    return copy_of(text->row.mel, MEL_BYTES(*m, 20) / sizeof(float));
}

/* Dropout is a function of seed, chunk, step, layer: the masks that the generator gives,
 * given from outside, change nothing; another seed or chunk does. */
START_TEST(dropout) {
    struct test_model m;
    struct test_text text;
    float *mel = open_and_decode(&m, NULL, &text);
    const float *masks[TACO_MAX_PRENET_LAYERS];
    for (int layer = 0; layer < m.hparams.prenet_n_layers; layer++) {
        struct taco_rng_key key = {text.row.seed, text.row.chunk,
                                   (uint32_t)(TACO_RNG_PRENET_0 + layer)};
        size_t dim = (size_t)m.hparams.prenet_dim[layer];
        for (uint32_t step = 0; step < 20; step++)
            taco_rng_dropout(&key, step, 0.5f, dim, text.masks[layer] + step * dim);
        masks[layer] = text.masks[layer];
    }
    text.row.masks = masks;
    text.row.seed = 0;
    ck_assert(same_mel(&text, &m, mel));
    text.row.masks = NULL;
    ck_assert(!same_mel(&text, &m, mel));
    text.row.seed = 123456789012345;
    ck_assert(same_mel(&text, &m, mel));
    text.row.chunk = 4;
    ck_assert(!same_mel(&text, &m, mel));
    free(mel);
    test_text_free(&text);
    test_model_close(&m);
}
END_TEST

START_TEST(no_dropout) {
    struct test_model m;
    struct test_text text;
    float *mel = open_and_decode(&m, "{'model': {'prenet_dropout': 0}}", &text);
    text.row.seed++;
    ck_assert(same_mel(&text, &m, mel));
    free(mel);
    test_text_free(&text);
    test_model_close(&m);
}
END_TEST

/* Its own output for a teacher gives the same bits; another teacher is heard, from the
 * next step on. */
START_TEST(teacher) {
    struct test_model m;
    struct test_text text;
    float *mel = open_and_decode(&m, "{'model': {'n_frames_per_step': 2}}", &text);
    text.row.teacher = mel;
    ck_assert(same_mel(&text, &m, mel));
    float *taught = copy_of(mel, MEL_BYTES(m, 20) / sizeof *mel);
    taught[MEL_BYTES(m, 5) / sizeof *mel - 1] += 1; /* the last frame of step 4 */
    text.row.teacher = taught;
    ck_assert(!same_mel(&text, &m, mel));
    ck_assert_mem_eq(text.row.mel, mel, MEL_BYTES(m, 5));
    ck_assert_mem_ne((char *)text.row.mel + MEL_BYTES(m, 5),
                     (char *)mel + MEL_BYTES(m, 5), MEL_BYTES(m, 1));
    free(taught);
    free(mel);
    test_text_free(&text);
    test_model_close(&m);
}
END_TEST

/* Weights that no training leaves, finite as they are: numbers overflow, nothing else
 * does. */
START_TEST(absurd_weights) {
    struct test_model m;
    test_model_open(&m, test_graphs[_i].overrides, 1);
    for (int i = 0; i < m.voice.n; i++) {
        struct test_tensor *tensor = &m.voice.tensors[i];
        size_t n = 1;
        for (int d = 0; d < tensor->n_dims; d++)
            n *= (size_t)tensor->shape[d];
        for (size_t j = 0; j < n; j++)
            tensor->data[j] *= 1e37f;
    }
    for (int precision = TACO_PRECISION_F32; precision <= TACO_PRECISION_INT8;
         precision++) {
        struct test_text text;
        struct taco_error err = TACO_ERROR_INIT;
        ck_assert_int_eq(test_model_load(&m, (enum taco_precision)precision, &err),
                         TACO_OK);
        test_text_make(&text, &m, 6, 5, 1);
        text.row.watch_end = true;
        test_text_decode(&text, &m);
        ck_assert(text.row.done);
        struct taco_arena scratch = TACO_ARENA_INIT;
        float *out = malloc(MEL_BYTES(m, 5));
        int n_frames, n_postnet;
        taco_row_frames(m.model, &text.row, &n_frames, &n_postnet);
        ck_assert_int_eq(
            taco_postnet_forward(m.model, text.row.mel, n_postnet, &scratch, out),
            TACO_OK);
        free(out);
        taco_arena_free(&scratch);
        test_text_free(&text);
    }
    test_model_close(&m);
}
END_TEST

/* -- batches ----------------------------------------------------------------- */

enum { N_TEXTS = 11 };

/* A text with what it gives alone. */
struct solo {
    struct test_text text;
    float *mel, *gate, *alignment;
};

static size_t size_of(const struct test_model *m, const struct solo *s, int which) {
    const struct taco_hparams *h = &m->hparams;
    size_t steps = (size_t)s->text.row.n_steps;
    const size_t widths[3] = {(size_t)(h->n_frames_per_step * h->n_mels),
                              (size_t)h->gate_dim, (size_t)s->text.n};
    return steps * widths[which];
}

static void make_solos(const struct test_model *m, struct solo *solos) {
    for (int i = 0; i < N_TEXTS; i++) {
        struct solo *s = &solos[i];
        test_text_make_by(&s->text, m, i % m->hparams.n_attentions, 1 + i * 37 % 50,
                          3 + i * 7 % 23, (uint64_t)i);
        s->text.row.ignore_gate = i % 3 != 0;
        test_text_decode(&s->text, m);
        s->mel = copy_of(s->text.row.mel, size_of(m, s, 0));
        s->gate = copy_of(s->text.row.gate, size_of(m, s, 1));
        s->alignment = copy_of(s->text.row.alignment, size_of(m, s, 2));
    }
}

static void check_solo(const struct test_model *m, const struct solo *s) {
    ck_assert_mem_eq(s->text.row.mel, s->mel, size_of(m, s, 0) * sizeof(float));
    ck_assert_mem_eq(s->text.row.gate, s->gate, size_of(m, s, 1) * sizeof(float));
    ck_assert_mem_eq(s->text.row.alignment, s->alignment,
                     size_of(m, s, 2) * sizeof(float));
}

static void free_solos(struct solo *solos) {
    for (int i = 0; i < N_TEXTS; i++) {
        free(solos[i].mel);
        free(solos[i].gate);
        free(solos[i].alignment);
        test_text_free(&solos[i].text);
    }
}

static void forget_outputs(const struct test_model *m, struct solo *s) {
    memset(s->text.row.mel, 0xFF, size_of(m, s, 0) * sizeof(float));
    memset(s->text.row.gate, 0xFF, size_of(m, s, 1) * sizeof(float));
    memset(s->text.row.alignment, 0xFF, size_of(m, s, 2) * sizeof(float));
}

/* All texts through one batch: they join at drawn steps as room allows, in a drawn order;
 * some are taken out on their way and start again later. */
static void run_batch(const struct test_model *m, struct solo *solos, int max_rows,
                      int n_threads, uint64_t seed) {
    struct taco_decoder *decoder = create(m, max_rows);
    struct taco_team *team = NULL;
    struct taco_error err = TACO_ERROR_INIT;
    if (n_threads > 0)
        ck_assert_int_eq(taco_team_create(&team, n_threads, &err), TACO_OK);
    enum { WAITING, RUNNING, DONE } state[N_TEXTS] = {WAITING};
    int steps[N_TEXTS], left = N_TEXTS, removals = 4;
    for (int i = 0; i < N_TEXTS; i++) {
        steps[i] = solos[i].text.row.n_steps;
        forget_outputs(m, &solos[i]);
    }
    while (left > 0) {
        for (int tries = 0; tries < 2; tries++) {
            size_t i = test_random_below(&seed, N_TEXTS);
            if (state[i] == WAITING && taco_decoder_count(decoder) < max_rows) {
                add(decoder, &solos[i].text);
                state[i] = RUNNING;
            }
        }
        size_t out = test_random_below(&seed, N_TEXTS);
        if (removals > 0 && state[out] == RUNNING && solos[out].text.row.n_steps > 1) {
            int before = taco_decoder_count(decoder);
            taco_decoder_remove(decoder, &solos[out].text.row);
            taco_decoder_remove(decoder, &solos[out].text.row);
            ck_assert_int_eq(taco_decoder_count(decoder), before - 1);
            state[out] = WAITING;
            removals--;
        }
        taco_decoder_step(decoder, team);
        int running = 0;
        for (int i = 0; i < N_TEXTS; i++)
            if (state[i] == RUNNING && solos[i].text.row.done) {
                state[i] = DONE;
                left--;
            } else {
                running += state[i] == RUNNING;
            }
        ck_assert_int_eq(taco_decoder_count(decoder), running);
    }
    taco_decoder_destroy(decoder);
    taco_team_destroy(team);
    for (int i = 0; i < N_TEXTS; i++) {
        ck_assert_int_eq(solos[i].text.row.n_steps, steps[i]);
        check_solo(m, &solos[i]);
    }
}

START_TEST(company_changes_no_bit) {
    struct test_model m;
    struct solo solos[N_TEXTS];
    test_model_open(&m, test_graphs[_i].overrides, 1);
    make_solos(&m, solos);
    /* the first graph with every number of rows, the others with three of them */
    for (int max_rows = _i ? 2 : 1; max_rows <= 8; max_rows += _i ? 3 : 1)
        run_batch(&m, solos, max_rows, (max_rows + _i) % 4,
                  (uint64_t)(max_rows + 100 * _i));
    free_solos(solos);
    test_model_close(&m);
}
END_TEST

/* The same in the other precisions, and with more threads than a step has use for. */
START_TEST(company_in_every_precision) {
    struct test_model m;
    struct solo solos[N_TEXTS];
    test_model_open(&m, NULL, 1);
    for (int precision = TACO_PRECISION_F32; precision <= TACO_PRECISION_INT8;
         precision++) {
        struct taco_error err = TACO_ERROR_INIT;
        ck_assert_int_eq(test_model_load(&m, (enum taco_precision)precision, &err),
                         TACO_OK);
        make_solos(&m, solos);
        run_batch(&m, solos, 8, 0, 1);
        run_batch(&m, solos, 5, 2, 2);
        run_batch(&m, solos, 7, 17, 3);
        free_solos(solos);
    }
    test_model_close(&m);
}
END_TEST

START_TEST(empty_batch) {
    struct test_model m;
    struct test_text text;
    test_model_open(&m, NULL, 1);
    test_text_make(&text, &m, 3, 3, 1);
    struct taco_decoder *decoder = create(&m, 2);
    taco_decoder_step(decoder, NULL);
    taco_decoder_remove(decoder, &text.row);
    ck_assert_int_eq(taco_decoder_count(decoder), 0);
    taco_decoder_destroy(decoder);
    taco_decoder_destroy(NULL);
    test_text_free(&text);
    test_model_close(&m);
}
END_TEST

START_TEST(no_memory) {
    struct test_model m;
    struct test_text small, large;
    test_model_open(&m, test_graphs[_i].overrides, 1);
    test_text_make(&small, &m, 3, 30, 1);
    test_text_make(&large, &m, 300, 30, 1);
    struct taco_decoder *decoder;
    struct taco_error err = TACO_ERROR_INIT;
    long n = 1;
    for (;; n++) {
        memset(&err, 0, sizeof err);
        taco_memory_fail_at(n);
        enum taco_status status = taco_decoder_create(&decoder, m.model, 3, &err);
        taco_memory_fail_at(0);
        if (status == TACO_OK)
            break;
        ck_assert_int_eq(status, TACO_ERR_NO_MEMORY);
        ck_assert_int_eq(err.status, TACO_ERR_NO_MEMORY);
        ck_assert_ptr_null(decoder);
    }
    ck_assert_int_ge(n, 3);

    /* a row that found no memory has not joined, and the others go on */
    add(decoder, &small);
    taco_memory_fail_at(1);
    ck_assert_int_eq(taco_decoder_add(decoder, &large.row, &err), TACO_ERR_NO_MEMORY);
    ck_assert_int_eq(err.status, TACO_ERR_NO_MEMORY);
    ck_assert_int_eq(taco_decoder_count(decoder), 1);
    /* steps, and rows that are no longer than one before, need none */
    while (!small.row.done)
        taco_decoder_step(decoder, NULL);
    taco_memory_fail_at(0);
    add(decoder, &large);
    taco_decoder_remove(decoder, &large.row);
    taco_memory_fail_at(1);
    add(decoder, &small);
    taco_decoder_step(decoder, NULL);
    taco_memory_fail_at(0);
    taco_decoder_destroy(decoder);
    test_text_free(&small);
    test_text_free(&large);
    test_model_close(&m);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("decoder");
    TCase *bad = tcase_create("bad");
    tcase_add_test(bad, empty_batch);
    tcase_add_loop_test(bad, no_memory, 0, (int)test_n_graphs);
    tcase_add_loop_test(bad, absurd_weights, 0, (int)test_n_graphs);
    suite_add_tcase(s, bad);
    TCase *stop = tcase_create("stopping");
    tcase_add_test(stop, gate);
    tcase_add_test(stop, gate_at_the_limit);
    tcase_add_test(stop, gate_of_any_frame);
    tcase_add_test(stop, frames_of_a_row);
    tcase_add_test(stop, attention_at_the_end);
    suite_add_tcase(s, stop);
    TCase *inputs = tcase_create("inputs");
    tcase_add_test(inputs, dropout);
    tcase_add_test(inputs, no_dropout);
    tcase_add_test(inputs, teacher);
    suite_add_tcase(s, inputs);
    TCase *batch = tcase_create("batch");
    tcase_add_loop_test(batch, company_changes_no_bit, 0, (int)test_n_graphs);
    tcase_add_test(batch, company_in_every_precision);
    tcase_set_timeout(batch, 300);
    suite_add_tcase(s, batch);
    return s;
}

int main(void) {
    return test_run(suite());
}
