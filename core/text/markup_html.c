/* HTML as a browser shows it: tags out, entities as characters, blocks as paragraphs.
 * Whatever is malformed is text. */
#include "text/markup.h"

#include <string.h>
#include <strings.h>

#include "text/ascii.h"

static bool is_white(char c) {
    return taco_char_is_white(c) || c == '\f';
}

/* -- entities ----------------------------------------------------------------------- */

static uint32_t named(const char *name, size_t n) {
    static const struct {
        const char *name;
        uint32_t cp;
    } entities[] = {
        {"amp", '&'},      {"lt", '<'},        {"gt", '>'},        {"quot", '"'},
        {"apos", '\''},    {"nbsp", 0xA0},     {"copy", 0xA9},     {"reg", 0xAE},
        {"trade", 0x2122}, {"deg", 0xB0},      {"plusmn", 0xB1},   {"times", 0xD7},
        {"divide", 0xF7},  {"frac12", 0xBD},   {"frac14", 0xBC},   {"frac34", 0xBE},
        {"sup2", 0xB2},    {"sup3", 0xB3},     {"micro", 0xB5},    {"middot", 0xB7},
        {"cent", 0xA2},    {"pound", 0xA3},    {"yen", 0xA5},      {"euro", 0x20AC},
        {"sect", 0xA7},    {"hellip", 0x2026}, {"mdash", 0x2014},  {"ndash", 0x2013},
        {"lsquo", 0x2018}, {"rsquo", 0x2019},  {"ldquo", 0x201C},  {"rdquo", 0x201D},
        {"laquo", 0xAB},   {"raquo", 0xBB},    {"bull", 0x2022},   {"minus", 0x2212},
        {"rarr", 0x2192},  {"larr", 0x2190},   {"eacute", 0xE9},   {"egrave", 0xE8},
        {"ecirc", 0xEA},   {"agrave", 0xE0},   {"aacute", 0xE1},   {"acirc", 0xE2},
        {"auml", 0xE4},    {"ouml", 0xF6},     {"uuml", 0xFC},     {"ntilde", 0xF1},
        {"ccedil", 0xE7},  {"szlig", 0xDF},    {"oacute", 0xF3},   {"iacute", 0xED},
        {"uacute", 0xFA},  {"shy", 0xAD},      {"thinsp", 0x2009}, {"zwnj", 0x200C},
    };
    for (size_t i = 0; i < sizeof entities / sizeof *entities; i++)
        if (strlen(entities[i].name) == n && memcmp(entities[i].name, name, n) == 0)
            return entities[i].cp;
    return 0;
}

/* "#233" or "#xE9". */
static uint32_t numbered(const char *digits, size_t n) {
    uint32_t cp = 0;
    bool hex = n > 1 && (digits[1] | 32) == 'x';
    size_t i = hex ? 2 : 1;
    if (i == n || n > 9)
        return 0;
    for (; i < n; i++) {
        char c = digits[i], low = (char)(c | 32);
        if (c >= '0' && c <= '9')
            cp = cp * (hex ? 16 : 10) + (uint32_t)(c - '0');
        else if (hex && low >= 'a' && low <= 'f')
            cp = cp * 16 + (uint32_t)(low - 'a') + 10;
        else
            return 0;
    }
    return cp > 0x10FFFF || (cp >= 0xD800 && cp < 0xE000) ? 0 : cp;
}

bool taco_markup_entity(struct taco_markup *m, const char *source, uint32_t at,
                        uint32_t length, uint32_t *used) {
    const char *name = source + at + 1;
    size_t n = 0, most = length - at - 1 < 12 ? length - at - 1 : 12;
    while (n < most && name[n] != ';' && !is_white(name[n]) && name[n] != '&')
        n++;
    uint32_t cp = 0;
    if (n > 0 && n < most && name[n] == ';')
        cp = name[0] == '#' ? numbered(name, n) : named(name, n);
    if (!cp) {
        *used = 1;
        return taco_markup_copy(m, source, at, 1);
    }
    *used = (uint32_t)n + 2;
    struct taco_string character = {NULL, 0, 0};
    bool ok = taco_string_add_cp(&character, cp) &&
              taco_markup_add(m, character.bytes, character.n, at, at + *used);
    taco_string_free(&character);
    return ok;
}

/* -- tags --------------------------------------------------------------------------- */

static bool is_one_of(const char *name, size_t n, const char *names) {
    for (const char *p = names; *p; p += *p == ' ') {
        size_t k = strcspn(p, " ");
        if (k == n && strncasecmp(p, name, n) == 0)
            return true;
        p += k;
    }
    return false;
}

/* Where the comment, declaration or tag at begin ends; 0 if it does not. */
static uint32_t tag_end(struct taco_markup *m, const char *s, uint32_t at,
                        uint32_t length) {
    if (length - at >= 4 && memcmp(s + at, "<!--", 4) == 0) {
        const char *end =
            m->no_comment_end ? NULL : memmem(s + at + 4, length - at - 4, "-->", 3);
        m->no_comment_end = !end;
        return end ? (uint32_t)(end - s) + 3 : 0;
    }
    char quote = 0;
    for (uint32_t i = at + 1; i < length && i - at < 65536; i++) {
        if (quote)
            quote = s[i] == quote ? 0 : quote;
        else if ((s[i] == '"' || s[i] == '\'') && s[i - 1] == '=')
            quote = s[i];
        else if (s[i] == '>')
            return i + 1;
        else if (s[i] == '<')
            return 0;
    }
    return 0;
}

/* The text of an image. */
static bool add_alt(struct taco_markup *m, const char *s, uint32_t at, uint32_t end) {
    for (uint32_t i = at; i + 6 < end; i++) {
        if (!is_white(s[i]) || strncasecmp(s + i + 1, "alt=", 4) != 0)
            continue;
        char quote = s[i + 5];
        const char *stop =
            quote == '"' || quote == '\'' ? memchr(s + i + 6, quote, end - i - 6) : NULL;
        return !stop || (taco_markup_space(m, at) &&
                         taco_markup_copy(m, s, i + 6, (uint32_t)(stop - s) - i - 6) &&
                         taco_markup_space(m, end));
    }
    return true;
}

/* Behind the end tag of a hidden element, or the end of the text. */
static uint32_t hidden_end(struct taco_markup *m, const char *s, uint32_t at,
                           uint32_t length, const char *name, size_t n) {
    for (uint32_t i = at; i + n + 2 < length; i++)
        if (s[i] == '<' && s[i + 1] == '/' && strncasecmp(s + i + 2, name, n) == 0) {
            uint32_t end = tag_end(m, s, i, length);
            if (end)
                return end;
        }
    return length;
}

bool taco_markup_tag(struct taco_markup *m, const char *s, uint32_t at, uint32_t length,
                     uint32_t *used) {
    static const char blocks[] =
        "p div h1 h2 h3 h4 h5 h6 ul ol li dl dt dd table tr thead tbody caption article "
        "section header footer nav aside main form fieldset blockquote pre hr figure "
        "figcaption address details summary body html option";
    *used = 0;
    uint32_t next = at + 1;
    bool closing = next < length && s[next] == '/';
    next += closing;
    if (next >= length || !(taco_char_is_letter(s[next]) ||
                            (!closing && (s[next] == '!' || s[next] == '?'))))
        return true;
    uint32_t end = tag_end(m, s, at, length);
    if (!end)
        return true;
    *used = end - at;
    const char *name = s + next;
    size_t n = 0;
    while (next + n < end &&
           (taco_char_is_letter(name[n]) || (name[n] >= '0' && name[n] <= '9')))
        n++;
    if (!closing && is_one_of(name, n, "script style head title template noscript svg") &&
        s[end - 2] != '/') {
        *used = hidden_end(m, s, end, length, name, n) - at;
        return taco_markup_space(m, at);
    }
    if (is_one_of(name, n, blocks))
        return taco_markup_paragraph(m, at);
    if (is_one_of(name, n, "br"))
        return m->text.n == 0 || taco_markup_add(m, "\n", 1, at, end);
    if (!closing && is_one_of(name, n, "img"))
        return add_alt(m, s, at, end);
    if (closing && is_one_of(name, n, "td th"))
        return taco_markup_add(m, ", ", 2, at, end);
    return true;
}

bool taco_markup_html(struct taco_markup *m, const char *source, uint32_t length) {
    bool ok = true;
    for (uint32_t i = 0; i < length && ok;) {
        uint32_t used = 0;
        if (source[i] == '<') {
            ok = taco_markup_tag(m, source, i, length, &used);
            if (ok && !used) {
                ok = taco_markup_copy(m, source, i, 1);
                used = 1;
            }
        } else if (source[i] == '&') {
            ok = taco_markup_entity(m, source, i, length, &used);
        } else if (is_white(source[i])) {
            while (i + used < length && is_white(source[i + used]))
                used++;
            ok = taco_markup_space(m, i);
        } else {
            while (i + used < length && !is_white(source[i + used]) &&
                   source[i + used] != '<' && source[i + used] != '&')
                used++;
            ok = taco_markup_copy(m, source, i, used);
        }
        i += used;
    }
    return ok;
}
