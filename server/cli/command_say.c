/* tacod say: speaks a text into a file or a pipe. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <taco/engine.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/memory.h"
#include "cli/argument_text.h"
#include "cli/command.h"
#include "cli/foreground.h"
#include "cli/say_output.h"
#include "config/options.h"
#include "speech/field_flags.h"
#include "voices/voices.h"

struct say {
    struct taco_options options;
    struct taco_speech speech;
    struct taco_bytes text;
    struct taco_output_file out;
    struct taco_audio_writer *writer; /* --stream */
    int write_errno;                  /* why writing the audio failed, or 0 */
    const struct taco_result *result;
    const struct taco_voice_info *info;
    int n_ticks; /* of the progress that is shown */
};

static void print_help(void) {
    fputs("usage: tacod say [OPTION]... TEXT...\n"
          "       tacod say [OPTION]... -          (reads standard input)\n"
          "       tacod say [OPTION]... -f FILE\n\n"
          "Speaks into -o FILE, or into standard output if that is a pipe or a file.\n"
          "--voice takes the built-in voice's name, or a file.\n\n",
          stdout);
    struct taco_field_flags fields = {.use = TACO_FIELD_SAY};
    const struct taco_more_flags flags = taco_field_flags(&fields);
    taco_options_print_help(stdout, TACO_COMMAND_SAY, &flags);
    fputs("\nExit codes: 0 done, 1 failure, 2 wrong option, 3 the text cannot be spoken "
          "(with\n"
          "--strict: its attention failed).\n",
          stdout);
}

/* -- what to say --------------------------------------------------------------------- */

static enum taco_status read_text(struct say *say, struct taco_error *err) {
    enum taco_status status = taco_argument_text(&say->text, &say->options, "say", err);
    say->speech.request.text = say->text.bytes;
    say->speech.request.text_length = say->text.size;
    return status;
}

/* -- saying it ----------------------------------------------------------------------- */

/* From the engine's threads when it streams, from main's else; the reason has to cross
 * over. */
static int write_audio(void *user, const void *bytes, size_t size) {
    struct say *say = user;
    bool ok = fwrite(bytes, 1, size, say->out.file) == size &&
              (!say->writer ||
               fflush(say->out.file) == 0); /* who listens to a pipe hears it now */
    if (!ok && !say->write_errno)
        say->write_errno = errno;
    return ok ? 0 : 1;
}

static enum taco_status cannot_write(const struct say *say, struct taco_error *err) {
    return taco_error_set(err, TACO_ERR_IO, "output", "cannot write the audio: %s",
                          strerror(say->write_errno));
}

static int on_audio(void *user, const float *samples, size_t n) {
    struct say *say = user;
    return taco_audio_writer_write(say->writer, samples, n, NULL) != TACO_OK;
}

/* After a while tells a person how far it is. */
static void print_progress(void *user, const struct taco_job *job) {
    struct say *say = user;
    uint32_t n_done, n_all;
    uint64_t n_frames;
    if (++say->n_ticks < 4)
        return;
    taco_job_progress(job, &n_done, &n_all, &n_frames);
    fprintf(stderr, "\r%u of %u sentences, %.1f s of speech\033[K", n_done, n_all,
            (double)n_frames * say->info->hop_length / say->info->sample_rate);
}

static enum taco_status speak(struct say *say, struct taco_engine *engine,
                              const struct taco_voice *voice, struct taco_error *err) {
    bool tell = isatty(STDERR_FILENO) && !say->options.quiet;
    const struct taco_foreground foreground = {.engine = engine,
                                               .voice = voice,
                                               .audio = say->writer ? on_audio : NULL,
                                               .tick = tell ? print_progress : NULL,
                                               .user = say};
    struct taco_error why = TACO_ERROR_INIT;
    say->info = taco_voice_info(voice);
    enum taco_status status =
        taco_foreground_speak(&foreground, &say->speech.request, &say->result, &why);
    if (say->n_ticks >= 4)
        fputs("\r\033[K", stderr);
    if (status == TACO_ERR_CANCELLED && say->write_errno) /* by our own callback */
        return cannot_write(say, err);
    return status ? taco_error_set(err, status, why.param, "%s", why.message) : TACO_OK;
}

/* Checks all that can be wrong before any work is done. */
static enum taco_status check(struct say *say, const struct taco_voice *voice,
                              struct taco_error *err) {
    enum taco_status status =
        taco_say_choose_format(&say->speech, say->options.output, err);
    if (!status && say->speech.events)
        status = taco_error_set(err, TACO_ERR_INVALID_ARGUMENT, "stream",
                                "--stream is true or false here: events are for HTTP");
    for (size_t i = 0; i < say->options.alignment.n && !status; i++) {
        enum taco_result_format form;
        status = taco_say_alignment_format(say->options.alignment.items[i], &form, err);
    }
    if (!status && (taco_speech_check(&say->speech, voice, err) ||
                    taco_speech_check_audio(&say->speech, voice, err)))
        status = err->status;
    return status;
}

static enum taco_status write_whole(struct say *say, struct taco_error *err) {
    void *audio = NULL;
    size_t size;
    enum taco_status status = taco_audio_encode(
        say->result->samples, (size_t)say->result->n_samples, say->result->sample_rate,
        &say->speech.audio, &audio, &size, err);
    if (!status && write_audio(say, audio, size))
        status = cannot_write(say, err);
    taco_free(audio);
    return status;
}

static enum taco_status say_with(struct say *say, struct taco_engine *engine,
                                 const struct taco_voice *voice, struct taco_error *err) {
    bool streaming = say->speech.request.streaming;
    enum taco_status status = taco_say_open(&say->out, say->options.output, err);
    if (status)
        return status;
    if (streaming) {
        struct taco_audio_options options = say->speech.audio;
        options.stream = true;
        status = taco_audio_writer_open(&say->writer, taco_voice_info(voice)->sample_rate,
                                        0, &options, write_audio, say, err);
    }
    if (!status)
        status = speak(say, engine, voice, err);
    if (!status && streaming) {
        struct taco_error why = TACO_ERROR_INIT;
        status = taco_audio_writer_finish(say->writer, &why);
        say->writer = NULL;
        if (status)
            status = say->write_errno
                         ? cannot_write(say, err)
                         : taco_error_set(err, status, why.param, "%s", why.message);
    } else if (!status) {
        status = write_whole(say, err);
    }
    taco_audio_writer_abort(say->writer);
    enum taco_status closed =
        taco_say_close(&say->out, say->options.output, status != TACO_OK, err);
    return status ? status : closed;
}

static enum taco_status run(struct say *say, struct taco_error *err) {
    struct taco_voice *voice = NULL;
    struct taco_engine *engine = NULL;
    struct taco_engine_options options = taco_engine_options_default();
    options.n_threads = say->options.threads;
    options.max_rows = say->options.rows;
    options.max_memory = SIZE_MAX; /* a single user, who may have a book read */
    options.max_audio = 0;
    enum taco_status status = read_text(say, err);
    if (!status)
        status = taco_voice_open_named(&voice, say->speech.voice, &say->options, err);
    if (!status)
        status = check(say, voice, err);
    if (!status)
        status = taco_engine_create(&engine, &options, err);
    if (!status)
        status = say_with(say, engine, voice, err);
    if (!status)
        status = taco_say_write_alignments(&say->options.alignment, say->result,
                                           say->speech.matrix, err);
    if (!status && !say->options.quiet)
        taco_say_print_notes(say->result);
    if (!status && say->options.verbose)
        taco_say_print_summary(say->result);
    taco_engine_destroy(engine);
    taco_result_unref(say->result);
    taco_voice_close(voice);
    return status;
}

int taco_command_say(int argc, char **argv) {
    struct say say = {0};
    struct taco_error err = TACO_ERROR_INIT;
    int code = TACO_EXIT_OK;
    taco_speech_init(&say.speech);
    struct taco_field_flags fields = {&say.speech, TACO_FIELD_SAY};
    const struct taco_more_flags flags = taco_field_flags(&fields);
    enum taco_status status =
        taco_options_read(&say.options, TACO_COMMAND_SAY, argc, argv, &flags, &err);
    if (!status && say.options.help)
        print_help();
    else if (status || run(&say, &err))
        code = taco_command_fail("say", &err);
    taco_bytes_free(&say.text);
    taco_speech_free(&say.speech);
    taco_options_free(&say.options);
    return code;
}
