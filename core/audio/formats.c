#include "audio/formats.h"

#include <sndfile.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"

static const int opus_rates[] = {8000, 12000, 16000, 24000, 48000, 0};
static const int mp3_rates[] = {8000,  11025, 12000, 16000, 22050,
                                24000, 32000, 44100, 48000, 0};

static const struct taco_bit_rates opus_bit_rates[] = {{0, 6000, 256000}};
static const struct taco_bit_rates mp3_bit_rates[] = {
    /* MPEG 1, 2 and 2.5 */
    {32000, 32000, 320000},
    {16000, 8000, 160000},
    {0, 8000, 64000}};

static const struct taco_format formats[] = {
    [TACO_AUDIO_WAV] = {.name = "wav",
                        .media_type = "audio/wav",
                        .framing = TACO_FRAMING_BYTES,
                        .streams = true},
    [TACO_AUDIO_FLAC] = {.name = "flac",
                         .media_type = "audio/flac",
                         .major = SF_FORMAT_FLAC,
                         .subtype = SF_FORMAT_PCM_16,
                         .framing = TACO_FRAMING_PATCHED,
                         .streams = true},
    [TACO_AUDIO_OPUS] = {.name = "opus",
                         .media_type = "audio/ogg;codecs=opus",
                         .major = SF_FORMAT_OGG,
                         .subtype = SF_FORMAT_OPUS,
                         .framing = TACO_FRAMING_FORWARD,
                         .streams = true,
                         .rates = opus_rates,
                         .bit_rates = opus_bit_rates},
    [TACO_AUDIO_MP3] = {.name = "mp3",
                        .media_type = "audio/mpeg",
                        .major = SF_FORMAT_MPEG,
                        .subtype = SF_FORMAT_MPEG_LAYER_III,
                        .framing = TACO_FRAMING_PATCHED,
                        .streams = true,
                        .rates = mp3_rates,
                        .bit_rates = mp3_bit_rates},
    [TACO_AUDIO_PCM] = {.name = "pcm",
                        .media_type = "audio/pcm;rate=%d;encoding=signed-int;bits=16",
                        .framing = TACO_FRAMING_BYTES,
                        .streams = true},
    [TACO_AUDIO_ULAW] = {.name = "ulaw",
                         .media_type = "audio/PCMU;rate=%d",
                         .media_type_8k = "audio/basic",
                         .major = SF_FORMAT_RAW,
                         .subtype = SF_FORMAT_ULAW,
                         .framing = TACO_FRAMING_FORWARD,
                         .streams = true,
                         .default_rate = 8000},
    [TACO_AUDIO_ALAW] = {.name = "alaw",
                         .media_type = "audio/PCMA;rate=%d",
                         .major = SF_FORMAT_RAW,
                         .subtype = SF_FORMAT_ALAW,
                         .framing = TACO_FRAMING_FORWARD,
                         .streams = true,
                         .default_rate = 8000},
    [TACO_AUDIO_AIFF] = {.name = "aiff",
                         .media_type = "audio/aiff",
                         .major = SF_FORMAT_AIFF,
                         .subtype = SF_FORMAT_PCM_16,
                         .framing = TACO_FRAMING_PATCHED},
    [TACO_AUDIO_AU] = {.name = "au",
                       .media_type = "audio/basic",
                       .major = SF_FORMAT_AU,
                       .subtype = SF_FORMAT_PCM_16,
                       .framing = TACO_FRAMING_PATCHED,
                       .streams = true},
};

enum { N_FORMATS = sizeof formats / sizeof *formats };

static const int LOWEST_RATE = 8000, HIGHEST_RATE = 48000;

const struct taco_format *taco_format_get(enum taco_audio_format format) {
    return (unsigned)format < N_FORMATS ? &formats[format] : NULL;
}

const char *taco_audio_format_name(enum taco_audio_format format) {
    const struct taco_format *f = taco_format_get(format);
    return f ? f->name : "unknown";
}

/* Whether libsndfile lists it: it was built with the format's own library. */
static bool is_listed(int command_count, int command_get, int code, int mask) {
    int n = 0;
    sf_command(NULL, command_count, &n, sizeof n);
    for (int i = 0; i < n; i++) {
        SF_FORMAT_INFO info = {.format = i};
        if (sf_command(NULL, command_get, &info, sizeof info) == 0 &&
            (info.format & mask) == code)
            return true;
    }
    return false;
}

bool taco_audio_format_available(enum taco_audio_format format) {
    const struct taco_format *f = taco_format_get(format);
    if (!f || f->framing == TACO_FRAMING_BYTES)
        return f != NULL;
    return is_listed(SFC_GET_FORMAT_MAJOR_COUNT, SFC_GET_FORMAT_MAJOR, f->major,
                     SF_FORMAT_TYPEMASK) &&
           is_listed(SFC_GET_FORMAT_SUBTYPE_COUNT, SFC_GET_FORMAT_SUBTYPE, f->subtype,
                     SF_FORMAT_SUBMASK);
}

enum taco_status taco_audio_format_parse(const char *name, enum taco_audio_format *format,
                                         struct taco_error *err) {
    char list[96] = "";
    for (int i = 0; i < N_FORMATS; i++) {
        if (name && strcmp(formats[i].name, name) == 0) {
            *format = (enum taco_audio_format)i;
            return TACO_OK;
        }
        size_t used = strlen(list);
        if (taco_audio_format_available((enum taco_audio_format)i))
            snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "",
                     formats[i].name);
    }
    return taco_error_set(err, TACO_ERR_INVALID_ARGUMENT, "format",
                          "\"%.40s\" is no audio format here; there are %s",
                          name ? name : "", list);
}

static void list_rates(const int *rates, char *list, size_t size) {
    list[0] = '\0';
    for (int i = 0; rates[i]; i++) {
        size_t used = strlen(list);
        snprintf(list + used, size - used, "%s%d", i ? ", " : "", rates[i]);
    }
}

/* The next rate that is not below, or the highest. */
static int next_rate(const int *rates, int rate) {
    int i = 0;
    while (rates[i + 1] && rates[i] < rate)
        i++;
    return rates[i];
}

enum taco_status taco_format_rate(const struct taco_format *format, int input_rate,
                                  int sample_rate, int *rate, struct taco_error *err) {
    char list[96];
    *rate = sample_rate;
    if (sample_rate == 0)
        *rate = format->default_rate ? format->default_rate : input_rate;
    if (sample_rate == 0 && format->rates)
        *rate = next_rate(format->rates, input_rate);
    if (sample_rate == 0)
        return TACO_OK;
    if (sample_rate < LOWEST_RATE || sample_rate > HIGHEST_RATE)
        return taco_error_set(err, TACO_ERR_INVALID_ARGUMENT, "sample_rate",
                              "sample_rate is %d, must be %d to %d", sample_rate,
                              LOWEST_RATE, HIGHEST_RATE);
    if (!format->rates || next_rate(format->rates, sample_rate) == sample_rate)
        return TACO_OK;
    list_rates(format->rates, list, sizeof list);
    return taco_error_set(err, TACO_ERR_INVALID_ARGUMENT, "sample_rate",
                          "sample_rate is %d; %s has %s", sample_rate, format->name,
                          list);
}

int taco_audio_output_rate(enum taco_audio_format format, int input_rate,
                           int sample_rate) {
    const struct taco_format *f = taco_format_get(format);
    int rate = sample_rate;
    if (f && sample_rate == 0)
        (void)taco_format_rate(f, input_rate, 0, &rate, NULL); /* 0 is never refused */
    return rate;
}

void taco_format_bit_rates(enum taco_audio_format format, int rate, int *lowest,
                           int *highest) {
    const struct taco_format *f = taco_format_get(format);
    const struct taco_bit_rates *list = f ? f->bit_rates : NULL;
    while (list && rate < list->from)
        list++;
    *lowest = list ? list->lowest : 0;
    *highest = list ? list->highest : 0;
}

void taco_audio_media_type(enum taco_audio_format format, int sample_rate, char *out,
                           size_t size) {
    const struct taco_format *f = taco_format_get(format);
    const char *type = f ? f->media_type : "application/octet-stream";
    if (f && f->media_type_8k && sample_rate == 8000)
        type = f->media_type_8k;
    const char *rate = strstr(type, "%d");
    if (rate)
        snprintf(out, size, "%.*s%d%s", (int)(rate - type), type, sample_rate, rate + 2);
    else
        snprintf(out, size, "%s", type);
}
