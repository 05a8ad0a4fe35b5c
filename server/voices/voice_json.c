#include "voices/voice_json.h"

static json_t *strings(const char *const *items, int n) {
    json_t *array = json_array();
    for (int i = 0; array && i < n; i++)
        if (json_array_append_new(array, json_string(items[i])) < 0) {
            json_decref(array);
            array = NULL;
        }
    return array;
}

static json_t *attentions(const struct taco_voice_info *info) {
    json_t *array = json_array();
    for (int i = 0; array && i < info->n_attentions; i++) {
        const struct taco_attention_info *a = &info->attentions[i];
        json_t *object = json_pack("{s:s, s:s, s:s, s:i, s:b}", "name", a->name, "type",
                                   a->type, "summary", a->summary, "n_heads", a->n_heads,
                                   "has_energies", (int)a->has_energies);
        if (json_array_append_new(array, object) < 0) {
            json_decref(array);
            array = NULL;
        }
    }
    return array;
}

json_t *taco_voice_json(const struct taco_voices *voices,
                        const struct taco_named_voice *named, bool details) {
    const struct taco_voice_info *info = taco_voice_info(named->voice);
    json_t *voice =
        json_pack("{s:s, s:b, s:b, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:o, s:i, s:i, "
                  "s:o, s:I, s:s, "
                  "s:s}",
                  "name", named->name, "default",
                  !voices || named == taco_voices_find(voices, NULL), "built_in",
                  (int)named->built_in, "description", info->description, "language",
                  info->language, "licence", info->licence, "source", info->source,
                  "front_end", info->front_end, "attention", info->attention, "graph",
                  info->graph, "attentions", attentions(info), "sample_rate",
                  info->sample_rate, "n_speakers", info->n_speakers, "speakers",
                  strings(info->speakers, info->speakers ? info->n_speakers : 0),
                  "n_parameters", (json_int_t)info->n_parameters, "stored", info->stored,
                  "precision", taco_precision_name(info->precision));
    if (!voice || !details)
        return voice;
    json_t *more = json_pack(
        "{s:i, s:i, s:i, s:i, s:f, s:f, s:s, s:i, s:s, s:I, s:i, s:o}", "n_fft",
        info->n_fft, "win_length", info->win_length, "hop_length", info->hop_length,
        "n_mels", info->n_mels, "fmin", (double)info->fmin, "fmax", (double)info->fmax,
        "inversion", info->inversion, "frames_per_step", info->n_frames_per_step, "isa",
        info->isa, "file_bytes", (json_int_t)info->file_bytes, "n_symbols",
        info->n_symbols, "symbols", strings(info->symbols, info->n_symbols));
    if (!more || json_object_update(voice, more) < 0) {
        json_decref(voice);
        voice = NULL;
    }
    json_decref(more);
    return voice;
}

json_t *taco_served_voice_json(const struct taco_voices *voices,
                               const struct taco_named_voice *named, bool details) {
    json_t *voice = taco_voice_json(voices, named, details);
    if (!voice || json_object_set_new(voice, "voice_id", json_string(named->name)) == 0)
        return voice;
    json_decref(voice);
    return NULL;
}
