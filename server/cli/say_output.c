#include "cli/say_output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"

static bool is_standard_output(const char *path) {
    return !path || strcmp(path, "-") == 0;
}

enum taco_status taco_say_open(FILE **out, const char *path, struct taco_error *err) {
    *out = stdout;
    if (is_standard_output(path))
        return isatty(STDOUT_FILENO)
                   ? taco_error_set(
                         err, TACO_ERR_INVALID_ARGUMENT, "output",
                         "standard output is a terminal: give -o FILE, or a pipe")
                   : TACO_OK;
    *out = fopen(path, "we");
    return *out ? TACO_OK
                : taco_error_set(err, TACO_ERR_IO, "output", "cannot open '%.150s': %s",
                                 path, strerror(errno));
}

enum taco_status taco_say_close(FILE *out, const char *path, bool failed,
                                struct taco_error *err) {
    struct stat info;
    bool is_file = fstat(fileno(out), &info) == 0 && S_ISREG(info.st_mode);
    bool standard = is_standard_output(path);
    errno = 0;
    bool bad = fflush(out) != 0 || ferror(out);
    int reason = errno ? errno : EIO;
    clearerr(out); /* it is told here, once */
    if (!standard && fclose(out) != 0 && !bad) {
        bad = true;
        reason = errno;
    }
    if (!standard && is_file && (failed || bad))
        remove(path);
    return bad ? taco_error_set(err, TACO_ERR_IO, "output", "cannot write %s%.150s%s: %s",
                                standard ? "" : "'", standard ? "standard output" : path,
                                standard ? "" : "'", strerror(reason))
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
    FILE *out = fopen(path, "we");
    bool ok = out && fwrite(bytes, 1, size, out) == size;
    int reason = errno;
    if (out && fclose(out) != 0 && ok) {
        ok = false;
        reason = errno;
    }
    free(bytes);
    return ok ? TACO_OK
              : taco_error_set(err, TACO_ERR_IO, "alignment", "cannot write '%.150s': %s",
                               path, strerror(reason));
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

void taco_say_print_notes(const struct taco_result *result) {
    static const char *const what[] = {
        [TACO_NOTE_DROPPED] = "left out",
        [TACO_NOTE_REPLACED] = "read as",
        [TACO_NOTE_FINAL_PUNCTUATION] = "the sentence had no end, and got a final",
        [TACO_NOTE_SPLIT] = "an over-long sentence was cut here"};
    const struct taco_text *text = result->text;
    for (uint32_t i = 0; i < text->n_notes; i++) {
        const struct taco_note *note = &text->notes[i];
        int length = (int)(note->span.end - note->span.begin);
        fprintf(stderr, "tacod say: byte %u: %s%.*s%s%s%s%s%s\n", note->span.begin,
                length ? "'" : "", length < 60 ? length : 60,
                text->source + note->span.begin, length ? "' " : "", what[note->kind],
                *note->text ? " '" : "", note->text, *note->text ? "'" : "");
    }
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
