/* taco/audio.h: names, rates, containers, streams, failures. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <taco/audio.h>

#include "base/memory.h"
#include "support/numbers.h"
#include "support/runner.h"
#include "support/sound.h"

enum { N_FORMATS = TACO_AUDIO_AU + 1 };

/* A sink that keeps everything, and stops at its n-th call when told to. */
struct kept {
    unsigned char *bytes;
    size_t size;
    int n_calls, stop_at;
};

static int keep(void *user, const void *bytes, size_t size) {
    struct kept *k = user;
    ck_assert_uint_gt(size, 0);
    if (++k->n_calls == k->stop_at)
        return 1;
    ck_assert_int_le(k->stop_at ? k->n_calls : 0,
                     k->stop_at); /* never again after a stop */
    k->bytes = realloc(k->bytes, k->size + size);
    ck_assert_ptr_nonnull(k->bytes);
    memcpy(k->bytes + k->size, bytes, size);
    k->size += size;
    return 0;
}

static uint32_t le(const unsigned char *bytes, int n) {
    uint32_t x = 0;
    for (int i = n - 1; i >= 0; i--)
        x = x << 8 | bytes[i];
    return x;
}

static struct taco_audio_options options_of(enum taco_audio_format format, int rate,
                                            bool stream) {
    struct taco_audio_options options = taco_audio_options_default();
    options.format = format;
    options.sample_rate = rate;
    options.stream = stream;
    return options;
}

/* Everything in portions of `portion` samples. */
static enum taco_status write_all(const float *samples, size_t n, int rate,
                                  const struct taco_audio_options *options,
                                  size_t portion, struct kept *kept,
                                  struct taco_error *err) {
    struct taco_audio_writer *writer;
    enum taco_status status =
        taco_audio_writer_open(&writer, rate, n, options, keep, kept, err);
    if (status != TACO_OK) {
        ck_assert_ptr_null(writer);
        return status;
    }
    for (size_t i = 0; i < n && status == TACO_OK; i += portion)
        status = taco_audio_writer_write(writer, samples + i,
                                         n - i < portion ? n - i : portion, err);
    enum taco_status finished = taco_audio_writer_finish(writer, err);
    return status == TACO_OK ? finished : status;
}

START_TEST(options_out_of_range_are_refused) {
    static const struct {
        enum taco_audio_format format;
        int in_rate, rate, bit_rate;
        const char *param, *says;
    } cases[] = {
        {(enum taco_audio_format)99, 16000, 0, 0, "format", "99"},
        {TACO_AUDIO_WAV, 0, 0, 0, "sample_rate", "1000 to 384000"},
        {TACO_AUDIO_WAV, -16000, 0, 0, "sample_rate", "-16000"},
        {TACO_AUDIO_WAV, 16000, 7999, 0, "sample_rate", "8000 to 48000"},
        {TACO_AUDIO_WAV, 16000, 48001, 0, "sample_rate", "8000 to 48000"},
        {TACO_AUDIO_WAV, 16000, -1, 0, "sample_rate", "-1"},
        {TACO_AUDIO_OPUS, 16000, 22050, 0, "sample_rate",
         "8000, 12000, 16000, 24000, 48000"},
        {TACO_AUDIO_MP3, 16000, 20000, 0, "sample_rate", "16000, 22050"},
        {TACO_AUDIO_OPUS, 16000, 0, 5999, "bit_rate", "6000 to 256000"},
        {TACO_AUDIO_OPUS, 16000, 0, 256001, "bit_rate", "6000 to 256000"},
        {TACO_AUDIO_MP3, 16000, 0, 192000, "bit_rate", "8000 to 160000"},
        {TACO_AUDIO_MP3, 44100, 0, 31999, "bit_rate", "32000 to 320000"},
        {TACO_AUDIO_MP3, 8000, 0, 65000, "bit_rate", "8000 to 64000"},
        {TACO_AUDIO_WAV, 16000, 0, -5, "bit_rate", "-5"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct taco_audio_options options =
            options_of(cases[i].format, cases[i].rate, false);
        struct taco_error err = TACO_ERROR_INIT;
        struct kept kept = {0};
        struct taco_audio_writer *writer = (void *)&kept;
        options.bit_rate = cases[i].bit_rate;
        ck_assert_int_eq(taco_audio_writer_open(&writer, cases[i].in_rate, 10, &options,
                                                keep, &kept, &err),
                         TACO_ERR_INVALID_ARGUMENT);
        ck_assert_ptr_null(writer);
        ck_assert_str_eq(err.param, cases[i].param);
        ck_assert_msg(strstr(err.message, cases[i].says) != NULL, "%s", err.message);
        ck_assert_int_eq(kept.n_calls, 0);
    }
    struct taco_error err = TACO_ERROR_INIT;
    struct taco_audio_writer *writer;
    ck_assert_int_eq(
        taco_audio_writer_open(&writer, 16000, UINT64_C(1) << 31, NULL, keep, NULL, &err),
        TACO_ERR_INVALID_ARGUMENT);
    ck_assert_str_eq(err.param, "n_samples");
    ck_assert_int_eq(taco_audio_writer_finish(NULL, NULL), TACO_OK);
    taco_audio_writer_abort(NULL);
}
END_TEST

START_TEST(names_go_both_ways) {
    enum taco_audio_format format;
    for (int i = 0; i < N_FORMATS; i++) {
        ck_assert_int_eq(
            taco_audio_format_parse(taco_audio_format_name((enum taco_audio_format)i),
                                    &format, NULL),
            TACO_OK);
        ck_assert_int_eq(format, i);
        ck_assert(taco_audio_format_available(format));
    }
    ck_assert_str_eq(taco_audio_format_name((enum taco_audio_format)99), "unknown");
    ck_assert(!taco_audio_format_available((enum taco_audio_format)99));
    static const char *const wrong[] = {"aac", "", "WAV", "wave", NULL};
    for (int i = 0; i < 5; i++) {
        struct taco_error err = TACO_ERROR_INIT;
        ck_assert_int_eq(taco_audio_format_parse(wrong[i], &format, &err),
                         TACO_ERR_INVALID_ARGUMENT);
        ck_assert_str_eq(err.param, "format");
        ck_assert_ptr_nonnull(
            strstr(err.message, "wav, flac, opus, mp3, pcm, ulaw, alaw, aiff, au"));
    }
}
END_TEST

START_TEST(media_types_name_the_bytes) {
    static const struct {
        enum taco_audio_format format;
        int rate;
        const char *type;
    } cases[] = {
        {TACO_AUDIO_WAV, 22050, "audio/wav"},
        {TACO_AUDIO_FLAC, 22050, "audio/flac"},
        {TACO_AUDIO_OPUS, 24000, "audio/ogg;codecs=opus"},
        {TACO_AUDIO_MP3, 22050, "audio/mpeg"},
        {TACO_AUDIO_PCM, 16000, "audio/pcm;rate=16000;encoding=signed-int;bits=16"},
        {TACO_AUDIO_ULAW, 8000, "audio/basic"},
        {TACO_AUDIO_ULAW, 16000, "audio/PCMU;rate=16000"},
        {TACO_AUDIO_ALAW, 8000, "audio/PCMA;rate=8000"},
        {TACO_AUDIO_AIFF, 8000, "audio/aiff"},
        {TACO_AUDIO_AU, 8000, "audio/basic"},
        {(enum taco_audio_format)99, 8000, "application/octet-stream"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char type[64], cut[8];
        taco_audio_media_type(cases[i].format, cases[i].rate, type, sizeof type);
        ck_assert_str_eq(type, cases[i].type);
        taco_audio_media_type(cases[i].format, cases[i].rate, cut, sizeof cut);
        ck_assert_int_eq(strncmp(cut, cases[i].type, 7), 0);
        ck_assert_uint_eq(strlen(cut), 7);
    }
}
END_TEST

START_TEST(the_output_rate_is_told_before_anything_is_written) {
    static const struct {
        enum taco_audio_format format;
        int input, asked, output;
    } cases[] = {
        {TACO_AUDIO_WAV, 22050, 0, 22050},      {TACO_AUDIO_WAV, 22050, 8000, 8000},
        {TACO_AUDIO_OPUS, 22050, 0, 24000},     {TACO_AUDIO_ULAW, 22050, 0, 8000},
        {TACO_AUDIO_ULAW, 22050, 16000, 16000},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        ck_assert_int_eq(
            taco_audio_output_rate(cases[i].format, cases[i].input, cases[i].asked),
            cases[i].output);
}
END_TEST

START_TEST(wav_headers_are_exact) {
    const size_t lengths[] = {0, 1, 2, 333, 4096, 4097, 10001};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        size_t n = lengths[i], size;
        float *samples = calloc(n + 1, sizeof *samples);
        void *bytes;
        ck_assert_int_eq(taco_audio_encode(samples, n, 22050, NULL, &bytes, &size, NULL),
                         TACO_OK);
        const unsigned char *b = bytes;
        ck_assert_uint_eq(size, 44 + 2 * n);
        ck_assert_mem_eq(b, "RIFF", 4);
        ck_assert_uint_eq(le(b + 4, 4), size - 8);
        ck_assert_mem_eq(b + 8, "WAVEfmt ", 8);
        ck_assert_uint_eq(le(b + 16, 4), 16);
        ck_assert_uint_eq(le(b + 20, 2), 1);
        ck_assert_uint_eq(le(b + 22, 2), 1);
        ck_assert_uint_eq(le(b + 24, 4), 22050);
        ck_assert_uint_eq(le(b + 28, 4), 44100);
        ck_assert_uint_eq(le(b + 32, 2), 2);
        ck_assert_uint_eq(le(b + 34, 2), 16);
        ck_assert_mem_eq(b + 36, "data", 4);
        ck_assert_uint_eq(le(b + 40, 4), 2 * n);
        free(bytes);
        free(samples);
    }
}
END_TEST

START_TEST(streamed_headers_do_not_promise_a_length) {
    const float samples[100] = {0.5f};
    struct taco_audio_options wav = options_of(TACO_AUDIO_WAV, 0, true);
    struct kept kept = {0};
    ck_assert_int_eq(write_all(samples, 100, 16000, &wav, 7, &kept, NULL), TACO_OK);
    ck_assert_uint_eq(kept.size, 244);
    ck_assert_uint_eq(le(kept.bytes + 4, 4), 0xFFFFFFFF);
    ck_assert_uint_eq(le(kept.bytes + 40, 4), 0xFFFFFFFF);
    ck_assert_uint_eq(le(kept.bytes + 44, 2), 16384);
    free(kept.bytes);
    struct taco_audio_options au = options_of(TACO_AUDIO_AU, 0, true);
    kept = (struct kept){0};
    ck_assert_int_eq(write_all(samples, 100, 16000, &au, 7, &kept, NULL), TACO_OK);
    ck_assert_uint_eq(kept.size, 224);
    ck_assert_mem_eq(kept.bytes, ".snd\0\0\0\x18\xff\xff\xff\xff", 12);
    free(kept.bytes);
}
END_TEST

START_TEST(loud_samples_are_clipped_not_wrapped) {
    const float samples[] = {1,     1.001f,    2,   1e30f,        INFINITY, -1,
                             -1.5f, -INFINITY, NAN, 0.5f / 32767, 0,        -0.25f};
    const int expected[] = {32767,  32767,  32767, 32767, 32767, -32767,
                            -32767, -32767, 0,     0,     0,     -8192};
    struct taco_audio_options options = options_of(TACO_AUDIO_PCM, 0, false);
    void *bytes;
    size_t size;
    ck_assert_int_eq(taco_audio_encode(samples, 12, 16000, &options, &bytes, &size, NULL),
                     TACO_OK);
    ck_assert_uint_eq(size, 24);
    for (int i = 0; i < 12; i++)
        ck_assert_int_eq((int16_t)le((unsigned char *)bytes + 2 * i, 2), expected[i]);
    free(bytes);
    /* Every other format takes them without harm, too. */
    for (int f = 0; f < N_FORMATS; f++) {
        options = options_of((enum taco_audio_format)f, 0, false);
        ck_assert_int_eq(
            taco_audio_encode(samples, 12, 16000, &options, &bytes, &size, NULL),
            TACO_OK);
        free(bytes);
    }
}
END_TEST

/* The output's rate, by the rules of the header. */
static int expected_rate(enum taco_audio_format format, int in_rate, int rate) {
    if (rate)
        return rate;
    if (format == TACO_AUDIO_ULAW || format == TACO_AUDIO_ALAW)
        return 8000;
    if (format == TACO_AUDIO_OPUS)
        return in_rate <= 8000    ? 8000
               : in_rate <= 16000 ? 16000
               : in_rate <= 24000 ? 24000
                                  : 48000;
    return in_rate;
}

/* Whole and streamed, any rates: the right length, and the sine that went in. */
START_TEST(what_is_written_can_be_read) {
    static const int in_rates[] = {8000, 16000, 22050, 44100};
    static const int rates[] = {0, 8000, 16000, 24000, 48000};
    enum taco_audio_format format = (enum taco_audio_format)(_i / 2);
    bool stream = _i % 2;
    for (int a = 0; a < 4; a++)
        for (int b = 0; b < 5; b++) {
            size_t n = 6000 + 1001 * (size_t)a, n_read;
            int rate = expected_rate(format, in_rates[a], rates[b]), read_rate;
            float *samples = malloc(n * sizeof *samples);
            test_sine(0.5f, 440, in_rates[a], samples, n);
            struct taco_audio_options options = options_of(format, rates[b], stream);
            struct kept kept = {0};
            ck_assert_int_eq(
                write_all(samples, n, in_rates[a], &options, 1237, &kept, NULL), TACO_OK);
            float *read =
                test_decode(kept.bytes, kept.size, format, rate, &n_read, &read_rate);
            ck_assert_msg(read != NULL, "%s, %d to %d Hz", taco_audio_format_name(format),
                          in_rates[a], rates[b]);
            /* libsndfile reads Opus at the rate that was encoded. */
            ck_assert_int_eq(read_rate, rate);
            size_t due =
                (n * (size_t)rate + (size_t)in_rates[a] / 2) / (size_t)in_rates[a];
            size_t slack = format == TACO_AUDIO_MP3 && stream ? 4000 : 0;
            ck_assert_msg(n_read >= due && n_read <= due + slack,
                          "%s, %d to %d Hz: %zu samples, not %zu",
                          taco_audio_format_name(format), in_rates[a], rates[b], n_read,
                          due);
            float *sine = malloc(due * sizeof *sine);
            test_sine(0.5f, 440, rate, sine, due);
            double snr = test_snr_db(read, n_read, sine, due, slack);
            double least = format == TACO_AUDIO_OPUS || format == TACO_AUDIO_MP3    ? 12
                           : format == TACO_AUDIO_ULAW || format == TACO_AUDIO_ALAW ? 30
                                                                                    : 45;
            ck_assert_msg(snr > least, "%s, %d to %d Hz: %g dB",
                          taco_audio_format_name(format), in_rates[a], rates[b], snr);
            free(sine);
            free(read);
            free(samples);
            free(kept.bytes);
        }
}
END_TEST

START_TEST(portions_do_not_matter) {
    size_t n = 12345;
    float *samples = malloc(n * sizeof *samples);
    uint64_t state = 5;
    test_random_fill(&state, 0.3f, samples, n);
    for (int f = 0; f < N_FORMATS; f++)
        for (int rate = 0; rate <= 24000; rate += 24000)
            for (int stream = 0; stream < 2; stream++) {
                struct taco_audio_options options =
                    options_of((enum taco_audio_format)f, rate, stream);
                struct kept whole = {0}, parts = {0};
                ck_assert_int_eq(write_all(samples, n, 16000, &options, n, &whole, NULL),
                                 TACO_OK);
                ck_assert_int_eq(write_all(samples, n, 16000, &options, 61, &parts, NULL),
                                 TACO_OK);
                ck_assert_uint_eq(whole.size, parts.size);
                ck_assert_mem_eq(whole.bytes, parts.bytes, whole.size);
                free(whole.bytes);
                free(parts.bytes);
            }
    free(samples);
}
END_TEST

START_TEST(no_samples_make_an_empty_file) {
    for (int f = 0; f < N_FORMATS; f++)
        for (int rate = 0; rate <= 48000; rate += 48000) {
            enum taco_audio_format format = (enum taco_audio_format)f;
            struct taco_audio_options options = options_of(format, rate, false);
            void *bytes;
            size_t size, n;
            int read_rate;
            ck_assert_int_eq(
                taco_audio_encode(NULL, 0, 22050, &options, &bytes, &size, NULL),
                TACO_OK);
            ck_assert_ptr_nonnull(bytes);
            bool headerless = format == TACO_AUDIO_PCM || format == TACO_AUDIO_ULAW ||
                              format == TACO_AUDIO_ALAW;
            ck_assert(headerless ? size == 0 : true);
            float *read = headerless
                              ? NULL
                              : test_decode(bytes, size, format, 8000, &n, &read_rate);
            if (format == TACO_AUDIO_WAV || format == TACO_AUDIO_AIFF ||
                format == TACO_AUDIO_AU)
                ck_assert_ptr_nonnull(read);
            if (read)
                ck_assert_uint_eq(n, 0);
            free(read);
            free(bytes);
        }
}
END_TEST

START_TEST(streams_come_while_they_are_written) {
    size_t n = 48000;
    float *samples = malloc(n * sizeof *samples);
    test_sine(0.3f, 300, 16000, samples, n);
    for (int f = 0; f < N_FORMATS; f++) {
        struct taco_audio_options options =
            options_of((enum taco_audio_format)f, 0, true);
        struct taco_audio_writer *writer;
        struct kept kept = {0};
        ck_assert_int_eq(
            taco_audio_writer_open(&writer, 16000, 0, &options, keep, &kept, NULL),
            TACO_OK);
        size_t half = 0;
        for (size_t i = 0; i < n; i += 800) {
            ck_assert_int_eq(taco_audio_writer_write(writer, samples + i, 800, NULL),
                             TACO_OK);
            if (i == n / 2)
                half = kept.size;
        }
        ck_assert_int_eq(taco_audio_writer_finish(writer, NULL), TACO_OK);
        if (f == TACO_AUDIO_AIFF)
            ck_assert_uint_eq(half, 0);
        else
            ck_assert_msg(half > kept.size / 3, "%s: %zu of %zu bytes at half the time",
                          taco_audio_format_name(options.format), half, kept.size);
        free(kept.bytes);
    }
    free(samples);
}
END_TEST

START_TEST(bit_rates_are_kept) {
    static const struct {
        enum taco_audio_format format;
        int rate, bit_rate;
    } cases[] = {
        {TACO_AUDIO_MP3, 44100, 32000},  {TACO_AUDIO_MP3, 44100, 128000},
        {TACO_AUDIO_MP3, 44100, 320000}, {TACO_AUDIO_MP3, 22050, 48000},
        {TACO_AUDIO_MP3, 22050, 160000}, {TACO_AUDIO_MP3, 8000, 8000},
        {TACO_AUDIO_MP3, 8000, 64000},   {TACO_AUDIO_OPUS, 24000, 16000},
        {TACO_AUDIO_OPUS, 48000, 64000},
    };
    enum { SECONDS = 6 };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t n = SECONDS * (size_t)cases[i].rate, size;
        float *samples = malloc(n * sizeof *samples);
        uint64_t state = 9;
        void *bytes;
        test_random_fill(&state, 0.2f, samples, n);
        struct taco_audio_options options = options_of(cases[i].format, 0, false);
        options.bit_rate = cases[i].bit_rate;
        ck_assert_int_eq(
            taco_audio_encode(samples, n, cases[i].rate, &options, &bytes, &size, NULL),
            TACO_OK);
        double got = 8.0 * (double)size / SECONDS;
        /* Opus varies its rate about the one that is asked for. */
        double slack = cases[i].format == TACO_AUDIO_OPUS ? 0.35 : 0.05;
        ck_assert_msg(fabs(got / cases[i].bit_rate - 1) < slack,
                      "%s at %d Hz: %g, not %d", taco_audio_format_name(cases[i].format),
                      cases[i].rate, got, cases[i].bit_rate);
        free(bytes);
        free(samples);
    }
}
END_TEST

START_TEST(announced_lengths_are_held) {
    const float samples[64] = {0};
    for (int f = 0; f < N_FORMATS; f++) {
        struct taco_audio_options options =
            options_of((enum taco_audio_format)f, 0, false);
        struct taco_error err = TACO_ERROR_INIT;
        struct taco_audio_writer *writer;
        struct kept kept = {0};
        ck_assert_int_eq(
            taco_audio_writer_open(&writer, 16000, 50, &options, keep, &kept, NULL),
            TACO_OK);
        ck_assert_int_eq(taco_audio_writer_write(writer, samples, 49, &err), TACO_OK);
        ck_assert_int_eq(taco_audio_writer_write(writer, samples, 2, &err),
                         TACO_ERR_INVALID_ARGUMENT);
        ck_assert_str_eq(err.param, "n_samples");
        ck_assert_int_eq(taco_audio_writer_finish(writer, NULL),
                         TACO_ERR_INVALID_ARGUMENT);
        err = (struct taco_error)TACO_ERROR_INIT;
        ck_assert_int_eq(
            taco_audio_writer_open(&writer, 16000, 50, &options, keep, &kept, NULL),
            TACO_OK);
        ck_assert_int_eq(taco_audio_writer_write(writer, samples, 49, NULL), TACO_OK);
        ck_assert_int_eq(taco_audio_writer_finish(writer, &err),
                         TACO_ERR_INVALID_ARGUMENT);
        ck_assert_ptr_nonnull(strstr(err.message, "50"));
        free(kept.bytes);
    }
}
END_TEST

START_TEST(a_receiver_that_stops_ends_the_writer) {
    size_t n = 40000;
    float *samples = malloc(n * sizeof *samples);
    uint64_t state = 6;
    test_random_fill(&state, 0.3f, samples, n);
    for (int f = 0; f < N_FORMATS; f++)
        for (int stream = 0; stream < 2; stream++) {
            struct taco_audio_options options =
                options_of((enum taco_audio_format)f, 0, stream);
            struct kept all = {0};
            ck_assert_int_eq(write_all(samples, n, 16000, &options, 999, &all, NULL),
                             TACO_OK);
            free(all.bytes);
            for (int at = 1; at <= all.n_calls; at += 1 + all.n_calls / 7) {
                struct kept kept = {.stop_at = at};
                struct taco_error err = TACO_ERROR_INIT;
                ck_assert_int_eq(write_all(samples, n, 16000, &options, 999, &kept, &err),
                                 TACO_ERR_CANCELLED);
                ck_assert_int_eq(err.status, TACO_ERR_CANCELLED);
                ck_assert_int_eq(kept.n_calls, at);
                free(kept.bytes);
            }
        }
    free(samples);
}
END_TEST

START_TEST(writers_can_be_aborted) {
    const float samples[5000] = {0.1f};
    for (int f = 0; f < N_FORMATS; f++)
        for (int rate = 0; rate <= 24000; rate += 24000) {
            struct taco_audio_options options =
                options_of((enum taco_audio_format)f, rate, true);
            struct taco_audio_writer *writer;
            struct kept kept = {0};
            ck_assert_int_eq(
                taco_audio_writer_open(&writer, 16000, 0, &options, keep, &kept, NULL),
                TACO_OK);
            ck_assert_int_eq(taco_audio_writer_write(writer, samples, 5000, NULL),
                             TACO_OK);
            int n_calls = kept.n_calls;
            taco_audio_writer_abort(writer);
            ck_assert_int_eq(kept.n_calls, n_calls);
            free(kept.bytes);
        }
}
END_TEST

START_TEST(every_failed_allocation_is_told) {
    const float samples[9000] = {0.1f};
    for (int f = 0; f < N_FORMATS; f++)
        for (int rate = 0; rate <= 24000; rate += 24000) {
            struct taco_audio_options options =
                options_of((enum taco_audio_format)f, rate, false);
            enum taco_status status = TACO_ERR_NO_MEMORY;
            for (long at = 1; status != TACO_OK; at++) {
                struct taco_error err = TACO_ERROR_INIT;
                void *bytes;
                size_t size;
                taco_memory_fail_at(at);
                status = taco_audio_encode(samples, 9000, 16000, &options, &bytes, &size,
                                           &err);
                taco_memory_fail_at(0);
                ck_assert_int_lt(at, 200);
                ck_assert_int_eq(err.status, status);
                if (status != TACO_OK) {
                    ck_assert_int_eq(status, TACO_ERR_NO_MEMORY);
                    ck_assert_ptr_null(bytes);
                } else {
                    ck_assert_int_gt(at, 1);
                    free(bytes);
                }
            }
        }
}
END_TEST

int main(void) {
    Suite *suite = suite_create("audio");
    TCase *options = tcase_create("options");
    tcase_add_test(options, options_out_of_range_are_refused);
    tcase_add_test(options, names_go_both_ways);
    tcase_add_test(options, media_types_name_the_bytes);
    tcase_add_test(options, the_output_rate_is_told_before_anything_is_written);
    suite_add_tcase(suite, options);
    TCase *bytes = tcase_create("bytes");
    tcase_set_timeout(bytes, 120);
    tcase_add_test(bytes, wav_headers_are_exact);
    tcase_add_test(bytes, streamed_headers_do_not_promise_a_length);
    tcase_add_test(bytes, loud_samples_are_clipped_not_wrapped);
    tcase_add_loop_test(bytes, what_is_written_can_be_read, 0, 2 * N_FORMATS);
    tcase_add_test(bytes, portions_do_not_matter);
    tcase_add_test(bytes, no_samples_make_an_empty_file);
    tcase_add_test(bytes, streams_come_while_they_are_written);
    tcase_add_test(bytes, bit_rates_are_kept);
    suite_add_tcase(suite, bytes);
    TCase *failures = tcase_create("failures");
    tcase_set_timeout(failures, 120);
    tcase_add_test(failures, announced_lengths_are_held);
    tcase_add_test(failures, a_receiver_that_stops_ends_the_writer);
    tcase_add_test(failures, writers_can_be_aborted);
    tcase_add_test(failures, every_failed_allocation_is_told);
    suite_add_tcase(suite, failures);
    return test_run(suite);
}
