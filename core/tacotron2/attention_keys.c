/* Reads a mechanism's settings (attention_keys.h). */
#include "tacotron2/attention_keys.h"

#include <stdio.h>
#include <string.h>

#include "tacotron2/attention.h"

const char *const taco_attention_normalisers[] = {"softmax", "sigmoid", NULL};
const char *const taco_attention_starts[] = {"zeros", "uniform", "one_hot", NULL};
const char *const taco_attention_windows[] = {"none", "coqui", "espnet", NULL};

bool taco_attention_has_filters(const void *params) {
    const struct taco_attention_params *p = params;
    return p->location_n_filters > 0;
}

bool taco_attention_has_window(const void *params) {
    const struct taco_attention_params *p = params;
    return p->window != TACO_WINDOW_NONE;
}

enum taco_status taco_attention_read_type(const struct taco_config_reader *r,
                                          const struct taco_config_key *key,
                                          const json_t *value) {
    (void)r, (void)key, (void)value;
    return TACO_OK;
}

enum taco_status taco_attention_read_channels(const struct taco_config_reader *r,
                                              const struct taco_config_key *key,
                                              const json_t *value) {
    struct taco_attention_params *params = r->target;
    bool prev = false, cum = false, good = json_array_size(value) > 0;
    for (size_t i = 0; good && i < json_array_size(value); i++) {
        const char *name = json_string_value(json_array_get(value, i));
        bool is_prev = name && strcmp(name, "prev") == 0;
        bool is_cum = name && strcmp(name, "cum") == 0;
        good = (is_prev && !prev && !cum) || (is_cum && !cum);
        prev = prev || is_prev;
        cum = cum || is_cum;
    }
    if (!good)
        return taco_config_fail(r, TACO_ERR_FORMAT, key->name,
                                "must be [\"prev\"], [\"cum\"] or [\"prev\", \"cum\"]");
    params->location_prev = prev;
    params->location_cum = cum;
    return TACO_OK;
}

enum taco_status taco_attention_params_read(struct taco_attention_params *params,
                                            const char *prefix, const json_t *object,
                                            struct taco_error *err) {
    static const struct taco_config_key no_keys[] = {TACO_PARAM_END};
    struct taco_config_reader r = {params, "model", prefix, err};
    if (!json_is_object(object))
        return taco_config_read(&r, no_keys, object);
    const json_t *type = json_object_get(object, "type");
    if (!type)
        return taco_config_fail(&r, TACO_ERR_FORMAT, "type", "is missing");
    if (!json_is_string(type))
        return taco_config_fail(&r, TACO_ERR_FORMAT, "type", "must be a string");
    params->mechanism = taco_attention_find(json_string_value(type));
    if (!params->mechanism) {
        char what[400];
        size_t used = (size_t)snprintf(what, sizeof what, "must be one of");
        for (int i = 0; taco_attention_name(i) && used < sizeof what; i++)
            used += (size_t)snprintf(what + used, sizeof what - used, "%s %s",
                                     i ? "," : "", taco_attention_name(i));
        return taco_config_fail(&r, TACO_ERR_UNSUPPORTED, "type", what);
    }
    return taco_config_read(&r, params->mechanism->settings, object);
}
