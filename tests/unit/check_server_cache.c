/* server/speech/cache.h: which requests are identical. */
#include <check.h>
#include <string.h>

#include "speech/cache.h"
#include "support/runner.h"

static struct taco_result_key key_of(const struct taco_speech *speech, uint64_t voice,
                                     uint64_t seed) {
    struct taco_result_key key = {NULL, 0};
    ck_assert(taco_cache_key_make(&key, speech, voice, seed));
    ck_assert_ptr_nonnull(key.bytes);
    return key;
}

static bool same(struct taco_result_key a, struct taco_result_key b) {
    bool equal = a.size == b.size && memcmp(a.bytes, b.bytes, a.size) == 0;
    taco_result_key_free(&a);
    taco_result_key_free(&b);
    return equal;
}

static void set(struct taco_speech *speech, const char *name, const char *value) {
    const struct taco_field *field =
        taco_field_find(name, strlen(name), TACO_FIELD_SPEECH);
    const struct taco_value written = taco_value_written(value, strlen(value));
    ck_assert_msg(field && taco_speech_set(speech, field, &written, NULL) == 0, "%s=%s",
                  name, value);
}

static void init(struct taco_speech *speech) {
    taco_speech_init(speech);
    set(speech, "text", "Hello.");
}

/* A value of the field that is not its default. */
static const char *other_value(const struct taco_field *field) {
    switch (field->kind) {
    case TACO_FIELD_BOOLEAN:
        return strcmp(field->fallback, "true") == 0 ? "false" : "true";
    case TACO_FIELD_STREAM:
        return "true";
    case TACO_FIELD_FORMAT:
        return "flac";
    case TACO_FIELD_PHASE:
        return "random";
    case TACO_FIELD_INPUT:
        return "markdown";
    case TACO_FIELD_MATRIX:
        return "arrays";
    case TACO_FIELD_FLOAT:
    case TACO_FIELD_DOUBLE:
        return "0.75";
    case TACO_FIELD_INTEGER:
        if (field->min > 7)
            return "16000";
        /* fall through */
    default:
        return field->min > 7 ? "8000" : "7"; /* in every range, and no default */
    }
}

/* Fields of the form of the answer, and limits; the seed and the voice are arguments of their
 * own; the numbers of speaker and attention are found with the voice. */
static bool changes_nothing(const char *name) {
    static const char *const names[] = {"voice",     "speaker",  "seed",   "format",
                                        "bit_rate",  "timeout",  "matrix", "sample_rate",
                                        "attention", "max_audio"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

START_TEST(every_field_of_the_speech_counts) {
    int n = 0;
    for (const struct taco_field *field = taco_fields; field->name; field++) {
        if (!(field->uses & TACO_FIELD_SPEECH) || field->kind == TACO_FIELD_TEXT)
            continue;
        struct taco_speech plain, other;
        init(&plain);
        init(&other);
        set(&other, field->name, other_value(field));
        ck_assert_msg(same(key_of(&plain, 1, 2), key_of(&other, 1, 2)) ==
                          changes_nothing(field->name),
                      "%s", field->name);
        taco_speech_free(&plain);
        taco_speech_free(&other);
        n++;
    }
    ck_assert_int_gt(n, 15);
}
END_TEST

START_TEST(voice_seed_speaker_and_text_count) {
    struct taco_speech speech, other;
    init(&speech);
    init(&other);
    ck_assert(same(key_of(&speech, 1, 2), key_of(&other, 1, 2)));
    ck_assert(!same(key_of(&speech, 1, 2), key_of(&speech, 2, 2)));
    ck_assert(!same(key_of(&speech, 1, 2), key_of(&speech, 1, 3)));
    ck_assert(!same(key_of(&speech, 1, 22), key_of(&speech, 12, 2)));
    other.request.speaker = 1;
    ck_assert(!same(key_of(&speech, 1, 2), key_of(&other, 1, 2)));
    other.request.speaker = 0;
    other.request.client = 77; /* whoever asks */
    other.request.text_options.max_bytes = 7777;
    ck_assert(same(key_of(&speech, 1, 2), key_of(&other, 1, 2)));
    other.request.text_length--;
    ck_assert(!same(key_of(&speech, 1, 2), key_of(&other, 1, 2)));
    taco_speech_free(&speech);
    taco_speech_free(&other);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("server cache");
    TCase *tc = tcase_create("cache");
    tcase_add_test(tc, every_field_of_the_speech_counts);
    tcase_add_test(tc, voice_seed_speaker_and_text_count);
    suite_add_tcase(suite, tc);
    return test_run(suite);
}
