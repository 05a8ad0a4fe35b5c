#include "text/vector.h"

#include "base/memory.h"
#include <string.h>
#include <unistr.h>

bool taco_vector_reserve(void *items, uint32_t *capacity, uint32_t n, uint32_t extra,
                         size_t size) {
    if (n <= *capacity && extra <= *capacity - n)
        return true;
    if (extra > UINT32_MAX / 2 - n)
        return false;
    uint32_t want = n + extra;
    uint32_t next = *capacity < 16 ? 16 : *capacity;
    while (next < want)
        next *= 2;
    if (next > SIZE_MAX / size)
        return false;
    void *old;
    memcpy(&old, items, sizeof old);
    void *grown = taco_realloc(old, next * size);
    if (!grown)
        return false;
    memcpy(items, &grown, sizeof grown);
    *capacity = next;
    return true;
}

bool taco_string_add(struct taco_string *string, const char *bytes, size_t n) {
    if (n >= UINT32_MAX / 2 || !taco_vector_reserve(&string->bytes, &string->capacity,
                                                    string->n, (uint32_t)n + 1, 1))
        return false;
    if (n)
        memcpy(string->bytes + string->n, bytes, n);
    string->n += (uint32_t)n;
    string->bytes[string->n] = '\0';
    return true;
}

bool taco_string_add_char(struct taco_string *string, char c) {
    return taco_string_add(string, &c, 1);
}

bool taco_string_add_cp(struct taco_string *string, uint32_t cp) {
    uint8_t bytes[6];
    int n = u8_uctomb(bytes, cp, sizeof bytes);
    return n > 0 && taco_string_add(string, (const char *)bytes, (size_t)n);
}

void taco_string_clear(struct taco_string *string) {
    string->n = 0;
    if (string->bytes)
        string->bytes[0] = '\0';
}

void taco_string_free(struct taco_string *string) {
    taco_free(string->bytes);
    *string = (struct taco_string){NULL, 0, 0};
}
