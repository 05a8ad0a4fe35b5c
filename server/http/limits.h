/* Limits that are no options. */
#ifndef TACO_SERVER_LIMITS_H
#define TACO_SERVER_LIMITS_H

#define TACO_MAX_URI ((size_t)16384)     /* bytes of a request's path and query */
#define TACO_MAX_HEADERS ((size_t)16384) /* bytes of a request's headers together */

#endif
