/* The encoder: resample, clip, convert, and write - WAV and PCM with our own bytes, the
 * others through libsndfile. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <taco/audio.h>

#include "audio/formats.h"
#include "audio/ogg_pages.h"
#include "audio/resampler.h"
#include "audio/tags.h"
#include "audio/virtual_file.h"
#include "base/cancel.h"
#include "base/error.h"
#include "base/memory.h"

enum {
    BLOCK = 4096,
    WAV_HEADER = 44,      /* bytes */
    AU_LENGTH = 8,        /* where the length stands */
    SIDE_INFORMATION = 20 /* bytes that every frame of mono MP3 has */
};

struct taco_audio_writer {
    const struct taco_format *format;
    bool stream;
    const struct taco_cancel *cancel;
    int in_rate, rate;
    uint64_t n_promised, n_taken;     /* samples of the input rate */
    struct taco_resampler *resampler; /* NULL: the rates are the same */
    SNDFILE *sndfile;                 /* NULL: TACO_FRAMING_BYTES */
    struct taco_virtual_file file;
    struct taco_ogg_pages ogg; /* between file and the receiver, with Opus */
    enum taco_status status;   /* the first failure, and what every later call returns */
    float resampled[BLOCK];
    float clipped[BLOCK];
    short integers[BLOCK];
};

struct taco_audio_options taco_audio_options_default(void) {
    return (struct taco_audio_options){.format = TACO_AUDIO_WAV};
}

static void put_le(unsigned char *out, uint32_t value, int n_bytes) {
    for (int i = 0; i < n_bytes; i++)
        out[i] = (unsigned char)(value >> (8 * i));
}

/* RIFF header of n 16-bit mono samples; a stream of unknown length has the largest sizes.
 */
static void make_wav_header(unsigned char out[WAV_HEADER], int rate, bool stream,
                            uint64_t n) {
    uint32_t data = stream ? UINT32_MAX : (uint32_t)(2 * n);
    memcpy(out, "RIFF", 4);
    memcpy(out + 8, "WAVEfmt ", 8);
    memcpy(out + 36, "data", 4);
    put_le(out + 4, stream ? UINT32_MAX : data + WAV_HEADER - 8, 4);
    put_le(out + 16, 16, 4);                 /* bytes of the format */
    put_le(out + 20, 1, 2);                  /* PCM */
    put_le(out + 22, 1, 2);                  /* channels */
    put_le(out + 24, (uint32_t)rate, 4);     /* samples a second */
    put_le(out + 28, 2 * (uint32_t)rate, 4); /* bytes a second */
    put_le(out + 32, 2, 2);                  /* bytes a sample */
    put_le(out + 34, 16, 2);                 /* bits a sample */
    put_le(out + 40, data, 4);
}

static enum taco_status fail(struct taco_audio_writer *w, enum taco_status status,
                             struct taco_error *err) {
    w->status = status;
    switch (status) {
    case TACO_OK:
        return TACO_OK;
    case TACO_ERR_CANCELLED:
        return taco_error_set(err, status, NULL, "the audio is no longer wanted");
    case TACO_ERR_NO_MEMORY:
        return taco_error_set(err, status, NULL, "no memory for the audio");
    default:
        return taco_error_set(err, status, NULL, "%s: %s", w->format->name,
                              w->sndfile ? sf_strerror(w->sndfile) : "encoding failed");
    }
}

/* libsndfile has no call for a bit rate; its compression level runs linearly over the
 * rates that the format has at this sample rate. A streamed MP3 has a constant rate
 * always: players take the first frame's to reckon the length. */
static void set_bit_rate(SNDFILE *sndfile, const struct taco_audio_options *options,
                         int rate) {
    int lowest, highest, mode = SF_BITRATE_MODE_CONSTANT;
    bool mp3 = options->format == TACO_AUDIO_MP3;
    taco_format_bit_rates(options->format, rate, &lowest, &highest);
    if (mp3 && (options->stream || options->bit_rate))
        sf_command(sndfile, SFC_SET_BITRATE_MODE, &mode, sizeof mode);
    if (!options->bit_rate || !highest)
        return;
    double level = (double)(highest - options->bit_rate) / (double)(highest - lowest);
    if (mp3) /* it cuts the kilobits off to an integer */
        level = fmax(level - 0.5e3 / (double)(highest - lowest), 0);
    sf_command(sndfile, SFC_SET_COMPRESSION_LEVEL, &level, sizeof level);
}

static enum taco_status open_sndfile(struct taco_audio_writer *w,
                                     const struct taco_audio_options *options,
                                     struct taco_error *err) {
    SF_INFO info = {.samplerate = w->rate,
                    .channels = 1,
                    .format = w->format->major | w->format->subtype};
    SF_VIRTUAL_IO io = taco_virtual_file_io;
    double latency = 100; /* milliseconds that a page of Ogg waits for more */
    w->sndfile = sf_open_virtual(&io, SFM_WRITE, &info, &w->file);
    if (!w->sndfile)
        return w->file.out_of_memory ? fail(w, TACO_ERR_NO_MEMORY, err)
                                     : taco_error_set(err, TACO_ERR_UNSUPPORTED, "format",
                                                      "libsndfile cannot write %s: %s",
                                                      w->format->name, sf_strerror(NULL));
    set_bit_rate(w->sndfile, options, w->rate);
    if (w->stream && options->format == TACO_AUDIO_OPUS)
        sf_command(w->sndfile, SFC_SET_OGG_PAGE_LATENCY_MS, &latency, sizeof latency);
    return TACO_OK;
}

static enum taco_status check_options(const struct taco_audio_options *options,
                                      int sample_rate, uint64_t n_samples, int *rate,
                                      struct taco_error *err) {
    int lowest, highest;
    const struct taco_format *format = taco_format_get(options->format);
    if (!format)
        return taco_error_set(err, TACO_ERR_INVALID_ARGUMENT, "format",
                              "%d is no audio format", (int)options->format);
    if (sample_rate < 1000 || sample_rate > 384000)
        return taco_error_set(err, TACO_ERR_INVALID_ARGUMENT, "sample_rate",
                              "the samples' rate is %d, must be 1000 to 384000",
                              sample_rate);
    if (taco_reserved_check(options->reserved, err) != TACO_OK)
        return TACO_ERR_INVALID_ARGUMENT;
    if (taco_tags_check(options->tags, options->format, err) != TACO_OK)
        return TACO_ERR_INVALID_ARGUMENT;
    if (!taco_audio_format_available(options->format))
        return taco_error_set(err, TACO_ERR_UNSUPPORTED, "format",
                              "this build's libsndfile cannot write %s", format->name);
    enum taco_status status =
        taco_format_rate(format, sample_rate, options->sample_rate, rate, err);
    if (status != TACO_OK)
        return status;
    taco_format_bit_rates(options->format, *rate, &lowest, &highest);
    if (options->bit_rate && highest && /* other formats have no bit rate to set */
        (options->bit_rate < lowest || options->bit_rate > highest))
        return taco_error_set(err, TACO_ERR_INVALID_ARGUMENT, "bit_rate",
                              "bit_rate is %d; %s at %d Hz has %d to %d",
                              options->bit_rate, format->name, *rate, lowest, highest);
    if (options->bit_rate < 0)
        return taco_error_set(err, TACO_ERR_INVALID_ARGUMENT, "bit_rate",
                              "bit_rate is %d, must be above 0", options->bit_rate);
    if (options->format == TACO_AUDIO_WAV && !options->stream &&
        (n_samples > UINT32_MAX ||
         taco_resampled(n_samples, sample_rate, *rate) > (UINT32_MAX - WAV_HEADER) / 2))
        return taco_error_set(err, TACO_ERR_INVALID_ARGUMENT, "n_samples",
                              "a WAV file cannot hold so many samples");
    return TACO_OK;
}

enum taco_status taco_audio_options_check(const struct taco_audio_options *options,
                                          int sample_rate, uint64_t n_samples,
                                          struct taco_error *err) {
    int rate;
    return check_options(options, sample_rate, n_samples, &rate, err);
}

struct taco_cost taco_audio_cost(const struct taco_audio_options *options,
                                 int sample_rate) {
    double rate =
        taco_audio_output_rate(options->format, sample_rate, options->sample_rate);
    int lowest, highest;
    taco_format_bit_rates(options->format, (int)rate, &lowest, &highest);
    /* Without a bit rate to set: 16 bits a sample at the most, and a twentieth for headers of
       blocks and pages. */
    double bytes = highest ? highest / 8.0 : 2 * rate;
    return (struct taco_cost){.per_second = 1.05 * bytes};
}

static enum taco_status write_id3(struct taco_audio_writer *w,
                                  const struct taco_audio_tags *tags,
                                  struct taco_error *err) {
    unsigned char *bytes = NULL;
    size_t size = 0;
    enum taco_status status = taco_tags_id3(tags, &bytes, &size);
    if (status == TACO_OK && w->file.sink(w->file.user, bytes, size) != 0)
        status = TACO_ERR_CANCELLED;
    taco_free(bytes);
    return fail(w, status, err);
}

enum taco_status taco_audio_writer_open(struct taco_audio_writer **out, int sample_rate,
                                        uint64_t n_samples,
                                        const struct taco_audio_options *options,
                                        taco_audio_sink sink, void *user,
                                        struct taco_error *err) {
    const struct taco_audio_options defaults = taco_audio_options_default();
    int rate;
    *out = NULL;
    options = options ? options : &defaults;
    enum taco_status status = check_options(options, sample_rate, n_samples, &rate, err);
    if (status != TACO_OK)
        return status;
    struct taco_audio_writer *w = taco_calloc(1, sizeof *w);
    if (!w)
        return taco_error_set(err, TACO_ERR_NO_MEMORY, NULL, "no memory for the audio");
    w->format = taco_format_get(options->format);
    w->stream = options->stream;
    w->cancel = options->cancel;
    w->in_rate = sample_rate;
    w->rate = rate;
    w->n_promised = n_samples;
    w->file.sink = sink;
    w->file.user = user;
    taco_ogg_pages_init(&w->ogg, options->tags, sink, user);
    if (options->format == TACO_AUDIO_OPUS) {
        w->file.sink = taco_ogg_pages_write;
        w->file.user = &w->ogg;
    }
    if (rate != sample_rate)
        status = taco_resampler_create(&w->resampler, sample_rate, rate, err);
    if (status == TACO_OK && w->format->framing != TACO_FRAMING_BYTES)
        status = open_sndfile(w, options, err);
    if (status == TACO_OK && options->format == TACO_AUDIO_MP3 && options->tags)
        status = write_id3(w, options->tags, err);
    if (status == TACO_OK && options->format == TACO_AUDIO_WAV) {
        unsigned char header[WAV_HEADER];
        make_wav_header(header, rate, w->stream,
                        taco_resampled(n_samples, sample_rate, rate));
        if (sink(user, header, sizeof header) != 0)
            status = fail(w, TACO_ERR_CANCELLED, err);
    }
    if (status != TACO_OK) {
        taco_audio_writer_abort(w);
        return status;
    }
    *out = w;
    return TACO_OK;
}

/* To -1..1, so that nothing wraps around; no number becomes silence. */
static void clip(const float *in, size_t n, float *out) {
    for (size_t i = 0; i < n; i++)
        out[i] = isnan(in[i]) ? 0 : fminf(fmaxf(in[i], -1), 1);
}

/* The begin of a stream, whose header will not be written again. False: not all of it is
 * there. */
static bool fix_header(struct taco_audio_writer *w) {
    unsigned char *bytes = w->file.bytes;
    size_t n = w->file.size, end = 4;
    if (w->format->major == SF_FORMAT_AU && n >= AU_LENGTH + 4)
        memset(bytes + AU_LENGTH, 0xFF, 4); /* AU's "length not known" */
    if (w->format->major != SF_FORMAT_MPEG)
        return true;
    /* Where it has room for a table of contents the first frame is a header and zeros, to
       be written at the end; players would take it for sound. The next frame begins with
       the same two bytes. */
    while (end < n && bytes[end] == 0)
        end++;
    if (end + 1 >= n)
        return false;
    if (end > SIDE_INFORMATION && bytes[end] == bytes[0] && bytes[end + 1] == bytes[1])
        taco_virtual_file_drop(&w->file, end);
    return true;
}

/* Bytes that libsndfile has made go on as soon as the format allows. */
static enum taco_status deliver(struct taco_audio_writer *w, bool end) {
    bool stream = w->stream && w->format->streams;
    if (!end && w->format->framing == TACO_FRAMING_PATCHED && !stream)
        return w->file.out_of_memory ? TACO_ERR_NO_MEMORY : TACO_OK;
    if (stream && w->file.n_delivered == 0 && !fix_header(w) && !end)
        return TACO_OK;
    enum taco_status status = taco_virtual_file_deliver(&w->file);
    return w->ogg.out_of_memory ? TACO_ERR_NO_MEMORY : status;
}

/* samples [n] of the output's rate, n <= BLOCK. */
static enum taco_status encode(struct taco_audio_writer *w, const float *samples,
                               size_t n) {
    if (taco_is_cancelled(w->cancel))
        return TACO_ERR_CANCELLED;
    clip(samples, n, w->clipped);
    for (size_t i = 0; i < n; i++)
        w->integers[i] = (short)lrintf(w->clipped[i] * 32767);
    if (!w->sndfile) {
        unsigned char bytes[2 * BLOCK];
        for (size_t i = 0; i < n; i++)
            put_le(bytes + 2 * i, (uint16_t)w->integers[i], 2);
        return n && w->file.sink(w->file.user, bytes, 2 * n) != 0 ? TACO_ERR_CANCELLED
                                                                  : TACO_OK;
    }
    /* The lossy encoders take the unrounded samples. */
    bool lossy = w->format->rates != NULL;
    sf_count_t done = lossy ? sf_write_float(w->sndfile, w->clipped, (sf_count_t)n)
                            : sf_write_short(w->sndfile, w->integers, (sf_count_t)n);
    enum taco_status status = deliver(w, false);
    return status == TACO_OK && done != (sf_count_t)n ? TACO_ERR_IO : status;
}

/* in NULL: the end. */
static enum taco_status resample(struct taco_audio_writer *w, const float *in, size_t n) {
    enum taco_status status;
    size_t taken, made;
    do {
        status =
            taco_resampler_run(w->resampler, in, n, &taken, w->resampled, BLOCK, &made);
        if (status == TACO_OK)
            status = encode(w, w->resampled, made);
        in = in ? in + taken : NULL;
        n -= taken;
    } while (status == TACO_OK && (n > 0 || made > 0));
    return status;
}

enum taco_status taco_audio_writer_write(struct taco_audio_writer *w,
                                         const float *samples, size_t n,
                                         struct taco_error *err) {
    if (w->status != TACO_OK)
        return fail(w, w->status, err);
    if (!w->stream && n > w->n_promised - w->n_taken) {
        w->status = TACO_ERR_INVALID_ARGUMENT;
        return taco_error_set(err, w->status, "n_samples",
                              "more than the %llu samples announced",
                              (unsigned long long)w->n_promised);
    }
    w->n_taken += n;
    enum taco_status status = TACO_OK;
    if (w->resampler && n > 0)
        status = resample(w, samples, n);
    for (size_t i = 0; !w->resampler && status == TACO_OK && i < n; i += BLOCK)
        status = encode(w, samples + i, n - i < BLOCK ? n - i : BLOCK);
    return fail(w, status, err);
}

enum taco_status taco_audio_writer_finish(struct taco_audio_writer *w,
                                          struct taco_error *err) {
    if (!w)
        return TACO_OK;
    enum taco_status status = w->status;
    if (status == TACO_OK && !w->stream && w->n_taken < w->n_promised)
        status = taco_error_set(err, TACO_ERR_INVALID_ARGUMENT, "n_samples",
                                "%llu samples were announced, %llu written",
                                (unsigned long long)w->n_promised,
                                (unsigned long long)w->n_taken);
    if (status == TACO_OK && w->resampler)
        status = resample(w, NULL, 0);
    if (status == TACO_OK && w->sndfile) {
        /* Closing writes what is left, and the final header where there is one. */
        int failed = sf_close(w->sndfile);
        w->sndfile = NULL;
        status = deliver(w, true);
        if (status == TACO_OK && failed)
            status = TACO_ERR_IO;
    }
    fail(w, status, err);
    taco_audio_writer_abort(w);
    return status;
}

void taco_audio_writer_abort(struct taco_audio_writer *w) {
    if (!w)
        return;
    if (w->sndfile)
        sf_close(w->sndfile);
    taco_resampler_destroy(w->resampler);
    taco_virtual_file_free(&w->file);
    taco_ogg_pages_clear(&w->ogg);
    taco_free(w);
}
