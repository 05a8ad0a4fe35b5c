/* A request's options: every range from both sides, names. */
#include "support/runner.h"

#include <math.h>
#include <string.h>
#include <taco/request.h>

START_TEST(defaults_are_in_range) {
    struct taco_request request = taco_request_default();
    ck_assert_int_eq(taco_request_check(&request, NULL), TACO_OK);
    ck_assert_ptr_null(request.text);
    ck_assert(!request.has_seed && !request.strict && !request.streaming);
    ck_assert_float_eq(request.speed, 1);
    ck_assert_float_eq(request.volume, 1);
    ck_assert_int_eq(request.max_attempts, 1);
    ck_assert(request.text_options.final_punctuation);
    ck_assert_int_eq(request.vocoder.phase, TACO_PHASE_PGHI);
}
END_TEST

/* The option's address as a function of the request. */
#define FIELD(kind, name, member)                                                        \
    { name, kind, offsetof(struct taco_request, member) }

enum kind { INT, FLOAT, DOUBLE, U32 };

static const struct option {
    const char *name;
    enum kind kind;
    size_t offset;
} options[] = {
    FIELD(INT, "speaker", speaker),
    FIELD(INT, "attention", attention),
    FIELD(FLOAT, "temperature", temperature),
    FIELD(INT, "window_back", window_back),
    FIELD(INT, "window_forward", window_forward),
    FIELD(FLOAT, "speed", speed),
    FIELD(FLOAT, "volume", volume),
    FIELD(FLOAT, "gate_threshold", gate_threshold),
    FIELD(INT, "max_frames", max_frames),
    FIELD(INT, "max_attempts", max_attempts),
    FIELD(INT, "first_chunk", first_chunk),
    FIELD(DOUBLE, "timeout", timeout),
    FIELD(DOUBLE, "max_audio", max_audio),
    FIELD(DOUBLE, "answer", answer.per_second),
    FIELD(FLOAT, "sentence_pause", text_options.sentence_pause),
    FIELD(FLOAT, "paragraph_pause", text_options.paragraph_pause),
    FIELD(U32, "max_symbols", text_options.max_symbols),
    FIELD(U32, "max_bytes", text_options.max_bytes),
    FIELD(INT, "n_iter", vocoder.n_iter),
    FIELD(FLOAT, "momentum", vocoder.momentum),
    FIELD(FLOAT, "power", vocoder.power),
};

static void set(struct taco_request *request, const char *name, double value) {
    size_t i = 0;
    while (strcmp(options[i].name, name) != 0)
        i++;
    char *at = (char *)request + options[i].offset;
    switch (options[i].kind) {
    case INT:
        *(int *)(void *)at = (int)value;
        break;
    case FLOAT:
        *(float *)(void *)at = (float)value;
        break;
    case DOUBLE:
        *(double *)(void *)at = value;
        break;
    case U32:
        *(uint32_t *)(void *)at = (uint32_t)value;
        break;
    }
}

static const struct {
    const char *name;
    double value;
    bool good;
} cases[] = {
    {"speaker", 0, true},
    {"speaker", -1, false},
    {"attention", -1, false},
    {"temperature", 0.05, true},
    {"temperature", 20, true},
    {"temperature", 0, false},
    {"temperature", 20.1, false},
    {"temperature", NAN, false},
    {"window_back", -1, false},
    {"window_back", 1001, false},
    {"window_forward", 0, true},
    {"window_forward", 1000, true},
    {"window_forward", 1001, false},
    {"window_forward", -1, false},
    {"speed", 0.25, true},
    {"speed", 4, true},
    {"speed", 0.24, false},
    {"speed", 4.01, false},
    {"speed", 0, false},
    {"speed", NAN, false},
    {"speed", INFINITY, false},
    {"volume", 0, true},
    {"volume", 4, true},
    {"volume", -0.1, false},
    {"volume", 4.1, false},
    {"volume", NAN, false},
    {"gate_threshold", 0, true},
    {"gate_threshold", 0.01, true},
    {"gate_threshold", 0.99999, true},
    {"gate_threshold", 0.009, false},
    {"gate_threshold", 1, false},
    {"gate_threshold", -0.5, false},
    {"gate_threshold", NAN, false},
    {"max_frames", 0, true},
    {"max_frames", 1, true},
    {"max_frames", 20000, true},
    {"max_frames", 20001, false},
    {"max_frames", -1, false},
    {"max_attempts", 1, true},
    {"max_attempts", 8, true},
    {"max_attempts", 0, false},
    {"max_attempts", 9, false},
    {"first_chunk", 1e9, true},
    {"first_chunk", -1, false},
    {"timeout", 0, true},
    {"timeout", 0.001, true},
    {"timeout", -1, false},
    {"timeout", NAN, false},
    {"timeout", INFINITY, false},
    {"sentence_pause", 0, true},
    {"sentence_pause", 10, true},
    {"sentence_pause", 10.1, false},
    {"sentence_pause", -1, false},
    {"paragraph_pause", NAN, false},
    {"paragraph_pause", 11, false},
    {"max_symbols", 20, true},
    {"max_symbols", 2000, true},
    {"max_symbols", 19, false},
    {"max_symbols", 2001, false},
    {"max_bytes", 0, false},
    {"max_bytes", 1, true},
    {"n_iter", 0, true},
    {"n_iter", 1000, true},
    {"n_iter", -1, false},
    {"n_iter", 1001, false},
    {"momentum", 0, true},
    {"momentum", 1, true},
    {"momentum", 1.1, false},
    {"momentum", -0.1, false},
    {"momentum", NAN, false},
    {"power", 0.5, true},
    {"power", 3, true},
    {"power", 0.4, false},
    {"power", 3.1, false},
};

START_TEST(every_option_has_its_range) {
    struct taco_request request = taco_request_default();
    struct taco_error err = TACO_ERROR_INIT;
    set(&request, cases[_i].name, cases[_i].value);
    enum taco_status status = taco_request_check(&request, &err);
    if (cases[_i].good) {
        ck_assert_int_eq(status, TACO_OK);
        return;
    }
    ck_assert_int_eq(status, TACO_ERR_INVALID_ARGUMENT);
    ck_assert_str_eq(err.param, cases[_i].name);
    ck_assert_ptr_nonnull(strstr(err.message, cases[_i].name));
}
END_TEST

START_TEST(seeds_are_what_json_can_hold) {
    struct taco_request request = taco_request_default();
    struct taco_error err = TACO_ERROR_INIT;
    request.has_seed = true;
    request.seed = TACO_SEED_MAX;
    ck_assert_int_eq(taco_request_check(&request, NULL), TACO_OK);
    request.seed++;
    ck_assert_int_eq(taco_request_check(&request, &err), TACO_ERR_INVALID_ARGUMENT);
    ck_assert_str_eq(err.param, "seed");
    request.has_seed = false; /* then the number does not matter */
    ck_assert_int_eq(taco_request_check(&request, NULL), TACO_OK);
}
END_TEST

START_TEST(phases_have_names) {
    struct taco_error err = TACO_ERROR_INIT;
    enum taco_phase phase = TACO_PHASE_RANDOM;
    ck_assert_int_eq(taco_phase_parse("PGHI", &phase, &err), TACO_ERR_INVALID_ARGUMENT);
    ck_assert_str_eq(err.param, "phase");
    ck_assert_int_eq(phase, TACO_PHASE_RANDOM);
    for (int i = 0; i <= TACO_PHASE_RANDOM; i++) {
        ck_assert_int_eq(taco_phase_parse(taco_phase_name(i), &phase, NULL), TACO_OK);
        ck_assert_int_eq(phase, i);
    }
    ck_assert_str_eq(taco_phase_name(99), "unknown");
    struct taco_request request = taco_request_default();
    request.vocoder.phase = 2;
    ck_assert_int_eq(taco_request_check(&request, NULL), TACO_ERR_INVALID_ARGUMENT);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("request");
    TCase *tc = tcase_create("request");
    tcase_add_test(tc, defaults_are_in_range);
    tcase_add_loop_test(tc, every_option_has_its_range, 0, sizeof cases / sizeof *cases);
    tcase_add_test(tc, seeds_are_what_json_can_hold);
    tcase_add_test(tc, phases_have_names);
    suite_add_tcase(suite, tc);
    return test_run(suite);
}
