/* Voices for tests: a whole voice file with seeded random weights, small unless asked
 * otherwise, that a test may change before it is written - also into what no reader
 * accepts.
 *
 *   struct test_voice voice;
 *   test_voice_init(&voice, "{'model': {'n_mels': 8}, 'audio': {'n_mels': 8}}", 1);
 *   test_voice_tensor(&voice, "decoder.gate_layer.bias")->data[0] = 100;  stops at once
 *   test_voice_save(&voice, path);
 *   test_voice_free(&voice);
 *
 * What goes wrong here ends the program: a test's mistake. */
#ifndef TACO_TESTS_VOICE_FILE_H
#define TACO_TESTS_VOICE_FILE_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include "base/safetensors.h"

struct test_tensor {
    char name[64];
    int n_dims;
    int64_t shape[4];
    float *data;           /* [product of shape], whatever the stored type */
    enum taco_dtype dtype; /* stored type; TACO_DTYPE_OTHER: I32 */
};

enum { TEST_VOICE_MAX_TENSORS = 160 };

struct test_voice {
    const char *format; /* "taco-voice", until the test says otherwise */
    json_t *config;     /* the whole config of models/FORMAT.md */
    int n;
    struct test_tensor tensors[TEST_VOICE_MAX_TENSORS]; /* as the model's graph has them,
                                                           and audio.… */
};

/* The default voice: location attention, `characters` front end with torchaudio's 38
 * symbols, 16 mels, 16 kHz, hop 80; its gate fires at about one step in forty. overrides
 * (may be NULL): JSON merged into the config, object by object; ' may be written for ",
 * and null takes a key away. The tensors are those of the merged config, values drawn
 * from the seed. */
void test_voice_init(struct test_voice *voice, const char *overrides, uint64_t seed);
void test_voice_free(struct test_voice *voice);

/* By name; ends the program if there is none. */
struct test_tensor *test_voice_tensor(struct test_voice *voice, const char *name);
/* Takes the tensor away. */
void test_voice_drop(struct test_voice *voice, const char *name);
/* Puts one more tensor of zeros behind the others. */
struct test_tensor *test_voice_add(struct test_voice *voice, const char *name, int n_dims,
                                   const int64_t *shape);
/* Another shape, the first values kept, zeros behind them. */
void test_voice_reshape(struct test_voice *voice, const char *name, int n_dims,
                        const int64_t *shape);

/* The file's bytes [*size], 64-byte aligned; free(). */
void *test_voice_bytes(const struct test_voice *voice, size_t *size);
void test_voice_save(const struct test_voice *voice, const char *path);

#endif
