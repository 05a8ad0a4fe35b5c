/* ElevenLabs's dialect: GET /v2/voices, and GET /v1/models as its clients want it.
 *
 * https://elevenlabs.io/docs/api-reference/voices/search and .../models/list. Its GET
 * /v1/voices is ours: what a client reads of a voice there, voice_id and name, is in it. */
#include <stdio.h>
#include <string.h>

#include "api/handlers.h"
#include "base/error.h"
#include "compat/elevenlabs.h"
#include "config/number.h"
#include "config/options.h"
#include "http/problem.h"
#include "http/reply.h"
#include "http/urlencoded.h"
#include "voices/voice_json.h"

/* -- voices -------------------------------------------------------------------------- */

#define MAX_PAGE 100
#define DEFAULT_PAGE 10

struct search {
    char text[128], after[TACO_MAX_PATH_ARGUMENT + 1];
    int64_t page_size;
    json_t *ids; /* an array; NULL: all */
};

static int set_string(char *out, size_t size, const char *name, const char *value,
                      size_t length, struct taco_error *err) {
    if (length >= size)
        return taco_error_set(err, TACO_ERR_INVALID_ARGUMENT, name,
                              "%s has %zu bytes, at most %zu are allowed", name, length,
                              size - 1);
    snprintf(out, size, "%s", value);
    return 0;
}

static int add_id(struct search *search, const char *value, size_t length,
                  struct taco_error *err) {
    if (!search->ids)
        search->ids = json_array();
    /* What is not UTF-8 is no voice's name, and an id that no voice has is as good. */
    json_t *id = json_stringn(value, length);
    if (json_array_append_new(search->ids, id ? id : json_null()) == 0)
        return 0;
    return taco_error_set(err, TACO_ERR_NO_MEMORY, NULL, "no memory");
}

/* Filters by what our voices do not have (category, gender ...) and orders let all pass. */
static int set_pair(void *user, const char *name, size_t name_length, const char *value,
                    size_t length, struct taco_error *err) {
    (void)name_length;
    struct search *search = user;
    if (length == 0)
        return 0;
    if (strcmp(name, "voice_ids") == 0)
        return add_id(search, value, length, err);
    if (strcmp(name, "search") == 0)
        return set_string(search->text, sizeof search->text, name, value, length, err);
    if (strcmp(name, "next_page_token") == 0)
        return set_string(search->after, sizeof search->after, name, value, length, err);
    if (strcmp(name, "page_size") == 0 &&
        (!taco_parse_integer(value, &search->page_size) || search->page_size < 1 ||
         search->page_size > MAX_PAGE))
        return taco_error_set(err, TACO_ERR_INVALID_ARGUMENT, name,
                              "page_size is 1 to %d, not '%.40s'", MAX_PAGE, value);
    return 0;
}

static bool is_listed(const json_t *ids, const char *name) {
    for (size_t i = 0; i < json_array_size(ids); i++) {
        const char *id = json_string_value(json_array_get(ids, i));
        if (id && strcmp(id, name) == 0)
            return true;
    }
    return !ids;
}

static bool matches(const struct search *search, const struct taco_named_voice *named) {
    const struct taco_voice_info *info = taco_voice_info(named->voice);
    return is_listed(search->ids, named->name) &&
           (strcasestr(named->name, search->text) ||
            strcasestr(info->description, search->text) ||
            strcasestr(info->language, search->text));
}

/* The token of a page is the last name of the one before: voices come in order of name, so
 * that a page stays right when voices have been reloaded. */
static json_t *find_voices(const struct taco_voices *voices,
                           const struct search *search) {
    const struct taco_named_voice *named;
    const char *last = NULL;
    json_int_t n = 0, total = 0;
    json_t *page = json_array();
    bool ok = page != NULL, more = false;
    for (size_t i = 0; ok && (named = taco_voices_at(voices, i)) != NULL; i++) {
        if (!matches(search, named))
            continue;
        total++;
        if (strcmp(named->name, search->after) <= 0)
            continue;
        more = n == search->page_size;
        if (more)
            continue;
        ok = json_array_append_new(page, taco_served_voice_json(voices, named, false)) ==
             0;
        last = named->name;
        n++;
    }
    if (ok)
        return json_pack("{s:o, s:b, s:I, s:s?}", "voices", page, "has_more", (int)more,
                         "total_count", total, "next_page_token", more ? last : NULL);
    json_decref(page);
    return NULL;
}

enum MHD_Result taco_handle_elevenlabs_voices(struct taco_exchange *x) {
    struct search search = {.page_size = DEFAULT_PAGE};
    struct taco_error err = TACO_ERROR_INIT;
    int problem = x->query ? taco_urlencoded_read(x->query, strlen(x->query), set_pair,
                                                  &search, &err)
                           : 0;
    json_t *found = problem ? NULL : find_voices(x->voices, &search);
    json_decref(search.ids);
    if (problem)
        return taco_reply_problem(x, problem, &err);
    if (!found)
        return taco_reply_problem(x, TACO_ERR_NO_MEMORY, NULL);
    return taco_reply_json(x, MHD_HTTP_OK, found);
}

/* -- models -------------------------------------------------------------------------- */

bool taco_elevenlabs_asks(const struct taco_exchange *x) {
    return taco_exchange_header(x, "xi-api-key") != NULL;
}

/* {"language_id", "name"} for each language of the voices: "en", "en-US". */
static json_t *languages(const struct taco_voices *voices) {
    json_t *list = json_array();
    const struct taco_named_voice *named;
    bool ok = list != NULL;
    for (size_t i = 0; ok && (named = taco_voices_at(voices, i)) != NULL; i++) {
        const char *tag = taco_voice_info(named->voice)->language;
        json_t *id = json_stringn(tag, strcspn(tag, "-_")), *known;
        size_t k;
        ok = id != NULL;
        json_array_foreach(list, k, known) {
            if (json_equal(json_object_get(known, "language_id"), id))
                break;
        }
        if (ok && *tag && k == json_array_size(list))
            ok = json_array_append_new(
                     list, json_pack("{s:O, s:s}", "language_id", id, "name", tag)) == 0;
        json_decref(id);
    }
    if (ok)
        return list;
    json_decref(list);
    return NULL;
}

/* model_id may be anything, since every voice has its own network; the names that clients
 * are set to are listed for those that look whether theirs is. */
enum MHD_Result taco_handle_elevenlabs_models(struct taco_exchange *x) {
    static const char *const ids[] = {"tacotron2", "eleven_multilingual_v2",
                                      "eleven_turbo_v2_5", "eleven_flash_v2_5"};
    json_t *spoken = languages(x->voices), *list = json_array();
    bool ok = spoken && list;
    for (size_t i = 0; ok && i < sizeof ids / sizeof *ids; i++)
        ok = json_array_append_new(
                 list,
                 json_pack(
                     "{s:s, s:s, s:s, s:b, s:b, s:b, s:b, s:b, s:b, s:b, s:I, s:O}",
                     "model_id", ids[i], "name", ids[i], "description",
                     "Tacotron 2 of the voice", "can_do_text_to_speech", 1,
                     "can_do_voice_conversion", 0, "can_be_finetuned", 0, "can_use_style",
                     0, "can_use_speaker_boost", 0, "serves_pro_voices", 0,
                     "requires_alpha_access", 0, "maximum_text_length_per_request",
                     (json_int_t)x->server->options->max_text, "languages", spoken)) == 0;
    json_decref(spoken);
    if (ok)
        return taco_reply_json(x, MHD_HTTP_OK, list);
    json_decref(list);
    return taco_reply_problem(x, TACO_ERR_NO_MEMORY, NULL);
}
