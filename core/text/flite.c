#include "text/flite.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/memory.h"
#include "text/dictionary.h"
#include "text/flite_insert.h"
#include "text/spelling.h"
#include <flite/cst_error.h>
#include <flite/flite.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

/* Of libflite_usenglish and libflite_cmulex, whose headers are not installed. */
void usenglish_init(cst_voice *voice);
cst_lexicon *cmu_lex_init(void);
cst_val *us_tokentowords(cst_item *token);
cst_val *en_exp_number(const char *digits);
cst_val *en_exp_digits(const char *digits);
cst_val *en_exp_id(const char *digits);
cst_val *en_exp_ordinal(const char *digits);
cst_val *en_exp_real(const char *number);
cst_val *en_exp_letters(const char *letters);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static cst_voice *voice; /* made at the first use, kept until the process ends */
static cst_lexicon *cmu; /* Flite's */

/* The word in lower case; an 's is a word of its own. */
static cst_val *one_word(const char *name) {
    char word[64];
    size_t n = 0;
    for (; name[n] && name[n] != '\'' && n + 1 < sizeof word; n++)
        word[n] = name[n] >= 'A' && name[n] <= 'Z' ? (char)(name[n] | 32) : name[n];
    word[n] = '\0';
    cst_val *rest = name[n] == '\'' ? cons_val(string_val("'s"), NULL) : NULL;
    return cons_val(string_val(word), rest);
}

/* Did Flite only decide between the word and its letters, or make other words of it? */
static bool is_plain(const cst_val *words, const char *name, size_t n) {
    const char *first = val_string(val_car(words));
    if (!val_cdr(words)) {
        size_t k = 0;
        for (; k < n && first[k] == (name[k] | 32); k++)
            ;
        return k == n && !first[k];
    }
    size_t k = 0;
    for (const cst_val *w = words; w; w = val_cdr(w), k++) {
        const char *letter = val_string(val_car(w));
        letter += *letter == '_'; /* the letter A is "_a" */
        if (k >= n || letter[0] != (name[k] | 32) || letter[1])
            return false;
    }
    return k == n;
}

static bool shouts(const cst_item *token) {
    if (!token || item_feat_int(token, "reading") != TACO_READ_PLAIN)
        return false;
    const char *name = item_feat_string(token, "name");
    return taco_spelling_shouts(name, strlen(name));
}

/* A word as Flite reads it: spelled or not as spelling.h has it. */
static cst_val *plain_words(cst_item *token, const char *name) {
    struct taco_spelling_part parts[TACO_SPELLING_PARTS_MAX];
    size_t n = strlen(name);
    /* "don't", "I'm", which the dictionary has; 's, 'll, 've and 'd stay words. */
    const char *mark = strchr(name, '\'');
    if (mark && strcmp(mark, "'s") != 0 && strcmp(mark, "'ll") != 0 &&
        strcmp(mark, "'ve") != 0 && strcmp(mark, "'d") != 0 &&
        taco_dictionary_find(name, n, NULL)) {
        char word[TACO_DICTIONARY_WORD_MAX + 1];
        for (size_t i = 0; i <= n; i++)
            word[i] = name[i] >= 'A' && name[i] <= 'Z' ? (char)(name[i] | 32) : name[i];
        return cons_val(string_val(word), NULL);
    }
    bool owned = mark && (strcmp(mark, "'s") == 0 || strcmp(mark, "'S") == 0);
    size_t length = owned ? (size_t)(mark - name) : n;
    cst_val *words = us_tokentowords(token);
    if (!words || (!owned && !is_plain(words, name, n)))
        return words;
    bool headline = shouts(item_prev(token)) || shouts(item_next(token));
    uint32_t n_parts = taco_spelling_read(name, length, headline, parts);
    if (!n_parts)
        return words;
    delete_val(words);
    words = owned ? cons_val(string_val("'s"), NULL) : NULL;
    for (uint32_t i = n_parts; i-- > 0;) {
        if (parts[i].plural)
            words = cons_val(string_val("'s"), words);
        words = parts[i].letters ? val_append(en_exp_letters(parts[i].text), words)
                                 : cons_val(string_val(parts[i].text), words);
    }
    return words;
}

static cst_val *token_to_words(cst_item *token) {
    const char *name = item_feat_string(token, "name");
    cst_val *words = NULL;
    switch ((enum taco_reading)item_feat_int(token, "reading")) {
    case TACO_READ_PLAIN:
        /* Flite has readings of its own for "read" and "lead". */
        words = item_feat_int(token, "given") ? one_word(name) : plain_words(token, name);
        break;
    case TACO_READ_WORD:
    case TACO_READ_PHONES:
        words = cons_val(string_val(name), NULL);
        break;
    case TACO_READ_NUMBER:
        words = en_exp_number(name);
        break;
    case TACO_READ_YEAR:
        words = en_exp_id(name);
        break;
    case TACO_READ_DIGITS:
        words = en_exp_digits(name);
        break;
    case TACO_READ_ORDINAL:
        words = en_exp_ordinal(name);
        break;
    case TACO_READ_REAL:
        words = en_exp_real(name);
        break;
    case TACO_READ_LETTERS:
        words = en_exp_letters(name);
        break;
    }
    if (item_feat_int(token, "plural"))
        words = val_append(words, cons_val(string_val("'s"), NULL));
    return words;
}

static void start(void) {
    cst_voice *v = new_voice();
    usenglish_init(v);
    cmu = cmu_lex_init();
    flite_feat_set(v->features, "lexicon", lexicon_val(cmu));
    flite_feat_set(v->features, "tokentowords_func", itemfunc_val(&token_to_words));
    voice = v;
}

struct job {
    const struct taco_flite_token *tokens; /* [n] */
    uint32_t n;
    const struct taco_lexicon *lexicon;
    bool segments;
    struct taco_flite_result *result;
    struct taco_arena arena;
    struct taco_pronunciation *own; /* [number of words] */
    cst_utterance *utterance;
    enum taco_status status;
};

static void make_tokens(struct job *job) {
    cst_relation *relation = utt_relation_create(job->utterance, "Token");
    for (uint32_t i = 0; i < job->n; i++) {
        const struct taco_flite_token *from = &job->tokens[i];
        cst_item *to = relation_append(relation, NULL);
        char name[16];
        if (from->reading == TACO_READ_PHONES)
            snprintf(name, sizeof name, "{%u}", (unsigned)i);
        item_set_string(to, "name",
                        from->reading == TACO_READ_PHONES ? name : from->name);
        item_set_string(to, "whitespace", " ");
        item_set_string(to, "prepunctuation", "");
        item_set_string(to, "punc", from->punc);
        item_set_int(to, "index", (int)i);
        item_set_int(to, "reading", (int)from->reading);
        item_set_int(to, "plural", from->plural);
        item_set_int(to, "given", from->n_phones > 0);
    }
}

/* The word's own text: Flite calls the letter A "_a". */
static bool add_word(struct job *job, cst_item *word) {
    struct taco_flite_result *r = job->result;
    const char *name = item_feat_string(word, "name");
    uint32_t token =
        (uint32_t)item_feat_int(item_parent(item_as(word, "Token")), "index");
    if (strcmp(name, "_a") == 0)
        name = "a";
    const struct taco_lexicon_entry *entry =
        taco_lexicon_find(job->lexicon, name, strlen(name));
    if (entry && entry->alias)
        entry = NULL; /* a whole word of the text alone is spoken as others */
    uint32_t at = r->strings.n;
    if (!taco_vector_reserve(&r->words, &r->cap_words, r->n_words, 1, sizeof *r->words) ||
        !taco_string_add(&r->strings, name, strlen(name)) ||
        !taco_string_add_char(&r->strings, '\0'))
        return false;
    for (char *c = r->strings.bytes + at; *c; c++)
        if (*c >= 'A' && *c <= 'Z')
            *c = (char)(*c | 32);
    r->words[r->n_words++] = (struct taco_flite_word){at, token, entry, 0, 0};
    return true;
}

/* Numbers the words and notes those with phones of their own. */
static bool take_words(struct job *job) {
    uint32_t n = 0;
    cst_item *head = relation_head(utt_relation(job->utterance, "Word"));
    for (cst_item *w = head; w; w = item_next(w))
        n++;
    job->own = taco_arena_alloc(&job->arena, (size_t)n + 1, sizeof *job->own);
    if (!job->own)
        return false;
    uint32_t i = 0, last = UINT32_MAX;
    for (cst_item *w = head; w; w = item_next(w), i++) {
        if (!add_word(job, w))
            return false;
        const struct taco_flite_word *word = &job->result->words[i];
        const struct taco_flite_token *token = &job->tokens[word->token];
        bool first = word->token != last;
        last = word->token;
        if (word->entry)
            job->own[i] =
                (struct taco_pronunciation){word->entry->phones, word->entry->n_phones};
        else if (first) /* what follows is an s */
            job->own[i] = (struct taco_pronunciation){token->phones, token->n_phones};
    }
    return true;
}

static bool take_segments(struct job *job) {
    struct taco_flite_result *r = job->result;
    cst_item *word = relation_head(utt_relation(job->utterance, "Word"));
    uint32_t index = 0;
    cst_item *s = relation_head(utt_relation(job->utterance, "Segment"));
    bool first = true;
    for (; s; s = item_next(s)) {
        cst_item *owner = path_to_item(s, "R:SylStructure.parent.parent");
        struct taco_flite_segment segment = {.word = TACO_FLITE_PAUSE};
        if (owner) {
            while (word && !item_equal(word, owner)) {
                word = item_next(word);
                index++;
            }
            bool stressed =
                strcmp(ffeature_string(s, "R:SylStructure.parent.stress"), "1") == 0;
            if (!word || !taco_phone_from_flite(item_feat_string(s, "name"), stressed,
                                                &segment.phone))
                continue;
            segment.word = index;
            struct taco_flite_word *w = &r->words[index];
            if (!w->n_segments)
                w->first_segment = r->n_segments;
            w->n_segments++;
        } else if (first) {
            first = false;
            continue;
        }
        first = false;
        if (!taco_vector_reserve(&r->segments, &r->cap_segments, r->n_segments, 1,
                                 sizeof *r->segments))
            return false;
        r->segments[r->n_segments++] = segment;
    }
    return true;
}

static void run(struct job *job) {
    if (!voice)
        start();
    job->utterance = new_utterance();
    utt_init(job->utterance, voice);
    make_tokens(job);
    default_textanalysis(job->utterance);
    bool ok = take_words(job);
    if (ok && job->segments) {
        default_pos_tagger(job->utterance);
        default_phrasing(job->utterance);
        taco_flite_insert(job->utterance, cmu, job->own);
        default_pause_insertion(job->utterance);
        cmu->postlex(job->utterance);
        ok = take_segments(job);
    }
    delete_utterance(job->utterance);
    job->status = ok ? TACO_OK : TACO_ERR_NO_MEMORY;
}

/* Flite longjmps through cst_errjmp, if it is set, instead of ending the process; what it
 * had allocated is lost then. */
static void run_guarded(struct job *job) {
    jmp_buf jump;
    cst_errjmp = &jump;
    job->status = TACO_ERR_INTERNAL;
    if (setjmp(jump) == 0)
        run(job);
    cst_errjmp = NULL;
}

enum taco_status taco_flite_analyse(const struct taco_flite_token *tokens, uint32_t n,
                                    const struct taco_lexicon *lexicon, bool segments,
                                    struct taco_flite_result *result,
                                    struct taco_error *err) {
    result->n_words = result->n_segments = 0;
    taco_string_clear(&result->strings);
    if (n == 0)
        return TACO_OK;
    struct job job = {.tokens = tokens,
                      .n = n,
                      .lexicon = lexicon,
                      .segments = segments,
                      .result = result,
                      .arena = TACO_ARENA_INIT};
    pthread_mutex_lock(&lock);
    run_guarded(&job);
    pthread_mutex_unlock(&lock);
    taco_arena_free(&job.arena);
    if (job.status == TACO_ERR_NO_MEMORY)
        return taco_error_set(err, job.status, NULL, "out of memory");
    if (job.status != TACO_OK)
        return taco_error_set(err, job.status, "text",
                              "the English analysis of Flite failed on this text");
    return TACO_OK;
}

void taco_flite_result_free(struct taco_flite_result *result) {
    taco_free(result->words);
    taco_free(result->segments);
    taco_string_free(&result->strings);
    *result = (struct taco_flite_result){0};
}
