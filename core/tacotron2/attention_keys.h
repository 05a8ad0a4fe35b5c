/* Rows of a mechanism's table of settings (struct taco_attention_mechanism, keys). The
 * fields are those of struct taco_attention_params; models/FORMAT.md documents them. */
#ifndef TACO_TACOTRON2_ATTENTION_KEYS_H
#define TACO_TACOTRON2_ATTENTION_KEYS_H

#include <stddef.h>

#include "base/config.h"
#include "tacotron2/hparams.h"

#define TACO_PARAM(key, type, field, ...)                                                \
    {                                                                                    \
        .name = key, .kind = TACO_KEY_##type,                                            \
        .offset = offsetof(struct taco_attention_params, field), __VA_ARGS__             \
    }
#define TACO_RANGE(low, high) .min = low, .max = high
#define TACO_DEFAULT(x) .optional = true, .fallback = x
#define TACO_IF(predicate) .applies = predicate

/* Every table begins with "type" and ends with a row without a name. */
#define TACO_PARAM_TYPE                                                                  \
    { .name = "type", .read = taco_attention_read_type }
#define TACO_PARAM_END                                                                   \
    { .name = NULL }

#define TACO_PARAM_DIM TACO_PARAM("dim", INT, dim, TACO_RANGE(1, 8192))

/* The settings of energies with location features. */
#define TACO_PARAMS_LOCATION                                                             \
    TACO_PARAM("location_n_filters", INT, location_n_filters, TACO_RANGE(0, 1024)),      \
        TACO_PARAM("location_kernel_size", ODD, location_kernel_size,                    \
                   TACO_RANGE(1, 255), TACO_IF(taco_attention_has_filters)),             \
        {.name = "location_channels",                                                    \
         .read = taco_attention_read_channels,                                           \
         .applies = taco_attention_has_filters},                                         \
        TACO_PARAM("start", NAME, start, TACO_DEFAULT(TACO_START_ZEROS),                 \
                   .names = taco_attention_starts),                                      \
        TACO_PARAM("start_in_sum", BOOL, start_in_sum, TACO_DEFAULT(false))

#define TACO_PARAM_NORMALISER                                                            \
    TACO_PARAM("normaliser", NAME, normaliser, TACO_DEFAULT(TACO_NORMALISER_SOFTMAX),    \
               .names = taco_attention_normalisers)
#define TACO_PARAM_MEMORY_BIAS                                                           \
    TACO_PARAM("memory_bias", BOOL, memory_bias, TACO_DEFAULT(false))
#define TACO_PARAM_V_BIAS TACO_PARAM("v_bias", BOOL, v_bias, TACO_DEFAULT(false))

#define TACO_PARAM_QUERY_BIAS                                                            \
    TACO_PARAM("query_bias", BOOL, query_bias, TACO_DEFAULT(false))
#define TACO_PARAM_LOCAL_WIDTH                                                           \
    TACO_PARAM("local_width", INT, local_width, TACO_RANGE(1, 1000))
#define TACO_PARAM_SCALE                                                                 \
    TACO_PARAM("scale", REAL, scale, TACO_RANGE(0.001, 1000), TACO_DEFAULT(1))

#define TACO_PARAMS_WINDOW                                                               \
    TACO_PARAM("window", NAME, window, TACO_DEFAULT(TACO_WINDOW_NONE),                   \
               .names = taco_attention_windows),                                         \
        TACO_PARAM("window_back", INT, window_back, TACO_RANGE(0, 1000),                 \
                   TACO_IF(taco_attention_has_window)),                                  \
        TACO_PARAM("window_forward", INT, window_forward, TACO_RANGE(0, 1000),           \
                   TACO_IF(taco_attention_has_window))

/* Names of the enums of hparams.h, NULL-ended. */
extern const char *const taco_attention_normalisers[];
extern const char *const taco_attention_starts[];
extern const char *const taco_attention_windows[];

bool taco_attention_has_filters(const void *params);
bool taco_attention_has_window(const void *params);

/* "type" has been read before: it chose the table. */
enum taco_status taco_attention_read_type(const struct taco_config_reader *r,
                                          const struct taco_config_key *key,
                                          const json_t *value);
enum taco_status taco_attention_read_channels(const struct taco_config_reader *r,
                                              const struct taco_config_key *key,
                                              const json_t *value);

#endif
