/* The lines of the log on standard error: text, or JSON with an object a line. */
#ifndef TACO_SERVER_LOG_LINES_H
#define TACO_SERVER_LOG_LINES_H

#include <jansson.h>
#include <stdbool.h>

#include "base/log.h"

struct taco_options;

/* From now on taco_log writes such lines, as log_format and log_level say. The options must
 * outlive the last of them. */
void taco_log_lines_start(const struct taco_options *options);

/* Whether --log-level lets lines of that level through. */
bool taco_log_lines_wanted(const struct taco_options *options, enum taco_log_level level);

/* Writes a line of any length, without waiting: a line for which standard error has no room is
 * dropped, and a later line says how many were. It has, as text the message (printable, without its end), as JSON the
 * time, the level, the message and the members of fields (NULL: none). Takes ownership of
 * fields. Thread-safe; lines stay whole. What there is no memory for is left out. */
void taco_log_lines_write(const struct taco_options *options, enum taco_log_level level,
                          const char *message, json_t *fields);

#endif
