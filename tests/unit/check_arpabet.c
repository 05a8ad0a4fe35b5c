/* Phones: the symbols that the shipped voice was trained with, words as a person reads them,
 * names of words, conventions. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/files.h"
#include "support/runner.h"
#include "support/texts.h"

static struct taco_text *analyse(const struct taco_front_end *fe, const char *source) {
    struct taco_text *text;
    struct taco_error err = TACO_ERROR_INIT;
    ck_assert_msg(taco_front_end_analyse(fe, source, strlen(source), NULL, &text, &err) ==
                      TACO_OK,
                  "%s: %s", source, err.message);
    struct taco_text_options options = taco_text_options_default();
    const char *problem = test_text_problem(fe, text, source, strlen(source), &options);
    ck_assert_msg(!problem, "%s: %s", source, problem);
    return text;
}

/* Symbols of all chunks, "| |" between, as if the text were one utterance. */
static void all_symbols(const struct taco_front_end *fe, const char *source, char *out,
                        size_t size) {
    struct taco_text *text = analyse(fe, source);
    size_t n = 0;
    out[0] = '\0';
    for (uint32_t i = 0; i < text->n_chunks; i++) {
        char *symbols = test_chunk_symbols(fe, text, i);
        n += (size_t)snprintf(out + n, size - n, "%s%s", i ? "| |" : "", symbols);
        ck_assert_uint_lt(n, size);
        free(symbols);
    }
    taco_text_destroy(text);
}

/* tests/text/flite_symbols.tsv: what the recipe of the voice made of sentences. */
START_TEST(as_trained) {
    size_t size;
    char *data = test_read_file("tests/text/flite_symbols.tsv", &size);
    ck_assert_ptr_nonnull(data);
    struct taco_front_end *fe = test_front_end(TEST_TEXT_SLT);
    int n = 0;
    for (char *line = data, *end; *line; line = end + 1) {
        end = strchr(line, '\n');
        ck_assert_ptr_nonnull(end);
        *end = '\0';
        char *tab = strchr(line, '\t');
        if (line[0] == '#')
            continue;
        ck_assert_ptr_nonnull(tab);
        *tab = '\0';
        char symbols[4096];
        all_symbols(fe, line, symbols, sizeof symbols);
        ck_assert_msg(strcmp(symbols, tab + 1) == 0, "%s\n  is   %s\n  want %s", line,
                      symbols, tab + 1);
        n++;
    }
    ck_assert_int_ge(n, 60);
    taco_front_end_destroy(fe);
    free(data);
}
END_TEST

/* Every spoken word of the text, blanks between. */
static void all_spoken(const struct taco_front_end *fe, const char *source, char *out,
                       size_t size) {
    struct taco_text *text = analyse(fe, source);
    size_t n = 0;
    out[0] = '\0';
    for (uint32_t i = 0; i < text->n_spoken; i++)
        n += (size_t)snprintf(out + n, size - n, "%s%s", i ? " " : "",
                              text->spoken[i].text);
    ck_assert_uint_lt(n, size);
    taco_text_destroy(text);
}

static const struct {
    const char *source, *spoken;
} readings[] = {
    /* numbers */
    {"0 1 10 11 21 100 101 999",
     "zero one ten eleven twenty one one hundred one hundred one "
     "nine hundred ninety nine"},
    {"1,000 and 12,345", "one thousand and twelve thousand three hundred forty five"},
    {"1000 3000 1001", "one thousand three thousand one thousand one"},
    {"1000000 things", "one million things"},
    {"1,000,000,000,000", "one trillion"},
    {"2,500,000,000,001", "two trillion five hundred billion one"},
    {"12,34 is odd", "twelve thirty four is odd"},
    {"3.14 0.5 .5 00.7 12.50",
     "three point one four zero point five point five zero point "
     "seven twelve point five zero"},
    {"-5 +5 -2.5", "minus five plus five minus two point five"},
    {"007 agents", "zero zero seven agents"},
    {"1e6", "one e six"},
    {"12345678901234567890",
     "one two three four five six seven eight nine zero one two three "
     "four five six seven eight nine zero"},
    {"1st 2nd 3rd 12th 21st 1,234th",
     "first second third twelfth twenty first one thousand "
     "two hundred thirty fourth"},
    {"1000000th 2,000,000,000th", "one millionth two billionth"},
    {"1/2 3/4 2/3 5/8", "one half three quarters two thirds five eighths"},
    {"1 1/2 and 2\xC2\xBD", "one and one half and two and one half"},
    {"24/7 22/7 9/11", "twenty four seven twenty two slash seven nine eleven"},
    {"5-6 people", "five to six people"},
    {"1990-1995 and 1990-95",
     "nineteen ninety to nineteen ninety five and nineteen ninety to "
     "ninety five"},
    {"10-year-old", "ten year old"},
    {"v2.0.1 and 1.2.3", "v two point zero point one and one point two point three"},
    {"192.168.0.1",
     "one hundred ninety two dot one hundred sixty eight dot zero dot one"},
    /* years and dates */
    {"In 1984, in 1999.", "in nineteen eighty four in nineteen ninety nine"},
    {"2005 2010 2024", "two thousand five twenty ten twenty twenty four"},
    {"1984 apples", "one thousand nine hundred eighty four apples"},
    {"the 1950s, the '90s, 1900s", "the nineteen fifties the nineties nineteen hundreds"},
    {"12/25/2021", "december twenty fifth twenty twenty one"},
    {"25/12/2021", "december twenty fifth twenty twenty one"},
    {"2021-12-25", "december twenty fifth twenty twenty one"},
    {"13/13/2021", "thirteen slash thirteen slash twenty twenty one"},
    {"Dec. 25 and Jan 5", "december twenty fifth and january fifth"},
    {"July 4th, 1776", "july fourth seventeen seventy six"},
    /* times */
    {"9:30PM 9:30 p.m. 9:05", "nine thirty p m nine thirty p m nine oh five"},
    {"10:00 and 19:00", "ten o'clock and nineteen hundred"},
    {"5 am, 5pm, 12 p.m.", "five a m five p m twelve p m"},
    {"25:99", "twenty five ninety nine"},
    /* money */
    {"$25.50 $1 $1.01 $0.99",
     "twenty five dollars fifty cents one dollar one dollar one cent "
     "ninety nine cents"},
    {"$5.3 billion", "five point three billion dollars"},
    {"$1,000,000 and $1,234.567", "one million dollars and one thousand two hundred "
                                  "thirty four point five six seven dollars"},
    {"\xC2\xA3"
     "5 \xE2\x82\xAC"
     "20 \xC2\xA5"
     "100",
     "five pounds twenty euros one hundred yen"},
    {"50 \xE2\x82\xAC or 20\xE2\x82\xAC", "fifty euros or twenty euros"},
    {"\xC2\xA3"
     "1.01 and 5\xC2\xA2",
     "one pound one penny and five cents"},
    {"$5k $5m $2.5bn",
     "five thousand dollars five million dollars two point five billion "
     "dollars"},
    {"-$5", "minus five dollars"},
    {"$1,000 million", "one thousand million dollars"},
    /* quantities */
    {"50g 5 kg 2.5kg 60 mph",
     "fifty grams five kilograms two point five kilograms sixty miles "
     "per hour"},
    {"1 kg 1 mile 100km/h", "one kilogram one mile one hundred kilometers per hour"},
    {"20 m\xC2\xB2 and 3 cm\xC2\xB3", "twenty square meters and three cubic centimeters"},
    {"5% 2.5 % 100%", "five percent two point five percent one hundred percent"},
    {"20\xC2\xB0"
     "C, 70 \xC2\xB0"
     "F, 1\xC2\xB0",
     "twenty degrees celsius seventy degrees "
     "fahrenheit one degree"},
    {"5'11\" tall", "five feet eleven inches tall"},
    {"6 ft. tall, 5 in. wide", "six feet tall five inches wide"},
    {"1,,5kg", "one five kilograms"},
    /* signs */
    {"a & b @ c", "a and b at c"},
    {"#1 #tag", "number one hash tag"},
    {"3 + 4 = 7", "three plus four equals seven"},
    {"6 * 7 and 6*7 and 3x4 and 3 x 4",
     "six times seven and six times seven and three times four and three by four"},
    {"3-2=1", "three minus two equals one"},
    {"x\xC2\xB2 + 10\xE2\x81\xB6", "x squared plus ten to the power of six"},
    {"and/or he/she w/o", "and or he slash she without"},
    {"C++ C# AT&T R&D", "c plus plus c sharp a t and t r and d"},
    {"\xC2\xA9 2020", "copyright twenty twenty"},
    /* addresses and codes */
    {"john.doe@example.com", "john dot doe at example dot com"},
    {"http://example.com/a?b=1", "example dot com slash a question mark b equals one"},
    {"www.example.org", "w w w dot example dot org"},
    {"call 555-1234", "call five five five one two three four"},
    {"(555) 123-4567", "five five five one two three four five six seven"},
    {"+1 555 123 4567", "plus one five five five one two three four five six seven"},
    {"Room 101A, flight BA2490", "room one oh one a flight b a twenty four ninety"},
    {"A380 and B52", "a three eighty and b fifty two"},
    /* abbreviations */
    {"Mr. Brown, Mrs. Jones, Ms. Lee, Dr. Smith",
     "mister brown missus jones miz lee doctor smith"},
    {"Gen. Lee, Col. Sanders, Capt. Hook", "general lee colonel sanders captain hook"},
    {"Ft. Worth, Mt. Everest", "fort worth mount everest"},
    {"No. 5, vol. 3, p. 12, fig. 2", "number five volume three page twelve figure two"},
    {"Acme Co. and Widgets Ltd.", "acme company and widgets limited"},
    {"etc. and so on, e.g. this, vs. that", "et cetera and so on e g this versus that"},
    {"St. Mary's, Main St.", "saint mary's main street"},
    {"the U.S. and a Ph.D.", "the u s and a p h d"},
    /* words */
    {"well-known state-of-the-art", "well known state of the art"},
    {"don't can't it's they're O'Brien", "don't can't it's they're o'brien"},
    {"World War II, King Henry VIII, Chapter IV",
     "world war two king henry the eighth chapter four"},
    {"US and USA and NASA and IBM", "u s and u s a and nasa and i b m"},
    {"AM radio, I am", "a m radio i am"},
    {"I read. I will read.", "i read i will read"},
    {"Help Me. Uncle Al.", "help me uncle al"},
    {"qwrtp", "q w r t p"},
    {"caf\xC3\xA9 na\xC3\xAFve", "cafe naive"},
    {"\xD0\x9C\xD0\xBE\xD1\x81\xD0\xBA\xD0\xB2\xD0\xB0", "moskva"},
    {"\xEF\xBC\xA6\xEF\xBC\xB5\xEF\xBC\xAC\xEF\xBC\xAC \xEF\xBC\x91\xEF\xBC\x92",
     "full twelve"},
};

START_TEST(as_a_person_reads) {
    struct taco_front_end *fe = test_front_end(TEST_TEXT_SLT);
    char spoken[1024];
    int wrong = 0;
    for (size_t i = 0; i < sizeof readings / sizeof *readings; i++) {
        all_spoken(fe, readings[i].source, spoken, sizeof spoken);
        if (strcmp(spoken, readings[i].spoken) == 0)
            continue;
        wrong++;
        fprintf(stderr, "%s\n  is   %s\n  want %s\n", readings[i].source, spoken,
                readings[i].spoken);
    }
    ck_assert_int_eq(wrong, 0);
    taco_front_end_destroy(fe);
}
END_TEST

START_TEST(words_of_the_source) {
    static const char source[] = "It cost $5.3 billion, \"in all\", at 9:30PM.";
    static const struct {
        const char *text, *spoken;
    } words[] = {{"It", "it"},
                 {"cost", "cost"},
                 {"$5.3", "five point three"},
                 {"billion", "billion dollars"},
                 {"in", "in"},
                 {"all", "all"},
                 {"at", "at"},
                 {"9:30PM", "nine thirty p m"}};
    struct taco_front_end *fe = test_front_end(TEST_TEXT_SLT);
    struct taco_text *text = analyse(fe, source);
    ck_assert_uint_eq(text->n_words, sizeof words / sizeof *words);
    for (uint32_t i = 0; i < text->n_words; i++) {
        const struct taco_word *w = &text->words[i];
        ck_assert_uint_eq(w->span.end - w->span.begin, strlen(words[i].text));
        ck_assert_int_eq(
            strncmp(source + w->span.begin, words[i].text, strlen(words[i].text)), 0);
        char spoken[64] = "";
        for (uint32_t k = 0; k < w->n_spoken; k++)
            snprintf(spoken + strlen(spoken), sizeof spoken - strlen(spoken), "%s%s",
                     k ? " " : "", text->spoken[w->first_spoken + k].text);
        ck_assert_str_eq(spoken, words[i].spoken);
    }
    taco_text_destroy(text);
    taco_front_end_destroy(fe);
}
END_TEST

static void symbols(enum test_text_config config, const char *source, const char *want) {
    struct taco_front_end *fe = test_front_end(config);
    char is[1024];
    all_symbols(fe, source, is, sizeof is);
    ck_assert_msg(strcmp(is, want) == 0, "%s\n  is   %s\n  want %s", source, is, want);
    taco_front_end_destroy(fe);
}

START_TEST(signs) {
    /* A dash is a short pause, quotes and brackets are none; the full stop of an abbreviation
     * inside a sentence is none, dots are one. */
    symbols(TEST_TEXT_SLT, "No \xE2\x80\x94 \"no\" (no) - no",
            "N|OW1|,| |N|OW1| |N|OW1|,| |N|OW1|.");
    symbols(TEST_TEXT_SLT, "No... no", "N|OW1|,| |N|OW1|.");
    symbols(TEST_TEXT_SLT, "Go, e.g. now!", "G|OW1|,| |IY1| |JH|IY1| |N|AW1|!");
    symbols(TEST_TEXT_SLT, "No?!", "N|OW1|?");
    symbols(TEST_TEXT_SLT, "No;", "N|OW1|.");
    symbols(TEST_TEXT_SLT, "no the", "N|OW1| |DH|AH0|.");
    symbols(TEST_TEXT_SLT, "a", "EY0|.");
}
END_TEST

START_TEST(conventions) {
    symbols(TEST_TEXT_SLT, "It's John's.", "IH1|T| |S| |JH|AA1|N| |Z|.");
    symbols(TEST_TEXT_PHONES, "It's John's.", "IH1|T|S| |JH|AA1|N|Z|.");
    symbols(TEST_TEXT_SLT, "{HH AH0 L OW1} {HH AH L OW} {IY} {AX EH2}",
            "HH|AH0|L|OW1| |HH|AH0|L|OW0| |IY1| |AH0|EH1|.");
    symbols(TEST_TEXT_PHONES, "{HH AH0 L OW1} {HH AH L OW} {IY} {AX EH2}",
            "HH|AH0|L|OW1| |HH|AH|L|OW| |IY| |AH|EH2|.");
    symbols(TEST_TEXT_SLT, "two {T AH0 M AA1 T OW0}s, {hh ah0}!",
            "T|UW1| |T|AH0|M|AA1|T|OW0| |Z|,| |HH|AH0|!");
}
END_TEST

/* A table without stress marks, with words unseparated, with an end symbol. */
START_TEST(other_tables) {
    static const char config[] =
        "{\"front_end\": \"arpabet\", \"word_separator\": \"\", \"eos\": \"<eos>\", "
        "\"punctuation\": \",.\", \"symbols\": [\"<eos>\", \",\", \".\", \"HH\", \"AH\", "
        "\"L\", "
        "\"OW\", \"W\", \"ER\", \"D\"]}";
    json_t *text = json_loads(config, 0, NULL);
    struct taco_front_end *fe;
    ck_assert_int_eq(taco_front_end_create(&fe, text, "en", NULL), TACO_OK);
    char is[256];
    all_symbols(fe, "Hello, world", is, sizeof is);
    ck_assert_str_eq(is, "HH|AH|L|OW|,|W|ER|L|D|.|<eos>");
    /* A phone that the table lacks is told. */
    struct taco_text *out = analyse(fe, "hello zoo");
    ck_assert_uint_ge(out->n_notes, 1);
    ck_assert_int_eq(out->notes[0].kind, TACO_NOTE_DROPPED);
    ck_assert_uint_eq(out->notes[0].span.begin, 6);
    taco_text_destroy(out);
    taco_front_end_destroy(fe);
    json_decref(text);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("arpabet");
    TCase *tcase = tcase_create("arpabet");
    tcase_add_test(tcase, as_trained);
    tcase_add_test(tcase, as_a_person_reads);
    tcase_add_test(tcase, words_of_the_source);
    tcase_add_test(tcase, signs);
    tcase_add_test(tcase, conventions);
    tcase_add_test(tcase, other_tables);
    suite_add_tcase(suite, tcase);
    return test_run(suite);
}
