/* Markdown as it is read aloud: headings, list items and paragraphs apart, a link is its
 * text, emphasis and code without their marks, a table cell by cell. Line by line; what is
 * not closed in its line is text. */
#include "text/markup.h"

#include <string.h>

struct line {
    const char *s;
    uint32_t begin, end; /* without the line feed */
};

static uint32_t run_of(const struct line *l, uint32_t at, char c) {
    uint32_t n = 0;
    while (at + n < l->end && l->s[at + n] == c)
        n++;
    return n;
}

static bool only(const struct line *l, uint32_t at, const char *characters) {
    for (; at < l->end; at++)
        if (!strchr(characters, l->s[at]) || !l->s[at])
            return false;
    return true;
}

static bool is_letter_or_digit(char c) {
    return (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z') || (c & 0x80);
}

/* -- inside a line ------------------------------------------------------------------ */

static bool add_inline(struct taco_markup *m, struct line l, int depth);

/* "[text](target)", "[text][name]", "![alt](source)": the text. *used 0: no link. */
static bool add_link(struct taco_markup *m, const struct line *l, uint32_t at, int depth,
                     uint32_t *used) {
    uint32_t open = at + (l->s[at] == '!'), nested = 0, close = open + 1;
    *used = 0;
    for (; close < l->end && close - open < 1024; close++) {
        if (l->s[close] == '[')
            nested++;
        else if (l->s[close] == ']' && nested-- == 0)
            break;
    }
    if (close + 1 >= l->end || l->s[close] != ']' ||
        (l->s[close + 1] != '(' && l->s[close + 1] != '['))
        return true;
    char last = l->s[close + 1] == '(' ? ')' : ']';
    uint32_t end = close + 2;
    for (nested = 0; end < l->end && end - close < 4096; end++) {
        if (l->s[end] == '(' && last == ')')
            nested++;
        else if (l->s[end] == last && nested-- == 0)
            break;
    }
    if (end >= l->end || l->s[end] != last)
        return true;
    *used = end + 1 - at;
    return add_inline(m, (struct line){l->s, open + 1, close}, depth + 1);
}

/* "`code`": as it stands. */
static bool add_code(struct taco_markup *m, const struct line *l, uint32_t at,
                     uint32_t *used) {
    uint32_t n = run_of(l, at, '`');
    for (uint32_t i = at + n; i < l->end && i - at < 4096;) {
        uint32_t k = run_of(l, i, '`');
        if (k == n) {
            *used = i + n - at;
            return taco_markup_copy(m, l->s, at + n, i - at - n);
        }
        i += k ? k : 1;
    }
    *used = n; /* not closed: no code, and the marks say nothing */
    return true;
}

/* Do these marks emphasise what is beside them? "2 * 3" and "snake_case" have none. */
static bool is_emphasis(const struct line *l, uint32_t at, uint32_t n) {
    char before = at > l->begin ? l->s[at - 1] : ' ';
    char after = at + n < l->end ? l->s[at + n] : ' ';
    bool left = after != ' ' && after != '\t', right = before != ' ' && before != '\t';
    if (l->s[at] == '~')
        return n == 2 && (left || right);
    if (l->s[at] == '_' && is_letter_or_digit(before) && is_letter_or_digit(after))
        return false;
    return n <= 3 && (left || right) &&
           !(before >= '0' && before <= '9' && after >= '0' && after <= '9');
}

static bool add_inline(struct taco_markup *m, struct line l, int depth) {
    bool ok = true;
    for (uint32_t i = l.begin; i < l.end && ok;) {
        char c = l.s[i];
        uint32_t used = 0;
        if (c == '\\' && i + 1 < l.end && l.s[i + 1] > ' ' && l.s[i + 1] < 0x7F &&
            !is_letter_or_digit(l.s[i + 1])) {
            ok = taco_markup_copy(m, l.s, i + 1, 1);
            used = 2;
        } else if (c == '`') {
            ok = add_code(m, &l, i, &used);
        } else if ((c == '[' || (c == '!' && i + 1 < l.end && l.s[i + 1] == '[')) &&
                   depth < 4) {
            ok = add_link(m, &l, i, depth, &used);
        } else if (c == '<' && i + 8 < l.end && memchr(l.s + i, '>', l.end - i) &&
                   (strncmp(l.s + i + 1, "http", 4) == 0 ||
                    strncmp(l.s + i + 1, "mailto:", 7) == 0)) {
            const char *end = memchr(l.s + i, '>', l.end - i);
            uint32_t skip = l.s[i + 1] == 'm' ? 8 : 1;
            used = (uint32_t)(end - l.s) - i + 1;
            ok = used <= skip || taco_markup_copy(m, l.s, i + skip, used - skip - 1);
        } else if (c == '<') {
            ok = taco_markup_tag(m, l.s, i, l.end, &used);
        } else if (c == '&') {
            ok = taco_markup_entity(m, l.s, i, l.end, &used);
        } else if (c == '*' || c == '_' || c == '~') {
            uint32_t n = run_of(&l, i, c);
            used = n;
            if (!is_emphasis(&l, i, n))
                ok = taco_markup_copy(m, l.s, i, n);
        }
        if (ok && !used) {
            used = 1;
            while (i + used < l.end && !strchr("\\`[!<&*_~", l.s[i + used]))
                used++;
            ok = taco_markup_copy(m, l.s, i, used);
        }
        i += used;
    }
    return ok;
}

/* -- lines -------------------------------------------------------------------------- */

/* "| a | b |": the cells, commas between. */
static bool add_row(struct taco_markup *m, struct line l) {
    bool first = true, ok = taco_markup_paragraph(m, l.begin);
    for (uint32_t i = l.begin; i < l.end && ok;) {
        uint32_t end = i;
        while (end < l.end && !(l.s[end] == '|' && (end == i || l.s[end - 1] != '\\')))
            end++;
        struct line cell = {l.s, i, end};
        while (cell.begin < end && l.s[cell.begin] == ' ')
            cell.begin++;
        while (cell.end > cell.begin && l.s[cell.end - 1] == ' ')
            cell.end--;
        if (cell.end > cell.begin) {
            ok = (first || taco_markup_add(m, ", ", 2, cell.begin, cell.begin)) &&
                 add_inline(m, cell, 0);
            first = false;
        }
        i = end + 1;
    }
    return ok && taco_markup_paragraph(m, l.end);
}

/* Behind "- ", "* ", "+ " or "12. "; at where there is none. */
static uint32_t behind_bullet(const struct line *l, uint32_t at) {
    uint32_t i = at;
    while (i < l->end && i - at < 9 && l->s[i] >= '0' && l->s[i] <= '9')
        i++;
    bool bullet = i == at ? i < l->end && strchr("-*+", l->s[i])
                          : i < l->end && (l->s[i] == '.' || l->s[i] == ')');
    if (!bullet || i + 1 >= l->end || l->s[i + 1] != ' ')
        return at;
    for (i += 2; i < l->end && l->s[i] == ' '; i++)
        ;
    if (i + 3 < l->end && l->s[i] == '[' && strchr(" xX", l->s[i + 1]) &&
        l->s[i + 2] == ']')
        i += 3; /* a task of a list */
    return i;
}

struct reader {
    struct taco_markup *m;
    char fence; /* the mark of the code block that is open, or 0 */
    uint32_t fence_length;
};

static bool read_line(struct reader *r, struct line l) {
    struct taco_markup *m = r->m;
    while (l.end > l.begin && strchr(" \t\r", l.s[l.end - 1]) && l.s[l.end - 1])
        l.end--;
    uint32_t at = l.begin;
    while (at < l.end && (l.s[at] == ' ' || l.s[at] == '\t' || l.s[at] == '>'))
        at++;
    if (at == l.end)
        return taco_markup_paragraph(m, l.end);
    char mark = l.s[at];
    uint32_t n = mark == '`' || mark == '~' ? run_of(&l, at, mark) : 0;
    if (n >= 3 && (!r->fence || (mark == r->fence && n >= r->fence_length))) {
        r->fence = r->fence ? 0 : mark;
        r->fence_length = n;
        return taco_markup_paragraph(m, l.end);
    }
    if (r->fence)
        return taco_markup_copy(m, l.s, at, l.end - at) &&
               taco_markup_add(m, "\n", 1, l.end, l.end);
    /* Underlines of headings, rules, and the line below a table's head say nothing. */
    if (only(&l, at, "=") || (l.end - at > 2 && only(&l, at, "-*_ \t")) ||
        (strchr("|:-", mark) && l.end - at > 2 && only(&l, at, "|:- ")))
        return taco_markup_paragraph(m, l.end);
    if (mark == '|')
        return add_row(m, (struct line){l.s, at, l.end});
    n = run_of(&l, at, '#');
    if (n >= 1 && n <= 6 && at + n < l.end && l.s[at + n] == ' ') {
        uint32_t end = l.end;
        while (end > at + n && l.s[end - 1] == '#')
            end--;
        if (l.s[end - 1] != ' ')
            end = l.end;
        while (end > at + n && l.s[end - 1] == ' ')
            end--;
        for (at += n; at < end && l.s[at] == ' '; at++)
            ;
        return taco_markup_paragraph(m, l.begin) &&
               add_inline(m, (struct line){l.s, at, end}, 0) &&
               taco_markup_paragraph(m, l.end);
    }
    /* "[name]: http://..." names a target. */
    const char *close = mark == '[' ? memchr(l.s + at, ']', l.end - at) : NULL;
    if (close && close + 1 < l.s + l.end && close[1] == ':')
        return true;
    uint32_t item = behind_bullet(&l, at);
    if (item > at && !taco_markup_paragraph(m, l.begin))
        return false;
    return (item > at || taco_markup_space(m, l.begin)) &&
           add_inline(m, (struct line){l.s, item, l.end}, 0);
}

bool taco_markup_markdown(struct taco_markup *m, const char *source, uint32_t length) {
    struct reader r = {.m = m};
    for (uint32_t i = 0; i < length;) {
        const char *feed = memchr(source + i, '\n', length - i);
        uint32_t end = feed ? (uint32_t)(feed - source) : length;
        if (!read_line(&r, (struct line){source, i, end}))
            return false;
        i = end + 1;
    }
    return true;
}
