#include "cli/batch_output.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "cli/folder_file.h"

struct taco_batch_output {
    int folder;
    const struct taco_strings *forms; /* endings of alignments */
    pthread_mutex_t lock;
    FILE *manifest, *failures;
    json_t *done; /* by id: the line of the manifest */
};

static enum taco_status no_memory(struct taco_error *err) {
    return taco_error_set(err, TACO_ERR_NO_MEMORY, "output",
                          "no memory for the manifest");
}

/* -- the manifest -------------------------------------------------------------------- */

/* A run that was killed may have left half a line: it is cut off. */
static enum taco_status read_manifest(struct taco_batch_output *output, int fd,
                                      struct taco_error *err) {
    FILE *in = fdopen(dup(fd), "r");
    if (!in)
        return taco_folder_fail(err, "read", "manifest.jsonl");
    enum taco_status status = TACO_OK;
    char *line = NULL;
    size_t size = 0, number = 0;
    off_t whole = 0;
    ssize_t length;
    while (!status && (length = getline(&line, &size, in)) >= 0 &&
           line[length - 1] == '\n') {
        number++;
        json_t *entry = json_loads(line, JSON_REJECT_DUPLICATES, NULL);
        const char *id = json_string_value(json_object_get(entry, "id"));
        if (!id)
            status =
                taco_error_set(err, TACO_ERR_FORMAT, "output",
                               "manifest.jsonl, line %zu is damaged: remove the line "
                               "to have its item spoken again",
                               number);
        else if (json_object_set(output->done, id, entry))
            status = no_memory(err);
        json_decref(entry);
        whole += length;
    }
    free(line);
    fclose(in);
    if (!status && (ftruncate(fd, whole) != 0 || lseek(fd, whole, SEEK_SET) < 0))
        status = taco_folder_fail(err, "write", "manifest.jsonl");
    return status;
}

static enum taco_status open_manifest(struct taco_batch_output *output,
                                      struct taco_error *err) {
    int fd = openat(output->folder, "manifest.jsonl", O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0)
        return taco_folder_fail(err, "open", "manifest.jsonl");
    enum taco_status status = read_manifest(output, fd, err);
    if (!status && !(output->manifest = fdopen(fd, "r+")))
        status = taco_folder_fail(err, "open", "manifest.jsonl");
    if (status) {
        close(fd);
        return status;
    }
    if (fseek(output->manifest, 0, SEEK_END) != 0)
        return taco_folder_fail(err, "open", "manifest.jsonl");
    int failures = openat(output->folder, "failures.jsonl",
                          O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    output->failures = failures < 0 ? NULL : fdopen(failures, "w");
    return output->failures ? TACO_OK : taco_folder_fail(err, "create", "failures.jsonl");
}

static enum taco_status add_line(FILE *out, const char *name, json_t *line,
                                 struct taco_error *err) {
    if (!line)
        return no_memory(err);
    bool ok = json_dumpf(line, out, JSON_COMPACT | JSON_REAL_PRECISION(9)) == 0 &&
              putc('\n', out) != EOF && fflush(out) == 0;
    return ok ? TACO_OK : taco_folder_fail(err, "write", name);
}

/* -- opening ------------------------------------------------------------------------- */

/* Items of other options would lie side by side in one folder. */
static enum taco_status check_options(const struct taco_batch_output *output,
                                      const struct taco_speech *command,
                                      const char *folder, struct taco_error *err) {
    json_t *given = taco_batch_given(command);
    if (!given)
        return no_memory(err);
    enum taco_status status = TACO_OK;
    int fd = openat(output->folder, "batch.json", O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        json_t *before = json_loadfd(fd, JSON_REJECT_DUPLICATES, NULL);
        close(fd);
        if (!json_equal(before, given)) {
            char *text = json_dumps(before, JSON_COMPACT | JSON_REAL_PRECISION(6));
            status = taco_error_set(err, TACO_ERR_INVALID_ARGUMENT, "output",
                                    "'%.80s' was begun with the options %.80s: give the "
                                    "same, or another folder",
                                    folder, text ? text : "of another version");
            free(text);
        }
        json_decref(before);
    } else {
        char *text = json_dumps(given, JSON_INDENT(2));
        status = text ? taco_folder_write(output->folder, "batch.json", text,
                                          strlen(text), err)
                      : no_memory(err);
        free(text);
    }
    json_decref(given);
    return status;
}

static enum taco_status make_folders(struct taco_batch_output *output, const char *folder,
                                     struct taco_error *err) {
    enum taco_status status = taco_folder_open(&output->folder, folder, err);
    if (status)
        return status;
    if (mkdirat(output->folder, "wavs", 0777) != 0 && errno != EEXIST)
        return taco_folder_fail(err, "create the folder", "wavs");
    if (output->forms->n && mkdirat(output->folder, "alignments", 0777) != 0 &&
        errno != EEXIST)
        return taco_folder_fail(err, "create the folder", "alignments");
    return TACO_OK;
}

enum taco_status taco_batch_output_open(struct taco_batch_output **out,
                                        const char *folder,
                                        const struct taco_strings *forms,
                                        const struct taco_speech *command,
                                        struct taco_error *err) {
    *out = NULL;
    struct taco_batch_output *output = taco_calloc(1, sizeof *output);
    if (!output)
        return no_memory(err);
    output->folder = -1;
    output->forms = forms;
    pthread_mutex_init(&output->lock, NULL);
    enum taco_status status = TACO_OK;
    for (size_t i = 0; i < forms->n && !status; i++) {
        enum taco_result_format form;
        status = taco_result_format_parse(forms->items[i], &form, err);
    }
    if (!status && !(output->done = json_object()))
        status = no_memory(err);
    if (!status)
        status = make_folders(output, folder, err);
    if (!status)
        status = check_options(output, command, folder, err);
    if (!status)
        status = open_manifest(output, err);
    if (status)
        taco_batch_output_close(output);
    else
        *out = output;
    return status;
}

void taco_batch_output_close(struct taco_batch_output *output) {
    if (!output)
        return;
    if (output->manifest)
        fclose(output->manifest);
    if (output->failures)
        fclose(output->failures);
    if (output->folder >= 0)
        close(output->folder);
    json_decref(output->done);
    pthread_mutex_destroy(&output->lock);
    taco_free(output);
}

/* -- items --------------------------------------------------------------------------- */

bool taco_batch_output_has(const struct taco_batch_output *output,
                           const struct taco_batch_item *item) {
    const json_t *entry = json_object_get(output->done, item->id);
    const char *audio = json_string_value(json_object_get(entry, "audio"));
    return audio && json_equal(json_object_get(entry, "request"), item->fields) &&
           faccessat(output->folder, audio, R_OK, 0) == 0;
}

static enum taco_status write_alignment(const struct taco_batch_output *output,
                                        const struct taco_batch_item *item,
                                        const char *ending,
                                        const struct taco_speech *speech,
                                        const struct taco_result *result,
                                        struct taco_error *err) {
    struct taco_format_options options = taco_format_options_default();
    options.matrix = speech->matrix;
    options.id = item->id;
    enum taco_result_format form;
    char *bytes = NULL, name[TACO_BATCH_MAX_ID + 48];
    size_t size = 0;
    enum taco_status status = taco_result_format_parse(ending, &form, err);
    if (!status)
        status = taco_result_write(result, form, &options, &bytes, &size, err);
    if (status)
        return status;
    snprintf(name, sizeof name, "alignments/%s.%s", item->id,
             taco_result_extension(form));
    status = taco_folder_write(output->folder, name, bytes, size, err);
    free(bytes);
    return status;
}

/* "it costs five dollars": the words as they are spoken. */
static json_t *spoken_text(const struct taco_text *text) {
    size_t size = 1;
    for (uint32_t i = 0; i < text->n_spoken; i++)
        size += strlen(text->spoken[i].text) + 1;
    char *joined = malloc(size), *end = joined;
    if (!joined)
        return NULL;
    for (uint32_t i = 0; i < text->n_spoken; i++) {
        if (i)
            *end++ = ' ';
        size_t n = strlen(text->spoken[i].text);
        memcpy(end, text->spoken[i].text, n);
        end += n;
    }
    json_t *string = json_stringn(joined, (size_t)(end - joined));
    free(joined);
    return string;
}

static json_t *entry_of(const struct taco_batch_item *item, const char *audio,
                        const struct taco_result *result, int sample_rate) {
    return json_pack("{s:s, s:s, s:s, s:o, s:f, s:i, s:I, s:b, s:O}", "id", item->id,
                     "audio", audio, "text", item->text, "spoken",
                     spoken_text(result->text), "seconds",
                     (double)result->n_samples / result->sample_rate, "sample_rate",
                     sample_rate, "seed", (json_int_t)result->seed, "ok",
                     result->diagnostics.ok, "request", item->fields);
}

enum taco_status taco_batch_output_write(struct taco_batch_output *output,
                                         const struct taco_batch_item *item,
                                         const struct taco_speech *speech,
                                         const struct taco_result *result,
                                         struct taco_error *err) {
    char name[TACO_BATCH_MAX_ID + 32];
    snprintf(name, sizeof name, "wavs/%s.%s", item->id,
             taco_audio_format_name(speech->audio.format));
    void *audio = NULL;
    size_t size = 0;
    enum taco_status status =
        taco_audio_encode(result->samples, (size_t)result->n_samples, result->sample_rate,
                          &speech->audio, &audio, &size, err);
    if (!status)
        status = taco_folder_write(output->folder, name, audio, size, err);
    free(audio);
    for (size_t i = 0; i < output->forms->n && !status; i++)
        status =
            write_alignment(output, item, output->forms->items[i], speech, result, err);
    if (status)
        return status;
    int rate = taco_audio_output_rate(speech->audio.format, result->sample_rate,
                                      speech->audio.sample_rate);
    pthread_mutex_lock(&output->lock);
    json_t *entry = entry_of(item, name, result, rate);
    status = add_line(output->manifest, "manifest.jsonl", entry, err);
    if (!status && json_object_set(output->done, item->id, entry))
        status = no_memory(err);
    json_decref(entry);
    pthread_mutex_unlock(&output->lock);
    return status;
}

enum taco_status taco_batch_output_fail(struct taco_batch_output *output,
                                        const struct taco_batch_item *item,
                                        const struct taco_error *why,
                                        struct taco_error *err) {
    pthread_mutex_lock(&output->lock);
    json_t *line =
        json_pack("{s:s, s:I, s:s, s:s}", "id", item->id, "line", (json_int_t)item->line,
                  "code", taco_status_name(why->status), "message", why->message);
    enum taco_status status = add_line(output->failures, "failures.jsonl", line, err);
    json_decref(line);
    pthread_mutex_unlock(&output->lock);
    return status;
}

/* A bar or a line's end inside a text would shift the columns. */
static void put_column(FILE *out, const char *text) {
    for (; *text; text++)
        putc(*text == '|' || *text == '\n' || *text == '\r' ? ' ' : *text, out);
}

enum taco_status taco_batch_output_finish(struct taco_batch_output *output,
                                          const struct taco_batch_list *list,
                                          struct taco_error *err) {
    char *bytes = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&bytes, &size);
    if (!out)
        return no_memory(err);
    for (size_t i = 0; i < list->n; i++) {
        const json_t *entry = json_object_get(output->done, list->items[i].id);
        const char *spoken = json_string_value(json_object_get(entry, "spoken"));
        if (!spoken)
            continue;
        fprintf(out, "%s|", list->items[i].id);
        put_column(out, list->items[i].text);
        putc('|', out);
        put_column(out, spoken);
        putc('\n', out);
    }
    bool ok = fclose(out) == 0;
    enum taco_status status =
        ok ? taco_folder_write(output->folder, "metadata.csv", bytes, size, err)
           : no_memory(err);
    free(bytes);
    return status;
}
