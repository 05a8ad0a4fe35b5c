/* The MaryTTS API: /process, as Home Assistant and speak2mary use it.
 *
 * Only INPUT_TEXT is required. Home Assistant's settings name voices of MaryTTS, so a voice
 * that is not served is no error: the voice of the locale, or the default voice, speaks.
 * Parameters without an effect are named in X-Taco-Ignored. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "base/memory.h"
#include "compat/handlers.h"
#include "compat/mary.h"
#include "config/number.h"
#include "http/error_code.h"
#include "http/reply.h"
#include "speech/request.h"
#include "speech/speech_state.h"
#include "voices/aliases.h"

/* An effect of MaryTTS that there is here: amount of Volume, durScale of Rate. */
struct effect {
    bool selected;
    double amount;
};

struct request {
    struct effect volume, rate;
    char voice[96], locale[32];
    bool durations; /* OUTPUT_TYPE is REALISED_DURATIONS */
};

/* -- the answer ---------------------------------------------------------------------- */

static const char *audio_type(const struct taco_speech_state *s) {
    switch (s->speech.audio.format) {
    case TACO_AUDIO_WAV:
        return "audio/x-wav";
    case TACO_AUDIO_AU:
        return "audio/basic"; /* MaryTTS's name of the container, whatever is in it */
    case TACO_AUDIO_AIFF:
        return "audio/x-aiff";
    default:
        return NULL;
    }
}

/* "#", then a line for each phone: the second at which it ends, 125, its name; "_" is a
 * pause. */
static int make_durations(struct taco_speech_state *s) {
    const struct taco_result *result = s->result;
    const struct taco_text *text = result->text;
    const char *const *symbols = taco_voice_info(s->voice->voice)->symbols;
    struct taco_bytes out = {NULL, 0, 0};
    bool ok = taco_bytes_printf(&out, "#\n");
    for (uint32_t c = 0; ok && c < text->n_chunks; c++) {
        const struct taco_chunk *chunk = &text->chunks[c];
        double end = 0;
        for (uint32_t i = 0; ok && i < chunk->n_symbols; i++) {
            const struct taco_symbol *symbol = &text->symbols[chunk->first_symbol + i];
            const struct taco_times *times = &result->symbols[chunk->first_symbol + i];
            end = times->end;
            if (times->end > times->start)
                ok = taco_bytes_printf(
                    &out, "%.6f 125 %s\n", end,
                    symbol->word == TACO_NO_WORD ? "_" : symbols[symbol->id]);
        }
        uint64_t next = c + 1 < text->n_chunks ? result->chunks[c + 1].first_sample
                                               : result->n_samples;
        double until = (double)next / result->sample_rate;
        if (ok && until > end)
            ok = taco_bytes_printf(&out, "%.6f 125 _\n", until);
    }
    if (ok && text->n_chunks == 0)
        ok = taco_bytes_printf(&out, "%.6f 125 _\n",
                               (double)result->n_samples / result->sample_rate);
    if (!ok) {
        taco_bytes_free(&out);
        return taco_error_set(&s->err, TACO_ERR_NO_MEMORY, NULL, "no memory");
    }
    s->payload.bytes = out.bytes;
    s->payload.size = out.size;
    snprintf(s->payload.media_type, sizeof s->payload.media_type,
             "text/plain; charset=utf-8");
    return 0;
}

static const struct taco_compat mary = {.text = "INPUT_TEXT",
                                        .allows_silence = true,
                                        .make = make_durations,
                                        .audio_type = audio_type};

/* -- reading ------------------------------------------------------------------------- */

static int invalid(struct taco_speech_state *s, const char *name, const char *value,
                   const char *wanted) {
    return taco_error_set(&s->err, TACO_ERR_INVALID_ARGUMENT, name,
                          "%s '%.48s' is not supported: %s", name, value, wanted);
}

/* "amount:2.0;" and "durScale:1.5;". */
static int set_effect(struct taco_speech_state *s, struct effect *effect,
                      const char *parameter, const char *name, const char *value) {
    const char *colon = strchr(value, ':');
    char number[32];
    if (!*value)
        return 0; /* the effect's own default */
    const char *start = colon ? colon + 1 : value;
    size_t n = strcspn(start, "; ");
    if (!colon || strncasecmp(value, parameter, strlen(parameter)) != 0 ||
        n >= sizeof number)
        return invalid(s, name, value, parameter);
    memcpy(number, start, n);
    number[n] = '\0';
    if (!taco_parse_number(number, &effect->amount))
        return invalid(s, name, value, parameter);
    return 0;
}

/* effect_<Name>_selected and effect_<Name>_parameters. */
static int set_effect_field(struct taco_speech_state *s, const char *name,
                            const char *value) {
    struct request *r = s->own;
    bool on = strcasecmp(value, "on") == 0;
    if (strcasecmp(name, "effect_Volume_selected") == 0)
        r->volume.selected = on;
    else if (strcasecmp(name, "effect_Rate_selected") == 0)
        r->rate.selected = on;
    else if (strcasecmp(name, "effect_Volume_parameters") == 0)
        return set_effect(s, &r->volume, "amount", name, value);
    else if (strcasecmp(name, "effect_Rate_parameters") == 0)
        return set_effect(s, &r->rate, "durScale", name, value);
    else if (on)
        taco_speech_ignore(s, name);
    return 0;
}

static int set_audio(struct taco_speech_state *s, const char *value) {
    bool stream;
    if (!taco_mary_parse_audio(value, &s->speech.audio.format, &stream))
        return invalid(s, "AUDIO", value, "/audioformats lists what is");
    /* AIFF cannot begin before its end is known. */
    s->speech.request.streaming = stream && s->speech.audio.format != TACO_AUDIO_AIFF;
    return 0;
}

static int set_field(void *user, const char *name, const struct taco_value *value,
                     struct taco_error *err) {
    struct taco_speech_state *s = user;
    struct request *r = s->own;
    const char *word;
    if (taco_value_is_null(value))
        return 0;
    if (strcmp(name, "INPUT_TEXT") == 0)
        return taco_compat_set(s, "text", value);
    if (!taco_value_word(value, &word))
        return taco_error_code_set(err, TACO_CODE_WRONG_TYPE, name,
                                   "%.64s must be a string", name);
    if (strcmp(name, "INPUT_TYPE") == 0) {
        bool xml = strcmp(word, "SSML") == 0 || strcmp(word, "RAWMARYXML") == 0;
        s->speech.request.text_options.input = xml ? TACO_INPUT_SSML : TACO_INPUT_TEXT;
        return xml || strcmp(word, "TEXT") == 0
                   ? 0
                   : invalid(s, name, word, "TEXT, SSML and RAWMARYXML are");
    }
    if (strcmp(name, "OUTPUT_TYPE") == 0) {
        r->durations = strcmp(word, "REALISED_DURATIONS") == 0;
        return r->durations || strcmp(word, "AUDIO") == 0
                   ? 0
                   : invalid(s, name, word, "AUDIO and REALISED_DURATIONS are");
    }
    if (strcmp(name, "AUDIO") == 0)
        return *word ? set_audio(s, word) : 0;
    if (strcmp(name, "VOICE") == 0)
        snprintf(r->voice, sizeof r->voice, "%s", word);
    else if (strcmp(name, "LOCALE") == 0)
        snprintf(r->locale, sizeof r->locale, "%s", word);
    else if (strncmp(name, "effect_", 7) == 0)
        return set_effect_field(s, name, word);
    else if (*word)
        taco_speech_ignore(s, name);
    return 0;
}

/* -- the voice ----------------------------------------------------------------------- */

/* "en_US" is of "en_US" and of "en", and the other way round; case and -/_ are ignored. */
static bool same_language(const struct taco_named_voice *voice, const char *locale) {
    char own[32];
    taco_mary_locale(voice, own, sizeof own);
    const char *a = own, *b = locale;
    for (; *a && *b; a++, b++) {
        char c = *b == '-' ? '_' : *b;
        if (strncasecmp(a, &c, 1) != 0)
            return false;
    }
    return (!*a || *a == '_') && (!*b || *b == '_' || *b == '-');
}

static const char *voice_of_locale(struct taco_speech_state *s, const char *locale) {
    const struct taco_voices *voices = s->x->voices;
    const struct taco_named_voice *voice = taco_voices_find(voices, NULL);
    if (!*locale || same_language(voice, locale))
        return NULL;
    for (size_t i = 0; (voice = taco_voices_at(voices, i)) != NULL; i++)
        if (same_language(voice, locale))
            return voice->name;
    taco_speech_ignore(s, "LOCALE");
    return NULL;
}

/* VOICE is a name, or NAME#SPEAKER. */
static int find_voice(struct taco_speech_state *s) {
    struct request *r = s->own;
    const struct taco_server *server = s->x->server;
    char *hash = strchr(r->voice, '#');
    bool any;
    int code = 0;
    if (hash)
        *hash = '\0';
    const char *name = taco_alias_resolve(server->options, s->x->voices, r->voice, &any);
    if (*r->voice && taco_voices_find(s->x->voices, name)) {
        if (hash) {
            const struct taco_value speaker =
                taco_value_written(hash + 1, strlen(hash + 1));
            code = taco_compat_set(s, "speaker", &speaker);
        }
        return code ? code : taco_speech_find_voice(s, name);
    }
    if (*r->voice)
        taco_speech_ignore(s, "VOICE");
    return taco_speech_find_voice(s, voice_of_locale(s, r->locale));
}

static int finish(struct taco_speech_state *s) {
    struct request *r = s->own;
    if (!s->speech.text)
        return taco_request_no_text(s->x, "INPUT_TEXT", &s->err);
    if (r->volume.selected)
        s->speech.request.volume = (float)r->volume.amount;
    if (r->rate.selected)
        s->speech.request.speed = (float)(1 / r->rate.amount);
    if (r->durations) {
        s->form = TACO_RESPONSE_OWN;
        s->speech.request.streaming = false;
    }
    int code = find_voice(s);
    return code ? code : taco_speech_check_all(s);
}

enum MHD_Result taco_handle_mary_process(struct taco_exchange *x) {
    struct taco_speech_state *s = taco_speech_state_create(x, &mary);
    struct request *r = s ? s->own = taco_calloc(1, sizeof *r) : NULL;
    if (!r)
        return taco_reply_error(x, TACO_ERR_NO_MEMORY, NULL);
    r->volume.amount = 2; /* MaryTTS's own defaults of the effects */
    r->rate.amount = 1.5;
    /* speak2mary sends a form without a Content-Type. */
    const struct taco_request_reader reader = {
        "INPUT_TEXT", "application/x-www-form-urlencoded", set_field, s};
    int code = taco_request_read(&reader, x, &s->err);
    return taco_speech_start(s, code ? code : finish(s));
}
