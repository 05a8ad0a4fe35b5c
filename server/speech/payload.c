#include "speech/payload.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "http/bytes.h"

enum taco_status taco_encode_result(const struct taco_result *result,
                                    const struct taco_audio_options *options,
                                    void **audio, size_t *size, struct taco_error *err) {
    return taco_audio_encode(result->samples, (size_t)result->n_samples,
                             result->sample_rate, options, audio, size, err);
}

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

static bool add_json(struct taco_bytes *body, const char *id,
                     const struct taco_result *result,
                     const struct taco_audio_options *options, const char *type,
                     const void *audio, size_t audio_size, const char *alignment) {
    return taco_bytes_printf(
               body,
               "{\"id\":\"%s\",\"seed\":%llu,\"audio\":{\"type\":\"%s\","
               "\"format\":\"%s\",\"sample_rate\":%d,\"size\":%zu,\"data\":\"",
               id, (unsigned long long)result->seed, type,
               taco_audio_format_name(options->format), output_rate(result, options),
               audio_size) &&
           taco_bytes_base64(body, audio, audio_size) &&
           taco_bytes_printf(body, "\"},\"alignment\":") &&
           taco_bytes_printf(body, "%s", alignment) && taco_bytes_add(body, "}\n", 2);
}

static bool add_part(struct taco_bytes *body, const char *boundary, const char *type,
                     const char *name, const void *bytes, size_t size) {
    return taco_bytes_printf(body,
                             "--%s\r\nContent-Type: %s\r\nContent-Length: %zu\r\n"
                             "Content-Disposition: attachment; filename=\"%s\"\r\n\r\n",
                             boundary, type, size, name) &&
           taco_bytes_add(body, bytes, size) && taco_bytes_add(body, "\r\n", 2);
}

enum taco_status taco_payload_make(struct taco_payload *payload,
                                   enum taco_response_form form, const char *id,
                                   const struct taco_result *result,
                                   const struct taco_audio_options *options,
                                   const void *audio, size_t audio_size,
                                   enum taco_matrix_encoding matrix,
                                   struct taco_error *err) {
    struct taco_bytes body = {NULL, 0, 0};
    char *alignment = NULL;
    size_t alignment_size;
    struct taco_format_options format = taco_format_options_default();
    format.matrix = matrix;
    format.id = id;
    char type[96];
    taco_audio_type_of(result, options, type, sizeof type);
    enum taco_status status = taco_result_write(
        result, TACO_FORMAT_ALIGNMENT_JSON, &format, &alignment, &alignment_size, err);
    if (status)
        goto done;
    bool ok;
    if (form == TACO_RESPONSE_JSON) {
        snprintf(payload->media_type, sizeof payload->media_type, "application/json");
        ok = add_json(&body, id, result, options, type, audio, audio_size, alignment);
    } else {
        /* The id is random, and the tag the audio's: so this is not in the audio, and the
         * same result gives the same bytes again. */
        char etag[TACO_ETAG_SIZE], boundary[TACO_ID_LENGTH + 32], name[64];
        taco_etag_of(audio, audio_size, etag);
        snprintf(boundary, sizeof boundary, "taco-%s-%.16s", id, etag + 1);
        snprintf(payload->media_type, sizeof payload->media_type,
                 "multipart/mixed; boundary=%s", boundary);
        snprintf(name, sizeof name, "%s.%s", id, taco_audio_format_name(options->format));
        ok = add_part(&body, boundary, type, name, audio, audio_size);
        snprintf(name, sizeof name, "%s.json", id);
        ok = ok &&
             add_part(&body, boundary, "application/json", name, alignment,
                      alignment_size) &&
             taco_bytes_printf(&body, "--%s--\r\n", boundary);
    }
    if (!ok) {
        status =
            taco_error_set(err, TACO_ERR_NO_MEMORY, NULL, "no memory for the answer");
        goto done;
    }
    payload->bytes = body.bytes;
    payload->size = body.size;
    body = (struct taco_bytes){NULL, 0, 0};
done:
    free(alignment);
    taco_bytes_free(&body);
    return status;
}
