/* Runs a voice on given symbols and dropout factors and writes what every stage gives:
 *
 *   run VOICE.safetensors INPUTS.safetensors OUT_DIR
 *
 * INPUTS: `ids` I64 [n]; for each prenet layer i of which factors are given,
 * `prenet_mask_i` F32 [steps, dim] - all layers or none, in which case the generator with
 * seed 0 draws them. OUT_DIR receives, as NumPy arrays of float32, memory [n, width],
 * mel_before and mel_after [frames, n_mels], mel_ln_amp [frames, n_mels] (the natural
 * logarithm of the linear mel magnitude that the vocoder makes of mel_after),
 * gate_logits [steps] or [steps, r], alignments [steps, n]. A step whose frames the voice
 * drops counts in gate_logits alone. Prints the number of decoder steps and that of the
 * frames that belong to the speech. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpu.h"
#include "support/npy.h"
#include "support/vocoder_open.h"
#include "tacotron2/tacotron2.h"

struct voice {
    struct taco_safetensors *file;
    json_t *config;
    struct taco_hparams hparams;
    struct taco_audio_params audio;
    struct taco_tacotron2 *model;
};

struct inputs {
    struct taco_safetensors *file;
    int32_t *ids; /* [n] */
    int n;
    const float *masks[TACO_MAX_PRENET_LAYERS]; /* [n_steps, dim] each */
    int n_steps;                                /* 0: no masks */
};

static bool complain(const char *what) {
    fprintf(stderr, "run: %s\n", what);
    return false;
}

/* -- in -------------------------------------------------------------------- */

static bool open_voice(struct voice *v, const char *path) {
    struct taco_error err = TACO_ERROR_INIT;
    if (taco_safetensors_open(&v->file, path, &err) != TACO_OK)
        return complain(err.message);
    const char *config = taco_safetensors_metadata(v->file, "config");
    v->config = config ? json_loads(config, JSON_REJECT_DUPLICATES, NULL) : NULL;
    if (!v->config)
        return complain("the voice has no config");
    if (taco_hparams_parse(&v->hparams, json_object_get(v->config, "model"), &err) !=
            TACO_OK ||
        taco_audio_params_parse(&v->audio, json_object_get(v->config, "audio"), &err) !=
            TACO_OK ||
        taco_tacotron2_open(&v->model, &v->hparams, v->file,
                            taco_kernels_get(taco_cpu_flags()), TACO_PRECISION_F32, NULL,
                            &err) != TACO_OK)
        return complain(err.message);
    return true;
}

static bool read_ids(struct inputs *in, const struct voice *v) {
    const struct taco_tensor *ids = taco_safetensors_find(in->file, "ids");
    if (!ids || strcmp(ids->dtype_name, "I64") != 0 || ids->n_dims != 1 ||
        ids->n_elements < 1 || ids->n_elements > 100000)
        return complain("ids must be I64 [n], n >= 1");
    in->n = (int)ids->n_elements;
    in->ids = calloc(ids->n_elements, sizeof *in->ids);
    if (!in->ids)
        return complain("no memory");
    for (int i = 0; i < in->n; i++) {
        int64_t id;
        memcpy(&id, (const char *)ids->data + (size_t)i * sizeof id, sizeof id);
        if (id < 0 || id >= v->hparams.n_symbols)
            return complain("ids: a symbol that the voice does not have");
        in->ids[i] = (int32_t)id;
    }
    return true;
}

static bool open_inputs(struct inputs *in, const struct voice *v, const char *path) {
    struct taco_error err = TACO_ERROR_INIT;
    if (taco_safetensors_open(&in->file, path, &err) != TACO_OK)
        return complain(err.message);
    int found = 0;
    for (int i = 0; i < v->hparams.prenet_n_layers; i++) {
        char name[40];
        snprintf(name, sizeof name, "prenet_mask_%d", i);
        const struct taco_tensor *mask = taco_safetensors_find(in->file, name);
        if (!mask)
            continue;
        if (mask->dtype != TACO_DTYPE_F32 || mask->n_dims != 2 || mask->shape[0] < 1 ||
            mask->shape[0] > 20000 || mask->shape[1] != v->hparams.prenet_dim[i] ||
            (found > 0 && mask->shape[0] != in->n_steps))
            return complain("prenet_mask_i must be F32 [steps, dim of layer i]");
        in->masks[i] = mask->data;
        in->n_steps = (int)mask->shape[0];
        found++;
    }
    if (found != 0 && found != v->hparams.prenet_n_layers)
        return complain("prenet_mask_i for some layers only");
    return read_ids(in, v);
}

static bool write_out(const char *dir, const char *name, const float *x, int rows,
                      int columns) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.npy", dir, name);
    return test_write_npy(path, x, rows, columns) || complain("cannot write a result");
}

/* -- the run --------------------------------------------------------------- */

static int step_limit(const struct voice *v, const struct inputs *in) {
    if (in->n_steps)
        return in->n_steps;
    double frames =
        (double)v->hparams.max_frames_per_symbol * in->n + v->hparams.max_frames_base;
    double steps = frames / v->hparams.n_frames_per_step;
    return steps < 1 ? 1 : steps > 20000 ? 20000 : (int)steps;
}

static bool decode(const struct voice *v, struct taco_row *row) {
    struct taco_error err = TACO_ERROR_INIT;
    struct taco_decoder *decoder = NULL;
    if (taco_decoder_create(&decoder, v->model, 1, &err) == TACO_OK &&
        taco_decoder_add(decoder, row, &err) == TACO_OK)
        while (!row->done)
            taco_decoder_step(decoder, NULL);
    taco_decoder_destroy(decoder);
    return row->done || complain(err.message);
}

/* ln of the linear magnitudes: out [t, n_mels] from mel [t, n_mels]. */
static bool undo_scale(const struct voice *v, const float *mel, int t, float *out) {
    struct taco_error err = TACO_ERROR_INIT;
    struct taco_vocoder *vocoder = test_vocoder_open(v->file, &v->audio, &err);
    if (!vocoder)
        return complain(err.message);
    size_t n = (size_t)t * (size_t)v->hparams.n_mels;
    taco_vocoder_mel_linear(vocoder, mel, t, out);
    for (size_t i = 0; i < n; i++)
        out[i] = logf(out[i]) / v->audio.mel_power;
    taco_vocoder_destroy(vocoder);
    return true;
}

static bool run(const struct voice *v, const struct inputs *in, const char *dir) {
    const struct taco_hparams *h = &v->hparams;
    int max_steps = step_limit(v, in), r = h->n_frames_per_step, n_frames, n_postnet;
    size_t steps = (size_t)max_steps, frame = (size_t)h->n_mels;
    struct taco_arena keep = TACO_ARENA_INIT, scratch = TACO_ARENA_INIT;
    struct taco_memory memory;
    struct taco_row row = {
        .memory = &memory,
        .max_steps = max_steps,
        .masks = in->n_steps ? in->masks : NULL,
        .mel = taco_arena_alloc(&keep, steps * (size_t)r * frame, sizeof(float)),
        .gate = taco_arena_alloc(&keep, steps * (size_t)h->gate_dim, sizeof(float)),
        .alignment = taco_arena_alloc(&keep, steps * (size_t)in->n, sizeof(float)),
    };
    float *after = taco_arena_alloc(&keep, steps * (size_t)r * frame, sizeof(float));
    float *linear = taco_arena_alloc(&keep, steps * (size_t)r * frame, sizeof(float));
    bool good = row.mel && row.gate && row.alignment && after && linear &&
                taco_encoder_forward(v->model, in->ids, in->n, 0, 0, NULL, &keep,
                                     &scratch, &memory) == TACO_OK;
    good = good && decode(v, &row);
    if (good) {
        taco_row_frames(v->model, &row, &n_frames, &n_postnet);
        good = taco_postnet_forward(v->model, row.mel, n_postnet, &scratch, after) ==
               TACO_OK;
    }
    good = good && undo_scale(v, after, n_postnet, linear);
    good = good && write_out(dir, "memory", memory.memory, in->n, h->memory_dim) &&
           write_out(dir, "mel_before", row.mel, n_postnet, h->n_mels) &&
           write_out(dir, "mel_after", after, n_postnet, h->n_mels) &&
           write_out(dir, "mel_ln_amp", linear, n_postnet, h->n_mels) &&
           write_out(dir, "gate_logits", row.gate, row.n_steps,
                     h->gate_dim > 1 ? h->gate_dim : 0) &&
           write_out(dir, "alignments", row.alignment, n_postnet / r, in->n);
    if (good)
        printf("steps %d\nstop_frames %d\n", row.n_steps, n_frames);
    taco_arena_free(&keep);
    taco_arena_free(&scratch);
    return good;
}

int main(int argc, char **argv) {
    if (argc != 4) {
        fprintf(stderr, "usage: %s VOICE.safetensors INPUTS.safetensors OUT_DIR\n",
                argv[0]);
        return 2;
    }
    struct voice v = {0};
    struct inputs in = {0};
    bool good =
        open_voice(&v, argv[1]) && open_inputs(&in, &v, argv[2]) && run(&v, &in, argv[3]);
    free(in.ids);
    taco_safetensors_close(in.file);
    taco_tacotron2_close(v.model);
    json_decref(v.config);
    taco_safetensors_close(v.file);
    return good ? 0 : 1;
}
