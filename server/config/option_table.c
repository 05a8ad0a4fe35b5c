#include "config/option_table.h"

#include <stdio.h>
#include <string.h>

#include "speech/fields.h"

#define SERVE TACO_COMMAND_SERVE
#define SAY TACO_COMMAND_SAY
#define INFO TACO_COMMAND_INFO
#define BATCH TACO_COMMAND_BATCH
#define HASH_KEY TACO_COMMAND_HASH_KEY
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
            "listen there; an address, a name, or unix:PATH; may be given several times"),
    STRING(base_path, 0, SERVE, NULL, "PATH", NULL,
           "the path, /tts, below which a reverse proxy shows the server, whether it takes that "
           "off or not"),
    NUMBER(port, 'p', INTEGER, SERVE, "8020", 0, 65535, "N",
           "TCP port; 0 takes any free one"),
    STRINGS(voice, 0, SERVE, NULL, "[NAME=]FILE",
            "serve this voice, too, under its own or another name; may be given several times"),
    STRING(voices, 0, SERVE, NULL, "FOLDER", NULL,
           "serve every *.safetensors of the folder, too"),
    STRING(default_voice, 0, SERVE, NULL, "NAME", NULL,
           "the voice of requests that name none; default: the first --voice, else the "
           "built-in heart"),
    NUMBER(default_seed, 0, INTEGER, SERVE, "-1", -1, 2147483647, "N",
           "the seed of requests that give none, so that the same text always gives the same "
           "bytes, from the cache at the second time; -1: each draws one"),
    STRINGS(openai_voice, 0, SERVE, NULL, "NAME=VOICE",
            "the voice that clients of other services mean by that name; OpenAI's own names are "
            "the default voice otherwise; may be given several times"),
    STRING(precision, 0, SERVE | SAY | BATCH | INFO, "auto", "NAME", "auto|f32|bf16|int8",
           "how the decoder's matrices are held: auto, f32, bf16 or int8"),
    STRING(lexicon, 0, SERVE | SAY | BATCH, NULL, "FILE", NULL,
           "pronunciations that go before the voice's own: lines WORD PH PH PH of ARPAbet "
           "phones, comments from # on"),
    NUMBER(threads, 't', INTEGER, SERVE | SAY | BATCH, "0", 0, 256, "N",
           "threads that synthesise; 0: as many as there are processors"),
    NUMBER(rows, 0, INTEGER, SERVE | SAY | BATCH, "64", 1, 64, "N",
           "sentences that are decoded side by side"),
    NUMBER(queue, 0, INTEGER, SERVE, "256", 1, 65536, "N",
           "requests that may be running or waiting; one more is answered 503"),
    NUMBER(max_audio, 0, SECONDS, SERVE, "3600", 1, 604800, "SECONDS",
           "Longest audio that one request may give, pauses included. A longer text is answered "
           "413."),
    NUMBER(max_memory, 0, BYTES, SERVE, "0", 0, TERABYTE, "BYTES",
           "memory that requests may take, their answers included; 0: half of what the process may "
           "use"),
    NUMBER(max_text, 0, BYTES, SERVE, "20000", 1, 16777216, "BYTES",
           "longest text of a request"),
    NUMBER(max_body, 0, BYTES, SERVE, "1M", 1024, 67108864, "BYTES",
           "longest body of a request"),
    NUMBER(max_uri, 0, BYTES, SERVE, "16K", 256, 1048576, "BYTES",
           "longest path and query of a request"),
    NUMBER(max_headers, 0, BYTES, SERVE, "16K", 256, 1048576, "BYTES",
           "longest headers of a request, all together"),
    NUMBER(timeout, 0, SECONDS, SERVE, "300", 0.1, 86400, "SECONDS",
           "longest time that a request may take, from its first byte to its speech"),
    NUMBER(max_connections, 0, INTEGER, SERVE, "1024", 4, 65536, "N",
           "connections at a time; more wait to be accepted"),
    NUMBER(max_connections_per_address, 0, INTEGER, SERVE, "256", 0, 65536, "N",
           "connections at a time from one address, but for UNIX sockets; more are closed at "
           "once; 0: no limit. A reverse proxy is one address"),
    NUMBER(idle_timeout, 0, SECONDS, SERVE, "30", 1, 86400, "SECONDS",
           "close a connection on which nothing moves, or that brings no complete headers, for so long"),
    NUMBER(half_close, 0, SECONDS, SERVE, "5", 0, 86400, "SECONDS",
           "a client that has closed its sending side, but perhaps not all, is taken to be there "
           "for so long while nothing is sent; 0: it is gone at once"),
    NUMBER(http_threads, 0, INTEGER, SERVE, "4", 1, 64, "N",
           "threads that talk HTTP; they never synthesise"),
    NUMBER(response_bytes, 0, BYTES, SERVE, "512M", 1048576, TERABYTE, "BYTES",
           "Memory for answers that are being encoded or wait to be read by their clients. "
           "Beyond it requests are answered 503."),
    NUMBER(keep_bytes, 0, BYTES, SERVE, "256M", 0, TERABYTE, "BYTES",
           "memory for finished results, which GET /v1/speech/{id} returns and which answer "
           "identical requests; 0: keep none"),
    NUMBER(drain, 0, SECONDS, SERVE, "30", 0, 86400, "SECONDS",
           "at SIGTERM, let running requests end for so long"),
    STRING(keys, 0, SERVE, NULL, "FILE", NULL,
           "ask for an API key: lines NAME HASH, as tacod hash-key prints them"),
    STRINGS(allow_host, 0, SERVE, NULL, "NAME",
            "Without --keys: also accept requests whose Host header has this host name or IP "
            "address; * accepts all. localhost, 127.0.0.1, [::1] and the addresses of --host "
            "are always accepted. May be given several times."),
    STRINGS(cors_origin, 0, SERVE, NULL, "ORIGIN",
            "let pages of this origin, https://example.com, read the answers; * is any; may be "
            "given several times"),
    STRING(tls_cert, 0, SERVE, NULL, "FILE", NULL,
           "speak HTTPS with this certificate and what follows it in the file (PEM), but not on "
           "UNIX sockets"),
    STRING(tls_key, 0, SERVE, NULL, "FILE", NULL,
           "the certificate's key (PEM, without a password)"),
    STRING(log_level, 0, SERVE, "info", "LEVEL", "error|warning|info|debug",
           "what is logged: error, warning, info (a line a request) or debug"),
    STRING(log_format, 0, SERVE, "text", "FORMAT", "text|json",
           "how: text, or json, an object a line"),
    {"log_text", 0, SERVE, TACO_OPTION_SWITCH, AT(log_text), NULL, 0, 0, NULL, NULL, 0,
     "log the texts of requests, too"},
    {"config", 0, SERVE, TACO_OPTION_STRING, AT(config), NULL, 0, 0, "FILE", NULL,
     TACO_OPTION_FLAG_ONLY, "read options from a JSON file; TACO_CONFIG names it, too"},
    SWITCH(print_config, 0, SERVE, "print the options in effect as such a file, and exit"),

    STRING(output, 'o', SAY, NULL, "FILE", NULL,
           "write the audio there, - for standard output; the ending chooses the format"),
    STRING(file, 'f', SAY, NULL, "FILE", NULL, "speak the file's text"),
    STRINGS(alignment, 'a', SAY, NULL, "FILE",
            "write the alignment there; the ending chooses the form: json svg png npy srt vtt "
            "TextGrid mel.npy mel.png; may be given several times"),
    {"output", 'o', BATCH, TACO_OPTION_STRING, AT(output), NULL, 0, 0, "FOLDER", NULL,
     TACO_OPTION_FLAG_ONLY, "write the files into this folder; it is created if it is missing"},
    STRINGS(alignments, 'a', BATCH, NULL, "FORM",
            "write the alignment of every line in this form: json svg png npy srt vtt TextGrid "
            "mel.npy mel.png; may be given several times"),
    SWITCH(verbose, 'v', SAY, "tell seed, duration, times and diagnostics"),
    SWITCH(quiet, 'q', SAY | BATCH, "no progress line, no warnings"),

    SWITCH(check, 'c', INFO, "test the voice: finite outputs, symbols of its front end"),
    SWITCH(json, 0, INFO, "print JSON"),

    SWITCH(help, 'h', SERVE | SAY | BATCH | INFO | HASH_KEY, "print this help, and exit"),
    {NULL, 0, 0, TACO_OPTION_SWITCH, 0, NULL, 0, 0, NULL, NULL, 0, NULL},
};
/* clang-format on */

const struct taco_option *taco_option_find(const char *name, enum taco_command command) {
    for (const struct taco_option *o = taco_option_table; o->name; o++)
        if ((o->commands & command) && strcmp(o->name, name) == 0)
            return o;
    return NULL;
}

unsigned taco_options_field_uses(enum taco_command command) {
    return command == TACO_COMMAND_SAY     ? TACO_FIELD_SAY
           : command == TACO_COMMAND_BATCH ? TACO_FIELD_BATCH
                                           : 0;
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
