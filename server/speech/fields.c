#include "speech/fields.h"

#include <stdio.h>
#include <string.h>
#include <taco/voice.h>

#include "base/error.h"
#include "base/memory.h"
#include "config/number.h"
#include "http/error_code.h"
#include "speech/lexicon.h"

#define AT(member) offsetof(struct taco_speech, member)
#define SPEECH TACO_FIELD_SPEECH
#define READING TACO_FIELD_READING
#define ANY (TACO_FIELD_SPEECH | TACO_FIELD_SAY | TACO_FIELD_BATCH)
#define READ_ANYWHERE (ANY | TACO_FIELD_READING | TACO_FIELD_SHOW)
#define AUDIO (ANY | TACO_FIELD_AUDIO)
#define MATRIX (ANY | TACO_FIELD_AUDIO | TACO_FIELD_ALIGNMENT)

/* clang-format off */
const struct taco_field taco_fields[] = {
    {"text", "TEXT", "The text to speak, in UTF-8.",
     TACO_FIELD_TEXT, SPEECH | READING, AT(text), 0, 0, NULL, NULL},
    {"voice", "NAME", "The voice that speaks.",
     TACO_FIELD_STRING, READ_ANYWHERE, AT(voice), 0, 0, "the default voice", NULL},
    {"speaker", "NAME|N", "The speaker of a voice with several, by name or by number from 0.",
     TACO_FIELD_NAME_OR_NUMBER, ANY, AT(speaker), 0, 0, "0", NULL},
    {"seed", "N", "The same voice, text, options and seed always give the same bytes.",
     TACO_FIELD_SEED, ANY, AT(request.seed), 0, 9007199254740991.0, "random", NULL},
    {"speed", "X", "Speaking rate. 2 is twice as fast, at the same pitch.",
     TACO_FIELD_FLOAT, ANY, AT(request.speed), 0.25, 4, "1", NULL},
    {"volume", "X", "Factor applied to the samples.",
     TACO_FIELD_FLOAT, ANY, AT(request.volume), 0, 4, "1", NULL},
    {"format", "FORMAT", "Audio format.",
     TACO_FIELD_FORMAT, AUDIO, AT(audio.format), 0, 0, "wav",
     "wav|flac|opus|mp3|pcm|ulaw|alaw|aiff|au"},
    {"sample_rate", "HZ", "Sample rate of the audio in Hz.",
     TACO_FIELD_INTEGER, AUDIO, AT(audio.sample_rate), 8000, 48000, "the voice's", NULL},
    {"bit_rate", "N", "Bits per second of opus and mp3; other formats ignore it.",
     TACO_FIELD_INTEGER, AUDIO, AT(audio.bit_rate), 6000, 320000, "the encoder's", NULL},
    {"attention", "NAME", "The attention that reads the text: a name of the voice's attentions.",
     TACO_FIELD_STRING, ANY, AT(attention), 0, 0, "the voice's", NULL},
    {"temperature", "X", "The attention's energies are divided by it. Above 1 it looks less "
     "sharply.",
     TACO_FIELD_FLOAT, ANY, AT(request.temperature), 0.05, 20, "1", NULL},
    {"window_back", "N", "Symbols that the attention sees before the one it looked at most at "
     "the step before. Requires window_forward.",
     TACO_FIELD_INTEGER, ANY, AT(request.window_back), 0, 1000, "0", NULL},
    {"window_forward", "N", "Symbols that the attention sees from that one on. 1 is that one "
     "alone.",
     TACO_FIELD_INTEGER, ANY, AT(request.window_forward), 1, 1000, "the voice's window, or all",
     NULL},
    {"gate_threshold", "P", "Stop probability above which decoding of a sentence ends.",
     TACO_FIELD_FLOAT, ANY, AT(request.gate_threshold), 0.01, 0.99999, "the voice's", NULL},
    {"max_frames", "N", "Limit on the mel frames of one sentence.",
     TACO_FIELD_INTEGER, ANY, AT(request.max_frames), 1, 20000, "grows with the text", NULL},
    {"max_attempts", "N", "How often a sentence is decoded until its attention succeeds: each time "
     "with another seed, from the third time on with a window, too.",
     TACO_FIELD_INTEGER, ANY, AT(request.max_attempts), 1, 8, "1", NULL},
    {"strict", NULL, "Fail if the attention of a sentence fails, or if braces hold no phones "
     "of the voice.",
     TACO_FIELD_BOOLEAN, ANY, AT(request.strict), 0, 0, "false", NULL},
    {"final_punctuation", NULL, "Add a full stop to a sentence that ends without punctuation.",
     TACO_FIELD_BOOLEAN, READ_ANYWHERE, AT(request.text_options.final_punctuation), 0, 0, "true", NULL},
    {"sentence_pause", "SECONDS", "Silence between sentences, in seconds.",
     TACO_FIELD_FLOAT, READ_ANYWHERE, AT(request.text_options.sentence_pause), 0, 10, "0.2", NULL},
    {"paragraph_pause", "SECONDS", "Silence at an empty line, in seconds.",
     TACO_FIELD_FLOAT, READ_ANYWHERE, AT(request.text_options.paragraph_pause), 0, 10, "0.6", NULL},
    {"input", "MARKUP", "What the text is written in.",
     TACO_FIELD_INPUT, READ_ANYWHERE, AT(request.text_options.input), 0, 0, "text",
     "text|html|markdown|ssml|auto"},
    {"normalise", NULL, "Read numbers, dates, abbreviations and symbols as a person does. false "
     "reads word by word, and digits as plain numbers.",
     TACO_FIELD_BOOLEAN, READ_ANYWHERE, AT(request.text_options.normalise), 0, 0, "true", NULL},
    {"allow_silence", NULL, "Answer a text without a word, such as an emoji, with a short "
     "silence instead of an error.",
     TACO_FIELD_BOOLEAN, READ_ANYWHERE, AT(request.text_options.allow_silence), 0, 0, "false", NULL},
    {"lexicon", "WORDS", "Words and how they are spoken, ahead of the voice's lexicon: phones "
     "or other words. An object in JSON, elsewhere lines of word = spoken.",
     TACO_FIELD_LEXICON, SPEECH | READING, AT(lexicon), 0, 0, "none", NULL},
    {"phase", "NAME", "Initial phase of Griffin-Lim.",
     TACO_FIELD_PHASE, ANY, AT(request.vocoder.phase), 0, 0, "pghi", "pghi|random"},
    {"n_iter", "N", "Iterations of Griffin-Lim. A streamed answer uses at most 4.",
     TACO_FIELD_INTEGER, ANY, AT(request.vocoder.n_iter), 0, 1000, "16", NULL},
    {"momentum", "X", "Momentum of fast Griffin-Lim.",
     TACO_FIELD_FLOAT, ANY, AT(request.vocoder.momentum), 0, 1, "0.99", NULL},
    {"power", "X", "Exponent applied to the magnitudes.",
     TACO_FIELD_FLOAT, ANY, AT(request.vocoder.power), 0.5, 3, "1", NULL},
    {"max_audio", "SECONDS", "Refuse a text that may give more audio than this, in seconds.",
     TACO_FIELD_DOUBLE, ANY, AT(request.max_audio), 0.001, 604800, "the server's limit, if any",
     NULL},
    {"timeout", "SECONDS", "Give up after this many seconds.",
     TACO_FIELD_DOUBLE, ANY, AT(request.timeout), 0.001, 86400, "the server's limit, if any",
     NULL},
    {"stream", NULL, "Send audio while decoding goes on: bare, or with sse in server-sent "
     "events.",
     TACO_FIELD_STREAM, SPEECH | TACO_FIELD_SAY, AT(request.streaming), 0, 0, "false", NULL},
    {"matrix", "ENCODING", "How the alignment JSON holds the attention matrices.",
     TACO_FIELD_MATRIX, MATRIX, AT(matrix), 0, 0, "none", "none|arrays|float16"},
    {NULL, NULL, NULL, TACO_FIELD_TEXT, 0, 0, 0, 0, NULL, NULL},
};
/* clang-format on */

_Static_assert(sizeof taco_fields / sizeof *taco_fields <= 64,
               "struct taco_speech.given");

const struct taco_field *taco_field_find(const char *name, size_t length, unsigned use) {
    for (const struct taco_field *f = taco_fields; f->name; f++)
        if ((f->uses & use) && strlen(f->name) == length &&
            memcmp(f->name, name, length) == 0)
            return f;
    return NULL;
}

void taco_field_describe(const struct taco_field *field, char *out, size_t size) {
    char range[96] = "";
    if (field->choices)
        snprintf(range, sizeof range, "One of %s. ", field->choices);
    else if (field->max > field->min)
        snprintf(range, sizeof range, "%.16g to %.16g. ", field->min, field->max);
    snprintf(out, size, field->fallback ? "%s %sDefault: %s." : "%s %sRequired.",
             field->help, range, field->fallback);
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
    taco_free(speech->attention);
    taco_free(speech->lexicon);
    *speech = (struct taco_speech){0};
}

/* -- setting ------------------------------------------------------------------------- */

static void *member(struct taco_speech *speech, const struct taco_field *field) {
    return (char *)speech + field->offset;
}

static uint64_t bit_of(const struct taco_field *field) {
    return UINT64_C(1) << (field - taco_fields);
}

bool taco_speech_has(const struct taco_speech *speech, const struct taco_field *field) {
    return speech->given & bit_of(field);
}

static int wrong_type(const struct taco_field *field, const char *wanted,
                      struct taco_error *err) {
    return taco_error_code_set(err, TACO_CODE_WRONG_TYPE, field->name, "%s must be %s",
                               field->name, wanted);
}

static int check_range(const struct taco_field *field, double value,
                       struct taco_error *err) {
    if (value >= field->min && value <= field->max)
        return 0;
    return taco_error_set(err, TACO_ERR_INVALID_ARGUMENT, field->name,
                          "%s must be from %.16g to %.16g, not %.16g", field->name,
                          field->min, field->max, value);
}

static int set_integer(struct taco_speech *speech, const struct taco_field *field,
                       const struct taco_value *value, struct taco_error *err) {
    int64_t integer;
    if (!taco_value_integer(value, &integer))
        return wrong_type(field, "a whole number", err);
    int code = check_range(field, (double)integer, err);
    if (code)
        return code;
    if (field->kind == TACO_FIELD_SEED) {
        speech->request.has_seed = true;
        speech->request.seed = (uint64_t)integer;
    } else {
        *(int *)member(speech, field) = (int)integer;
    }
    return 0;
}

static int set_number(struct taco_speech *speech, const struct taco_field *field,
                      const struct taco_value *value, struct taco_error *err) {
    double number;
    if (!taco_value_number(value, &number))
        return wrong_type(field, "a number", err);
    int code = check_range(field, number, err);
    if (code)
        return code;
    if (field->kind == TACO_FIELD_FLOAT)
        *(float *)member(speech, field) = (float)number;
    else
        *(double *)member(speech, field) = number;
    return 0;
}

static int set_string(struct taco_speech *speech, const struct taco_field *field,
                      const char *text, size_t length, struct taco_error *err) {
    char *copy = taco_malloc(length + 1);
    if (!copy)
        return taco_error_set(err, TACO_ERR_NO_MEMORY, field->name, "no memory for %s",
                              field->name);
    if (length)
        memcpy(copy, text, length);
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

/* The words of a lexicon, which the voice checks when it reads the text. */
static int set_lexicon(struct taco_speech *speech, const struct taco_field *field,
                       const struct taco_value *value, struct taco_error *err) {
    int code = 0;
    const char *lines;
    if (value->json)
        code = taco_lexicon_lines(&speech->lexicon, value->json, err);
    else if (taco_value_word(value, &lines))
        code = set_string(speech, field, lines, strlen(lines), err);
    else
        code = wrong_type(field, "lines of word = spoken", err);
    speech->request.text_options.lexicon = speech->lexicon;
    return code;
}

#define MAX_WORD 4096 /* bytes of a name */

/* A name, without NULs and not too long. */
static int read_word(const struct taco_field *field, const struct taco_value *value,
                     const char **word, struct taco_error *err) {
    size_t length;
    if (!taco_value_string(value, word, &length))
        return wrong_type(field, "a string", err);
    if (length > MAX_WORD || strlen(*word) != length)
        return taco_error_set(err, TACO_ERR_INVALID_ARGUMENT, field->name,
                              "%s is too long or contains a NUL", field->name);
    return 0;
}

static int set_name(struct taco_speech *speech, const struct taco_field *field,
                    const struct taco_value *value, struct taco_error *err) {
    int64_t number;
    char digits[24];
    const char *word;
    if (field->kind == TACO_FIELD_NAME_OR_NUMBER && value->json) {
        if (taco_value_integer(value, &number)) {
            int n = snprintf(digits, sizeof digits, "%lld", (long long)number);
            return set_string(speech, field, digits, (size_t)n, err);
        }
        if (!json_is_string(value->json))
            return wrong_type(field, "a string or a whole number", err);
    }
    int code = read_word(field, value, &word, err);
    return code ? code : set_string(speech, field, word, strlen(word), err);
}

/* The place of word among choices, "a|b|c", or -1. */
static int find_choice(const char *choices, const char *word) {
    size_t length = strlen(word);
    for (int i = 0; length && *choices; i++) {
        size_t n = strcspn(choices, "|");
        if (n == length && memcmp(choices, word, n) == 0)
            return i;
        choices += n;
        choices += *choices == '|';
    }
    return -1;
}

static int set_choice(struct taco_speech *speech, const struct taco_field *field,
                      const struct taco_value *value, struct taco_error *err) {
    const char *word;
    int code = read_word(field, value, &word, err);
    if (code)
        return code;
    if (field->kind == TACO_FIELD_FORMAT) {
        speech->has_format = true;
        return taco_audio_format_parse(word, &speech->audio.format, err);
    }
    if (field->kind == TACO_FIELD_PHASE)
        return taco_phase_parse(word, &speech->request.vocoder.phase, err);
    int choice = find_choice(field->choices, word);
    if (choice < 0)
        return taco_error_set(err, TACO_ERR_INVALID_ARGUMENT, field->name,
                              "%s must be one of %s, not '%.64s'", field->name,
                              field->choices, word);
    if (field->kind == TACO_FIELD_INPUT)
        speech->request.text_options.input = (enum taco_input)choice;
    else
        speech->matrix = (enum taco_matrix_encoding)choice;
    return 0;
}

static int set_stream(struct taco_speech *speech, const struct taco_field *field,
                      const struct taco_value *value, struct taco_error *err) {
    const char *word;
    if (taco_value_word(value, &word) && strcmp(word, "sse") == 0) {
        speech->events = speech->request.streaming = true;
        return 0;
    }
    return taco_value_boolean(value, &speech->request.streaming)
               ? 0
               : wrong_type(field, "true, false or \"sse\"", err);
}

int taco_speech_set(struct taco_speech *speech, const struct taco_field *field,
                    const struct taco_value *value, struct taco_error *err) {
    const char *text;
    size_t length;
    if (taco_speech_has(speech, field))
        return taco_error_code_set(err, TACO_CODE_DUPLICATE_PARAMETER, field->name,
                                   "'%s' is given more than once", field->name);
    speech->given |= bit_of(field);
    switch (field->kind) {
    case TACO_FIELD_TEXT:
        return taco_value_string(value, &text, &length)
                   ? set_string(speech, field, text, length, err)
                   : wrong_type(field, "a string", err);
    case TACO_FIELD_STRING:
    case TACO_FIELD_NAME_OR_NUMBER:
        return set_name(speech, field, value, err);
    case TACO_FIELD_LEXICON:
        return set_lexicon(speech, field, value, err);
    case TACO_FIELD_SEED:
    case TACO_FIELD_INTEGER:
        return set_integer(speech, field, value, err);
    case TACO_FIELD_FLOAT:
    case TACO_FIELD_DOUBLE:
        return set_number(speech, field, value, err);
    case TACO_FIELD_BOOLEAN:
        return taco_value_boolean(value, member(speech, field))
                   ? 0
                   : wrong_type(field, "true or false", err);
    case TACO_FIELD_STREAM:
        return set_stream(speech, field, value, err);
    case TACO_FIELD_FORMAT:
    case TACO_FIELD_PHASE:
    case TACO_FIELD_MATRIX:
    case TACO_FIELD_INPUT:
        return set_choice(speech, field, value, err);
    }
    return TACO_ERR_INTERNAL;
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
    return taco_error_code_set(
        err, TACO_CODE_UNKNOWN_SPEAKER, "speaker",
        "voice %s has no speaker '%.64s': it has %d, numbered from 0", info->name,
        speech->speaker, info->n_speakers);
}

static int find_attention(struct taco_speech *speech, const struct taco_voice *voice,
                          struct taco_error *err) {
    const struct taco_voice_info *info = taco_voice_info(voice);
    char names[200] = "";
    size_t used = 0;
    for (int i = 0; speech->attention && i < info->n_attentions; i++) {
        const struct taco_attention_info *attention = &info->attentions[i];
        if (strcmp(attention->name, speech->attention) == 0) {
            speech->request.attention = i;
            return 0;
        }
        if (used < sizeof names)
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%s",
                                     i ? ", " : "", attention->name);
    }
    if (!speech->attention)
        return 0;
    return taco_error_code_set(err, TACO_CODE_UNKNOWN_ATTENTION, "attention",
                               "voice %s has no attention '%.32s': it has %s", info->name,
                               speech->attention, names);
}

int taco_speech_check(struct taco_speech *speech, const struct taco_voice *voice,
                      struct taco_error *err) {
    int code = find_speaker(speech, voice, err);
    if (!code)
        code = find_attention(speech, voice, err);
    if (code)
        return code;
    return taco_request_check(&speech->request, err);
}

int taco_speech_check_audio(const struct taco_speech *speech,
                            const struct taco_voice *voice, struct taco_error *err) {
    struct taco_audio_options options = speech->audio;
    options.stream = speech->request.streaming;
    return taco_audio_options_check(&options, taco_voice_info(voice)->sample_rate, 0,
                                    err);
}
