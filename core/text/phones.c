#include "text/phones.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

static const char *const names[] = {
    "AA", "AE", "AH", "AO", "AW", "AY", "EH", "ER", "EY", "IH", "IY", "OW", "OY",
    "UH", "UW", "B",  "CH", "D",  "DH", "F",  "G",  "HH", "JH", "K",  "L",  "M",
    "N",  "NG", "P",  "R",  "S",  "SH", "T",  "TH", "V",  "W",  "Y",  "Z",  "ZH"};

enum { N_VOWELS = 15, N_PHONES = sizeof names / sizeof *names, AH = 2 };

int taco_phone_count(void) {
    return N_PHONES;
}

const char *taco_phone_name(int base) {
    assert(base >= 0 && base < N_PHONES);
    return names[base];
}

bool taco_phone_is_vowel(int base) {
    return base < N_VOWELS;
}

static char upper(char c) {
    return c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
}

bool taco_phone_parse(const char *name, size_t n, struct taco_phone *phone) {
    if (n < 1 || n > 3)
        return false;
    char letters[4] = "";
    int8_t stress = -1;
    if (name[n - 1] >= '0' && name[n - 1] <= '2')
        stress = (int8_t)(name[--n] - '0');
    for (size_t i = 0; i < n; i++)
        letters[i] = upper(name[i]);
    if (strcmp(letters, "AX") == 0)
        letters[1] = 'H';
    for (int base = 0; base < N_PHONES; base++)
        if (strcmp(letters, names[base]) == 0) {
            *phone = (struct taco_phone){(int8_t)base, stress};
            return stress < 0 || taco_phone_is_vowel(base);
        }
    return false;
}

bool taco_phone_from_flite(const char *name, bool stressed, struct taco_phone *phone) {
    if (!taco_phone_parse(name, strlen(name), phone))
        return false;
    if (taco_phone_is_vowel(phone->base))
        phone->stress = stressed;
    return true;
}

void taco_phone_to_flite(struct taco_phone phone, char out[8]) {
    if (phone.base == AH && phone.stress <= 0) {
        memcpy(out, "ax", 3);
        return;
    }
    const char *name = names[phone.base];
    snprintf(out, 8, "%c%s%s", name[0] | 32,
             name[1] ? (char[]){(char)(name[1] | 32), 0} : "",
             phone.stress > 0 ? "1" : "");
}
