/* Opening a voice: whatever is wrong with the file is told by name, and nothing crashes.
 */
#include "engine/voice.h"
#include "support/files.h"
#include "support/numbers.h"
#include "support/runner.h"
#include "support/voice_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <taco/engine.h>
#include <unistd.h>

/* Opens the bytes of a voice, which are given back. */
static enum taco_status open_bytes(void *bytes, size_t size, struct taco_error *err) {
    struct taco_voice *voice = (void *)8;
    enum taco_status status = taco_voice_open_memory(&voice, bytes, size, NULL, err);
    ck_assert_int_eq(voice != NULL, status == TACO_OK);
    if (status != TACO_OK && err)
        ck_assert_int_eq(err->status, status);
    taco_voice_close(voice);
    free(bytes);
    return status;
}

static enum taco_status open_file(struct test_voice *file, struct taco_error *err) {
    size_t size;
    void *bytes = test_voice_bytes(file, &size);
    test_voice_free(file);
    *err = (struct taco_error)TACO_ERROR_INIT;
    return open_bytes(bytes, size, err);
}

/* -- arguments ----------------------------------------------------------------------- */

START_TEST(bad_arguments_are_refused) {
    struct taco_voice *voice = (void *)8;
    struct taco_error err = TACO_ERROR_INIT;
    ck_assert_int_eq(taco_voice_open(&voice, NULL, NULL, &err),
                     TACO_ERR_INVALID_ARGUMENT);
    ck_assert_ptr_null(voice);
    ck_assert_int_eq(taco_voice_open(&voice, "", NULL, NULL), TACO_ERR_INVALID_ARGUMENT);
    ck_assert_int_eq(taco_voice_open_memory(&voice, NULL, 64, NULL, NULL),
                     TACO_ERR_INVALID_ARGUMENT);
    _Alignas(64) char bytes[128] = {0};
    ck_assert_int_eq(taco_voice_open_memory(&voice, bytes + 8, 64, NULL, NULL),
                     TACO_ERR_INVALID_ARGUMENT);
    struct taco_voice_options options = taco_voice_options_default();
    options.precision = 17;
    ck_assert_int_eq(taco_voice_open_memory(&voice, bytes, 64, &options, NULL),
                     TACO_ERR_INVALID_ARGUMENT);
    taco_voice_close(NULL);
}
END_TEST

START_TEST(files_that_are_no_voice_are_refused) {
    struct taco_voice *voice;
    struct taco_error err = TACO_ERROR_INIT;
    ck_assert_int_eq(taco_voice_open(&voice, "no/such/file.safetensors", NULL, &err),
                     TACO_ERR_NOT_FOUND);
    ck_assert_ptr_nonnull(strstr(err.message, "no/such/file.safetensors"));
    char path[64];
    test_temp_file(path, "PK\3\4 not a voice, but an archive of one", 40);
    ck_assert_int_eq(taco_voice_open(&voice, path, NULL, NULL), TACO_ERR_FORMAT);
    unlink(path);
    test_temp_file(path, "", 0);
    ck_assert_int_eq(taco_voice_open(&voice, path, NULL, NULL), TACO_ERR_FORMAT);
    unlink(path);
    _Alignas(64) char bytes[64] = {0};
    ck_assert_int_eq(taco_voice_open_memory(&voice, bytes, 0, NULL, NULL),
                     TACO_ERR_FORMAT);
}
END_TEST

START_TEST(a_lexicon_needs_phones) {
    struct test_voice file;
    struct taco_voice *voice = (void *)&file;
    struct taco_error err = TACO_ERROR_INIT;
    struct taco_voice_options options = taco_voice_options_default();
    size_t size;
    char path[64];
    test_voice_init(&file, NULL, 1);
    void *bytes = test_voice_bytes(&file, &size);
    test_voice_free(&file);
    test_temp_file(path, "word W ER1 D\n", 13);
    options.lexicon = path;
    ck_assert_int_eq(taco_voice_open_memory(&voice, bytes, size, &options, &err),
                     TACO_ERR_UNSUPPORTED);
    ck_assert_str_eq(err.param, "lexicon");
    ck_assert_ptr_null(voice);
    unlink(path);
    free(bytes);
}
END_TEST

/* The file's bytes with one string in the header exchanged for another of its length. */
static void *exchange(const char *old, const char *new, size_t *size) {
    struct test_voice file;
    test_voice_init(&file, NULL, 1);
    char *bytes = test_voice_bytes(&file, size);
    test_voice_free(&file);
    char *at = memmem(bytes, *size, old, strlen(old));
    ck_assert_ptr_nonnull(at);
    memcpy(at, new, strlen(new));
    return bytes;
}

START_TEST(other_formats_and_versions_are_refused) {
    size_t size;
    struct taco_error err = TACO_ERROR_INIT;
    void *bytes = exchange("taco-voice", "toco-voice", &size);
    ck_assert_int_eq(open_bytes(bytes, size, &err), TACO_ERR_FORMAT);
    ck_assert_str_eq(err.param, "format");
    err = (struct taco_error)TACO_ERROR_INIT;
    bytes = exchange("\"version\":\"1\"", "\"version\":\"2\"", &size);
    ck_assert_int_eq(open_bytes(bytes, size, &err), TACO_ERR_VERSION);
    err = (struct taco_error)TACO_ERROR_INIT;
    bytes = exchange("\"version\":", "\"varsion\":", &size);
    ck_assert_int_eq(open_bytes(bytes, size, &err), TACO_ERR_VERSION);
    err = (struct taco_error)TACO_ERROR_INIT;
    bytes = exchange("\"config\":", "\"canfig\":", &size);
    ck_assert_int_eq(open_bytes(bytes, size, &err), TACO_ERR_FORMAT);
    ck_assert_str_eq(err.param, "config");
}
END_TEST

/* -- config -------------------------------------------------------------------------- */

static const struct {
    const char *overrides, *param;
} bad_configs[] = {
    {"{'colour': 'red'}", "colour"},
    {"{'name': null}", "name"},
    {"{'name': ''}", "name"},
    {"{'name': 7}", "name"},
    {"{'name': 'a b'}", "name"},
    {"{'name': '../etc'}", "name"},
    {"{'name': '..'}", "name"},
    {"{'name': '.slt'}", "name"},
    {"{'name': '-slt'}", "name"},
    {"{'name': 'abcdefghabcdefghabcdefghabcdefghabcdefghabcdefghabcdefghabcdefghi'}",
     "name"},
    {"{'language': 'en_US'}", "language"},
    {"{'language': ['en']}", "language"},
    {"{'licence': 1}", "licence"},
    {"{'description': {}}", "description"},
    {"{'source': false}", "source"},
    {"{'audio': {'colour': 1}}", "colour"},
    {"{'text': {'colour': 1}}", "text.colour"},
    {"{'speakers': ['one', 'two']}", "speakers"},
    {"{'speakers': []}", "speakers"},
    {"{'speakers': 'one'}", "speakers"},
    {"{'speakers': [1]}", "speakers"},
    {"{'speakers': ['']}", "speakers"},
    {"{'speakers': ['a', 'a'], 'model': {'speaker_mode': 'concat', "
     "'speaker_embedding_dim': 4}}",
     "speakers"},
    {"{'audio': {'n_mels': 15}}", "n_mels"},
    {"{'text': {'symbols': ['a', 'b', '.', ' '], 'punctuation': '.'}}", "symbols"},
};

START_TEST(a_bad_config_is_refused_by_its_key) {
    struct test_voice file;
    struct taco_error err;
    test_voice_init(&file, bad_configs[_i].overrides, 1);
    ck_assert_int_eq(open_file(&file, &err), TACO_ERR_FORMAT);
    ck_assert_str_eq(err.param, bad_configs[_i].param);
}
END_TEST

START_TEST(objects_of_the_config_must_be_there) {
    static const char *const keys[] = {"model", "audio", "text"};
    struct test_voice file;
    struct taco_error err;
    test_voice_init(&file, NULL, 1);
    json_object_del(file.config, keys[_i]);
    ck_assert_int_eq(open_file(&file, &err), TACO_ERR_FORMAT);
    ck_assert_str_eq(err.param, keys[_i]);
    test_voice_init(&file, NULL, 1);
    json_object_set_new(file.config, keys[_i], json_array());
    ck_assert_int_eq(open_file(&file, &err), TACO_ERR_FORMAT);
    ck_assert_str_eq(err.param, keys[_i]);
}
END_TEST

START_TEST(a_config_that_is_no_json_is_refused) {
    size_t size;
    struct taco_error err = TACO_ERROR_INIT;
    void *bytes = exchange("\\\"name\\\":", "\\\"name\\\";", &size);
    ck_assert_int_eq(open_bytes(bytes, size, &err), TACO_ERR_FORMAT);
    ck_assert_str_eq(err.param, "config");
}
END_TEST

/* -- tensors ------------------------------------------------------------------------- */

START_TEST(audio_tensors_are_checked) {
    struct test_voice file;
    struct taco_error err;
    test_voice_init(&file, NULL, 1);
    test_voice_drop(&file, "audio.mel_basis");
    ck_assert_int_eq(open_file(&file, &err), TACO_ERR_SHAPE);
    ck_assert_str_eq(err.param, "audio.mel_basis");
    test_voice_init(&file, NULL, 1);
    test_voice_reshape(&file, "audio.mel_basis", 2, (int64_t[]){257, 16});
    ck_assert_int_eq(open_file(&file, &err), TACO_ERR_SHAPE);
    ck_assert_str_eq(err.param, "audio.mel_basis");
    ck_assert_ptr_nonnull(strstr(err.message, "[16, 257]"));
    test_voice_init(&file, NULL, 1);
    test_voice_tensor(&file, "audio.mel_basis")->data[5] = NAN;
    ck_assert_int_eq(open_file(&file, &err), TACO_ERR_FORMAT);
    ck_assert_str_eq(err.param, "audio.mel_basis");
    test_voice_init(&file, NULL, 1);
    test_voice_tensor(&file, "audio.mel_basis")->dtype = TACO_DTYPE_OTHER;
    ck_assert_int_eq(open_file(&file, &err), TACO_ERR_SHAPE);
    test_voice_init(&file, NULL, 1);
    (void)test_voice_add(&file, "audio.mean", 1, (int64_t[]){16});
    ck_assert_int_eq(open_file(&file, &err), TACO_ERR_FORMAT);
    ck_assert_str_eq(err.param, "audio.mean");
    test_voice_init(&file, "{'audio': {'mean_std': true}}", 1);
    test_voice_tensor(&file, "audio.std")->data[3] = 0;
    ck_assert_int_eq(open_file(&file, &err), TACO_ERR_FORMAT);
    ck_assert_str_eq(err.param, "audio.std");
    test_voice_init(&file, "{'audio': {'mean_std': true}}", 1);
    test_voice_drop(&file, "audio.mean");
    ck_assert_int_eq(open_file(&file, &err), TACO_ERR_SHAPE);
    ck_assert_str_eq(err.param, "audio.mean");
    test_voice_init(&file, "{'audio': {'mean_std': true}}", 1);
    ck_assert_int_eq(open_file(&file, &err), TACO_OK);
}
END_TEST

/* Cut anywhere, or a byte changed anywhere: an error or a voice, never a crash. */
START_TEST(damaged_files_do_no_harm) {
    struct test_voice file;
    size_t size;
    test_voice_init(&file, NULL, 1);
    unsigned char *whole = test_voice_bytes(&file, &size);
    test_voice_free(&file);
    uint64_t seed = 3, header = 0;
    memcpy(&header, whole, 8);
    for (int i = 0; i < 600; i++) {
        /* Most damage goes where the structure is. */
        size_t at = test_random_below(&seed, i % 4 ? 8 + (size_t)header : size);
        unsigned char *bytes = aligned_alloc(64, (size + 63) / 64 * 64);
        memcpy(bytes, whole, size);
        size_t length = size;
        if (i % 2)
            length = at;
        else
            bytes[at] ^= (unsigned char)(1 + test_random_below(&seed, 255));
        struct taco_error err = TACO_ERROR_INIT;
        enum taco_status status = open_bytes(bytes, length, &err);
        ck_assert(i % 2 == 0 || status != TACO_OK);
    }
    free(whole);
}
END_TEST

/* -- facts --------------------------------------------------------------------------- */

START_TEST(facts_are_those_of_the_file) {
    struct test_voice file;
    size_t size;
    test_voice_init(
        &file,
        "{'speakers': ['ann', 'bob', 'cy'], 'model': {'speaker_mode': 'concat', "
        "'speaker_embedding_dim': 4, 'n_frames_per_step': 2}, 'source': null}",
        1);
    uint64_t n_parameters = 0;
    for (int i = 0; i < file.n; i++) {
        uint64_t n = 1;
        for (int d = 0; d < file.tensors[i].n_dims; d++)
            n *= (uint64_t)file.tensors[i].shape[d];
        if (strcmp(file.tensors[i].name, "audio.mel_basis") != 0)
            n_parameters += n;
    }
    void *bytes = test_voice_bytes(&file, &size);
    test_voice_free(&file);
    struct taco_voice *voice;
    ck_assert_int_eq(taco_voice_open_memory(&voice, bytes, size, NULL, NULL), TACO_OK);
    const struct taco_voice_info *info = taco_voice_info(voice);
    ck_assert_str_eq(info->name, "test");
    ck_assert_str_eq(info->description, "random weights");
    ck_assert_str_eq(info->language, "en-US");
    ck_assert_str_eq(info->source, "");
    ck_assert_str_eq(info->front_end, "characters");
    ck_assert_str_eq(info->attention, "location");
    ck_assert_str_eq(info->stored, "f32");
    ck_assert_ptr_nonnull(strstr(info->graph, "3 speakers"));
    ck_assert_int_ne(info->precision, TACO_PRECISION_AUTO);
    ck_assert_uint_eq(info->n_parameters, n_parameters);
    ck_assert_uint_eq(info->file_bytes, size);
    ck_assert_int_eq(info->sample_rate, 16000);
    ck_assert_int_eq(info->hop_length, 80);
    ck_assert_int_eq(info->n_mels, 16);
    ck_assert_int_eq(info->n_frames_per_step, 2);
    ck_assert_int_eq(info->n_symbols, 38);
    ck_assert_str_eq(info->symbols[37], "z");
    ck_assert_int_eq(info->n_speakers, 3);
    ck_assert_str_eq(info->speakers[2], "cy");
    taco_voice_close(voice);
    free(bytes);
}
END_TEST

START_TEST(a_voice_opens_from_a_path_in_every_precision) {
    struct test_voice file;
    char path[64];
    test_voice_init(&file, NULL, 1);
    test_voice_tensor(&file, "decoder.attention_rnn.weight_ih")->dtype = TACO_DTYPE_BF16;
    test_temp_file(path, "", 0);
    test_voice_save(&file, path);
    test_voice_free(&file);
    for (int p = 0; p <= TACO_PRECISION_INT8; p++) {
        struct taco_voice_options options = {.precision = p};
        struct taco_voice *voice;
        ck_assert_int_eq(taco_voice_open(&voice, path, &options, NULL), TACO_OK);
        const struct taco_voice_info *info = taco_voice_info(voice);
        if (p != TACO_PRECISION_AUTO)
            ck_assert_int_eq(info->precision, p);
        ck_assert_str_eq(info->stored, "mixed");
        ck_assert_int_eq(info->n_speakers, 1);
        ck_assert_ptr_null(info->speakers);
        enum taco_precision parsed;
        ck_assert_int_eq(taco_precision_parse(taco_precision_name(p), &parsed, NULL),
                         TACO_OK);
        ck_assert_int_eq(parsed, p);
        taco_voice_close(voice);
    }
    unlink(path);
    enum taco_precision parsed;
    ck_assert_int_eq(taco_precision_parse("f64", &parsed, NULL),
                     TACO_ERR_INVALID_ARGUMENT);
    ck_assert_str_eq(taco_precision_name(99), "unknown");
}
END_TEST

static const struct taco_result *speak(struct taco_engine *engine,
                                       const struct taco_voice *voice) {
    struct taco_request request = taco_request_default();
    const struct taco_result *result;
    request.text = "nothing on the disk matters now.";
    request.text_length = strlen(request.text);
    request.has_seed = true;
    request.max_frames = 60;
    ck_assert_int_eq(taco_engine_speak(engine, voice, &request, &result, NULL), TACO_OK);
    return result;
}

/* Every tensor of the file, one of each type, is the voice's own. */
START_TEST(a_file_that_changes_does_not_reach_an_open_voice) {
    struct test_voice file;
    char path[64];
    test_voice_init(&file, NULL, 1);
    test_temp_file(path, "", 0);
    test_voice_save(&file, path);
    test_voice_free(&file);
    struct taco_engine *engine;
    ck_assert_int_eq(taco_engine_create(&engine, NULL, NULL), TACO_OK);
    for (int p = TACO_PRECISION_F32; p <= TACO_PRECISION_INT8; p++) {
        struct taco_voice_options options = taco_voice_options_default();
        options.precision = p;
        struct taco_voice *voice, *again;
        ck_assert_int_eq(taco_voice_open(&voice, path, &options, NULL), TACO_OK);
        ck_assert_int_eq(taco_voice_open(&again, path, &options, NULL), TACO_OK);
        const struct taco_result *before = speak(engine, voice);
        if (p == TACO_PRECISION_INT8)
            ck_assert_int_eq(truncate(path, 0), 0);
        const struct taco_result *after = speak(engine, again);
        ck_assert_uint_eq(before->n_samples, after->n_samples);
        ck_assert_mem_eq(before->samples, after->samples,
                         before->n_samples * sizeof(float));
        taco_result_unref(before);
        taco_result_unref(after);
        taco_engine_forget(engine, voice);
        taco_engine_forget(engine, again);
        taco_voice_close(voice);
        taco_voice_close(again);
    }
    taco_engine_destroy(engine);
    unlink(path);
}
END_TEST

START_TEST(voices_are_found_by_name) {
    struct test_voice file;
    char directory[64], path[128], list[160];
    test_temp_directory(directory);
    snprintf(path, sizeof path, "%s/some.voice-1.safetensors", directory);
    snprintf(list, sizeof list, "/nonexistent::%s", directory);
    test_voice_init(&file, NULL, 1);
    test_voice_save(&file, path);
    test_voice_free(&file);
    ck_assert_int_eq(setenv("TACO_VOICES", list, 1), 0);
    struct taco_voice *voice;
    ck_assert_int_eq(taco_voice_open_installed(&voice, "some.voice-1", NULL, NULL),
                     TACO_OK);
    taco_voice_close(voice);
    struct taco_error err = TACO_ERROR_INIT;
    ck_assert_int_eq(taco_voice_open_installed(&voice, "other", NULL, &err),
                     TACO_ERR_NOT_FOUND);
    ck_assert_ptr_null(voice);
    ck_assert_ptr_nonnull(strstr(err.message, "\"other\""));
    ck_assert_ptr_nonnull(strstr(err.message, "some.voice-1"));
    static const char *const bad[] = {"", "../x", "a/b", ".x", "-x", "a b", "\xC3\xA9"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        ck_assert_int_eq(taco_voice_open_installed(&voice, bad[i], NULL, NULL),
                         TACO_ERR_INVALID_ARGUMENT);
    ck_assert_int_eq(setenv("TACO_VOICES", "models", 1), 0);
    ck_assert_int_eq(taco_voice_open_installed(&voice, NULL, NULL, NULL), TACO_OK);
    ck_assert_str_eq(taco_voice_info(voice)->name, "heart");
    taco_voice_close(voice);
    unsetenv("TACO_VOICES");
    unlink(path);
    rmdir(directory);
}
END_TEST

static int count_down(void *n_left) {
    return (*(int *)n_left)-- <= 0;
}

START_TEST(opening_is_cancelled_at_any_time) {
    struct test_voice file;
    char path[64];
    test_voice_init(&file, NULL, 1);
    test_temp_file(path, "", 0);
    test_voice_save(&file, path);
    test_voice_free(&file);
    enum taco_status status = TACO_ERR_CANCELLED;
    int n = 0;
    for (; status == TACO_ERR_CANCELLED; n++) {
        int n_left = n;
        const struct taco_cancel cancel = {count_down, &n_left};
        struct taco_voice_options options = taco_voice_options_default();
        struct taco_voice *voice;
        struct taco_error err = TACO_ERROR_INIT;
        options.cancel = &cancel;
        status = taco_voice_open(&voice, path, &options, &err);
        ck_assert_int_eq(err.status, status);
        ck_assert_int_eq(voice == NULL, status == TACO_ERR_CANCELLED);
        taco_voice_close(voice);
    }
    ck_assert_int_eq(status, TACO_OK);
    ck_assert_int_gt(n, 10); /* it is asked for every part */
    unlink(path);
}
END_TEST

START_TEST(text_is_analysed_by_the_voice) {
    struct test_voice file;
    size_t size;
    test_voice_init(&file, NULL, 1);
    void *bytes = test_voice_bytes(&file, &size);
    test_voice_free(&file);
    struct taco_voice *voice;
    struct taco_text *text;
    ck_assert_int_eq(taco_voice_open_memory(&voice, bytes, size, NULL, NULL), TACO_OK);
    ck_assert_int_eq(taco_text_analyse(voice, "go on", 5, NULL, &text, NULL), TACO_OK);
    ck_assert_uint_eq(text->n_words, 2);
    ck_assert_uint_eq(text->n_symbols, 6); /* with the full stop that was missing */
    taco_text_destroy(text);
    ck_assert_int_eq(taco_text_analyse(voice, "", 0, NULL, &text, NULL),
                     TACO_ERR_EMPTY_TEXT);
    taco_voice_close(voice);
    free(bytes);
}
END_TEST

/* -- self-test ----------------------------------------------------------------------- */

/* The report of a voice with the projection's first bias set; NULL with an error. */
static char *report_of(float bias, enum taco_status expected) {
    struct test_voice file;
    size_t size;
    test_voice_init(&file, NULL, 1);
    test_voice_tensor(&file, "decoder.linear_projection.bias")->data[0] = bias;
    void *bytes = test_voice_bytes(&file, &size);
    test_voice_free(&file);
    struct taco_voice *voice;
    struct taco_error err = TACO_ERROR_INIT;
    char *report;
    ck_assert_int_eq(taco_voice_open_memory(&voice, bytes, size, NULL, NULL), TACO_OK);
    ck_assert_int_eq(taco_voice_check(voice, &report, &err), expected);
    ck_assert_int_eq(err.status, expected);
    taco_voice_close(voice);
    free(bytes);
    return report;
}

START_TEST(analysis_is_cancelled_at_any_sentence) {
    struct test_voice file;
    char path[64];
    test_voice_init(&file, NULL, 1);
    test_temp_file(path, "", 0);
    test_voice_save(&file, path);
    test_voice_free(&file);
    struct taco_voice *voice;
    ck_assert_int_eq(taco_voice_open(&voice, path, NULL, NULL), TACO_OK);
    unlink(path);
    static const char source[] = "one. two. three. four. five.";
    enum taco_status status = TACO_ERR_CANCELLED;
    int n = 0;
    for (; status == TACO_ERR_CANCELLED; n++) {
        int n_left = n;
        const struct taco_cancel cancel = {count_down, &n_left};
        struct taco_text_options options = taco_text_options_default();
        struct taco_text *text;
        options.cancel = &cancel;
        status = taco_text_analyse(voice, source, strlen(source), &options, &text, NULL);
        ck_assert_int_eq(text == NULL, status == TACO_ERR_CANCELLED);
        taco_text_destroy(text);
    }
    ck_assert_int_eq(status, TACO_OK);
    ck_assert_int_ge(n, 6);
    taco_voice_close(voice);
}
END_TEST

START_TEST(a_voice_is_checked) {
    char *report = report_of(0, TACO_OK);
    ck_assert_ptr_nonnull(strstr(report, "numbers: all finite"));
    ck_assert_ptr_nonnull(strstr(report, "The quick brown fox"));
    free(report);
    report = report_of(3e38f, TACO_ERR_FORMAT);
    ck_assert_ptr_nonnull(strstr(report, "is not finite"));
    free(report);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("voice");
    TCase *tc = tcase_create("voice");
    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, bad_arguments_are_refused);
    tcase_add_test(tc, files_that_are_no_voice_are_refused);
    tcase_add_test(tc, other_formats_and_versions_are_refused);
    tcase_add_test(tc, a_lexicon_needs_phones);
    tcase_add_loop_test(tc, a_bad_config_is_refused_by_its_key, 0,
                        sizeof bad_configs / sizeof *bad_configs);
    tcase_add_loop_test(tc, objects_of_the_config_must_be_there, 0, 3);
    tcase_add_test(tc, a_config_that_is_no_json_is_refused);
    tcase_add_test(tc, audio_tensors_are_checked);
    tcase_add_test(tc, damaged_files_do_no_harm);
    tcase_add_test(tc, facts_are_those_of_the_file);
    tcase_add_test(tc, a_voice_opens_from_a_path_in_every_precision);
    tcase_add_test(tc, a_file_that_changes_does_not_reach_an_open_voice);
    tcase_add_test(tc, opening_is_cancelled_at_any_time);
    tcase_add_test(tc, voices_are_found_by_name);
    tcase_add_test(tc, text_is_analysed_by_the_voice);
    tcase_add_test(tc, analysis_is_cancelled_at_any_sentence);
    tcase_add_test(tc, a_voice_is_checked);
    suite_add_tcase(suite, tc);
    return test_run(suite);
}
