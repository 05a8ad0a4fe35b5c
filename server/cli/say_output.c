#include "cli/say_output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/error.h"

static bool is_standard_output(const char *path) {
    return !path || strcmp(path, "-") == 0;
}

enum taco_status taco_say_open(struct taco_output_file *out, const char *path,
                               struct taco_error *err) {
    *out = (struct taco_output_file){.file = stdout};
    if (!is_standard_output(path))
        return taco_output_file_open(out, "output", path, err);
    return isatty(STDOUT_FILENO)
               ? taco_error_set(err, TACO_ERR_INVALID_ARGUMENT, "output",
                                "standard output is a terminal: give -o FILE, or a pipe")
               : TACO_OK;
}

enum taco_status taco_say_close(struct taco_output_file *out, const char *path,
                                bool failed, struct taco_error *err) {
    if (!is_standard_output(path))
        return taco_output_file_close(out, failed, "output", path, err);
    errno = 0;
    bool bad = fflush(stdout) != 0 || ferror(stdout);
    int reason = errno ? errno : EIO;
    clearerr(stdout); /* it is told here, once */
    return bad ? taco_error_set(err, TACO_ERR_IO, "output",
                                "cannot write standard output: %s", strerror(reason))
               : TACO_OK;
}

enum taco_status taco_say_choose_format(struct taco_speech *speech, const char *path,
                                        struct taco_error *err) {
    if (speech->has_format || is_standard_output(path))
        return TACO_OK; /* wav unless it was named */
    const char *name = strrchr(path, '/');
    const char *ending = strrchr(name ? name : path, '.');
    if (!ending)
        return TACO_OK;
    ending++;
    static const struct {
        const char *ending, *format;
    } others[] = {{"ogg", "opus"}, {"oga", "opus"}, {"aif", "aiff"}, {"raw", "pcm"},
                  {"ul", "ulaw"},  {"al", "alaw"},  {"wave", "wav"}};
    const char *format = ending;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcasecmp(ending, others[i].ending) == 0)
            format = others[i].format;
    if (strcmp(ending, "null") != 0 &&
        taco_audio_format_parse(format, &speech->audio.format, NULL) != TACO_OK)
        return taco_error_set(
            err, TACO_ERR_INVALID_ARGUMENT, "format",
            "the ending of '%.100s' is no audio format: choose one with "
            "--format",
            path);
    return TACO_OK;
}

enum taco_status taco_say_alignment_format(const char *path,
                                           enum taco_result_format *format,
                                           struct taco_error *err) {
    const char *name = strrchr(path, '/');
    name = name ? name + 1 : path;
    const char *last = strrchr(name, '.');
    if (!last)
        return taco_error_set(
            err, TACO_ERR_INVALID_ARGUMENT, "alignment",
            "'%.100s' has no ending that tells the form: .json .svg .png "
            ".npy .srt .vtt .TextGrid .mel.npy .mel.png",
            path);
    for (const char *dot = last; dot > name;)
        if (*--dot == '.' && taco_result_format_parse(dot + 1, format, NULL) == TACO_OK)
            return TACO_OK; /* "mel.npy" */
    return taco_result_format_parse(last + 1, format, err);
}

static enum taco_status write_alignment(const char *path,
                                        const struct taco_result *result,
                                        enum taco_matrix_encoding matrix,
                                        struct taco_error *err) {
    enum taco_result_format form;
    struct taco_format_options options = taco_format_options_default();
    options.matrix = matrix;
    char *bytes;
    size_t size;
    enum taco_status status = taco_say_alignment_format(path, &form, err);
    if (!status)
        status = taco_result_write(result, form, &options, &bytes, &size, err);
    if (status)
        return status;
    struct taco_output_file out;
    status = taco_output_file_open(&out, "alignment", path, err);
    if (!status) {
        fwrite(bytes, 1, size, out.file); /* an error shows when it is closed */
        status = taco_output_file_close(&out, false, "alignment", path, err);
    }
    free(bytes);
    return status;
}

enum taco_status taco_say_write_alignments(const struct taco_strings *paths,
                                           const struct taco_result *result,
                                           enum taco_matrix_encoding matrix,
                                           struct taco_error *err) {
    enum taco_status status = TACO_OK;
    for (size_t i = 0; i < paths->n && !status; i++)
        status = write_alignment(paths->items[i], result, matrix, err);
    return status;
}

/* One line for all notes of a kind: the first, and how many there are. */
static void print_notes_of(const struct taco_text *text, enum taco_note_kind kind,
                           const char *what) {
    const struct taco_note *first = NULL;
    uint32_t n = 0;
    for (uint32_t i = 0; i < text->n_notes; i++)
        if (text->notes[i].kind == kind && n++ == 0)
            first = &text->notes[i];
    if (!first)
        return;
    int length = (int)(first->span.end - first->span.begin);
    fprintf(stderr, "tacod say: byte %u: %s%.*s%s%s%s%s%s", first->span.begin,
            length ? "'" : "", length < 60 ? length : 60,
            text->source + first->span.begin, length ? "' " : "", what,
            *first->text ? " '" : "", first->text, *first->text ? "'" : "");
    if (n > 1)
        fprintf(stderr, ", and %u more like it", n - 1);
    fputc('\n', stderr);
}

void taco_say_print_notes(const struct taco_result *result) {
    /* That a sentence without a full stop is read as one surprises nobody. */
    print_notes_of(result->text, TACO_NOTE_DROPPED, "left out");
    print_notes_of(result->text, TACO_NOTE_REPLACED, "read as");
    print_notes_of(result->text, TACO_NOTE_IGNORED, "has no effect:");
    print_notes_of(result->text, TACO_NOTE_SPLIT, "a long sentence was split here");
    if (!result->diagnostics.ok)
        fprintf(stderr,
                "tacod say: the attention failed in places: coverage %.0f %%, %u jumps "
                "back, %u ahead; another --seed or --max-attempts may help\n",
                (double)result->diagnostics.coverage * 100,
                result->diagnostics.backward_jumps, result->diagnostics.forward_jumps);
    if (result->n_clipped)
        fprintf(stderr, "tacod say: %llu samples were clipped: lower --volume\n",
                (unsigned long long)result->n_clipped);
}

void taco_say_print_summary(const struct taco_result *result) {
    const struct taco_stage_times *t = &result->times;
    fprintf(stderr,
            "seed %llu, %.3f s of speech in %.3f s; %u sentence%s, %u words, %u symbols\n"
            "text %.1f ms, encoder %.1f ms, decoder %.1f ms, postnet %.1f ms, vocoder "
            "%.1f ms\n"
            "coverage %.3f, focus %.3f, %.2f frames a symbol\n",
            (unsigned long long)result->seed,
            (double)result->n_samples / result->sample_rate, t->total, result->n_chunks,
            result->n_chunks == 1 ? "" : "s", result->text->n_words,
            result->text->n_symbols, t->text * 1e3, t->encoder * 1e3, t->decoder * 1e3,
            t->postnet * 1e3, t->vocoder * 1e3, (double)result->diagnostics.coverage,
            (double)result->diagnostics.focus,
            (double)result->diagnostics.frames_per_symbol);
}
