/* The config's "audio" object. */
#include <check.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "support/runner.h"
#include "vocoder/vocoder.h"

static const char smallest[] =
    "{\"sample_rate\": 22050, \"n_fft\": 1024, \"win_length\": 1000, \"hop_length\": 256,"
    " \"n_mels\": 80, \"fmin\": 0, \"fmax\": 8000.5, \"log\": \"ln\", \"log_floor\": "
    "1e-5}";

static const char largest[] =
    "{\"sample_rate\": 16000, \"n_fft\": 2048, \"win_length\": 800, \"hop_length\": 200,"
    " \"n_mels\": 40, \"fmin\": 50, \"fmax\": 7600, \"window_periodic\": false,"
    " \"center\": false, \"pad_mode\": \"constant\", \"mel_power\": 2, \"log\": "
    "\"log10\","
    " \"log_gain\": 20, \"log_floor\": 1e-8, \"preemphasis\": 0.97, \"mean_std\": false,"
    " \"range\": {\"ref_level_db\": 20, \"min_level_db\": -100, \"max_norm\": 4,"
    " \"symmetric\": true, \"clip\": true}}";

static enum taco_status parse(json_t *audio, struct taco_audio_params *params,
                              struct taco_error *err) {
    *err = (struct taco_error)TACO_ERROR_INIT;
    return taco_audio_params_parse(params, audio, err);
}

static json_t *load(const char *text) {
    json_t *audio = json_loads(text, 0, NULL);
    ck_assert_ptr_nonnull(audio);
    return audio;
}

/* The object with `key` replaced by the JSON value, refused for that key. */
static void refuse(const char *text, const char *object, const char *key,
                   const char *value, const char *param, const char *says) {
    struct taco_audio_params params;
    struct taco_error err;
    json_t *audio = load(text), *at = *object ? json_object_get(audio, object) : audio;
    json_t *new = value ? json_loads(value, JSON_DECODE_ANY, NULL) : NULL;
    if (value)
        json_object_set_new(at, key, new);
    else
        json_object_del(at, key);
    ck_assert_msg(parse(audio, &params, &err) == TACO_ERR_FORMAT, "%s: %s", key, value);
    ck_assert_str_eq(err.param, param);
    ck_assert_msg(strstr(err.message, says) != NULL, "%s: %s", says, err.message);
    json_decref(audio);
}

START_TEST(what_is_no_object_is_refused) {
    static const char *const wrong[] = {"[]", "null", "\"audio\"", "7"};
    for (int i = 0; i < 4; i++) {
        struct taco_audio_params params;
        struct taco_error err;
        json_t *audio = json_loads(wrong[i], JSON_DECODE_ANY, NULL);
        ck_assert_int_eq(parse(audio, &params, &err), TACO_ERR_FORMAT);
        ck_assert_str_eq(err.param, "audio");
        json_decref(audio);
    }
    struct taco_audio_params params;
    ck_assert_int_eq(taco_audio_params_parse(&params, NULL, NULL), TACO_ERR_FORMAT);
}
END_TEST

START_TEST(missing_keys_are_named) {
    static const char *const keys[] = {"sample_rate", "n_fft", "win_length", "hop_length",
                                       "n_mels",      "fmin",  "fmax",       "log_floor"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        refuse(smallest, "", keys[i], NULL, keys[i], "is missing");
    refuse(smallest, "", "log", NULL, "log", "is missing");
    static const char *const inner[] = {"ref_level_db", "min_level_db", "max_norm",
                                        "symmetric", "clip"};
    for (size_t i = 0; i < sizeof inner / sizeof *inner; i++) {
        char param[40];
        snprintf(param, sizeof param, "range.%s", inner[i]);
        refuse(largest, "range", inner[i], NULL, param, "is missing");
    }
}
END_TEST

START_TEST(wrong_values_are_refused) {
    static const struct {
        const char *key, *value, *says;
    } cases[] = {
        {"sample_rate", "3999", "4000 to 96000"},
        {"sample_rate", "96001", "4000 to 96000"},
        {"sample_rate", "22050.0", "an integer"},
        {"sample_rate", "\"22050\"", "an integer"},
        {"sample_rate", "1e300", "an integer"},
        {"sample_rate", "9223372036854775807", "an integer"},
        {"n_fft", "1023", "even"},
        {"n_fft", "16", "32 to 16384"},
        {"n_fft", "16386", "32 to 16384"},
        {"n_fft", "998", ""},
        {"win_length", "1025", "over n_fft"},
        {"win_length", "15", "16 to 16384"},
        {"hop_length", "0", "1 to 8192"},
        {"hop_length", "-1", "1 to 8192"},
        {"hop_length", "501", "32 to 500"},
        {"hop_length", "31", "32 to 500"},
        {"n_mels", "0", "1 to 512"},
        {"n_mels", "513", "1 to 512"},
        {"fmin", "-1", "0 to 48000"},
        {"fmin", "8000.5", "below fmax"},
        {"fmax", "11025.1", "half the sample rate"},
        {"fmax", "true", "a number"},
        {"window_periodic", "1", "true or false"},
        {"center", "\"yes\"", "true or false"},
        {"pad_mode", "\"edge\"", "\"constant\", \"reflect\""},
        {"pad_mode", "3", "\"constant\", \"reflect\""},
        {"mel_power", "1.5", "1 or 2"},
        {"mel_power", "3", "1 to 2"},
        {"log", "\"log2\"", "\"ln\", \"log10\""},
        {"log_gain", "0", "1e-06 to 1e+06"},
        {"log_gain", "-1", "1e-06 to 1e+06"},
        {"log_floor", "0", "1e-30 to 1"},
        {"log_floor", "1.1", "1e-30 to 1"},
        {"range", "true", "object"},
        {"mean_std", "0", "true or false"},
        {"preemphasis", "1", "0 <= x < 1"},
        {"preemphasis", "0.99999999999", "0 <= x < 1"},
        {"preemphasis", "-0.1", "0 <= x < 1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        refuse(smallest, "", cases[i].key, cases[i].value,
               strcmp(cases[i].value, "998") == 0 ? "win_length" : cases[i].key,
               cases[i].says);
    refuse(largest, "range", "min_level_db", "0", "range.min_level_db",
           "-1000 to -0.001");
    refuse(largest, "range", "max_norm", "0", "range.max_norm", "1e-06 to 1e+06");
    refuse(largest, "range", "symmetric", "0", "range.symmetric", "true or false");
    refuse(largest, "", "mean_std", "true", "range", "exclude one another");
}
END_TEST

START_TEST(unknown_keys_are_refused) {
    refuse(smallest, "", "hop", "256", "hop", "audio.hop is not a key");
    refuse(largest, "range", "clip_norm", "true", "range.clip_norm",
           "audio.range.clip_norm is not a key");
}
END_TEST

START_TEST(defaults_are_those_of_the_format) {
    struct taco_audio_params p;
    struct taco_error err;
    json_t *audio = load(smallest);
    ck_assert_msg(parse(audio, &p, &err) == TACO_OK, "%s", err.message);
    json_decref(audio);
    ck_assert_int_eq(p.sample_rate, 22050);
    ck_assert_int_eq(p.n_fft, 1024);
    ck_assert_int_eq(p.win_length, 1000);
    ck_assert_int_eq(p.hop_length, 256);
    ck_assert_int_eq(p.n_mels, 80);
    ck_assert(p.fmin == 0 && p.fmax == 8000.5f);
    ck_assert(p.window_periodic && p.center && p.pad_reflect);
    ck_assert(p.mel_power == 1 && !p.log10 && p.log_gain == 1 && p.log_floor == 1e-5f);
    ck_assert(!p.range && !p.has_mean_std && p.preemphasis == 0);
}
END_TEST

START_TEST(every_key_is_read) {
    struct taco_audio_params p;
    struct taco_error err;
    json_t *audio = load(largest);
    ck_assert_msg(parse(audio, &p, &err) == TACO_OK, "%s", err.message);
    ck_assert(!p.window_periodic && !p.center && !p.pad_reflect);
    ck_assert(p.fmin == 50 && p.fmax == 7600 && p.mel_power == 2);
    ck_assert(p.log10 && p.log_gain == 20 && p.log_floor == 1e-8f);
    ck_assert(p.range && p.range_symmetric && p.range_clip);
    ck_assert(p.ref_level_db == 20 && p.min_level_db == -100 && p.max_norm == 4);
    ck_assert(p.preemphasis == 0.97f);
    json_object_del(audio, "range");
    json_object_set_new(audio, "mean_std", json_true());
    ck_assert_int_eq(parse(audio, &p, &err), TACO_OK);
    ck_assert(p.has_mean_std && !p.range);
    json_decref(audio);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("audio_params");
    TCase *tcase = tcase_create("parse");
    tcase_add_test(tcase, what_is_no_object_is_refused);
    tcase_add_test(tcase, missing_keys_are_named);
    tcase_add_test(tcase, wrong_values_are_refused);
    tcase_add_test(tcase, unknown_keys_are_refused);
    tcase_add_test(tcase, defaults_are_those_of_the_format);
    tcase_add_test(tcase, every_key_is_read);
    suite_add_tcase(suite, tcase);
    return test_run(suite);
}
