#include "support/texts.h"
#include "text/reading_rules.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistr.h>

/* -- configs ----------------------------------------------------------------------------
 */

static const char torchaudio_signs[] = "_-!'(),.:;? ";

static void add_each(json_t *list, const char *ascii) {
    for (; *ascii; ascii++)
        json_array_append_new(list, json_pack("s%", ascii, (size_t)1));
}

static void add_phones(json_t *list, const char *prefix) {
    static const char *const phones[] = {
        "AA", "AE", "AH", "AO", "AW", "AY", "B",  "CH", "D", "DH", "EH", "ER", "EY",
        "F",  "G",  "HH", "IH", "IY", "JH", "K",  "L",  "M", "N",  "NG", "OW", "OY",
        "P",  "R",  "S",  "SH", "T",  "TH", "UH", "UW", "V", "W",  "Y",  "Z",  "ZH"};
    for (size_t i = 0; i < sizeof phones / sizeof *phones; i++) {
        char name[16];
        snprintf(name, sizeof name, "%s%s", prefix, phones[i]);
        json_array_append_new(list, json_string(name));
        for (char mark = '0'; strchr("AEIOU", phones[i][0]) && mark < '3'; mark++) {
            snprintf(name, sizeof name, "%s%s%c", prefix, phones[i], mark);
            json_array_append_new(list, json_string(name));
        }
    }
}

json_t *test_text_config(enum test_text_config which) {
    static const char small[] = "abcdefghijklmnopqrstuvwxyz";
    static const char large[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    json_t *list = json_array();
    json_t *text = json_pack("{s:o}", "symbols", list);
    const char *front_end = "characters";
    switch (which) {
    case TEST_TEXT_SLT:
    case TEST_TEXT_PHONES:
        front_end = "arpabet";
        add_each(list, torchaudio_signs);
        add_phones(list, "");
        json_object_set_new(text, "punctuation", json_string(",.?!;:"));
        if (which == TEST_TEXT_SLT)
            json_object_set_new(text, "conventions", json_string("flite"));
        break;
    case TEST_TEXT_NVIDIA:
        add_each(list, torchaudio_signs);
        add_each(list, large);
        add_each(list, small);
        add_phones(list, "@");
        json_object_set_new(text, "arpabet_prefix", json_string("@"));
        json_object_set_new(text, "punctuation", json_string("!'(),-.:;?"));
        break;
    case TEST_TEXT_CHARACTERS:
        add_each(list, torchaudio_signs);
        add_each(list, small);
        json_object_set_new(text, "punctuation", json_string("!'(),-.:;?"));
        break;
    case TEST_TEXT_FRAMED:
        json_array_append_new(list, json_string("<pad>"));
        add_each(list, "^~_");
        add_each(list, large);
        add_each(list, small);
        add_each(list, ",.!? ");
        json_object_set_new(text, "case", json_string("keep"));
        json_object_set_new(text, "punctuation", json_string(",.!?"));
        json_object_set_new(text, "bos", json_string("^"));
        json_object_set_new(text, "eos", json_string("~"));
        json_object_set_new(text, "blank", json_string("_"));
        json_object_set_new(text, "pad_ends", json_string(" "));
        break;
    case TEST_TEXT_GERMAN:
        add_each(list, small);
        add_each(list, "0123456789 ,.?!-");
        json_array_append_new(list, json_string("ä"));
        json_array_append_new(list, json_string("ö"));
        json_array_append_new(list, json_string("ü"));
        json_array_append_new(list, json_string("ß"));
        json_object_set_new(text, "punctuation", json_string(",.?!-"));
        break;
    case TEST_TEXT_IPA:
    case TEST_TEXT_CONFIGS: {
        static const char *const more[] = {"æ", "ð", "ŋ", "ɐ", "ɑ", "ɒ", "ɔ", "ə", "ɚ",
                                           "ɛ", "ɜ", "ɡ", "ɪ", "ɫ", "ɹ", "ɾ", "ʃ", "ʊ",
                                           "ʌ", "ʒ", "ʔ", "ˈ", "ˌ", "ː", "θ", "ᵻ", "̩"};
        front_end = "ipa";
        add_each(list, "_ ,.!?;:");
        add_each(list, small);
        for (size_t i = 0; i < sizeof more / sizeof *more; i++)
            json_array_append_new(list, json_string(more[i]));
        json_object_set_new(text, "punctuation", json_string(",.!?;:"));
        json_object_set_new(text, "espeak_voice", json_string("en-us"));
        break;
    }
    }
    json_object_set_new(text, "front_end", json_string(front_end));
    return text;
}

const char *test_text_language(enum test_text_config which) {
    return which == TEST_TEXT_GERMAN ? "de" : "en-US";
}

struct taco_front_end *test_front_end(enum test_text_config which) {
    struct taco_error err = TACO_ERROR_INIT;
    struct taco_front_end *front_end = NULL;
    json_t *text = test_text_config(which);
    if (taco_front_end_create(&front_end, text, test_text_language(which), &err) !=
        TACO_OK) {
        fprintf(stderr, "front end %d: %s\n", (int)which, err.message);
        exit(1);
    }
    json_decref(text);
    return front_end;
}

/* -- made-up texts ----------------------------------------------------------------------
 */

static uint32_t draw(uint64_t *state, uint32_t below) {
    *state = *state * 6364136223846793005U + 1442695040888963407U;
    return (uint32_t)(*state >> 33) % below;
}

static const char *const fragments[] = {"Dr",
                                        ".",
                                        ".",
                                        ",",
                                        " ",
                                        " ",
                                        " ",
                                        " ",
                                        "\n",
                                        "\n\n",
                                        "\t",
                                        "-",
                                        "--",
                                        "...",
                                        "'s",
                                        "'",
                                        "\"",
                                        "(",
                                        ")",
                                        "[",
                                        "]",
                                        "{",
                                        "}",
                                        "{HH AH0}",
                                        "{AA}",
                                        "$",
                                        "$5",
                                        "€",
                                        "£",
                                        "%",
                                        "&",
                                        "@",
                                        "#",
                                        "*",
                                        "+",
                                        "=",
                                        "/",
                                        "\\",
                                        "_",
                                        "~",
                                        "^",
                                        "|",
                                        "<",
                                        ">",
                                        "0",
                                        "1",
                                        "12",
                                        "007",
                                        "1984",
                                        "3.14",
                                        "1,000",
                                        ",000",
                                        "1,,2",
                                        "9:30",
                                        "9:30PM",
                                        "25:99",
                                        "12/25/2021",
                                        "2/3",
                                        "5'11",
                                        "th",
                                        "st",
                                        "kg",
                                        "km/h",
                                        "°",
                                        "°C",
                                        "²",
                                        "½",
                                        "’",
                                        "“",
                                        "”",
                                        "–",
                                        "—",
                                        "…",
                                        "é",
                                        "e\xCC\x81",
                                        "ß",
                                        "Ж",
                                        "α",
                                        "你好",
                                        "😀",
                                        "👨‍👩‍👧",
                                        "\xE2\x80\x8B",
                                        "\xC2\xAD",
                                        "\xEF\xBB\xBF",
                                        "ﬁ",
                                        "Ａ",
                                        "１",
                                        "a",
                                        "A",
                                        "I",
                                        "the",
                                        "Hello",
                                        "world",
                                        "US",
                                        "AM",
                                        "am",
                                        "p.m.",
                                        "e.g.",
                                        "U.S.",
                                        "Ph.D.",
                                        "St.",
                                        "Mr.",
                                        "No.",
                                        "vs.",
                                        "etc.",
                                        "Inc.",
                                        "J.",
                                        "II",
                                        "XIV",
                                        "read",
                                        "don't",
                                        "Jan",
                                        "May",
                                        "http://",
                                        "www.",
                                        "x.com",
                                        "?q=1",
                                        "john@x.org",
                                        "v2.0.1",
                                        "1e6",
                                        "1e",
                                        "-5",
                                        "+",
                                        "$1,234.567",
                                        "$1,000 million",
                                        "1,,5kg",
                                        "99999999999999999999",
                                        "0000000000000000",
                                        "qwrtp",
                                        "xyzzy",
                                        "supercalifragilisticexpialidocious",
                                        "a-b-c-d",
                                        "'tis",
                                        "\x01",
                                        "\x7F",
                                        "\xC2\x85",
                                        "\xE2\x80\xA8",
                                        "\xE2\x80\xA9",
                                        "。",
                                        "؟",
                                        "!",
                                        "?",
                                        "?!",
                                        ";",
                                        ":",
                                        "million",
                                        "1990s",
                                        "50s",
                                        "5-6",
                                        "1-800-555-0199",
                                        "(555) 123-4567",
                                        "3+4=7",
                                        "x^2",
                                        "5 µg",
                                        "kΩ",
                                        "π",
                                        "->",
                                        "!=",
                                        "10^-3",
                                        "30s",
                                        "9am-5pm",
                                        "5-10%",
                                        "$10-20",
                                        "$20/month",
                                        "5 EUR",
                                        "12 1/2%",
                                        "15.03.2024",
                                        "2024-03-15T14:30:00Z",
                                        "1.30pm",
                                        "3pm EST",
                                        "Mon-Fri",
                                        "mid-1980s",
                                        "401(k)",
                                        "LVIII",
                                        "vol. II",
                                        "Main St. 12",
                                        ".[4]",
                                        "end.1 Next",
                                        "。",
                                        "→",
                                        "emo-\n",
                                        "1428 Elm St.",
                                        "CA 95051",
                                        "3s. 6d.",
                                        "7 - 2 = 5",
                                        "2h 15m",
                                        "10^6",
                                        "C++",
                                        "AT&T",
                                        "w/o",
                                        "½½"};

size_t test_random_text(uint64_t *state, char *text, size_t size) {
    size_t n = 0;
    uint32_t kind = draw(state, 16), parts = 1 + draw(state, 24);
    for (uint32_t i = 0; i < parts; i++) {
        char one[8];
        const char *part = one;
        size_t length = 1;
        if (kind == 0) { /* any bytes */
            one[0] = (char)draw(state, 256);
        } else if (kind == 1) { /* any characters */
            length = (size_t)u8_uctomb(
                (uint8_t *)one,
                draw(state, 4) ? draw(state, 0x3000) : draw(state, 0x20000), sizeof one);
            if (length > sizeof one)
                continue;
        } else if (kind == 2) { /* one character again and again */
            part = fragments[*state % (sizeof fragments / sizeof *fragments)];
            length = strlen(part);
        } else {
            part = fragments[draw(state, sizeof fragments / sizeof *fragments)];
            length = strlen(part);
        }
        if (n + length + 1 > size)
            break;
        memcpy(text + n, part, length);
        n += length;
        if (kind > 8 && n + 2 < size)
            text[n++] = ' ';
    }
    text[n] = '\0';
    return n;
}

/* -- what must hold
 * ---------------------------------------------------------------------- */

static bool is_border(const char *source, size_t length, uint32_t at) {
    return at <= length && (at == length || ((unsigned char)source[at] & 0xC0) != 0x80);
}

static uint32_t code_points(const char *source, uint32_t end) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < end; i++)
        n += ((unsigned char)source[i] & 0xC0) != 0x80;
    return n;
}

static bool is_span(const struct taco_text *t, struct taco_span s) {
    return s.begin <= s.end && is_border(t->source, t->source_length, s.begin) &&
           is_border(t->source, t->source_length, s.end) &&
           s.begin_cp == code_points(t->source, s.begin) &&
           s.end_cp == code_points(t->source, s.end);
}

static const char *chunks_problem(const struct taco_front_end *fe,
                                  const struct taco_text *t,
                                  const struct taco_text_options *options) {
    uint32_t symbol = 0, word = 0, end = 0;
    (void)fe;
    if (!(t->lead >= 0 && t->lead <= 10) || t->input == TACO_INPUT_AUTO)
        return "the lead or the input";
    for (uint32_t i = 0; i < t->n_chunks; i++) {
        const struct taco_chunk *c = &t->chunks[i];
        if (!is_span(t, c->span) || c->span.begin < end || c->span.begin == c->span.end)
            return "a chunk's span";
        if (c->first_symbol != symbol || c->n_symbols < 1)
            return "chunks do not partition the symbols";
        if (c->first_word != word || c->n_words < 1)
            return "chunks do not partition the words";
        if (c->n_symbols > options->max_symbols && c->n_words > 1)
            return "a chunk of several words is too long";
        if (!(c->pause >= 0 && c->pause <= 10) ||
            (i + 1 == t->n_chunks && c->pause > 0 && t->input != TACO_INPUT_SSML))
            return "a chunk's pause";
        if (!(c->speed >= 0.25F && c->speed <= 4 && c->volume >= 0 && c->volume <= 4))
            return "a chunk's speed or volume";
        symbol += c->n_symbols;
        word += c->n_words;
        end = c->span.end;
    }
    return symbol == t->n_symbols && word == t->n_words ? NULL
                                                        : "symbols or words left over";
}

static const char *words_problem(const struct taco_text *t, const struct taco_chunk *c) {
    uint32_t symbol_end = c->first_symbol + c->n_symbols;
    uint32_t end = c->span.begin, symbol = c->first_symbol, spoken = UINT32_MAX;
    for (uint32_t i = c->first_word; i < c->first_word + c->n_words; i++) {
        const struct taco_word *w = &t->words[i];
        if (!is_span(t, w->span) || w->span.begin == w->span.end || w->span.begin < end ||
            w->span.end > c->span.end)
            return "a word's span";
        if (w->first_symbol < symbol || w->first_symbol + w->n_symbols > symbol_end)
            return "a word's symbols";
        if (spoken != UINT32_MAX && w->first_spoken != spoken)
            return "a word's spoken words";
        if (w->first_spoken + w->n_spoken > t->n_spoken)
            return "a word's spoken words are outside";
        for (uint32_t k = 0; k < w->n_spoken; k++)
            if (t->spoken[w->first_spoken + k].word != i)
                return "a spoken word's word";
        spoken = w->first_spoken + w->n_spoken;
        symbol = w->first_symbol + w->n_symbols;
        end = w->span.end;
    }
    return NULL;
}

static const char *symbols_problem(const struct taco_front_end *fe,
                                   const struct taco_text *t,
                                   const struct taco_chunk *c) {
    uint32_t begin = c->span.begin;
    bool any = false;
    for (uint32_t i = c->first_symbol; i < c->first_symbol + c->n_symbols; i++) {
        const struct taco_symbol *s = &t->symbols[i];
        if (s->id < 0 || s->id >= taco_front_end_n_symbols(fe))
            return "a symbol's id";
        if (!is_span(t, s->span) || s->span.begin < begin || s->span.end > c->span.end)
            return "a symbol's span";
        begin = s->span.begin;
        if ((s->word == TACO_NO_WORD) != (s->spoken == TACO_NO_WORD))
            return "a symbol has a word or a spoken word alone";
        if (s->word == TACO_NO_WORD)
            continue;
        any = true;
        if (s->word < c->first_word || s->word >= c->first_word + c->n_words ||
            s->spoken >= t->n_spoken || t->spoken[s->spoken].word != s->word)
            return "a symbol's word";
        const struct taco_word *w = &t->words[s->word];
        const struct taco_spoken_word *p = &t->spoken[s->spoken];
        if (i < w->first_symbol || i >= w->first_symbol + w->n_symbols ||
            i < p->first_symbol || i >= p->first_symbol + p->n_symbols)
            return "a symbol is not in its word's range";
        if (s->span.begin < w->span.begin || s->span.end > w->span.end)
            return "a symbol's span is outside its word";
    }
    return any ? NULL : "a chunk without a word";
}

const char *test_text_problem(const struct taco_front_end *front_end,
                              const struct taco_text *text, const char *source,
                              size_t length, const struct taco_text_options *options) {
    if (text->source_length != length || memcmp(text->source, source, length) != 0 ||
        text->source[length] != '\0')
        return "the source";
    if (text->n_chunks < 1)
        return "no chunk";
    const char *problem = chunks_problem(front_end, text, options);
    for (uint32_t i = 0; i < text->n_chunks && !problem; i++) {
        problem = words_problem(text, &text->chunks[i]);
        if (!problem)
            problem = symbols_problem(front_end, text, &text->chunks[i]);
    }
    uint32_t word = 0;
    for (uint32_t i = 0; i < text->n_spoken && !problem; i++) {
        const struct taco_spoken_word *p = &text->spoken[i];
        if (p->word < word || p->word >= text->n_words || !p->text[0] ||
            u8_check((const uint8_t *)p->text, strlen(p->text)))
            problem = "a spoken word";
        word = p->word;
    }
    uint32_t begin = 0;
    for (uint32_t i = 0; i < text->n_notes && !problem; i++) {
        if (!is_span(text, text->notes[i].span) || text->notes[i].span.begin < begin)
            problem = "a note's span";
        begin = text->notes[i].span.begin;
    }
    return problem;
}

char *test_chunk_symbols(const struct taco_front_end *front_end,
                         const struct taco_text *text, uint32_t chunk) {
    const char *const *names = taco_front_end_symbols(front_end);
    const struct taco_chunk *c = &text->chunks[chunk];
    size_t size = 1;
    for (uint32_t i = 0; i < c->n_symbols; i++)
        size += strlen(names[text->symbols[c->first_symbol + i].id]) + 1;
    char *out = malloc(size), *at = out;
    if (!out)
        exit(1);
    for (uint32_t i = 0; i < c->n_symbols; i++)
        at += snprintf(at, size - (size_t)(at - out), "%s%s", i ? "|" : "",
                       names[text->symbols[c->first_symbol + i].id]);
    *at = '\0';
    return out;
}

/* -- the grammar ------------------------------------------------------------------- */

/* Signs that stand in patterns by a byte of their own. */
static const char *readable(char c) {
    switch (c) {
    case '\x02':
        return "°";
    case '\x03':
        return "×";
    case '\x05':
        return "¢";
    case '|':
        return "\\|";
    default:
        return NULL;
    }
}

bool test_grammar_row(uint32_t i, char *row, size_t size) {
    struct taco_rule_info rule;
    if (!taco_rule_at(i, &rule))
        return false;
    char pattern[512];
    size_t n = 0;
    for (const char *c = rule.pattern; *c; c++) {
        const char *name = readable(*c);
        n += (size_t)snprintf(pattern + n, sizeof pattern - n, name ? "%s" : "%.1s",
                              name ? name : c);
    }
    snprintf(row, size, "| %s | `%s` | %s | %s |", rule.name, pattern, rule.example,
             rule.spoken);
    return true;
}
