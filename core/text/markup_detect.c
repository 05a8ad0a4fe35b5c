/* What a text is written in, where that is beyond doubt.
 *
 * A wrong guess would change how plain text is spoken, so every sign counts only where no
 * one would want to hear it read out: "2 ** 3", "# of items" and "a < b" stay text. */
#include "text/markup.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "text/ascii.h"

struct view {
    const char *s, *end;
};

static bool is_alnum(char c) {
    return taco_char_is_letter(c) || taco_char_is_digit(c);
}

static const char *skip_white(struct view v) {
    while (v.s < v.end && taco_char_is_white(*v.s))
        v.s++;
    return v.s;
}

static bool begins(struct view v, const char *prefix) {
    size_t n = strlen(prefix);
    return (size_t)(v.end - v.s) >= n && strncasecmp(v.s, prefix, n) == 0;
}

/* "<name" followed by what ends a tag's name. */
static bool begins_tag(struct view v, const char *name, size_t n) {
    return (size_t)(v.end - v.s) > n + 1 && v.s[0] == '<' &&
           strncasecmp(v.s + 1, name, n) == 0 && !is_alnum(v.s[n + 1]) &&
           v.s[n + 1] != ':' && v.s[n + 1] != '-';
}

static bool is_ssml(struct view v) {
    if (begins(v, "<?xml")) {
        const char *stop = memmem(v.s, (size_t)(v.end - v.s), "?>", 2);
        if (!stop)
            return false;
        v.s = skip_white((struct view){stop + 2, v.end});
    }
    /* A prefix of a name space: <ssml:speak>. */
    const char *name = v.s + 1;
    for (const char *c = name; c < v.end && c - name < 20 && (is_alnum(*c) || *c == ':');
         c++)
        if (*c == ':' && begins((struct view){c + 1, v.end}, "speak"))
            return v.s[0] == '<';
    return begins_tag(v, "speak", 5) || begins_tag(v, "maryxml", 7);
}

/* It begins with an element that ends further on. */
static bool is_html(struct view v) {
    static const char *const names[] = {
        "html", "body", "p",     "div", "h1", "h2",      "h3",      "h4",
        "h5",   "h6",   "ul",    "ol",  "b",  "strong",  "em",      "i",
        "span", "pre",  "table", "a",   "br", "article", "section", "blockquote"};
    if (begins(v, "<!doctype html"))
        return true;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t n = strlen(names[i]);
        if (!begins_tag(v, names[i], n))
            continue;
        char closing[16];
        snprintf(closing, sizeof closing, "</%s", names[i]);
        for (const char *c = v.s; (c = memchr(c, '<', (size_t)(v.end - c))); c++)
            if (begins((struct view){c, v.end}, closing) ||
                (strcmp(names[i], "br") == 0 && c == v.s))
                return true;
    }
    return false;
}

/* "**word**" between what is no letter or digit. */
static bool has_strong(struct view line) {
    for (const char *c = line.s; c + 4 < line.end; c++) {
        if (c[0] != '*' || c[1] != '*' || c[2] == '*' || taco_char_is_white(c[2]) ||
            (c > line.s && (is_alnum(c[-1]) || c[-1] == '*')))
            continue;
        const char *stop = memmem(c + 3, (size_t)(line.end - c) - 3, "**", 2);
        return stop && !taco_char_is_white(stop[-1]) &&
               (stop + 2 == line.end || !is_alnum(stop[2]));
    }
    return false;
}

/* "](http..." and its like behind a bracket that opens. */
static bool has_link(struct view line) {
    static const char *const targets[] = {
        "http://", "https://", "mailto:", "/", "#", "./"};
    const char *open = memchr(line.s, '[', (size_t)(line.end - line.s));
    const char *c =
        open ? memmem(open, (size_t)(line.end - open), "](", 2) : (const char *)NULL;
    for (size_t i = 0; c && i < sizeof targets / sizeof *targets; i++)
        if (begins((struct view){c + 2, line.end}, targets[i]))
            return true;
    return false;
}

/* "|---|:-:|" */
static bool is_table_rule(struct view line) {
    bool bar = false, dashes = false;
    for (const char *c = line.s; c < line.end; c++) {
        if (!strchr("|-: \r", *c) || !*c)
            return false;
        bar = bar || *c == '|';
        dashes = dashes || (c + 2 < line.end && c[0] == '-' && c[1] == '-');
    }
    return bar && dashes;
}

/* "## Title"; "# Title" only as the first line, before an empty one. */
static bool is_heading(struct view line, bool first, struct view rest) {
    size_t n = 0;
    while (line.s + n < line.end && n < 7 && line.s[n] == '#')
        n++;
    if (n == 0 || n > 6 || line.s + n >= line.end || line.s[n] != ' ')
        return false;
    return n > 1 ||
           (first && rest.s < rest.end && (rest.s[0] == '\n' || rest.s[0] == '\r'));
}

static bool is_markdown(struct view v) {
    bool first = true, item = false;
    while (v.s < v.end) {
        const char *feed = memchr(v.s, '\n', (size_t)(v.end - v.s));
        struct view line = {v.s, feed ? feed : v.end};
        struct view rest = {feed ? feed + 1 : v.end, v.end};
        bool bullet = begins(line, "- ") || begins(line, "* ");
        if (begins(line, "```") || is_heading(line, first, rest) || has_strong(line) ||
            has_link(line) || is_table_rule(line) || (bullet && item))
            return true;
        item = bullet;
        first = false;
        v = rest;
    }
    return false;
}

enum taco_input taco_markup_detect(const char *source, uint32_t length) {
    struct view v = {source, source + length};
    if (begins(v, "\xEF\xBB\xBF"))
        v.s += 3;
    v.s = skip_white(v);
    return v.s == v.end     ? TACO_INPUT_TEXT
           : is_ssml(v)     ? TACO_INPUT_SSML
           : is_html(v)     ? TACO_INPUT_HTML
           : is_markdown(v) ? TACO_INPUT_MARKDOWN
                            : TACO_INPUT_TEXT;
}
