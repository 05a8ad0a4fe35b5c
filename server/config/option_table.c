#include "config/option_table.h"

#include <stdio.h>
#include <string.h>

#define SERVE TACO_COMMAND_SERVE
#define SAY TACO_COMMAND_SAY
#define INFO TACO_COMMAND_INFO
#define BATCH TACO_COMMAND_BATCH
#define NEW_KEY TACO_COMMAND_NEW_KEY
#define TEXT TACO_COMMAND_TEXT
#define AT(member) offsetof(struct taco_options, member)

/* clang-format off */
#define STRING(name, letter, commands, fallback, metavar, choices, help) \
    {#name, letter, commands, TACO_OPTION_STRING, AT(name), fallback, 0, 0, metavar, choices, \
     0, help}
#define STRINGS(name, letter, commands, fallback, metavar, help) \
    {#name, letter, commands, TACO_OPTION_STRINGS, AT(name), fallback, 0, 0, metavar, NULL, \
     0, help}
#define NUMBER(name, letter, kind, commands, fallback, min, max, metavar, help) \
    {#name, letter, commands, TACO_OPTION_##kind, AT(name), fallback, min, max, metavar, \
     NULL, 0, help}
#define SWITCH(name, letter, commands, help) \
    {#name, letter, commands, TACO_OPTION_SWITCH, AT(name), NULL, 0, 0, NULL, NULL, \
     TACO_OPTION_FLAG_ONLY, help}

#define TERABYTE 1099511627776.0

const struct taco_option taco_option_table[] = {
    STRINGS(host, 0, SERVE, "127.0.0.1", "ADDRESS",
           "Listen on this address: an IP address, a host name, or unix:PATH. \"::\" is "
           "every address of IPv6 and IPv4. May be given several times."),
    STRING(base_path, 0, SERVE, NULL, "PATH", NULL,
           "Path prefix under which a reverse proxy publishes the server, such as /tts. "
           "The proxy may strip it or not."),
    NUMBER(port, 'p', INTEGER, SERVE, "8020", 0, 65535, "N",
           "TCP port. 0 picks a free one."),
    STRINGS(voice, 0, SERVE, NULL, "[NAME=]FILE",
           "Serve this voice as well, under its own name or NAME. May be given several "
           "times."),
    STRING(voices, 0, SERVE, NULL, "FOLDER", NULL,
           "Serve every *.safetensors file of this folder as well."),
    STRING(default_voice, 0, SERVE, NULL, "NAME", NULL,
           "Voice of requests that name none. Without it: the first --voice, or else the "
           "built-in voice."),
    NUMBER(default_seed, 0, INTEGER, SERVE, "-1", -1, 2147483647, "N",
           "Seed of requests that give none. A repeated request is then served from the "
           "cache. -1: a random seed for each request."),
    STRINGS(voice_alias, 0, SERVE, NULL, "NAME=VOICE",
           "Name by which clients of other services ask for a voice. Without an alias, "
           "OpenAI's voice names mean the default voice. May be given several times."),
    STRING(precision, 0, SERVE | SAY | BATCH | INFO, "auto", "NAME", "auto|f32|bf16|int8",
           "Number format of the decoder's weights."),
    STRING(lexicon, 0, SERVE | SAY | BATCH | TEXT, NULL, "FILE", NULL,
           "Pronunciations that override the voice's own: lines WORD PH PH PH of ARPAbet "
           "phones. # starts a comment."),
    STRING(inverter, 0, SERVE | SAY | BATCH, NULL, "FILE", NULL,
           "Learnt mel inverter in place of the voices' own. none: solve the equations of "
           "the mel basis instead."),
    NUMBER(threads, 't', INTEGER, SERVE | SAY | BATCH, "0", 0, 256, "N",
           "Synthesis threads. 0: one per processor."),
    NUMBER(rows, 0, INTEGER, SERVE | SAY | BATCH, "64", 1, 64, "N",
           "Sentences decoded together in one batch."),
    NUMBER(queue, 0, INTEGER, SERVE, "256", 1, 65536, "N",
           "Requests that may run or wait. Further requests get 503."),
    NUMBER(max_audio, 0, SECONDS, SERVE, "3600", 1, 604800, "SECONDS",
           "Maximum length of a request's audio, pauses included. Longer texts get 413."),
    NUMBER(max_memory, 0, BYTES, SERVE, "0", 0, TERABYTE, "BYTES",
           "Memory that requests may use, responses included. 0: half of what the process "
           "may use."),
    NUMBER(max_text, 0, BYTES, SERVE, "20000", 1, 16777216, "BYTES",
           "Maximum size of a request's text."),
    NUMBER(max_body, 0, BYTES, SERVE, "1M", 1024, 67108864, "BYTES",
           "Maximum size of a request's body."),
    NUMBER(timeout, 0, SECONDS, SERVE, "300", 0.1, 86400, "SECONDS",
           "Maximum time of a request, from its first byte to its audio."),
    NUMBER(max_connections, 0, INTEGER, SERVE, "1024", 4, 65536, "N",
           "Open connections. Further ones wait to be accepted. Fewer if the limit of open "
           "files is too low."),
    NUMBER(max_connections_per_address, 0, INTEGER, SERVE, "256", 0, 65536, "N",
           "Open connections of one client address; UNIX sockets are exempt. Further ones "
           "are closed at once. 0: no limit. A reverse proxy counts as one address."),
    NUMBER(idle_timeout, 0, SECONDS, SERVE, "30", 1, 86400, "SECONDS",
           "Close a connection after this time without traffic, or without complete "
           "headers."),
    NUMBER(http_threads, 0, INTEGER, SERVE, "4", 1, 64, "N",
           "Threads that serve HTTP. They never synthesise."),
    NUMBER(response_bytes, 0, BYTES, SERVE, "512M", 1048576, TERABYTE, "BYTES",
           "Memory for responses that are being encoded or read by their clients. Beyond it, "
           "requests get 503."),
    NUMBER(cache_bytes, 0, BYTES, SERVE, "256M", 0, TERABYTE, "BYTES",
           "Memory for finished results. GET /v1/speech/{id} returns them, and repeated "
           "requests are served from them. 0: keep none."),
    NUMBER(shutdown_timeout, 0, SECONDS, SERVE, "30", 0, 86400, "SECONDS",
           "After SIGTERM, wait this long for running requests to finish."),
    STRING(keys, 0, SERVE, NULL, "FILE", NULL,
           "Require an API key. The file has lines NAME HASH as printed by tacod new-key."),
    STRINGS(allow_host, 0, SERVE, NULL, "NAME",
           "Without --keys: also accept requests whose Host header has this host name or "
           "IP address. * accepts all. localhost, 127.0.0.1, [::1] and the addresses of "
           "--host are always accepted. May be given several times."),
    STRINGS(cors_origin, 0, SERVE, NULL, "ORIGIN",
           "Let web pages of this origin, such as https://example.com, use the server. * "
           "allows all. May be given several times."),
    STRING(tls_cert, 0, SERVE, NULL, "FILE", NULL,
           "Serve HTTPS with this certificate, followed by its intermediate certificates "
           "(PEM). UNIX sockets stay plain."),
    STRING(tls_key, 0, SERVE, NULL, "FILE", NULL,
           "Private key of the certificate (PEM, without a password)."),
    STRING(log_level, 0, SERVE, "info", "LEVEL", "error|warning|info|debug",
           "What to log. info includes one line per request."),
    STRING(log_format, 0, SERVE, "text", "FORMAT", "text|json",
           "Format of the log. json writes one object per line."),
    {"log_text", 0, SERVE, TACO_OPTION_SWITCH, AT(log_text), NULL, 0, 0, NULL, NULL, 0,
           "Also log the text of requests."},
    {"config", 0, SERVE, TACO_OPTION_STRING, AT(config), NULL, 0, 0, "FILE", NULL,
     TACO_OPTION_FLAG_ONLY,
           "Read options from this JSON file. TACO_CONFIG names it as well."},
    SWITCH(print_config, 0, SERVE,
           "Print the options in effect as a configuration file and exit."),

    STRING(output, 'o', SAY, NULL, "FILE", NULL,
           "Write the audio to this file; - is standard output. The file name's extension "
           "selects the format."),
    STRING(file, 'f', SAY | TEXT, NULL, "FILE", NULL,
           "Take the text from this file."),
    STRINGS(alignment, 'a', SAY, NULL, "FILE",
            "Write the alignment to this file. The extension selects the form: .json .svg "
            ".png .npy .srt .vtt .TextGrid .mel.npy .mel.png. May be given several times."),
    {"output", 'o', BATCH, TACO_OPTION_STRING, AT(output), NULL, 0, 0, "FOLDER", NULL,
     TACO_OPTION_FLAG_ONLY,
     "Write the files to this folder, which is created if it is missing."},
    STRINGS(alignments, 'a', BATCH, NULL, "FORM",
            "Write the alignment of every line in this form: json svg png npy srt vtt "
            "TextGrid mel.npy mel.png. May be given several times."),
    SWITCH(verbose, 'v', SAY,
           "Print the seed, durations and diagnostics."),
    SWITCH(quiet, 'q', SAY | BATCH,
           "Print no progress and no warnings."),

    SWITCH(check, 'c', INFO,
           "Also test the voice: finite outputs, symbols of its front end."),
    SWITCH(json, 0, INFO | TEXT,
           "Print JSON."),

    SWITCH(help, 'h', SERVE | SAY | BATCH | TEXT | INFO | NEW_KEY,
           "Print this help and exit."),
    {NULL, 0, 0, TACO_OPTION_SWITCH, 0, NULL, 0, 0, NULL, NULL, 0, NULL},
};
/* clang-format on */

const struct taco_option *taco_option_find(const char *name, enum taco_command command) {
    for (const struct taco_option *o = taco_option_table; o->name; o++)
        if ((o->commands & command) && strcmp(o->name, name) == 0)
            return o;
    return NULL;
}

void taco_option_describe(const struct taco_option *o, char *out, size_t size) {
    char range[96] = "", fallback[64] = "";
    if (o->choices)
        snprintf(range, sizeof range, " One of %s.", o->choices);
    else if (o->kind == TACO_OPTION_INTEGER || o->kind == TACO_OPTION_SECONDS)
        snprintf(range, sizeof range, " Range: %.16g to %.16g.", o->min, o->max);
    if (o->fallback)
        snprintf(fallback, sizeof fallback, " Default: %s.", o->fallback);
    snprintf(out, size, "%s%s%s", o->help, range, fallback);
}

void taco_option_flag(const char *name, char *out, size_t size) {
    snprintf(out, size, "--%s", name);
    for (char *c = out; *c; c++)
        if (*c == '_')
            *c = '-';
}

void taco_option_environment(const struct taco_option *option, char *out, size_t size) {
    snprintf(out, size, "TACO_%s", option->name);
    for (char *c = out; *c; c++)
        if (*c >= 'a' && *c <= 'z')
            *c = (char)(*c - 'a' + 'A');
}
