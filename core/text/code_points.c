#include "text/code_points.h"

#include "base/error.h"
#include "base/memory.h"
#include "text/fold.h"
#include <string.h>
#include <unictype.h>
#include <uninorm.h>
#include <unistr.h>

/* -- classes --------------------------------------------------------------------- */

bool taco_cp_is_white(uint32_t cp) {
    return cp == TACO_CP_SPACE || cp == TACO_CP_LINE || cp == TACO_CP_PARAGRAPH;
}

bool taco_cp_is_digit(uint32_t cp) {
    return cp >= '0' && cp <= '9';
}

bool taco_cp_is_upper(uint32_t cp) {
    return cp >= 'A' && cp <= 'Z';
}

bool taco_cp_is_lower(uint32_t cp) {
    return cp >= 'a' && cp <= 'z';
}

bool taco_cp_is_letter(uint32_t cp) {
    if (cp < 0x80)
        return taco_cp_is_upper(cp) || taco_cp_is_lower(cp);
    return uc_is_general_category_withtable(cp, UC_CATEGORY_MASK_L | UC_CATEGORY_MASK_M);
}

bool taco_cp_is_punctuation(uint32_t cp) {
    if (cp < 0x80)
        return cp && strchr(".,:;?!'\"`()[]{}-", (int)cp);
    return cp != 0xA7 && uc_is_general_category_withtable(cp, UC_CATEGORY_MASK_P);
}

/* -- checks before any work ------------------------------------------------------ */

/* Ends of lines: one for most, two (an empty line) for the paragraph separator. */
static int line_ends(uint32_t cp) {
    return cp == '\n' || cp == '\v' || cp == '\f' || cp == '\r' || cp == 0x85 ||
                   cp == 0x2028
               ? 1
           : cp == 0x2029 ? 2
                          : 0;
}

static bool is_source_white(uint32_t cp) {
    return cp == ' ' || cp == '\t' || line_ends(cp) ||
           (cp >= 0x80 && uc_is_property_white_space(cp));
}

/* Without a visible form: soft hyphens, byte order marks, directions, variation
 * selectors. */
static bool is_ignorable(uint32_t cp) {
    return cp >= 0x80 && uc_is_property_default_ignorable_code_point(cp);
}

enum taco_status taco_code_points_check(const char *text, size_t length,
                                        struct taco_error *err) {
    const uint8_t *bytes = (const uint8_t *)text;
    const uint8_t *wrong = length ? u8_check(bytes, length) : NULL;
    const uint8_t *nul = length ? memchr(bytes, 0, length) : NULL;
    if (nul && (!wrong || nul < wrong))
        return taco_error_set_at(err, TACO_ERR_INVALID_UTF8, "text", (long)(nul - bytes),
                                 "byte %ld of the text is NUL", (long)(nul - bytes));
    if (wrong)
        return taco_error_set_at(err, TACO_ERR_INVALID_UTF8, "text",
                                 (long)(wrong - bytes),
                                 "byte %ld of the text (0x%02X) is not UTF-8",
                                 (long)(wrong - bytes), (unsigned)*wrong);
    for (size_t i = 0; i < length;) {
        ucs4_t cp;
        int n = u8_mbtouc_unsafe(&cp, bytes + i, length - i);
        if (!is_source_white(cp) && !is_ignorable(cp))
            return TACO_OK;
        i += (size_t)n;
    }
    return taco_error_set(err, TACO_ERR_EMPTY_TEXT, "text", "the text is empty%s",
                          length ? ": it has white space only" : "");
}

/* -- reading --------------------------------------------------------------------- */

struct reader {
    struct taco_code_points *code_points;
    const struct taco_code_point_options *options;
    struct taco_builder *builder;
    /* The note being made: neighbours are told as one. */
    bool noting;
    enum taco_note_kind kind;
    uint32_t note_begin, note_end;
    struct taco_string note_text;
    bool superscript;     /* the code point before was one */
    const uint8_t *bytes; /* [length] the source */
    size_t length;
    uint32_t before; /* code point of the source before the one being read */
    bool no_memory;
};

static void emit(struct reader *r, uint32_t cp, uint32_t begin, uint32_t end) {
    struct taco_code_points *g = r->code_points;
    if (!taco_vector_reserve(&g->at, &g->capacity, g->n, 1, sizeof *g->at)) {
        r->no_memory = true;
        return;
    }
    g->at[g->n++] = (struct taco_code_point){cp, begin, end};
}

static void end_note(struct reader *r) {
    if (!r->noting)
        return;
    r->noting = false;
    if (!taco_builder_add_note(r->builder, r->kind,
                               taco_builder_span(r->builder, r->note_begin, r->note_end),
                               r->note_text.n ? r->note_text.bytes : "", r->note_text.n))
        r->no_memory = true;
    taco_string_clear(&r->note_text);
}

static void note(struct reader *r, enum taco_note_kind kind, const char *text,
                 uint32_t begin, uint32_t end) {
    if (r->noting && (r->kind != kind || begin != r->note_end))
        end_note(r);
    if (!r->noting)
        r->note_begin = begin;
    r->noting = true;
    r->kind = kind;
    r->note_end = end;
    if (!taco_string_add(&r->note_text, text, strlen(text)))
        r->no_memory = true;
}

static uint32_t last_cp(const struct reader *r) {
    return r->code_points->n ? r->code_points->at[r->code_points->n - 1].cp : 0;
}

static void emit_ascii(struct reader *r, const char *ascii, uint32_t begin,
                       uint32_t end) {
    for (; *ascii; ascii++)
        emit(r, (unsigned char)*ascii, begin, end);
}

/* What a character beyond ASCII became. */
enum outcome { KEPT, RESPELLED, SILENT, UNKNOWN };

static enum outcome fold(struct reader *r, uint32_t cp, uint32_t begin, uint32_t end,
                         int depth);

/* By Unicode's decomposition: marks go, fractions are set off from a number before them,
 * raised digits get a '^' so that they are not read as part of the number. */
static enum outcome fold_parts(struct reader *r, uint32_t cp, uint32_t begin,
                               uint32_t end, int depth) {
    int tag;
    ucs4_t parts[UC_DECOMPOSITION_MAX_LENGTH];
    int n = depth < 4 ? uc_decomposition(cp, &tag, parts) : -1;
    if (n < 0)
        return UNKNOWN;
    bool raised = tag == UC_DECOMP_SUPER && uc_decimal_value(parts[0]) >= 0;
    if (tag == UC_DECOMP_FRACTION && taco_cp_is_digit(last_cp(r)))
        emit(r, ' ', begin, begin);
    if (raised && !r->superscript)
        emit(r, '^', begin, end);
    r->superscript = raised;
    enum outcome all = SILENT;
    for (int i = 0; i < n; i++) {
        if (parts[i] == ' ')
            continue; /* the bearer of a spacing mark */
        enum outcome one = KEPT;
        if (parts[i] == 0x2044) /* fraction slash */
            emit(r, '/', begin, end);
        else if (parts[i] < 0x80)
            emit(r, parts[i], begin, end);
        else
            one = fold(r, parts[i], begin, end, depth + 1);
        if (one == UNKNOWN)
            return UNKNOWN;
        if (one != SILENT)
            all = RESPELLED;
    }
    /* A mark that stands alone came to nothing: that is a loss. */
    return all == SILENT ? UNKNOWN : all;
}

static enum outcome fold(struct reader *r, uint32_t cp, uint32_t begin, uint32_t end,
                         int depth) {
    if (r->options->keeps && r->options->keeps(r->options->user, cp)) {
        emit(r, cp, begin, end);
        return KEPT;
    }
    const char *ascii = taco_fold_punctuation(cp);
    if (ascii) {
        emit_ascii(r, ascii, begin, end);
        return KEPT;
    }
    if (uc_is_general_category_withtable(cp, UC_CATEGORY_MASK_M) ||
        taco_fold_is_silent(cp))
        return SILENT;
    ascii = taco_fold_letter(cp);
    if (ascii) {
        emit_ascii(r, ascii, begin, end);
        return *ascii ? RESPELLED : SILENT;
    }
    int digit = uc_decimal_value(cp);
    if (digit >= 0 && uc_is_general_category_withtable(cp, UC_CATEGORY_MASK_Nd)) {
        emit(r, '0' + (uint32_t)digit, begin, end);
        return RESPELLED;
    }
    return fold_parts(r, cp, begin, end, depth);
}

static uint32_t source_at(const struct reader *r, uint32_t at) {
    ucs4_t cp = 0;
    if (at < r->length)
        u8_mbtouc_unsafe(&cp, r->bytes + at, r->length - at);
    return cp;
}

static bool is_greek(uint32_t cp) {
    return (cp >= 0x370 && cp < 0x400) || (cp >= 0x1F00 && cp < 0x2000);
}

/* A Greek letter that is no part of a Greek word stands for itself: pi, micro, ohm. */
static bool keep_lone_greek(struct reader *r, uint32_t cp, uint32_t begin, uint32_t end) {
    uint32_t own = cp == 0x2126 ? 0x3A9 : cp == 0x3BC ? 0xB5 : cp == 0x3C2 ? 0x3C3 : cp;
    bool letter = own == 0xB5 || (own >= 0x391 && own <= 0x3A9 && own != 0x3A2) ||
                  (own >= 0x3B1 && own <= 0x3C9);
    uint32_t next = source_at(r, end);
    if (!letter || is_greek(r->before) || is_greek(next) ||
        (next >= 0x80 && uc_is_general_category_withtable(next, UC_CATEGORY_MASK_M)))
        return false;
    emit(r, own, begin, end);
    return true;
}

static bool is_spoken(uint32_t cp) {
    return taco_cp_is_letter(cp) || taco_cp_is_digit(cp);
}

/* A space where a character between two words was dropped. */
static void emit_border(struct reader *r, uint32_t at, uint32_t next) {
    if (is_spoken(last_cp(r)) && is_spoken(source_at(r, next)))
        emit(r, ' ', at, at);
}

/* Chinese and Japanese full stops and commas, which no space follows. */
static bool ends_clause(uint32_t cp) {
    return cp == 0x3001 || cp == 0x3002 || cp == 0xFF01 || cp == 0xFF0C || cp == 0xFF0E ||
           cp == 0xFF1F || cp == 0xFF61 || cp == 0xFF64;
}

/* English: everything becomes ASCII, or one of the symbols that the readings know. */
static void read_folded(struct reader *r, uint32_t cp, uint32_t begin, uint32_t end) {
    uint32_t before = r->code_points->n;
    bool superscript = r->superscript;
    r->superscript = false;
    if (cp < 0x80) {
        if (cp < ' ' || cp == 0x7F)
            note(r, TACO_NOTE_DROPPED, "", begin, end);
        else
            emit(r, cp == '`' ? '\'' : cp, begin, end);
        return;
    }
    if (keep_lone_greek(r, cp, begin, end))
        return;
    if (cp == 0xBA && taco_cp_is_digit(last_cp(r))) { /* 45º */
        emit(r, 0xB0, begin, end);
        return;
    }
    r->superscript = superscript;
    enum outcome outcome = fold(r, cp, begin, end, 0);
    if (outcome != RESPELLED)
        r->superscript = false;
    if (outcome == RESPELLED) {
        char text[64];
        uint32_t n = 0;
        for (uint32_t i = before; i < r->code_points->n && n + 1 < sizeof text; i++)
            if (r->code_points->at[i].cp < 0x80)
                text[n++] = (char)r->code_points->at[i].cp;
        text[n] = '\0';
        note(r, TACO_NOTE_REPLACED, text, begin, end);
    } else if (outcome == UNKNOWN) {
        r->code_points->n = before; /* a part that had a form is of no use alone */
        note(r, TACO_NOTE_DROPPED, "", begin, end);
        emit_border(r, begin, end);
    } else if (outcome == SILENT && !uc_is_general_category_withtable(
                                        cp, UC_CATEGORY_MASK_P | UC_CATEGORY_MASK_M)) {
        note(r, TACO_NOTE_DROPPED, "", begin, end);
    }
    if (ends_clause(cp) && is_spoken(source_at(r, end)))
        emit(r, ' ', end, end);
}

/* Other languages: letters stay, composed; pictures and controls go. */
static void read_composed(struct reader *r, uint32_t cp, uint32_t begin, uint32_t end) {
    struct taco_code_points *g = r->code_points;
    bool keeps = r->options->keeps && r->options->keeps(r->options->user, cp);
    const char *mark = keeps ? NULL : taco_fold_punctuation(cp);
    if (mark) {
        emit_ascii(r, mark, begin, end);
        return;
    }
    if (!keeps &&
        uc_is_general_category_withtable(cp, UC_CATEGORY_MASK_So | UC_CATEGORY_MASK_Sk |
                                                 UC_CATEGORY_MASK_C)) {
        note(r, TACO_NOTE_DROPPED, "", begin, end);
        return;
    }
    if (!keeps && cp >= 0x80 && r->options->speaks &&
        !r->options->speaks(r->options->user, cp)) {
        const char *letters = taco_fold_letter(cp);
        int digit = uc_decimal_value(cp);
        char text[2] = {(char)('0' + digit), '\0'};
        if (!letters && digit >= 0)
            letters = text;
        if (letters)
            emit_ascii(r, letters, begin, end);
        if (letters || !uc_is_general_category_withtable(cp, UC_CATEGORY_MASK_P))
            note(r, letters ? TACO_NOTE_REPLACED : TACO_NOTE_DROPPED,
                 letters ? letters : "", begin, end);
        return;
    }
    if (uc_is_general_category_withtable(cp, UC_CATEGORY_MASK_M) && g->n &&
        g->at[g->n - 1].end == begin) {
        ucs4_t whole = uc_composition(g->at[g->n - 1].cp, cp);
        if (whole) {
            g->at[g->n - 1].cp = whole;
            g->at[g->n - 1].end = end;
            return;
        }
    }
    int tag;
    ucs4_t parts[UC_DECOMPOSITION_MAX_LENGTH];
    int n = keeps || cp < 0x80 ? -1 : uc_decomposition(cp, &tag, parts);
    /* Wide and narrow forms and ligatures are other ways to write the same letters. */
    if (n > 0 &&
        (tag == UC_DECOMP_WIDE || tag == UC_DECOMP_NARROW || tag == UC_DECOMP_FONT ||
         (tag == UC_DECOMP_COMPAT && taco_cp_is_letter(cp)))) {
        for (int i = 0; i < n; i++)
            emit(r, parts[i], begin, end);
        return;
    }
    emit(r, cp, begin, end);
}

static void read_white(struct reader *r, int ends, uint32_t begin, uint32_t end) {
    if (r->code_points->n == 0)
        return;
    uint32_t cp = ends == 0   ? TACO_CP_SPACE
                  : ends == 1 ? TACO_CP_LINE
                              : TACO_CP_PARAGRAPH;
    /* What was dropped between two runs of white space leaves one run. */
    struct taco_code_point *last = &r->code_points->at[r->code_points->n - 1];
    if (taco_cp_is_white(last->cp)) {
        if (cp == TACO_CP_PARAGRAPH || last->cp == TACO_CP_SPACE)
            last->cp = cp;
        last->end = end;
    } else {
        emit(r, cp, begin, end);
    }
}

/* "emo-" at the end of a line whose word goes on in the next, at next. */
static bool hyphenated(const struct reader *r, uint32_t next) {
    const struct taco_code_points *g = r->code_points;
    return g->n > 2 && g->at[g->n - 1].cp == '-' &&
           taco_cp_is_lower(g->at[g->n - 2].cp) && taco_cp_is_lower(g->at[g->n - 3].cp) &&
           taco_cp_is_lower(source_at(r, next));
}

enum taco_status taco_code_points_read(struct taco_code_points *code_points,
                                       const char *text, size_t length,
                                       const struct taco_code_point_options *options,
                                       struct taco_builder *builder,
                                       struct taco_error *err) {
    struct reader r = {.code_points = code_points,
                       .options = options,
                       .builder = builder,
                       .bytes = (const uint8_t *)text,
                       .length = length};
    const uint8_t *bytes = r.bytes;
    for (size_t i = 0; i < length && !r.no_memory;) {
        ucs4_t cp;
        size_t n = (size_t)u8_mbtouc_unsafe(&cp, bytes + i, length - i);
        if (!is_source_white(cp)) {
            bool joiner = (cp == 0x200C || cp == 0x200D) && !options->fold;
            if (!is_ignorable(cp) || joiner) {
                if (options->fold)
                    read_folded(&r, cp, (uint32_t)i, (uint32_t)(i + n));
                else
                    read_composed(&r, cp, (uint32_t)i, (uint32_t)(i + n));
            } else if (r.noting && r.note_end == i) {
                r.note_end = (uint32_t)(i + n); /* inside an emoji */
            }
            i += n;
            r.before = cp;
            continue;
        }
        r.before = ' ';
        size_t begin = i;
        int ends = 0;
        do {
            bool return_feed = cp == '\r' && i + 1 < length && bytes[i + 1] == '\n';
            ends += return_feed ? 0 : line_ends(cp);
            i += n;
            n = i < length ? (size_t)u8_mbtouc_unsafe(&cp, bytes + i, length - i) : 0;
        } while (i < length && is_source_white(cp));
        r.superscript = false;
        if (ends == 1 && options->fold && hyphenated(&r, (uint32_t)i)) {
            code_points->n--;
            continue;
        }
        read_white(&r, ends, (uint32_t)begin, (uint32_t)i);
    }
    end_note(&r);
    if (code_points->n && taco_cp_is_white(code_points->at[code_points->n - 1].cp))
        code_points->n--;
    taco_string_free(&r.note_text);
    return r.no_memory ? taco_error_set(err, TACO_ERR_NO_MEMORY, NULL, "out of memory")
                       : TACO_OK;
}

void taco_code_points_free(struct taco_code_points *code_points) {
    taco_free(code_points->at);
    *code_points = (struct taco_code_points){NULL, 0, 0};
}
