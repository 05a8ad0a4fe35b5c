#include "support/sound.h"

#include <math.h>
#include <sndfile.h>
#include <stdlib.h>
#include <string.h>

struct memory {
    const unsigned char *bytes;
    sf_count_t size, position;
};

static sf_count_t get_length(void *user) {
    const struct memory *m = user;
    return m->size;
}

static sf_count_t get_position(void *user) {
    const struct memory *m = user;
    return m->position;
}

static sf_count_t set_position(sf_count_t offset, int whence, void *user) {
    struct memory *m = user;
    sf_count_t base = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? m->position : m->size;
    m->position = base + offset;
    return m->position;
}

static sf_count_t read_bytes(void *out, sf_count_t n, void *user) {
    struct memory *m = user;
    sf_count_t left = m->position < m->size ? m->size - m->position : 0;
    n = n < left ? n : left;
    if (n > 0)
        memcpy(out, m->bytes + m->position, (size_t)n);
    m->position += n;
    return n;
}

static sf_count_t write_bytes(const void *bytes, sf_count_t n, void *user) {
    (void)bytes;
    (void)n;
    (void)user;
    return 0;
}

float *test_decode(const void *bytes, size_t size, enum taco_audio_format format,
                   int raw_rate, size_t *n, int *rate) {
    struct memory memory = {bytes, (sf_count_t)size, 0};
    SF_VIRTUAL_IO io = {get_length, set_position, read_bytes, write_bytes, get_position};
    SF_INFO info = {0};
    if (format == TACO_AUDIO_PCM || format == TACO_AUDIO_ULAW ||
        format == TACO_AUDIO_ALAW) {
        int subtype = format == TACO_AUDIO_PCM    ? SF_FORMAT_PCM_16 | SF_ENDIAN_LITTLE
                      : format == TACO_AUDIO_ULAW ? SF_FORMAT_ULAW
                                                  : SF_FORMAT_ALAW;
        info = (SF_INFO){
            .samplerate = raw_rate, .channels = 1, .format = SF_FORMAT_RAW | subtype};
    }
    SNDFILE *file = sf_open_virtual(&io, SFM_READ, &info, &memory);
    if (!file || info.channels != 1) {
        if (file)
            sf_close(file);
        return NULL;
    }
    size_t room = 4096, used = 0;
    float *out = malloc(room * sizeof *out);
    for (sf_count_t got = 1; out && got > 0; used += (size_t)got) {
        if (used == room) {
            room *= 2;
            float *more = realloc(out, room * sizeof *out);
            if (!more)
                free(out);
            out = more;
            if (!out)
                break;
        }
        got = sf_read_float(file, out + used, (sf_count_t)(room - used));
    }
    sf_close(file);
    *n = used;
    *rate = info.samplerate;
    return out;
}

void test_sine(float amplitude, double frequency, int rate, float *out, size_t n) {
    size_t fade = n / 8 + 1;
    for (size_t i = 0; i < n; i++) {
        size_t edge = i < n - 1 - i ? i : n - 1 - i;
        double gain = edge < fade ? (double)edge / (double)fade : 1;
        out[i] = (float)(amplitude * gain * sin(2 * M_PI * frequency * (double)i / rate));
    }
}

double test_snr_db(const float *a, size_t n_a, const float *b, size_t n_b,
                   size_t max_delay) {
    double best = -1000;
    for (size_t delay = 0; delay <= max_delay && delay < n_a; delay++) {
        size_t n = n_a - delay < n_b ? n_a - delay : n_b;
        double aa = 0, ab = 0, bb = 0;
        for (size_t i = 0; i < n; i++) {
            aa += (double)a[delay + i] * a[delay + i];
            ab += (double)a[delay + i] * b[i];
            bb += (double)b[i] * b[i];
        }
        double gain = bb > 0 ? ab / bb : 0, error = aa - gain * ab;
        double snr = 10 * log10((gain * gain * bb + 1e-30) / (fabs(error) + 1e-30));
        best = snr > best ? snr : best;
    }
    return best;
}
