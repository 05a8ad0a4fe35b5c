#include "speech/negotiate.h"

#include "http/error_code.h"
#include "http/media_type.h"

struct audio_type {
    const char *name;
    enum taco_audio_format format;
};

/* In order of our preference. */
static const struct audio_type audio_types[] = {
    {"audio/wav", TACO_AUDIO_WAV},   {"audio/flac", TACO_AUDIO_FLAC},
    {"audio/ogg", TACO_AUDIO_OPUS},  {"audio/mpeg", TACO_AUDIO_MP3},
    {"audio/pcm", TACO_AUDIO_PCM},   {"audio/pcmu", TACO_AUDIO_ULAW},
    {"audio/pcma", TACO_AUDIO_ALAW}, {"audio/aiff", TACO_AUDIO_AIFF},
    {"audio/x-au", TACO_AUDIO_AU},
};

/* Other names for them, heeded only where Accept has the very name. */
static const struct audio_type other_names[] = {
    {"audio/x-wav", TACO_AUDIO_WAV},      {"audio/wave", TACO_AUDIO_WAV},
    {"audio/vnd.wave", TACO_AUDIO_WAV},   {"application/octet-stream", TACO_AUDIO_WAV},
    {"audio/x-flac", TACO_AUDIO_FLAC},    {"audio/opus", TACO_AUDIO_OPUS},
    {"application/ogg", TACO_AUDIO_OPUS}, {"audio/mp3", TACO_AUDIO_MP3},
    {"audio/basic", TACO_AUDIO_ULAW},     {"audio/x-aiff", TACO_AUDIO_AIFF},
};

static const struct {
    const char *name;
    enum taco_response_form form;
} wrappers[] = {{"application/json", TACO_RESPONSE_JSON},
                {"multipart/mixed", TACO_RESPONSE_MULTIPART},
                {"text/event-stream", TACO_RESPONSE_EVENTS}};

struct choice {
    int quality;
    enum taco_audio_format format;
};

static void consider(struct choice *best, int quality, enum taco_audio_format format) {
    if (quality > best->quality && taco_audio_format_available(format))
        *best = (struct choice){quality, format};
}

int taco_negotiate(const char *accept, struct taco_speech *speech,
                   enum taco_response_form *form, struct taco_error *err) {
    struct choice best = {0, TACO_AUDIO_WAV};
    *form = TACO_RESPONSE_AUDIO;
    for (size_t i = 0; i < sizeof audio_types / sizeof *audio_types; i++)
        consider(&best, taco_accept_quality(accept, audio_types[i].name),
                 audio_types[i].format);
    for (size_t i = 0; i < sizeof other_names / sizeof *other_names; i++)
        consider(&best, taco_accept_names(accept, other_names[i].name),
                 other_names[i].format);
    for (size_t i = 0; i < sizeof wrappers / sizeof *wrappers; i++) {
        int quality = taco_accept_quality(accept, wrappers[i].name);
        if (quality <= best.quality)
            continue;
        best = (struct choice){quality, TACO_AUDIO_WAV};
        *form = wrappers[i].form;
    }
    /* A format that is named is what the client gets, whatever it says that it accepts.
     */
    if (speech->has_format)
        return 0;
    speech->audio.format = best.format;
    if (best.quality > 0)
        return 0;
    return taco_error_code_set(
        err, TACO_CODE_NOT_ACCEPTABLE, "Accept",
        "nothing that '%.100s' names can be made: audio/wav, audio/flac, "
        "application/json, multipart/mixed ... can",
        accept);
}
