/* The config's own keys: name, description, language, licence, source, speakers. */
#include "engine/voice_config.h"
#include "base/config.h"
#include "base/error.h"
#include "base/memory.h"
#include <string.h>

enum { MAX_NAME = 64, MAX_LANGUAGE = 35, MAX_SPEAKERS = 65536, MAX_SPEAKER_NAME = 128 };

static const char *const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/* 1 to max letters, digits and characters of extra, nothing else. */
static int is_plain_name(const char *s, size_t max, const char *extra) {
    size_t n = strlen(s);
    for (size_t i = 0; i < n; i++)
        if (!strchr(letters, s[i]) && !(s[i] >= '0' && s[i] <= '9') &&
            !strchr(extra, s[i]))
            return 0;
    return n >= 1 && n <= max;
}

static enum taco_status check_keys(const json_t *root, struct taco_error *err) {
    static const char *const known[] = {"name",     "description", "language", "licence",
                                        "source",   "model",       "audio",    "text",
                                        "speakers", "inverter",    NULL};
    const char *key = taco_config_unknown_key(root, known);
    return key ? taco_error_set(
                     err, TACO_ERR_FORMAT, key,
                     "config: unknown key \"%.60s\": made for a later version?", key)
               : TACO_OK;
}

/* *out is the string at key, "" if it is absent and optional. */
static enum taco_status get_string(const json_t *root, const char *key, int required,
                                   const char **out, struct taco_error *err) {
    const json_t *value = json_object_get(root, key);
    *out = "";
    if (!value)
        return required ? taco_error_set(err, TACO_ERR_FORMAT, key,
                                         "config: \"%s\" is missing", key)
                        : TACO_OK;
    if (!json_is_string(value))
        return taco_error_set(err, TACO_ERR_FORMAT, key,
                              "config: \"%s\" must be a string", key);
    *out = json_string_value(value);
    return TACO_OK;
}

static enum taco_status get_object(const json_t *root, const char *key,
                                   const json_t **out, struct taco_error *err) {
    *out = json_object_get(root, key);
    if (!json_is_object(*out))
        return taco_error_set(
            err, TACO_ERR_FORMAT, key,
            *out ? "config: \"%s\" must be an object" : "config: \"%s\" is missing", key);
    return TACO_OK;
}

static enum taco_status get_speakers(struct taco_voice_config *config,
                                     struct taco_error *err) {
    const json_t *list = json_object_get(config->root, "speakers");
    if (!list)
        return TACO_OK;
    size_t n = json_array_size(list); /* 0 for what is no array */
    if (n < 1 || n > MAX_SPEAKERS)
        return taco_error_set(err, TACO_ERR_FORMAT, "speakers",
                              "config: \"speakers\" must be a list of 1 to %d names",
                              MAX_SPEAKERS);
    json_t *seen = json_object();
    config->speakers = taco_calloc(n, sizeof *config->speakers);
    enum taco_status status = TACO_OK;
    if (!seen || !config->speakers) {
        status =
            taco_error_set(err, TACO_ERR_NO_MEMORY, NULL, "no memory for the speakers");
        goto done;
    }
    for (size_t i = 0; i < n; i++) {
        const char *name = json_string_value(json_array_get(list, i));
        if (!name || !*name || strlen(name) > MAX_SPEAKER_NAME) {
            status = taco_error_set(err, TACO_ERR_FORMAT, "speakers",
                                    "config: speaker %zu must be a name of 1 to %d bytes",
                                    i, MAX_SPEAKER_NAME);
            goto done;
        }
        if (json_object_get(seen, name)) {
            status = taco_error_set(err, TACO_ERR_FORMAT, "speakers",
                                    "config: two speakers are named \"%.100s\"", name);
            goto done;
        }
        if (json_object_set_new(seen, name, json_true()) != 0) {
            status = taco_error_set(err, TACO_ERR_NO_MEMORY, NULL,
                                    "no memory for the speakers");
            goto done;
        }
        config->speakers[i] = name;
    }
    config->n_speakers = (int)n;
done:
    json_decref(seen);
    return status;
}

static enum taco_status read_keys(struct taco_voice_config *config,
                                  struct taco_error *err) {
    json_t *root = config->root;
    enum taco_status status = check_keys(root, err);
    if (status == TACO_OK)
        status = get_string(root, "name", 1, &config->name, err);
    if (status == TACO_OK)
        status = get_string(root, "description", 0, &config->description, err);
    if (status == TACO_OK)
        status = get_string(root, "language", 0, &config->language, err);
    if (status == TACO_OK)
        status = get_string(root, "licence", 0, &config->licence, err);
    if (status == TACO_OK)
        status = get_string(root, "source", 0, &config->source, err);
    if (status == TACO_OK)
        status = get_object(root, "model", &config->model, err);
    if (status == TACO_OK)
        status = get_object(root, "audio", &config->audio, err);
    if (status == TACO_OK)
        status = get_object(root, "text", &config->text, err);
    if (status == TACO_OK && json_object_get(root, "inverter"))
        status = get_object(root, "inverter", &config->inverter, err);
    if (status == TACO_OK)
        status = get_speakers(config, err);
    if (status != TACO_OK)
        return status;
    /* The name becomes a part of URLs, file names and command lines, so it holds nothing
       that these could misread, and ".." and "-x" are none. */
    if (!is_plain_name(config->name, MAX_NAME, "._-") || strchr("._-", config->name[0]))
        return taco_error_set(
            err, TACO_ERR_FORMAT, "name",
            "config: \"name\" must be 1 to %d letters, digits, '.', '_' "
            "or '-', the first a letter or digit",
            MAX_NAME);
    if (*config->language && !is_plain_name(config->language, MAX_LANGUAGE, "-"))
        return taco_error_set(
            err, TACO_ERR_FORMAT, "language",
            "config: \"language\" must be a BCP 47 tag such as \"en-US\"");
    return TACO_OK;
}

enum taco_status taco_voice_config_parse(struct taco_voice_config *config,
                                         const char *json, struct taco_error *err) {
    memset(config, 0, sizeof *config);
    json_error_t where;
    config->root = json_loads(json, JSON_REJECT_DUPLICATES, &where);
    if (!config->root) {
        if (json_error_code(&where) == json_error_out_of_memory)
            return taco_error_set(err, TACO_ERR_NO_MEMORY, NULL,
                                  "no memory for the config");
        return taco_error_set(err, TACO_ERR_FORMAT, "config", "config, byte %d: %.150s",
                              where.position, where.text);
    }
    enum taco_status status =
        json_is_object(config->root)
            ? read_keys(config, err)
            : taco_error_set(err, TACO_ERR_FORMAT, "config", "config: must be an object");
    if (status != TACO_OK)
        taco_voice_config_free(config);
    return status;
}

void taco_voice_config_free(struct taco_voice_config *config) {
    json_decref(config->root);
    taco_free(config->speakers);
    memset(config, 0, sizeof *config);
}
