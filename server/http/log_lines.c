#include "http/log_lines.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/memory.h"
#include "config/options.h"
#include "http/log_pipe.h"

static const char *const level_names[] = {"error", "warning", "info", "debug"};

static enum taco_log_level level_of(const char *name) {
    enum taco_log_level level = TACO_LOG_ERROR;
    while (level < TACO_LOG_DEBUG && strcmp(level_names[level], name) != 0)
        level++;
    return level;
}

bool taco_log_lines_wanted(const struct taco_options *options,
                           enum taco_log_level level) {
    return level <= level_of(options->log_level);
}

/* RFC 3339, UTC, with milliseconds. */
static void write_time(char *out, size_t size) {
    struct timespec now;
    struct tm utc;
    char seconds[32];
    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &utc);
    strftime(seconds, sizeof seconds, "%Y-%m-%dT%H:%M:%S", &utc);
    snprintf(out, size, "%s.%03ldZ", seconds, now.tv_nsec / 1000000);
}

static bool format_json(struct taco_bytes *line, const char *time,
                        enum taco_log_level level, const char *message, json_t *fields) {
    json_t *root = json_pack("{s:s, s:s, s:s}", "time", time, "level", level_names[level],
                             "message", message);
    if (root && fields)
        json_object_update(root, fields);
    char *text = root ? json_dumps(root, JSON_COMPACT | JSON_REAL_PRECISION(9)) : NULL;
    json_decref(root);
    bool ok =
        text && taco_bytes_add(line, text, strlen(text)) && taco_bytes_add(line, "\n", 1);
    taco_free(text); /* Jansson takes its memory from taco_malloc */
    return ok;
}

static bool format(struct taco_bytes *line, const struct taco_options *options,
                   enum taco_log_level level, const char *message, json_t *fields) {
    char time[48];
    write_time(time, sizeof time);
    return strcmp(options->log_format, "json") == 0
               ? format_json(line, time, level, message, fields)
               : taco_bytes_printf(line, "%s %s ", time, level_names[level]) &&
                     taco_bytes_add(line, message, strlen(message)) &&
                     taco_bytes_add(line, "\n", 1);
}

/* Lines that found no room since the last one that did. Threads write at the same time. */
static pthread_mutex_t pipe_lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned long long n_dropped;

/* With the lock held. */
static bool report_dropped(const struct taco_options *options) {
    char message[64];
    struct taco_bytes line = {NULL, 0, 0};
    if (!n_dropped)
        return true;
    snprintf(message, sizeof message, "%llu lines of the log were dropped", n_dropped);
    bool ok = format(&line, options, TACO_LOG_WARNING, message, NULL) &&
              taco_log_pipe_write(STDERR_FILENO, line.bytes, line.size);
    taco_bytes_free(&line);
    if (ok)
        n_dropped = 0;
    return ok;
}

void taco_log_lines_write(const struct taco_options *options, enum taco_log_level level,
                          const char *message, json_t *fields) {
    struct taco_bytes line = {NULL, 0, 0};
    if (format(&line, options, level, message, fields)) {
        pthread_mutex_lock(&pipe_lock);
        if (!report_dropped(options) ||
            !taco_log_pipe_write(STDERR_FILENO, line.bytes, line.size))
            n_dropped++;
        pthread_mutex_unlock(&pipe_lock);
    }
    taco_bytes_free(&line);
    json_decref(fields);
}

static void write_log(void *user, enum taco_log_level level, const char *line) {
    taco_log_lines_write(user, level, line, NULL);
}

void taco_log_lines_start(const struct taco_options *options) {
    /* taco_log hands it back as it is; nobody writes to it. */
    taco_log_set(write_log, (void *)(uintptr_t)options, level_of(options->log_level));
}
