#include "speech/budget.h"

#include "base/error.h"
#include "config/options.h"

/* Samples of the result are floats, as large as those of any format. */
static uint64_t bytes_of(const struct taco_result *result,
                         const struct taco_audio_options *options) {
    uint64_t bytes = taco_result_bytes(result);
    int own = taco_voice_info(result->voice)->sample_rate, rate = own;
    if (options)
        rate = taco_audio_output_rate(options->format, own, options->sample_rate);
    return rate > own ? bytes * (((uint64_t)rate + (uint64_t)own - 1) / (uint64_t)own)
                      : bytes;
}

int taco_budget_take(struct taco_exchange *x, const struct taco_result *result,
                     const struct taco_audio_options *options, struct taco_error *err) {
    atomic_ullong *taken = &x->server->budget;
    unsigned long long bytes = bytes_of(result, options),
                       most = x->server->options->keep_bytes;
    unsigned long long before = atomic_load(taken);
    do {
        if (before > 0 && (bytes > most || before > most - bytes))
            return taco_error_set(
                err, TACO_ERR_BUSY, NULL,
                "too many answers wait for their clients: try again later");
    } while (!atomic_compare_exchange_weak(taken, &before, before + bytes));
    x->budget = bytes;
    return 0;
}

void taco_budget_return(struct taco_exchange *x) {
    atomic_fetch_sub(&x->server->budget, x->budget);
    x->budget = 0;
}
