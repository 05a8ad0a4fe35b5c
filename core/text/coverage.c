/* Which symbols a front end makes, against those that the voice has. */
#include "base/error.h"
#include "base/memory.h"
#include "text/espeak.h"
#include "text/glyphs.h"
#include "text/settings.h"
#include "text/vector.h"
#include <stdio.h>
#include <string.h>

struct coverage {
    const struct taco_front_end *fe;
    unsigned char *made;        /* [n_symbols] how a symbol comes about, enum below */
    struct taco_string missing; /* names that the table lacks, blanks between */
    uint32_t n_missing;
    bool no_memory;
};

enum { NEVER, BY_HAND, BY_ITSELF };

static void make_id(struct coverage *c, int32_t id, int how) {
    if (id != TACO_NO_SYMBOL && c->made[id] < how)
        c->made[id] = (unsigned char)how;
}

static void miss(struct coverage *c, const char *name, size_t n) {
    /* Once each. */
    for (const char *at = c->missing.bytes; at && *at;) {
        size_t length = strcspn(at, " ");
        if (length == n && memcmp(at, name, n) == 0)
            return;
        at += length + (at[length] == ' ');
    }
    c->n_missing++;
    if ((c->missing.n && !taco_string_add_char(&c->missing, ' ')) ||
        !taco_string_add(&c->missing, name, n))
        c->no_memory = true;
}

static void cover_phones(struct coverage *c, int how) {
    for (int base = 0; base < taco_phone_count(); base++) {
        bool vowel = taco_phone_is_vowel(base);
        /* Flite marks vowels with 0 or 1. */
        for (int8_t stress = vowel ? 0 : -1; stress <= (vowel ? 1 : -1); stress++) {
            struct taco_phone phone = {(int8_t)base, stress};
            int32_t id = taco_front_end_phone(c->fe, phone);
            make_id(c, id, how);
            if (id == TACO_NO_SYMBOL && how == BY_ITSELF)
                miss(c, taco_phone_name(base), strlen(taco_phone_name(base)));
        }
        for (int8_t stress = -1; stress <= 2; stress++)
            make_id(
                c, taco_front_end_phone(c->fe, (struct taco_phone){(int8_t)base, stress}),
                BY_HAND);
    }
}

static void cover_characters(struct coverage *c) {
    const struct taco_front_end *fe = c->fe;
    for (char letter = 'a'; fe->english && letter <= 'z'; letter++) {
        int32_t small = taco_front_end_character(fe, (uint32_t)letter);
        int32_t large = taco_front_end_character(fe, (uint32_t)(letter - 'a' + 'A'));
        if (small == TACO_NO_SYMBOL && large == TACO_NO_SYMBOL)
            miss(c, &letter, 1);
        if (small == TACO_NO_SYMBOL || fe->keep_case)
            make_id(c, large, BY_ITSELF);
        make_id(c, small, BY_ITSELF);
    }
    for (int32_t id = 0; id < fe->symbols.n; id++) {
        const char *name = fe->symbols.names[id];
        bool ascii = (unsigned char)name[0] < 0x80;
        if (ascii && name[1])
            continue;
        bool letter = ascii && taco_glyph_is_letter((unsigned char)name[0]);
        bool digit = ascii && taco_glyph_is_digit((unsigned char)name[0]);
        if (letter && fe->english)
            continue;
        if (digit && fe->english)
            continue;
        if (!ascii || taco_front_end_character(fe, (unsigned char)name[0]) == id)
            make_id(c, id, BY_ITSELF);
    }
}

/* What eSpeak NG makes of the language's numbers and letters. */
static enum taco_status cover_ipa(struct coverage *c, struct taco_error *err) {
    static const char *const samples[] = {
        "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 32 43 54 65 76 87 98",
        "100 200 300 400 500 600 700 800 900 1000 2000 1000000",
        "a b c d e f g h i j k l m n o p q r s t u v w x y z"};
    struct taco_string ipa = {NULL, 0, 0};
    enum taco_status status = TACO_OK;
    for (size_t i = 0; i < sizeof samples / sizeof *samples && status == TACO_OK; i++) {
        taco_string_clear(&ipa);
        status = taco_espeak_ipa(c->fe->espeak_voice, samples[i], &ipa, err);
        for (size_t at = 0, used; at < ipa.n && status == TACO_OK; at += used) {
            int32_t id =
                taco_symbols_match(&c->fe->symbols, ipa.bytes + at, ipa.n - at, &used);
            make_id(c, id, BY_ITSELF);
            if (id != TACO_NO_SYMBOL)
                continue;
            used = 1;
            while (at + used < ipa.n &&
                   ((unsigned char)ipa.bytes[at + used] & 0xC0) == 0x80)
                used++;
            if (ipa.bytes[at] != ' ')
                miss(c, ipa.bytes + at, used);
        }
    }
    taco_string_free(&ipa);
    return status;
}

static bool add_list(struct taco_string *out, const struct coverage *c, int how,
                     const char *title) {
    uint32_t n = 0;
    for (int32_t id = 0; id < c->fe->symbols.n; id++)
        n += c->made[id] == how;
    char head[128];
    snprintf(head, sizeof head, "%s: %u", title, (unsigned)n);
    if (!taco_string_add(out, head, strlen(head)))
        return false;
    for (int32_t id = 0; id < c->fe->symbols.n && how != BY_ITSELF; id++) {
        const char *name = c->fe->symbols.names[id];
        if (c->made[id] == how &&
            (!taco_string_add_char(out, ' ') ||
             !taco_string_add(out, strcmp(name, " ") == 0 ? "space" : name,
                              strlen(strcmp(name, " ") == 0 ? "space" : name))))
            return false;
    }
    return taco_string_add_char(out, '\n');
}

enum taco_status taco_front_end_coverage(const struct taco_front_end *front_end,
                                         char **report, struct taco_error *err) {
    *report = NULL;
    struct coverage c = {.fe = front_end};
    struct taco_string out = {NULL, 0, 0};
    enum taco_status status = TACO_OK;
    c.made = taco_calloc((size_t)front_end->symbols.n, 1);
    if (!c.made)
        goto no_memory;
    const int32_t around[] = {front_end->separator, front_end->bos,
                              front_end->eos,       front_end->blank,
                              front_end->pad_ends,  front_end->final};
    for (size_t i = 0; i < sizeof around / sizeof *around; i++)
        make_id(&c, around[i], BY_ITSELF);
    for (uint32_t i = 0; i < front_end->n_punctuation; i++)
        make_id(&c, taco_symbols_find_cp(&front_end->symbols, front_end->punctuation[i]),
                BY_ITSELF);
    if (front_end->kind == TACO_IPA)
        status = cover_ipa(&c, err);
    else if (front_end->kind == TACO_CHARACTERS)
        cover_characters(&c);
    if (status != TACO_OK)
        goto done;
    if (front_end->kind != TACO_IPA)
        cover_phones(&c, front_end->kind == TACO_ARPABET ? BY_ITSELF : BY_HAND);
    if (c.no_memory ||
        !add_list(&out, &c, BY_ITSELF, "symbols that the front end makes") ||
        !add_list(&out, &c, BY_HAND, "only in braces or by a lexicon") ||
        !add_list(&out, &c, NEVER, "never made"))
        goto no_memory;
    if (c.n_missing) {
        static const char title[] = "missing in the voice: ";
        if (!taco_string_add(&out, title, sizeof title - 1) ||
            !taco_string_add(&out, c.missing.bytes, c.missing.n) ||
            !taco_string_add_char(&out, '\n'))
            goto no_memory;
        status =
            taco_error_set(err, TACO_ERR_FORMAT, "text.symbols",
                           "the voice lacks %u symbols that its front end makes: %.120s",
                           (unsigned)c.n_missing, c.missing.bytes);
    }
    *report = out.bytes;
    out = (struct taco_string){NULL, 0, 0};
    goto done;
no_memory:
    status = taco_error_set(err, TACO_ERR_NO_MEMORY, NULL, "out of memory");
done:
    taco_free(c.made);
    taco_string_free(&c.missing);
    taco_string_free(&out);
    return status;
}
