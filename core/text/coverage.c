/* Which symbols a front end makes, against those that the voice has. */
#include "text/coverage.h"

#include "base/error.h"
#include "base/memory.h"
#include <stdio.h>
#include <string.h>

void taco_coverage_make(struct taco_coverage *c, int32_t id, enum taco_made how) {
    if (id != TACO_NO_SYMBOL && c->made[id] < how)
        c->made[id] = (unsigned char)how;
}

void taco_coverage_miss(struct taco_coverage *c, const char *name, size_t n) {
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

void taco_coverage_phones(struct taco_coverage *c, enum taco_made how) {
    for (int base = 0; base < taco_phone_count(); base++) {
        bool vowel = taco_phone_is_vowel(base);
        /* Flite marks vowels with 0 or 1. */
        for (int8_t stress = vowel ? 0 : -1; stress <= (vowel ? 1 : -1); stress++) {
            struct taco_phone phone = {(int8_t)base, stress};
            int32_t id = taco_front_end_phone(c->front_end, phone);
            taco_coverage_make(c, id, how);
            if (id == TACO_NO_SYMBOL && how == TACO_MADE_BY_ITSELF)
                taco_coverage_miss(c, taco_phone_name(base),
                                   strlen(taco_phone_name(base)));
        }
        for (int8_t stress = -1; stress <= 2; stress++)
            taco_coverage_make(
                c,
                taco_front_end_phone(c->front_end,
                                     (struct taco_phone){(int8_t)base, stress}),
                TACO_MADE_BY_HAND);
    }
}

static bool add_list(struct taco_string *out, const struct taco_coverage *c,
                     enum taco_made how, const char *title) {
    uint32_t n = 0;
    for (int32_t id = 0; id < c->front_end->symbols.n; id++)
        n += c->made[id] == how;
    char head[128];
    snprintf(head, sizeof head, "%s: %u", title, (unsigned)n);
    if (!taco_string_add(out, head, strlen(head)))
        return false;
    for (int32_t id = 0; id < c->front_end->symbols.n && how != TACO_MADE_BY_ITSELF;
         id++) {
        const char *name = c->front_end->symbols.names[id];
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
    struct taco_coverage c = {.front_end = front_end};
    struct taco_string out = {NULL, 0, 0};
    enum taco_status status = TACO_OK;
    c.made = taco_calloc((size_t)front_end->symbols.n, 1);
    if (!c.made)
        goto no_memory;
    const int32_t around[] = {front_end->separator, front_end->bos,
                              front_end->eos,       front_end->blank,
                              front_end->pad_ends,  front_end->final};
    for (size_t i = 0; i < sizeof around / sizeof *around; i++)
        taco_coverage_make(&c, around[i], TACO_MADE_BY_ITSELF);
    for (uint32_t i = 0; i < front_end->n_punctuation; i++)
        taco_coverage_make(
            &c, taco_symbols_find_cp(&front_end->symbols, front_end->punctuation[i]),
            TACO_MADE_BY_ITSELF);
    status = front_end->ops->symbols(&c, err);
    if (status != TACO_OK)
        goto done;
    if (c.no_memory ||
        !add_list(&out, &c, TACO_MADE_BY_ITSELF, "symbols that the front end makes") ||
        !add_list(&out, &c, TACO_MADE_BY_HAND, "only in braces or by a lexicon") ||
        !add_list(&out, &c, TACO_MADE_NEVER, "never made"))
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
