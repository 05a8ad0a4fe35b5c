/* server/speech/results.h: what is cached, what goes first, what is remembered of it. */
#include <check.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <taco/engine.h>

#include "base/memory.h"
#include "base/workers.h"
#include "speech/results.h"
#include "support/runner.h"

/* Every cached result is the same one; they differ by their audio. */
static const struct taco_result *result;
static uint64_t unit; /* its bytes */

static const struct taco_audio_options wav = {.format = TACO_AUDIO_WAV};

static struct taco_cached *cached_of(const char *id, size_t bytes) {
    char padded[TACO_ID_LENGTH + 1];
    snprintf(padded, sizeof padded, "%-12s", id);
    void *audio = taco_malloc(bytes);
    ck_assert_ptr_nonnull(audio);
    memset(audio, id[0], bytes);
    struct taco_cached *cached =
        taco_cached_create(padded, result, NULL, &wav, audio, bytes);
    ck_assert_ptr_nonnull(cached);
    return cached;
}

static struct taco_results *store_of(uint64_t max_bytes) {
    struct taco_results *store;
    ck_assert_int_eq(taco_results_create(&store, max_bytes, NULL), TACO_OK);
    return store;
}

static bool put(struct taco_results *store, const char *id, size_t bytes) {
    struct taco_cached *cached = cached_of(id, bytes);
    bool ok = taco_results_put(store, cached);
    taco_cached_release(cached);
    return ok;
}

static enum taco_results_state state_of(struct taco_results *store, const char *id) {
    char padded[TACO_ID_LENGTH + 1];
    snprintf(padded, sizeof padded, "%-12s", id);
    struct taco_cached *cached = NULL;
    enum taco_results_state state = taco_results_get(store, padded, &cached);
    ck_assert((cached != NULL) == (state == TACO_RESULTS_CACHED));
    taco_cached_release(cached);
    return state;
}

START_TEST(nothing_is_kept_in_no_room) {
    struct taco_results *store = store_of(0);
    ck_assert_int_eq(state_of(store, "a"), TACO_RESULTS_UNKNOWN);
    ck_assert(!put(store, "a", 10));
    ck_assert_int_eq(state_of(store, "a"), TACO_RESULTS_GONE);
    taco_results_withdraw(store, "nobody");
    taco_results_destroy(store);
    taco_results_destroy(NULL);
    taco_cached_release(NULL);
}
END_TEST

START_TEST(one_that_is_too_large_does_not_drive_out_the_others) {
    struct taco_results *store = store_of(unit + 10000);
    ck_assert(put(store, "a", 1000));
    ck_assert(!put(store, "b", 10000));
    ck_assert_int_eq(state_of(store, "a"), TACO_RESULTS_CACHED);
    ck_assert_int_eq(state_of(store, "b"), TACO_RESULTS_GONE);
    taco_results_destroy(store);
}
END_TEST

START_TEST(the_least_recently_used_goes_first) {
    struct taco_results *store = store_of(3 * (unit + 4096));
    ck_assert(put(store, "a", 3500) && put(store, "b", 3500) && put(store, "c", 3500));
    ck_assert_int_eq(state_of(store, "a"),
                     TACO_RESULTS_CACHED); /* used: now b is the oldest */
    ck_assert(put(store, "d", 3500));
    ck_assert_int_eq(state_of(store, "b"), TACO_RESULTS_GONE);
    ck_assert_int_eq(state_of(store, "a"), TACO_RESULTS_CACHED);
    ck_assert_int_eq(state_of(store, "c"), TACO_RESULTS_CACHED);
    ck_assert_int_eq(state_of(store, "d"), TACO_RESULTS_CACHED);
    taco_results_destroy(store);
}
END_TEST

START_TEST(who_holds_a_result_has_it_after_it_is_gone) {
    struct taco_results *store = store_of(unit + 2000);
    ck_assert(put(store, "a", 1000));
    struct taco_cached *cached;
    ck_assert_int_eq(taco_results_get(store, "a           ", &cached),
                     TACO_RESULTS_CACHED);
    ck_assert(put(store, "b", 1000));
    ck_assert_int_eq(state_of(store, "a"), TACO_RESULTS_GONE);
    taco_results_destroy(store);
    ck_assert_uint_eq(cached->audio_size, 1000);
    ck_assert_int_eq(((char *)cached->audio)[999], 'a');
    taco_cached_release(cached);
}
END_TEST

START_TEST(what_is_announced_is_pending_until_it_comes_or_is_withdrawn) {
    struct taco_results *store = store_of(unit + 5000);
    ck_assert(taco_results_announce(store, "a           "));
    ck_assert(taco_results_announce(store, "b           "));
    ck_assert_int_eq(state_of(store, "a"), TACO_RESULTS_PENDING);
    ck_assert(put(store, "a", 100));
    ck_assert_int_eq(state_of(store, "a"), TACO_RESULTS_CACHED);
    taco_results_withdraw(store, "a           "); /* too late */
    ck_assert_int_eq(state_of(store, "a"), TACO_RESULTS_CACHED);
    taco_results_withdraw(store, "b           ");
    ck_assert_int_eq(state_of(store, "b"), TACO_RESULTS_UNKNOWN);
    ck_assert(
        taco_results_announce(store, "c           ")); /* destroyed while it is pending */
    taco_results_destroy(store);
}
END_TEST

START_TEST(old_memories_are_bounded) {
    struct taco_results *store = store_of(unit + 700);
    char id[16];
    for (int i = 0; i < 17000; i++) {
        snprintf(id, sizeof id, "%d", i);
        ck_assert(put(store, id, 1));
    }
    ck_assert_int_eq(state_of(store, "16999"), TACO_RESULTS_CACHED);
    ck_assert_int_eq(state_of(store, "16000"), TACO_RESULTS_GONE);
    ck_assert_int_eq(state_of(store, "700"), TACO_RESULTS_GONE);
    ck_assert_int_eq(state_of(store, "500"), TACO_RESULTS_UNKNOWN);
    taco_results_destroy(store);
}
END_TEST

START_TEST(no_memory) {
    struct taco_results *store;
    taco_memory_fail_at(1);
    ck_assert_int_eq(taco_results_create(&store, 1, NULL), TACO_ERR_NO_MEMORY);
    taco_memory_fail_at(0);
    store = store_of(unit + 5000);
    struct taco_cached *cached = cached_of("a", 10);
    void *audio = taco_malloc(10);
    taco_memory_fail_at(1);
    ck_assert(!taco_results_put(store, cached));
    ck_assert(!taco_results_announce(store, "b"));
    ck_assert_ptr_null(taco_cached_create("cccccccccccc", result, NULL, &wav, audio, 10));
    taco_memory_fail_at(0);
    ck_assert_int_eq(state_of(store, "a"), TACO_RESULTS_UNKNOWN);
    taco_cached_release(cached);
    taco_results_destroy(store);
}
END_TEST

START_TEST(ids_are_letters_and_digits_and_differ) {
    char ids[200][TACO_ID_LENGTH + 1];
    bool seen[128] = {false};
    for (int i = 0; i < 200; i++) {
        taco_id_draw(ids[i]);
        ck_assert_uint_eq(strlen(ids[i]), TACO_ID_LENGTH);
        for (const char *c = ids[i]; *c; c++) {
            ck_assert((*c >= '0' && *c <= '9') || (*c >= 'a' && *c <= 'z') ||
                      (*c >= 'A' && *c <= 'Z'));
            seen[(int)*c] = true;
        }
        for (int j = 0; j < i; j++)
            ck_assert_str_ne(ids[i], ids[j]);
    }
    int n = 0;
    for (int c = 0; c < 128; c++)
        n += seen[c];
    ck_assert_int_eq(n, 62); /* 2400 draws: one sign missing has a chance of 1e-15 */
}
END_TEST

static void *use(void *store) {
    char id[16];
    for (int i = 0; i < 2000; i++) {
        snprintf(id, sizeof id, "%d", i % 50);
        (void)state_of(store, id);
        taco_id_draw(id);
        ck_assert(taco_results_announce(store, id));
        struct taco_cached *cached =
            taco_cached_create(id, result, NULL, &wav, taco_malloc(64), 64);
        (void)taco_results_put(store, cached);
        taco_cached_release(cached);
        struct taco_cached *again;
        if (taco_results_get(store, id, &again) == TACO_RESULTS_CACHED)
            ck_assert_str_eq(again->id, id);
        taco_cached_release(again);
    }
    return NULL;
}

START_TEST(many_threads_use_it_at_once) {
    struct taco_results *store = store_of(5 * unit + 20000);
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, use, store), 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    taco_results_destroy(store);
}
END_TEST

/* One sentence of the shipped voice. */
static void speak(struct taco_voice **voice) {
    struct taco_error err = TACO_ERROR_INIT;
    struct taco_engine *engine = NULL;
    struct taco_request request = taco_request_default();
    request.text = "Hi.";
    request.text_length = 3;
    if (taco_voice_open(voice, "models/heart.safetensors", NULL, &err) ||
        taco_engine_create(&engine, NULL, &err) ||
        taco_engine_speak(engine, *voice, &request, &result, &err)) {
        fprintf(stderr, "no result to test with: %s\n", err.message);
        exit(1);
    }
    taco_engine_destroy(engine);
    unit = taco_result_bytes(result);
}

/* -- keys ---------------------------------------------------------------------------- */

static bool put_keyed(struct taco_results *store, const char *id, const char *key) {
    struct taco_cached *cached = cached_of(id, 100);
    cached->key = (struct taco_result_key){taco_strdup(key), strlen(key)};
    bool ok = taco_results_put(store, cached);
    taco_cached_release(cached);
    return ok;
}

/* The first letter of the id that the key finds; 0: nothing. */
static char found(struct taco_results *store, const char *key) {
    char bytes[64];
    snprintf(bytes, sizeof bytes, "%s", key);
    struct taco_result_key wanted = {bytes, strlen(key)};
    struct taco_cached *cached = taco_results_find(store, &wanted);
    char id = cached ? cached->id[0] : 0;
    taco_cached_release(cached);
    return id;
}

START_TEST(results_are_found_by_their_keys) {
    struct taco_results *store = store_of(100 * (unit + 4096));
    ck_assert_int_eq(found(store, "one"), 0);
    ck_assert(put_keyed(store, "a", "one") && put_keyed(store, "b", "two"));
    ck_assert(put(store, "c", 100)); /* without a key */
    ck_assert_int_eq(found(store, "one"), 'a');
    ck_assert_int_eq(found(store, "two"), 'b');
    ck_assert_int_eq(found(store, "on"), 0);
    ck_assert_int_eq(found(store, "one "), 0);
    ck_assert_int_eq(found(store, ""), 0);
    ck_assert(
        put_keyed(store, "d", "one")); /* the newest is found, the old one is cached */
    ck_assert_int_eq(found(store, "one"), 'd');
    ck_assert_int_eq(state_of(store, "a"), TACO_RESULTS_CACHED);
    struct taco_results_usage usage;
    taco_results_usage(store, &usage);
    ck_assert_uint_eq(usage.n, 4);
    ck_assert_uint_eq(usage.n_hits, 3);
    ck_assert_uint_eq(usage.n_misses, 4);
    taco_results_destroy(store);
}
END_TEST

START_TEST(what_has_gone_is_not_found) {
    struct taco_results *store = store_of(3 * (unit + 4096));
    ck_assert(put_keyed(store, "a", "one") && put_keyed(store, "b", "two") &&
              put_keyed(store, "c", "one"));
    ck_assert(put_keyed(store, "d", "four")); /* a goes, c is found further on */
    ck_assert_int_eq(state_of(store, "a"), TACO_RESULTS_GONE);
    ck_assert_int_eq(found(store, "one"), 'c');
    ck_assert_int_eq(found(store, "two"), 'b'); /* used: c is the oldest, then d */
    ck_assert_int_eq(found(store, "one"), 'c');
    ck_assert(put_keyed(store, "e", "five"));
    ck_assert_int_eq(found(store, "four"), 0);
    ck_assert_int_eq(found(store, "one"), 'c');
    for (int i = 0; i < 3000; i++) { /* more than one in a bucket, in and out */
        char key[16], id[3] = {(char)('A' + i % 26), (char)('0' + i / 26 % 64), '\0'};
        snprintf(key, sizeof key, "k%d", i % 700);
        if (state_of(store, id) == TACO_RESULTS_UNKNOWN)
            ck_assert(put_keyed(store, id, key));
        ck_assert(found(store, key) == id[0] || i >= 26 * 64);
    }
    ck_assert_int_eq(found(store, "one"), 0);
    taco_results_destroy(store);
}
END_TEST

int main(void) {
    struct taco_voice *voice = NULL;
    speak(&voice);
    Suite *suite = suite_create("server results");
    TCase *tc = tcase_create("results");
    tcase_add_test(tc, nothing_is_kept_in_no_room);
    tcase_add_test(tc, one_that_is_too_large_does_not_drive_out_the_others);
    tcase_add_test(tc, the_least_recently_used_goes_first);
    tcase_add_test(tc, who_holds_a_result_has_it_after_it_is_gone);
    tcase_add_test(tc, what_is_announced_is_pending_until_it_comes_or_is_withdrawn);
    tcase_add_test(tc, old_memories_are_bounded);
    tcase_add_test(tc, no_memory);
    tcase_add_test(tc, ids_are_letters_and_digits_and_differ);
    tcase_add_test(tc, many_threads_use_it_at_once);
    tcase_add_test(tc, results_are_found_by_their_keys);
    tcase_add_test(tc, what_has_gone_is_not_found);
    suite_add_tcase(suite, tc);
    int failed = test_run(suite);
    taco_result_unref(result);
    taco_voice_close(voice);
    return failed;
}
