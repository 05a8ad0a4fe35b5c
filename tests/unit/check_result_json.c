/* The alignment's JSON, against core/engine/ALIGNMENT.md. */
#include "support/numbers.h"
#include "support/results.h"
#include "support/runner.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static json_t *write_json(const struct taco_result *result,
                          const struct taco_format_options *options) {
    char *bytes;
    size_t size;
    ck_assert_int_eq(taco_result_write(result, TACO_FORMAT_ALIGNMENT_JSON, options,
                                       &bytes, &size, NULL),
                     TACO_OK);
    ck_assert_uint_eq(strlen(bytes), size);
    json_error_t error;
    json_t *root = json_loads(bytes, JSON_REJECT_DUPLICATES, &error);
    ck_assert_msg(root != NULL, "%s", error.text);
    free(bytes);
    return root;
}

/* The value at the end of the keys; the test fails if there is none. */
static json_t *at(json_t *value, const char *key) {
    value = json_object_get(value, key);
    ck_assert_msg(value != NULL, "no %s", key);
    return value;
}

static double number_at(json_t *value, const char *key) {
    value = at(value, key);
    ck_assert(json_is_number(value));
    return json_number_value(value);
}

static json_int_t count_at(json_t *value, const char *key) {
    value = at(value, key);
    ck_assert(json_is_integer(value));
    return json_integer_value(value);
}

static const char *text_at(json_t *value, const char *key) {
    value = at(value, key);
    ck_assert(json_is_string(value));
    return json_string_value(value);
}

/* Object keys, in any order, and no others. */
static void check_keys(json_t *object, const char *keys) {
    char list[512];
    size_t n = 0;
    snprintf(list, sizeof list, "%s", keys);
    for (char *rest = list, *key; (key = strsep(&rest, " ")) != NULL; n++)
        (void)at(object, key);
    ck_assert_uint_eq(json_object_size(object), n);
}

static void check_pair(json_t *list, uint32_t a, uint32_t b) {
    ck_assert_uint_eq(json_array_size(list), 2);
    ck_assert_int_eq(json_integer_value(json_array_get(list, 0)), a);
    ck_assert_int_eq(json_integer_value(json_array_get(list, 1)), b);
}

static void check_span(json_t *object, const struct taco_span *span) {
    check_pair(at(object, "bytes"), span->begin, span->end);
    check_pair(at(object, "codepoints"), span->begin_cp, span->end_cp);
}

static void check_source(json_t *object, const struct taco_text *text,
                         const struct taco_span *span) {
    const char *written = text_at(object, "text");
    ck_assert_uint_eq(strlen(written), span->end - span->begin);
    ck_assert_mem_eq(written, text->source + span->begin, strlen(written));
    check_span(object, span);
}

/* Every entry's times run forward and stay within the duration. */
static void check_times(json_t *list, double duration) {
    size_t i;
    json_t *entry;
    double now = 0;
    json_array_foreach(list, i, entry) {
        ck_assert_double_ge(number_at(entry, "start"), now);
        ck_assert_double_ge(number_at(entry, "end"), number_at(entry, "start"));
        now = number_at(entry, "end");
    }
    ck_assert_double_le(now, duration);
}

/* -- one that is known --------------------------------------------------------------- */

START_TEST(a_plain_result_is_written_as_specified) {
    struct made_result made;
    made_result_plain(&made);
    struct taco_format_options options = taco_format_options_default();
    options.id = "Ab3";
    json_t *root = write_json(&made.result, &options);
    check_keys(root,
               "version id voice attention text seed speed sample_rate hop_length "
               "frames_per_step "
               "frame_rate n_samples duration n_clipped stop_reason words spoken_words "
               "characters symbols chunks diagnostics failures notes marks times");
    ck_assert_int_eq(count_at(root, "version"), 1);
    ck_assert_str_eq(text_at(root, "id"), "Ab3");
    ck_assert_str_eq(text_at(root, "voice"), "made-up");
    ck_assert_str_eq(text_at(root, "attention"), "location");
    ck_assert_str_eq(text_at(root, "text"), "Hi & <you>.");
    ck_assert_int_eq(count_at(root, "seed"), 7);
    ck_assert_double_eq(number_at(root, "speed"), 1);
    ck_assert_double_eq(number_at(root, "frame_rate"), 100);
    ck_assert_int_eq(count_at(root, "n_samples"), 11200);
    ck_assert_double_eq(number_at(root, "duration"), 0.7);
    ck_assert_str_eq(text_at(root, "stop_reason"), "gate");

    json_t *you = json_array_get(at(root, "words"), 1);
    check_keys(you, "text spoken start end bytes codepoints");
    ck_assert_str_eq(text_at(you, "text"), "you");
    ck_assert_str_eq(text_at(you, "spoken"), "word");
    ck_assert_double_eq(number_at(you, "start"), 0.3);
    ck_assert_double_eq(number_at(you, "end"), 0.6);
    check_pair(at(you, "bytes"), 6, 9);

    json_t *space = json_array_get(at(root, "symbols"), 2);
    check_keys(space, "symbol id chunk word start end bytes codepoints");
    ck_assert_str_eq(text_at(space, "symbol"), " ");
    ck_assert(json_is_null(at(space, "word")));
    ck_assert_double_eq(number_at(space, "start"), 0.2);
    ck_assert_double_eq(number_at(space, "end"), 0.3);

    ck_assert_uint_eq(json_array_size(at(root, "characters")), 11);
    json_t *o = json_array_get(at(root, "characters"), 7);
    ck_assert_str_eq(text_at(o, "text"), "o");
    ck_assert_double_eq(number_at(o, "start"), 0.4);
    ck_assert_double_eq(number_at(o, "end"), 0.5);

    json_t *chunk = json_array_get(at(root, "chunks"), 0);
    check_keys(
        chunk,
        "text bytes codepoints start end pause speed first_symbol n_symbols n_steps "
        "n_frames seed attempts tried stop_reason gate diagnostics");
    ck_assert_double_eq(number_at(chunk, "pause"), 0);
    ck_assert_uint_eq(json_array_size(at(chunk, "tried")), 1);
    json_t *attempt = json_array_get(at(chunk, "tried"), 0);
    check_keys(attempt, "seed window_back window_forward flaws kept");
    ck_assert_int_eq(count_at(attempt, "seed"), count_at(chunk, "seed"));
    ck_assert_uint_eq(json_array_size(at(attempt, "flaws")), 0);
    ck_assert(json_is_true(at(attempt, "kept")));
    ck_assert_int_eq(count_at(chunk, "n_steps"), 70);
    ck_assert_uint_eq(json_array_size(at(chunk, "gate")), 70);
    ck_assert_double_eq(json_number_value(json_array_get(at(chunk, "gate"), 69)), 0.75);
    check_keys(at(chunk, "diagnostics"), "ok coverage focus backward_jumps forward_jumps "
                                         "longest_stall frames_per_symbol");
    ck_assert(json_is_true(at(at(root, "diagnostics"), "ok")));
    check_keys(at(root, "times"), "queued text encoder decoder postnet vocoder total");
    json_decref(root);

    /* Without an id there is none, and the default is compact. */
    char *bytes, *wide;
    size_t size, wide_size;
    ck_assert_int_eq(taco_result_write(&made.result, TACO_FORMAT_ALIGNMENT_JSON, NULL,
                                       &bytes, &size, NULL),
                     TACO_OK);
    ck_assert_ptr_null(strchr(bytes, '\n'));
    ck_assert_ptr_null(strstr(bytes, "\"id\":\""));
    options.compact = false;
    ck_assert_int_eq(taco_result_write(&made.result, TACO_FORMAT_ALIGNMENT_JSON, &options,
                                       &wide, &wide_size, NULL),
                     TACO_OK);
    ck_assert_ptr_nonnull(strstr(wide, "\n  \"voice\": "));
    free(bytes);
    free(wide);
    made_result_free(&made);
}
END_TEST

/* -- any ----------------------------------------------------------------------------- */

static void check_words(json_t *root, const struct taco_text *text) {
    json_t *words = at(root, "words"), *spoken = at(root, "spoken_words");
    ck_assert_uint_eq(json_array_size(words), text->n_words);
    for (uint32_t i = 0; i < text->n_words; i++)
        check_source(json_array_get(words, i), text, &text->words[i].span);
    ck_assert_uint_eq(json_array_size(spoken), text->n_spoken);
    for (uint32_t i = 0; i < text->n_spoken; i++)
        ck_assert_int_eq(count_at(json_array_get(spoken, i), "word"),
                         text->spoken[i].word);
}

/* The characters spell the source, byte by byte. */
static void check_characters(json_t *root, const struct taco_text *text) {
    size_t i;
    json_t *character;
    uint32_t byte = 0;
    json_array_foreach(at(root, "characters"), i, character) {
        uint32_t n = (uint32_t)strlen(text_at(character, "text"));
        struct taco_span span = {byte, byte + n, (uint32_t)i, (uint32_t)i + 1};
        check_source(character, text, &span);
        byte += n;
    }
    ck_assert_uint_eq(byte, text->source_length);
}

static void check_symbols(json_t *root, const struct taco_text *text) {
    json_t *symbols = at(root, "symbols");
    ck_assert_uint_eq(json_array_size(symbols), text->n_symbols);
    for (uint32_t c = 0; c < text->n_chunks; c++) {
        const struct taco_chunk *chunk = &text->chunks[c];
        for (uint32_t k = 0; k < chunk->n_symbols; k++) {
            uint32_t i = chunk->first_symbol + k;
            json_t *symbol = json_array_get(symbols, i);
            ck_assert_int_eq(count_at(symbol, "chunk"), c);
            ck_assert_int_eq(count_at(symbol, "id"), text->symbols[i].id);
            check_span(symbol, &text->symbols[i].span);
        }
    }
}

static void check_chunks(json_t *root, const struct taco_result *result) {
    double rate = result->sample_rate;
    for (uint32_t i = 0; i < result->n_chunks; i++) {
        json_t *chunk = json_array_get(at(root, "chunks"), i);
        double end = number_at(chunk, "end") + number_at(chunk, "pause");
        double next = i + 1 < result->n_chunks
                          ? (double)result->chunks[i + 1].first_sample / rate
                          : (double)result->n_samples / rate;
        ck_assert_double_eq_tol(end, next, 2e-6);
        check_source(chunk, result->text, &result->text->chunks[i].span);
        ck_assert_int_eq(count_at(chunk, "seed"), (json_int_t)result->chunks[i].seed);
    }
}

START_TEST(any_result_is_consistent) {
    struct made_result made;
    made_result_random(&made, (uint64_t)_i, _i % 2);
    json_t *root = write_json(&made.result, NULL);
    double duration = number_at(root, "duration");
    static const char *const lists[] = {"words", "spoken_words", "characters", "symbols",
                                        "chunks"};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        check_times(at(root, lists[i]), duration);
    check_words(root, &made.text);
    check_characters(root, &made.text);
    check_symbols(root, &made.text);
    check_chunks(root, &made.result);
    ck_assert_uint_eq(json_array_size(at(root, "notes")), made.text.n_notes);
    if (made.text.n_notes) {
        json_t *note = json_array_get(at(root, "notes"), 0);
        check_keys(note, "kind bytes codepoints text");
        ck_assert_str_eq(text_at(note, "kind"), "final_punctuation_added");
    }
    json_decref(root);
    made_result_free(&made);
}
END_TEST

/* -- matrices ------------------------------------------------------------------------ */

static float from_half(unsigned half) {
    int exponent = (int)(half >> 10 & 31);
    float fraction = (float)(half & 1023);
    return exponent ? ldexpf(1024 + fraction, exponent - 25) : ldexpf(fraction, -24);
}

static unsigned sextet(char c) {
    static const char digits[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *found = strchr(digits, c);
    return c != '=' && found ? (unsigned)(found - digits) : 0;
}

static void check_halves(const char *text, const float *expected, size_t n) {
    ck_assert_uint_eq(strlen(text), (2 * n + 2) / 3 * 4);
    unsigned char *bytes = calloc(strlen(text) + 1, 1);
    for (size_t i = 0, k = 0; text[i]; i += 4, k += 3) {
        unsigned group = sextet(text[i]) << 18 | sextet(text[i + 1]) << 12 |
                         sextet(text[i + 2]) << 6 | sextet(text[i + 3]);
        bytes[k] = (unsigned char)(group >> 16);
        bytes[k + 1] = (unsigned char)(group >> 8);
        bytes[k + 2] = (unsigned char)group;
    }
    for (size_t i = 0; i < n; i++) {
        float value = from_half(bytes[2 * i] | (unsigned)bytes[2 * i + 1] << 8);
        ck_assert_float_eq_tol(value, expected[i],
                               fmaxf(expected[i] * 0x1.01p-11f, 0x1.01p-25f));
    }
    free(bytes);
}

START_TEST(matrices_are_written_on_demand) {
    struct made_result made;
    made_result_random(&made, 40 + (uint64_t)_i, _i % 2);
    struct taco_format_options options = taco_format_options_default();
    options.matrix = TACO_MATRIX_ARRAYS;
    json_t *arrays = write_json(&made.result, &options);
    options.matrix = TACO_MATRIX_F16;
    json_t *halves = write_json(&made.result, &options);
    for (uint32_t i = 0; i < made.result.n_chunks; i++) {
        const struct taco_chunk_result *chunk = &made.result.chunks[i];
        json_t *rows = at(json_array_get(at(arrays, "chunks"), i), "alignment");
        ck_assert_uint_eq(json_array_size(rows), chunk->n_steps);
        for (uint32_t t = 0; t < chunk->n_steps; t++) {
            json_t *row = json_array_get(rows, t);
            ck_assert_uint_eq(json_array_size(row), chunk->n_symbols);
            for (uint32_t j = 0; j < chunk->n_symbols; j++)
                ck_assert_double_eq_tol(json_number_value(json_array_get(row, j)),
                                        chunk->alignment[t * chunk->n_symbols + j],
                                        5.1e-7);
        }
        ck_assert_uint_eq(
            json_array_size(at(json_array_get(at(arrays, "chunks"), i), "entropy")),
            chunk->n_steps);
        json_t *packed = at(json_array_get(at(halves, "chunks"), i), "alignment");
        check_keys(packed, "encoding shape data");
        ck_assert_str_eq(text_at(packed, "encoding"), "float16");
        check_pair(at(packed, "shape"), chunk->n_steps, chunk->n_symbols);
        check_halves(text_at(packed, "data"), chunk->alignment,
                     (size_t)chunk->n_steps * chunk->n_symbols);
    }
    json_decref(arrays);
    json_decref(halves);
    made_result_free(&made);
}
END_TEST

START_TEST(halves_round_at_the_edges) {
    struct made_result made;
    made_result_plain(&made);
    static const float values[7] = {0x1p-24f, 0x1.8p-25f, 0x1p-26f,   0x1.ffcp-15f,
                                    0x1p-14f, 0.99999f,   0x1.004p-1f};
    struct taco_chunk_result chunk = made.result.chunks[0];
    chunk.alignment = values;
    chunk.n_steps = 1;
    made.result.chunks = &chunk;
    struct taco_format_options options = taco_format_options_default();
    options.matrix = TACO_MATRIX_F16;
    json_t *root = write_json(&made.result, &options);
    json_t *packed = at(json_array_get(at(root, "chunks"), 0), "alignment");
    check_halves(text_at(packed, "data"), values, 7);
    json_decref(root);
    made_result_free(&made);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("result_json");
    TCase *tc = tcase_create("result_json");
    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, a_plain_result_is_written_as_specified);
    tcase_add_loop_test(tc, any_result_is_consistent, 0, 40);
    tcase_add_loop_test(tc, matrices_are_written_on_demand, 0, 4);
    tcase_add_test(tc, halves_round_at_the_edges);
    suite_add_tcase(suite, tc);
    return test_run(suite);
}
