/* Log lines of the library and the daemon: one sink for the process, set before threads.
 */
#ifndef TACO_BASE_LOG_H
#define TACO_BASE_LOG_H

#include <taco/status.h>

enum taco_log_level { TACO_LOG_ERROR, TACO_LOG_WARNING, TACO_LOG_INFO, TACO_LOG_DEBUG };

typedef void (*taco_log_sink)(void *user, enum taco_log_level level, const char *line);

/* NULL: lines go nowhere (the default: a library is silent). */
void taco_log_set(taco_log_sink sink, void *user, enum taco_log_level level);

/* One line without its end, printable UTF-8 whatever it quotes; cut at 1 KiB. Thread-safe. */
void taco_log(enum taco_log_level level, const char *format, ...) TACO_PRINTF(2, 3);

#endif
