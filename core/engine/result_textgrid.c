/* Praat's TextGrid, long form: tiers of intervals that tile the whole duration. */
#include "engine/result_forms.h"
#include <string.h>

/* Times are written with so many decimals; two that read the same bound no interval. */
enum { DECIMALS = 6 };

/* One interval of a tier, in the order of time; false: there is no such one. */
typedef bool get_interval(const struct taco_result *result, uint32_t i,
                          struct taco_times *times, struct taco_buffer *label);

/* Praat doubles quotes inside text; a line end would end the line. */
static void add_label(struct taco_buffer *out, const char *text, size_t n) {
    for (size_t i = 0; i < n; i++) {
        if (text[i] == '"')
            taco_buffer_text(out, "\"\"");
        else if (text[i] >= '\t' && text[i] <= '\r')
            taco_buffer_text(out, " ");
        else
            taco_buffer_add(out, text + i, 1);
    }
}

static void add_span(const struct taco_result *result, const struct taco_span *span,
                     struct taco_buffer *label) {
    add_label(label, result->text->source + span->begin, span->end - span->begin);
}

static bool get_sentence(const struct taco_result *result, uint32_t i,
                         struct taco_times *times, struct taco_buffer *label) {
    if (i >= result->n_chunks)
        return false;
    const struct taco_chunk_result *chunk = &result->chunks[i];
    double rate = result->sample_rate;
    times->start = (double)chunk->first_sample / rate;
    times->end = (double)(chunk->first_sample + chunk->n_samples) / rate;
    add_span(result, &result->text->chunks[i].span, label);
    return true;
}

static bool get_word(const struct taco_result *result, uint32_t i,
                     struct taco_times *times, struct taco_buffer *label) {
    if (i >= result->text->n_words)
        return false;
    *times = result->words[i];
    add_span(result, &result->text->words[i].span, label);
    return true;
}

static bool get_symbol(const struct taco_result *result, uint32_t i,
                       struct taco_times *times, struct taco_buffer *label) {
    if (i >= result->text->n_symbols)
        return false;
    *times = result->symbols[i];
    const char *name = taco_result_symbol_name(result, i);
    add_label(label, name, strlen(name));
    return true;
}

static void write_interval(struct taco_buffer *out, uint32_t number, double start,
                           double end, const struct taco_buffer *label) {
    taco_buffer_format(out, "        intervals [%u]:\n            xmin = ", number);
    taco_buffer_decimal(out, start, DECIMALS);
    taco_buffer_text(out, " \n            xmax = ");
    taco_buffer_decimal(out, end, DECIMALS);
    taco_buffer_text(out, " \n            text = \"");
    taco_buffer_add(out, label->data, label->size);
    taco_buffer_text(out, "\" \n");
}

static bool is_later(double a, double b) {
    return a - b > 0.5e-6;
}

/* Intervals with silence where they leave a gap; those of no length are left out. Returns
 * how many. */
static uint32_t write_intervals(const struct taco_result *result, get_interval *get,
                                struct taco_buffer *out) {
    const struct taco_buffer silence = TACO_BUFFER_INIT;
    struct taco_times times;
    double now = 0, duration = taco_result_duration(result);
    uint32_t n = 0;
    for (uint32_t i = 0;; i++) {
        struct taco_buffer label = TACO_BUFFER_INIT;
        bool more = get(result, i, &times, &label);
        if (more && is_later(times.end, times.start)) {
            if (is_later(times.start, now))
                write_interval(out, ++n, now, times.start, &silence);
            write_interval(out, ++n, times.start, times.end, &label);
            now = times.end;
        }
        out->failed = out->failed || label.failed;
        taco_buffer_free(&label);
        if (!more)
            break;
    }
    if (is_later(duration, now) || n == 0)
        write_interval(out, ++n, now, duration, &silence);
    return n;
}

static void write_tier(const struct taco_result *result, uint32_t number,
                       const char *name, get_interval *get, struct taco_buffer *out) {
    struct taco_buffer intervals = TACO_BUFFER_INIT;
    uint32_t n = write_intervals(result, get, &intervals);
    taco_buffer_format(out,
                       "    item [%u]:\n        class = \"IntervalTier\" \n"
                       "        name = \"%s\" \n        xmin = 0 \n        xmax = ",
                       number, name);
    taco_buffer_decimal(out, taco_result_duration(result), DECIMALS);
    taco_buffer_format(out, " \n        intervals: size = %u \n", n);
    taco_buffer_add(out, intervals.data, intervals.size);
    out->failed = out->failed || intervals.failed;
    taco_buffer_free(&intervals);
}

enum taco_status taco_result_write_textgrid(const struct taco_result *result,
                                            const struct taco_format_options *options,
                                            struct taco_buffer *out,
                                            struct taco_error *err) {
    (void)options;
    (void)err;
    taco_buffer_text(out, "File type = \"ooTextFile\"\nObject class = \"TextGrid\"\n\n"
                          "xmin = 0 \nxmax = ");
    taco_buffer_decimal(out, taco_result_duration(result), DECIMALS);
    taco_buffer_text(out, " \ntiers? <exists> \nsize = 3 \nitem []: \n");
    write_tier(result, 1, "sentences", get_sentence, out);
    write_tier(result, 2, "words", get_word, out);
    write_tier(result, 3, "symbols", get_symbol, out);
    return TACO_OK;
}
