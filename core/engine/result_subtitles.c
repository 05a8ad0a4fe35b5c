/* SubRip and WebVTT: cues of a few words, never across two chunks. */
#include "engine/result_forms.h"
#include <math.h>
#include <string.h>

/* What is comfortable to read: two lines, a few seconds. */
enum { MAX_LINE = 42, MAX_CHARACTERS = 2 * MAX_LINE };
static const double max_seconds = 6.0;

struct cue {
    uint32_t begin, end; /* bytes of the source */
    uint64_t start_ms, end_ms;
};

typedef void write_cue(struct taco_buffer *out, uint32_t number, const struct cue *cue,
                       const char *text);

static bool is_white(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Bytes of white space at text [n]: Unicode's line ends would be taken for the cue's. */
static size_t white_bytes(const char *text, size_t n) {
    if (n >= 1 && is_white(*text))
        return 1;
    if (n >= 2 && memcmp(text, "\xC2\x85", 2) == 0)
        return 2;
    if (n >= 3 &&
        (memcmp(text, "\xE2\x80\xA8", 3) == 0 || memcmp(text, "\xE2\x80\xA9", 3) == 0))
        return 3;
    return 0;
}

static uint32_t count_characters(const char *text, size_t n) {
    uint32_t count = 0;
    for (size_t i = 0; i < n; i++)
        count += ((unsigned char)text[i] & 0xC0) != 0x80;
    return count;
}

/* The cue's text: signs around its words belong to it, white space is one blank, and a
 * long text has its line end at the blank nearest to its middle. */
static void cue_text(const struct taco_text *text, const struct cue *cue,
                     struct taco_buffer *out) {
    for (size_t i = cue->begin, white; i < cue->end; i += white ? white : 1) {
        white = white_bytes(text->source + i, cue->end - i);
        if (!white)
            taco_buffer_add(out, text->source + i, 1);
        else if (out->size > 0 && out->data[out->size - 1] != ' ')
            taco_buffer_text(out, " ");
    }
    if (!out->failed && out->size > 0 && out->data[out->size - 1] == ' ')
        taco_buffer_cut(out, out->size - 1);
    if (out->failed || count_characters(out->data, out->size) <= MAX_LINE)
        return;
    size_t middle = out->size / 2, best = 0;
    for (size_t i = 1; i + 1 < out->size; i++) {
        size_t far = i > middle ? i - middle : middle - i;
        size_t best_far = best > middle ? best - middle : middle - best;
        if (out->data[i] == ' ' && (best == 0 || far < best_far))
            best = i;
    }
    if (best > 0)
        out->data[best] = '\n';
}

/* Where the signs behind word w end: before the next word of the chunk, white space cut.
 */
static uint32_t end_of_word(const struct taco_text *text, uint32_t w, uint32_t last,
                            uint32_t chunk_end) {
    uint32_t end = w < last ? text->words[w + 1].span.begin : chunk_end;
    while (end > text->words[w].span.end && is_white(text->source[end - 1]))
        end--;
    /* A bracket or quote that stands directly before the next word is the next word's. */
    if (w < last && !is_white(text->source[text->words[w + 1].span.begin - 1])) {
        uint32_t cut = end;
        while (cut > text->words[w].span.end && !is_white(text->source[cut - 1]))
            cut--;
        if (cut > text->words[w].span.end) {
            end = cut;
            while (end > text->words[w].span.end && is_white(text->source[end - 1]))
                end--;
        }
    }
    return end;
}

static bool ends_clause(const struct taco_text *text, uint32_t end) {
    return end > 0 && strchr(",;:.!?)", text->source[end - 1]) != NULL;
}

static uint64_t milliseconds(double seconds) {
    return (uint64_t)llround(seconds * 1000);
}

/* How many of the chunk's words from first on make the next cue. Too long a rest is cut
 * after the last clause that fits, or else after the last word. */
static uint32_t words_of_cue(const struct taco_result *result, uint32_t first,
                             uint32_t last, uint32_t chunk_end) {
    const struct taco_text *text = result->text;
    const struct taco_times *times = result->words;
    uint32_t fits = first, clause = 0;
    for (uint32_t w = first; w <= last; w++) {
        uint32_t begin = text->words[first].span.begin;
        uint32_t end = end_of_word(text, w, last, chunk_end);
        bool short_enough =
            count_characters(text->source + begin, end - begin) <= MAX_CHARACTERS &&
            times[w].end - times[first].start <= max_seconds;
        if (!short_enough && w > first)
            return (clause > first ? clause : fits) - first + 1;
        fits = w;
        /* A clause worth a cue of its own has a few words. */
        if (ends_clause(text, end) && w >= first + 2)
            clause = w;
    }
    return last - first + 1;
}

static void write_cues(const struct taco_result *result, struct taco_buffer *out,
                       write_cue *write) {
    const struct taco_text *text = result->text;
    uint32_t number = 1;
    uint64_t previous_ms = 0;
    for (uint32_t i = 0; i < text->n_chunks; i++) {
        const struct taco_chunk *chunk = &text->chunks[i];
        uint32_t first = chunk->first_word, last = chunk->first_word + chunk->n_words - 1;
        for (uint32_t n; chunk->n_words > 0 && first <= last; first += n) {
            n = words_of_cue(result, first, last, chunk->span.end);
            uint32_t w = first + n - 1;
            struct cue cue = {
                .begin = first == chunk->first_word
                             ? chunk->span.begin
                             : end_of_word(text, first - 1, last, chunk->span.end),
                .end = end_of_word(text, w, last, chunk->span.end),
                .start_ms = milliseconds(result->words[first].start),
                .end_ms = milliseconds(result->words[w].end),
            };
            if (cue.start_ms < previous_ms)
                cue.start_ms = previous_ms;
            if (cue.end_ms <= cue.start_ms)
                continue; /* nothing of it is spoken */
            struct taco_buffer line = TACO_BUFFER_INIT;
            cue_text(text, &cue, &line);
            if (line.failed)
                out->failed = true;
            else if (line.size > 0)
                write(out, number++, &cue, line.data);
            taco_buffer_free(&line);
            previous_ms = cue.end_ms;
        }
    }
}

static void write_time(struct taco_buffer *out, uint64_t ms, char point) {
    taco_buffer_format(
        out, "%02llu:%02llu:%02llu%c%03llu", (unsigned long long)(ms / 3600000),
        (unsigned long long)(ms / 60000 % 60), (unsigned long long)(ms / 1000 % 60),
        point, (unsigned long long)(ms % 1000));
}

/* SubRip knows no escapes: the arrow, which would read as a time line, is written
 * otherwise. */
static void write_srt_cue(struct taco_buffer *out, uint32_t number, const struct cue *cue,
                          const char *text) {
    taco_buffer_format(out, "%u\r\n", number);
    write_time(out, cue->start_ms, ',');
    taco_buffer_text(out, " --> ");
    write_time(out, cue->end_ms, ',');
    taco_buffer_text(out, "\r\n");
    for (const char *c = text; *c; c++) {
        if (*c == '\n') {
            taco_buffer_text(out, "\r\n");
        } else if (strncmp(c, "-->", 3) == 0) {
            taco_buffer_text(out, "\xE2\x86\x92"); /* a rightwards arrow */
            c += 2;
        } else {
            taco_buffer_add(out, c, 1);
        }
    }
    taco_buffer_text(out, "\r\n\r\n");
}

static void write_vtt_cue(struct taco_buffer *out, uint32_t number, const struct cue *cue,
                          const char *text) {
    taco_buffer_format(out, "%u\n", number);
    write_time(out, cue->start_ms, '.');
    taco_buffer_text(out, " --> ");
    write_time(out, cue->end_ms, '.');
    taco_buffer_text(out, "\n");
    const char *line = strchr(text, '\n');
    size_t n = line ? (size_t)(line - text) : strlen(text);
    taco_buffer_xml(out, text, n);
    if (line) {
        taco_buffer_text(out, "\n");
        taco_buffer_xml(out, line + 1, strlen(line + 1));
    }
    taco_buffer_text(out, "\n\n");
}

enum taco_status taco_result_write_srt(const struct taco_result *result,
                                       const struct taco_format_options *options,
                                       struct taco_buffer *out, struct taco_error *err) {
    (void)options;
    (void)err;
    taco_buffer_text(out, "");
    write_cues(result, out, write_srt_cue);
    return TACO_OK;
}

enum taco_status taco_result_write_vtt(const struct taco_result *result,
                                       const struct taco_format_options *options,
                                       struct taco_buffer *out, struct taco_error *err) {
    (void)options;
    (void)err;
    taco_buffer_text(out, "WEBVTT\n\n");
    write_cues(result, out, write_vtt_cue);
    return TACO_OK;
}
