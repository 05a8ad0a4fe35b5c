#include "base/printable.h"

#include <stdbool.h>
#include <string.h>

/* Removes a UTF-8 sequence that the buffer's end cut in two, so that a truncated message
 * can still be put into JSON. */
static void trim_cut_sequence(char *s, size_t size) {
    size_t n = strlen(s);
    if (n + 1 < size)
        return; /* not cut */
    size_t lead = n;
    while (lead > 0 && n - lead < 3 && ((unsigned char)s[lead - 1] & 0xC0) == 0x80)
        lead--;
    if (lead == 0)
        return;
    unsigned char c = (unsigned char)s[lead - 1];
    size_t want = c >= 0xF0 ? 4 : c >= 0xE0 ? 3 : c >= 0xC0 ? 2 : 1;
    if (n - (lead - 1) < want)
        s[lead - 1] = '\0';
}

/* Bytes of the printable UTF-8 character at s, 0 if there is none: a control, a sequence that
 * is cut, overlong, a surrogate or beyond Unicode. */
static size_t printable(const unsigned char *s) {
    if (s[0] < 0x80)
        return s[0] >= 0x20 && s[0] != 0x7F;
    size_t n = s[0] >= 0xF0 ? 4 : s[0] >= 0xE0 ? 3 : 2;
    if (s[0] < 0xC2 || s[0] > 0xF4)
        return 0;
    for (size_t i = 1; i < n; i++) /* the final NUL is no such byte either */
        if ((s[i] & 0xC0) != 0x80)
            return 0;
    bool fits = !(s[0] == 0xC2 && s[1] < 0xA0) && !(s[0] == 0xE0 && s[1] < 0xA0) &&
                !(s[0] == 0xED && s[1] >= 0xA0) && !(s[0] == 0xF0 && s[1] < 0x90) &&
                !(s[0] == 0xF4 && s[1] >= 0x90);
    return fits ? n : 0;
}

void taco_make_printable(char *s, size_t size, char mark) {
    trim_cut_sequence(s, size);
    for (char *c = s; *c;) {
        size_t n = printable((const unsigned char *)c);
        if (n == 0)
            *c = mark;
        c += n ? n : 1;
    }
}
