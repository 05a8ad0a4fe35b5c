/* A request's options: defaults, ranges, names. */
#include "base/error.h"
#include "text/front_end.h"
#include <math.h>
#include <string.h>
#include <taco/request.h>
#include <taco/result.h>

struct taco_vocoder_options taco_vocoder_options_default(void) {
    return (struct taco_vocoder_options){
        .phase = TACO_PHASE_PGHI, .n_iter = 16, .momentum = 0.99f, .power = 1.0f};
}

struct taco_request taco_request_default(void) {
    return (struct taco_request){.temperature = 1.0f,
                                 .speed = 1.0f,
                                 .volume = 1.0f,
                                 .max_attempts = 1,
                                 .text_options = taco_text_options_default(),
                                 .vocoder = taco_vocoder_options_default()};
}

/* One option's value and the range it must lie in; NaN lies in none. */
struct range {
    const char *name;
    double value, low, high;
    bool zero; /* 0 is allowed besides */
};

static enum taco_status check_range(const struct range *r, struct taco_error *err) {
    if ((r->value >= r->low && r->value <= r->high) || (r->zero && r->value == 0))
        return TACO_OK;
    return taco_error_set(err, TACO_ERR_INVALID_ARGUMENT, r->name,
                          "%s must be from %.10g to %.10g%s, not %.10g", r->name, r->low,
                          r->high, r->zero ? ", or 0" : "", r->value);
}

enum taco_status taco_request_check(const struct taco_request *request,
                                    struct taco_error *err) {
    const struct taco_vocoder_options *vocoder = &request->vocoder;
    /* A float literal such as 0.01f lies a little beside 0.01: the bounds of float
       options are floats too. */
    const struct range ranges[] = {
        {"speaker", request->speaker, 0, 65535, false},
        {"speed", (double)request->speed, 0.25, 4, false},
        {"volume", (double)request->volume, 0, 4, false},
        {"gate_threshold", (double)request->gate_threshold, (double)0.01f,
         (double)0.99999f, true},
        {"max_frames", request->max_frames, 1, 20000, true},
        {"max_attempts", request->max_attempts, 1, TACO_MAX_ATTEMPTS, false},
        {"first_chunk", request->first_chunk, 0, 1e9, false},
        {"max_audio", request->max_audio, 0, 1e9, false},
        {"timeout", request->timeout, 0, 1e6, false},
        {"answer", request->answer.per_second, 0, 1e9, false},
        {"answer", request->answer.per_symbol, 0, 1e9, false},
        {"answer", request->answer.per_weight, 0, 1e9, false},
        {"phase", vocoder->phase, TACO_PHASE_PGHI, TACO_PHASE_RANDOM, false},
        {"n_iter", vocoder->n_iter, 0, 1000, false},
        {"momentum", (double)vocoder->momentum, 0, 1, false},
        {"power", (double)vocoder->power, 0.5, 3, false},
        {"attention", request->attention, 0, 65535, false},
        {"temperature", (double)request->temperature, (double)0.05f, 20, false},
        {"window_back", request->window_back, 0, 1000, false},
        {"window_forward", request->window_forward, 1, 1000, true},
    };
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        enum taco_status status = check_range(&ranges[i], err);
        if (status != TACO_OK)
            return status;
    }
    /* JSON's and JavaScript's numbers hold integers up to 2^53 - 1 exactly. */
    if (request->has_seed && request->seed > TACO_SEED_MAX)
        return taco_error_set(err, TACO_ERR_INVALID_ARGUMENT, "seed",
                              "seed must be from 0 to %llu",
                              (unsigned long long)TACO_SEED_MAX);
    enum taco_status status = taco_reserved_check(request->reserved, err);
    if (status == TACO_OK)
        status = taco_reserved_check(vocoder->reserved, err);
    return status == TACO_OK ? taco_text_options_check(&request->text_options, err)
                             : status;
}

static const char *const phase_names[] = {
    [TACO_PHASE_PGHI] = "pghi",
    [TACO_PHASE_RANDOM] = "random",
};

const char *taco_phase_name(enum taco_phase phase) {
    size_t i = (size_t)phase;
    return i < sizeof phase_names / sizeof *phase_names ? phase_names[i] : "unknown";
}

enum taco_status taco_phase_parse(const char *name, enum taco_phase *phase,
                                  struct taco_error *err) {
    for (size_t i = 0; i < sizeof phase_names / sizeof *phase_names; i++) {
        if (strcmp(name, phase_names[i]) == 0) {
            *phase = (enum taco_phase)i;
            return TACO_OK;
        }
    }
    return taco_error_set(err, TACO_ERR_INVALID_ARGUMENT, "phase",
                          "phase must be pghi or random, not \"%.40s\"", name);
}
