/* Samples to audio files and streams, through libsndfile and libsoxr. */
#ifndef TACO_AUDIO_H
#define TACO_AUDIO_H

#include <stdbool.h>
#include <stdint.h>
#include <taco/status.h>

#ifdef __cplusplus
extern "C" {
#endif

enum taco_audio_format {
    TACO_AUDIO_WAV,  /* RIFF, 16-bit PCM */
    TACO_AUDIO_FLAC, /* 16-bit */
    TACO_AUDIO_OPUS, /* in Ogg; 8, 12, 16, 24 or 48 kHz */
    TACO_AUDIO_MP3,
    TACO_AUDIO_PCM,  /* 16-bit little-endian, no header */
    TACO_AUDIO_ULAW, /* G.711 mu-law, no header */
    TACO_AUDIO_ALAW, /* G.711 A-law, no header */
    TACO_AUDIO_AIFF, /* 16-bit */
    TACO_AUDIO_AU    /* 16-bit */
};

/* Chapters that a file can hold. */
#define TACO_MAX_CHAPTERS 999

struct taco_chapter_mark {
    const char *title; /* UTF-8, 1 to 1000 bytes */
    double start;      /* seconds, >= 0 and not before the mark before */
};

/* What a player shows of a file. Strings are UTF-8 of up to 1000 bytes, or NULL. */
struct taco_audio_tags {
    const char *title;
    const char *artist;
    double duration;                          /* seconds: where the last chapter ends */
    uint32_t n_chapters;                      /* 0 to TACO_MAX_CHAPTERS */
    const struct taco_chapter_mark *chapters; /* [n_chapters] */
};

struct taco_audio_options {
    enum taco_audio_format format; /* default TACO_AUDIO_WAV */
    int sample_rate; /* of the output, 8000 to 48000 Hz; 0 (default): the input's; for
                        Opus and MP3 the next rate that they know; for mu-law and A-law
                        8000 */
    int bit_rate; /* bits a second: Opus 6000 to 256000; MP3 32000 to 320000 from 32 kHz,
                     8000 to 160000 from 16 kHz, 8000 to 64000 below; 0 (default): the
                     library's own; no effect on the other formats */
    bool stream;  /* the length is not known: bytes come as soon as they can, WAV and AU
                     get 0xFFFFFFFF sizes, FLAC's and MP3's headers know no length, AIFF
                     comes at the end; default false */
    const struct taco_cancel *cancel; /* asked for every block of samples; borrowed until
                                         the writer ends; NULL (default): never */
    /* Written at the head of Opus (comments CHAPTER000, CHAPTER000NAME, ...) and MP3 (ID3v2
       with the frames CHAP and CTOC); TACO_ERR_INVALID_ARGUMENT with other formats. Borrowed
       until the writer ends; NULL (default): none */
    const struct taco_audio_tags *tags;
    uint64_t reserved[TACO_RESERVED]; /* zeros (taco/status.h) */
};

TACO_API struct taco_audio_options taco_audio_options_default(void);

/* What taco_audio_writer_open says of the options, without opening anything. n_samples as
 * there. */
TACO_API TACO_MUST_CHECK enum taco_status
taco_audio_options_check(const struct taco_audio_options *options, int sample_rate,
                         uint64_t n_samples, struct taco_error *err);

/* Most bytes that samples of that rate become (request->answer). */
TACO_API struct taco_cost taco_audio_cost(const struct taco_audio_options *options,
                                          int sample_rate);

/* Called with encoded bytes [size] in order; nonzero stops the writer with
 * TACO_ERR_CANCELLED. */
typedef int (*taco_audio_sink)(void *user, const void *bytes, size_t size);

/* An encoder. One thread at a time. */
struct taco_audio_writer;

/* options NULL: defaults. n_samples: how many will be written (input rate), ignored with
 * options->stream. Without it headers are exact: WAV, PCM, Opus, mu-law and A-law come at
 * once, the others when the writer is finished.
 * TACO_ERR_INVALID_ARGUMENT: a rate or bit rate that the format does not have (the
 * message lists those it has); TACO_ERR_UNSUPPORTED: the library was built without the
 * format; TACO_ERR_NO_MEMORY. */
TACO_API TACO_MUST_CHECK enum taco_status
taco_audio_writer_open(struct taco_audio_writer **writer, int sample_rate,
                       uint64_t n_samples, const struct taco_audio_options *options,
                       taco_audio_sink sink, void *user, struct taco_error *err);

/* samples [n], mono, clipped to -1..1; NaN counts as 0. After a failure every call fails in
 * the same way. TACO_ERR_CANCELLED, _IO, _NO_MEMORY; TACO_ERR_INVALID_ARGUMENT:
 * more samples than were announced. */
TACO_API TACO_MUST_CHECK enum taco_status
taco_audio_writer_write(struct taco_audio_writer *writer, const float *samples, size_t n,
                        struct taco_error *err);

/* Flushes what is left and ends the writer, whatever it returns. NULL is allowed. As
 * above; TACO_ERR_INVALID_ARGUMENT: fewer samples than were announced. */
TACO_API TACO_MUST_CHECK enum taco_status
taco_audio_writer_finish(struct taco_audio_writer *writer, struct taco_error *err);

/* Ends the writer without flushing. NULL is allowed. */
TACO_API void taco_audio_writer_abort(struct taco_audio_writer *writer);

/* All at once: *bytes [*size] is freed by the caller with taco_free. Sizes in headers are
 * exact. The same samples give the same bytes. */
TACO_API TACO_MUST_CHECK enum taco_status
taco_audio_encode(const float *samples, size_t n, int sample_rate,
                  const struct taco_audio_options *options, void **bytes, size_t *size,
                  struct taco_error *err);

/* True if this build's libraries can write the format. */
TACO_API bool taco_audio_format_available(enum taco_audio_format format);
/* "wav", "flac", "opus", "mp3", "pcm", "ulaw", "alaw", "aiff", "au" and back;
 * TACO_ERR_INVALID_ARGUMENT lists those that are available. */
TACO_API const char *taco_audio_format_name(enum taco_audio_format format);
TACO_API TACO_MUST_CHECK enum taco_status
taco_audio_format_parse(const char *name, enum taco_audio_format *format,
                        struct taco_error *err);
/* The rate of the output: sample_rate, or where that is 0 the one that the format takes for
 * samples of input_rate. */
TACO_API int taco_audio_output_rate(enum taco_audio_format format, int input_rate,
                                    int sample_rate);
/* The media type of the bytes: "audio/wav", "audio/flac", "audio/ogg;codecs=opus",
 * "audio/mpeg", "audio/pcm;rate=16000;encoding=signed-int;bits=16", "audio/basic" for
 * mu-law at 8 kHz, ... Written to out [size]. */
TACO_API void taco_audio_media_type(enum taco_audio_format format, int sample_rate,
                                    char *out, size_t size);

#ifdef __cplusplus
}
#endif
#endif
