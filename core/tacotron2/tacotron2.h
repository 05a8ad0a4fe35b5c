/* Tacotron 2 (Shen et al. 2018, arXiv 1712.05884): model, encoder, decoder batch,
 * postnet.
 *
 * Three kinds of object, never mixed: struct taco_tacotron2 is const after opening and
 * shared by all threads; the decoder batch belongs to one thread; scratch comes in an
 * arena. Forward functions are void: shapes were checked when the voice was opened. */
#ifndef TACO_TACOTRON2_H
#define TACO_TACOTRON2_H

#include "base/arena.h"
#include "base/safetensors.h"
#include "base/workers.h"
#include "kernels/kernels.h"
#include "tacotron2/hparams.h"
#include <taco/status.h>
#include <taco/voice.h>

struct taco_tacotron2;

/* Checks every tensor's shape, reads the data of st where they have not been read yet, then
 * checks, converts and packs them. Of st the model keeps nothing but borrowed bytes. cancel
 * may be NULL. TACO_ERR_SHAPE, _FORMAT, _UNSUPPORTED, _NO_MEMORY, _IO, _CANCELLED. Tensors that
 * the graph does not use are TACO_ERR_FORMAT (err->param) unless their name starts with
 * "audio.". */
enum taco_status
taco_tacotron2_open(struct taco_tacotron2 **model, const struct taco_hparams *hparams,
                    struct taco_safetensors *st, const struct taco_kernels *kernels,
                    enum taco_precision precision, const struct taco_cancel *cancel,
                    struct taco_error *err);
void taco_tacotron2_close(struct taco_tacotron2 *model);
const struct taco_hparams *taco_tacotron2_hparams(const struct taco_tacotron2 *model);
/* The precision in use, never AUTO. */
enum taco_precision taco_tacotron2_precision(const struct taco_tacotron2 *model);

/* -- encoder --------------------------------------------------------------- */

/* What the decoder attends to, and by which attention. */
struct taco_memory {
    int n_symbols;
    int attention;                 /* index into hparams.attentions */
    const float *memory;           /* [n_symbols, memory_dim] */
    const float *processed_memory; /* that attention's keys, n_symbols x its key width;
                                      NULL where it has none */
    const int32_t *words;          /* [n_symbols] index of each symbol's word, from 0;
                                      NULL where the attention does not ask */
};

/* Bytes for taco_memory's arrays, for admission control. */
size_t taco_memory_bytes(const struct taco_tacotron2 *model, int n_symbols,
                         int attention);

/* ids [n], 0 <= id < n_symbols, n >= 1; 0 <= speaker < n_speakers; 0 <= attention <
 * n_attentions, 0 is the default. The arrays come from
 * keep, everything temporary from scratch. cancel (NULL: none) is asked every few
 * milliseconds. TACO_ERR_NO_MEMORY, TACO_ERR_CANCELLED. */
enum taco_status taco_encoder_forward(const struct taco_tacotron2 *model,
                                      const int32_t *ids, int n, int speaker,
                                      int attention, const struct taco_cancel *cancel,
                                      struct taco_arena *keep, struct taco_arena *scratch,
                                      struct taco_memory *out);

/* -- decoder --------------------------------------------------------------- */

/* How one row is decoded, and where its outputs go. All arrays are the caller's and stay
 * until the row has left; they hold max_steps steps. Between steps the outputs may be
 * moved and max_steps raised. */
struct taco_row {
    const struct taco_memory *memory;
    uint64_t seed;
    uint32_t chunk;       /* counter of the rng */
    int max_steps;        /* >= 1 */
    float gate_threshold; /* probability; 0: the model's */
    bool ignore_gate;     /* benchmarks and teacher forcing: run max_steps */
    bool watch_end;    /* stop when the attention rests at the text's end (MODEL.md, 7) */
    float temperature; /* energies are divided by it; 0: 1 */
    int window_back; /* symbols that the attention may see before the one most attended */
    int window_forward; /* to at the step before, and from it on; 0: the voice's window */
    const float *const *masks; /* tests: [prenet_n_layers] arrays [max_steps, dim] of
                                  dropout factors in place of the rng, or NULL */
    const float *teacher;      /* tests: [max_steps * r, n_mels] fed back in place of the
                                  row's own output, or NULL */
    float *mel;                /* [max_steps * r, n_mels] before the postnet */
    float *gate;               /* [max_steps, gate_dim] logits */
    float *alignment;          /* [max_steps, memory->n_symbols] */
    float *heads; /* [max_steps, n_heads, memory->n_symbols], or NULL: the weights of each
                     head, whose mean is the alignment; for attentions with heads */
    /* written by the decoder */
    int n_steps; /* steps done */
    bool done;
    enum taco_row_end {
        TACO_ROW_RUNNING,
        TACO_ROW_GATE,
        TACO_ROW_ATTENTION_END,
        TACO_ROW_MAX_STEPS
    } end;
};

struct taco_decoder; /* the batch: state of up to max_rows rows; one thread's */

/* Memory for max_rows rows; taco_decoder_add of longer texts may allocate more, steps
 * never do. */
enum taco_status taco_decoder_create(struct taco_decoder **decoder,
                                     const struct taco_tacotron2 *model, int max_rows,
                                     struct taco_error *err);
void taco_decoder_destroy(struct taco_decoder *decoder);

/* The row joins before the next step. There must be room. TACO_ERR_NO_MEMORY. */
enum taco_status taco_decoder_add(struct taco_decoder *decoder, struct taco_row *row,
                                  struct taco_error *err);
/* The row leaves now (cancelled); no effect if it is not there. Rows that are done have
 * left. */
void taco_decoder_remove(struct taco_decoder *decoder, struct taco_row *row);
int taco_decoder_count(const struct taco_decoder *decoder);

/* One step for every row. Rows that end have done set and have left. team may be NULL; at
 * most 16 of its threads take part. */
void taco_decoder_step(struct taco_decoder *decoder, struct taco_team *team);

/* Steps that stay: mel frames of the row that belong to the speech (FORMAT.md,
 * firing_frame), and how many frames the postnet is to see. Both can be 0: the gate fired
 * at the first step of a voice that drops its frames. */
void taco_row_frames(const struct taco_tacotron2 *model, const struct taco_row *row,
                     int *n_frames, int *n_postnet_frames);

/* -- postnet --------------------------------------------------------------- */

/* out = mel + postnet(mel) [t, n_mels]. A frame's bits depend on the mel within reach and
 * on its index, not on how the caller cut the time axis. TACO_ERR_NO_MEMORY. */
enum taco_status taco_postnet_forward(const struct taco_tacotron2 *model,
                                      const float *mel, int t, struct taco_arena *scratch,
                                      float *out);

/* Frames of look-ahead that a frame needs: layers * (kernel - 1) / 2. */
int taco_postnet_reach(const struct taco_tacotron2 *model);

/* The same frames as they are decoded. */
struct taco_postnet_stream; /* a row's; one thread's at a time */

/* In the arena, and ends with it. TACO_ERR_NO_MEMORY. */
enum taco_status taco_postnet_stream_create(struct taco_postnet_stream **stream,
                                            const struct taco_tacotron2 *model,
                                            struct taco_arena *arena);
/* mel [t, n_mels] is the row from its first frame on, t never less than before; last: no
 * more will come, nor may be fed. The frames that can be computed now go to out
 * [*n_out, n_mels], at most t - the frames given out before. On TACO_ERR_NO_MEMORY nothing
 * has changed. */
enum taco_status taco_postnet_stream_feed(struct taco_postnet_stream *stream,
                                          const float *mel, int t, bool last,
                                          struct taco_arena *scratch, float *out,
                                          int *n_out);

#endif
