#include "text/grammar.h"

#include <string.h>

struct matcher {
    const struct taco_reader *r;
    const struct taco_pattern *pattern;
    struct taco_match *m;
};

/* The end of the group or the alternative that begins at p: its ')' or '|', or the
 * pattern's end. */
static const char *skip(const char *p, bool to_bar) {
    for (int depth = 0; *p; p++) {
        if (*p == '\\') {
            p++;
        } else if (*p == '(') {
            depth++;
        } else if (*p == ')') {
            if (depth-- == 0)
                return p;
        } else if (*p == '|' && depth == 0 && to_bar) {
            return p;
        }
    }
    return p;
}

/* Is c the brace that opens a class? */
static bool opens_class(const char *text, const char *c) {
    return *c == '{' && (c == text || c[-1] != '\\');
}

/* The number of the group whose brace is p. */
static int group_of(const struct matcher *k, const char *p) {
    int n = 0;
    for (const char *c = k->pattern->text; c <= p; c++)
        n += opens_class(k->pattern->text, c);
    return n;
}

static bool match_sequence(struct matcher *k, const char *p, uint32_t *at);

/* p: behind the '('. */
static bool match_group(struct matcher *k, const char *p, uint32_t *at) {
    for (;;) {
        struct taco_match before = *k->m;
        uint32_t here = *at;
        if (match_sequence(k, p, &here)) {
            *at = here;
            return true;
        }
        *k->m = before;
        p = skip(p, true);
        if (*p != '|')
            return false;
        p++;
    }
}

static bool match_class(struct matcher *k, const char *p, uint32_t *at) {
    int group = group_of(k, p);
    uint32_t stop = k->pattern->classes[group]->end(k->r, *at);
    if (stop <= *at)
        return false;
    k->m->group[group] = (struct taco_part){*at, stop};
    *at = stop;
    return true;
}

static bool match_literal(const struct matcher *k, char c, uint32_t *at) {
    char is = k->r->window[*at];
    if (is != c && !(c >= 'a' && c <= 'z' && taco_char_lower(is) == c))
        return false;
    if (!is)
        return false;
    ++*at;
    return true;
}

static bool match_sequence(struct matcher *k, const char *p, uint32_t *at) {
    while (*p && *p != ')' && *p != '|') {
        const char *next = p + 1;
        bool ahead = *p == '&' && p[1] == '(';
        if (*p == '(' || ahead) {
            const char *inside = p + 1 + ahead, *close = skip(inside, false);
            bool again = close[0] && close[1] == '*';
            bool optional = again || (close[0] && close[1] == '?');
            uint32_t here = *at;
            bool ok = match_group(k, inside, &here);
            if (!ok && !optional)
                return false;
            if (ok && !ahead)
                *at = here;
            while (ok && again && (ok = match_group(k, inside, &here)) && here > *at)
                *at = here;
            next = close + 1 + optional;
        } else if (*p == '{') {
            next = strchr(p, '}') + 1;
            if (!match_class(k, p, at))
                return false;
        } else if (*p == '_') {
            *at += k->r->window[*at] == ' ';
        } else {
            next += *p == '\\';
            if (!match_literal(k, *p == '\\' ? p[1] : *p, at))
                return false;
        }
        p = next;
    }
    return true;
}

bool taco_pattern_compile(struct taco_pattern *pattern, const char *text) {
    *pattern = (struct taco_pattern){.text = text};
    int n = 0;
    for (const char *c = text; *c; c++) {
        if (!opens_class(text, c))
            continue;
        const char *end = strchr(c, '}');
        if (!end || ++n == TACO_MATCH_GROUPS)
            return false;
        pattern->classes[n] = taco_token_class_find(c + 1, (size_t)(end - c - 1));
        if (!pattern->classes[n])
            return false;
    }
    return true;
}

bool taco_pattern_match(const struct taco_reader *r, const struct taco_pattern *pattern,
                        uint32_t at, struct taco_match *m) {
    memset(m, 0, sizeof *m);
    struct matcher k = {r, pattern, m};
    uint32_t end = at;
    if (!match_group(&k, pattern->text, &end) || end == at)
        return false;
    m->group[0] = (struct taco_part){at, end};
    return true;
}
