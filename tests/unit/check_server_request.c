/* server/: from bytes of HTTP to a request for speech, and how the answer's form is
 * chosen. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "http/error_code.h"
#include "speech/negotiate.h"
#include "speech/request.h"
#include "support/runner.h"

#define JSON "application/json"
#define FORM "application/x-www-form-urlencoded"

static struct taco_speech speech;
static struct taco_error err;

static void setup(void) {
    taco_speech_init(&speech);
    err = (struct taco_error)TACO_ERROR_INIT;
}

static void teardown(void) {
    taco_speech_free(&speech);
}

static int read_query(unsigned use, const char *query) {
    struct taco_native_fields fields = {&speech, use};
    const struct taco_request_reader reader = {"text", "text/plain",
                                               taco_request_set_native, &fields};
    return taco_request_read_query(&reader, query, &err);
}

static int read_body(const char *type, const char *body, size_t size) {
    struct taco_native_fields fields = {&speech, TACO_FIELD_SPEECH};
    const struct taco_request_reader reader = {"text", "text/plain",
                                               taco_request_set_native, &fields};
    return taco_request_read_body(&reader, type, body, size, &err);
}

/* Reads into a fresh speech; query may be NULL. */
static int read_request(const char *query, const char *type, const char *body,
                        size_t size) {
    teardown();
    setup();
    int code = read_query(TACO_FIELD_SPEECH, query);
    return code || (query && size == 0) ? code : read_body(type, body, size);
}

static int read_json(const char *body) {
    return read_request(NULL, JSON, body, strlen(body));
}

START_TEST(bad_json_is_refused_with_the_field_at_fault) {
    static const struct {
        const char *body;
        int code;
        const char *param;
    } cases[] = {
        {"", TACO_CODE_BAD_JSON, ""},
        {"{", TACO_CODE_BAD_JSON, ""},
        {"null", TACO_CODE_BAD_JSON, ""},
        {"[]", TACO_CODE_BAD_JSON, ""},
        {"\"text\"", TACO_CODE_BAD_JSON, ""},
        {"{\"text\":\"a\"} x", TACO_CODE_BAD_JSON, ""},
        {"{\"text\":\"a\",}", TACO_CODE_BAD_JSON, ""},
        {"{'text':'a'}", TACO_CODE_BAD_JSON, ""},
        {"{\"speed\":NaN}", TACO_CODE_BAD_JSON, ""},
        {"{\"speed\":Infinity}", TACO_CODE_BAD_JSON, ""},
        {"{\"speed\":1e999}", TACO_CODE_BAD_JSON, ""},
        {"{\"seed\":99999999999999999999}", TACO_CODE_BAD_JSON, ""},
        {"{\"text\":\"\\ud800\"}", TACO_CODE_BAD_JSON, ""},
        {"{\"text\":\"\xff\"}", TACO_ERR_INVALID_UTF8, ""},
        {"{\"text\":\"a\",\"text\":\"b\"}", TACO_CODE_DUPLICATE_PARAMETER, ""},
        {"{\"text\":1}", TACO_CODE_WRONG_TYPE, "text"},
        {"{\"text\":null}", TACO_CODE_WRONG_TYPE, "text"},
        {"{\"text\":[\"a\"]}", TACO_CODE_WRONG_TYPE, "text"},
        {"{\"voice\":7}", TACO_CODE_WRONG_TYPE, "voice"},
        {"{\"seed\":\"7\"}", TACO_CODE_WRONG_TYPE, "seed"},
        {"{\"seed\":1.5}", TACO_CODE_WRONG_TYPE, "seed"},
        {"{\"seed\":-1}", TACO_ERR_INVALID_ARGUMENT, "seed"},
        {"{\"speed\":\"fast\"}", TACO_CODE_WRONG_TYPE, "speed"},
        {"{\"strict\":1}", TACO_CODE_WRONG_TYPE, "strict"},
        {"{\"strict\":\"true\"}", TACO_CODE_WRONG_TYPE, "strict"},
        {"{\"format\":true}", TACO_CODE_WRONG_TYPE, "format"},
        {"{\"format\":\"xyz\"}", TACO_ERR_INVALID_ARGUMENT, "format"},
        {"{\"format\":\"wa\\u0000v\"}", TACO_ERR_INVALID_ARGUMENT, "format"},
        {"{\"phase\":\"zero\"}", TACO_ERR_INVALID_ARGUMENT, "phase"},
        {"{\"matrix\":\"full\"}", TACO_ERR_INVALID_ARGUMENT, "matrix"},
        {"{\"n_iter\":3000000000}", TACO_ERR_INVALID_ARGUMENT, "n_iter"},
        {"{\"max_frames\":0}", TACO_ERR_INVALID_ARGUMENT, "max_frames"},
        {"{\"sample_rate\":0}", TACO_ERR_INVALID_ARGUMENT, "sample_rate"},
        {"{\"gate_threshold\":0}", TACO_ERR_INVALID_ARGUMENT, "gate_threshold"},
        {"{\"timeout\":0}", TACO_ERR_INVALID_ARGUMENT, "timeout"},
        {"{\"speaker\":1.5}", TACO_CODE_WRONG_TYPE, "speaker"},
        {"{\"Text\":\"a\"}", TACO_CODE_UNKNOWN_PARAMETER, "Text"},
        {"{\"\":1}", TACO_CODE_UNKNOWN_PARAMETER, ""},
        {"{\"max_bytes\":1}", TACO_CODE_UNKNOWN_PARAMETER, "max_bytes"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int code = read_json(cases[i].body);
        ck_assert_msg(code == cases[i].code, "%s: %d: %s", cases[i].body, code,
                      err.message);
        ck_assert_str_eq(err.param, cases[i].param);
        ck_assert_str_ne(err.message, "");
    }
}
END_TEST

START_TEST(other_bodies_and_queries_are_refused) {
    static const struct {
        const char *query, *type, *body;
        int code;
        const char *param;
    } cases[] = {
        {NULL, "text/html", "a", TACO_CODE_UNSUPPORTED_MEDIA_TYPE, "Content-Type"},
        {NULL, "", "a", TACO_CODE_UNSUPPORTED_MEDIA_TYPE, "Content-Type"},
        {NULL, "text/plain; charset=latin1", "a", TACO_CODE_UNSUPPORTED_MEDIA_TYPE,
         "Content-Type"},
        {NULL, "multipart/form-data; boundary=x", "a", TACO_CODE_UNSUPPORTED_MEDIA_TYPE,
         "Content-Type"},
        {"text=a", "text/plain", "b", TACO_CODE_DUPLICATE_PARAMETER, "text"},
        {"text=a", JSON, "{\"text\":\"b\"}", TACO_CODE_DUPLICATE_PARAMETER, "text"},
        {"seed=1", FORM, "seed=2&text=a", TACO_CODE_DUPLICATE_PARAMETER, "seed"},
        {"seed=1&seed=1", "text/plain", "a", TACO_CODE_DUPLICATE_PARAMETER, "seed"},
        {"seed=", "text/plain", "a", TACO_CODE_WRONG_TYPE, "seed"},
        {"seed=0x7", "text/plain", "a", TACO_CODE_WRONG_TYPE, "seed"},
        {"seed=7.0", "text/plain", "a", TACO_CODE_WRONG_TYPE, "seed"},
        {"speed=nan", "text/plain", "a", TACO_CODE_WRONG_TYPE, "speed"},
        {"speed=%", "text/plain", "a", TACO_CODE_BAD_ENCODING, "speed"},
        {"strict=maybe", "text/plain", "a", TACO_CODE_WRONG_TYPE, "strict"},
        {"format=wav%00", "text/plain", "a", TACO_ERR_INVALID_ARGUMENT, "format"},
        {"pitch=2", "text/plain", "a", TACO_CODE_UNKNOWN_PARAMETER, "pitch"},
        {NULL, FORM, "txet=a", TACO_CODE_UNKNOWN_PARAMETER, "txet"},
        {NULL, FORM, "text=100% sure", TACO_CODE_BAD_ENCODING, "text"},
        {NULL, FORM, "text=a&text=b", TACO_CODE_DUPLICATE_PARAMETER, "text"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int code = read_request(cases[i].query, cases[i].type, cases[i].body,
                                strlen(cases[i].body));
        ck_assert_msg(code == cases[i].code, "%zu: %d: %s", i, code, err.message);
        ck_assert_str_eq(err.param, cases[i].param);
    }
    char query[6000] = "voice=";
    memset(query + 6, 'x', sizeof query - 7);
    ck_assert_int_eq(read_request(query, NULL, "a", 1), TACO_ERR_INVALID_ARGUMENT);
}
END_TEST

START_TEST(bodies_that_seem_to_be_something_else_say_so) {
    static const struct {
        const char *type, *body;
        int code;
        const char *said;
    } cases[] = {
        {NULL, "{\"text\": \"Hello\"}", TACO_CODE_UNSUPPORTED_MEDIA_TYPE,
         "application/json"},
        {FORM, " {\n \"text\": \"a=b\"}", TACO_CODE_UNSUPPORTED_MEDIA_TYPE,
         "application/json"},
        {FORM, "E=mc2", TACO_CODE_UNKNOWN_PARAMETER, "text/plain"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ck_assert_int_eq(
            read_request(NULL, cases[i].type, cases[i].body, strlen(cases[i].body)),
            cases[i].code);
        ck_assert_msg(strstr(err.message, cases[i].said) != NULL, "%s", err.message);
    }
    /* Text that was declared as such, and phones. */
    ck_assert_int_eq(read_request(NULL, "text/plain", "{\"a\": 1}", 8), 0);
    ck_assert_int_eq(read_request(NULL, NULL, "{HH AH0} \"a\"", 12), 0);
}
END_TEST

/* The table's ranges are the library's: both accept and refuse the same numbers. */
START_TEST(ranges_are_the_engine_s) {
    for (const struct taco_field *f = taco_fields; f->name; f++) {
        bool number = f->kind == TACO_FIELD_INTEGER || f->kind == TACO_FIELD_SEED ||
                      f->kind == TACO_FIELD_FLOAT || f->kind == TACO_FIELD_DOUBLE;
        if (!number)
            continue;
        bool whole = f->kind == TACO_FIELD_INTEGER || f->kind == TACO_FIELD_SEED;
        const double values[] = {f->min, f->max, f->min - (whole ? 1 : 1e-4),
                                 f->max + (whole ? 1 : 1e-4)};
        for (size_t i = 0; i < 4; i++) {
            json_t *json =
                whole ? json_integer((json_int_t)values[i]) : json_real(values[i]);
            const struct taco_value value = taco_value_json(json);
            teardown();
            setup();
            int code = taco_speech_set(&speech, f, &value, &err);
            ck_assert_msg(code == (i < 2 ? 0 : TACO_ERR_INVALID_ARGUMENT), "%s %g",
                          f->name, values[i]);
            if (i < 2)
                ck_assert_msg(taco_request_check(&speech.request, &err) == TACO_OK, "%s",
                              err.message);
            json_decref(json);
        }
        const struct taco_value fallback =
            taco_value_written(f->fallback, strlen(f->fallback));
        double unused;
        if (!taco_value_number(&fallback, &unused))
            continue;
        struct taco_speech fresh;
        taco_speech_init(&fresh);
        teardown();
        setup();
        ck_assert_int_eq(taco_speech_set(&speech, f, &fallback, &err), 0);
        const void *set = (const char *)&speech + f->offset,
                   *first = (const char *)&fresh + f->offset;
        ck_assert_msg(memcmp(set, first, 4) == 0, "default of %s", f->name);
    }
}
END_TEST

START_TEST(every_field_arrives_from_json) {
    ck_assert_int_eq(
        read_json(
            "{\"text\":\"h\\u00e9\\u0000\",\"voice\":\"slt\",\"speaker\":3,"
            "\"seed\":9007199254740991,\"speed\":2,\"volume\":0.5,\"format\":\"flac\","
            "\"sample_rate\":22050,\"bit_rate\":64000,\"gate_threshold\":0.25,"
            "\"attention\":\"dot\",\"temperature\":2,\"window_back\":1,\"window_"
            "forward\":5,"
            "\"max_frames\":500,\"max_attempts\":3,\"strict\":true,"
            "\"final_punctuation\":false,\"sentence_pause\":0,\"paragraph_pause\":1.5,"
            "\"phase\":\"random\",\"n_iter\":0,\"momentum\":0,\"power\":1.25,"
            "\"lexicon\":{\"W3C\":\"web "
            "consortium\"},\"input\":\"markdown\",\"normalise\":false,\"allow_silence\":"
            "true,\"max_audio\":60,\"timeout\":2.5,"
            "\"stream\":true,\"matrix\":"
            "\"float16\"}"),
        0);
    const struct taco_request *r = &speech.request;
    ck_assert_uint_eq(r->text_length, 4); /* the NUL is the engine's to refuse */
    ck_assert_mem_eq(r->text, "h\xc3\xa9\0", 5);
    ck_assert_str_eq(speech.voice, "slt");
    ck_assert_str_eq(speech.speaker, "3");
    ck_assert_str_eq(speech.attention, "dot");
    ck_assert(r->temperature == 2 && r->window_back == 1 && r->window_forward == 5);
    ck_assert(r->has_seed && r->seed == UINT64_C(9007199254740991));
    ck_assert(r->speed == 2 && r->volume == 0.5f);
    ck_assert(speech.has_format && speech.audio.format == TACO_AUDIO_FLAC);
    ck_assert(speech.audio.sample_rate == 22050 && speech.audio.bit_rate == 64000);
    ck_assert(r->gate_threshold == 0.25f && r->max_frames == 500 && r->max_attempts == 3);
    ck_assert(r->strict && r->streaming && !r->text_options.final_punctuation);
    ck_assert(r->text_options.sentence_pause == 0 &&
              r->text_options.paragraph_pause == 1.5f);
    ck_assert(r->vocoder.phase == TACO_PHASE_RANDOM && r->vocoder.n_iter == 0);
    ck_assert(r->vocoder.momentum == 0 && r->vocoder.power == 1.25f && r->timeout == 2.5);
    ck_assert(r->max_audio == 60);
    ck_assert_ptr_nonnull(strstr(speech.lexicon, "web consortium"));
    ck_assert_int_eq(r->text_options.input, TACO_INPUT_MARKDOWN);
    ck_assert(!r->text_options.normalise && r->text_options.allow_silence);
    ck_assert_int_eq(speech.matrix, TACO_MATRIX_F16);
    int n = 0;
    for (const struct taco_field *f = taco_fields; f->name; f++)
        n += (f->uses & TACO_FIELD_SPEECH) != 0;
    ck_assert_int_eq(__builtin_popcountll(speech.given), n);
}
END_TEST

START_TEST(text_arrives_from_every_kind_of_body) {
    static const struct {
        const char *query, *type, *body, *text;
    } cases[] = {
        {NULL, NULL, "Hello + 100% = & more", "Hello + 100% = & more"},
        {NULL, "text/plain; charset=utf-8", "h\xc3\xa9", "h\xc3\xa9"},
        {NULL, FORM, "Hello, world. It costs $25.50.", "Hello, world. It costs $25.50."},
        {NULL, FORM, "text=Hello%2C+world", "Hello, world"},
        {NULL, FORM, "seed=7&text=Hello, world. It costs $25.50.",
         "Hello, world. It costs $25.50."},
        {NULL, FORM, "E = mc2 & more", "E = mc2 & more"},
        {NULL, JSON, " {\"text\" : \"Hello\"}\n", "Hello"},
        {"seed=7", "text/plain", "Hello", "Hello"},
        {"text=Hello", "text/plain", "", "Hello"},
        {"text=Hello", FORM, "", "Hello"},
        {"text=Hello", JSON, "", "Hello"},
        {"text=Hello", JSON, "{\"seed\":7}", "Hello"},
        {NULL, "text/plain", "", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int code = read_request(cases[i].query, cases[i].type, cases[i].body,
                                strlen(cases[i].body));
        ck_assert_msg(code == 0, "%zu: %s", i, err.message);
        ck_assert_str_eq(speech.text, cases[i].text);
        ck_assert_ptr_eq(speech.request.text, speech.text);
        ck_assert_uint_eq(speech.request.text_length, strlen(cases[i].text));
    }
}
END_TEST

START_TEST(kept_results_take_their_own_parameters_only) {
    ck_assert_int_eq(read_query(TACO_FIELD_AUDIO, "format=mp3&bit_rate=64000"), 0);
    ck_assert_int_eq(read_query(TACO_FIELD_AUDIO, "seed=1"), TACO_CODE_UNKNOWN_PARAMETER);
    teardown();
    setup();
    ck_assert_int_eq(read_query(TACO_FIELD_ALIGNMENT, "matrix=arrays"), 0);
    ck_assert_int_eq(read_query(TACO_FIELD_ALIGNMENT, "format=wav"),
                     TACO_CODE_UNKNOWN_PARAMETER);
    ck_assert_int_eq(read_query(0, "matrix=none"), TACO_CODE_UNKNOWN_PARAMETER);
    ck_assert_int_eq(read_query(0, NULL), 0);
    ck_assert_int_eq(read_query(0, ""), 0);
}
END_TEST

START_TEST(no_memory_at_any_allocation) {
    static const char body[] = "text=Hello&voice=slt&seed=7&speaker=x";
    for (long n = 1;; n++) {
        teardown();
        setup();
        taco_memory_fail_at(n);
        int code = read_body(FORM, body, sizeof body - 1);
        long made = taco_memory_count();
        taco_memory_fail_at(0);
        if (made < n) {
            ck_assert_int_eq(code, 0);
            ck_assert_int_ge((int)n, 4);
            break;
        }
        ck_assert_int_eq(code, TACO_ERR_NO_MEMORY);
        ck_assert_int_eq(err.status, TACO_ERR_NO_MEMORY);
    }
}
END_TEST

START_TEST(the_answer_is_what_is_wanted_most) {
    static const struct {
        const char *accept, *format;
        enum taco_response_form form;
        enum taco_audio_format audio;
    } cases[] = {
        {NULL, NULL, TACO_RESPONSE_AUDIO, TACO_AUDIO_WAV},
        {"*/*", NULL, TACO_RESPONSE_AUDIO, TACO_AUDIO_WAV},
        {"audio/*", NULL, TACO_RESPONSE_AUDIO, TACO_AUDIO_WAV},
        {"application/octet-stream", NULL, TACO_RESPONSE_AUDIO, TACO_AUDIO_WAV},
        {"application/json, text/plain, */*", NULL, TACO_RESPONSE_AUDIO, TACO_AUDIO_WAV},
        {"text/html,application/xhtml+xml,*/*;q=0.8", NULL, TACO_RESPONSE_AUDIO,
         TACO_AUDIO_WAV},
        {"audio/flac", NULL, TACO_RESPONSE_AUDIO, TACO_AUDIO_FLAC},
        {"audio/wav;q=0.2, audio/flac;q=0.3", NULL, TACO_RESPONSE_AUDIO, TACO_AUDIO_FLAC},
        {"audio/wav;q=0, audio/*", NULL, TACO_RESPONSE_AUDIO, TACO_AUDIO_FLAC},
        {"application/json", NULL, TACO_RESPONSE_JSON, TACO_AUDIO_WAV},
        {"application/json, */*;q=0.9", NULL, TACO_RESPONSE_JSON, TACO_AUDIO_WAV},
        {"application/json", "flac", TACO_RESPONSE_JSON, TACO_AUDIO_FLAC},
        {"multipart/mixed, */*;q=0.5", NULL, TACO_RESPONSE_MULTIPART, TACO_AUDIO_WAV},
        {"audio/wav", "flac", TACO_RESPONSE_AUDIO, TACO_AUDIO_FLAC},
        {"text/html", "flac", TACO_RESPONSE_AUDIO, TACO_AUDIO_FLAC},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        teardown();
        setup();
        const struct taco_field *format = taco_field_find("format", 6, TACO_FIELD_SPEECH);
        const struct taco_value value = taco_value_written(
            cases[i].format, cases[i].format ? strlen(cases[i].format) : 0);
        if (cases[i].format)
            ck_assert_int_eq(taco_speech_set(&speech, format, &value, NULL), 0);
        enum taco_response_form form;
        ck_assert_int_eq(taco_negotiate(cases[i].accept, &speech, &form, &err), 0);
        ck_assert_msg(form == cases[i].form && speech.audio.format == cases[i].audio,
                      "%s: %d %d", cases[i].accept, form, speech.audio.format);
    }
    enum taco_response_form form;
    teardown();
    setup();
    ck_assert_int_eq(taco_negotiate("text/html", &speech, &form, &err),
                     TACO_CODE_NOT_ACCEPTABLE);
    ck_assert_str_eq(err.param, "Accept");
    ck_assert_int_eq(taco_negotiate("*/*;q=0", &speech, &form, NULL),
                     TACO_CODE_NOT_ACCEPTABLE);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("server request");
    TCase *tc = tcase_create("request");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, bad_json_is_refused_with_the_field_at_fault);
    tcase_add_test(tc, other_bodies_and_queries_are_refused);
    tcase_add_test(tc, bodies_that_seem_to_be_something_else_say_so);
    tcase_add_test(tc, ranges_are_the_engine_s);
    tcase_add_test(tc, every_field_arrives_from_json);
    tcase_add_test(tc, text_arrives_from_every_kind_of_body);
    tcase_add_test(tc, kept_results_take_their_own_parameters_only);
    tcase_add_test(tc, no_memory_at_any_allocation);
    tcase_add_test(tc, the_answer_is_what_is_wanted_most);
    suite_add_tcase(suite, tc);
    return test_run(suite);
}
