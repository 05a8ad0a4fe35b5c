#include "config/options.h"

#include <getopt.h>
#include <jansson.h>
#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/regular_file.h"
#include "config/number.h"
#include "config/option_table.h"

/* -- values -------------------------------------------------------------------------- */

static bool add_string(struct taco_strings *list, const char *string) {
    char **items = taco_realloc(list->items, (list->n + 1) * sizeof *items);
    if (!items)
        return false;
    list->items = items;
    items[list->n] = taco_strdup(string);
    if (!items[list->n])
        return false;
    list->n++;
    return true;
}

static void free_strings(struct taco_strings *list) {
    for (size_t i = 0; i < list->n; i++)
        taco_free(list->items[i]);
    taco_free(list->items);
    *list = (struct taco_strings){NULL, 0};
}

static void *member(const struct taco_options *options, const struct taco_option *o) {
    return (char *)(uintptr_t)options + o->offset;
}

static enum taco_status bad_value(const struct taco_option *o, const char *where,
                                  const char *value, struct taco_error *err) {
    static const char *const wanted[] = {[TACO_OPTION_INTEGER] = "a whole number",
                                         [TACO_OPTION_BYTES] = "a number of bytes",
                                         [TACO_OPTION_SECONDS] = "a number of seconds",
                                         [TACO_OPTION_SWITCH] = "true or false"};
    return taco_error_set(err, TACO_ERR_INVALID_ARGUMENT, o->name,
                          "%s: '%.80s' is not %s", where, value, wanted[o->kind]);
}

static enum taco_status out_of_range(const struct taco_option *o, const char *where,
                                     const char *value, struct taco_error *err) {
    return taco_error_set(err, TACO_ERR_INVALID_ARGUMENT, o->name,
                          "%s: %.80s is out of range: %.10g to %.10g", where, value,
                          o->min, o->max);
}

static bool is_choice(const char *choices, const char *value) {
    size_t n = strlen(value);
    for (const char *c = choices; *c; c += strcspn(c, "|"), c += *c == '|')
        if (strcspn(c, "|") == n && memcmp(c, value, n) == 0)
            return true;
    return false;
}

/* Sets one value from its written form. where says whence it came: "--port". */
static enum taco_status set_value(struct taco_options *options,
                                  const struct taco_option *o, const char *value,
                                  const char *where, struct taco_error *err) {
    int64_t integer;
    double number;
    uint64_t bytes;
    void *m = member(options, o);
    switch (o->kind) {
    case TACO_OPTION_INTEGER:
        if (!taco_parse_integer(value, &integer))
            return bad_value(o, where, value, err);
        if ((double)integer < o->min || (double)integer > o->max)
            return out_of_range(o, where, value, err);
        *(int *)m = (int)integer;
        return TACO_OK;
    case TACO_OPTION_SECONDS:
        if (!taco_parse_number(value, &number))
            return bad_value(o, where, value, err);
        if (number < o->min || number > o->max)
            return out_of_range(o, where, value, err);
        *(double *)m = number;
        return TACO_OK;
    case TACO_OPTION_BYTES:
        if (!taco_parse_bytes(value, &bytes))
            return bad_value(o, where, value, err);
        if ((double)bytes < o->min || (double)bytes > o->max)
            return out_of_range(o, where, value, err);
        *(uint64_t *)m = bytes;
        return TACO_OK;
    case TACO_OPTION_SWITCH:
        return taco_parse_boolean(value, m) ? TACO_OK : bad_value(o, where, value, err);
    case TACO_OPTION_STRING:
        if (o->choices && !is_choice(o->choices, value))
            return taco_error_set(err, TACO_ERR_INVALID_ARGUMENT, o->name,
                                  "%s: '%.80s' is none of %s", where, value, o->choices);
        taco_free(*(char **)m);
        *(char **)m = taco_strdup(value);
        if (!*(char **)m)
            return taco_error_set(err, TACO_ERR_NO_MEMORY, o->name, "no memory");
        return TACO_OK;
    case TACO_OPTION_STRINGS:
        break;
    }
    if (!add_string(m, value))
        return taco_error_set(err, TACO_ERR_NO_MEMORY, o->name, "no memory");
    return TACO_OK;
}

/* A list that comes from a stronger source replaces that of a weaker one. */
static void start_list(struct taco_options *options, const struct taco_option *o) {
    if (o->kind == TACO_OPTION_STRINGS)
        free_strings(member(options, o));
}

static enum taco_status set_defaults(struct taco_options *options,
                                     enum taco_command command, struct taco_error *err) {
    enum taco_status status = TACO_OK;
    for (const struct taco_option *o = taco_option_table; o->name && !status; o++)
        if ((o->commands & command) && o->fallback)
            status = set_value(options, o, o->fallback, "default", err);
    return status;
}

/* -- the configuration file ---------------------------------------------------------- */

static enum taco_status set_json(struct taco_options *options,
                                 const struct taco_option *o, const json_t *value,
                                 const char *where, struct taco_error *err) {
    char number[32];
    const char *text = NULL;
    bool plain = o->kind == TACO_OPTION_STRING || o->kind == TACO_OPTION_STRINGS ||
                 o->kind == TACO_OPTION_BYTES;
    if (json_is_string(value) && plain) {
        text = json_string_value(value);
    } else if (json_is_integer(value) &&
               (o->kind == TACO_OPTION_INTEGER || o->kind == TACO_OPTION_BYTES ||
                o->kind == TACO_OPTION_SECONDS)) {
        snprintf(number, sizeof number, "%lld", (long long)json_integer_value(value));
        text = number;
    } else if (json_is_real(value) && o->kind == TACO_OPTION_SECONDS) {
        snprintf(number, sizeof number, "%.17g", json_real_value(value));
        text = number;
    } else if (json_is_boolean(value) && o->kind == TACO_OPTION_SWITCH) {
        text = json_is_true(value) ? "true" : "false";
    }
    if (!text)
        return taco_error_set(err, TACO_ERR_FORMAT, o->name, "%s: wrong type of value",
                              where);
    return set_value(options, o, text, where, err);
}

static enum taco_status read_config(struct taco_options *options,
                                    struct taco_error *err) {
    const char *path = options->config;
    FILE *file;
    enum taco_status status = taco_regular_file_open(&file, "config", path, err);
    if (status)
        return status;
    json_error_t error;
    json_t *root = json_loadf(file, JSON_REJECT_DUPLICATES, &error);
    fclose(file);
    if (!root)
        return taco_error_set(err, TACO_ERR_FORMAT, "config",
                              "%s: line %d, column %d: %s", path, error.line,
                              error.column, error.text);
    if (!json_is_object(root))
        status =
            taco_error_set(err, TACO_ERR_FORMAT, "config", "%s: not a JSON object", path);
    const char *key;
    json_t *value;
    if (!status)
        json_object_foreach(root, key, value) {
            const struct taco_option *o = taco_option_find(key, TACO_COMMAND_SERVE);
            if (!o || (o->flags & TACO_OPTION_FLAG_ONLY)) {
                status = taco_error_set(err, TACO_ERR_FORMAT, "config",
                                        "%s: there is no option '%.80s'", path, key);
                break;
            }
            char where[160];
            snprintf(where, sizeof where, "%.100s: %s", path, key);
            start_list(options, o);
            size_t i;
            json_t *item;
            if (json_is_array(value) && o->kind == TACO_OPTION_STRINGS) {
                json_array_foreach(value, i, item) {
                    status = set_json(options, o, item, where, err);
                    if (status)
                        break;
                }
            } else if (!json_is_null(value)) { /* null: as if absent */
                status = set_json(options, o, value, where, err);
            }
            if (status)
                break;
        }
    json_decref(root);
    return status;
}

/* -- the environment ----------------------------------------------------------------- */

/* Whether "TACO_PORT=1" sets an option of any command, or what is not one. */
static bool is_known(const char *variable) {
    static const char *const others[] = {"TACO_CONFIG", "TACO_CPU", "TACO_KEY",
                                         "TACO_TRAIN_BIN"};
    size_t length = strcspn(variable, "=");
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strlen(others[i]) == length && memcmp(others[i], variable, length) == 0)
            return true;
    for (const struct taco_option *o = taco_option_table; o->name; o++) {
        char name[64];
        taco_option_environment(o, name, sizeof name);
        if (strlen(name) == length && memcmp(name, variable, length) == 0)
            return !(o->flags & TACO_OPTION_FLAG_ONLY);
    }
    return false;
}

/* Who misspells TACO_KEYS must not get a server without keys. */
static enum taco_status refuse_unknown(struct taco_error *err) {
    for (char **variable = environ; *variable; variable++)
        if (strncmp(*variable, "TACO_", 5) == 0 && !is_known(*variable))
            return taco_error_set(
                err, TACO_ERR_INVALID_ARGUMENT, NULL,
                "%.*s in the environment is no option: tacod serve --help lists them",
                (int)(strcspn(*variable, "=") < 80 ? strcspn(*variable, "=") : 80),
                *variable);
    return TACO_OK;
}

static enum taco_status read_environment(struct taco_options *options,
                                         enum taco_command command,
                                         struct taco_error *err) {
    enum taco_status status = TACO_OK;
    for (const struct taco_option *o = taco_option_table; o->name && !status; o++) {
        char name[64];
        taco_option_environment(o, name, sizeof name);
        const char *value = (o->commands & command) && !(o->flags & TACO_OPTION_FLAG_ONLY)
                                ? getenv(name)
                                : NULL;
        if (!value || !*value)
            continue;
        start_list(options, o);
        if (o->kind != TACO_OPTION_STRINGS) {
            status = set_value(options, o, value, name, err);
            continue;
        }
        char *copy = taco_strdup(value), *rest = copy;
        if (!copy)
            return taco_error_set(err, TACO_ERR_NO_MEMORY, o->name, "no memory");
        for (char *item; !status && (item = strsep(&rest, ",")) != NULL;)
            status = set_value(options, o, item, name, err);
        taco_free(copy);
    }
    return status;
}

/* -- flags --------------------------------------------------------------------------- */

/* getopt's view: a letter is itself, an option OPTION + its index, a field of a request
 * FIELD + its index; NO is added for --no-. */
enum { OPTION = 300, FIELD = 1000, NO = 10000, MAX_FLAGS = 160 };

struct flags {
    struct option longs[MAX_FLAGS];
    char names[MAX_FLAGS][40];
    char shorts[64];
    int n;
};

static void add_flag(struct flags *flags, const char *prefix, const char *name,
                     int has_arg, int value) {
    char *flag = flags->names[flags->n];
    snprintf(flag, sizeof flags->names[0], "%s%s", prefix, name);
    for (char *c = flag; *c; c++)
        if (*c == '_')
            *c = '-';
    flags->longs[flags->n++] = (struct option){flag, has_arg, NULL, value};
}

static void add_flags(struct flags *flags, const char *name, bool is_switch, int value) {
    add_flag(flags, "", name, is_switch ? optional_argument : required_argument, value);
    if (is_switch)
        add_flag(flags, "no-", name, no_argument, value + NO);
}

static void make_flags(struct flags *flags, enum taco_command command,
                       const struct taco_more_flags *more) {
    *flags = (struct flags){0};
    char *s = flags->shorts;
    *s++ = ':';
    for (int i = 0; taco_option_table[i].name; i++) {
        const struct taco_option *o = &taco_option_table[i];
        if (!(o->commands & command))
            continue;
        add_flags(flags, o->name, o->kind == TACO_OPTION_SWITCH, OPTION + i);
        if (o->letter) {
            *s++ = o->letter;
            if (o->kind != TACO_OPTION_SWITCH)
                *s++ = ':';
        }
    }
    const char *name, *metavar;
    for (size_t i = 0; more && more->at(more->user, i, &name, &metavar); i++)
        add_flags(flags, name, !metavar, FIELD + (int)i);
}

static enum taco_status set_flag(struct taco_options *options,
                                 const struct taco_more_flags *more, int value,
                                 const char *argument, bool *seen,
                                 struct taco_error *err) {
    if (value >= NO) {
        value -= NO;
        argument = "false";
    } else if (!argument) {
        argument = "true";
    }
    if (value < FIELD) {
        const struct taco_option *o = &taco_option_table[value - OPTION];
        char where[48];
        taco_option_flag(o->name, where, sizeof where);
        if (!seen[value - OPTION])
            start_list(options, o);
        seen[value - OPTION] = true;
        return set_value(options, o, argument, where, err);
    }
    return more->set(more->user, (size_t)(value - FIELD), argument, err);
}

/* The number of letters to insert, remove, replace or swap with a neighbour that turn a [n] into
 * b: the optimal string alignment distance. Both have at most MAX_NAME letters. */
enum { MAX_NAME = 39 };
static int distance(const char *a, size_t n, const char *b) {
    int d[MAX_NAME + 1][MAX_NAME + 1];
    size_t m = strlen(b);
    for (size_t i = 0; i <= n; i++)
        for (size_t j = 0; j <= m; j++) {
            if (i == 0 || j == 0) {
                d[i][j] = (int)(i + j);
                continue;
            }
            int replaced = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            int removed = d[i - 1][j] + 1, inserted = d[i][j - 1] + 1;
            int best = replaced < removed ? replaced : removed;
            best = inserted < best ? inserted : best;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                d[i - 2][j - 2] + 1 < best)
                best = d[i - 2][j - 2] + 1;
            d[i][j] = best;
        }
    return d[n][m];
}

/* The number of letters with which both begin. */
static size_t shared(const char *a, const char *b) {
    size_t n = 0;
    while (a[n] && a[n] == b[n])
        n++;
    return n;
}

/* The flag that somebody has probably meant, or NULL. */
static const char *nearest(const struct flags *flags, const char *flag) {
    const char *found = NULL;
    size_t n = strcspn(flag, "=");
    int best = 3; /* more mistakes than two are another word */
    for (int i = 0; i < flags->n && n >= 3 && n <= MAX_NAME; i++) {
        const char *name = flags->names[i];
        int d = distance(flag, n, name);
        if (d < best ||
            (d == best && found && shared(flag, name) > shared(flag, found))) {
            best = d;
            found = name;
        }
    }
    return found;
}

/* How getopt's complaint is told: optopt is a letter, or the flag is where getopt stands.
 */
static enum taco_status bad_flag(int c, char **argv, const struct flags *flags,
                                 struct taco_error *err) {
    char letter[3] = {'-', (char)optopt, '\0'};
    const char *flag = optopt > 0 && optopt < 256 ? letter : argv[optind - 1];
    const char *near = strncmp(flag, "--", 2) == 0 ? nearest(flags, flag + 2) : NULL;
    if (c == ':')
        return taco_error_set(err, TACO_ERR_INVALID_ARGUMENT, NULL, "%.80s needs a value",
                              flag);
    return taco_error_set(err, TACO_ERR_INVALID_ARGUMENT, NULL,
                          near ? "there is no option %.80s; did you mean --%s?"
                               : "there is no option %.80s",
                          flag, near);
}

static int value_of_letter(int letter, enum taco_command command) {
    for (int i = 0; taco_option_table[i].name; i++)
        if (taco_option_table[i].letter == letter &&
            (taco_option_table[i].commands & command))
            return OPTION + i;
    return letter;
}

/* With only_config, takes --config and nothing else: the file is read before the flags.
 */
static enum taco_status read_flags(struct taco_options *options,
                                   enum taco_command command, int argc, char **argv,
                                   const struct taco_more_flags *more, bool only_config,
                                   struct taco_error *err) {
    struct flags flags;
    make_flags(&flags, command, more);
    bool seen[MAX_FLAGS] = {false};
    enum taco_status status = TACO_OK;
    opterr = 0;
    optind = 0; /* GNU: start anew */
    for (int c; !status &&
                (c = getopt_long(argc, argv, flags.shorts, flags.longs, NULL)) != -1;) {
        if (c == '?' || c == ':') {
            status = bad_flag(c, argv, &flags, err);
            continue;
        }
        int value = c < OPTION ? value_of_letter(c, command) : c;
        if (only_config && (value >= FIELD || taco_option_table[value - OPTION].offset !=
                                                  offsetof(struct taco_options, config)))
            continue;
        status = set_flag(options, more, value, optarg, seen, err);
    }
    for (int i = optind; i < argc && !status && !only_config; i++)
        if (!add_string(&options->arguments, argv[i]))
            status = taco_error_set(err, TACO_ERR_NO_MEMORY, NULL, "no memory");
    return status;
}

enum taco_status taco_options_read(struct taco_options *options,
                                   enum taco_command command, int argc, char **argv,
                                   const struct taco_more_flags *more,
                                   struct taco_error *err) {
    *options = (struct taco_options){0};
    enum taco_status status = set_defaults(options, command, err);
    if (!status && command == TACO_COMMAND_SERVE) {
        const char *config = getenv("TACO_CONFIG");
        if (config && *config)
            status = set_value(options, taco_option_find("config", command), config,
                               "TACO_CONFIG", err);
        if (!status)
            status = read_flags(options, command, argc, argv, NULL, true, err);
        if (!status && options->config)
            status = read_config(options, err);
    }
    if (!status && command == TACO_COMMAND_SERVE)
        status = refuse_unknown(err);
    if (!status)
        status = read_environment(options, command, err);
    if (!status)
        status = read_flags(options, command, argc, argv, more, false, err);
    return status;
}

void taco_options_free(struct taco_options *options) {
    for (const struct taco_option *o = taco_option_table; o->name; o++) {
        if (o->kind == TACO_OPTION_STRINGS)
            free_strings(member(options, o));
        if (o->kind == TACO_OPTION_STRING) {
            char **string = member(options, o);
            taco_free(*string);
            *string = NULL;
        }
    }
    free_strings(&options->arguments);
}
