/* The config's "model" object: every key missing, of the wrong type, out of range, and
 * what the accepted ones become. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/runner.h"
#include "tacotron2/attention.h"
#include "tacotron2/hparams.h"

static const char location_model[] =
    "{\"n_symbols\": 38, \"n_mels\": 80, \"n_frames_per_step\": 2,"
    "\"symbols_embedding_dim\": 512, \"encoder_n_convolutions\": 3, "
    "\"encoder_kernel_size\": 5,"
    "\"encoder_conv_dim\": 512, \"encoder_lstm_dim\": 256, \"prenet_dims\": [256, 128],"
    "\"prenet_dropout\": 0.5, \"attention_rnn_dim\": 1024, \"decoder_rnn_dim\": 1000,"
    "\"attention\": {\"type\": \"location\", \"dim\": 128, \"location_n_filters\": 32,"
    "\"location_kernel_size\": 31, \"location_channels\": [\"prev\", \"cum\"]},"
    "\"gate_threshold\": 0.5, \"firing_frame\": \"keep\", \"max_frames_per_symbol\": 20,"
    "\"max_frames_base\": 100, \"postnet_n_convolutions\": 5, \"postnet_kernel_size\": 5,"
    "\"postnet_embedding_dim\": 512}";

static const char *const attentions[] = {
    "{\"type\": \"location\", \"dim\": 4, \"location_n_filters\": 0}",
    "{\"type\": \"forward\", \"dim\": 4, \"location_n_filters\": 0,"
    " \"forward_rule\": \"coqui\"}",
    "{\"type\": \"gmm\", \"gmm_components\": 5}",
    "{\"type\": \"dynamic_convolution\", \"dim\": 4, \"dynamic_n_filters\": 8,"
    " \"dynamic_kernel_size\": 21, \"prior_length\": 11}",
};

static json_t *model_of(const char *text) {
    json_t *model = json_loads(text, 0, NULL);
    ck_assert_ptr_nonnull(model);
    return model;
}

/* The default model with the object's key set to a JSON value, or taken away with NULL. A
 * key "attention.x" is that of the attention. */
static json_t *changed(const char *attention, const char *key, const char *value) {
    json_t *model = model_of(location_model), *object = model;
    if (attention)
        json_object_set_new(model, "attention", model_of(attention));
    if (strncmp(key, "attention.", 10) == 0) {
        object = json_object_get(model, "attention");
        key += 10;
    }
    if (value)
        json_object_set_new(object, key, json_loads(value, JSON_DECODE_ANY, NULL));
    else
        json_object_del(object, key);
    return model;
}

static enum taco_status parse(const char *attention, const char *key, const char *value,
                              struct taco_hparams *out, struct taco_error *err) {
    json_t *model = changed(attention, key, value);
    memset(err, 0, sizeof *err);
    enum taco_status status = taco_hparams_parse(out, model, err);
    json_decref(model);
    return status;
}

static void refused(const char *attention, const char *key, const char *value,
                    enum taco_status want) {
    struct taco_hparams hparams;
    struct taco_error err;
    enum taco_status status = parse(attention, key, value, &hparams, &err);
    ck_assert_msg(status == want && err.status == want, "%s = %s: %s (%s)", key,
                  value ? value : "(missing)", taco_status_name(status), err.message);
    ck_assert_str_eq(err.param, key);
    ck_assert_msg(strstr(err.message, key), "%s: %s", key, err.message);
}

static struct taco_hparams accepted(const char *attention, const char *key,
                                    const char *value) {
    struct taco_hparams hparams;
    struct taco_error err;
    enum taco_status status = parse(attention, key, value, &hparams, &err);
    ck_assert_msg(status == TACO_OK, "%s = %s: %s", key, value, err.message);
    ck_assert_int_eq(err.status, TACO_OK);
    return hparams;
}

START_TEST(not_an_object) {
    static const char *const models[] = {"null", "[]", "3", "\"model\"", "true"};
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        json_t *model = json_loads(models[i], JSON_DECODE_ANY, NULL);
        struct taco_hparams hparams;
        struct taco_error err = TACO_ERROR_INIT;
        ck_assert_int_eq(taco_hparams_parse(&hparams, model, &err), TACO_ERR_FORMAT);
        ck_assert_str_eq(err.param, "model");
        ck_assert_int_eq(taco_hparams_parse(&hparams, model, NULL), TACO_ERR_FORMAT);
        json_decref(model);
        refused(NULL, "attention", models[i], TACO_ERR_FORMAT);
    }
    struct taco_hparams hparams;
    struct taco_error err = TACO_ERROR_INIT;
    ck_assert_int_eq(taco_hparams_parse(&hparams, NULL, &err), TACO_ERR_FORMAT);
    ck_assert_int_eq(taco_hparams_parse(&hparams, NULL, NULL), TACO_ERR_FORMAT);
}
END_TEST

START_TEST(required_keys) {
    json_t *model = model_of(location_model);
    const char *key;
    json_t *value;
    json_object_foreach(model, key, value) refused(NULL, key, NULL, TACO_ERR_FORMAT);
    json_decref(model);
    for (size_t i = 0; i < sizeof attentions / sizeof *attentions; i++) {
        json_t *attention = model_of(attentions[i]);
        json_object_foreach(attention, key, value) {
            char name[64];
            snprintf(name, sizeof name, "attention.%s", key);
            refused(attentions[i], name, NULL, TACO_ERR_FORMAT);
        }
        json_decref(attention);
    }
    refused(NULL, "attention.location_kernel_size", NULL, TACO_ERR_FORMAT);
    refused(NULL, "attention.location_channels", NULL, TACO_ERR_FORMAT);
}
END_TEST

/* What a key of each type refuses whatever its range. */
static const char *const not_integers[] = {"1.5", "1.0", "\"5\"",       "true", "null",
                                           "[5]", "{}",  "99999999999", "-1"};
static const char *const not_numbers[] = {"\"0.5\"", "true", "null", "[0.5]", "{}"};
static const char *const not_booleans[] = {"0", "1", "\"true\"", "null", "[]"};
static const char *const not_names[] = {"\"\"", "\"None\"", "3", "true", "null", "[]"};
#define EACH(list, i) for (size_t i = 0; i < sizeof list / sizeof *list; i++)

static const struct {
    int attention; /* index into attentions, -1: the default */
    const char *key;
    int min, max, odd;
} integers[] = {
    {-1, "n_symbols", 1, 65536, 0},
    {-1, "n_mels", 1, 512, 0},
    {-1, "n_frames_per_step", 1, 16, 0},
    {-1, "symbols_embedding_dim", 1, 8192, 0},
    {-1, "encoder_n_convolutions", 0, 16, 0},
    {-1, "encoder_kernel_size", 1, 63, 1},
    {-1, "encoder_conv_dim", 1, 8192, 0},
    {-1, "encoder_lstm_dim", 1, 8192, 0},
    {-1, "attention_rnn_dim", 1, 8192, 0},
    {-1, "decoder_rnn_dim", 1, 8192, 0},
    {-1, "min_steps", 0, 1000, 0},
    {-1, "max_frames_base", 0, 20000, 0},
    {-1, "postnet_n_convolutions", 0, 16, 0},
    {-1, "postnet_kernel_size", 1, 63, 1},
    {-1, "postnet_embedding_dim", 1, 8192, 0},
    {-1, "attention.dim", 1, 8192, 0},
    {-1, "attention.location_n_filters", 1, 1024, 0},
    {-1, "attention.location_kernel_size", 1, 255, 1},
    {2, "attention.gmm_components", 1, 64, 0},
    {3, "attention.dim", 1, 8192, 0},
    {3, "attention.dynamic_n_filters", 1, 256, 0},
    {3, "attention.dynamic_kernel_size", 1, 255, 1},
    {3, "attention.prior_length", 1, 255, 0},
};

START_TEST(integer_ranges) {
    EACH(integers, i) {
        const char *attention =
            integers[i].attention < 0 ? NULL : attentions[integers[i].attention];
        const char *key = integers[i].key;
        char text[16];
        EACH(not_integers, j) refused(attention, key, not_integers[j], TACO_ERR_FORMAT);
        snprintf(text, sizeof text, "%d", integers[i].min);
        accepted(attention, key, text);
        snprintf(text, sizeof text, "%d", integers[i].max);
        accepted(attention, key, text);
        snprintf(text, sizeof text, "%d", integers[i].max + 1);
        refused(attention, key, text, TACO_ERR_FORMAT);
        if (integers[i].min > 0 && strcmp(key, "attention.location_n_filters") != 0) {
            snprintf(text, sizeof text, "%d", integers[i].min - 1);
            refused(attention, key, text, TACO_ERR_FORMAT);
        }
        if (integers[i].odd) {
            refused(attention, key, "2", TACO_ERR_FORMAT);
            accepted(attention, key, "3");
        }
    }
}
END_TEST

START_TEST(real_ranges) {
    static const struct {
        const char *key, *good[3], *bad[4];
    } reals[] = {
        {"prenet_dropout",
         {"0", "0.5", "0.999"},
         {"-0.001", "1", "1.5", "0.99999999999"}},
        {"zoneout", {"0", "0.1", "0.9"}, {"-0.001", "1", "2", "0.99999999999"}},
        {"gate_threshold", {"0.0001", "0.5", "0.9999"}, {"0", "1", "-0.5", "1e-60"}},
        {"max_frames_per_symbol", {"0", "7.5", "1000"}, {"-1", "1000.5", "1e9", "1e300"}},
    };
    EACH(reals, i) {
        EACH(not_numbers, j) refused(NULL, reals[i].key, not_numbers[j], TACO_ERR_FORMAT);
        EACH(reals[i].good, j) accepted(NULL, reals[i].key, reals[i].good[j]);
        EACH(reals[i].bad, j)
        refused(NULL, reals[i].key, reals[i].bad[j], TACO_ERR_FORMAT);
    }
    ck_assert_float_eq(accepted(NULL, "zoneout", "0.1").zoneout, 0.1f);
    ck_assert_float_eq(accepted(NULL, "gate_threshold", "0.75").gate_threshold, 0.75f);
}
END_TEST

START_TEST(booleans) {
    static const char *const keys[] = {"encoder_residual",      "prenet_bias",
                                       "prenet_all_frames",     "attention_first",
                                       "decoder_rnn_context",   "gate_inclusive",
                                       "attention.memory_bias", "attention.v_bias"};
    EACH(keys, i) {
        EACH(not_booleans, j) refused(NULL, keys[i], not_booleans[j], TACO_ERR_FORMAT);
        accepted(NULL, keys[i], "false");
        accepted(NULL, keys[i], "true");
    }
    ck_assert(accepted(NULL, "encoder_residual", "true").encoder_residual);
    ck_assert(!accepted(NULL, "decoder_rnn_context", "false").decoder_rnn_context);
    ck_assert(accepted(NULL, "attention.v_bias", "true").attention.v_bias);
    refused(attentions[1], "attention.forward_mask", "1", TACO_ERR_FORMAT);
    refused(attentions[1], "attention.transition_agent", "\"yes\"", TACO_ERR_FORMAT);
}
END_TEST

START_TEST(names) {
    static const struct {
        int attention;
        const char *key;
    } keys[] = {{-1, "speaker_mode"},         {-1, "firing_frame"},
                {-1, "attention.normaliser"}, {-1, "attention.start"},
                {-1, "attention.window"},     {1, "attention.forward_rule"}};
    EACH(keys, i)
    EACH(not_names, j)
    refused(keys[i].attention < 0 ? NULL : attentions[keys[i].attention], keys[i].key,
            not_names[j], TACO_ERR_FORMAT);
    ck_assert_int_eq(accepted(NULL, "firing_frame", "\"exclude\"").firing_frame,
                     TACO_FIRING_EXCLUDE);
    ck_assert_int_eq(accepted(NULL, "firing_frame", "\"drop\"").firing_frame,
                     TACO_FIRING_DROP);
    ck_assert_int_eq(
        accepted(NULL, "attention.normaliser", "\"sigmoid\"").attention.normaliser,
        TACO_NORMALISER_SIGMOID);
    ck_assert_int_eq(accepted(NULL, "attention.start", "\"uniform\"").attention.start,
                     TACO_START_UNIFORM);
    ck_assert_int_eq(accepted(NULL, "attention.start", "\"one_hot\"").attention.start,
                     TACO_START_ONE_HOT);
    refused(NULL, "attention.type", "\"no_such\"", TACO_ERR_UNSUPPORTED);
    refused(NULL, "attention.type", "\"\"", TACO_ERR_UNSUPPORTED);
    refused(NULL, "attention.type", "3", TACO_ERR_FORMAT);
}
END_TEST

START_TEST(lists_and_names) {
    static const char *const bad_dims[] = {
        "[]",      "[1, 2, 3, 4, 5]", "[0]", "[8193]", "[256, -1]",
        "[256.0]", "[\"256\"]",       "256", "{}",     "null"};
    EACH(bad_dims, i) refused(NULL, "prenet_dims", bad_dims[i], TACO_ERR_FORMAT);
    struct taco_hparams h = accepted(NULL, "prenet_dims", "[1, 8192, 3, 4]");
    ck_assert_int_eq(h.prenet_n_layers, 4);
    ck_assert_int_eq(h.prenet_dim[1], 8192);
    ck_assert_int_eq(h.prenet_dim[3], 4);

    static const char *const bad_channels[] = {"[]",
                                               "[\"cum\", \"prev\"]",
                                               "[\"prev\", \"prev\"]",
                                               "[\"next\"]",
                                               "[1]",
                                               "[\"prev\", \"cum\", \"cum\"]",
                                               "\"prev\"",
                                               "null"};
    EACH(bad_channels, i)
    refused(NULL, "attention.location_channels", bad_channels[i], TACO_ERR_FORMAT);
    static const char *const bad_precisions[] = {"\"fp16\"", "\"\"", "2", "null"};
    EACH(bad_precisions, i)
    refused(NULL, "precision", bad_precisions[i], TACO_ERR_FORMAT);
    ck_assert_int_eq(h.precision, TACO_PRECISION_AUTO);
    h = accepted(NULL, "precision", "\"bf16\"");
    ck_assert_int_eq(h.precision, TACO_PRECISION_BF16);

    h = accepted(NULL, "attention.location_channels", "[\"cum\"]");
    ck_assert(h.attention.location_cum && !h.attention.location_prev);
    h = accepted(NULL, "attention.location_channels", "[\"prev\"]");
    ck_assert(!h.attention.location_cum && h.attention.location_prev);
}
END_TEST

START_TEST(unknown_and_out_of_place) {
    refused(NULL, "mask_padding", "true", TACO_ERR_FORMAT);
    refused(NULL, "N_MELS", "80", TACO_ERR_FORMAT);
    refused(NULL, "", "80", TACO_ERR_FORMAT);
    refused(NULL, "attention.heads", "4", TACO_ERR_FORMAT);
    /* keys of other settings are not ignored */
    refused(NULL, "speaker_embedding_dim", "64", TACO_ERR_FORMAT);
    refused(NULL, "attention.forward_mask", "false", TACO_ERR_FORMAT);
    refused(NULL, "attention.gmm_components", "5", TACO_ERR_FORMAT);
    refused(NULL, "attention.prior_length", "5", TACO_ERR_FORMAT);
    refused(NULL, "attention.window_back", "2", TACO_ERR_FORMAT);
    refused(attentions[0], "attention.location_kernel_size", "31", TACO_ERR_FORMAT);
    refused(attentions[2], "attention.dim", "128", TACO_ERR_FORMAT);
    refused(attentions[2], "attention.normaliser", "\"softmax\"", TACO_ERR_FORMAT);
    refused(attentions[3], "attention.window", "\"none\"", TACO_ERR_FORMAT);
    static const char espnet[] =
        "{\"type\": \"forward\", \"dim\": 4, \"location_n_filters\": 0,"
        " \"forward_rule\": \"espnet\"}";
    refused(espnet, "attention.forward_mask", "true", TACO_ERR_FORMAT);
    accepted(espnet, "attention.transition_agent", "true");
    /* a name too long for err->param, or one that would upset a format */
    struct taco_hparams hparams;
    struct taco_error err;
    ck_assert_int_eq(
        parse(NULL, "a_key_whose_name_is_a_good_deal_longer_than_any_error_has_room_for",
              "1", &hparams, &err),
        TACO_ERR_FORMAT);
    refused(NULL, "%s%n", "1", TACO_ERR_FORMAT);
}
END_TEST

/* Two keys at once: model is location_model with both set. */
static enum taco_status parse_two(const char *key, const char *value, const char *key2,
                                  const char *value2, struct taco_hparams *out,
                                  struct taco_error *err) {
    json_t *model = changed(NULL, key, value);
    json_object_set_new(model, key2, json_loads(value2, JSON_DECODE_ANY, NULL));
    memset(err, 0, sizeof *err);
    enum taco_status status = taco_hparams_parse(out, model, err);
    json_decref(model);
    return status;
}

START_TEST(sizes_that_must_fit) {
    static const struct {
        const char *key, *value, *key2, *value2, *param; /* param NULL: accepted */
    } pairs[] = {
        {"encoder_conv_dim", "511", "encoder_n_convolutions", "0", "encoder_conv_dim"},
        {"encoder_conv_dim", "511", "encoder_n_convolutions", "1", NULL},
        {"encoder_conv_dim", "511", "encoder_residual", "true", "encoder_conv_dim"},
        {"encoder_conv_dim", "512", "encoder_residual", "true", NULL},
        {"speaker_mode", "\"add\"", "speaker_embedding_dim", "511",
         "speaker_embedding_dim"},
        {"speaker_mode", "\"add\"", "speaker_embedding_dim", "512", NULL},
        {"speaker_mode", "\"concat\"", "speaker_embedding_dim", "64", NULL},
        {"speaker_mode", "\"none\"", "speaker_embedding_dim", "64",
         "speaker_embedding_dim"},
        {"n_frames_per_step", "3", "gate_dim", "2", "gate_dim"},
        {"n_frames_per_step", "3", "gate_dim", "3", NULL},
        {"n_frames_per_step", "3", "gate_dim", "1", NULL},
    };
    EACH(pairs, i) {
        struct taco_hparams hparams;
        struct taco_error err;
        enum taco_status status = parse_two(pairs[i].key, pairs[i].value, pairs[i].key2,
                                            pairs[i].value2, &hparams, &err);
        ck_assert_msg(status == (pairs[i].param ? TACO_ERR_FORMAT : TACO_OK), "%zu: %s",
                      i, err.message);
        ck_assert_str_eq(err.param, pairs[i].param ? pairs[i].param : "");
    }
    refused(NULL, "gate_dim", "3", TACO_ERR_FORMAT);
    refused(NULL, "gate_dim", "0", TACO_ERR_FORMAT);
    EACH(not_integers, i) refused(NULL, "gate_dim", not_integers[i], TACO_ERR_FORMAT);
}
END_TEST

START_TEST(values) {
    struct taco_hparams h = accepted(NULL, "min_steps", "7");
    ck_assert_int_eq(h.n_symbols, 38);
    ck_assert_int_eq(h.n_mels, 80);
    ck_assert_int_eq(h.n_frames_per_step, 2);
    ck_assert_int_eq(h.symbols_embedding_dim, 512);
    ck_assert_int_eq(h.encoder_n_convolutions, 3);
    ck_assert_int_eq(h.encoder_kernel_size, 5);
    ck_assert_int_eq(h.encoder_conv_dim, 512);
    ck_assert(!h.encoder_residual);
    ck_assert_int_eq(h.encoder_lstm_dim, 256);
    ck_assert_int_eq(h.speaker_mode, TACO_SPEAKER_NONE);
    ck_assert_int_eq(h.n_speakers, 1);
    ck_assert_int_eq(h.speaker_embedding_dim, 0);
    ck_assert_int_eq(h.memory_dim, 512);
    ck_assert_int_eq(h.prenet_n_layers, 2);
    ck_assert_int_eq(h.prenet_dim[0], 256);
    ck_assert_int_eq(h.prenet_dim[1], 128);
    ck_assert(!h.prenet_bias && !h.prenet_all_frames);
    ck_assert_float_eq(h.prenet_dropout, 0.5f);
    ck_assert_int_eq(h.attention_rnn_dim, 1024);
    ck_assert_int_eq(h.decoder_rnn_dim, 1000);
    ck_assert(!h.attention_first && h.decoder_rnn_context);
    ck_assert_float_eq(h.zoneout, 0.0f);
    ck_assert_ptr_eq(h.attention.mechanism, &taco_attention_location);
    ck_assert_int_eq(h.attention.dim, 128);
    ck_assert_int_eq(h.attention.location_n_filters, 32);
    ck_assert_int_eq(h.attention.location_kernel_size, 31);
    ck_assert(h.attention.location_prev && h.attention.location_cum);
    ck_assert(!h.attention.memory_bias && !h.attention.v_bias);
    ck_assert_int_eq(h.attention.normaliser, TACO_NORMALISER_SOFTMAX);
    ck_assert_int_eq(h.attention.start, TACO_START_ZEROS);
    ck_assert_int_eq(h.attention.window, TACO_WINDOW_NONE);
    ck_assert_int_eq(h.gate_dim, 1);
    ck_assert_float_eq(h.gate_threshold, 0.5f);
    ck_assert(!h.gate_inclusive);
    ck_assert_int_eq(h.min_steps, 7);
    ck_assert_int_eq(h.firing_frame, TACO_FIRING_KEEP);
    ck_assert_float_eq(h.max_frames_per_symbol, 20.0f);
    ck_assert_int_eq(h.max_frames_base, 100);
    ck_assert_int_eq(h.postnet_n_convolutions, 5);
    ck_assert_int_eq(h.postnet_kernel_size, 5);
    ck_assert_int_eq(h.postnet_embedding_dim, 512);
}
END_TEST

START_TEST(values_of_attentions) {
    struct taco_hparams h = accepted(attentions[1], "attention.transition_agent", "true");
    ck_assert_ptr_eq(h.attention.mechanism, &taco_attention_forward);
    ck_assert_int_eq(h.attention.forward_rule, TACO_FORWARD_COQUI);
    ck_assert(h.attention.transition_agent);
    h = accepted(attentions[2], "attention.gmm_components", "7");
    ck_assert_ptr_eq(h.attention.mechanism, &taco_attention_gmm);
    ck_assert_int_eq(h.attention.gmm_components, 7);
    h = accepted(attentions[3], "attention.prior_length", "12");
    ck_assert_ptr_eq(h.attention.mechanism, &taco_attention_dynamic_convolution);
    ck_assert_int_eq(h.attention.dynamic_n_filters, 8);
    ck_assert_int_eq(h.attention.dynamic_kernel_size, 21);
    ck_assert_int_eq(h.attention.prior_length, 12);
    static const char window[] =
        "{\"type\": \"location\", \"dim\": 4, \"location_n_filters\": 0,"
        " \"window\": \"coqui\", \"window_back\": 2, \"window_forward\": 6}";
    h = accepted(window, "attention.window_back", "3");
    ck_assert_int_eq(h.attention.window, TACO_WINDOW_COQUI);
    ck_assert_int_eq(h.attention.window_back, 3);
    ck_assert_int_eq(h.attention.window_forward, 6);
    refused(window, "attention.window_back", NULL, TACO_ERR_FORMAT);
    refused(window, "attention.window_forward", "1001", TACO_ERR_FORMAT);

    struct taco_error err;
    ck_assert_int_eq(
        parse_two("speaker_mode", "\"concat\"", "speaker_embedding_dim", "64", &h, &err),
        TACO_OK);
    ck_assert_int_eq(h.memory_dim, 512 + 64);
    ck_assert_int_eq(h.n_speakers, 0); /* not in the model object: the table tells */
}
END_TEST

static void attentions_refused(const char *value, const char *param, const char *says) {
    struct taco_hparams hparams;
    struct taco_error err;
    enum taco_status status = parse(NULL, "attentions", value, &hparams, &err);
    ck_assert_msg(status == TACO_ERR_FORMAT || status == TACO_ERR_UNSUPPORTED, "%s",
                  value);
    ck_assert_msg(strstr(err.param, param) && strstr(err.message, says), "%s: %s: %s",
                  value, err.param, err.message);
}

/* A voice's other attentions. */
START_TEST(other_attentions) {
    struct taco_hparams h = accepted(
        NULL, "attentions",
        "{\"dot\": {\"type\": \"dot\", \"dim\": 4},"
        " \"window_2\": {\"type\": \"additive\", \"dim\": 5, \"window\": \"espnet\","
        " \"window_back\": 2, \"window_forward\": 6}}");
    ck_assert_int_eq(h.n_attentions, 3);
    ck_assert_str_eq(h.attentions[0].name, "location");
    ck_assert_str_eq(h.attentions[1].name, "dot");
    ck_assert_ptr_eq(h.attentions[1].mechanism, taco_attention_find("dot"));
    ck_assert(h.attentions[1].matrices && h.attentions[1].scale == 1);
    ck_assert_int_eq(h.attentions[2].window_forward, 6);
    attentions_refused("[]", "attentions", "object");
    attentions_refused("{\"location\": {\"type\": \"general\"}}", "attentions",
                       "default");
    attentions_refused("{\"A b\": {\"type\": \"general\"}}", "attentions", "a-z");
    attentions_refused("{\"x\": 3}", "attentions.x", "object");
    attentions_refused("{\"x\": {}}", "attentions.x.type", "missing");
    attentions_refused("{\"x\": {\"type\": \"no_such\"}}", "attentions.x.type",
                       "location");
    attentions_refused("{\"x\": {\"type\": \"dot\", \"matrices\": false}}",
                       "attentions.x.matrices", "attention_rnn_dim");
    attentions_refused("{\"x\": {\"type\": \"dot\", \"dim\": 0}}", "attentions.x.dim",
                       "1 to 8192");
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("hparams");
    TCase *bad = tcase_create("bad");
    tcase_add_test(bad, not_an_object);
    tcase_add_test(bad, required_keys);
    tcase_add_test(bad, integer_ranges);
    tcase_add_test(bad, real_ranges);
    tcase_add_test(bad, booleans);
    tcase_add_test(bad, names);
    tcase_add_test(bad, lists_and_names);
    tcase_add_test(bad, unknown_and_out_of_place);
    tcase_add_test(bad, sizes_that_must_fit);
    suite_add_tcase(s, bad);
    TCase *good = tcase_create("good");
    tcase_add_test(good, values);
    tcase_add_test(good, other_attentions);
    tcase_add_test(good, values_of_attentions);
    suite_add_tcase(s, good);
    return s;
}

int main(void) {
    return test_run(suite());
}
