/* tacod serve: opens the voices, starts the threads, serves until a signal ends it. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <taco/engine.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "base/workers.h"
#include "cli/command.h"
#include "cli/reload.h"
#include "config/options.h"
#include "http/access.h"
#include "http/base_path.h"
#include "http/cors.h"
#include "http/http.h"
#include "http/log_lines.h"
#include "http/metrics.h"
#include "http/monitor.h"
#include "http/origin.h"
#include "http/systemd.h"
#include "http/tls.h"
#include "speech/results.h"
#include "speech/turns.h"
#include "voices/aliases.h"
#include "voices/voices.h"

/* Threads that encode audio and write alignments, and those for large alignments. */
#define N_WORKERS 2
#define N_LONG_WORKERS 2

static void print_help(void) {
    fputs("usage: tacod serve [OPTION]...\n\n"
          "Serves speech over HTTP, and the web page.\n\n"
          "The option --cache-bytes is also \"cache_bytes\" in the file of --config and\n"
          "TACO_CACHE_BYTES in the environment. Flags override the environment, which\n"
          "overrides the file. Sizes may be written as 64K, 256M or 1G.\n\n",
          stdout);
    taco_options_print_help(stdout, TACO_COMMAND_SERVE, NULL);
}

/* -- signals ------------------------------------------------------------------------- */

/* Libraries start threads of their own before main, so signals cannot be blocked
 * everywhere and waited for: a handler writes each into a pipe. */
static int signal_pipe[2] = {-1, -1};

static void on_signal(int number) {
    int saved = errno;
    unsigned char byte = (unsigned char)number;
    if (write(signal_pipe[1], &byte, 1) < 0) {
        /* The pipe is full of signals that nobody has read yet. */
    }
    errno = saved;
}

static enum taco_status catch_signals(struct taco_error *err) {
    if (pipe2(signal_pipe, O_CLOEXEC | O_NONBLOCK) < 0)
        return taco_error_set(err, TACO_ERR_IO, NULL, "no pipe for signals: %s",
                              strerror(errno));
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
    return TACO_OK;
}

/* The next signal's number; 0 if none comes within the time. */
static int next_signal(int milliseconds) {
    struct pollfd ready = {.fd = signal_pipe[0], .events = POLLIN};
    unsigned char byte = 0;
    int n = poll(&ready, 1, milliseconds);
    return n > 0 && read(signal_pipe[0], &byte, 1) == 1 ? byte : 0;
}

/* Waits for a signal. Meanwhile the service manager, if it wants to, hears from us. */
static int wait_for_signal(void) {
    const int interval = taco_systemd_watchdog_interval();
    int number;
    do {
        taco_systemd_alive();
        number = next_signal(interval);
    } while (!number);
    return number;
}

static bool is_end(int number) {
    return number != 0 && number != SIGHUP;
}

/* -- start and stop ---------------------------------------------------------------- */

/* How long to go on working for a client that has closed its sending side while nothing is
 * sent to it. The environment variable is for tests. */
static double half_close_seconds(void) {
    const char *set = getenv("TACOD_TEST_HALF_CLOSE");
    return set ? strtod(set, NULL) : 5;
}

static enum taco_status start(struct taco_server *server, struct taco_error *err) {
    const struct taco_options *o = server->options;
    struct taco_engine_options engine = taco_engine_options_default();
    engine.n_threads = o->threads;
    engine.max_rows = o->rows;
    engine.max_jobs = o->queue;
    engine.max_memory = (size_t)o->max_memory;
    engine.max_audio = o->max_audio;
    const struct taco_monitor_options monitor = {o->idle_timeout, half_close_seconds(),
                                                 taco_http_cancel};
    enum taco_status status = taco_base_path_check(o, err);
    if (!status)
        status = taco_cors_check(o, err);
    if (!status)
        status = taco_origin_check_options(o, err);
    if (!status)
        status = taco_tls_open(&server->tls, o, err);
    if (!status)
        status = taco_access_open(&server->access, o, err);
    if (!status)
        status = taco_engine_create(&server->engine, &engine, err);
    if (!status)
        status = taco_voices_open(&server->voices.voices, o, server->engine, NULL, err);
    if (!status)
        status = taco_aliases_check(o, server->voices.voices, err);
    if (!status)
        status = taco_results_create(&server->results, o->cache_bytes, err);
    if (!status)
        status = taco_turns_create(&server->turns, err);
    if (!status)
        status = taco_workers_create(&server->workers, N_WORKERS, err);
    if (!status)
        status = taco_workers_create(&server->long_workers, N_LONG_WORKERS, err);
    if (!status)
        status = taco_metrics_create(&server->metrics, err);
    if (!status)
        status = taco_monitor_create(&server->monitor, &monitor, err);
    if (!status) /* until now a signal just ends the process */
        status = catch_signals(err);
    if (!status)
        status = taco_http_start(&server->http, server, err);
    return status;
}

static void stop(struct taco_server *server) {
    taco_http_stop(server->http);
    taco_monitor_destroy(server->monitor);
    taco_workers_destroy(server->workers);
    taco_workers_destroy(server->long_workers);
    taco_turns_destroy(server->turns);
    taco_results_destroy(server->results);
    taco_served_voices_destroy(&server->voices);
    taco_engine_destroy(server->engine);
    taco_metrics_destroy(server->metrics);
    taco_access_close(server->access);
    taco_tls_close(server->tls);
}

/* What stands behind the address where the page is. */
static const char *base_of(const struct taco_server *server, const char *address) {
    return strncmp(address, "unix:", 5) == 0 ? "" : taco_base_path(server->options);
}

static void print_address(const struct taco_server *server, const char *address) {
    const char *path = strncmp(address, "unix:", 5) == 0 ? address + 5 : NULL;
    fprintf(stderr, "listening on %s%s%s\n  curl", address, base_of(server, address),
            path ? "" : "/");
    if (path)
        fprintf(stderr, " --unix-socket %s", path);
    else if (server->tls && taco_tls_is_self_signed(server->tls))
        fprintf(stderr, " -k"); /* nobody vouches for the certificate */
    if (server->options->keys)
        fprintf(stderr, " -H \"Authorization: Bearer $TACO_KEY\"");
    fprintf(stderr, " -d 'Hello, world. It costs $25.50.' %s%s/v1/speech -o hello.wav\n",
            path ? "http://localhost" : address, taco_base_path(server->options));
}

/* The same as lines of the log, where programs read it, at any level. */
static void log_start(const struct taco_server *server) {
    const struct taco_named_voice *voice = taco_voices_find(server->voices.voices, NULL);
    const char *address;
    taco_log_lines_write(
        server->options, TACO_LOG_INFO, "tacod begins",
        json_pack("{s:s, s:s}", "version", taco_version(), "voice", voice->name));
    for (int i = 0; (address = taco_http_address(server->http, i)) != NULL; i++)
        taco_log_lines_write(
            server->options, TACO_LOG_INFO, "listening",
            json_pack("{s:s+}", "address", address, base_of(server, address)));
}

static void print_start(const struct taco_server *server) {
    if (strcmp(server->options->log_format, "json") == 0) {
        log_start(server);
        return;
    }
    const struct taco_named_voice *voice = taco_voices_find(server->voices.voices, NULL);
    const struct taco_voice_info *info = taco_voice_info(voice->voice);
    fprintf(stderr, "tacod %s, voice %s (%s, %d Hz, %s on %s)\n", taco_version(),
            voice->name, info->language, info->sample_rate,
            taco_precision_name(info->precision), info->isa);
    const char *address;
    for (int i = 0; (address = taco_http_address(server->http, i)) != NULL; i++)
        print_address(server, address);
}

/* Lets what is running end, for so long as --shutdown-timeout allows or until a second signal. */
static void drain(struct taco_server *server) {
    atomic_store(&server->draining, true);
    taco_http_quiesce(server->http);
    const double end = taco_clock_now() + server->options->shutdown_timeout, slice = 0.1;
    for (double left; (left = end - taco_clock_now()) > 0;)
        if (taco_http_wait_idle(server->http, left < slice ? left : slice))
            return;
        else if (is_end(next_signal(0)))
            break;
        else
            taco_systemd_alive();
    if (!taco_http_wait_idle(server->http, 0))
        taco_log(TACO_LOG_WARNING, "requests that are still running are cancelled");
}

static int serve(const struct taco_options *options) {
    taco_log_lines_start(options);
    struct taco_server server = {.options = options};
    taco_served_voices_init(&server.voices);
    struct taco_error err = TACO_ERROR_INIT;
    struct taco_reloader *reloader = NULL;
    enum taco_status status = start(&server, &err);
    if (status) {
        stop(&server);
        return taco_command_fail("serve", &err);
    }
    print_start(&server);
    status = taco_reloader_start(&reloader, &server, &err);
    if (status) {
        stop(&server);
        return taco_command_fail("serve", &err);
    }
    int number;
    while (!is_end(number = wait_for_signal()))
        taco_reloader_request(reloader);
    taco_log(TACO_LOG_INFO, "signal %d: no new requests, running ones may end", number);
    taco_systemd_stopping();
    drain(&server);
    taco_reloader_stop(reloader);
    stop(&server);
    return TACO_EXIT_OK;
}

int taco_command_serve(int argc, char **argv) {
    struct taco_options options;
    struct taco_error err = TACO_ERROR_INIT;
    int code = TACO_EXIT_OK;
    enum taco_status status =
        taco_options_read(&options, TACO_COMMAND_SERVE, argc, argv, NULL, &err);
    if (!status && options.arguments.n && !options.help)
        status =
            taco_error_set(&err, TACO_ERR_INVALID_ARGUMENT, NULL,
                           "there is no argument '%.80s': tacod serve --help lists the "
                           "options",
                           options.arguments.items[0]);
    if (!status && !options.host.n)
        status = taco_error_set(&err, TACO_ERR_INVALID_ARGUMENT, "host",
                                "no address to listen on");
    if (status)
        code = taco_command_fail("serve", &err);
    else if (options.help)
        print_help();
    else if (options.print_config)
        code = taco_options_print_config(stdout, &options, &err)
                   ? taco_command_fail("serve", &err)
                   : TACO_EXIT_OK;
    else
        code = serve(&options);
    taco_options_free(&options);
    return code;
}
