/* Streams served at once: time to first audio, delivery in real time, memory.
 *
 *   streams VOICE PRECISION N MAX_FRAMES [SENTENCES]
 *
 * Starts N - 1 streaming jobs together, each a sentence of the file, and one more when all
 * of them sound (N is 1: one job). A listener hears a stream from its first samples on: `late` is how far
 * the worst delivery lies behind what has been played by then; at 0 every stream is in
 * real time. Prints lines `name value`. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <taco/engine.h>
#include <unistd.h>

#include "support/measure.h"

/* What is known of all streams. */
struct hall {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int n_sounding, n_done;
    atomic_long most_resident; /* pages, as seen when samples came */
    double sample_rate;
};

struct stream {
    struct hall *hall;
    double start, first; /* first 0: none yet */
    double late, samples;
};

static long resident_pages(void) {
    long size = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file) {
        if (fscanf(file, "%ld %ld", &size, &resident) != 2)
            resident = 0;
        fclose(file);
    }
    return resident;
}

static double megabytes(long pages) {
    return (double)pages * (double)sysconf(_SC_PAGESIZE) / 1e6;
}

static int hear(void *user, const float *samples, size_t n) {
    struct stream *s = user;
    double now = test_now();
    (void)samples;
    if (s->first == 0) {
        s->first = now;
        pthread_mutex_lock(&s->hall->lock);
        s->hall->n_sounding++;
        pthread_cond_signal(&s->hall->changed);
        pthread_mutex_unlock(&s->hall->lock);
    } else {
        double late = now - s->first - s->samples / s->hall->sample_rate;
        s->late = late > s->late ? late : s->late;
    }
    s->samples += (double)n;
    long pages = resident_pages();
    long most = atomic_load(&s->hall->most_resident);
    while (pages > most &&
           !atomic_compare_exchange_weak(&s->hall->most_resident, &most, pages))
        ;
    return 0;
}

static void end(void *user, enum taco_status status, const struct taco_error *err,
                const struct taco_result *result) {
    struct stream *s = user;
    (void)result;
    test_expect(status, err);
    pthread_mutex_lock(&s->hall->lock);
    s->hall->n_done++;
    pthread_cond_signal(&s->hall->changed);
    pthread_mutex_unlock(&s->hall->lock);
}

static void begin(struct taco_engine *engine, const struct taco_voice *voice,
                  const char *text, int max_frames, uint64_t seed, struct stream *s) {
    struct taco_error err = TACO_ERROR_INIT;
    struct taco_request request = taco_request_default();
    request.text = text;
    request.text_length = strlen(text);
    request.has_seed = request.streaming = true;
    request.seed = seed;
    request.max_frames = max_frames;
    request.gate_threshold = max_frames > 0 ? 0.99999f : 0.0f;
    const struct taco_callbacks callbacks = {.user = s, .audio = hear, .done = end};
    struct taco_job *job;
    test_expect(taco_job_create(&job, engine, voice, &request, &callbacks, &err), &err);
    s->start = test_now();
    taco_job_start(job);
    taco_job_release(job);
}

static void wait_for(struct hall *hall, const int *count, int n) {
    pthread_mutex_lock(&hall->lock);
    while (*count < n)
        pthread_cond_wait(&hall->changed, &hall->lock);
    pthread_mutex_unlock(&hall->lock);
}

int main(int argc, char **argv) {
    int n = argc > 3 ? (int)strtol(argv[3], NULL, 10) : 0;
    if (argc < 5 || argc > 6 || n < 1) {
        fprintf(stderr, "usage: streams VOICE PRECISION N MAX_FRAMES [SENTENCES]\n");
        return 2;
    }
    int max_frames = (int)strtol(argv[4], NULL, 10);
    size_t n_lines;
    char **lines =
        test_read_lines(argc > 5 ? argv[5] : "tests/bench/sentences.txt", &n_lines);
    struct taco_error err = TACO_ERROR_INIT;
    double begun = test_now();
    struct taco_voice *voice = test_open_file(argv[1], argv[2]);
    struct taco_engine *engine;
    test_expect(taco_engine_create(&engine, NULL, &err), &err);
    printf("ready_s %.4f\n", test_now() - begun);

    struct hall hall = {.sample_rate = taco_voice_info(voice)->sample_rate};
    pthread_mutex_init(&hall.lock, NULL);
    pthread_cond_init(&hall.changed, NULL);
    printf("resident_open_mb %.1f\n", megabytes(resident_pages()));

    /* The first job makes the batch. */
    struct stream warm = {.hall = &hall};
    begin(engine, voice, lines[0], max_frames, 1, &warm);
    wait_for(&hall, &hall.n_done, 1);
    long before = resident_pages();
    hall.n_done = hall.n_sounding = 0;
    atomic_store(&hall.most_resident, 0);

    int n_first = n > 1 ? n - 1 : 1;
    struct stream *streams = test_need((size_t)n, sizeof *streams);
    double *firsts = test_need((size_t)n, sizeof *firsts);
    double audio = 0, late = 0, start = test_now();
    int n_late = 0;
    for (int i = 0; i < n; i++) {
        streams[i].hall = &hall;
        if (i == n_first)
            wait_for(&hall, &hall.n_sounding, n_first);
        begin(engine, voice, lines[(size_t)i % n_lines], max_frames, (uint64_t)i + 2,
              &streams[i]);
    }
    wait_for(&hall, &hall.n_done, n);
    double wall = test_now() - start;
    for (int i = 0; i < n; i++) {
        const struct stream *s = &streams[i];
        if (i < n_first)
            firsts[i] = s->first - s->start;
        audio += s->samples / hall.sample_rate;
        late = s->late > late ? s->late : late;
        n_late += s->late > 0;
    }
    printf("streams %d\n", n);
    printf("first_audio_alone_s %.4f\n", warm.first - warm.start);
    printf("first_audio_together_s %.4f\n", test_median(firsts, (size_t)n_first));
    printf("first_audio_together_worst_s %.4f\n",
           test_quantile(firsts, (size_t)n_first, 1));
    printf("first_audio_joining_s %.4f\n", streams[n - 1].first - streams[n - 1].start);
    printf("late_streams %d\nlate_worst_s %.4f\n", n_late, late);
    printf("audio_s %.2f\ntimes_real_time %.1f\n", audio, audio / wall);
    printf("resident_one_mb %.1f\n", megabytes(before));
    printf("resident_a_stream_mb %.2f\n",
           megabytes(atomic_load(&hall.most_resident) - before) / n);
    taco_engine_destroy(engine);
    taco_voice_close(voice);
    free(streams);
    free(firsts);
    free(lines);
    return 0;
}
