#include "support/vocoder_open.h"

#include "base/error.h"

/* As f32, from the arena; NULL if there is none of that name. */
static float *read_tensor(const struct taco_safetensors *file, const char *name,
                          struct taco_arena *arena) {
    const struct taco_tensor *tensor = taco_safetensors_find(file, name);
    float *values =
        tensor ? taco_arena_alloc(arena, tensor->n_elements, sizeof *values) : NULL;
    if (values)
        taco_tensor_to_f32(tensor, values);
    return values;
}

struct taco_vocoder *test_vocoder_open(const struct taco_safetensors *file,
                                       const struct taco_audio_params *params,
                                       struct taco_error *err) {
    struct taco_arena arena = TACO_ARENA_INIT;
    struct taco_vocoder *vocoder = NULL;
    const float *basis = read_tensor(file, "audio.mel_basis", &arena);
    const float *mean = read_tensor(file, "audio.mean", &arena);
    const float *std = read_tensor(file, "audio.std", &arena);
    if (!basis)
        taco_error_set(err, TACO_ERR_SHAPE, "audio.mel_basis",
                       "the voice has no mel basis");
    else if (taco_vocoder_create(&vocoder, params, basis, mean, std, err) != TACO_OK)
        vocoder = NULL;
    taco_arena_free(&arena);
    return vocoder;
}
