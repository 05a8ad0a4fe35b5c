/* The failures of a result, for people: where in the text, when, and a sentence. */
#include <stdio.h>
#include <string.h>

#include "engine/faults.h"
#include "engine/voice.h"

struct taco_reading taco_reading_of(const struct taco_voice *voice,
                                    const struct taco_symbol *symbols) {
    const struct taco_voice_info *info = &voice->info;
    return (struct taco_reading){
        .symbols = symbols,
        .frames_per_step = info->n_frames_per_step,
        .frames_per_second = (float)info->sample_rate / (float)info->hop_length,
        .usual_pace = voice->hparams.frames_per_symbol,
    };
}

static struct taco_reading reading_of(const struct taco_result *result, uint32_t i) {
    const struct taco_chunk_result *chunk = &result->chunks[i];
    struct taco_reading r = taco_reading_of(
        result->voice, result->text->symbols + result->text->chunks[i].first_symbol);
    r.alignment = chunk->alignment;
    r.n_steps = chunk->n_steps;
    r.n_symbols = chunk->n_symbols;
    r.n_frames = chunk->n_frames;
    r.stop_reason = chunk->stop_reason;
    return r;
}

/* From the first symbol's place in the text to the last one's. */
static struct taco_span span_of(const struct taco_symbol *symbols,
                                const struct taco_fault *fault) {
    struct taco_span span = symbols[fault->first_symbol].span;
    for (uint32_t j = fault->first_symbol; j < fault->end_symbol; j++) {
        const struct taco_span *s = &symbols[j].span;
        if (s->end > span.end) {
            span.end = s->end;
            span.end_cp = s->end_cp;
        }
    }
    return span;
}

/* A step's time in the audio, not behind the chunk's end. */
static double time_of(const struct taco_result *result, uint32_t i, uint32_t step) {
    const struct taco_voice_info *info = &result->voice->info;
    const struct taco_chunk_result *chunk = &result->chunks[i];
    double samples =
        (double)step * info->n_frames_per_step * info->hop_length / (double)chunk->speed;
    if (samples > (double)chunk->n_samples)
        samples = (double)chunk->n_samples;
    return ((double)chunk->first_sample + samples) / result->sample_rate;
}

/* At most so many bytes of the span, whole characters, and whether it was cut. */
static int quoted(const struct taco_result *result, const struct taco_span *span,
                  bool *cut) {
    uint32_t most = 80, n = span->end - span->begin;
    *cut = n > most;
    if (!*cut)
        return (int)n;
    while (most > 0 &&
           ((unsigned char)result->text->source[span->begin + most] & 0xC0) == 0x80)
        most--;
    return (int)most;
}

static void write_sentence(const struct taco_result *result, const struct taco_reading *r,
                           struct taco_failure *f) {
    bool cut;
    int n = quoted(result, &f->span, &cut);
    const char *at = result->text->source + f->span.begin, *dots = cut ? "..." : "";
    double seconds = f->times.end - f->times.start;
    size_t size = sizeof f->sentence;
    switch (f->kind) {
    case TACO_FLAW_SKIP:
        snprintf(f->sentence, size, "\"%.*s%s\" was left out.", n, at, dots);
        break;
    case TACO_FLAW_REPEAT:
        snprintf(f->sentence, size, "\"%.*s%s\" was read again.", n, at, dots);
        break;
    case TACO_FLAW_STALL:
        snprintf(f->sentence, size, "A sound of \"%.*s%s\" was held for %.1f seconds.", n,
                 at, dots, seconds);
        break;
    case TACO_FLAW_RUN_ON:
        snprintf(f->sentence, size,
                 "The speech went on for %.1f seconds behind the end of the text.",
                 seconds);
        break;
    case TACO_FLAW_CUT_OFF:
        snprintf(f->sentence, size, "The speech ended before \"%.*s%s\".", n, at, dots);
        break;
    case TACO_FLAW_DRAGGING:
        snprintf(f->sentence, size,
                 "The speech drags: %.1f frames a symbol, where the voice usually takes "
                 "%.1f.",
                 (double)r->n_frames / r->n_symbols, (double)r->usual_pace);
        break;
    }
}

uint32_t taco_result_failures(const struct taco_result *result, struct taco_failure *out,
                              uint32_t max) {
    struct taco_fault faults[TACO_MAX_FAULTS];
    uint32_t n_all = 0;
    for (uint32_t i = 0; i < result->n_chunks; i++) {
        if (result->chunks[i].diagnostics.ok)
            continue;
        struct taco_reading r = reading_of(result, i);
        uint32_t n = taco_faults_find(&r, faults);
        for (uint32_t k = 0; k < n; k++, n_all++) {
            if (n_all >= max)
                continue;
            struct taco_failure *f = &out[n_all];
            *f = (struct taco_failure){
                .kind = faults[k].kind,
                .chunk = i,
                .span = span_of(r.symbols, &faults[k]),
                .times = {time_of(result, i, faults[k].first_step),
                          time_of(result, i, faults[k].end_step)},
            };
            write_sentence(result, &r, f);
        }
    }
    return n_all;
}
