#include "voices/aliases.h"

#include <string.h>

#include "base/error.h"

/* OpenAI's voices, whom its clients offer whatever the server has. */
static const char *const openai_names[] = {"alloy", "ash",     "ballad", "cedar", "coral",
                                           "echo",  "fable",   "marin",  "nova",  "onyx",
                                           "sage",  "shimmer", "verse"};

enum taco_status taco_aliases_check(const struct taco_options *options,
                                    const struct taco_voices *voices,
                                    struct taco_error *err) {
    for (size_t i = 0; i < options->voice_alias.n; i++) {
        const char *item = options->voice_alias.items[i];
        const char *equals = strchr(item, '=');
        char names[128];
        taco_voices_list(voices, names, sizeof names);
        if (!equals || equals == item)
            return taco_error_set(err, TACO_ERR_INVALID_ARGUMENT, "voice_alias",
                                  "--voice-alias is NAME=VOICE, not '%.64s'", item);
        if (!taco_voices_find(voices, equals + 1))
            return taco_error_set(
                err, TACO_ERR_INVALID_ARGUMENT, "voice_alias",
                "--voice-alias %.64s: there is no such voice, there are "
                "%s",
                item, names);
    }
    return TACO_OK;
}

const char *taco_alias_resolve(const struct taco_options *options,
                               const struct taco_voices *voices, const char *name,
                               bool *any) {
    const size_t n = strlen(name);
    *any = false;
    for (size_t i = 0; i < options->voice_alias.n; i++) {
        const char *item = options->voice_alias.items[i];
        if (strncmp(item, name, n) == 0 && item[n] == '=')
            return item + n + 1;
    }
    if (!taco_voices_find(voices, name))
        for (size_t i = 0; i < sizeof openai_names / sizeof *openai_names; i++)
            *any |= strcmp(openai_names[i], name) == 0;
    return name;
}

bool taco_alias_at(const struct taco_options *options, size_t i, char *out, size_t size) {
    if (i >= options->voice_alias.n)
        return false;
    const char *item = options->voice_alias.items[i];
    size_t n = strcspn(item, "=");
    n = n < size ? n : size - 1;
    memcpy(out, item, n);
    out[n] = '\0';
    return true;
}
