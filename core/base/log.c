#include "base/log.h"
#include "base/printable.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>

/* Written by taco_log_set before there are threads, then only read. */
static taco_log_sink log_sink;
static void *log_user;
static enum taco_log_level log_level;

/* Lines reach the sink one at a time, so that it needs no lock of its own. */
static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;

void taco_log_set(taco_log_sink sink, void *user, enum taco_log_level level) {
    pthread_mutex_lock(&log_lock);
    log_sink = sink;
    log_user = user;
    log_level = level;
    pthread_mutex_unlock(&log_lock);
}

void taco_log(enum taco_log_level level, const char *format, ...) {
    if (!log_sink || level > log_level)
        return;
    char line[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    /* What came from outside must not be able to forge a second line. */
    taco_make_printable(line, sizeof line, ' ');
    pthread_mutex_lock(&log_lock);
    log_sink(log_user, level, line);
    pthread_mutex_unlock(&log_lock);
}
