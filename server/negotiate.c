#include "negotiate.h"

#include "media_type.h"
#include "problem.h"

/* Names under which clients ask for a format, in order of our preference. */
static const struct {
    const char *media_type;
    enum taco_audio_format format;
} audio_types[] = {
    {"audio/wav", TACO_AUDIO_WAV},
    {"audio/x-wav", TACO_AUDIO_WAV},
    {"audio/wave", TACO_AUDIO_WAV},
    {"audio/vnd.wave", TACO_AUDIO_WAV},
    {"application/octet-stream", TACO_AUDIO_WAV},
    {"audio/flac", TACO_AUDIO_FLAC},
    {"audio/x-flac", TACO_AUDIO_FLAC},
    {"audio/ogg", TACO_AUDIO_OPUS},
    {"audio/opus", TACO_AUDIO_OPUS},
    {"application/ogg", TACO_AUDIO_OPUS},
    {"audio/mpeg", TACO_AUDIO_MP3},
    {"audio/mp3", TACO_AUDIO_MP3},
    {"audio/pcm", TACO_AUDIO_PCM},
    {"audio/pcmu", TACO_AUDIO_ULAW},
    {"audio/basic", TACO_AUDIO_ULAW},
    {"audio/pcma", TACO_AUDIO_ALAW},
    {"audio/aiff", TACO_AUDIO_AIFF},
    {"audio/x-aiff", TACO_AUDIO_AIFF},
    {"audio/x-au", TACO_AUDIO_AU},
};

int taco_negotiate(const char *accept, struct taco_speech *speech,
                   enum taco_packaging *packaging, struct taco_error *err) {
    int best = 0;
    *packaging = TACO_PACKAGING_AUDIO;
    for (size_t i = 0; i < sizeof audio_types / sizeof *audio_types; i++) {
        enum taco_audio_format format = audio_types[i].format;
        if (!taco_audio_format_available(format))
            continue;
        int quality = taco_accept_quality(accept, audio_types[i].media_type);
        if (quality <= best)
            continue;
        best = quality;
        if (!speech->has_format)
            speech->audio.format = format;
    }
    static const struct {
        const char *media_type;
        enum taco_packaging packaging;
    } wrappers[] = {{"application/json", TACO_PACKAGING_JSON},
                    {"multipart/mixed", TACO_PACKAGING_MULTIPART}};
    for (size_t i = 0; i < sizeof wrappers / sizeof *wrappers; i++) {
        int quality = taco_accept_quality(accept, wrappers[i].media_type);
        if (quality <= best)
            continue;
        best = quality;
        *packaging = wrappers[i].packaging;
        if (!speech->has_format)
            speech->audio.format = TACO_AUDIO_WAV;
    }
    /* A format that is named is what the client gets, whatever it says that it accepts.
     */
    if (best > 0 || speech->has_format)
        return 0;
    return taco_problem_set(
        err, TACO_PROBLEM_NOT_ACCEPTABLE, "Accept",
        "nothing that '%.100s' names can be made: audio/wav, audio/flac, "
        "application/json, multipart/mixed ... can",
        accept);
}
