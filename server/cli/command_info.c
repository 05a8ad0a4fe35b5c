/* tacod info: what a voice is made of. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cli/command.h"
#include "cli/plain_text.h"
#include "config/options.h"
#include "voices/voice_json.h"
#include "voices/voices.h"

static void print_help(void) {
    fputs("usage: tacod info [OPTION]... [VOICE]\n\n"
          "Tells what a voice is made of. VOICE is a file; without it, the built-in "
          "voice.\n\n",
          stdout);
    taco_options_print_help(stdout, TACO_COMMAND_INFO, NULL);
}

static void print_plain(const char *text) {
    taco_print_plain(text, strlen(text), '?');
}

static void line(const char *name, const char *value) {
    printf("%-14s", name);
    print_plain(*value ? value : "-");
    putchar('\n');
}

/* Symbols in rows of at most 80 columns, a space between them; a space itself is quoted.
 */
static void print_symbols(const struct taco_voice_info *info) {
    printf("%-14s%d:", "symbols", info->n_symbols);
    int column = 80;
    for (int i = 0; i < info->n_symbols; i++) {
        const char *symbol = info->symbols[i];
        const char *quote = strpbrk(symbol, " \t") || !*symbol ? "'" : "";
        if (column + (int)strlen(symbol) + 3 > 80)
            column = printf("\n%14s", "");
        printf(" %s", quote);
        print_plain(symbol);
        printf("%s", quote);
        column += 1 + (int)(strlen(symbol) + 2 * strlen(quote));
    }
    putchar('\n');
}

static void print_info(const struct taco_voice_info *info) {
    line("name", info->name);
    line("description", info->description);
    line("language", info->language);
    line("licence", info->licence);
    line("source", info->source);
    line("graph", info->graph);
    for (int i = 0; i < info->n_attentions; i++) {
        const struct taco_attention_info *a = &info->attentions[i];
        bool own_name = strcmp(a->name, a->type) != 0;
        printf("%-14s%s%s%s%s: %s\n", i ? "" : "attention", a->name, own_name ? " (" : "",
               own_name ? a->type : "", own_name ? ")" : "", a->summary);
    }
    line("front end", info->front_end);
    printf("%-14s%llu in %.1f MB, stored as %s\n", "parameters",
           (unsigned long long)info->n_parameters, (double)info->file_bytes / 1e6,
           info->stored);
    printf("%-14s%s on %s\n", "precision", taco_precision_name(info->precision),
           info->isa);
    printf("%-14s%d Hz, n_fft %d, window %d, hop %d\n", "audio", info->sample_rate,
           info->n_fft, info->win_length, info->hop_length);
    printf("%-14s%d bands, %g to %g Hz, %d frame%s a step\n", "mel", info->n_mels,
           (double)info->fmin, (double)info->fmax, info->n_frames_per_step,
           info->n_frames_per_step == 1 ? "" : "s");
    line("inversion", strcmp(info->inversion, "network") == 0
                          ? "by a network"
                          : "by the equations of the mel basis");
    printf("%-14s%d", "speakers", info->n_speakers);
    for (int i = 0; info->speakers && i < info->n_speakers; i++) {
        fputs(i ? ", " : ": ", stdout);
        print_plain(info->speakers[i]);
    }
    putchar('\n');
    print_symbols(info);
}

static enum taco_status print_json(struct taco_voice *voice, struct taco_error *err) {
    char name[65];
    snprintf(name, sizeof name, "%s", taco_voice_info(voice)->name);
    const struct taco_named_voice named = {.name = name, .voice = voice};
    json_t *root = taco_voice_json(NULL, &named, true);
    if (!root)
        return taco_error_set(err, TACO_ERR_NO_MEMORY, NULL, "no memory");
    json_object_del(root, "default"); /* facts of a server, not of a voice */
    json_object_del(root, "built_in");
    int failed = json_dumpf(root, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
    putchar('\n');
    json_decref(root);
    return failed ? taco_error_set(err, TACO_ERR_IO, NULL, "cannot print") : TACO_OK;
}

static int info_of(const struct taco_options *options, struct taco_error *err) {
    const char *path = options->arguments.n ? options->arguments.items[0] : NULL;
    struct taco_voice *voice;
    if (taco_voice_open_named(&voice, path, options, err))
        return taco_command_fail("info", err);
    enum taco_status status = TACO_OK;
    if (options->json)
        status = print_json(voice, err);
    else
        print_info(taco_voice_info(voice));
    if (!status && options->check) {
        char *report = NULL;
        status = taco_voice_check(voice, &report, err);
        if (report)
            fprintf(options->json ? stderr : stdout, "\n%s", report);
        free(report);
        if (status)
            (void)taco_error_set(err, status, NULL, "the voice did not pass its test");
    }
    taco_voice_close(voice);
    return status ? taco_command_fail("info", err) : TACO_EXIT_OK;
}

int taco_command_info(int argc, char **argv) {
    struct taco_options options;
    struct taco_error err = TACO_ERROR_INIT;
    int code = TACO_EXIT_OK;
    enum taco_status status =
        taco_options_read(&options, TACO_COMMAND_INFO, argc, argv, NULL, &err);
    if (!status && options.arguments.n > 1)
        status =
            taco_error_set(&err, TACO_ERR_INVALID_ARGUMENT, NULL, "one voice at a time");
    if (status)
        code = taco_command_fail("info", &err);
    else if (options.help)
        print_help();
    else
        code = info_of(&options, &err);
    taco_options_free(&options);
    return code;
}
