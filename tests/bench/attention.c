/* How a voice's attentions read texts of growing length, and how far the diagnosis is right.
 *
 *   attention VOICE SENTENCES [TEXTS [SEEDS]]
 *
 * Every attention reads TEXTS texts (8) of each length with SEEDS seeds (1), running free. Half of
 * the texts are words of SENTENCES in their order, half are hard: repeated words, enumerations,
 * letters, numbers, tongue twisters.
 *
 * The judge is the sound, not the alignment: the log mel is laid over that of the voice's default
 * attention by dynamic time warping. A speech has failed if it is shorter than 0.7 or longer than
 * 1.5 times that, or if somewhere 15 frames in a row are further away than two readings of an
 * ordinary text by the default attention ever are, where the diagnosis finds nothing. With that truth come precision and recall of
 * diagnostics.ok. Printed besides: milliseconds of a decoder step of 16 rows. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/diagnostics.h"
#include "engine/voice.h"
#include "support/measure.h"

enum { N_ROWS = 16, RUN = 15, MOST_TEXTS = 64 };
static const int lengths[] = {5, 10, 20, 40, 80};
enum { N_LENGTHS = sizeof lengths / sizeof *lengths };

struct speech {
    float *mel; /* [n_frames, n_mels] before the postnet */
    int n_frames, n_steps;
    bool ok; /* the diagnosis */
    unsigned flaws;
};

struct sample {
    struct taco_text *text;
    struct taco_memory memory; /* by the attention that reads it now */
    struct speech reference;
};

static const char *const hard[] = {
    "one two three four five six seven eight nine ten",
    "the the the cat cat sat sat on on the the mat",
    "a b c d e f g h i j k l m n o p",
    "six thick thistle sticks six thick thistles stick",
    "no no no yes yes no yes no no yes",
    "7 8 9 7 8 9 42 42 100 100 7 7 7",
};

/* n words, from word `first` of the source on, round and round. */
static char *take_words(const char *source, int first, int n) {
    char *copy = strdup(source), *out = test_need(16 * (size_t)n + 64, 1);
    char *words[4096], *rest = copy, *word;
    int n_words = 0;
    while ((word = strsep(&rest, " \n")) && n_words < 4096)
        if (*word)
            words[n_words++] = word;
    for (int i = 0; i < n && n_words > 0; i++) {
        word = words[(first + i) % n_words];
        size_t length = strcspn(word, ".?!;:");
        if (length > 14)
            length = 14;
        strncat(out, word, length);
        strcat(out, i + 1 < n ? " " : ".");
    }
    free(copy);
    return out;
}

static char *read_file(const char *path) {
    FILE *f = fopen(path, "rb");
    char *text = test_need(1 << 16, 1);
    if (!f)
        exit(2);
    text[fread(text, 1, (1 << 16) - 1, f)] = 0;
    fclose(f);
    return text;
}

static void judge(const struct taco_voice *voice, const struct sample *sample,
                  const struct taco_row *row, struct speech *speech) {
    int n_postnet;
    taco_row_frames(voice->model, row, &speech->n_frames, &n_postnet);
    speech->n_steps = row->n_steps;
    speech->mel = row->mel;
    struct taco_reading reading = taco_reading_of(voice, sample->text->symbols);
    reading.alignment = row->alignment;
    reading.n_steps = (uint32_t)row->n_steps;
    reading.n_symbols = sample->text->n_symbols;
    reading.n_frames = (uint32_t)speech->n_frames;
    reading.stop_reason = row->end == TACO_ROW_GATE            ? TACO_STOP_GATE
                          : row->end == TACO_ROW_ATTENTION_END ? TACO_STOP_ATTENTION_END
                                                               : TACO_STOP_MAX_FRAMES;
    struct taco_diagnostics diagnostics;
    taco_diagnose(&reading, &diagnostics);
    speech->ok = diagnostics.ok;
    speech->flaws = diagnostics.flaws;
}

/* All samples by one attention, 16 rows at a time; the caller frees the mels. Adds to *steps
 * and *time what the steps of full batches took. */
static void speak(const struct taco_voice *voice, struct sample *samples, int n,
                  int attention, uint64_t seed, struct speech *out, double *steps,
                  double *time) {
    const struct taco_hparams *h = &voice->hparams;
    struct taco_error err = TACO_ERROR_INIT;
    struct taco_arena keep = TACO_ARENA_INIT, scratch = TACO_ARENA_INIT;
    struct taco_decoder *decoder;
    struct taco_row rows[MOST_TEXTS];
    test_expect(taco_decoder_create(&decoder, voice->model, N_ROWS, &err), &err);
    for (int i = 0, joined = 0, left = n; left > 0; i = 0) {
        while (joined < n && taco_decoder_count(decoder) < N_ROWS) {
            struct sample *s = &samples[joined];
            uint32_t T = s->text->n_symbols;
            int32_t *ids = taco_arena_alloc(&keep, T, sizeof *ids);
            for (uint32_t j = 0; j < T; j++)
                ids[j] = s->text->symbols[j].id;
            if (taco_encoder_forward(voice->model, ids, (int)T, 0, attention, NULL, &keep,
                                     &scratch, &s->memory) != TACO_OK)
                exit(1);
            taco_arena_reset(&scratch);
            size_t most = (size_t)(h->max_frames_per_symbol * (float)T) / 2 + 100;
            rows[joined] = (struct taco_row){
                .memory = &s->memory,
                .seed = seed + (uint64_t)joined,
                .max_steps = (int)most,
                .watch_end = true,
                .mel = test_need(most * (size_t)(h->n_frames_per_step * h->n_mels), 4),
                .gate = test_need(most * (size_t)h->gate_dim, 4),
                .alignment = test_need(most * T, 4),
            };
            test_expect(taco_decoder_add(decoder, &rows[joined++], &err), &err);
        }
        bool full = taco_decoder_count(decoder) == N_ROWS;
        double begin = test_worked();
        taco_decoder_step(decoder, NULL);
        *time += full ? test_worked() - begin : 0;
        *steps += full;
        for (; i < joined; i++)
            if (rows[i].done && rows[i].alignment) {
                judge(voice, &samples[i], &rows[i], &out[i]);
                free(rows[i].gate);
                free(rows[i].alignment);
                rows[i].alignment = NULL;
                left--;
            }
    }
    taco_decoder_destroy(decoder);
    taco_arena_free(&keep);
    taco_arena_free(&scratch);
}

/* The largest mean distance of RUN cells in a row on the cheapest path of a over b, dB-like:
 * mean absolute difference of the log mel. */
static double farthest(const struct speech *a, const struct speech *b, size_t n_mels) {
    size_t n = (size_t)a->n_frames, m = (size_t)b->n_frames;
    float *cost = test_need((n + 1) * (m + 1), sizeof *cost);
    float *near = test_need((n + 1) * (m + 1), sizeof *near);
    for (size_t i = 0; i <= n; i++)
        for (size_t j = 0; j <= m; j++) {
            float d = 0, best = 0;
            if (i == 0 || j == 0) {
                cost[i * (m + 1) + j] = i + j ? 1e30f : 0;
                continue;
            }
            for (size_t k = 0; k < n_mels; k++)
                d += fabsf(a->mel[(i - 1) * n_mels + k] - b->mel[(j - 1) * n_mels + k]);
            d /= (float)n_mels;
            best = fminf(cost[(i - 1) * (m + 1) + j - 1],
                         fminf(cost[(i - 1) * (m + 1) + j], cost[i * (m + 1) + j - 1]));
            near[i * (m + 1) + j] = d;
            cost[i * (m + 1) + j] = best + d;
        }
    float *path = test_need(n + m + 1, sizeof *path);
    size_t i = n, j = m, length = 0;
    while (i > 0 && j > 0) {
        path[length++] = near[i * (m + 1) + j];
        float across = cost[(i - 1) * (m + 1) + j - 1], up = cost[(i - 1) * (m + 1) + j];
        float back = cost[i * (m + 1) + j - 1];
        if (across <= up && across <= back) {
            i--;
            j--;
        } else if (up <= back) {
            i--;
        } else {
            j--;
        }
    }
    double worst = 0, sum = 0;
    for (size_t t = 0; t < length; t++) {
        sum += (double)path[t] - (t >= RUN ? (double)path[t - RUN] : 0);
        if (t + 1 >= RUN && sum / RUN > worst)
            worst = sum / RUN;
    }
    free(path);
    free(near);
    free(cost);
    return worst;
}

static bool failed(const struct speech *s, const struct speech *reference, size_t n_mels,
                   double limit) {
    double ratio = (double)s->n_frames / reference->n_frames;
    return !(ratio >= 0.7 && ratio <= 1.5) || farthest(s, reference, n_mels) > limit;
}

static void make_samples(const struct taco_voice *voice, const char *words, int length,
                         int n, struct sample *samples) {
    struct taco_error err = TACO_ERROR_INIT;
    struct taco_text_options options = taco_text_options_default();
    options.max_symbols = 2000;
    for (int i = 0; i < n; i++) {
        const char *source = i % 2 ? hard[i / 2 % 6] : words;
        char *text = take_words(source, i % 2 ? 0 : i * 31 + length, length);
        test_expect(taco_text_analyse(voice, text, strlen(text), &options,
                                      &samples[i].text, &err),
                    &err);
        free(text);
    }
}

struct score {
    int n, n_failed[N_LENGTHS], n_texts[N_LENGTHS];
    int found, false_alarm, missed; /* by the diagnosis */
    int kinds[TACO_N_FLAWS];
    double steps, time;
};

static void print_scores(const struct taco_voice *voice, const struct score *scores) {
    struct score all = {0};
    printf("%-22s", "failed by the sound");
    for (int l = 0; l < N_LENGTHS; l++)
        printf("%6d words", lengths[l]);
    printf("%12s\n", "ms a step");
    for (int a = 0; a < voice->hparams.n_attentions; a++) {
        const struct score *s = &scores[a];
        printf("%-22s", voice->info.attentions[a].name);
        for (int l = 0; l < N_LENGTHS; l++)
            printf("%10.0f %%", 100.0 * s->n_failed[l] / s->n_texts[l]);
        if (s->steps > 0)
            printf("%12.3f", 1000 * s->time / s->steps);
        putchar('\n');
        all.found += s->found;
        all.false_alarm += s->false_alarm;
        all.missed += s->missed;
        for (int k = 0; k < TACO_N_FLAWS; k++)
            all.kinds[k] += s->kinds[k];
    }
    int told = all.found + all.false_alarm, real = all.found + all.missed;
    printf("diagnosis: precision %.1f %% (%d of %d), recall %.1f %% (%d of %d)\n",
           told ? 100.0 * all.found / told : 100.0, all.found, told,
           real ? 100.0 * all.found / real : 100.0, all.found, real);
    for (int k = 0; k < TACO_N_FLAWS; k++)
        printf("  %s: %d speeches\n", taco_flaw_name((enum taco_flaw)(1 << k)),
               all.kinds[k]);
}

int main(int argc, char **argv) {
    if (argc < 3 || argc > 5) {
        fprintf(stderr, "usage: attention VOICE SENTENCES [TEXTS [SEEDS]]\n");
        return 2;
    }
    int n = argc > 3 ? atoi(argv[3]) : 8, n_seeds = argc > 4 ? atoi(argv[4]) : 1;
    if (n < 1 || n > MOST_TEXTS || n_seeds < 1)
        return 2;
    struct taco_voice *voice = test_open_file(argv[1], "auto");
    size_t n_mels = (size_t)voice->hparams.n_mels;
    char *words = read_file(argv[2]);
    struct score *scores = test_need(TACO_MAX_ATTENTIONS, sizeof *scores);
    struct speech speech[MOST_TEXTS];
    double limit = 0, steps = 0, time = 0;
    struct sample samples[N_LENGTHS][MOST_TEXTS];
    memset(samples, 0, sizeof samples);
    /* The references, and how far two readings of the default attention are apart. */
    for (int l = 0; l < N_LENGTHS; l++) {
        make_samples(voice, words, lengths[l], n, samples[l]);
        speak(voice, samples[l], n, 0, 1000, speech, &steps, &time);
        for (int i = 0; i < n; i++)
            samples[l][i].reference = speech[i];
        speak(voice, samples[l], n, 0, 2000, speech, &steps, &time);
        for (int i = 0; i < n; i++) {
            double d = farthest(&speech[i], &samples[l][i].reference, n_mels);
            bool usual = i % 2 == 0 && speech[i].ok && samples[l][i].reference.ok;
            if (usual && d > limit)
                limit = d;
            free(speech[i].mel);
        }
    }
    printf("two readings of the default attention differ by at most %.2f nepers over %d "
           "frames\n",
           limit, RUN);
    for (int a = 0; a < voice->hparams.n_attentions; a++)
        for (int l = 0; l < N_LENGTHS; l++)
            for (int seed = 0; seed < n_seeds; seed++) {
                struct score *s = &scores[a];
                speak(voice, samples[l], n, a, 1 + 100 * (uint64_t)seed, speech,
                      &s->steps, &s->time);
                for (int i = 0; i < n; i++) {
                    bool bad =
                        failed(&speech[i], &samples[l][i].reference, n_mels, limit);
                    s->n_texts[l]++;
                    s->n_failed[l] += bad;
                    s->found += bad && !speech[i].ok;
                    s->missed += bad && speech[i].ok;
                    s->false_alarm += !bad && !speech[i].ok;
                    for (int k = 0; k < TACO_N_FLAWS; k++)
                        s->kinds[k] += speech[i].flaws >> k & 1;
                    free(speech[i].mel);
                }
            }
    print_scores(voice, scores);
    for (int l = 0; l < N_LENGTHS; l++)
        for (int i = 0; i < n; i++) {
            taco_text_destroy(samples[l][i].text);
            free(samples[l][i].reference.mel);
        }
    free(scores);
    free(words);
    taco_voice_close(voice);
    return 0;
}
