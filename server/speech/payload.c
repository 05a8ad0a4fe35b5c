#include "speech/payload.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/memory.h"
#include "speech/speech_state.h"

/* Base64 is made in blocks of 3 bytes times this, between which the work may be stopped. */
#define BLOCK ((size_t)3 << 20)

/* Weights of an alignment, steps by symbols, from which on a picture or a matrix is long
 * work: some 50 ms. */
#define LONG 2000000.0

static int output_rate(const struct taco_result *result,
                       const struct taco_audio_options *options) {
    return taco_audio_output_rate(options->format, result->sample_rate,
                                  options->sample_rate);
}

void taco_audio_type_of(const struct taco_result *result,
                        const struct taco_audio_options *options, char *out,
                        size_t size) {
    taco_audio_media_type(options->format, output_rate(result, options), out, size);
}

/* -- written forms ------------------------------------------------------------------- */

struct growth {
    struct taco_speech_state *s;
    uint64_t taken; /* of the budget */
    int code;
};

static int grow(void *user, size_t bytes) {
    struct growth *growth = user;
    growth->code = taco_speech_stopped(growth->s);
    if (growth->code || bytes <= growth->taken)
        return growth->code;
    growth->code =
        taco_budget_take(&growth->s->budget, bytes - growth->taken, &growth->s->err);
    growth->taken = growth->code ? growth->taken : bytes;
    return growth->code;
}

/* *bytes [*size] is the caller's, taken from the budget. */
static int write_form(struct taco_speech_state *s, enum taco_result_format format,
                      char **bytes, size_t *size) {
    struct growth growth = {.s = s};
    struct taco_format_options options = taco_format_options_default();
    options.matrix = s->speech.matrix;
    options.id = s->x->id;
    options.grow = grow;
    options.user = &growth;
    int status = taco_result_write(s->result, format, &options, bytes, size, &s->err);
    if (growth.taken > *size)
        taco_budget_give(&s->budget, growth.taken - *size);
    return growth.code ? growth.code : status;
}

/* -- audio and alignment ------------------------------------------------------------- */

static int add_base64(struct taco_speech_state *s, struct taco_bytes *body) {
    const char *audio = s->cached->audio;
    int code = 0;
    for (size_t i = 0; i < s->cached->audio_size && !code; i += BLOCK) {
        size_t rest = s->cached->audio_size - i;
        if (!taco_bytes_base64(body, audio + i, rest < BLOCK ? rest : BLOCK))
            code = TACO_ERR_NO_MEMORY;
        if (!code)
            code = taco_speech_stopped(s);
    }
    return code;
}

static int add_json(struct taco_speech_state *s, struct taco_bytes *body,
                    const char *type, const char *alignment, size_t size) {
    const struct taco_audio_options *options = &s->speech.audio;
    bool ok =
        taco_bytes_printf(body,
                          "{\"id\":\"%s\",\"seed\":%llu,\"audio\":{\"type\":\"%s\","
                          "\"format\":\"%s\",\"sample_rate\":%d,\"size\":%zu,\"data\":\"",
                          s->x->id, (unsigned long long)s->result->seed, type,
                          taco_audio_format_name(options->format),
                          output_rate(s->result, options), s->cached->audio_size);
    int code = ok ? add_base64(s, body) : TACO_ERR_NO_MEMORY;
    ok = taco_bytes_printf(body, "\"},\"alignment\":") &&
         taco_bytes_add(body, alignment, size) && taco_bytes_add(body, "}\n", 2);
    return code ? code : ok ? 0 : TACO_ERR_NO_MEMORY;
}

static bool add_part(struct taco_bytes *body, const char *boundary, const char *type,
                     const char *name, const void *bytes, size_t size) {
    return taco_bytes_printf(body,
                             "--%s\r\nContent-Type: %s\r\nContent-Length: %zu\r\n"
                             "Content-Disposition: attachment; filename=\"%s\"\r\n\r\n",
                             boundary, type, size, name) &&
           taco_bytes_add(body, bytes, size) && taco_bytes_add(body, "\r\n", 2);
}

/* The boundary has the id, which is random, and the tag of the audio: it does not occur in
 * the audio, and the same result gives the same bytes again. */
static int add_parts(struct taco_speech_state *s, struct taco_bytes *body,
                     const char *type, const char *alignment, size_t size) {
    char boundary[TACO_ID_LENGTH + 32], name[64];
    snprintf(boundary, sizeof boundary, "taco-%s-%.16s", s->x->id, s->cached->etag + 1);
    snprintf(s->payload.media_type, sizeof s->payload.media_type,
             "multipart/mixed; boundary=%s", boundary);
    snprintf(name, sizeof name, "%s.%s", s->x->id,
             taco_audio_format_name(s->speech.audio.format));
    bool ok =
        add_part(body, boundary, type, name, s->cached->audio, s->cached->audio_size);
    snprintf(name, sizeof name, "%s.json", s->x->id);
    ok = ok && add_part(body, boundary, "application/json", name, alignment, size) &&
         taco_bytes_printf(body, "--%s--\r\n", boundary);
    return ok ? 0 : TACO_ERR_NO_MEMORY;
}

static int make_both(struct taco_speech_state *s) {
    struct taco_bytes body = {NULL, 0, 0};
    char *alignment = NULL, type[96];
    size_t size = 0;
    const bool json = s->form == TACO_RESPONSE_JSON;
    int code = write_form(s, TACO_FORMAT_ALIGNMENT_JSON, &alignment, &size);
    if (code)
        return code;
    const size_t audio_size = s->cached->audio_size;
    code = taco_budget_reserve(&s->budget, &body,
                               size + (json ? audio_size / 3 * 4 + 4 : audio_size) + 1024,
                               &s->err);
    taco_audio_type_of(s->result, &s->speech.audio, type, sizeof type);
    snprintf(s->payload.media_type, sizeof s->payload.media_type, "application/json");
    if (!code)
        code = (json ? add_json : add_parts)(s, &body, type, alignment, size);
    free(alignment);
    taco_budget_give(&s->budget, size);
    if (code) {
        taco_bytes_free(&body);
        return code;
    }
    s->payload.bytes = body.bytes;
    s->payload.size = body.size;
    return 0;
}

/* -- any ----------------------------------------------------------------------------- */

static int make_one(struct taco_speech_state *s) {
    char *bytes;
    int code = write_form(s, s->written, &bytes, &s->payload.size);
    s->payload.bytes = bytes;
    snprintf(s->payload.media_type, sizeof s->payload.media_type, "%s",
             taco_result_media_type(s->written));
    return code;
}

static int make_own(struct taco_speech_state *s) {
    int code = s->compat->make(s);
    return code ? code : taco_budget_take(&s->budget, s->payload.size, &s->err);
}

int taco_payload_make(struct taco_speech_state *s) {
    int code = s->form == TACO_RESPONSE_WRITTEN ? make_one(s)
               : s->form == TACO_RESPONSE_OWN   ? make_own(s)
                                                : make_both(s);
    if (!code)
        taco_etag_of(s->payload.bytes, s->payload.size, s->payload.etag);
    return code;
}

bool taco_payload_is_long(const struct taco_speech_state *s) {
    double n_weights = 0;
    for (uint32_t i = 0; i < s->result->n_chunks; i++)
        n_weights +=
            (double)s->result->chunks[i].n_steps * s->result->chunks[i].n_symbols;
    return s->form != TACO_RESPONSE_AUDIO && n_weights > LONG;
}
