/* Which symbols a front end makes: what its operation `symbols` tells. */
#ifndef TACO_TEXT_COVERAGE_H
#define TACO_TEXT_COVERAGE_H

#include "text/settings.h"
#include "text/vector.h"

enum taco_made { TACO_MADE_NEVER, TACO_MADE_BY_HAND, TACO_MADE_BY_ITSELF };

struct taco_coverage {
    const struct taco_front_end *front_end;
    unsigned char *made;        /* [n_symbols] enum taco_made */
    struct taco_string missing; /* names that the table lacks, blanks between */
    uint32_t n_missing;
    bool no_memory;
};

/* The front end makes the symbol; TACO_NO_SYMBOL is passed over. */
void taco_coverage_make(struct taco_coverage *c, int32_t id, enum taco_made how);
/* The front end makes name [n], which the table lacks. */
void taco_coverage_miss(struct taco_coverage *c, const char *name, size_t n);
/* All phones: by itself, or only where a text has them in braces. */
void taco_coverage_phones(struct taco_coverage *c, enum taco_made how);

#endif
