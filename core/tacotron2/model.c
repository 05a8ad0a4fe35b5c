/* Opens a model: checks every tensor, then loads its parts (tacotron2.h). */
#include "tacotron2/model.h"

#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "base/cancel.h"
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

/* What --precision auto means. A step is bound by reading its weights, and int8's take a
 * quarter of the memory of f32's, so int8 is the choice unless the voice names another: one
 * whose speech drifts further from f32's than tests/bench/README.md allows. Without vector
 * instructions the conversion of the rows costs more than it saves. */
static enum taco_precision best_precision(const struct taco_kernels *kernels,
                                          const struct taco_hparams *hparams) {
    if (strcmp(kernels->isa, "scalar") == 0)
        return TACO_PRECISION_F32;
    return hparams->precision == TACO_PRECISION_AUTO ? TACO_PRECISION_INT8
                                                     : hparams->precision;
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

/* -- what threads do side by side ------------------------------------------- */

struct opening {
    struct taco_tacotron2 *model;
    const struct taco_safetensors *st;
    struct taco_weight list[TACO_MAX_WEIGHTS];
    int n_weights;
    atomic_int next_weight, next_part;
    atomic_int bad_weight; /* the first of the list, n_weights if there is none */
    atomic_bool no_memory, cancelled;
    const struct taco_cancel *cancel; /* asked by the calling thread, which is number 0 */
};

static bool is_cancelled(struct opening *o, int thread) {
    if (thread == 0 && taco_is_cancelled(o->cancel))
        atomic_store(&o->cancelled, true);
    return atomic_load(&o->cancelled);
}

static void check_values(void *arg, int thread, int n_threads) {
    (void)n_threads;
    struct opening *o = arg;
    int i;
    while (!is_cancelled(o, thread) &&
           (i = atomic_fetch_add(&o->next_weight, 1)) < o->n_weights) {
        if (taco_weight_is_finite(&o->list[i], o->st))
            continue;
        int bad = atomic_load(&o->bad_weight);
        while (i < bad && !atomic_compare_exchange_weak(&o->bad_weight, &bad, i))
            ;
    }
}

static void load_parts(void *arg, int thread, int n_threads) {
    (void)n_threads;
    struct opening *o = arg;
    int part;
    while (!is_cancelled(o, thread) &&
           (part = atomic_fetch_add(&o->next_part, 1)) < TACO_MODEL_N_PARTS)
        if (!taco_load_part(o->model, o->st, part))
            atomic_store(&o->no_memory, true);
}

/* Reading and packing all weights is most of the time that a large voice takes to open; a
 * small one is open before a thread has begun. NULL: the caller does it alone. */
static struct taco_team *make_team(const struct taco_safetensors *st) {
    enum { LARGE = 4 << 20 };
    struct taco_team *team;
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    if (n < 2 || taco_safetensors_file_bytes(st) < LARGE ||
        taco_team_create(&team, n < TACO_MODEL_N_PARTS ? (int)n : TACO_MODEL_N_PARTS,
                         NULL) != TACO_OK)
        return NULL;
    return team;
}

static enum taco_status load(struct opening *o, struct taco_error *err) {
    struct taco_team *team = make_team(o->st);
    atomic_store(&o->bad_weight, o->n_weights);
    taco_team_run(team, check_values, o);
    int bad = atomic_load(&o->bad_weight);
    if (bad == o->n_weights)
        taco_team_run(team, load_parts, o);
    taco_team_destroy(team);
    if (atomic_load(&o->cancelled))
        return taco_error_set(err, TACO_ERR_CANCELLED, NULL,
                              "the voice is no longer wanted");
    if (bad < o->n_weights) {
        const char *name = o->list[bad].name;
        return taco_error_set(err, TACO_ERR_FORMAT, name,
                              "%s: holds a value that is not a finite number", name);
    }
    if (atomic_load(&o->no_memory))
        return taco_error_set(err, TACO_ERR_NO_MEMORY, NULL,
                              "no memory for the voice's weights");
    return TACO_OK;
}

enum taco_status
taco_tacotron2_open(struct taco_tacotron2 **out, const struct taco_hparams *hparams,
                    struct taco_safetensors *st, const struct taco_kernels *kernels,
                    enum taco_precision precision, const struct taco_cancel *cancel,
                    struct taco_error *err) {
    *out = NULL;
    struct opening o = {.st = st, .cancel = cancel};
    struct taco_tacotron2 *m = o.model = taco_calloc(1, sizeof *m);
    if (!m)
        return taco_error_set(err, TACO_ERR_NO_MEMORY, NULL,
                              "no memory for the voice's weights");
    m->hparams = *hparams;
    m->kernels = kernels;
    m->precision =
        precision == TACO_PRECISION_AUTO ? best_precision(kernels, hparams) : precision;
    enum taco_status status = TACO_OK;
    if (m->hparams.n_speakers == 0)
        status = count_speakers(&m->hparams, st, err);
    if (status == TACO_OK) {
        o.n_weights = taco_weights_list(&m->hparams, o.list);
        status = taco_weights_check(o.list, o.n_weights, st, err);
    }
    if (status == TACO_OK)
        status = taco_safetensors_read(st, cancel, err);
    if (status == TACO_OK) {
        m->layout = make_layout(&m->hparams);
        status = load(&o, err);
    }
    if (status != TACO_OK) {
        taco_tacotron2_close(m);
        return status;
    }
    *out = m;
    return TACO_OK;
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
