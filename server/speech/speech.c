#include "speech/speech.h"

#include <limits.h>
#include <string.h>
#include <taco/voice.h>

#include "base/error.h"
#include "base/memory.h"
#include "config/number.h"
#include "http/problem.h"

#define AT(member) offsetof(struct taco_speech, member)
#define SPEECH_OR_SAY (TACO_FIELD_SPEECH | TACO_FIELD_SAY)
#define WHOLE_AUDIO (TACO_FIELD_SPEECH | TACO_FIELD_SAY | TACO_FIELD_AUDIO)

const struct taco_field taco_fields[] = {
    {"text", "TEXT", "what to say, UTF-8", TACO_FIELD_TEXT, TACO_FIELD_SPEECH, AT(text)},
    {"voice", "NAME", "the voice that speaks", TACO_FIELD_STRING, SPEECH_OR_SAY,
     AT(voice)},
    {"speaker", "NAME|N", "a speaker of the voice, by name or number from 0",
     TACO_FIELD_NAME_OR_NUMBER, SPEECH_OR_SAY, AT(speaker)},
    {"seed", "N", "0 to 2^53-1: the same seed gives the same bytes; drawn if absent",
     TACO_FIELD_SEED, SPEECH_OR_SAY, AT(request.seed)},
    {"speed", "X", "0.25 to 4: 2 is twice as fast, the pitch stays; default 1",
     TACO_FIELD_FLOAT, SPEECH_OR_SAY, AT(request.speed)},
    {"volume", "X", "factor on the samples, 0 to 4; default 1", TACO_FIELD_FLOAT,
     SPEECH_OR_SAY, AT(request.volume)},
    {"format", "FORMAT", "wav, flac, opus, mp3, pcm, ulaw, alaw, aiff or au",
     TACO_FIELD_FORMAT, WHOLE_AUDIO, AT(audio.format)},
    {"sample_rate", "HZ", "of the audio, 8000 to 48000; default the voice's",
     TACO_FIELD_INTEGER, WHOLE_AUDIO, AT(audio.sample_rate)},
    {"bit_rate", "N", "bits a second of mp3 and opus; default the encoder's",
     TACO_FIELD_INTEGER, WHOLE_AUDIO, AT(audio.bit_rate)},
    {"gate_threshold", "P", "probability at which decoding stops; default the voice's",
     TACO_FIELD_FLOAT, SPEECH_OR_SAY, AT(request.gate_threshold)},
    {"max_frames", "N",
     "frame limit of a sentence, 1 to 20000; default grows with the text",
     TACO_FIELD_INTEGER, SPEECH_OR_SAY, AT(request.max_frames)},
    {"max_attempts", "N", "1 to 8: decode a sentence again when its attention fails",
     TACO_FIELD_INTEGER, SPEECH_OR_SAY, AT(request.max_attempts)},
    {"strict", NULL, "an error instead of speech whose attention failed",
     TACO_FIELD_BOOLEAN, SPEECH_OR_SAY, AT(request.strict)},
    {"final_punctuation", NULL, "give sentences a final full stop; default true",
     TACO_FIELD_BOOLEAN, SPEECH_OR_SAY, AT(request.text_options.final_punctuation)},
    {"sentence_pause", "SECONDS", "silence between sentences, 0 to 10; default 0.2",
     TACO_FIELD_FLOAT, SPEECH_OR_SAY, AT(request.text_options.sentence_pause)},
    {"paragraph_pause", "SECONDS", "silence at an empty line, 0 to 10; default 0.6",
     TACO_FIELD_FLOAT, SPEECH_OR_SAY, AT(request.text_options.paragraph_pause)},
    {"phase", "NAME", "where Griffin-Lim starts: pghi (default) or random",
     TACO_FIELD_PHASE, SPEECH_OR_SAY, AT(request.vocoder.phase)},
    {"n_iter", "N", "iterations of Griffin-Lim, 0 to 1000", TACO_FIELD_INTEGER,
     SPEECH_OR_SAY, AT(request.vocoder.n_iter)},
    {"momentum", "X", "of fast Griffin-Lim, 0 to 1; default 0.99", TACO_FIELD_FLOAT,
     SPEECH_OR_SAY, AT(request.vocoder.momentum)},
    {"power", "X", "magnitudes are raised to it, 0.5 to 3; default 1", TACO_FIELD_FLOAT,
     SPEECH_OR_SAY, AT(request.vocoder.power)},
    {"timeout", "SECONDS", "give up after so long", TACO_FIELD_DOUBLE, SPEECH_OR_SAY,
     AT(request.timeout)},
    {"stream", NULL, "send audio while decoding goes on", TACO_FIELD_STREAM,
     SPEECH_OR_SAY, AT(request.streaming)},
    {"matrix", "ENCODING",
     "alignment matrices in the JSON: none (default), arrays or float16",
     TACO_FIELD_MATRIX, SPEECH_OR_SAY | TACO_FIELD_ALIGNMENT | TACO_FIELD_AUDIO,
     AT(matrix)},
    {NULL, NULL, NULL, TACO_FIELD_TEXT, 0, 0},
};

_Static_assert(sizeof taco_fields / sizeof *taco_fields <= 64,
               "struct taco_speech.given");

const struct taco_field *taco_field_find(const char *name, size_t length, unsigned use) {
    for (const struct taco_field *f = taco_fields; f->name; f++)
        if ((f->uses & use) && strlen(f->name) == length &&
            memcmp(f->name, name, length) == 0)
            return f;
    return NULL;
}

void taco_speech_init(struct taco_speech *speech) {
    *speech = (struct taco_speech){0};
    speech->request = taco_request_default();
    speech->audio = taco_audio_options_default();
    speech->matrix = TACO_MATRIX_NONE;
}

void taco_speech_free(struct taco_speech *speech) {
    taco_free(speech->text);
    taco_free(speech->voice);
    taco_free(speech->speaker);
    *speech = (struct taco_speech){0};
}

/* -- setting ------------------------------------------------------------------------- */

static void *member(struct taco_speech *speech, const struct taco_field *field) {
    return (char *)speech + field->offset;
}

static int mark_given(struct taco_speech *speech, const struct taco_field *field,
                      struct taco_error *err) {
    uint64_t bit = UINT64_C(1) << (field - taco_fields);
    if (speech->given & bit)
        return taco_problem_set(err, TACO_PROBLEM_DUPLICATE_PARAMETER, field->name,
                                "'%s' is given more than once", field->name);
    speech->given |= bit;
    return 0;
}

static int set_integer(struct taco_speech *speech, const struct taco_field *field,
                       int64_t value, struct taco_error *err) {
    if (field->kind == TACO_FIELD_SEED) {
        if (value < 0)
            return taco_error_set(err, TACO_ERR_INVALID_ARGUMENT, field->name,
                                  "seed is %lld: it must be 0 to 9007199254740991",
                                  (long long)value);
        speech->request.has_seed = true;
        speech->request.seed = (uint64_t)value;
        return 0;
    }
    if (value < INT_MIN || value > INT_MAX)
        return taco_error_set(err, TACO_ERR_INVALID_ARGUMENT, field->name,
                              "%s is out of range: %lld", field->name, (long long)value);
    *(int *)member(speech, field) = (int)value;
    /* 0 stands for "absent" in the structs of the engine; a caller who writes it means 0.
     */
    if (value == 0 &&
        (field->offset == AT(request.max_frames) ||
         field->offset == AT(audio.sample_rate) || field->offset == AT(audio.bit_rate)))
        return taco_error_set(err, TACO_ERR_INVALID_ARGUMENT, field->name,
                              "%s must be positive", field->name);
    return 0;
}

static int set_number(struct taco_speech *speech, const struct taco_field *field,
                      double value, struct taco_error *err) {
    if (field->kind == TACO_FIELD_FLOAT)
        *(float *)member(speech, field) = (float)value;
    else
        *(double *)member(speech, field) = value;
    if (value == 0 && (field->offset == AT(request.gate_threshold) ||
                       field->offset == AT(request.timeout)))
        return taco_error_set(err, TACO_ERR_INVALID_ARGUMENT, field->name,
                              "%s must be positive", field->name);
    return 0;
}

static int set_string(struct taco_speech *speech, const struct taco_field *field,
                      const char *value, size_t length, struct taco_error *err) {
    char *copy = taco_malloc(length + 1);
    if (!copy)
        return taco_error_set(err, TACO_ERR_NO_MEMORY, field->name, "no memory for %s",
                              field->name);
    if (length)
        memcpy(copy, value, length);
    copy[length] = '\0';
    char **slot = member(speech, field);
    taco_free(*slot);
    *slot = copy;
    if (field->kind == TACO_FIELD_TEXT) {
        speech->request.text = copy;
        speech->request.text_length = length;
    }
    return 0;
}

static int set_choice(struct taco_speech *speech, const struct taco_field *field,
                      const char *value, struct taco_error *err) {
    static const char *const matrices[] = {[TACO_MATRIX_NONE] = "none",
                                           [TACO_MATRIX_ARRAYS] = "arrays",
                                           [TACO_MATRIX_F16] = "float16"};
    enum taco_status status = TACO_OK;
    switch (field->kind) {
    case TACO_FIELD_FORMAT:
        status = taco_audio_format_parse(value, &speech->audio.format, err);
        speech->has_format = true;
        break;
    case TACO_FIELD_PHASE:
        status = taco_phase_parse(value, &speech->request.vocoder.phase, err);
        break;
    default:
        for (size_t i = 0; i < sizeof matrices / sizeof *matrices; i++)
            if (strcmp(value, matrices[i]) == 0) {
                speech->matrix = (enum taco_matrix_encoding)i;
                return 0;
            }
        status =
            taco_error_set(err, TACO_ERR_INVALID_ARGUMENT, field->name,
                           "matrix is 'none', 'arrays' or 'float16', not '%.64s'", value);
    }
    /* The library's name of the argument may differ from the field's. */
    if (status && err)
        memcpy(err->param, field->name, strlen(field->name) + 1);
    return status;
}

static bool set_events(struct taco_speech *speech, const char *value) {
    if (strcmp(value, "sse") != 0)
        return false;
    speech->events = speech->request.streaming = true;
    return true;
}

static int wrong_type(const struct taco_field *field, const char *wanted,
                      struct taco_error *err) {
    return taco_problem_set(err, TACO_PROBLEM_WRONG_TYPE, field->name, "%s must be %s",
                            field->name, wanted);
}

int taco_speech_set(struct taco_speech *speech, const struct taco_field *field,
                    const char *value, size_t length, struct taco_error *err) {
    int problem = mark_given(speech, field, err);
    if (problem)
        return problem;
    if (field->kind == TACO_FIELD_TEXT)
        return set_string(speech, field, value, length, err);

    int64_t integer;
    double number;
    if (length > 4096 || memchr(value, '\0', length))
        return taco_error_set(err, TACO_ERR_INVALID_ARGUMENT, field->name,
                              "%s is too long or holds a NUL", field->name);
    char word[4097]; /* with its NUL */
    memcpy(word, value, length);
    word[length] = '\0';
    switch (field->kind) {
    case TACO_FIELD_STRING:
    case TACO_FIELD_NAME_OR_NUMBER:
        return set_string(speech, field, word, length, err);
    case TACO_FIELD_SEED:
    case TACO_FIELD_INTEGER:
        if (!taco_parse_integer(word, &integer))
            return wrong_type(field, "a whole number", err);
        return set_integer(speech, field, integer, err);
    case TACO_FIELD_FLOAT:
    case TACO_FIELD_DOUBLE:
        if (!taco_parse_number(word, &number))
            return wrong_type(field, "a number", err);
        return set_number(speech, field, number, err);
    case TACO_FIELD_STREAM:
        if (set_events(speech, word))
            return 0;
        if (!taco_parse_boolean(word, &speech->request.streaming))
            return wrong_type(field, "true, false or sse", err);
        return 0;
    case TACO_FIELD_BOOLEAN:
        if (!taco_parse_boolean(word, member(speech, field)))
            return wrong_type(field, "true or false", err);
        return 0;
    default:
        return set_choice(speech, field, word, err);
    }
}

int taco_speech_set_json(struct taco_speech *speech, const struct taco_field *field,
                         const json_t *value, struct taco_error *err) {
    int problem = mark_given(speech, field, err);
    if (problem)
        return problem;
    switch (field->kind) {
    case TACO_FIELD_NAME_OR_NUMBER:
        if (json_is_integer(value)) {
            char digits[24];
            int n = snprintf(digits, sizeof digits, "%lld",
                             (long long)json_integer_value(value));
            return set_string(speech, field, digits, (size_t)n, err);
        }
        break;
    case TACO_FIELD_SEED:
    case TACO_FIELD_INTEGER:
        if (!json_is_integer(value))
            return wrong_type(field, "a whole number", err);
        return set_integer(speech, field, json_integer_value(value), err);
    case TACO_FIELD_FLOAT:
    case TACO_FIELD_DOUBLE:
        if (!json_is_number(value))
            return wrong_type(field, "a number", err);
        return set_number(speech, field, json_number_value(value), err);
    case TACO_FIELD_STREAM:
        if (json_is_string(value) && set_events(speech, json_string_value(value)))
            return 0;
        if (!json_is_boolean(value))
            return wrong_type(field, "true, false or \"sse\"", err);
        speech->request.streaming = json_is_true(value);
        return 0;
    case TACO_FIELD_BOOLEAN:
        if (!json_is_boolean(value))
            return wrong_type(field, "true or false", err);
        *(bool *)member(speech, field) = json_is_true(value);
        return 0;
    default:
        break;
    }
    if (!json_is_string(value))
        return wrong_type(field,
                          field->kind == TACO_FIELD_NAME_OR_NUMBER
                              ? "a string or a whole number"
                              : "a string",
                          err);
    const char *string = json_string_value(value);
    size_t length = json_string_length(value);
    if (field->kind == TACO_FIELD_TEXT)
        return set_string(speech, field, string, length, err);
    if (strlen(string) != length || length > 4096)
        return taco_error_set(err, TACO_ERR_INVALID_ARGUMENT, field->name,
                              "%s is too long or holds a NUL", field->name);
    if (field->kind == TACO_FIELD_STRING || field->kind == TACO_FIELD_NAME_OR_NUMBER)
        return set_string(speech, field, string, length, err);
    return set_choice(speech, field, string, err);
}

/* -- checking ------------------------------------------------------------------------ */

static int find_speaker(struct taco_speech *speech, const struct taco_voice *voice,
                        struct taco_error *err) {
    const struct taco_voice_info *info = taco_voice_info(voice);
    if (!speech->speaker)
        return 0;
    for (int i = 0; info->speakers && i < info->n_speakers; i++)
        if (strcmp(info->speakers[i], speech->speaker) == 0) {
            speech->request.speaker = i;
            return 0;
        }
    int64_t number;
    if (taco_parse_integer(speech->speaker, &number) && number >= 0 &&
        number < info->n_speakers) {
        speech->request.speaker = (int)number;
        return 0;
    }
    return taco_problem_set(err, TACO_PROBLEM_UNKNOWN_SPEAKER, "speaker",
                            "voice %s has no speaker '%.64s': it has %d, numbered from 0",
                            info->name, speech->speaker, info->n_speakers);
}

int taco_speech_check(struct taco_speech *speech, const struct taco_voice *voice,
                      struct taco_error *err) {
    int problem = find_speaker(speech, voice, err);
    if (problem)
        return problem;
    return taco_request_check(&speech->request, err);
}

static int drop(void *user, const void *bytes, size_t size) {
    (void)user, (void)bytes, (void)size;
    return 0;
}

int taco_speech_check_audio(const struct taco_speech *speech,
                            const struct taco_voice *voice, struct taco_error *err) {
    /* The encoder itself knows its limits best: opened and given up. */
    struct taco_audio_options options = speech->audio;
    options.stream = speech->request.streaming;
    struct taco_audio_writer *writer;
    enum taco_status status = taco_audio_writer_open(
        &writer, taco_voice_info(voice)->sample_rate, 0, &options, drop, NULL, err);
    if (status == TACO_OK)
        taco_audio_writer_abort(writer);
    return status;
}
