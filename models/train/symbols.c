/* What a voice's front end makes of sentences, for a teacher that is driven by symbols.
 *
 *   symbols VOICE < SENTENCES > LINES
 *
 * Reads one sentence a line and writes one JSON object for each:
 *
 *   {"text": "...", "symbols": ["HH", "AH0", ...], "spoken": [[word, its first symbol, its
 *    number of symbols], ...]}
 *
 * Left out are sentences that the front end cuts in several chunks or cannot speak. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <taco/text.h>

static json_t *symbols_of(const struct taco_text *text, const char *const *names) {
    json_t *list = json_array();
    for (uint32_t i = 0; i < text->n_symbols; i++)
        json_array_append_new(list, json_string(names[text->symbols[i].id]));
    return list;
}

static json_t *spoken_of(const struct taco_text *text) {
    json_t *list = json_array();
    for (uint32_t i = 0; i < text->n_spoken; i++) {
        const struct taco_spoken_word *word = &text->spoken[i];
        json_array_append_new(list, json_pack("[s, I, I]", word->text,
                                              (json_int_t)word->first_symbol,
                                              (json_int_t)word->n_symbols));
    }
    return list;
}

int main(int argc, char **argv) {
    struct taco_error err = TACO_ERROR_INIT;
    struct taco_voice *voice = NULL;
    if (argc != 2) {
        fprintf(stderr, "usage: symbols VOICE\n");
        return 2;
    }
    if (taco_voice_open(&voice, argv[1], NULL, &err) != TACO_OK) {
        fprintf(stderr, "symbols: %s: %s\n", argv[1], err.message);
        return 1;
    }
    const char *const *names = taco_voice_info(voice)->symbols;
    char *line = NULL;
    size_t capacity = 0;
    while (getline(&line, &capacity, stdin) > 0) {
        struct taco_text *text = NULL;
        line[strcspn(line, "\n")] = '\0';
        if (taco_text_analyse(voice, line, strlen(line), NULL, &text, &err) != TACO_OK)
            continue;
        json_t *out = NULL;
        if (text->n_chunks == 1)
            out = json_pack("{s: s, s: o, s: o}", "text", line, "symbols",
                            symbols_of(text, names), "spoken", spoken_of(text));
        if (out && json_dumpf(out, stdout, JSON_COMPACT) == 0)
            putchar('\n');
        json_decref(out);
        taco_text_destroy(text);
    }
    free(line);
    taco_voice_close(voice);
    return ferror(stdout) || fflush(stdout) ? 1 : 0;
}
