/* What other attempts mend, and what they cost.
 *
 *   attempts VOICE SENTENCES [TEXTS [SEEDS [ATTENTION]]]
 *
 * An attention of the voice (the default) speaks TEXTS texts (200) of 5 to 200 words, half of
 * them hard (support/lab_texts.h), with SEEDS seeds (1) and up to 4 attempts: two seeds, then
 * two more with a window. Prints the share of speeches whose first attempt failed by the
 * diagnosis, how many of them each further attempt mended, and the seconds of decoding that
 * further attempts add. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <taco/engine.h>

#include "engine/voice.h"
#include "support/lab_texts.h"
#include "support/measure.h"

enum { MOST_ATTEMPTS = 4, SHORTEST = 5, LONGEST = 200 };

struct sums {
    int n, failed, mended[MOST_ATTEMPTS];
    double seconds, retry_seconds; /* of the decoder; in speeches that were retried */
};

static int attention_of(const struct taco_voice *voice, const char *name) {
    for (int a = 0; a < voice->hparams.n_attentions; a++)
        if (strcmp(voice->info.attentions[a].name, name) == 0)
            return a;
    fprintf(stderr, "attempts: the voice has no attention %s\n", name);
    exit(2);
}

/* Texts are one chunk here, so a result has one row of attempts. */
static void speak(struct taco_engine *engine, const struct taco_voice *voice,
                  const char *text, uint64_t seed, int attention, struct sums *sums) {
    struct taco_error err = TACO_ERROR_INIT;
    struct taco_request request = taco_request_default();
    const struct taco_result *result;
    request.text = text;
    request.text_length = strlen(text);
    request.seed = seed;
    request.has_seed = true;
    request.attention = attention;
    request.max_attempts = MOST_ATTEMPTS;
    request.text_options.max_symbols = 2000;
    request.vocoder.n_iter = 0;
    test_expect(taco_engine_speak(engine, voice, &request, &result, &err), &err);
    const struct taco_chunk_result *chunk = &result->chunks[0];
    sums->n++;
    sums->seconds += result->times.decoder;
    if (chunk->attempts > 1) {
        sums->failed++;
        sums->retry_seconds +=
            result->times.decoder * (chunk->attempts - 1) / chunk->attempts;
        if (chunk->diagnostics.ok)
            sums->mended[chunk->attempts - 1]++;
    }
    taco_result_unref(result);
}

static void print(const struct sums *s) {
    int mended = 0;
    printf("%d speeches: the first attempt failed in %d (%.2f %%)\n", s->n, s->failed,
           100.0 * s->failed / s->n);
    for (int i = 1; i < MOST_ATTEMPTS; i++) {
        mended += s->mended[i];
        printf("mended by attempt %d: %d, in all %d of %d\n", i + 1, s->mended[i], mended,
               s->failed);
    }
    printf("decoder: %.1f s per 1000 speeches, of them %.1f s for further attempts\n",
           1000 * s->seconds / s->n, 1000 * s->retry_seconds / s->n);
}

int main(int argc, char **argv) {
    if (argc < 3 || argc > 6) {
        fprintf(stderr, "usage: attempts VOICE SENTENCES [TEXTS [SEEDS [ATTENTION]]]\n");
        return 2;
    }
    int n = argc > 3 ? atoi(argv[3]) : 200, n_seeds = argc > 4 ? atoi(argv[4]) : 1;
    if (n < 1 || n > 10000 || n_seeds < 1 || n_seeds > 100)
        return 2;
    struct taco_voice *voice = test_open_file(argv[1], "auto");
    int attention = argc > 5 ? attention_of(voice, argv[5]) : 0;
    size_t n_sentences;
    char **sentences = test_read_lines(argv[2], &n_sentences);
    struct taco_engine_options options = taco_engine_options_default();
    struct taco_engine *engine;
    struct taco_error err = TACO_ERROR_INIT;
    options.n_threads = 1;
    test_expect(taco_engine_create(&engine, &options, &err), &err);
    struct sums sums = {0};
    for (int i = 0; i < n; i++) {
        int words = SHORTEST + (LONGEST - SHORTEST) * i / (n > 1 ? n - 1 : 1);
        int kind = i % 2 ? 1 + i / 2 % (TEST_LAB_KINDS - 1) : TEST_LAB_ORDINARY;
        char *text = test_lab_text(sentences, n_sentences, (enum test_lab_kind)kind,
                                   words, (uint64_t)i + 1);
        for (int seed = 0; seed < n_seeds; seed++)
            speak(engine, voice, text, 1 + 10 * (uint64_t)seed, attention, &sums);
        free(text);
    }
    print(&sums);
    taco_engine_destroy(engine);
    free(sentences);
    taco_voice_close(voice);
    return 0;
}
