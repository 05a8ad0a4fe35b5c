/* What SSML's attributes and elements hold: say-as, pronunciations in IPA, rates, volumes. */
#include <check.h>
#include <math.h>
#include <string.h>

#include "support/runner.h"
#include "text/markup_prosody.h"
#include "text/markup_say_as.h"
#include "text/phones_ipa.h"

static const struct {
    const char *as, *format, *text, *said;
    bool has_form; /* false: it is read as text, with a note */
} say_as[] = {
    {"characters", NULL, "abc12", "A.B.C 1 2", true},
    {"spell-out", NULL, "a-b c", "A dash B C", true},
    {"verbatim", NULL, "x@Y.z", "X at Y dot Z", true},
    {"characters", NULL, "\xC3\xA9t\xC3\xA9", "\xC3\xA9T\xC3\xA9", true},
    {"digits", NULL, "1234 a5", "1 2 3 4 a5", true},
    {"cardinal", NULL, " 1984 ", "1,984", true},
    {"cardinal", NULL, "-1234567.50", "-1,234,567.50", true},
    {"cardinal", NULL, "007", "7", true},
    {"cardinal", NULL, "XIV", "14", true},
    {"number", NULL, "1,234", "1,234", true},
    {"cardinal", NULL, "IIII", "IIII", false},
    {"cardinal", NULL, "a dozen", "a dozen", false},
    {"cardinal", NULL, "1-2", "1-2", false},
    {"ordinal", NULL, "21", "21st", true},
    {"ordinal", NULL, "12", "12th", true},
    {"ordinal", NULL, "111", "111th", true},
    {"ordinal", NULL, "1003", "1,003rd", true},
    {"ordinal", NULL, "VIII", "8th", true},
    {"ordinal", NULL, "21st", "21st", true},
    {"ordinal", NULL, "first", "first", false},
    {"fraction", NULL, "3/4", "3/4", true},
    {"fraction", NULL, "1+1/2", "1 1/2", true},
    {"fraction", NULL, "1/2/3", "1/2/3", false},
    {"unit", NULL, "10 kg", "10 kg", true},
    {"currency", NULL, "$42.01", "$42.01", true},
    {"telephone", NULL, "(555) 123-4567", "5 5 5, 1 2 3, 4 5 6 7", true},
    {"telephone", "1", "+44 20x7", "plus 4 4, 2 0 x 7", true},
    {"time", NULL, "1'21\"", "1 minute 21 seconds", true},
    {"time", "hms12", "2:30pm", "2:30pm", true},
    {"date", "mdy", "9/10/2024", "September 10, 2024", true},
    {"date", "dmy", "9.10.2024", "9 October 2024", true},
    {"date", "ymd", "2024-10-09", "October 9, 2024", true},
    {"date", "yyyymmdd", "20241009", "October 9, 2024", true},
    {"date", NULL, "20241009", "October 9, 2024", true},
    {"date", "dmy", "09101999", "9 October 1999", true},
    {"date", "mdy", "9/10/99", "September 10, 1999", true},
    {"date", "md", "9/10", "September 10", true},
    {"date", "dm", "9/10", "9 October", true},
    {"date", "my", "9/2024", "September 2024", true},
    {"date", "ym", "2024/9", "September 2024", true},
    {"date", "y", "1984", "1984", true},
    {"date", "m", "12", "December", true},
    {"date", "d", "22", "22nd", true},
    {"date", NULL, "Oct 9", "Oct 9", true},
    {"date", "mdy", "13/10/2024", "13/10/2024", false},
    {"date", "mdy", "9/32/2024", "9/32/2024", false},
    {"date", "mdy", "9/10", "9/10", false},
    {"date", "q", "9/10", "9/10", false},
    {"expletive", NULL, "damn", "bleep", true},
    {"address", NULL, "1 Main St.", "1 Main St.", false},
    {"characters", NULL, "", "", true},
    {"cardinal", NULL, "", "", false},
    {"cardinal", NULL, "-", "-", false},
    {"fraction", NULL, "", "", false},
    {"telephone", NULL, "-", "-", false},
    {"date", "mdy", "", "", false},
};

START_TEST(say_as_is_written_for_the_grammar) {
    for (size_t i = 0; i < sizeof say_as / sizeof *say_as; i++) {
        struct taco_string out = {NULL, 0, 0};
        enum taco_say_as_outcome outcome =
            taco_say_as(&out, say_as[i].as, say_as[i].format, true, say_as[i].text,
                        strlen(say_as[i].text));
        ck_assert_msg(strcmp(out.bytes ? out.bytes : "", say_as[i].said) == 0,
                      "%s %s: %s, not %s", say_as[i].as, say_as[i].text, out.bytes,
                      say_as[i].said);
        ck_assert_msg(outcome ==
                          (say_as[i].has_form ? TACO_SAY_AS_DONE : TACO_SAY_AS_TEXT),
                      "%s %s: %d", say_as[i].as, say_as[i].text, outcome);
        taco_string_free(&out);
    }
    /* In another language no English words come in. */
    static const char *const kinds[][2] = {{"cardinal", "1984"}, {"ordinal", "21"},
                                           {"expletive", "x"},   {"date", "9/10"},
                                           {"characters", "-"},  {"telephone", "+1"}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct taco_string out = {NULL, 0, 0};
        ck_assert_int_ne(
            taco_say_as(&out, kinds[i][0], "md", false, kinds[i][1], strlen(kinds[i][1])),
            TACO_SAY_AS_NO_MEMORY);
        for (uint32_t k = 0; k < out.n; k++)
            ck_assert_msg((out.bytes[k] | 32) < 'a' || (out.bytes[k] | 32) > 'z', "%s",
                          out.bytes);
        taco_string_free(&out);
    }
}
END_TEST

static const struct {
    const char *ipa, *phones;
} pronunciations[] = {
    {"h\u0259\u02C8lo\u028A", "HH AH0 L OW1"},
    {"\u02C8w\u025C\u02D0ld", "W ER1 L D"},
    {"t\u0283i\u02D0z", "CH IY1 Z"},
    {"t\u0361\u0283i\u02D0z", "CH IY1 Z"},
    {"p\u0259\u02C8t\u0251\u02D0m\u0259\u02CCto\u028A", "P AH0 T AA1 M AH0 T OW2"},
    {"\u02C8b\u028Atn\u0329", "B UH1 T AH0 N"},
    {"d\u0292\u028Cd\u0292", "JH AH1 JH"},
    {"bo\u026A", "B OW0 IH0"},
    {"\u03B8\u026A\u014B", "TH IH1 NG"},
    {"ma\u026A.ka\u028A", "M AY0 K AW0"},
    {"", ""},
    {"z", "Z"},
};

START_TEST(ipa_as_arpabet) {
    for (size_t i = 0; i < sizeof pronunciations / sizeof *pronunciations; i++) {
        struct taco_string out = {NULL, 0, 0};
        const char *unknown;
        ck_assert(taco_phones_from_ipa(pronunciations[i].ipa, &out, &unknown));
        ck_assert_msg(strcmp(out.bytes ? out.bytes : "", pronunciations[i].phones) == 0,
                      "%s: %s", pronunciations[i].ipa, out.bytes);
        taco_string_free(&out);
    }
    static const char *const foreign[] = {"\u00F8", "b\u00F8", "\u0263", "Q", "\xFF"};
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++) {
        struct taco_string out = {NULL, 0, 0};
        const char *unknown;
        ck_assert(!taco_phones_from_ipa(foreign[i], &out, &unknown));
        ck_assert_ptr_nonnull(unknown);
        taco_string_free(&out);
    }
}
END_TEST

START_TEST(rates_and_volumes) {
    static const struct {
        const char *value;
        bool volume, ok;
        float from, to;
    } rows[] = {
        {"slow", false, true, 1, 0.75F},   {"x-fast", false, true, 0.5F, 2},
        {"120%", false, true, 0.5F, 1.2F}, {"+20%", false, true, 1.5F, 1.8F},
        {"-50%", false, true, 1, 0.5F},    {"+900%", false, true, 1, 4},
        {"-99%", false, true, 1, 0.25F},   {"1.5", false, true, 1, 1.5F},
        {"900%", false, false, 1, 0},      {"0", false, false, 1, 0},
        {"", false, false, 1, 0},          {"+", false, false, 1, 0},
        {"+5", false, false, 1, 0},        {"5st", false, false, 1, 0},
        {"loud", true, true, 1, 1.5F},     {"silent", true, true, 1, 0},
        {"+6dB", true, true, 1, 1.9953F},  {"-6dB", true, true, 1, 0.5012F},
        {"+60dB", true, true, 1, 4},       {"50", true, true, 1, 0.5F},
        {"+50%", true, true, 0.5F, 0.75F}, {"soft", true, true, 2, 0.5F},
        {"500", true, false, 1, 0},        {"-", true, false, 1, 0},
        {"6 dB", true, false, 1, 0},       {"99999999999999999999", true, false, 1, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        float factor = rows[i].from;
        bool ok = rows[i].volume ? taco_markup_volume(rows[i].value, &factor)
                                 : taco_markup_rate(rows[i].value, &factor);
        ck_assert_msg(ok == rows[i].ok, "%s", rows[i].value);
        ck_assert_msg(!ok || fabsf(factor - rows[i].to) < 1e-3F, "%s: %g", rows[i].value,
                      (double)factor);
    }
}
END_TEST

int main(void) {
    Suite *suite = suite_create("markup values");
    TCase *tcase = tcase_create("values");
    tcase_add_test(tcase, say_as_is_written_for_the_grammar);
    tcase_add_test(tcase, ipa_as_arpabet);
    tcase_add_test(tcase, rates_and_volumes);
    suite_add_tcase(suite, tcase);
    return test_run(suite);
}
