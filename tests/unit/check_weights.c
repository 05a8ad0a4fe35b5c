/* Opening a model: every tensor missing, misshapen, of a wrong type, not finite; tensors
 * too many; 16-bit storage; no memory. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpu.h"
#include "base/memory.h"
#include "support/graphs.h"
#include "support/model.h"
#include "support/numbers.h"
#include "support/runner.h"
#include "tacotron2/attention.h"
#include "tacotron2/weights.h"

/* Loads m->voice, which must be refused with the tensor's name. */
static void refused(struct test_model *m, enum taco_status want, const char *name) {
    struct taco_error err = TACO_ERROR_INIT;
    enum taco_status status = test_model_load(m, TACO_PRECISION_F32, &err);
    ck_assert_msg(status == want && err.status == want, "%s: %s (%s)", name,
                  taco_status_name(status), err.message);
    ck_assert_ptr_null(m->model);
    ck_assert_str_eq(err.param, name);
    ck_assert_msg(strstr(err.message, name), "%s", err.message);
    ck_assert_int_eq(taco_tacotron2_open(&m->model, &m->hparams, m->st, NULL,
                                         TACO_PRECISION_F32, NULL, NULL),
                     want);
}

static bool has_tensor(const struct test_voice *voice, const struct test_tensor *tensor) {
    for (int i = 0; i < voice->n; i++)
        if (strcmp(voice->tensors[i].name, tensor->name) == 0)
            return true;
    return false;
}

/* Opens the graph's voice anew for every tensor of the model and gives it to try; those
 * that the first graph has too are tried there alone. */
static void each_tensor(int graph, void (*try)(struct test_model *m, const char *name)) {
    const char *overrides = test_graphs[graph].overrides;
    struct test_voice first, voice;
    test_voice_init(&first, test_graphs[0].overrides, 1);
    test_voice_init(&voice, overrides, 1);
    for (int i = 0; i < voice.n; i++) {
        const struct test_tensor *tensor = &voice.tensors[i];
        if (strncmp(tensor->name, "audio.", 6) == 0 ||
            (graph > 0 && has_tensor(&first, tensor)))
            continue;
        struct test_model m;
        test_model_open(&m, overrides, 1);
        try(&m, tensor->name);
        test_model_close(&m);
    }
    test_voice_free(&voice);
    test_voice_free(&first);
}

static void without(struct test_model *m, const char *name) {
    test_voice_drop(&m->voice, name);
    refused(m, TACO_ERR_SHAPE, name);
}

START_TEST(missing) {
    each_tensor(_i, without);
}
END_TEST

static void with_other_shapes(struct test_model *m, const char *name) {
    const struct test_tensor was = *test_voice_tensor(&m->voice, name);
    bool rows_are_free = strcmp(name, "speaker_embedding.weight") == 0;
    for (int d = rows_are_free; d < was.n_dims; d++)
        for (int change = -1; change <= 1; change += 2) {
            int64_t shape[4];
            memcpy(shape, was.shape, sizeof shape);
            shape[d] += change;
            test_voice_reshape(&m->voice, name, was.n_dims, shape);
            refused(m, TACO_ERR_SHAPE, name);
        }
    const int64_t shape[4] = {1, was.shape[0], was.shape[1], was.shape[2]};
    test_voice_reshape(&m->voice, name, was.n_dims + 1, shape);
    refused(m, TACO_ERR_SHAPE, name);
    test_voice_reshape(&m->voice, name, 0, shape);
    refused(m, TACO_ERR_SHAPE, name);
}

START_TEST(misshapen) {
    each_tensor(_i, with_other_shapes);
}
END_TEST

/* As many values, but the other way round. */
START_TEST(transposed) {
    struct test_model m;
    test_model_open(&m, NULL, 1);
    static const char name[] = "decoder.linear_projection.weight";
    struct test_tensor *tensor = test_voice_tensor(&m.voice, name);
    int64_t shape[] = {tensor->shape[1], tensor->shape[0]};
    test_voice_reshape(&m.voice, name, 2, shape);
    refused(&m, TACO_ERR_SHAPE, name);
    test_model_close(&m);
}
END_TEST

static void with_integers(struct test_model *m, const char *name) {
    test_voice_tensor(&m->voice, name)->dtype = TACO_DTYPE_OTHER;
    refused(m, TACO_ERR_SHAPE, name);
}

START_TEST(integers) {
    each_tensor(_i, with_integers);
}
END_TEST

static size_t elements(const struct test_tensor *tensor) {
    size_t n = 1;
    for (int d = 0; d < tensor->n_dims; d++)
        n *= (size_t)tensor->shape[d];
    return n;
}

/* One bad value, in turn at either end and within, of each stored type. */
static void with_no_number(struct test_model *m, const char *name) {
    static const float bad[] = {NAN, -NAN, INFINITY, -INFINITY};
    struct test_tensor *tensor = test_voice_tensor(&m->voice, name);
    size_t places[] = {0, elements(tensor) / 2, elements(tensor) - 1};
    for (int type = TACO_DTYPE_F32; type <= TACO_DTYPE_BF16; type++) {
        tensor->dtype = (enum taco_dtype)type;
        size_t at = places[type];
        float was = tensor->data[at];
        tensor->data[at] = bad[strlen(name) % 4];
        refused(m, TACO_ERR_FORMAT, name);
        tensor->data[at] = was;
        struct taco_error err = TACO_ERROR_INIT;
        ck_assert_int_eq(test_model_load(m, TACO_PRECISION_F32, &err), TACO_OK);
        taco_tacotron2_close(m->model);
        m->model = NULL;
    }
}

START_TEST(not_finite) {
    each_tensor(_i, with_no_number);
}
END_TEST

START_TEST(too_many) {
    static const char *const names[] = {"decoder.prenet.9.weight", "embedding.weight2",
                                        "decoder.attention.v.bias", "optimizer",
                                        "speaker_embedding.weight"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct test_model m;
        test_model_open(&m, NULL, 1);
        test_voice_add(&m.voice, names[i], 1, (int64_t[]){1});
        refused(&m, TACO_ERR_FORMAT, names[i]);
        test_model_close(&m);
    }
    struct test_model m;
    test_model_open(&m, NULL, 1);
    test_voice_add(&m.voice, "audio.whatever", 1, (int64_t[]){3});
    struct taco_error err = TACO_ERROR_INIT;
    ck_assert_int_eq(test_model_load(&m, TACO_PRECISION_F32, &err), TACO_OK);
    test_model_close(&m);
}
END_TEST

/* What the table says, or what the caller says, which must then fit. */
START_TEST(speakers) {
    struct test_model m;
    test_model_open(&m,
                    "{'speakers': ['a', 'b', 'c'], 'model': {'speaker_mode': 'add',"
                    " 'speaker_embedding_dim': 24}}",
                    1);
    ck_assert_int_eq(taco_tacotron2_hparams(m.model)->n_speakers, 3);
    taco_tacotron2_close(m.model);
    m.model = NULL;
    struct taco_error err = TACO_ERROR_INIT;
    m.hparams.n_speakers = 2;
    ck_assert_int_eq(taco_tacotron2_open(&m.model, &m.hparams, m.st, NULL,
                                         TACO_PRECISION_F32, NULL, &err),
                     TACO_ERR_SHAPE);
    ck_assert_str_eq(err.param, "speaker_embedding.weight");
    test_model_close(&m);

    test_model_open(&m,
                    "{'speakers': ['a'], 'model': {'speaker_mode': 'add',"
                    " 'speaker_embedding_dim': 24}}",
                    1);
    test_voice_drop(&m.voice, "speaker_embedding.weight");
    refused(&m, TACO_ERR_SHAPE, "speaker_embedding.weight");
    test_voice_add(&m.voice, "speaker_embedding.weight", 2, (int64_t[]){0, 24});
    refused(&m, TACO_ERR_SHAPE, "speaker_embedding.weight");
    test_model_close(&m);
}
END_TEST

/* -- good voices --------------------------------------------------------------- */

/* The largest graph that the ranges allow stays within the list. */
START_TEST(list_has_room) {
    struct taco_hparams h;
    memset(&h, 0, sizeof h);
    h.encoder_n_convolutions = h.postnet_n_convolutions = TACO_MAX_CONVOLUTIONS;
    h.prenet_n_layers = TACO_MAX_PRENET_LAYERS;
    h.prenet_bias = true;
    h.speaker_mode = TACO_SPEAKER_ADD;
    h.attention.mechanism = &taco_attention_forward;
    h.attention.location_n_filters = 1;
    h.attention.memory_bias = h.attention.v_bias = h.attention.transition_agent = true;
    struct taco_weight list[TACO_MAX_WEIGHTS];
    int n = taco_weights_list(&h, list);
    ck_assert_int_gt(n, 2 * (TACO_MAX_CONVOLUTIONS * 2 + TACO_MAX_PRENET_LAYERS));
    ck_assert_int_lt(n, TACO_MAX_WEIGHTS);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            ck_assert_str_ne(list[i].name, list[j].name);
}
END_TEST

static void decode(const struct test_model *m, struct test_text *text) {
    test_text_make(text, m, 9, 10, 4);
    test_text_decode(text, m);
}

/* Values that fit the stored type give the same bits whatever the type is. */
START_TEST(stored_types) {
    struct test_model m;
    test_model_open(&m, test_graphs[_i].overrides, 1);
    for (int i = 0; i < m.voice.n; i++) {
        struct test_tensor *tensor = &m.voice.tensors[i];
        for (size_t j = 0; j < elements(tensor);
             j++) /* 7 bits of fraction at most, f16's range */
            tensor->data[j] = rintf(tensor->data[j] * 32) / 32;
    }
    float *mel = NULL;
    for (int type = TACO_DTYPE_F32; type <= TACO_DTYPE_OTHER; type++) {
        static const enum taco_dtype mixed[3] = {TACO_DTYPE_F16, TACO_DTYPE_F32,
                                                 TACO_DTYPE_BF16};
        for (int i = 0; i < m.voice.n; i++)
            m.voice.tensors[i].dtype =
                type == TACO_DTYPE_OTHER ? mixed[i % 3] : (enum taco_dtype)type;
        struct taco_error err = TACO_ERROR_INIT;
        ck_assert_msg(test_model_load(&m, TACO_PRECISION_F32, &err) == TACO_OK, "%s",
                      err.message);
        struct test_text text;
        decode(&m, &text);
        size_t bytes =
            10 * (size_t)(m.hparams.n_frames_per_step * m.hparams.n_mels) * sizeof *mel;
        if (!mel) {
            mel = malloc(bytes);
            memcpy(mel, text.row.mel, bytes);
        }
        ck_assert_msg(memcmp(mel, text.row.mel, bytes) == 0, "type %d", type);
        test_text_free(&text);
    }
    free(mel);
    test_model_close(&m);
}
END_TEST

START_TEST(precisions) {
    struct test_model m;
    struct test_text text;
    test_model_open(&m, NULL, 1);
    struct taco_error err = TACO_ERROR_INIT;
    ck_assert_int_eq(taco_tacotron2_precision(m.model), TACO_PRECISION_F32);
    decode(&m, &text);
    float *mel = malloc(10 * 16 * sizeof *mel);
    memcpy(mel, text.row.mel, 10 * 16 * sizeof *mel);
    test_text_free(&text);
    bool scalar = strcmp(taco_kernels_get(taco_cpu_flags())->isa, "scalar") == 0;
    const struct {
        enum taco_precision asked, used;
        float tolerance;
    } cases[] = {
        {TACO_PRECISION_AUTO, scalar ? TACO_PRECISION_F32 : TACO_PRECISION_INT8, 0.6f},
        {TACO_PRECISION_F32, TACO_PRECISION_F32, 0},
        {TACO_PRECISION_BF16, TACO_PRECISION_BF16, 0.3f},
        {TACO_PRECISION_INT8, TACO_PRECISION_INT8, 0.6f}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ck_assert_int_eq(test_model_load(&m, cases[i].asked, &err), TACO_OK);
        ck_assert_int_eq(taco_tacotron2_precision(m.model), cases[i].used);
        decode(&m, &text);
        ck_assert(test_floats_close(text.row.mel, mel, 10 * 16, cases[i].tolerance));
        bool same = memcmp(text.row.mel, mel, 10 * 16 * sizeof *mel) == 0;
        ck_assert_int_eq(same, cases[i].used == TACO_PRECISION_F32);
        test_text_free(&text);
    }
    free(mel);
    test_model_close(&m);
}
END_TEST

/* The n-th allocation fails, for every n: no crash, no leak, the right status. */
START_TEST(no_memory) {
    struct test_model m;
    test_model_open(&m, test_graphs[_i].overrides, 1);
    for (int i = 0; i < m.voice.n; i++) /* so that conversions need memory too */
        m.voice.tensors[i].dtype = i % 2 ? TACO_DTYPE_F16 : TACO_DTYPE_F32;
    struct taco_error err = TACO_ERROR_INIT;
    ck_assert_int_eq(test_model_load(&m, TACO_PRECISION_F32, &err), TACO_OK);
    const struct taco_kernels *kernels = taco_kernels_get(0);
    struct taco_tacotron2 *model;
    long n = 1;
    for (;; n++) {
        memset(&err, 0, sizeof err);
        taco_memory_fail_at(n);
        enum taco_status status = taco_tacotron2_open(&model, &m.hparams, m.st, kernels,
                                                      TACO_PRECISION_F32, NULL, &err);
        taco_memory_fail_at(0);
        if (status == TACO_OK)
            break;
        ck_assert_int_eq(status, TACO_ERR_NO_MEMORY);
        ck_assert_int_eq(err.status, TACO_ERR_NO_MEMORY);
        ck_assert_ptr_null(model);
    }
    ck_assert_int_gt(n, 3);
    taco_tacotron2_close(model);
    taco_tacotron2_close(NULL);
    test_model_close(&m);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("weights");
    int n = (int)test_n_graphs;
    TCase *bad = tcase_create("bad");
    tcase_add_loop_test(bad, missing, 0, n);
    tcase_add_loop_test(bad, misshapen, 0, n);
    tcase_add_test(bad, transposed);
    tcase_add_loop_test(bad, integers, 0, n);
    tcase_add_loop_test(bad, not_finite, 0, n);
    tcase_add_test(bad, too_many);
    tcase_add_test(bad, speakers);
    tcase_set_timeout(bad, 120);
    suite_add_tcase(s, bad);
    TCase *good = tcase_create("good");
    tcase_add_test(good, list_has_room);
    tcase_add_loop_test(good, stored_types, 0, n);
    tcase_add_test(good, precisions);
    tcase_add_loop_test(good, no_memory, 0, n);
    tcase_set_timeout(good, 120);
    suite_add_tcase(s, good);
    return s;
}

int main(void) {
    return test_run(suite());
}
