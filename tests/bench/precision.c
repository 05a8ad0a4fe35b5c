/* How far bf16 and int8 lead from f32.
 *
 *   precision VOICE [SENTENCES [ROUNDS]]
 *
 * Decodes the sentences of a file, one a line, in so many rounds, each with other seeds
 * (without a file: texts of random symbols, for models that were never trained), in f32
 * and then in each precision with the same seeds, so with the same dropout masks:
 *   teacher  fed the f32 mel frame by frame, as the f32 row was fed its own
 *   free     fed its own mel
 * and prints lines `name value`: the mean absolute error of the log mel (natural
 * logarithm of the magnitude, before and after the postnet), and the part of the frames
 * whose alignment has its largest weight at the same symbol; over all rounds, in the
 * worst of them, and in the worst row. The f32 row ends by itself; the others run as
 * long.
 */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/voice.h"
#include "support/measure.h"

enum { N_RANDOM = 8, RANDOM_SYMBOLS = 60, RANDOM_FRAMES = 300, MOST_STEPS = 1000 };

struct text {
    int32_t *ids;
    int n_ids, n_steps; /* steps of the f32 row */
    float *mel, *gate, *alignment;
    float *log_mel, *log_post; /* of the f32 row [n_frames, n_mels] */
    int *argmax;               /* [n_steps] of the f32 row */
};

struct texts {
    struct text *all;
    int n, n_rounds; /* n: of all rounds */
    bool random;
};

static struct texts texts_of_lines(const struct taco_voice *voice, const char *path,
                                   int n_rounds) {
    struct taco_error err = TACO_ERROR_INIT;
    size_t n_lines;
    char **lines = test_read_lines(path, &n_lines);
    size_t n = n_lines * (size_t)n_rounds;
    struct texts texts = {test_need(n, sizeof *texts.all), (int)n, n_rounds, false};
    for (size_t i = 0; i < n; i++) {
        const char *line = lines[i % n_lines];
        struct taco_text *text;
        test_expect(taco_text_analyse(voice, line, strlen(line), NULL, &text, &err),
                    &err);
        struct text *to = &texts.all[i];
        to->n_ids = (int)text->chunks[0].n_symbols;
        to->ids = test_need((size_t)to->n_ids, sizeof *to->ids);
        for (int j = 0; j < to->n_ids; j++)
            to->ids[j] = text->symbols[j].id;
        taco_text_destroy(text);
    }
    free(lines);
    return texts;
}

static struct texts texts_at_random(const struct taco_voice *voice) {
    struct texts texts = {test_need(N_RANDOM, sizeof *texts.all), N_RANDOM, 1, true};
    for (int i = 0; i < N_RANDOM; i++) {
        struct taco_rng_key key = {(uint64_t)i + 1, 0, 0};
        float u[RANDOM_SYMBOLS];
        taco_rng_uniform(&key, 0, 0, RANDOM_SYMBOLS, u);
        struct text *to = &texts.all[i];
        to->n_ids = RANDOM_SYMBOLS;
        to->ids = test_need(RANDOM_SYMBOLS, sizeof *to->ids);
        for (int j = 0; j < RANDOM_SYMBOLS; j++) {
            int id = (int)(u[j] / 6.2831855f * (float)voice->hparams.n_symbols);
            to->ids[j] = abs(id) % voice->hparams.n_symbols;
        }
    }
    return texts;
}

static size_t values_of(const struct taco_voice *voice, int n_steps) {
    return (size_t)n_steps *
           (size_t)(voice->hparams.n_frames_per_step * voice->hparams.n_mels);
}

/* ln of the magnitudes of mel [n_steps * r, n_mels], in place. */
static void take_logs(const struct taco_voice *voice, int n_steps, float *mel) {
    size_t n = values_of(voice, n_steps);
    taco_vocoder_mel_linear(voice->vocoder, mel,
                            n_steps * voice->hparams.n_frames_per_step, mel);
    for (size_t i = 0; i < n; i++)
        mel[i] = logf(fmaxf(mel[i], 1e-5f)) / voice->audio.mel_power;
}

/* *before, *after: log mels of the rows' frames, to be freed. */
static void log_mels(const struct taco_voice *voice, const float *mel, int n_steps,
                     float **before, float **after) {
    size_t n = values_of(voice, n_steps);
    struct taco_arena scratch = TACO_ARENA_INIT;
    *before = test_need(n, sizeof **before);
    *after = test_need(n, sizeof **after);
    memcpy(*before, mel, n * sizeof *mel);
    if (taco_postnet_forward(voice->model, mel,
                             n_steps * voice->hparams.n_frames_per_step, &scratch,
                             *after) != TACO_OK)
        exit(1);
    taco_arena_free(&scratch);
    take_logs(voice, n_steps, *before);
    take_logs(voice, n_steps, *after);
}

static int argmax(const float *x, int n) {
    int best = 0;
    for (int i = 1; i < n; i++)
        best = x[i] > x[best] ? i : best;
    return best;
}

/* Decodes all texts together. With n_steps of 0 a row ends by itself, otherwise after so
 * many steps; teach: it is fed the mel of before. */
static void decode(const struct taco_voice *voice, struct texts *texts, bool teach) {
    const struct taco_hparams *h = &voice->hparams;
    struct taco_error err = TACO_ERROR_INIT;
    struct taco_decoder *decoder;
    struct taco_row *rows = test_need((size_t)texts->n, sizeof *rows);
    struct taco_memory *memories = test_need((size_t)texts->n, sizeof *memories);
    struct taco_arena keep = TACO_ARENA_INIT, scratch = TACO_ARENA_INIT;
    test_expect(taco_decoder_create(&decoder, voice->model, texts->n, &err), &err);
    for (int i = 0; i < texts->n; i++) {
        struct text *text = &texts->all[i];
        int most = text->n_steps ? text->n_steps : MOST_STEPS;
        if (!text->n_steps && texts->random)
            most = RANDOM_FRAMES;
        if (taco_encoder_forward(voice->model, text->ids, text->n_ids, 0, 0, NULL, &keep,
                                 &scratch, &memories[i]) != TACO_OK)
            exit(1);
        taco_arena_reset(&scratch);
        if (!text->n_steps) {
            text->mel = test_need(values_of(voice, most), sizeof(float));
            text->gate = test_need((size_t)(most * h->gate_dim), sizeof(float));
            text->alignment = test_need((size_t)(most * text->n_ids), sizeof(float));
        }
        rows[i] = (struct taco_row){
            .memory = &memories[i],
            .seed = (uint64_t)i + 1,
            .max_steps = most,
            .ignore_gate = text->n_steps > 0 || texts->random,
            .watch_end = !text->n_steps && !texts->random,
            .mel = text->mel,
            .gate = text->gate,
            .alignment = text->alignment,
        };
        if (teach) { /* the row's output goes elsewhere */
            rows[i].teacher = text->mel;
            rows[i].mel = test_need(values_of(voice, most), sizeof(float));
        }
        test_expect(taco_decoder_add(decoder, &rows[i], &err), &err);
    }
    while (taco_decoder_count(decoder) > 0)
        taco_decoder_step(decoder, NULL);
    for (int i = 0; i < texts->n; i++) {
        texts->all[i].n_steps = rows[i].n_steps;
        if (teach)
            texts->all[i].mel = rows[i].mel;
    }
    taco_decoder_destroy(decoder);
    taco_arena_free(&keep);
    taco_arena_free(&scratch);
    free(rows);
    free(memories);
}

static void keep_reference(const struct taco_voice *voice, struct text *text) {
    log_mels(voice, text->mel, text->n_steps, &text->log_mel, &text->log_post);
    text->argmax = test_need((size_t)text->n_steps, sizeof *text->argmax);
    for (int t = 0; t < text->n_steps; t++)
        text->argmax[t] = argmax(text->alignment + t * text->n_ids, text->n_ids);
}

static double mean_difference(const float *a, const float *b, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += fabs((double)a[i] - (double)b[i]);
    return sum / (double)n;
}

/* Sums over rows, weighted by their steps. */
struct sums {
    double steps, before, after, same;
};

static void compare_row(const struct taco_voice *voice, const struct text *text,
                        struct sums *sums) {
    size_t n = values_of(voice, text->n_steps);
    float *log_mel, *log_post;
    log_mels(voice, text->mel, text->n_steps, &log_mel, &log_post);
    sums->steps += text->n_steps;
    sums->before += text->n_steps * mean_difference(log_mel, text->log_mel, n);
    sums->after += text->n_steps * mean_difference(log_post, text->log_post, n);
    for (int t = 0; t < text->n_steps; t++)
        sums->same +=
            argmax(text->alignment + t * text->n_ids, text->n_ids) == text->argmax[t];
    free(log_mel);
    free(log_post);
}

/* False: further from f32 than the default may be. */
static bool compare(const struct taco_voice *voice, const struct texts *texts,
                    const char *precision, const char *how) {
    struct sums all = {0, 0, 0, 0};
    double worst_row = 1, worst_round = 1, worst_mel = 0;
    int n = texts->n / texts->n_rounds;
    for (int round = 0; round < texts->n_rounds; round++) {
        struct sums sums = {0, 0, 0, 0};
        for (int i = round * n; i < (round + 1) * n; i++) {
            struct sums row = {0, 0, 0, 0};
            compare_row(voice, &texts->all[i], &row);
            worst_row = fmin(worst_row, row.same / row.steps);
            sums.steps += row.steps;
            sums.before += row.before;
            sums.after += row.after;
            sums.same += row.same;
        }
        worst_round = fmin(worst_round, sums.same / sums.steps);
        worst_mel = fmax(worst_mel, sums.before / sums.steps);
        all.steps += sums.steps;
        all.before += sums.before;
        all.after += sums.after;
        all.same += sums.same;
    }
    printf("%s_%s_mel %.5f\n", precision, how, all.before / all.steps);
    printf("%s_%s_mel_worst_round %.5f\n", precision, how, worst_mel);
    printf("%s_%s_postnet_mel %.5f\n", precision, how, all.after / all.steps);
    printf("%s_%s_agreement %.5f\n", precision, how, all.same / all.steps);
    printf("%s_%s_agreement_worst_round %.5f\n", precision, how, worst_round);
    printf("%s_%s_agreement_worst_row %.5f\n", precision, how, worst_row);
    return all.same >= 0.98 * all.steps && all.before <= 0.05 * all.steps;
}

int main(int argc, char **argv) {
    static const char *const precisions[] = {"bf16", "int8"};
    if (argc < 2 || argc > 4) {
        fprintf(stderr, "usage: precision VOICE [SENTENCES [ROUNDS]]\n");
        return 2;
    }
    struct taco_voice *voice = test_open_file(argv[1], "f32");
    int rounds = argc > 3 ? (int)strtol(argv[3], NULL, 10) : 1;
    struct texts texts = argc > 2
                             ? texts_of_lines(voice, argv[2], rounds < 1 ? 1 : rounds)
                             : texts_at_random(voice);
    decode(voice, &texts, false);
    float **reference = test_need((size_t)texts.n, sizeof *reference);
    double steps = 0;
    for (int i = 0; i < texts.n; i++) {
        struct text *text = &texts.all[i];
        size_t bytes = values_of(voice, text->n_steps) * sizeof(float);
        keep_reference(voice, text);
        reference[i] = memcpy(test_need(bytes, 1), text->mel, bytes);
        steps += text->n_steps;
    }
    printf("isa %s\ntexts %d\nsteps %.0f\n", taco_voice_info(voice)->isa, texts.n, steps);
    taco_voice_close(voice);
    bool good = true;
    for (int p = 0; p < 2; p++) {
        voice = test_open_file(argv[1], precisions[p]);
        decode(voice, &texts, false);
        bool near = compare(voice, &texts, precisions[p], "free");
        good = good && (near || texts.random);
        for (int i = 0; i < texts.n; i++)
            memcpy(texts.all[i].mel, reference[i],
                   values_of(voice, texts.all[i].n_steps) * sizeof(float));
        decode(voice, &texts, true);
        (void)compare(voice, &texts, precisions[p], "teacher");
        taco_voice_close(voice);
    }
    if (!good)
        fprintf(stderr, "precision: too far from f32\n");
    return good ? 0 : 1;
}
