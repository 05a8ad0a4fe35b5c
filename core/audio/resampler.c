#include "audio/resampler.h"

#include <soxr.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

struct taco_resampler {
    soxr_t soxr;
    int in_rate, out_rate;
    uint64_t n_in, n_out;
};

enum taco_status taco_resampler_create(struct taco_resampler **out, int in_rate,
                                       int out_rate, struct taco_error *err) {
    struct taco_resampler *r = taco_calloc(1, sizeof *r);
    soxr_error_t failed = NULL;
    *out = NULL;
    if (r) {
        soxr_io_spec_t io = soxr_io_spec(SOXR_FLOAT32_I, SOXR_FLOAT32_I);
        soxr_quality_spec_t quality = soxr_quality_spec(SOXR_HQ, 0);
        soxr_runtime_spec_t runtime = soxr_runtime_spec(1);
        r->in_rate = in_rate;
        r->out_rate = out_rate;
        r->soxr = soxr_create(in_rate, out_rate, 1, &failed, &io, &quality, &runtime);
    }
    if (!r || !r->soxr || failed) {
        taco_resampler_destroy(r);
        return taco_error_set(err, TACO_ERR_NO_MEMORY, NULL,
                              "no memory for resampling from %d to %d Hz", in_rate,
                              out_rate);
    }
    *out = r;
    return TACO_OK;
}

void taco_resampler_destroy(struct taco_resampler *r) {
    if (!r)
        return;
    if (r->soxr)
        soxr_delete(r->soxr);
    taco_free(r);
}

uint64_t taco_resampled(uint64_t n, int in_rate, int out_rate) {
    uint64_t in = (uint64_t)in_rate, out = (uint64_t)out_rate;
    return n / in * out + (n % in * out + in / 2) / in;
}

enum taco_status taco_resampler_run(struct taco_resampler *r, const float *in, size_t n,
                                    size_t *taken, float *out, size_t room,
                                    size_t *made) {
    *taken = *made = 0;
    if (!in) { /* what the filter still holds, and not a sample more or less than is due
                */
        uint64_t due = taco_resampled(r->n_in, r->in_rate, r->out_rate) - r->n_out;
        room = due < room ? (size_t)due : room;
        if (room == 0)
            return TACO_OK;
    }
    if (soxr_process(r->soxr, in, n, taken, out, room, made))
        return TACO_ERR_NO_MEMORY;
    if (!in && *made < room) {
        memset(out + *made, 0, (room - *made) * sizeof *out);
        *made = room;
    }
    r->n_in += *taken;
    r->n_out += *made;
    return TACO_OK;
}
