/* The other written forms: subtitles, TextGrid, NumPy, PNG, SVG; and their names. */
#include "support/numbers.h"
#include "support/results.h"
#include "support/runner.h"

#include <ctype.h>
#include <math.h>
#include <png.h>
#include <stdlib.h>
#include <string.h>

/* The form's bytes [*size]; free(). */
static char *write_form(const struct taco_result *result, enum taco_result_format format,
                        size_t *size) {
    char *bytes;
    struct taco_error err = TACO_ERROR_INIT;
    ck_assert_msg(taco_result_write(result, format, NULL, &bytes, size, &err) == TACO_OK,
                  "%s", err.message);
    ck_assert_int_eq(bytes[*size], '\0');
    return bytes;
}

static char *write_text(const struct taco_result *result,
                        enum taco_result_format format) {
    size_t size;
    char *text = write_form(result, format, &size);
    ck_assert_uint_eq(strlen(text), size);
    return text;
}

/* -- names ------------------------------------------------------------------------------
 */

START_TEST(bad_arguments_are_refused) {
    struct made_result made;
    made_result_plain(&made);
    char *bytes = (void *)8;
    size_t size = 8;
    struct taco_error err = TACO_ERROR_INIT;
    ck_assert_int_eq(taco_result_write(&made.result, 99, NULL, &bytes, &size, &err),
                     TACO_ERR_INVALID_ARGUMENT);
    ck_assert_ptr_null(bytes);
    ck_assert_uint_eq(size, 0);
    ck_assert_str_eq(err.param, "format");
    struct taco_format_options options = taco_format_options_default();
    options.matrix = 3;
    err = (struct taco_error)TACO_ERROR_INIT;
    ck_assert_int_eq(taco_result_write(&made.result, TACO_FORMAT_ALIGNMENT_JSON, &options,
                                       &bytes, &size, &err),
                     TACO_ERR_INVALID_ARGUMENT);
    ck_assert_str_eq(err.param, "matrix");
    made_result_free(&made);
}
END_TEST

START_TEST(forms_are_found_by_their_ending) {
    for (int i = 0; i <= TACO_FORMAT_MEL_PNG; i++) {
        enum taco_result_format found = 99;
        ck_assert_int_eq(taco_result_format_parse(taco_result_extension(i), &found, NULL),
                         TACO_OK);
        ck_assert_int_eq(found, i);
        ck_assert_ptr_nonnull(strchr(taco_result_media_type(i), '/'));
    }
    enum taco_result_format found;
    ck_assert_int_eq(taco_result_format_parse("TEXTGRID", &found, NULL), TACO_OK);
    ck_assert_int_eq(found, TACO_FORMAT_TEXTGRID);
    struct taco_error err = TACO_ERROR_INIT;
    ck_assert_int_eq(taco_result_format_parse("wav", &found, &err),
                     TACO_ERR_INVALID_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(err.message, "TextGrid"));
    ck_assert_str_eq(taco_result_extension(99), "");
    ck_assert_str_eq(taco_stop_reason_name(TACO_STOP_ATTENTION_END), "attention_end");
    ck_assert_str_eq(taco_stop_reason_name(99), "unknown");
}
END_TEST

/* -- subtitles ----------------------------------------------------------------------- */

START_TEST(plain_subtitles_are_exact) {
    struct made_result made;
    made_result_plain(&made);
    char *srt = write_text(&made.result, TACO_FORMAT_SRT);
    ck_assert_str_eq(srt, "1\r\n00:00:00,000 --> 00:00:00,600\r\nHi & <you>.\r\n\r\n");
    char *vtt = write_text(&made.result, TACO_FORMAT_VTT);
    ck_assert_str_eq(vtt, "WEBVTT\n\n1\n00:00:00.000 --> 00:00:00.600\n"
                          "Hi &amp; &lt;you&gt;.\n\n");
    free(srt);
    free(vtt);
    made_result_free(&made);
}
END_TEST

/* U+2028 and its kind end a line for some readers: a cue has blanks instead. */
START_TEST(line_ends_of_unicode_are_blanks) {
    static const char *const ends[] = {"\xE2\x80\xA8", "\xE2\x80\xA9", " \xC2\x85"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        struct made_result made;
        char source[] = "Hi & <you>.";
        made_result_plain(&made);
        const char *whole = made.text.source;
        memcpy(source + 2, ends[i], 3);
        made.text.source = source;
        char *srt = write_text(&made.result, TACO_FORMAT_SRT);
        ck_assert_str_eq(srt, "1\r\n00:00:00,000 --> 00:00:00,600\r\nHi <you>.\r\n\r\n");
        free(srt);
        made.text.source = whole;
        made_result_free(&made);
    }
}
END_TEST

static long read_time(const char **at, char point) {
    int hours, minutes, seconds, ms, used;
    char separator;
    ck_assert_int_eq(sscanf(*at, "%2d:%2d:%2d%c%3d%n", &hours, &minutes, &seconds,
                            &separator, &ms, &used),
                     5);
    ck_assert_int_eq(separator, point);
    ck_assert_int_eq(used, 12);
    *at += used;
    return ((hours * 60L + minutes) * 60 + seconds) * 1000 + ms;
}

static void skip(const char **at, const char *text) {
    ck_assert_msg(strncmp(*at, text, strlen(text)) == 0, "expected \"%s\" at \"%.20s\"",
                  text, *at);
    *at += strlen(text);
}

/* Reads all cues; their text without white space goes to out. */
static void read_cues(const char *at, const char *end_of_line, char point, long last_ms,
                      char *out) {
    long now = 0;
    for (long number = 1; *at; number++) {
        char *rest;
        ck_assert_int_eq(strtol(at, &rest, 10), number);
        at = rest;
        skip(&at, end_of_line);
        long start = read_time(&at, point);
        skip(&at, " --> ");
        long end = read_time(&at, point);
        skip(&at, end_of_line);
        ck_assert_int_ge(start, now);
        ck_assert_int_gt(end, start);
        ck_assert_int_le(end - start, 6001 + 2000); /* a single word may be longer */
        ck_assert_int_le(end, last_ms);
        now = end;
        for (int lines = 1; strncmp(at, end_of_line, strlen(end_of_line)) != 0; lines++) {
            ck_assert_int_le(lines, 2);
            const char *stop = strstr(at, end_of_line);
            ck_assert_ptr_nonnull(stop);
            ck_assert_int_gt(stop - at, 0);
            ck_assert(*at != ' ' && stop[-1] != ' ');
            ck_assert(!(strncmp(at, "-->", 3) == 0));
            for (; at < stop; at++)
                if (*at != ' ')
                    *out++ = *at;
            skip(&at, end_of_line);
        }
        skip(&at, end_of_line);
    }
    *out = '\0';
}

/* Every spoken word is in a cue, in order, with its signs. */
START_TEST(cues_hold_the_text_in_order) {
    struct made_result made;
    made_result_random(&made, (uint64_t)_i, true);
    char *srt = write_text(&made.result, TACO_FORMAT_SRT);
    char *got = calloc(strlen(srt) + 1, 1);
    long last = lround(1000.0 * (double)made.result.n_samples / 16000) + 1;
    read_cues(srt, "\r\n", ',', last, got);
    const char *at = got;
    for (uint32_t w = 0; w < made.text.n_words; w++) {
        const struct taco_word *word = &made.text.words[w];
        if (!(made.result.words[w].end > made.result.words[w].start))
            continue;
        char text[64];
        snprintf(text, sizeof text, "%.*s", (int)(word->span.end - word->span.begin),
                 made.text.source + word->span.begin);
        if (strcmp(text, "-->") == 0)
            snprintf(text, sizeof text, "\xE2\x86\x92");
        at = strstr(at, text);
        ck_assert_msg(at != NULL, "no \"%s\" in \"%s\"", text, got);
        at += strlen(text);
    }
    ck_assert_ptr_null(strstr(got, "-->"));
    char *vtt = write_text(&made.result, TACO_FORMAT_VTT);
    const char *body = vtt;
    skip(&body, "WEBVTT\n\n");
    got = realloc(got, strlen(vtt) + 1);
    read_cues(body, "\n", '.', last, got);
    for (const char *c = got; *c; c++)
        ck_assert(*c != '<' && *c != '>');
    free(got);
    free(srt);
    free(vtt);
    made_result_free(&made);
}
END_TEST

/* -- TextGrid ------------------------------------------------------------------------ */

static double number_after(const char **at, const char *key) {
    *at = strstr(*at, key);
    ck_assert_msg(*at != NULL, "no %s", key);
    *at += strlen(key);
    char *end;
    double value = strtod(*at, &end);
    ck_assert_ptr_ne(end, *at);
    *at = end;
    return value;
}

START_TEST(tiers_tile_the_duration) {
    struct made_result made;
    made_result_random(&made, (uint64_t)_i, _i % 2);
    char *grid = write_text(&made.result, TACO_FORMAT_TEXTGRID);
    double duration = (double)made.result.n_samples / 16000;
    const char *at = grid;
    skip(&at, "File type = \"ooTextFile\"\nObject class = \"TextGrid\"\n\n");
    static const char *const names[] = {"name = \"sentences\"", "name = \"words\"",
                                        "name = \"symbols\""};
    for (int tier = 0; tier < 3; tier++) {
        at = strstr(at, names[tier]);
        ck_assert_ptr_nonnull(at);
        ck_assert_double_eq_tol(number_after(&at, "xmax = "), duration, 1e-6);
        long n = lround(number_after(&at, "intervals: size = "));
        double now = 0;
        for (long i = 1; i <= n; i++) {
            ck_assert_double_eq(number_after(&at, "intervals ["), (double)i);
            ck_assert_double_eq(number_after(&at, "xmin = "), now);
            double end = number_after(&at, "xmax = ");
            ck_assert_double_gt(end, now);
            now = end;
        }
        ck_assert_double_eq_tol(now, duration, 1e-6);
    }
    free(grid);
    made_result_free(&made);
}
END_TEST

START_TEST(quotes_are_doubled) {
    struct made_result made;
    made_result_plain(&made);
    static char source[] = "A \"b\"\r\n<c>";
    made.text.source = source;
    made.text.source_length = sizeof source - 1;
    ((struct taco_chunk *)(uintptr_t)made.text.chunks)[0].span =
        (struct taco_span){0, 10, 0, 10};
    char *grid = write_text(&made.result, TACO_FORMAT_TEXTGRID);
    ck_assert_ptr_nonnull(strstr(grid, "text = \"A \"\"b\"\"  <c>\" \n"));
    free(grid);
    made_result_free(&made);
}
END_TEST

/* -- NumPy --------------------------------------------------------------------------- */

/* Checks the header; returns the numbers. */
static const float *read_npy(const char *bytes, size_t size, unsigned *rows,
                             unsigned *columns) {
    ck_assert_mem_eq(bytes, "\x93NUMPY\x01\x00", 8);
    size_t length = (unsigned char)bytes[8] | (size_t)(unsigned char)bytes[9] << 8;
    ck_assert_uint_eq((length + 10) % 64, 0);
    ck_assert_int_eq(bytes[9 + length], '\n');
    ck_assert_int_eq(
        sscanf(bytes + 10,
               "{'descr': '<f4', 'fortran_order': False, 'shape': (%u, %u), }", rows,
               columns),
        2);
    ck_assert_uint_eq(size, 10 + length + (size_t)*rows * *columns * sizeof(float));
    return (const float *)(const void *)(bytes + 10 + length);
}

START_TEST(arrays_hold_every_number) {
    struct made_result made;
    made_result_random(&made, (uint64_t)_i, _i % 2);
    size_t size;
    unsigned rows, columns;
    char *bytes = write_form(&made.result, TACO_FORMAT_ALIGNMENT_NPY, &size);
    const float *numbers = read_npy(bytes, size, &rows, &columns);
    ck_assert_uint_eq(columns, made.text.n_symbols);
    for (uint32_t i = 0; i < made.result.n_chunks; i++) {
        const struct taco_chunk_result *chunk = &made.result.chunks[i];
        uint32_t first = made.text.chunks[i].first_symbol;
        for (uint32_t t = 0; t < chunk->n_steps; t++, numbers += columns)
            for (uint32_t j = 0; j < columns; j++) {
                bool inside = j >= first && j < first + chunk->n_symbols;
                float expected =
                    inside ? chunk->alignment[t * chunk->n_symbols + j - first] : 0;
                ck_assert(memcmp(&numbers[j], &expected, sizeof expected) == 0);
            }
        rows -= chunk->n_steps;
    }
    ck_assert_uint_eq(rows, 0);
    free(bytes);

    bytes = write_form(&made.result, TACO_FORMAT_MEL_NPY, &size);
    numbers = read_npy(bytes, size, &rows, &columns);
    ck_assert_uint_eq(columns, 5);
    for (uint32_t i = 0; i < made.result.n_chunks; i++) {
        const struct taco_chunk_result *chunk = &made.result.chunks[i];
        ck_assert_mem_eq(numbers, chunk->mel, chunk->n_frames * 5 * sizeof(float));
        numbers += chunk->n_frames * 5;
    }
    free(bytes);
    made_result_free(&made);
}
END_TEST

START_TEST(an_array_too_large_is_refused) {
    struct made_result made;
    made_result_plain(&made);
    struct taco_chunk_result chunk = made.result.chunks[0];
    chunk.n_steps = 1u << 27;
    made.result.chunks = &chunk;
    char *bytes;
    size_t size;
    struct taco_error err = TACO_ERROR_INIT;
    ck_assert_int_eq(taco_result_write(&made.result, TACO_FORMAT_ALIGNMENT_NPY, NULL,
                                       &bytes, &size, &err),
                     TACO_ERR_INVALID_ARGUMENT);
    ck_assert_ptr_null(bytes);
    made_result_free(&made);
}
END_TEST

/* -- PNG ----------------------------------------------------------------------------- */

/* Grey levels [*height, *width]; free(). */
static unsigned char *read_png(const char *bytes, size_t size, unsigned *width,
                               unsigned *height) {
    png_image image = {.version = PNG_IMAGE_VERSION};
    ck_assert_msg(png_image_begin_read_from_memory(&image, bytes, size), "%s",
                  image.message);
    image.format = PNG_FORMAT_GRAY;
    unsigned char *pixels = malloc(PNG_IMAGE_SIZE(image));
    ck_assert_msg(png_image_finish_read(&image, NULL, pixels, 0, NULL), "%s",
                  image.message);
    *width = image.width;
    *height = image.height;
    return pixels;
}

START_TEST(pictures_show_the_numbers) {
    struct made_result made;
    made_result_plain(&made);
    size_t size;
    unsigned width, height;
    char *bytes = write_form(&made.result, TACO_FORMAT_ALIGNMENT_PNG, &size);
    unsigned char *pixels = read_png(bytes, size, &width, &height);
    ck_assert_uint_eq(width % 70, 0);
    ck_assert_uint_eq(height % 7, 0);
    /* Ten steps a symbol, from the lower left to the upper right. */
    for (unsigned t = 0; t < 70; t++)
        for (unsigned j = 0; j < 7; j++) {
            unsigned x = t * (width / 70), y = (6 - j) * (height / 7);
            ck_assert_int_eq(pixels[y * width + x], t / 10 == j ? 255 : 0);
        }
    free(pixels);
    free(bytes);
    bytes = write_form(&made.result, TACO_FORMAT_MEL_PNG, &size);
    pixels = read_png(bytes, size, &width, &height);
    ck_assert_uint_eq(height % 5, 0);
    /* Bands hold 0 to 4: brightness grows from the bottom up. */
    for (unsigned k = 1; k < 5; k++)
        ck_assert_int_gt(pixels[(4 - k) * (height / 5) * width],
                         pixels[(5 - k) * (height / 5) * width]);
    free(pixels);
    free(bytes);
    made_result_free(&made);
}
END_TEST

START_TEST(long_and_empty_pictures_are_pictures) {
    struct made_result made;
    made_result_plain(&made);
    enum { LONG = 20001 };
    struct taco_chunk_result chunk = made.result.chunks[0];
    float *alignment = calloc((size_t)LONG * 7, sizeof *alignment);
    alignment[7 * (LONG - 1) + 6] = 1; /* the last step on the last symbol */
    chunk.alignment = alignment;
    chunk.n_steps = LONG;
    chunk.n_frames = 0;
    made.result.chunks = &chunk;
    size_t size;
    unsigned width, height;
    char *bytes = write_form(&made.result, TACO_FORMAT_ALIGNMENT_PNG, &size);
    unsigned char *pixels = read_png(bytes, size, &width, &height);
    ck_assert_uint_le(width, 8192);
    ck_assert_int_eq(pixels[width - 1], 255);
    free(pixels);
    free(bytes);
    bytes = write_form(&made.result, TACO_FORMAT_MEL_PNG, &size);
    free(read_png(bytes, size, &width, &height));
    free(bytes);
    free(alignment);
    made_result_free(&made);
}
END_TEST

/* -- SVG ----------------------------------------------------------------------------- */

/* Tags are balanced, attributes quoted, and no bare & or < stands in the text. */
static void check_xml(const char *at) {
    char open[32][16];
    int depth = 0;
    while (*at) {
        if (*at == '&') {
            size_t n = strcspn(at, "; <");
            ck_assert_int_eq(at[n], ';');
            at += n + 1;
        } else if (*at != '<') {
            ck_assert((unsigned char)*at >= 0x20 || *at == '\n');
            at++;
        } else if (at[1] == '/') {
            size_t n = strcspn(at, ">");
            ck_assert_int_gt(depth--, 0);
            ck_assert_uint_eq(strlen(open[depth]), n - 2);
            ck_assert_mem_eq(open[depth], at + 2, n - 2);
            at += n + 1;
        } else {
            size_t name = strcspn(at + 1, " />");
            ck_assert_uint_lt(name, sizeof open[0]);
            ck_assert_int_lt(depth, 32);
            snprintf(open[depth++], sizeof open[0], "%.*s", (int)name, at + 1);
            int quotes = 0;
            for (; *at != '>' || quotes % 2; at++) {
                ck_assert_int_ne(*at, '\0');
                quotes += *at == '"';
            }
            ck_assert_int_eq(quotes % 2, 0);
            depth -= at[-1] == '/';
            at++;
        }
    }
    ck_assert_int_eq(depth, 0);
}

START_TEST(a_plain_drawing_is_readable) {
    struct made_result made;
    made_result_plain(&made);
    char *svg = write_text(&made.result, TACO_FORMAT_ALIGNMENT_SVG);
    check_xml(svg);
    ck_assert_ptr_nonnull(strstr(svg, "role=\"img\""));
    ck_assert_ptr_nonnull(
        strstr(svg, "<title id=\"title\">Attention alignment of: Hi &amp; &lt;you&gt;."));
    ck_assert_ptr_nonnull(strstr(svg, "read the text from beginning to end"));
    /* A cell run a symbol: step 10 j, row 6 - j, ten long. */
    for (int j = 0; j < 7; j++) {
        char run[32];
        snprintf(run, sizeof run, "M%d %dh10v1h-10z", 10 * j, 6 - j);
        ck_assert_msg(strstr(svg, run) != NULL, "no %s", run);
    }
    static const char *const labels[] = {">\xE2\x90\xA3</text>", ">.</text>",
                                         ">you</text>",          ">Hi</text>",
                                         ">0.1 s</text>",        ">0.7 s</text>"};
    for (size_t i = 0; i < sizeof labels / sizeof *labels; i++)
        ck_assert_msg(strstr(svg, labels[i]) != NULL, "no %s", labels[i]);
    ck_assert_ptr_null(strstr(svg, "style="));
    ck_assert_ptr_null(strstr(svg, "<script"));
    free(svg);
    made_result_free(&made);
}
END_TEST

START_TEST(any_drawing_is_well_formed) {
    struct made_result made;
    made_result_random(&made, (uint64_t)_i, _i % 2);
    char *svg = write_text(&made.result, TACO_FORMAT_ALIGNMENT_SVG);
    check_xml(svg);
    free(svg);
    made_result_free(&made);
}
END_TEST

/* -- memory -------------------------------------------------------------------------- */

struct grown {
    size_t limit, most;
    int n_asked;
};

static int grow(void *user, size_t bytes) {
    struct grown *grown = user;
    grown->most = bytes > grown->most ? bytes : grown->most;
    grown->n_asked++;
    return bytes > grown->limit;
}

START_TEST(memory_is_asked_for_before_it_is_taken) {
    struct made_result made;
    made_result_plain(&made);
    struct grown grown = {.limit = SIZE_MAX};
    struct taco_format_options options = taco_format_options_default();
    options.matrix = TACO_MATRIX_ARRAYS;
    options.grow = grow;
    options.user = &grown;
    char *bytes;
    size_t size;
    ck_assert_int_eq(taco_result_write(&made.result, _i, &options, &bytes, &size, NULL),
                     TACO_OK);
    free(bytes);
    ck_assert_int_gt(grown.n_asked, 0);
    ck_assert_uint_gt(grown.most, size);
    ck_assert_uint_lt(grown.most, 3 * size + 4096);

    /* Whoever says no is not asked for more. */
    struct taco_error err = TACO_ERROR_INIT;
    grown = (struct grown){.limit = size / 2};
    ck_assert_int_eq(taco_result_write(&made.result, _i, &options, &bytes, &size, &err),
                     TACO_ERR_CANCELLED);
    ck_assert_ptr_null(bytes);
    ck_assert_int_eq(err.status, TACO_ERR_CANCELLED);
    made_result_free(&made);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("result_formats");
    TCase *tc = tcase_create("result_formats");
    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, bad_arguments_are_refused);
    tcase_add_test(tc, forms_are_found_by_their_ending);
    tcase_add_test(tc, plain_subtitles_are_exact);
    tcase_add_test(tc, line_ends_of_unicode_are_blanks);
    tcase_add_loop_test(tc, cues_hold_the_text_in_order, 0, 60);
    tcase_add_loop_test(tc, tiers_tile_the_duration, 0, 60);
    tcase_add_test(tc, quotes_are_doubled);
    tcase_add_loop_test(tc, arrays_hold_every_number, 0, 10);
    tcase_add_test(tc, an_array_too_large_is_refused);
    tcase_add_test(tc, pictures_show_the_numbers);
    tcase_add_test(tc, long_and_empty_pictures_are_pictures);
    tcase_add_test(tc, a_plain_drawing_is_readable);
    tcase_add_loop_test(tc, any_drawing_is_well_formed, 0, 30);
    tcase_add_loop_test(tc, memory_is_asked_for_before_it_is_taken, 0,
                        TACO_FORMAT_MEL_PNG + 1);
    suite_add_tcase(suite, tc);
    return test_run(suite);
}
