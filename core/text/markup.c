#include "text/markup.h"

#include "base/cancel.h"
#include "base/error.h"
#include "base/memory.h"
#include <assert.h>
#include <string.h>

/* Pieces of text between two looks at whether anybody waits. */
enum { PIECES_A_LOOK = 1024 };

static bool add_run(struct taco_markup *m, uint32_t begin, uint32_t end, bool verbatim) {
    if (++m->n_added % PIECES_A_LOOK == 0 && taco_is_cancelled(m->cancel))
        m->cancelled = true;
    if (m->cancelled)
        return false;
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

static bool ends_paragraph(const struct taco_markup *m) {
    return m->text.n == 0 ||
           (m->text.n > 1 && ends_with(m, '\n') && m->text.bytes[m->text.n - 2] == '\n');
}

/* The pause that stands at the end of the text, or NULL. */
static struct taco_markup_pause *pause_here(const struct taco_markup *m) {
    struct taco_markup_pause *last = m->n_pauses ? &m->pauses[m->n_pauses - 1] : NULL;
    return last && last->out == m->text.n ? last : NULL;
}

bool taco_markup_paragraph(struct taco_markup *m, uint32_t at) {
    const struct taco_markup_pause *pause = pause_here(m);
    if (pause && pause->kind != TACO_MARKUP_BREAK)
        m->n_pauses--;
    return ends_paragraph(m) || taco_markup_add(m, "\n\n", 2, at, at);
}

bool taco_markup_pause(struct taco_markup *m, uint32_t at,
                       enum taco_markup_pause_kind kind, float seconds) {
    struct taco_markup_pause *here = pause_here(m);
    if (here) {
        bool more = kind > here->kind || (kind == here->kind && seconds > here->seconds);
        if (more) {
            here->kind = kind;
            here->seconds = seconds;
        }
        return true;
    }
    if (kind != TACO_MARKUP_BREAK && ends_paragraph(m))
        return true; /* whose pause is longer */
    if (!taco_vector_reserve(&m->pauses, &m->cap_pauses, m->n_pauses, 1,
                             sizeof *m->pauses) ||
        !taco_markup_paragraph(m, at))
        return false;
    m->pauses[m->n_pauses++] = (struct taco_markup_pause){at, m->text.n, kind, seconds};
    return true;
}

bool taco_markup_cut(struct taco_markup *m, uint32_t at) {
    if (ends_paragraph(m))
        return true;
    uint32_t end = m->text.n;
    while (end > 0 && strchr(" \n\"')]", m->text.bytes[end - 1]))
        end--;
    bool whole = end > 0 && strchr(".?!", m->text.bytes[end - 1]);
    return taco_markup_pause(m, at, whole ? TACO_MARKUP_SENTENCE : TACO_MARKUP_CUT, 0);
}

bool taco_markup_add_prosody(struct taco_markup *m, uint32_t at, float speed,
                             float volume) {
    if (!taco_vector_reserve(&m->prosodies, &m->cap_prosodies, m->n_prosodies, 1,
                             sizeof *m->prosodies))
        return false;
    m->prosodies[m->n_prosodies++] = (struct taco_markup_prosody){at, speed, volume};
    return true;
}

bool taco_markup_add_mark(struct taco_markup *m, uint32_t at, const char *name) {
    uint32_t begin = m->names.n;
    if (!taco_vector_reserve(&m->marks, &m->cap_marks, m->n_marks, 1, sizeof *m->marks) ||
        !taco_string_add(&m->names, name, strlen(name) + 1))
        return false;
    m->marks[m->n_marks++] = (struct taco_markup_mark){at, begin};
    return true;
}

bool taco_markup_add_note(struct taco_markup *m, uint32_t begin, uint32_t end,
                          const char *text) {
    if (!taco_vector_reserve(&m->notes, &m->cap_notes, m->n_notes, 1, sizeof *m->notes))
        return false;
    m->notes[m->n_notes++] = (struct taco_markup_note){begin, end, text};
    return true;
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
    return ok ? TACO_OK : taco_markup_failed(m, err);
}

enum taco_status taco_markup_failed(const struct taco_markup *m, struct taco_error *err) {
    return m->cancelled ? taco_error_set(err, TACO_ERR_CANCELLED, NULL,
                                         "the text is no longer wanted")
                        : taco_error_set(err, TACO_ERR_NO_MEMORY, NULL, "out of memory");
}

void taco_markup_free(struct taco_markup *m) {
    taco_free(m->runs);
    taco_free(m->pauses);
    taco_free(m->prosodies);
    taco_free(m->marks);
    taco_free(m->notes);
    taco_string_free(&m->names);
    taco_string_free(&m->text);
    *m = (struct taco_markup){0};
}
