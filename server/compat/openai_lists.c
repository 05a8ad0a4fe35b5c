/* the OpenAI API: GET /v1/models, /v1/models/{id}, and /v1/audio/models and
 * /v1/audio/voices, which are not OpenAI's but what clients of servers like this one ask
 * for, Open WebUI among them. */
#include <string.h>

#include "compat/elevenlabs.h"
#include "compat/handlers.h"
#include "compat/openai.h"
#include "http/error_code.h"
#include "http/reply.h"
#include "voices/aliases.h"

static const char *const own_names[] = {"tts-1", "tts-1-hd", "gpt-4o-mini-tts"};
#define N_OWN_NAMES (sizeof own_names / sizeof *own_names)

bool taco_openai_model_exists(const struct taco_voices *voices, const char *name,
                              const char **voice) {
    *voice = NULL;
    for (size_t i = 0; i < N_OWN_NAMES; i++)
        if (strcmp(own_names[i], name) == 0)
            return true;
    const struct taco_named_voice *named = taco_voices_find(voices, name);
    *voice = named ? named->name : NULL;
    return named != NULL;
}

/* When a model was made is not known. */
static json_t *model_json(const char *name) {
    return json_pack("{s:s, s:s, s:i, s:s}", "id", name, "object", "model", "created", 0,
                     "owned_by", "tacod");
}

enum MHD_Result taco_handle_openai_models(struct taco_exchange *x) {
    if (taco_elevenlabs_asks(x))
        return taco_handle_elevenlabs_models(x);
    json_t *list = json_array();
    bool ok = list != NULL;
    for (size_t i = 0; ok && i < N_OWN_NAMES; i++)
        ok = json_array_append_new(list, model_json(own_names[i])) == 0;
    const struct taco_named_voice *named;
    for (size_t i = 0; ok && (named = taco_voices_at(x->voices, i)) != NULL; i++)
        ok = json_array_append_new(list, model_json(named->name)) == 0;
    if (!ok) {
        json_decref(list);
        return taco_reply_error(x, TACO_ERR_NO_MEMORY, NULL);
    }
    return taco_reply_json(x, MHD_HTTP_OK,
                           json_pack("{s:s, s:o}", "object", "list", "data", list));
}

enum MHD_Result taco_handle_openai_model(struct taco_exchange *x) {
    const char *name = x->arguments[0], *voice;
    if (taco_openai_model_exists(x->voices, name, &voice))
        return taco_reply_json(x, MHD_HTTP_OK, model_json(name));
    struct taco_error err = TACO_ERROR_INIT;
    int code = taco_error_code_set(&err, TACO_CODE_UNKNOWN_MODEL, "model",
                                   "there is no model '%s': /v1/models lists them", name);
    return taco_reply_error(x, code, &err);
}

/* {"models": ...} or {"voices": ...} of [{"id", "name"}]; takes the list. */
static enum MHD_Result reply_named(struct taco_exchange *x, const char *what,
                                   json_t *list, bool ok) {
    if (ok)
        return taco_reply_json(x, MHD_HTTP_OK, json_pack("{s:o}", what, list));
    json_decref(list);
    return taco_reply_error(x, TACO_ERR_NO_MEMORY, NULL);
}

static bool add_named(json_t *list, const char *name) {
    return json_array_append_new(list,
                                 json_pack("{s:s, s:s}", "id", name, "name", name)) == 0;
}

enum MHD_Result taco_handle_openai_audio_models(struct taco_exchange *x) {
    json_t *list = json_array();
    bool ok = list != NULL;
    for (size_t i = 0; ok && i < N_OWN_NAMES; i++)
        ok = add_named(list, own_names[i]);
    const struct taco_named_voice *named;
    for (size_t i = 0; ok && (named = taco_voices_at(x->voices, i)) != NULL; i++)
        ok = add_named(list, named->name);
    return reply_named(x, "models", list, ok);
}

enum MHD_Result taco_handle_openai_voices(struct taco_exchange *x) {
    json_t *list = json_array();
    bool ok = list != NULL;
    const struct taco_named_voice *named;
    for (size_t i = 0; ok && (named = taco_voices_at(x->voices, i)) != NULL; i++)
        ok = add_named(list, named->name);
    char alias[80];
    for (size_t i = 0; ok && taco_alias_at(x->server->options, i, alias, sizeof alias);
         i++)
        ok = taco_voices_find(x->voices, alias) || add_named(list, alias);
    return reply_named(x, "voices", list, ok);
}
