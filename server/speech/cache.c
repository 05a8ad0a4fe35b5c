#include "speech/cache.h"

#include <string.h>
#include <strings.h>

#include "base/bytes.h"
#include "speech/speech_state.h"

bool taco_cache_key_make(struct taco_result_key *key, const struct taco_speech *speech,
                         uint64_t voice, uint64_t seed) {
    const struct taco_request *r = &speech->request;
    const struct taco_text_options *t = &r->text_options;
    const struct taco_vocoder_options *v = &r->vocoder;
    struct taco_bytes bytes = {NULL, 0, 0};
    /* All but what changes nothing of a result that there is: timeout, client, max_bytes.
     * Floats are exact in hexadecimal. */
    bool ok =
        taco_bytes_printf(
            &bytes,
            "%llu %llu %d %d %a %d %d %a %a %a %d %d %d %d %d %a %a %u %d %d %a %a\n",
            (unsigned long long)voice, (unsigned long long)seed, r->speaker, r->attention,
            (double)r->temperature, r->window_back, r->window_forward, (double)r->speed,
            (double)r->volume, (double)r->gate_threshold, r->max_frames, r->max_attempts,
            r->strict, r->streaming, t->final_punctuation, (double)t->sentence_pause,
            (double)t->paragraph_pause, t->max_symbols, (int)v->phase, v->n_iter,
            (double)v->momentum, (double)v->power) &&
        taco_bytes_printf(&bytes, "%d %d %d %zu %s\n", (int)t->input, t->normalise,
                          t->allow_silence, t->lexicon ? strlen(t->lexicon) : 0,
                          t->lexicon ? t->lexicon : "") &&
        taco_bytes_add(&bytes, r->text, r->text_length);
    if (!ok) {
        taco_bytes_free(&bytes);
        return false;
    }
    *key = (struct taco_result_key){bytes.bytes, bytes.size};
    return true;
}

/* RFC 9111, section 5.2.1: an answer that is cached is not wanted. */
static bool is_wanted_anew(const struct taco_exchange *x) {
    const char *c = taco_exchange_header(x, MHD_HTTP_HEADER_CACHE_CONTROL);
    while (c && *c) {
        c += strspn(c, " \t,");
        size_t n = strcspn(c, ",");
        size_t word = strcspn(c, " \t,");
        if ((word == 8 && strncasecmp(c, "no-cache", 8) == 0) ||
            (word == 8 && strncasecmp(c, "no-store", 8) == 0))
            return true;
        c += n;
    }
    return false;
}

bool taco_cache_find(struct taco_speech_state *s) {
    struct taco_exchange *x = s->x;
    const struct taco_request *request = &s->speech.request;
    struct taco_result_key key;
    if (!request->has_seed || is_wanted_anew(x) ||
        !taco_cache_key_make(&key, &s->speech, s->voice->shared->serial, request->seed))
        return false;
    s->hit = taco_results_find(x->server->results, &key);
    taco_result_key_free(&key);
    s->cache = s->hit ? "hit" : "miss";
    x->record.cache = s->cache;
    if (!s->hit)
        return false;
    s->result = taco_result_ref(s->hit->result);
    memcpy(x->id, s->hit->id, sizeof x->id);
    x->record.has_seed = true;
    x->record.seed = request->seed;
    return true;
}

void taco_cache_mark(const struct taco_speech_state *s, struct taco_cached *cached) {
    /* Without memory for it it is not found, and that is all. */
    (void)!taco_cache_key_make(&cached->key, &s->speech, s->voice->shared->serial,
                               cached->result->seed);
}
