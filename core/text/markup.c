#include "text/markup.h"

#include "base/error.h"
#include "base/memory.h"
#include <assert.h>
#include <string.h>

static bool add_run(struct taco_markup *m, uint32_t begin, uint32_t end, bool verbatim) {
    if (m->n_runs) {
        struct taco_markup_run *last = &m->runs[m->n_runs - 1];
        if (verbatim && last->verbatim && last->end == begin) {
            last->end = end;
            return true;
        }
    }
    if (!taco_vector_reserve(&m->runs, &m->cap_runs, m->n_runs, 1, sizeof *m->runs))
        return false;
    m->runs[m->n_runs++] = (struct taco_markup_run){m->text.n, begin, end, verbatim};
    return true;
}

bool taco_markup_copy(struct taco_markup *m, const char *source, uint32_t begin,
                      uint32_t n) {
    return n == 0 || (add_run(m, begin, begin + n, true) &&
                      taco_string_add(&m->text, source + begin, n));
}

bool taco_markup_add(struct taco_markup *m, const char *text, size_t n, uint32_t begin,
                     uint32_t end) {
    return n == 0 ||
           (add_run(m, begin, end, false) && taco_string_add(&m->text, text, n));
}

static bool ends_with(const struct taco_markup *m, char c) {
    return m->text.n > 0 && m->text.bytes[m->text.n - 1] == c;
}

bool taco_markup_space(struct taco_markup *m, uint32_t at) {
    if (m->text.n == 0 || ends_with(m, ' ') || ends_with(m, '\n'))
        return true;
    return taco_markup_add(m, " ", 1, at, at);
}

bool taco_markup_paragraph(struct taco_markup *m, uint32_t at) {
    if (m->text.n == 0 ||
        (m->text.n > 1 && ends_with(m, '\n') && m->text.bytes[m->text.n - 2] == '\n'))
        return true;
    return taco_markup_add(m, "\n\n", 2, at, at);
}

bool taco_markup_pause(struct taco_markup *m, uint32_t at, float seconds) {
    if (!taco_vector_reserve(&m->pauses, &m->cap_pauses, m->n_pauses, 1,
                             sizeof *m->pauses))
        return false;
    /* Two at the same place: the longer one. */
    struct taco_markup_pause *last = m->n_pauses ? &m->pauses[m->n_pauses - 1] : NULL;
    bool same = last && m->text.n > 1 && ends_with(m, '\n');
    if (same && last->seconds < seconds)
        last->seconds = seconds;
    if (!same)
        m->pauses[m->n_pauses++] = (struct taco_markup_pause){at, seconds};
    return taco_markup_paragraph(m, at);
}

static uint32_t run_of(const struct taco_markup *m, uint32_t out) {
    uint32_t low = 0, high = m->n_runs;
    while (low + 1 < high) {
        uint32_t middle = low + (high - low) / 2;
        if (m->runs[middle].out <= out)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Where the source stands at output byte out of a run. Words of an alias share the bytes of
 * its element: they lie in it one behind the other. */
static uint32_t place(const struct taco_markup *m, uint32_t run, uint32_t out) {
    const struct taco_markup_run *r = &m->runs[run];
    uint32_t out_end = run + 1 < m->n_runs ? r[1].out : m->text.n;
    uint32_t at = r->begin + (out - r->out);
    if (r->verbatim)
        return at;
    if (out >= out_end || at > r->end)
        return r->end;
    while (at > r->begin && ((unsigned char)m->source[at] & 0xC0) == 0x80)
        at--;
    return at;
}

void taco_markup_span(const struct taco_markup *m, uint32_t begin, uint32_t end,
                      uint32_t *source_begin, uint32_t *source_end) {
    *source_begin = place(m, run_of(m, begin), begin);
    *source_end = end > begin ? place(m, run_of(m, end - 1), end) : *source_begin;
}

enum taco_status taco_markup_read(struct taco_markup *m, enum taco_input input,
                                  const char *source, uint32_t length,
                                  struct taco_error *err) {
    bool ok = true;
    m->source = source;
    switch (input) {
    case TACO_INPUT_TEXT:
        ok = taco_markup_copy(m, source, 0, length);
        break;
    case TACO_INPUT_HTML:
        ok = taco_markup_html(m, source, length);
        break;
    case TACO_INPUT_MARKDOWN:
        ok = taco_markup_markdown(m, source, length);
        break;
    case TACO_INPUT_AUTO: /* whoever asks has taco_markup_detect decide first */
        assert(false);
        break;
    case TACO_INPUT_SSML:
        return taco_markup_ssml(m, source, length, err);
    }
    return ok ? TACO_OK : taco_error_set(err, TACO_ERR_NO_MEMORY, NULL, "out of memory");
}

void taco_markup_free(struct taco_markup *m) {
    taco_free(m->runs);
    taco_free(m->pauses);
    taco_string_free(&m->text);
    *m = (struct taco_markup){0};
}
