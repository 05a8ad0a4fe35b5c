#include "engine/buffer.h"
#include "base/memory.h"
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define ASK_EVERY 65536 /* bytes */

bool taco_buffer_may_hold(struct taco_buffer *buffer, size_t more) {
    buffer->asked_at = buffer->size;
    if (!buffer->failed && buffer->grow &&
        buffer->grow(buffer->user, buffer->capacity + more))
        buffer->failed = buffer->stopped = true;
    return !buffer->failed;
}

void *taco_buffer_grow(struct taco_buffer *buffer, size_t n) {
    if (buffer->failed || n >= SIZE_MAX / 4 - buffer->size)
        goto fail;
    if (buffer->size + n - buffer->asked_at >= ASK_EVERY &&
        !taco_buffer_may_hold(buffer, 0))
        goto fail;
    if (buffer->size + n + 1 > buffer->capacity) {
        size_t capacity = (buffer->size + n) / 2 * 3 + 128;
        if (!taco_buffer_may_hold(buffer, capacity - buffer->capacity))
            goto fail;
        char *data = taco_realloc(buffer->data, capacity);
        if (!data)
            goto fail;
        buffer->data = data;
        buffer->capacity = capacity;
    }
    void *room = buffer->data + buffer->size;
    buffer->size += n;
    buffer->data[buffer->size] = '\0';
    return room;
fail:
    buffer->failed = true;
    return NULL;
}

void taco_buffer_add(struct taco_buffer *buffer, const void *bytes, size_t n) {
    void *room = taco_buffer_grow(buffer, n);
    if (room && n)
        memcpy(room, bytes, n);
}

void taco_buffer_text(struct taco_buffer *buffer, const char *text) {
    taco_buffer_add(buffer, text, strlen(text));
}

void taco_buffer_format(struct taco_buffer *buffer, const char *format, ...) {
    char text[512];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (n < 0 || (size_t)n >= sizeof text)
        buffer->failed = true;
    else
        taco_buffer_add(buffer, text, (size_t)n);
}

void taco_buffer_decimal(struct taco_buffer *buffer, double value, int decimals) {
    unsigned long long scale = 1;
    for (int i = 0; i < decimals; i++)
        scale *= 10;
    unsigned long long n = (unsigned long long)llround(value * (double)scale);
    if (decimals > 0)
        taco_buffer_format(buffer, "%llu.%0*llu", n / scale, decimals, n % scale);
    else
        taco_buffer_format(buffer, "%llu", n);
}

/* XML 1.0 has no way to write the other control characters, nor U+FFFE and U+FFFF. */
static bool is_forbidden(const unsigned char *c, size_t n) {
    return *c < 0x20 || *c == 0x7F ||
           (n >= 3 && c[0] == 0xEF && c[1] == 0xBF && c[2] >= 0xBE);
}

void taco_buffer_xml(struct taco_buffer *buffer, const char *text, size_t n) {
    for (size_t i = 0; i < n; i++) {
        const unsigned char *c = (const unsigned char *)text + i;
        if (*c == '&')
            taco_buffer_text(buffer, "&amp;");
        else if (*c == '<')
            taco_buffer_text(buffer, "&lt;");
        else if (*c == '>')
            taco_buffer_text(buffer, "&gt;");
        else if (*c == '"')
            taco_buffer_text(buffer, "&quot;");
        else if (strchr(" \t\r\n\f\v", *c) && *c)
            taco_buffer_text(buffer, " ");
        else if (is_forbidden(c, n - i)) {
            taco_buffer_text(buffer, "\xEF\xBF\xBD");
            i += *c == 0xEF ? 2 : 0;
        } else
            taco_buffer_add(buffer, c, 1);
    }
}

void taco_buffer_cut(struct taco_buffer *buffer, size_t n) {
    buffer->size = n;
    buffer->asked_at = n < buffer->asked_at ? n : buffer->asked_at;
    buffer->data[n] = '\0';
}

void taco_buffer_free(struct taco_buffer *buffer) {
    taco_free(buffer->data);
    *buffer = (struct taco_buffer)TACO_BUFFER_INIT;
}
