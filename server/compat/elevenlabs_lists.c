/* The ElevenLabs API: its lists of voices and models, the user's account, and the settings
 * of a voice.
 *
 * https://elevenlabs.io/docs/api-reference. Clients ask for these before they send text.
 * GET /v1/voices is native: the members that ElevenLabs's clients read of a voice, voice_id
 * and name, are in it. */
#include <string.h>

#include "compat/elevenlabs.h"
#include "compat/handlers.h"
#include "config/options.h"
#include "http/error_code.h"
#include "http/reply.h"
#include "http/routes.h"
#include "speech/speech_state.h"
#include "voices/aliases.h"
#include "voices/voice_json.h"

/* -- voices -------------------------------------------------------------------------- */

/* All voices on one page, whatever the client searches for. */
enum MHD_Result taco_handle_elevenlabs_voices(struct taco_exchange *x) {
    const struct taco_voices *voices = x->voices;
    const struct taco_named_voice *named;
    json_t *list = json_array();
    bool ok = list != NULL;
    for (size_t i = 0; ok && (named = taco_voices_at(voices, i)) != NULL; i++)
        ok = json_array_append_new(list, taco_served_voice_json(voices, named, false)) ==
             0;
    json_int_t n = (json_int_t)json_array_size(list);
    json_t *root = ok ? json_pack("{s:O, s:b, s:I, s:n}", "voices", list, "has_more", 0,
                                  "total_count", n, "next_page_token")
                      : NULL;
    json_decref(list);
    return root ? taco_reply_json(x, MHD_HTTP_OK, root)
                : taco_reply_error(x, TACO_ERR_NO_MEMORY, NULL);
}

/* ElevenLabs's defaults. Only speed has an effect here. */
enum MHD_Result taco_handle_elevenlabs_settings(struct taco_exchange *x) {
    const char *wanted = x->arguments[0];
    bool any = true;
    if (strcmp(x->route->pattern, "/v1/voices/settings/default") != 0)
        wanted = taco_alias_resolve(x->server->options, x->voices, wanted, &any);
    if (!any && !taco_voices_find(x->voices, wanted))
        return taco_reply_error(
            x,
            taco_speech_unknown_voice(x, TACO_CODE_NOT_FOUND, "voice", wanted, &x->err),
            &x->err);
    return taco_reply_json(x, MHD_HTTP_OK,
                           json_pack("{s:f, s:f, s:f, s:b, s:f}", "stability", 0.5,
                                     "similarity_boost", 0.75, "style", 0.0,
                                     "use_speaker_boost", 1, "speed", 1.0));
}

/* -- the account --------------------------------------------------------------------- */

/* Nothing is counted against a quota. Clients show limit - count as what is left, and some
 * refuse an answer that lacks any of these members. */
static json_t *subscription(void) {
    static const char text[] =
        "{\"tier\": \"self-hosted\", \"status\": \"active\", \"currency\": \"usd\","
        " \"character_count\": 0, \"character_limit\": 1000000000,"
        " \"max_credit_limit_extension\": 0, \"can_extend_character_limit\": false,"
        " \"allowed_to_extend_character_limit\": false,"
        " \"next_character_count_reset_unix\": null, \"voice_slots_used\": 0,"
        " \"professional_voice_slots_used\": 0,"
        " \"professional_voice_slots_used_in_workspace\": 0, \"voice_limit\": 0,"
        " \"max_voice_add_edits\": 0, \"voice_add_edit_counter\": 0,"
        " \"professional_voice_limit\": 0, \"can_extend_voice_limit\": false,"
        " \"can_use_instant_voice_cloning\": false,"
        " \"can_use_professional_voice_cloning\": false,"
        " \"current_overage\": {\"amount\": \"0\", \"currency\": \"usd\"},"
        " \"open_invoices\": [], \"has_open_invoices\": false, \"billing_period\": null,"
        " \"character_refresh_period\": null}";
    return json_loads(text, 0, NULL);
}

enum MHD_Result taco_handle_elevenlabs_subscription(struct taco_exchange *x) {
    return taco_reply_json(x, MHD_HTTP_OK, subscription());
}

enum MHD_Result taco_handle_elevenlabs_user(struct taco_exchange *x) {
    const char *name = *x->key ? x->key : "tacod";
    return taco_reply_json(
        x, MHD_HTTP_OK,
        json_pack("{s:s, s:s, s:s, s:s, s:o, s:b, s:b, s:b, s:b, s:i, s:n}", "user_id",
                  name, "workspace_id", "tacod", "seat_type", "workspace_member",
                  "first_name", name, "subscription", subscription(), "is_new_user", 0,
                  "can_use_delayed_payment_methods", 0, "is_onboarding_completed", 1,
                  "is_onboarding_checklist_completed", 1, "created_at", 0, "xi_api_key"));
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
    return taco_reply_error(x, TACO_ERR_NO_MEMORY, NULL);
}
