/* A voice's front end, made of the config's "text" object. */
#include "text/settings.h"

#include "base/config.h"
#include "base/error.h"
#include "base/memory.h"
#include "text/code_points.h"
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistr.h>

/* Every front end of this build. */
static const struct taco_front_end_ops *const front_ends[] = {&taco_characters,
                                                              &taco_arpabet, &taco_ipa};

/* -- the config ------------------------------------------------------------------ */

static enum taco_status bad_key(struct taco_error *err, const char *key,
                                const char *problem) {
    char param[48];
    snprintf(param, sizeof param, "text.%.40s", key);
    return taco_error_set(err, TACO_ERR_FORMAT, param, "%s %s", param, problem);
}

static enum taco_status check_keys(const json_t *text, struct taco_error *err) {
    static const char *const known[] = {"front_end",
                                        "symbols",
                                        "case",
                                        "arpabet_prefix",
                                        "word_separator",
                                        "bos",
                                        "eos",
                                        "blank",
                                        "pad_ends",
                                        "punctuation",
                                        "final_punctuation",
                                        "conventions",
                                        "espeak_voice",
                                        NULL};
    const char *key = taco_config_unknown_key(text, known);
    return key ? bad_key(err, key, "is not a key of the voice format") : TACO_OK;
}

/* The string of key, or what stands for it if the key is absent. */
static enum taco_status get_string(const json_t *text, const char *key,
                                   const char *absent, const char **out,
                                   struct taco_error *err) {
    const json_t *value = json_object_get(text, key);
    *out = absent;
    if (!value)
        return absent ? TACO_OK : bad_key(err, key, "is missing");
    if (!json_is_string(value) ||
        strlen(json_string_value(value)) != json_string_length(value))
        return bad_key(err, key, "must be a string without NUL");
    *out = json_string_value(value);
    return TACO_OK;
}

/* One of two names. */
static enum taco_status get_choice(const json_t *text, const char *key, const char *usual,
                                   const char *other, bool *is_other,
                                   struct taco_error *err) {
    const char *value;
    enum taco_status status = get_string(text, key, usual, &value, err);
    *is_other = status == TACO_OK && strcmp(value, other) == 0;
    if (status != TACO_OK || *is_other || strcmp(value, usual) == 0)
        return status;
    char problem[128];
    snprintf(problem, sizeof problem, "is '%.32s', want '%s' or '%s'", value, usual,
             other);
    return bad_key(err, key, problem);
}

/* The id of the symbol that key names; TACO_NO_SYMBOL for "". */
static enum taco_status get_symbol(struct taco_front_end *fe, const json_t *text,
                                   const char *key, const char *absent, int32_t *id,
                                   struct taco_error *err) {
    const char *name;
    enum taco_status status = get_string(text, key, absent, &name, err);
    *id = TACO_NO_SYMBOL;
    if (status != TACO_OK || !name[0])
        return status;
    *id = taco_symbols_find(&fe->symbols, name, strlen(name));
    /* The usual space or full stop of a table that has none is no mistake. */
    if (*id != TACO_NO_SYMBOL || !json_object_get(text, key))
        return TACO_OK;
    char problem[96];
    snprintf(problem, sizeof problem, "is '%.32s', which is not among the symbols", name);
    return bad_key(err, key, problem);
}

static enum taco_status get_front_end(struct taco_front_end *fe, const json_t *text,
                                      struct taco_error *err) {
    const char *name;
    enum taco_status status = get_string(text, "front_end", NULL, &name, err);
    if (status != TACO_OK)
        return status;
    char known[96] = "";
    for (size_t i = 0; i < sizeof front_ends / sizeof *front_ends; i++) {
        if (strcmp(front_ends[i]->name, name) == 0) {
            fe->ops = front_ends[i];
            return TACO_OK;
        }
        size_t n = strlen(known);
        snprintf(known + n, sizeof known - n, "%s%s", n ? ", " : "", front_ends[i]->name);
    }
    return taco_error_set(err, TACO_ERR_UNSUPPORTED, "text.front_end",
                          "text.front_end is '%.32s'; this build has %s", name, known);
}

static enum taco_status get_symbols(struct taco_front_end *fe, const json_t *text,
                                    struct taco_error *err) {
    const json_t *list = json_object_get(text, "symbols");
    size_t n = json_array_size(list);
    if (!json_is_array(list) || n < 1 || n > 65536)
        return bad_key(err, "symbols", "must be a list of 1 to 65536 strings");
    const char **names = taco_malloc(n * sizeof *names);
    if (!names)
        return taco_error_set(err, TACO_ERR_NO_MEMORY, NULL, "out of memory");
    enum taco_status status = TACO_OK;
    for (size_t i = 0; i < n && status == TACO_OK; i++) {
        const json_t *name = json_array_get(list, i);
        if (!json_is_string(name) ||
            strlen(json_string_value(name)) != json_string_length(name))
            status = bad_key(err, "symbols", "must be a list of strings without NUL");
        else
            names[i] = json_string_value(name);
    }
    if (status == TACO_OK)
        status = taco_symbols_init(&fe->symbols, names, n, err);
    taco_free(names);
    return status;
}

static enum taco_status get_punctuation(struct taco_front_end *fe, const json_t *text,
                                        struct taco_error *err) {
    const char *marks;
    enum taco_status status = get_string(text, "punctuation", "", &marks, err);
    if (status != TACO_OK)
        return status;
    size_t n = strlen(marks);
    fe->punctuation = taco_calloc(n + 1, sizeof *fe->punctuation);
    if (!fe->punctuation)
        return taco_error_set(err, TACO_ERR_NO_MEMORY, NULL, "out of memory");
    for (size_t i = 0; i < n;) {
        ucs4_t cp;
        i += (size_t)u8_mbtouc(&cp, (const uint8_t *)marks + i, n - i);
        if (taco_symbols_find_cp(&fe->symbols, cp) == TACO_NO_SYMBOL)
            return bad_key(err, "punctuation",
                           "has a mark that is not among the symbols");
        fe->punctuation[fe->n_punctuation++] = cp;
    }
    return TACO_OK;
}

/* Ids of all phones: a table without stress marks serves marked phones by the bare name,
 * one without bare names serves them by a marked one. */
static void find_phones(struct taco_front_end *fe) {
    /* For each mark wanted (none, 0, 1, 2): marks to try in turn. */
    static const char tries[4][4] = {{'\0', '0', '1', '2'},
                                     {'0', '\0', '1', '2'},
                                     {'1', '2', '\0', '0'},
                                     {'2', '1', '\0', '0'}};
    for (int base = 0; base < taco_phone_count(); base++) {
        for (int want = 0; want < 4; want++) {
            int32_t id = TACO_NO_SYMBOL;
            int n = taco_phone_is_vowel(base) ? 4 : 1;
            for (int k = 0; k < n && id == TACO_NO_SYMBOL; k++) {
                char name[80];
                snprintf(name, sizeof name, "%s%s%.1s", fe->prefix, taco_phone_name(base),
                         &tries[want][k]);
                id = taco_symbols_find(&fe->symbols, name, strlen(name));
            }
            fe->phones[base][want] = id;
            fe->has_phones = fe->has_phones || id != TACO_NO_SYMBOL;
        }
    }
    /* Learned from Flite's phones: no second mark, every vowel has one. */
    for (int base = 0; fe->flite_conventions && base < taco_phone_count(); base++)
        if (taco_phone_is_vowel(base)) {
            fe->phones[base][3] = fe->phones[base][2];
            fe->phones[base][0] = fe->phones[base][1];
        }
}

/* All keys but front_end and symbols. */
static enum taco_status get_settings(struct taco_front_end *fe, const json_t *text,
                                     const char *language, struct taco_error *err) {
    const char *prefix, *final_name, *espeak_voice;
    enum taco_status status;
    if ((status = get_choice(text, "case", "lower", "keep", &fe->keep_case, err)) ||
        (status = get_choice(text, "conventions", "cmu", "flite", &fe->flite_conventions,
                             err)) ||
        (status = get_string(text, "arpabet_prefix", "", &prefix, err)) ||
        (status = get_string(text, "espeak_voice", language, &espeak_voice, err)) ||
        (status = get_string(text, "final_punctuation", ".", &final_name, err)) ||
        (status = get_symbol(fe, text, "word_separator", " ", &fe->separator, err)) ||
        (status = get_symbol(fe, text, "bos", "", &fe->bos, err)) ||
        (status = get_symbol(fe, text, "eos", "", &fe->eos, err)) ||
        (status = get_symbol(fe, text, "blank", "", &fe->blank, err)) ||
        (status = get_symbol(fe, text, "pad_ends", "", &fe->pad_ends, err)) ||
        (status = get_symbol(fe, text, "final_punctuation", ".", &fe->final, err)) ||
        (status = get_punctuation(fe, text, err)))
        return status;
    if (strlen(prefix) > 32)
        return bad_key(err, "arpabet_prefix", "is longer than 32 bytes");
    fe->prefix = taco_strdup(prefix);
    fe->espeak_voice = taco_strdup(espeak_voice);
    fe->final_name = taco_strdup(final_name);
    if (!fe->prefix || !fe->espeak_voice || !fe->final_name)
        return taco_error_set(err, TACO_ERR_NO_MEMORY, NULL, "out of memory");
    return TACO_OK;
}

enum taco_status taco_front_end_create(struct taco_front_end **out, const json_t *text,
                                       const char *language, struct taco_error *err) {
    *out = NULL;
    if (!json_is_object(text))
        return taco_error_set(err, TACO_ERR_FORMAT, "text", "text must be an object");
    struct taco_front_end *fe = taco_calloc(1, sizeof *fe);
    if (!fe)
        return taco_error_set(err, TACO_ERR_NO_MEMORY, NULL, "out of memory");
    enum taco_status status;
    if ((status = check_keys(text, err)) || (status = get_front_end(fe, text, err)) ||
        (status = get_symbols(fe, text, err)) ||
        (status = get_settings(fe, text, language, err)))
        goto fail;
    bool english = !language[0] || (strncasecmp(language, "en", 2) == 0 &&
                                    (!language[2] || strchr("-_", language[2])));
    fe->english = english;
    snprintf(fe->language, sizeof fe->language, "%s", language);
    find_phones(fe);
    if ((status = fe->ops->open(fe, err)))
        goto fail;
    *out = fe;
    return TACO_OK;
fail:
    taco_front_end_destroy(fe);
    return status;
}

void taco_front_end_destroy(struct taco_front_end *front_end) {
    if (!front_end)
        return;
    taco_symbols_free(&front_end->symbols);
    taco_lexicon_close(front_end->lexicon);
    taco_free(front_end->prefix);
    taco_free(front_end->espeak_voice);
    taco_free(front_end->final_name);
    taco_free(front_end->punctuation);
    taco_free(front_end);
}

/* -- facts ----------------------------------------------------------------------- */

int taco_front_end_n_symbols(const struct taco_front_end *front_end) {
    return (int)front_end->symbols.n;
}

const char *const *taco_front_end_symbols(const struct taco_front_end *front_end) {
    return (const char *const *)front_end->symbols.names;
}

const char *taco_front_end_name(const struct taco_front_end *front_end) {
    return front_end->ops->name;
}

int32_t taco_front_end_phone(const struct taco_front_end *front_end,
                             struct taco_phone phone) {
    return front_end->phones[phone.base][phone.stress + 1];
}

bool taco_front_end_is_punctuation(const struct taco_front_end *front_end, uint32_t cp) {
    for (uint32_t i = 0; i < front_end->n_punctuation; i++)
        if (front_end->punctuation[i] == cp)
            return true;
    return false;
}

int32_t taco_front_end_character(const struct taco_front_end *front_end, uint32_t cp) {
    if (cp < 0x80 && cp != ' ' && !taco_cp_is_letter(cp) && !taco_cp_is_digit(cp) &&
        !taco_cp_is_punctuation(cp))
        return TACO_NO_SYMBOL;
    int32_t id = taco_symbols_find_cp(&front_end->symbols, cp);
    return id == front_end->bos || id == front_end->eos || id == front_end->blank
               ? TACO_NO_SYMBOL
               : id;
}

enum taco_status taco_front_end_check_lexicon(const struct taco_front_end *front_end,
                                              const struct taco_lexicon *lexicon,
                                              enum taco_status status,
                                              struct taco_error *err) {
    for (uint32_t i = 0; i < taco_lexicon_count(lexicon); i++) {
        const struct taco_lexicon_entry *entry = taco_lexicon_at(lexicon, i);
        for (uint32_t k = 0; k < entry->n_phones; k++)
            if (taco_front_end_phone(front_end, entry->phones[k]) == TACO_NO_SYMBOL)
                return taco_error_set(err, status, "lexicon",
                                      "lexicon: %s of '%.40s' is no phone of this voice",
                                      taco_phone_name(entry->phones[k].base),
                                      entry->word);
    }
    return TACO_OK;
}

enum taco_status taco_front_end_load_lexicon(struct taco_front_end *front_end,
                                             const char *path, struct taco_error *err) {
    if (!front_end->has_phones)
        return taco_error_set(
            err, TACO_ERR_UNSUPPORTED, "lexicon",
            "a lexicon is of no use to this voice: it has no ARPAbet phones");
    struct taco_lexicon *lexicon;
    enum taco_status status = taco_lexicon_open(&lexicon, path, err);
    if (status == TACO_OK)
        status = taco_front_end_check_lexicon(front_end, lexicon, TACO_ERR_FORMAT, err);
    if (status != TACO_OK) {
        taco_lexicon_close(lexicon);
        return status;
    }
    taco_lexicon_close(front_end->lexicon);
    front_end->lexicon = lexicon;
    return TACO_OK;
}
