#include "cli/plain_text.h"

#include <stdbool.h>
#include <stdio.h>

int taco_print_plain(const char *text, size_t n, char mark) {
    int columns = 0;
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)text[i];
        unsigned char next = i + 1 < n ? (unsigned char)text[i + 1] : 0;
        bool second_set = c == 0xC2 && next >= 0x80 && next < 0xA0;
        putchar(c < 0x20 || c == 0x7F || second_set ? mark : c);
        i += second_set;
        columns += (c & 0xC0) != 0x80;
    }
    return columns;
}
