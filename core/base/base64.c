#include "base/base64.h"

static const char digits[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

char *taco_base64(char *out, const void *bytes, size_t n) {
    const unsigned char *in = bytes;
    for (size_t i = 0; i < n; i += 3) {
        unsigned long group = (unsigned long)in[i] << 16;
        group |= i + 1 < n ? (unsigned long)in[i + 1] << 8 : 0;
        group |= i + 2 < n ? (unsigned long)in[i + 2] : 0;
        *out++ = digits[group >> 18];
        *out++ = digits[group >> 12 & 63];
        *out++ = i + 1 < n ? digits[group >> 6 & 63] : '=';
        *out++ = i + 2 < n ? digits[group & 63] : '=';
    }
    return out;
}
