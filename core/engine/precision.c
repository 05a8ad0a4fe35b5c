/* Names of the decoder's precisions. */
#include "base/error.h"
#include <string.h>
#include <taco/voice.h>

static const char *const names[] = {
    [TACO_PRECISION_AUTO] = "auto",
    [TACO_PRECISION_F32] = "f32",
    [TACO_PRECISION_BF16] = "bf16",
    [TACO_PRECISION_INT8] = "int8",
};

const char *taco_precision_name(enum taco_precision precision) {
    size_t i = (size_t)precision;
    return i < sizeof names / sizeof *names ? names[i] : "unknown";
}

enum taco_status taco_precision_parse(const char *name, enum taco_precision *precision,
                                      struct taco_error *err) {
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(name, names[i]) == 0) {
            *precision = (enum taco_precision)i;
            return TACO_OK;
        }
    }
    return taco_error_set(err, TACO_ERR_INVALID_ARGUMENT, "precision",
                          "precision must be auto, f32, bf16 or int8, not \"%.40s\"",
                          name);
}
