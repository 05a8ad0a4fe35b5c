/* the MaryTTS API: the lists of /voices, /locales, /version, /audioformats and
 * /datatypes, a line each. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "compat/handlers.h"
#include "compat/mary.h"
#include "http/error_code.h"
#include "http/reply.h"

static const struct {
    const char *name;
    enum taco_audio_format format;
} formats[] = {{"WAVE", TACO_AUDIO_WAV},  {"AU", TACO_AUDIO_AU},
               {"AIFF", TACO_AUDIO_AIFF}, {"MP3", TACO_AUDIO_MP3},
               {"OPUS", TACO_AUDIO_OPUS}, {"FLAC", TACO_AUDIO_FLAC}};

bool taco_mary_parse_audio(const char *value, enum taco_audio_format *format,
                           bool *stream) {
    const char *underscore = strrchr(value, '_');
    size_t n = underscore ? (size_t)(underscore - value) : strlen(value);
    *stream = underscore && strcasecmp(underscore, "_STREAM") == 0;
    if (underscore && !*stream && strcasecmp(underscore, "_FILE") != 0)
        return false;
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (strlen(formats[i].name) == n && strncasecmp(formats[i].name, value, n) == 0 &&
            taco_audio_format_available(formats[i].format)) {
            *format = formats[i].format;
            return true;
        }
    return false;
}

/* The i-th format's name, "WAVE", or NULL. */
static const char *audio_at(size_t i) {
    for (size_t k = 0; k < sizeof formats / sizeof *formats; k++)
        if (taco_audio_format_available(formats[k].format) && i-- == 0)
            return formats[k].name;
    return NULL;
}

void taco_mary_locale(const struct taco_named_voice *voice, char *out, size_t size) {
    const char *language = taco_voice_info(voice->voice)->language;
    snprintf(out, size, "%s", *language ? language : "und");
    for (char *c = out; *c; c++)
        if (*c == '-')
            *c = '_';
}

static enum MHD_Result reply(struct taco_exchange *x, bool ok, struct taco_bytes *text) {
    if (ok)
        return taco_reply_text(x, MHD_HTTP_OK, text);
    taco_bytes_free(text);
    return taco_reply_error(x, TACO_ERR_NO_MEMORY, NULL);
}

/* name, locale, gender, technology: four words. What a voice file does not say, such as
 * the gender, is "unknown". */
enum MHD_Result taco_handle_mary_voices(struct taco_exchange *x) {
    struct taco_bytes text = {NULL, 0, 0};
    const struct taco_named_voice *voice;
    char locale[32];
    bool ok = true;
    for (size_t i = 0; ok && (voice = taco_voices_at(x->voices, i)) != NULL; i++) {
        const struct taco_voice_info *info = taco_voice_info(voice->voice);
        taco_mary_locale(voice, locale, sizeof locale);
        ok = taco_bytes_printf(&text, "%s %s unknown tacotron2\n", voice->name, locale);
        for (int k = 0; ok && info->speakers && k < info->n_speakers; k++)
            if (!strpbrk(info->speakers[k], " \t\r\n"))
                ok = taco_bytes_printf(&text, "%s#%s %s unknown tacotron2\n", voice->name,
                                       info->speakers[k], locale);
    }
    return reply(x, ok, &text);
}

static bool has_line(const struct taco_bytes *text, const char *line) {
    size_t n = strlen(line);
    for (const char *c = text->bytes; c && *c; c += strcspn(c, "\n"), c += *c == '\n')
        if (strcspn(c, "\n") == n && memcmp(c, line, n) == 0)
            return true;
    return false;
}

enum MHD_Result taco_handle_mary_locales(struct taco_exchange *x) {
    struct taco_bytes text = {NULL, 0, 0};
    const struct taco_named_voice *voice;
    char locale[32];
    bool ok = true;
    for (size_t i = 0; ok && (voice = taco_voices_at(x->voices, i)) != NULL; i++) {
        taco_mary_locale(voice, locale, sizeof locale);
        if (!has_line(&text, locale))
            ok = taco_bytes_printf(&text, "%s\n", locale);
    }
    return reply(x, ok, &text);
}

enum MHD_Result taco_handle_mary_version(struct taco_exchange *x) {
    struct taco_bytes text = {NULL, 0, 0};
    return reply(x, taco_bytes_printf(&text, "tacod %s\n", taco_version()), &text);
}

enum MHD_Result taco_handle_mary_audioformats(struct taco_exchange *x) {
    struct taco_bytes text = {NULL, 0, 0};
    const char *name;
    bool ok = true;
    for (size_t i = 0; ok && (name = audio_at(i)) != NULL; i++)
        ok = taco_bytes_printf(&text, "%s_FILE\n%s_STREAM\n", name, name);
    return reply(x, ok, &text);
}

enum MHD_Result taco_handle_mary_datatypes(struct taco_exchange *x) {
    struct taco_bytes text = {NULL, 0, 0};
    return reply(x,
                 taco_bytes_printf(&text,
                                   "TEXT INPUT\nSSML INPUT\nRAWMARYXML "
                                   "INPUT\nREALISED_DURATIONS OUTPUT\nAUDIO OUTPUT\n"),
                 &text);
}
