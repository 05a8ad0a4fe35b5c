/* The fields of a request as flags of the command line. */
#ifndef TACO_SERVER_FIELD_FLAGS_H
#define TACO_SERVER_FIELD_FLAGS_H

#include "config/options.h"
#include "speech/fields.h"

struct taco_field_flags {
    struct taco_speech *speech; /* what the flags set; NULL: they are only listed */
    unsigned use;               /* enum taco_field_use: TACO_FIELD_SAY, _BATCH or _SHOW */
};

/* The flags; they refer to fields, which must outlive them. */
struct taco_more_flags taco_field_flags(struct taco_field_flags *fields);

#endif
