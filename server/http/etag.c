#include "http/etag.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Mixes eight bytes at a time, since answers may have hundreds of megabytes. The mixing is
 * that of MurmurHash3's body; nobody is to be kept from making two equal tags. */
void taco_etag_of(const void *bytes, size_t size, char etag[TACO_ETAG_SIZE]) {
    uint64_t h = size;
    const unsigned char *c = bytes;
    for (size_t i = 0; i < size; i += 8) {
        uint64_t word = 0;
        memcpy(&word, c + i, size - i < 8 ? size - i : 8);
        word *= UINT64_C(0x87C37B91114253D5);
        word = word << 31 | word >> 33;
        h ^= word * UINT64_C(0x4CF5AD432745937F);
        h = (h << 27 | h >> 37) * 5 + UINT64_C(0x52DCE729);
    }
    h = (h ^ h >> 33) * UINT64_C(0xFF51AFD7ED558CCD);
    h ^= h >> 33;
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
