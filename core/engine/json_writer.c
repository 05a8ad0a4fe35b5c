#include "engine/json_writer.h"
#include <math.h>
#include <string.h>

static void new_line(struct taco_json_writer *w) {
    if (w->indent == 0)
        return;
    char *room = taco_buffer_grow(w->out, 1 + (size_t)(w->indent * w->depth));
    if (!room)
        return;
    *room = '\n';
    memset(room + 1, ' ', (size_t)(w->indent * w->depth));
}

/* The letter behind the backslash; 0: the character needs none, 'u': its code. */
static char escape_of(unsigned char c) {
    switch (c) {
    case '"':
    case '\\':
        return (char)c;
    case '\b':
        return 'b';
    case '\f':
        return 'f';
    case '\n':
        return 'n';
    case '\r':
        return 'r';
    case '\t':
        return 't';
    default:
        return c < 0x20 ? 'u' : 0;
    }
}

static void escaped(struct taco_buffer *out, const char *text, size_t n) {
    static const char hex[] = "0123456789ABCDEF";
    size_t begin = 0;
    taco_buffer_add(out, "\"", 1);
    for (size_t i = 0; i < n; i++) {
        const unsigned char c = (unsigned char)text[i];
        const char letter = escape_of(c);
        if (!letter)
            continue;
        const char code[6] = {'\\', letter, '0', '0', hex[c >> 4], hex[c & 15]};
        taco_buffer_add(out, text + begin, i - begin);
        taco_buffer_add(out, code, letter == 'u' ? 6 : 2);
        begin = i + 1;
    }
    taco_buffer_add(out, text + begin, n - begin);
    taco_buffer_add(out, "\"", 1);
}

/* What stands before a value: comma, line, key. */
static void before(struct taco_json_writer *w, const char *key) {
    if (w->depth > 0) {
        if (!w->is_first)
            taco_buffer_add(w->out, ",", 1);
        new_line(w);
    }
    w->is_first = false;
    if (key) {
        escaped(w->out, key, strlen(key));
        taco_buffer_add(w->out, ": ", w->indent ? 2 : 1);
    }
}

void taco_json_begin(struct taco_json_writer *w, const char *key, char bracket) {
    before(w, key);
    taco_buffer_add(w->out, &bracket, 1);
    w->depth++;
    w->is_first = true;
}

void taco_json_end(struct taco_json_writer *w, char bracket) {
    w->depth--;
    if (!w->is_first)
        new_line(w);
    w->is_first = false;
    taco_buffer_add(w->out, &bracket, 1);
}

void taco_json_null(struct taco_json_writer *w, const char *key) {
    before(w, key);
    taco_buffer_add(w->out, "null", 4);
}

void taco_json_boolean(struct taco_json_writer *w, const char *key, bool value) {
    before(w, key);
    taco_buffer_text(w->out, value ? "true" : "false");
}

/* Writes value before end, the last n_decimals of its digits behind a point; returns where
 * that begins. */
static char *digits(char *end, uint64_t value, int n_decimals) {
    char *c = end;
    for (int i = 0; i < n_decimals; i++, value /= 10)
        *--c = (char)('0' + value % 10);
    if (n_decimals > 0)
        *--c = '.';
    do {
        *--c = (char)('0' + value % 10);
        value /= 10;
    } while (value > 0);
    return c;
}

void taco_json_count(struct taco_json_writer *w, const char *key, uint64_t value) {
    char text[24], *end = text + sizeof text, *begin = digits(end, value, 0);
    before(w, key);
    taco_buffer_add(w->out, begin, (size_t)(end - begin));
}

void taco_json_number(struct taco_json_writer *w, const char *key, double value) {
    if (!(fabs(value) < 1e12)) { /* JSON has no infinity */
        taco_json_null(w, key);
        return;
    }
    uint64_t millionths = (uint64_t)llround(fabs(value) * 1e6);
    char text[32], *end = text + sizeof text, *begin = digits(end, millionths, 6);
    if (value < 0 && millionths > 0)
        *--begin = '-';
    while (end[-1] == '0' && end[-2] != '.')
        end--;
    before(w, key);
    taco_buffer_add(w->out, begin, (size_t)(end - begin));
}

void taco_json_stringn(struct taco_json_writer *w, const char *key, const char *text,
                       size_t n) {
    before(w, key);
    escaped(w->out, text, n);
}

void taco_json_string(struct taco_json_writer *w, const char *key, const char *text) {
    taco_json_stringn(w, key, text, strlen(text));
}

char *taco_json_room(struct taco_json_writer *w, const char *key, size_t n) {
    before(w, key);
    char *room = taco_buffer_grow(w->out, n + 2);
    if (!room)
        return NULL;
    room[0] = room[n + 1] = '"';
    return room + 1;
}
