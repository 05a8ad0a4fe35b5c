/* Speaks a text to a WAV file: the smallest whole client of the library.
 *
 *   cc -std=c11 speak.c $(pkg-config --cflags --libs taco) -o speak
 *   ./speak voice.safetensors "Hello, world." hello.wav */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <taco/audio.h>
#include <taco/engine.h>

static int fail(const struct taco_error *err) {
    fprintf(stderr, "speak: %s: %s\n", taco_status_name(err->status), err->message);
    return 1;
}

int main(int argc, char **argv) {
    if (argc != 4) {
        fprintf(stderr, "usage: speak VOICE TEXT OUT.wav\n");
        return 2;
    }
    struct taco_error err = TACO_ERROR_INIT;
    struct taco_voice *voice = NULL;
    struct taco_engine *engine = NULL;
    const struct taco_result *result = NULL;
    void *wav = NULL;
    size_t size = 0;
    int written = 0;

    struct taco_audio_options options = taco_audio_options_default();
    struct taco_request request = taco_request_default();
    request.text = argv[2];
    request.text_length = strlen(argv[2]);
    request.has_seed = true;
    request.seed = 1;

    if (taco_voice_open(&voice, argv[1], NULL, &err) == TACO_OK &&
        taco_engine_create(&engine, NULL, &err) == TACO_OK &&
        taco_engine_speak(engine, voice, &request, &result, &err) == TACO_OK &&
        taco_audio_encode(result->samples, result->n_samples, result->sample_rate,
                          &options, &wav, &size, &err) == TACO_OK) {
        for (uint32_t i = 0; i < result->text->n_spoken; i++)
            printf("%6.3f %6.3f  %s\n", result->spoken[i].start, result->spoken[i].end,
                   result->text->spoken[i].text);
        FILE *out = fopen(argv[3], "wb");
        written = out && fwrite(wav, 1, size, out) == size && fclose(out) == 0;
        if (!written)
            perror(argv[3]);
    }
    free(wav);
    taco_result_unref(result);
    taco_engine_destroy(engine);
    taco_voice_close(voice);
    if (err.status != TACO_OK)
        return fail(&err);
    return written ? 0 : 1;
}
