/* How a voice's attentions read texts of growing length, and how far the diagnosis is right.
 *
 *   attention VOICE SENTENCES [TEXTS [SEEDS [SET]]]
 *
 * Every attention reads TEXTS texts (8) of each length with SEEDS seeds (1), running free. Half of
 * the texts are sentences of SENTENCES, half are hard: repeated words, lists, letters, numbers,
 * tongue twisters, spelling, clauses without a comma. SET (1) draws other texts: the thresholds of
 * the diagnosis were chosen on set 7.
 *
 * The judge is the sound, not the alignment (support/judge.h). Each text is read three times more by
 * the voice's default attention; these are the reference. How far a reading may be from it is
 * half as much again as the default attention's own readings ever are. With that truth come
 * precision and recall of diagnostics.ok. Printed besides: the milliseconds of a decoder step of
 * 16 rows. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/diagnostics.h"
#include "engine/voice.h"
#include "support/judge.h"
#include "support/lab_texts.h"
#include "support/measure.h"

enum { N_ROWS = 16, MOST_TEXTS = 64, N_REFERENCES = 3 };
static const int lengths[] = {5, 10, 20, 40, 80, 140, 200};
enum { N_LENGTHS = sizeof lengths / sizeof *lengths };

struct speech {
    struct test_sound *sound;
    bool ok; /* the diagnosis */
    unsigned flaws;
};

struct sample {
    struct taco_text *text;
    struct taco_memory memory; /* by the attention that reads it now */
    struct test_sound *readings[N_REFERENCES];
    struct test_reference *reference;
};

static void judge(const struct taco_voice *voice, const struct sample *sample,
                  const struct taco_row *row, struct speech *speech) {
    int n_frames, n_postnet;
    taco_row_frames(voice->model, row, &n_frames, &n_postnet);
    speech->sound = test_sound_of(row->mel, n_frames, voice->hparams.n_mels);
    struct taco_reading reading = taco_reading_of(voice, sample->text->symbols);
    reading.alignment = row->alignment;
    reading.n_steps = (uint32_t)row->n_steps;
    reading.n_symbols = sample->text->n_symbols;
    reading.n_frames = (uint32_t)n_frames;
    reading.stop_reason = row->end == TACO_ROW_GATE            ? TACO_STOP_GATE
                          : row->end == TACO_ROW_ATTENTION_END ? TACO_STOP_ATTENTION_END
                                                               : TACO_STOP_MAX_FRAMES;
    struct taco_diagnostics diagnostics;
    taco_diagnose(&reading, &diagnostics);
    speech->ok = diagnostics.ok;
    speech->flaws = diagnostics.flaws;
}

/* All samples by one attention, 16 rows at a time; the caller frees the sounds. Adds to *steps
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
                free(rows[i].mel);
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

/* Texts of one length: every second one is hard. */
static void make_samples(const struct taco_voice *voice, char *const *sentences,
                         size_t n_sentences, int length, int n, uint64_t set,
                         struct sample *samples) {
    struct taco_error err = TACO_ERROR_INIT;
    struct taco_text_options options = taco_text_options_default();
    options.max_symbols = 2000;
    for (int i = 0; i < n; i++) {
        int kind =
            i % 2 ? 1 + (i / 2 + length) % (TEST_LAB_KINDS - 1) : TEST_LAB_ORDINARY;
        uint64_t seed = set * 1000000 + (uint64_t)(length * 1000 + i);
        char *text =
            test_lab_text(sentences, n_sentences, (enum test_lab_kind)kind, length, seed);
        test_expect(taco_text_analyse(voice, text, strlen(text), &options,
                                      &samples[i].text, &err),
                    &err);
        free(text);
    }
}

static void make_references(const struct taco_voice *voice, struct sample *samples,
                            int n) {
    struct speech speech[MOST_TEXTS];
    double steps = 0, time = 0;
    for (int k = 0; k < N_REFERENCES; k++) {
        speak(voice, samples, n, 0, 1000000 * (uint64_t)(k + 1), speech, &steps, &time);
        for (int i = 0; i < n; i++)
            samples[i].readings[k] = speech[i].sound;
    }
    for (int i = 0; i < n; i++)
        samples[i].reference = test_reference_of(samples[i].readings, N_REFERENCES);
}

static void free_samples(struct sample *samples, int n) {
    for (int i = 0; i < n; i++) {
        taco_text_destroy(samples[i].text);
        test_reference_free(samples[i].reference);
        for (int k = 0; k < N_REFERENCES; k++)
            test_sound_free(samples[i].readings[k]);
    }
}

/* What was heard of one speech, and what the diagnosis says of it. */
struct record {
    int attention, length; /* its index */
    struct test_hearing hearing;
    bool ok;
    unsigned flaws;
};

struct score {
    int n_failed[N_LENGTHS], n_texts[N_LENGTHS];
    int found, false_alarm, missed, right; /* by the diagnosis */
    int kinds[TACO_N_FLAWS], true_kinds[TACO_N_FLAWS];
    double steps, time;
};

static void count(struct score *s, const struct record *r, double far_limit) {
    bool bad = test_hearing_failed(&r->hearing, far_limit);
    s->n_texts[r->length]++;
    s->n_failed[r->length] += bad;
    s->found += bad && !r->ok;
    s->missed += bad && r->ok;
    s->false_alarm += !bad && !r->ok;
    s->right += !bad && r->ok;
    for (int k = 0; k < TACO_N_FLAWS; k++) {
        bool told = r->flaws >> k & 1;
        s->kinds[k] += told;
        s->true_kinds[k] += bad && told;
    }
}

static double percent(int part, int whole) {
    return whole ? 100.0 * part / whole : 100.0;
}

static void print_scores(const struct taco_voice *voice, const struct score *scores) {
    struct score all = {0};
    printf("%-20s", "failed by the sound");
    for (int l = 0; l < N_LENGTHS; l++)
        printf("%4d words", lengths[l]);
    printf("  found false missed right  ms a step\n");
    for (int a = 0; a < voice->hparams.n_attentions; a++) {
        const struct score *s = &scores[a];
        printf("%-20s", voice->info.attentions[a].name);
        for (int l = 0; l < N_LENGTHS; l++)
            printf("%8.0f %%", percent(s->n_failed[l], s->n_texts[l]));
        printf("  %5d %5d %6d %5d", s->found, s->false_alarm, s->missed, s->right);
        if (s->steps > 0)
            printf("%11.3f", 1000 * s->time / s->steps);
        putchar('\n');
        all.found += s->found;
        all.false_alarm += s->false_alarm;
        all.missed += s->missed;
        for (int k = 0; k < TACO_N_FLAWS; k++) {
            all.kinds[k] += s->kinds[k];
            all.true_kinds[k] += s->true_kinds[k];
        }
    }
    int told = all.found + all.false_alarm, real = all.found + all.missed;
    printf("diagnosis: precision %.1f %% (%d of %d), recall %.1f %% (%d of %d)\n",
           percent(all.found, told), all.found, told, percent(all.found, real), all.found,
           real);
    for (int k = 0; k < TACO_N_FLAWS; k++)
        printf("  %s: %d speeches, %.1f %% of them failed\n",
               taco_flaw_name((enum taco_flaw)(1 << k)), all.kinds[k],
               percent(all.true_kinds[k], all.kinds[k]));
}

/* All attentions read the samples of one length; records are added to out. */
static size_t read_samples(const struct taco_voice *voice, struct sample *samples, int n,
                           int length, int n_seeds, struct score *scores,
                           struct record *out) {
    struct speech speech[MOST_TEXTS];
    size_t n_out = 0;
    for (int a = 0; a < voice->hparams.n_attentions; a++)
        for (int seed = 0; seed < n_seeds; seed++) {
            speak(voice, samples, n, a, 1 + 1000 * (uint64_t)seed, speech,
                  &scores[a].steps, &scores[a].time);
            for (int i = 0; i < n; i++) {
                out[n_out++] = (struct record){
                    a, length, test_hear(samples[i].reference, speech[i].sound),
                    speech[i].ok, speech[i].flaws};
                test_sound_free(speech[i].sound);
            }
        }
    return n_out;
}

int main(int argc, char **argv) {
    if (argc < 3 || argc > 6) {
        fprintf(stderr, "usage: attention VOICE SENTENCES [TEXTS [SEEDS [SET]]]\n");
        return 2;
    }
    int n = argc > 3 ? atoi(argv[3]) : 8, n_seeds = argc > 4 ? atoi(argv[4]) : 1;
    int set = argc > 5 ? atoi(argv[5]) : 1;
    if (n < 1 || n > MOST_TEXTS || n_seeds < 1 || n_seeds > 100 || set < 1)
        return 2;
    struct taco_voice *voice = test_open_file(argv[1], "auto");
    size_t n_sentences, n_records = 0;
    char **sentences = test_read_lines(argv[2], &n_sentences);
    struct score *scores = test_need(TACO_MAX_ATTENTIONS, sizeof *scores);
    struct record *records = test_need(
        (size_t)(voice->hparams.n_attentions * N_LENGTHS * n * n_seeds), sizeof *records);
    for (int l = 0; l < N_LENGTHS; l++) {
        struct sample samples[MOST_TEXTS] = {{0}};
        make_samples(voice, sentences, n_sentences, lengths[l], n, (uint64_t)set,
                     samples);
        make_references(voice, samples, n);
        n_records +=
            read_samples(voice, samples, n, l, n_seeds, scores, records + n_records);
        free_samples(samples, n);
    }
    double farthest = 0;
    for (size_t i = 0; i < n_records; i++)
        if (records[i].attention == 0 && !test_hearing_failed(&records[i].hearing, 1) &&
            records[i].hearing.far > farthest)
            farthest = records[i].hearing.far;
    for (size_t i = 0; i < n_records; i++)
        count(&scores[records[i].attention], &records[i], 1.5 * farthest);
    printf(
        "readings of the default attention are at most %.2f nepers from the reference\n",
        farthest);
    print_scores(voice, scores);
    free(records);
    free(scores);
    free(sentences);
    taco_voice_close(voice);
    return 0;
}
