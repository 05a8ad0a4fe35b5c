/* Options of the commands: one table serves flags, the environment, the configuration
 * file, --help and --print-config.
 *
 * An option called cache_bytes is --cache-bytes as a flag, TACO_CACHE_BYTES in the
 * environment and "cache_bytes" in the configuration file. Flags win over the environment,
 * which wins over the file, which wins over the default. */
#ifndef TACO_SERVER_OPTIONS_H
#define TACO_SERVER_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <taco/status.h>

/* A list that owns its strings. */
struct taco_strings {
    char **items; /* [n] */
    size_t n;
};

enum taco_command {
    TACO_COMMAND_SERVE = 1 << 0,
    TACO_COMMAND_SAY = 1 << 1,
    TACO_COMMAND_INFO = 1 << 2,
    TACO_COMMAND_NEW_KEY = 1 << 3,
    TACO_COMMAND_BATCH = 1 << 4,
    TACO_COMMAND_TEXT = 1 << 5
};

struct taco_options {
    /* serve: where to listen */
    struct taco_strings host; /* names, addresses, or unix:PATH */
    int port;                 /* 0: any free one */
    /* serve: voices */
    struct taco_strings voice;       /* [NAME=]FILE */
    char *voices;                    /* a folder, or NULL */
    char *default_voice;             /* a name, or NULL: chosen by taco_voices_open */
    int default_seed;                /* -1: drawn */
    struct taco_strings voice_alias; /* NAME=VOICE */
    /* all: the engine */
    char *precision; /* taco_precision_parse */
    char *lexicon;   /* file, or NULL */
    char *inverter;  /* file, "none", or NULL */
    int threads;     /* 0: as many as processors */
    int rows;
    int queue;
    uint64_t max_memory; /* bytes, 0: half of what there is */
    /* serve: limits */
    uint64_t max_text; /* bytes */
    uint64_t max_body; /* bytes */
    double timeout;    /* seconds that one request may take */
    int max_connections;
    int max_connections_per_address; /* 0: no limit */
    double idle_timeout;             /* seconds */
    int http_threads;
    uint64_t response_bytes;
    double max_audio;        /* seconds */
    uint64_t cache_bytes;    /* of finished results */
    double shutdown_timeout; /* seconds */
    /* serve: who may, and how */
    char *keys;                      /* file of hashes, or NULL: everybody may */
    struct taco_strings allow_host;  /* names, addresses, or *, beside the local ones */
    struct taco_strings cors_origin; /* origins, or * */
    char *base_path;                 /* "/tts", or NULL */
    char *tls_cert, *tls_key;        /* files, both or none */
    /* serve: the rest */
    char *log_level;  /* error, warning, info or debug */
    char *log_format; /* text or json */
    bool log_text;
    char *config; /* file, or NULL */
    bool print_config;
    /* say, text */
    char *output;                   /* file, "-" for standard output, or NULL */
    char *file;                     /* file to speak or read, or NULL */
    struct taco_strings alignment;  /* files; the ending chooses the form */
    struct taco_strings alignments; /* batch: endings of alignments */
    bool verbose;
    bool quiet;
    /* info */
    bool check;
    bool json; /* text as well */
    /* all */
    bool help;

    struct taco_strings arguments; /* what is no option */
};

/* Flags of a command beside those of the table, defined and set elsewhere. */
struct taco_more_flags {
    void *user;
    /* The name ("sample_rate") and metavar (NULL: a switch) of flag i; false behind the last. */
    bool (*at)(const void *user, size_t i, const char **name, const char **metavar);
    /* One sentence or more, to out [size]. */
    void (*describe)(const void *user, size_t i, char *out, size_t size);
    enum taco_status (*set)(void *user, size_t i, const char *value,
                            struct taco_error *err);
};

/* Reads defaults, configuration file, environment and argv [argc], of which argv[0] is
 * the command's name. more may be NULL. Whatever the outcome, *options is ended with taco_options_free.
 * TACO_ERR_INVALID_ARGUMENT: usage; TACO_ERR_NOT_FOUND, _IO, _FORMAT: the configuration
 * file; TACO_ERR_NO_MEMORY. */
TACO_MUST_CHECK enum taco_status taco_options_read(struct taco_options *options,
                                                   enum taco_command command, int argc,
                                                   char **argv,
                                                   const struct taco_more_flags *more,
                                                   struct taco_error *err);

void taco_options_free(struct taco_options *options);

/* The options of a command, a paragraph each, wrapped to 80 columns. */
void taco_options_print_help(FILE *out, enum taco_command command,
                             const struct taco_more_flags *more);

/* The options in effect as a configuration file. TACO_ERR_NO_MEMORY, TACO_ERR_IO. */
TACO_MUST_CHECK enum taco_status
taco_options_print_config(FILE *out, const struct taco_options *options,
                          struct taco_error *err);

#endif
