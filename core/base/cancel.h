/* Asking the caller of a long call whether the work is still wanted (taco/status.h). */
#ifndef TACO_BASE_CANCEL_H
#define TACO_BASE_CANCEL_H

#include <stdbool.h>
#include <taco/status.h>

/* cancel NULL: never. */
static inline bool taco_is_cancelled(const struct taco_cancel *cancel) {
    return cancel && cancel->check(cancel->user) != 0;
}

#endif
