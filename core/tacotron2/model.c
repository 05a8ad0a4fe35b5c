/* Opens a model: checks every tensor, then loads its parts (tacotron2.h). */
#include "tacotron2/model.h"

#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "tacotron2/load.h"
#include "tacotron2/weights.h"

static struct taco_row_layout make_layout(const struct taco_hparams *h) {
    size_t P = (size_t)h->prenet_dim[h->prenet_n_layers - 1], M = (size_t)h->memory_dim;
    size_t A = (size_t)h->attention_rnn_dim, R = (size_t)h->decoder_rnn_dim;
    struct taco_row_layout y = {.prenet = 0, .context_in = P, .h1 = P + M};
    bool context_first = h->decoder_rnn_context;
    y.context = y.h1 + A + (context_first ? 0 : R);
    y.h2 = y.h1 + A + (context_first ? M : 0);
    y.projection_in = y.h1 + A;
    y.size = P + M + A + M + R;
    return y;
}

/* What --precision auto means. A step waits for its weights, and int8's are a quarter of
 * f32's; its alignments and mels stay within the bounds that tests/bench/README.md tells.
 * Without vector instructions the conversion of the rows costs more than it saves. */
static enum taco_precision best_precision(const struct taco_kernels *kernels) {
    return strcmp(kernels->isa, "scalar") ? TACO_PRECISION_INT8 : TACO_PRECISION_F32;
}

/* A table without names: as many speakers as it has rows. */
static enum taco_status count_speakers(struct taco_hparams *h,
                                       const struct taco_safetensors *st,
                                       struct taco_error *err) {
    const char *name = "speaker_embedding.weight";
    const struct taco_tensor *table = taco_safetensors_find(st, name);
    if (!table || table->n_dims != 2 || table->shape[0] < 1 || table->shape[0] > 65536)
        return taco_error_set(err, TACO_ERR_SHAPE, name,
                              "%s: the config asks for a table [1 to 65536, %d]", name,
                              h->speaker_embedding_dim);
    h->n_speakers = (int)table->shape[0];
    return TACO_OK;
}

/* -- parts side by side ----------------------------------------------------- */

struct loading {
    struct taco_tacotron2 *model;
    const struct taco_safetensors *st;
    atomic_int next; /* part */
    atomic_bool failed;
};

static void load_parts(void *arg, int thread, int n_threads) {
    (void)thread, (void)n_threads;
    struct loading *loading = arg;
    int part;
    while ((part = atomic_fetch_add(&loading->next, 1)) < TACO_MODEL_N_PARTS)
        if (!taco_load_part(loading->model, loading->st, part))
            atomic_store(&loading->failed, true);
}

/* Packing is most of the time that a large voice takes to open; a small one is open
 * before a thread has begun. Without threads the caller does it alone. */
static bool load(struct taco_tacotron2 *model, const struct taco_safetensors *st) {
    enum { LARGE = 4 << 20 };
    struct loading loading = {.model = model, .st = st};
    struct taco_team *team = NULL;
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    if (n > 1 && taco_safetensors_file_bytes(st) >= LARGE &&
        taco_team_create(&team, n < TACO_MODEL_N_PARTS ? (int)n : TACO_MODEL_N_PARTS,
                         NULL) != TACO_OK)
        team = NULL;
    taco_team_run(team, load_parts, &loading);
    taco_team_destroy(team);
    return !atomic_load(&loading.failed);
}

enum taco_status
taco_tacotron2_open(struct taco_tacotron2 **out, const struct taco_hparams *hparams,
                    const struct taco_safetensors *st, const struct taco_kernels *kernels,
                    enum taco_precision precision, struct taco_error *err) {
    *out = NULL;
    struct taco_weight list[TACO_MAX_WEIGHTS];
    struct taco_tacotron2 *m = taco_calloc(1, sizeof *m);
    if (!m)
        goto no_memory;
    m->hparams = *hparams;
    m->kernels = kernels;
    m->precision = precision == TACO_PRECISION_AUTO ? best_precision(kernels) : precision;
    enum taco_status status = TACO_OK;
    if (m->hparams.n_speakers == 0)
        status = count_speakers(&m->hparams, st, err);
    if (status == TACO_OK)
        status = taco_weights_check(list, taco_weights_list(&m->hparams, list), st, err);
    if (status != TACO_OK) {
        taco_tacotron2_close(m);
        return status;
    }
    m->layout = make_layout(&m->hparams);
    if (!load(m, st))
        goto no_memory;
    *out = m;
    return TACO_OK;

no_memory:
    taco_tacotron2_close(m);
    return taco_error_set(err, TACO_ERR_NO_MEMORY, NULL,
                          "no memory for the voice's weights");
}

void taco_tacotron2_close(struct taco_tacotron2 *model) {
    if (!model)
        return;
    for (int part = 0; part < TACO_MODEL_N_PARTS; part++)
        taco_arena_free(&model->arenas[part]);
    taco_free(model);
}

const struct taco_hparams *taco_tacotron2_hparams(const struct taco_tacotron2 *model) {
    return &model->hparams;
}

enum taco_precision taco_tacotron2_precision(const struct taco_tacotron2 *model) {
    return model->precision;
}
