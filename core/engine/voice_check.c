/* A voice's self-test: what its front end covers, and whether a spoken sentence is sound.
 */
#include "base/error.h"
#include "base/memory.h"
#include "engine/buffer.h"
#include "engine/voice.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <taco/engine.h>

static const char sentence[] = "The quick brown fox jumps over the lazy dog.";

static bool all_finite(const float *values, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (!isfinite(values[i]))
            return false;
    return true;
}

/* What of the result is not finite; NULL: all is. */
static const char *find_unsound(const struct taco_result *result) {
    size_t n_mels = (size_t)taco_voice_info(result->voice)->n_mels;
    for (uint32_t i = 0; i < result->n_chunks; i++) {
        const struct taco_chunk_result *c = &result->chunks[i];
        if (!all_finite(c->alignment, (size_t)c->n_steps * c->n_symbols))
            return "attention";
        if (!all_finite(c->gate, c->n_steps))
            return "gate";
        if (!all_finite(c->mel, c->n_frames * n_mels))
            return "mel";
    }
    return all_finite(result->samples, result->n_samples) ? NULL : "audio";
}

static void describe_speech(const struct taco_result *result,
                            struct taco_buffer *report) {
    const struct taco_diagnostics *d = &result->diagnostics;
    taco_buffer_format(report, "spoken: \"%s\", %u symbols, ", sentence,
                       result->text->n_symbols);
    taco_buffer_decimal(report, (double)result->n_samples / result->sample_rate, 2);
    taco_buffer_format(
        report, " s, stopped by %s\n",
        taco_stop_reason_name(result->chunks[result->n_chunks - 1].stop_reason));
    taco_buffer_text(report, "attention: coverage ");
    taco_buffer_decimal(report, (double)d->coverage, 2);
    taco_buffer_text(report, ", focus ");
    taco_buffer_decimal(report, (double)d->focus, 2);
    taco_buffer_format(report, ", %u backward jumps: %s\n", d->backward_jumps,
                       d->ok ? "read the sentence from beginning to end"
                             : "did not read the sentence well");
}

/* Speaks the sentence. False: the voice is not sound, as the report says, or *status
 * tells of something else. */
static bool check_speech(const struct taco_voice *voice, struct taco_buffer *report,
                         enum taco_status *status, struct taco_error *err) {
    struct taco_engine_options options = taco_engine_options_default();
    struct taco_request request = taco_request_default();
    struct taco_error cause = TACO_ERROR_INIT;
    struct taco_engine *engine;
    const struct taco_result *result;
    options.n_threads = options.max_rows = options.max_jobs = 1;
    request.text = sentence;
    request.text_length = strlen(sentence);
    request.has_seed = true;
    *status = taco_engine_create(&engine, &options, err);
    if (*status != TACO_OK)
        return false;
    enum taco_status spoken = taco_engine_speak(engine, voice, &request, &result, &cause);
    bool sound = spoken == TACO_OK;
    if (spoken == TACO_ERR_NO_MEMORY) {
        *status = taco_error_set(err, spoken, NULL, "%s", cause.message);
    } else if (!sound) {
        taco_buffer_format(report, "spoken: \"%s\" failed: %s\n", sentence,
                           cause.message);
    } else {
        const char *unsound = find_unsound(result);
        describe_speech(result, report);
        if (unsound)
            taco_buffer_format(report, "numbers: the %s is not finite\n", unsound);
        else
            taco_buffer_text(report, "numbers: all finite\n");
        sound = !unsound;
        taco_result_unref(result);
    }
    taco_engine_destroy(engine);
    return sound;
}

enum taco_status taco_voice_check(const struct taco_voice *voice, char **report,
                                  struct taco_error *err) {
    struct taco_buffer lines = TACO_BUFFER_INIT;
    struct taco_error cause = TACO_ERROR_INIT;
    char *covered = NULL;
    *report = NULL;
    enum taco_status status = taco_front_end_coverage(voice->front_end, &covered, &cause);
    bool covers = status == TACO_OK;
    if (covered)
        taco_buffer_text(&lines, covered);
    free(covered);
    if (!covers && status != TACO_ERR_FORMAT)
        goto fail;
    cause = (struct taco_error)TACO_ERROR_INIT;
    bool sound = check_speech(voice, &lines, &status, &cause);
    if (status == TACO_OK && lines.failed)
        status =
            taco_error_set(&cause, TACO_ERR_NO_MEMORY, NULL, "no memory for the report");
    if (status != TACO_OK)
        goto fail;
    *report = lines.data;
    if (covers && sound)
        return TACO_OK;
    return taco_error_set(err, TACO_ERR_FORMAT, NULL, "the voice %s %s", voice->info.name,
                          sound ? "lacks symbols that its front end makes"
                                : "does not speak the test sentence soundly");
fail:
    taco_buffer_free(&lines);
    return taco_error_set(err, status, cause.param, "%s", cause.message);
}
