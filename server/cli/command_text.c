/* tacod text: how a text is read, without speaking it. */
#include <stdio.h>
#include <string.h>
#include <taco/text.h>

#include "base/error.h"
#include "base/memory.h"
#include "cli/argument_text.h"
#include "cli/command.h"
#include "cli/plain_text.h"
#include "config/options.h"
#include "speech/field_flags.h"
#include "speech/reading_json.h"
#include "voices/voices.h"

struct show {
    struct taco_options options;
    struct taco_speech speech;
    struct taco_bytes text;
};

static void print_help(void) {
    fputs("usage: tacod text [OPTION]... TEXT...\n"
          "       tacod text [OPTION]... -          (reads standard input)\n"
          "       tacod text [OPTION]... -f FILE\n\n"
          "Shows how a text is read: a line for each sentence, and under it its words "
          "with\n"
          "the rule that read each, the words that are spoken, and their symbols.\n"
          "--voice takes the built-in voice's name, or a file.\n\n",
          stdout);
    struct taco_field_flags fields = {.use = TACO_FIELD_SHOW};
    const struct taco_more_flags flags = taco_field_flags(&fields);
    taco_options_print_help(stdout, TACO_COMMAND_TEXT, &flags);
    fputs(
        "\nExit codes: 0 done, 1 failure, 2 wrong option, 3 the text cannot be spoken.\n",
        stdout);
}

/* -- the table ----------------------------------------------------------------------- */

/* On one line: controls as spaces. */
static int print_plain(const char *text, size_t n) {
    return taco_print_plain(text, n, ' ');
}

static int print_span(const struct taco_text *text, struct taco_span span) {
    return print_plain(text->source + span.begin, span.end - span.begin);
}

static void fill(int columns, int width) {
    printf("%*s", columns < width ? width - columns : 1, "");
}

enum { WORD_WIDTH = 16, RULE_WIDTH = 13, SPOKEN_WIDTH = 24 };

static void print_symbols(const struct taco_text *text, const char *const *names,
                          const struct taco_word *word) {
    const char *between = "";
    for (uint32_t i = 0; i < word->n_spoken; i++) {
        const struct taco_spoken_word *spoken = &text->spoken[word->first_spoken + i];
        for (uint32_t k = 0; k < spoken->n_symbols; k++) {
            const struct taco_symbol *symbol = &text->symbols[spoken->first_symbol + k];
            if (symbol->spoken == TACO_NO_WORD)
                continue;
            fputs(between, stdout);
            print_plain(names[symbol->id], strlen(names[symbol->id]));
            between = " ";
        }
        between = " | ";
    }
}

static void print_word(const struct taco_text *text, const char *const *names,
                       const struct taco_word *word) {
    int columns = 0;
    fputs("  ", stdout);
    fill(print_span(text, word->span), WORD_WIDTH);
    fill(printf("%s", word->rule), RULE_WIDTH);
    for (uint32_t i = 0; i < word->n_spoken; i++) {
        const char *spoken = text->spoken[word->first_spoken + i].text;
        columns += i ? printf(" ") : 0;
        columns += print_plain(spoken, strlen(spoken));
    }
    fill(columns, SPOKEN_WIDTH);
    print_symbols(text, names, word);
    putchar('\n');
}

static void print_table(const struct taco_voice *voice, const struct taco_text *text) {
    const char *const *names = taco_voice_info(voice)->symbols;
    if (text->lead > 0)
        printf("(silence of %g s)\n", (double)text->lead);
    for (uint32_t i = 0; i < text->n_chunks; i++) {
        const struct taco_chunk *chunk = &text->chunks[i];
        printf("%s%u. ", i ? "\n" : "", i + 1);
        print_span(text, chunk->span);
        putchar('\n');
        for (uint32_t k = 0; k < chunk->n_words; k++)
            print_word(text, names, &text->words[chunk->first_word + k]);
        if (chunk->speed < 1 || chunk->speed > 1)
            printf("  (speed times %g)\n", (double)chunk->speed);
        if (chunk->volume < 1 || chunk->volume > 1)
            printf("  (volume times %g)\n", (double)chunk->volume);
        if (chunk->pause > 0)
            printf("  (silence of %g s)\n", (double)chunk->pause);
    }
    for (uint32_t i = 0; i < text->n_notes; i++) {
        const struct taco_note *note = &text->notes[i];
        printf("%sbyte %u: %s", i ? "" : "\n", note->span.begin,
               taco_note_kind_name(note->kind));
        if (note->span.end > note->span.begin) {
            fputs(" '", stdout);
            print_span(text, note->span);
            putchar('\'');
        }
        if (*note->text) {
            fputs(": '", stdout);
            print_plain(note->text, strlen(note->text));
            putchar('\'');
        }
        putchar('\n');
    }
}

/* -- the command --------------------------------------------------------------------- */

static enum taco_status print_json(const struct taco_voice *voice,
                                   const struct taco_text *text, struct taco_error *err) {
    json_t *root = taco_reading_json(taco_voice_info(voice)->name, voice, text);
    if (!root)
        return taco_error_set(err, TACO_ERR_NO_MEMORY, NULL, "no memory");
    int failed = json_dumpf(root, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
    putchar('\n');
    json_decref(root);
    return failed ? taco_error_set(err, TACO_ERR_IO, NULL, "cannot print") : TACO_OK;
}

static enum taco_status run(struct show *show, struct taco_error *err) {
    struct taco_voice *voice = NULL;
    struct taco_text *text = NULL;
    struct taco_text_options *reading = &show->speech.request.text_options;
    reading->max_bytes = 64U << 20; /* a single user, who may look at a book */
    enum taco_status status =
        taco_argument_text(&show->text, &show->options, "text", err);
    /* The symbols alone are wanted: no weights need to be prepared. */
    if (!status && !(show->options.precision = taco_strdup("f32")))
        status = taco_error_set(err, TACO_ERR_NO_MEMORY, NULL, "no memory");
    if (!status)
        status = taco_voice_open_named(&voice, show->speech.voice, &show->options, err);
    if (!status)
        status = taco_text_analyse(voice, show->text.bytes, show->text.size, reading,
                                   &text, err);
    if (!status && show->options.json)
        status = print_json(voice, text, err);
    else if (!status)
        print_table(voice, text);
    taco_text_destroy(text);
    taco_voice_close(voice);
    return status;
}

int taco_command_text(int argc, char **argv) {
    struct show show = {.text = {NULL, 0, 0}};
    struct taco_error err = TACO_ERROR_INIT;
    int code = TACO_EXIT_OK;
    taco_speech_init(&show.speech);
    struct taco_field_flags fields = {&show.speech, TACO_FIELD_SHOW};
    const struct taco_more_flags flags = taco_field_flags(&fields);
    enum taco_status status =
        taco_options_read(&show.options, TACO_COMMAND_TEXT, argc, argv, &flags, &err);
    if (!status && show.options.help)
        print_help();
    else if (status || run(&show, &err))
        code = taco_command_fail("text", &err);
    taco_bytes_free(&show.text);
    taco_speech_free(&show.speech);
    taco_options_free(&show.options);
    return code;
}
