/* Mels through a voice's vocoder: what mel and vocoder lose of a recording.
 *
 *   copy_synthesis VOICE MEL.f32 OUT.wav [INVERTER]
 *
 * MEL.f32 holds the voice's log mel, float32 [frames, bands], as models/train/mel_of
 * writes it. INVERTER: an inverter file, or none. */
#include <sndfile.h>
#include <stdio.h>
#include <stdlib.h>

#include "engine/voice.h"
#include "support/files.h"
#include "support/measure.h"
#include "vocoder/vocoder.h"

int main(int argc, char **argv) {
    if (argc != 4 && argc != 5) {
        fprintf(stderr, "usage: copy_synthesis VOICE MEL.f32 OUT.wav [INVERTER]\n");
        return 2;
    }
    struct taco_voice_options how = taco_voice_options_default();
    struct taco_error err = TACO_ERROR_INIT;
    struct taco_voice *voice;
    how.inverter = argc > 4 ? argv[4] : NULL;
    test_expect(taco_voice_open(&voice, argv[1], &how, &err), &err);
    const struct taco_voice_info *info = taco_voice_info(voice);
    size_t size, row = (size_t)info->n_mels * sizeof(float);
    char *mel = test_read_file(argv[2], &size);
    if (!mel || size < row || size % row != 0) {
        fprintf(stderr, "copy_synthesis: %s: not a mel of %d bands\n", argv[2],
                info->n_mels);
        return 1;
    }
    int n_frames = (int)(size / row);
    size_t n = taco_vocoder_samples(voice->vocoder, n_frames);
    float *samples = test_need(n, sizeof *samples);
    struct taco_vocoder_options options = taco_vocoder_options_default();
    struct taco_arena scratch = TACO_ARENA_INIT;
    struct taco_rng_key key = {.seed = 1};
    if (taco_vocoder_synthesize(voice->vocoder, (const float *)(void *)mel, n_frames,
                                &options, &key, NULL, &scratch, samples) != TACO_OK) {
        fprintf(stderr, "copy_synthesis: out of memory\n");
        return 1;
    }
    SF_INFO format = {.samplerate = info->sample_rate,
                      .channels = 1,
                      .format = SF_FORMAT_WAV | SF_FORMAT_PCM_16};
    SNDFILE *out = sf_open(argv[3], SFM_WRITE, &format);
    if (!out || sf_command(out, SFC_SET_CLIPPING, NULL, SF_TRUE) != SF_TRUE ||
        sf_write_float(out, samples, (sf_count_t)n) != (sf_count_t)n ||
        sf_close(out) != 0) {
        fprintf(stderr, "copy_synthesis: %s: %s\n", argv[3], sf_strerror(out));
        return 1;
    }
    taco_arena_free(&scratch);
    free(samples);
    free(mel);
    taco_voice_close(voice);
    return 0;
}
