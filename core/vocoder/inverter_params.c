/* Reads the object "inverter" (models/FORMAT.md). */
#include "vocoder/inverter.h"

#include <stddef.h>
#include <string.h>

#include "base/config.h"

#define ROW(key, type, field, lo, hi)                                                    \
    {                                                                                    \
        .name = key, .kind = TACO_KEY_##type,                                            \
        .offset = offsetof(struct taco_inverter_params, field), .min = lo, .max = hi     \
    }

static const struct taco_config_key keys[] = {
    ROW("n_convolutions", INT, n_convolutions, 1, TACO_INVERTER_MOST_CONVOLUTIONS),
    ROW("kernel_size", ODD, kernel_size, 1, 15),
    ROW("channels", INT, channels, 1, 4096),
    ROW("offset", REAL, offset, -100, 100),
    ROW("gain", REAL, gain, 1e-3, 1e3),
    {.name = NULL},
};

enum taco_status taco_inverter_params_parse(struct taco_inverter_params *params,
                                            const json_t *inverter,
                                            struct taco_error *err) {
    memset(params, 0, sizeof *params);
    const struct taco_config_reader reader = {params, "inverter", "", err};
    return taco_config_read(&reader, keys, inverter);
}
