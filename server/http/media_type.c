#include "http/media_type.h"

#include <stddef.h>
#include <string.h>
#include <strings.h>

static const char *skip_space(const char *s) {
    while (*s == ' ' || *s == '\t')
        s++;
    return s;
}

/* RFC 9110, 5.6.2. */
static bool is_token(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c && strchr("!#$%&'*+-.^_`|~", c));
}

/* Copies what lies between begin and end in lower case; an empty string if it is too
 * long. */
static void copy_lower(char *out, size_t size, const char *begin, const char *end) {
    size_t n = (size_t)(end - begin);
    if (n >= size)
        n = 0;
    for (size_t i = 0; i < n; i++)
        out[i] = begin[i] >= 'A' && begin[i] <= 'Z' ? (char)(begin[i] + 32) : begin[i];
    out[n] = '\0';
}

/* The end of "type/subtype" at s, or s if there is none. */
static const char *skip_name(const char *s) {
    const char *c = s;
    while (is_token(*c))
        c++;
    if (c == s || *c != '/')
        return s;
    const char *sub = ++c;
    while (is_token(*c))
        c++;
    return c == sub ? s : c;
}

struct parameter {
    const char *name, *name_end, *value, *value_end; /* the value without its quotes */
};

/* Reads "; name=value" at *at and moves *at behind it; false if something else stands
 * there. */
static bool next_parameter(const char **at, struct parameter *p) {
    const char *s = skip_space(*at);
    if (*s != ';')
        return false;
    s = p->name = skip_space(s + 1);
    while (is_token(*s))
        s++;
    p->name_end = s;
    if (s == p->name || *s != '=')
        return false;
    s++;
    if (*s == '"') {
        p->value = ++s;
        while (*s && *s != '"')
            s += *s == '\\' && s[1] ? 2 : 1;
        p->value_end = s;
        if (*s)
            s++;
    } else {
        p->value = s;
        while (is_token(*s))
            s++;
        p->value_end = s;
    }
    *at = s;
    return true;
}

static bool named(const struct parameter *p, const char *name) {
    size_t n = strlen(name);
    return (size_t)(p->name_end - p->name) == n && strncasecmp(p->name, name, n) == 0;
}

struct taco_media_type taco_media_type_read(const char *header) {
    struct taco_media_type type = {"", ""};
    const char *begin = skip_space(header);
    const char *end = skip_name(begin);
    copy_lower(type.name, sizeof type.name, begin, end);
    struct parameter p;
    while (next_parameter(&end, &p))
        if (named(&p, "charset"))
            copy_lower(type.charset, sizeof type.charset, p.value, p.value_end);
    end = skip_space(end);
    if (*end && *end != ';')
        type.name[0] = '\0';
    return type;
}

/* "0", "1", "0.5", "0.125" in thousandths; -1 if it is none. */
static int read_quality(const char *value, const char *end) {
    if (value == end || (*value != '0' && *value != '1'))
        return -1;
    int q = (*value - '0') * 1000;
    if (++value == end)
        return q;
    if (*value++ != '.')
        return -1;
    for (int digit = 100; value < end; value++, digit /= 10) {
        if (*value < '0' || *value > '9')
            return -1;
        q += (*value - '0') * digit;
    }
    return q > 1000 ? -1 : q;
}

/* 3: the range is the type, 2: type / *, 1: * / *, 0: no match. */
static int match(const char *range, const char *range_end, const char *type) {
    size_t n = (size_t)(range_end - range);
    const char *slash = strchr(type, '/');
    size_t type_length = strcspn(type, ";");
    if (n == 3 && memcmp(range, "*/*", 3) == 0)
        return 1;
    if (n >= 2 && memcmp(range_end - 2, "/*", 2) == 0)
        return slash && (size_t)(slash - type) == n - 2 &&
                       strncasecmp(range, type, n - 2) == 0
                   ? 2
                   : 0;
    return n == type_length && strncasecmp(range, type, n) == 0 ? 3 : 0;
}

/* The q of the most specific range, if it is specific enough. */
static int weigh(const char *header, const char *type, int least) {
    int best = least - 1, quality = 0;
    for (const char *s = header; *s;) {
        s = skip_space(s);
        const char *range = s, *range_end = skip_name(s);
        int q = 1000;
        struct parameter p;
        s = range_end;
        while (next_parameter(&s, &p))
            if (named(&p, "q"))
                q = read_quality(p.value, p.value_end);
        int specific = q < 0 ? 0 : match(range, range_end, type);
        if (specific > best) {
            best = specific;
            quality = q;
        }
        s += strcspn(s, ",");
        s += *s == ',';
    }
    return quality;
}

int taco_accept_quality(const char *header, const char *type) {
    return header && *skip_space(header) ? weigh(header, type, 1) : 1000;
}

int taco_accept_names(const char *header, const char *type) {
    return header ? weigh(header, type, 3) : 0;
}
