/* The teacher: Flite's voice cmu_us_slt speaks sentences and tells when each phone ends.
 *
 *   speak AUDIO < SENTENCES > SEGMENTS
 *
 * Reads one sentence a line. AUDIO receives the speech of all of them, one behind the
 * other, as 16-bit mono samples in the machine's byte order. SEGMENTS receives one JSON
 * object a sentence:
 *
 *   {"text": "...", "offset": first sample in AUDIO, "n": samples, "sample_rate": 16000,
 *    "segments": [[phone, end in seconds, stress of the syllable 0 or 1, begins a word,
 * the signs behind the word of which it is part], ...]}
 *
 * "pau" is a pause; the first segment always is one. */
#include <flite/flite.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

cst_voice *register_cmu_us_slt(const char *voxdir);

/* The word that a segment belongs to, or NULL: a pause belongs to none. */
static const cst_item *word_of(const cst_item *segment) {
    return path_to_item(segment, "R:SylStructure.parent.parent");
}

/* The signs behind the token that ends with this word: "twenty five," has them behind
 * "five". */
static const char *signs_behind(const cst_item *word) {
    const cst_item *in_token = item_as(word, "Token");
    if (!in_token || item_next(in_token))
        return "";
    return ffeature_string(word, "R:Token.parent.punc");
}

static json_t *segments_of(const cst_utterance *utterance) {
    json_t *list = json_array();
    const cst_item *word_before = NULL;
    for (const cst_item *s = relation_head(utt_relation(utterance, "Segment")); s;
         s = item_next(s)) {
        const cst_item *word = word_of(s);
        const char *stress = ffeature_string(s, "R:SylStructure.parent.stress");
        json_t *segment =
            json_pack("[s, f, i, b, s]", item_feat_string(s, "name"),
                      (double)item_feat_float(s, "end"), atoi(stress),
                      word && word != word_before, word ? signs_behind(word) : "");
        if (!segment || json_array_append_new(list, segment) != 0) {
            json_decref(list);
            return NULL;
        }
        word_before = word ? word : word_before;
    }
    return list;
}

/* Speaks one sentence; offset is that of its first sample, and grows. */
static int speak(cst_voice *voice, const char *text, FILE *audio, json_int_t *offset) {
    cst_utterance *utterance = flite_synth_text(text, voice);
    if (!utterance)
        return 0; /* nothing to speak in this line */
    const cst_wave *wave = utt_wave(utterance);
    size_t n = (size_t)wave->num_samples;
    json_t *line = json_pack("{s:s, s:I, s:I, s:i, s:o}", "text", text, "offset", *offset,
                             "n", (json_int_t)n, "sample_rate", wave->sample_rate,
                             "segments", segments_of(utterance));
    int failed = !line || json_dumpf(line, stdout, JSON_COMPACT) != 0 ||
                 putchar('\n') == EOF ||
                 fwrite(wave->samples, sizeof *wave->samples, n, audio) != n;
    *offset += (json_int_t)n;
    json_decref(line);
    delete_utterance(utterance);
    return failed;
}

int main(int argc, char **argv) {
    if (argc != 2) {
        fprintf(stderr, "usage: speak AUDIO < SENTENCES > SEGMENTS\n");
        return 2;
    }
    FILE *audio = fopen(argv[1], "wb");
    if (!audio) {
        perror(argv[1]);
        return 1;
    }
    flite_init();
    cst_voice *voice = register_cmu_us_slt(NULL);
    char *line = NULL;
    size_t capacity = 0;
    json_int_t offset = 0;
    int failed = 0;
    while (!failed && getline(&line, &capacity, stdin) > 0) {
        line[strcspn(line, "\n")] = '\0';
        if (*line)
            failed = speak(voice, line, audio, &offset);
    }
    free(line);
    failed |= ferror(stdin) || fclose(audio) != 0 || fflush(stdout) != 0;
    if (failed)
        fprintf(stderr, "speak: cannot write all of the speech\n");
    return failed;
}
