#include "http/etag.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* FNV-1a, 64 bits. http://www.isthe.com/chongo/tech/comp/fnv/ */
void taco_etag_of(const void *bytes, size_t size, char etag[TACO_ETAG_SIZE]) {
    uint64_t h = UINT64_C(14695981039346656037);
    const unsigned char *c = bytes;
    for (size_t i = 0; i < size; i++)
        h = (h ^ c[i]) * UINT64_C(1099511628211);
    snprintf(etag, TACO_ETAG_SIZE, "\"%016llx-%zx\"", (unsigned long long)h, size);
}

static const char *skip(const char *c, const char *signs) {
    return c + strspn(c, signs);
}

bool taco_etag_is_in(const char *list, const char *etag) {
    const char *c = skip(list, " \t,");
    if (*c == '*')
        return !*skip(c + 1, " \t");
    size_t n = strlen(etag);
    while (*c) {
        if (strncmp(c, "W/", 2) == 0)
            c += 2;
        if (*c != '"')
            return false; /* no list of tags */
        if (strncmp(c, etag, n) == 0)
            return true;
        const char *end = strchr(c + 1, '"');
        if (!end)
            return false;
        c = skip(end + 1, " \t,");
    }
    return false;
}
