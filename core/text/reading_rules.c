/* The rules of the grammar: forms of English text that are read otherwise than word by word.
 *
 * Of the rules that match at a word the one that reads most is taken, and of two that read
 * as much the one that stands first. A match ends where a word ends, behind the punctuation
 * after it or before a possessive 's. A rule may turn out not to fit by the value of what it
 * matched (there is no 25:99), then the next one is taken. */
#include "text/reading_match.h"

#include <pthread.h>
#include <string.h>

/* Symbols beyond ASCII, as the window has them. */
#define DEGREE TACO_SIGN_DEGREE
#define TIMES TACO_SIGN_TIMES
#define CENT TACO_SIGN_CENT

/* What a sum is per: $5/user/mo. */
#define PER "(/({unit}|{letters}|{int}({mag})?))*"

static const struct rule {
    const char *name;    /* its kind */
    const char *pattern; /* grammar.h */
    taco_rule *run;
    const char *words; /* what is said, if run is NULL */
    bool word;         /* it may begin with a word of letters alone */
    const char *example, *spoken;
} rules[] = {
    {"address", "{scheme}://{rest}", taco_rule_url, NULL, true,
     "http://example.com/a?b=1", "example dot com slash a question mark b equals one"},
    {"address", "{mail}", taco_rule_address, NULL, true, "john.doe@example.com",
     "john dot doe at example dot com"},
    {"address", "www.{rest}", taco_rule_address, NULL, true, "www.example.org",
     "w w w dot example dot org"},
    {"address", "{site}(/{rest})?", taco_rule_address, NULL, true, "test2.uk/12",
     "test two dot u k slash one two"},
    {"address", "{ip}(:{digits})?(/{rest})?", taco_rule_ip, NULL, false,
     "192.168.1.1:8000",
     "one hundred ninety two dot one hundred sixty eight dot one dot one colon eight "
     "thousand"},
    {"address", "({host}|{letters}):{digits}(/{rest})?", taco_rule_port, NULL, true,
     "localhost:7860", "localhost colon seventy eight sixty"},
    {"telephone", "\\+{digits}( |-)?(\\()?{d3}(\\))?( |-|.)?{d3}( |-|.){d4}(-{digits})?",
     taco_rule_phone, NULL, false, "+1 (123) 123-5678",
     "plus one one two three one two three five six seven eight"},
    {"telephone", "\\+{digits}( |-){digits}( |-){digits}(( |-){digits})?(( |-){digits})?",
     taco_rule_phone, NULL, false, "+44 20 7946 0958",
     "plus four four two zero seven nine four six zero nine five eight"},
    {"telephone", "{d}-{d3}-{d3}-{d4}", taco_rule_phone, NULL, false, "1-800-555-0199",
     "one eight hundred five five five zero one nine nine"},
    {"telephone", "{d}-{d3}-({CAPS}|{digits})-({CAPS}|{digits})(-({CAPS}|{digits}))?",
     taco_rule_phone, NULL, false, "1-800-GO-2-HAUL", "one eight hundred go two haul"},
    {"telephone", "{d}-{d3}-{CAPS}", taco_rule_phone, NULL, false, "1-800-FLOWERS",
     "one eight hundred flowers"},
    {"telephone", "{d3}(-|.| ){d3}(-|.| ){d4}(-{digits})?", taco_rule_phone, NULL, false,
     "555.123.4567", "five five five one two three four five six seven"},
    {"telephone", "{d3}\\)_{d3}-{d4}(-{digits})?", taco_rule_phone, NULL, false,
     "(555) 123-4567", "five five five one two three four five six seven"},
    {"telephone", "{d3}-{d4}", taco_rule_phone, NULL, false, "555-1234",
     "five five five one two three four"},
    {"telephone", "{d3}-{d2}-{d4}", taco_rule_phone, NULL, false, "123-45-6789",
     "one two three four five six seven eight nine"},
    {"telephone", "{d4}( |-){d4}( |-){d4}( |-){d4}", taco_rule_card, NULL, false,
     "4111 1111 1111 1111",
     "four one one one one one one one one one one one one one one one"},
    {"telephone", "in {d4}", taco_rule_ending, NULL, true, "ending in 8876",
     "ending in eight eight seven six"},
    {"money", "(-)?{cur}_(-)?{amount}( {scale}|_{mag})?(\\+)?" PER, taco_rule_money, NULL,
     true, "-$5.3 billion", "minus five point three billion dollars"},
    {"money", "{cur}_{amount}({mag})?-({cur})?{amount}( {scale}|{mag})?" PER,
     taco_rule_money_range, NULL, true, "$5-$10", "five dollars to ten dollars"},
    {"money", "{amount}( {scale})?_{cur}" PER, taco_rule_money_after, NULL, false,
     "50 \xE2\x82\xAC", "fifty euros"},
    {"money", "{amount}( {scale}|{mag})? {code}" PER, taco_rule_money_code, NULL, false,
     "5 EUR", "five euros"},
    {"money", "{code} {amount}( {scale}|{mag})?" PER, taco_rule_code_money, NULL, true,
     "USD 20", "twenty dollars"},
    {"money", "{num}" CENT PER, taco_rule_cents, NULL, false, "5\xC2\xA2", "five cents"},
    {"money", "({cur}{int} )?{int}s. {int}d.", taco_rule_shillings, NULL, true,
     "\xC2\xA3"
     "5 3s. 6d.",
     "five pounds three shillings six pence"},
    {"date", "{d4}(-|/|.){dd}(-|/|.){dd}", taco_rule_date_iso, NULL, false, "2021-12-25",
     "december twenty fifth twenty twenty one"},
    {"date", "{d4}-{d2}-{d2}(t| ){d2}:{d2}(:{d2}(.{digits})?)?(z)?", taco_rule_date_stamp,
     NULL, false, "2024-03-15T14:30:00Z",
     "march fifteenth twenty twenty four fourteen thirty u t c"},
    {"date", "{dd}/{dd}/({d4}|{d2})", taco_rule_date_slashes, NULL, false, "12/25/2021",
     "december twenty fifth twenty twenty one"},
    {"date", "{dd}(.|-){dd}(.|-){d4}", taco_rule_date_slashes, NULL, false, "15.03.2024",
     "march fifteenth twenty twenty four"},
    {"date", "{dd}({th})?( of)?( |-){month}((,)?( |-){d4})?", taco_rule_day_month, NULL,
     false, "25 July 2012", "the twenty fifth of july twenty twelve"},
    {"date", "{month}( |-){dd}({th})?((,)? {d4})?", taco_rule_month_day, NULL, true,
     "Jan. 15 2020", "january fifteenth twenty twenty"},
    {"date", "{month} {dd}-{dd}", taco_rule_month_range, NULL, true, "July 4-6",
     "july fourth to sixth"},
    {"date", "{month}(,)? {d4}", taco_rule_month_year, NULL, true, "July 1876",
     "july eighteen seventy six"},
    {"date", "{weekday}-{weekday}", taco_rule_weekday_range, NULL, true, "Mon-Fri",
     "monday to friday"},
    {"date", "{weekday}&((,)? ({month}|{dd}))", taco_rule_weekday, NULL, true,
     "Tue, 5 March", "tuesday the fifth of march"},
    {"date", "{d}h({d2}| {d4})", taco_rule_half_year, NULL, false, "1H23",
     "the first half of twenty three"},
    {"date", "{int} (BC|BCE|AD|CE|B.C.|A.D.|B.C|A.D)", taco_rule_era, NULL, false,
     "44 BC", "forty four b c"},
    {"date", "(AD|A.D.) {int}", taco_rule_era, NULL, true, "AD 79", "a d seventy nine"},
    {"time", "{dd}:{d2}(:{d2})?(_{ampm})?(_{zone})?", taco_rule_clock, NULL, false,
     "9:30 p.m. EST", "nine thirty p m e s t"},
    {"time", "{dd}.{d2}_{ampm}(_{zone})?", taco_rule_clock_point, NULL, false, "1.30pm",
     "one thirty p m"},
    {"time", "{dd}_{ampm}(_{zone})?", taco_rule_clock_hour, NULL, false, "3pm EST",
     "three p m e s t"},
    {"time", "{dd}(:{d2})?(_{ampm})?_-_{dd}(:{d2})?(_{ampm})?(_{zone})?",
     taco_rule_clock_range, NULL, false, "9am-5pm", "nine a m to five p m"},
    {"time", "{dd}:{d}", taco_rule_score, NULL, false, "2:8", "two to eight"},
    {"ordinal", "{int}{th}(-{words})?", taco_rule_ordinal, NULL, false, "21st-century",
     "twenty first century"},
    {"decade", "{digits}(')?s", taco_rule_decade, NULL, false, "the 1950s",
     "the nineteen fifties"},
    {"decade", "{digits}s-{digits}s", taco_rule_decades, NULL, false, "1960s-1980s",
     "nineteen sixties to nineteen eighties"},
    {"fraction", "{int}/{int}({th})?", taco_rule_fraction, NULL, false, "3/4",
     "three quarters"},
    {"fraction", "{int} {int}/{int}(_%)?", taco_rule_mixed_fraction, NULL, false,
     "12 1/2%", "twelve and one half percent"},
    {"fraction", "{int}/{int}_{unit}", taco_rule_fraction_of, NULL, false, "1/2 kg",
     "one half kilogram"},
    {"measure", "{num}_%(/({unit}|{letters}))?", taco_rule_percent, NULL, false, ".5%",
     "point five percent"},
    {"measure", "{num}(%)?-{num}_%", taco_rule_percent_range, NULL, false, "5-10%",
     "five to ten percent"},
    {"measure", "{num}_" DEGREE "(_(C|F|K))?", taco_rule_degrees, NULL, false,
     "20\xC2\xB0"
     "C",
     "twenty degrees celsius"},
    {"measure", "{num}" DEGREE "(N|S|E|W)", taco_rule_degrees, NULL, false, "40\xC2\xB0N",
     "forty degrees north"},
    {"measure", "{num}(" DEGREE ")?-{num}_" DEGREE "(_(C|F|K))?", taco_rule_degrees_range,
     NULL, false,
     "40-60\xC2\xB0"
     "C",
     "forty to sixty degrees celsius"},
    {"measure", "{dd}'(-|_){dd}(\")?", taco_rule_feet_inches, NULL, false, "5'11\"",
     "five feet eleven inches"},
    {"measure", "({int} )?{int}/{int}\"", taco_rule_fraction_inches, NULL, false,
     "3 1/2\"", "three and one half inches"},
    {"measure", "{num}('|\")?_(-|x|" TIMES ")_{num}('|\")", taco_rule_marked_pair, NULL,
     false, "10'x12'", "ten feet by twelve feet"},
    {"measure", "{num}" DEGREE "_{dd}'(_{num}\")?(_(N|S|E|W))?", taco_rule_arc, NULL,
     false,
     "40\xC2\xB0"
     "26'46\" N",
     "forty degrees twenty six minutes forty six seconds north"},
    {"measure", "{letters}/({unit}|{letters})", taco_rule_count_per_unit, NULL, true,
     "100 miles/hr", "one hundred miles per hour"},
    {"measure", "{num} ft(.)? {num} in(.)?", taco_rule_feet_inches, NULL, false,
     "5 ft 3 in", "five feet three inches"},
    {"measure", "{num}'", taco_rule_feet, NULL, false, "6'", "six feet"},
    {"measure", "{num}\"", taco_rule_inches, NULL, false, "13\"", "thirteen inches"},
    {"measure", "{num}(-|_){unit}", taco_rule_measure, NULL, false, "2.5 kg",
     "two point five kilograms"},
    {"measure", "{num}_-_{num}_{unit}", taco_rule_measure_range, NULL, false, "5-10 km",
     "five to ten kilometers"},
    {"measure", "{num}_(x|" TIMES ")_{num}_{unit}", taco_rule_measure_product, NULL,
     false, "2x8 m2", "two by eight square meters"},
    {"measure", "{int}_(x|" TIMES ")_{int}(_(x|" TIMES ")_{int})?", taco_rule_resolution,
     NULL, false, "1920x1080", "nineteen twenty by one thousand eighty"},
    {"measure", "{num}/({unit}|{letters})", taco_rule_per_unit, NULL, false, "12/kg",
     "twelve per kilogram"},
    {"measure", "{dd}h_{dd}(min|m)(_{dd}s)?", taco_rule_duration, NULL, false, "2h 15m",
     "two hours fifteen minutes"},
    {"number", "(2|4|5|8)K", taco_rule_letters, NULL, false, "4K", "four k"},
    {"number", "{num}({mag})", taco_rule_magnitude, NULL, false, "10k", "ten thousand"},
    {"number", "{num}", taco_rule_integer, NULL, false, "-2.5", "minus two point five"},
    {"number", "{num}\\+", taco_rule_plus, NULL, false, "1,000+", "one thousand plus"},
    {"number", "{amount}-{words}", taco_rule_number_words, NULL, false, "10-year-old",
     "ten year old"},
    {"range", "{int}-{int}-{words}", taco_rule_range_words, NULL, false, "5-10-minute",
     "five to ten minute"},
    {"range", "{num}-{num}", taco_rule_range, NULL, false, "1990-95",
     "nineteen ninety to ninety five"},
    {"version", "(v)?{version}", taco_rule_version, NULL, true, "v2.0.1",
     "v two point zero point one"},
    {"plan", "{d3}\\({letters}\\)(\\({d}\\))?", taco_rule_plan, NULL, false, "401(k)",
     "four oh one k"},
    {"place", "{int} ({dir} )?({int}{th} |{Proper} ({Proper} )?({Proper} )?){street}",
     taco_rule_house, NULL, false, "1428 Elm St.", "fourteen twenty eight elm street"},
    {"place", "{state} {d5}(-{d4})?", taco_rule_state_zip, NULL, true, "CA 95051",
     "california nine five zero five one"},
    {"place", "{state}", taco_rule_state, NULL, true, "Santa Clara, CA",
     "santa clara california"},
    {"roman", "{letters}(.)?( |-){roman}", taco_rule_roman, NULL, true,
     "Henry VIII, Type II", "henry the eighth type two"},
    {"roman", "{roman}", taco_rule_roman_alone, NULL, true, "XVIII", "eighteen"},
    {"formula", "{op}", taco_rule_operator, NULL, true, "a != b", "a is not equal to b"},
    {"formula", "({num}|{v})^({num}|{v})", taco_rule_power, NULL, true, "10^-3",
     "ten to the power of minus three"},
    {"formula", "({num}|{v})(_{op}_({num}|{v}))*", taco_rule_equation, NULL, true,
     "7 - 2 = 5", "seven minus two equals five"},
    {"formula", "x {num}('|\"|_{unit})?", taco_rule_by, NULL, true, "6 ft x 4",
     "six feet by four"},
    {"formula", "\\* {num}(_{unit})?", taco_rule_by, NULL, false, "6 ft * 4",
     "six feet times four"},
    {"formula", "{element}({d})?(\\+|-)", taco_rule_ion, NULL, true, "Ca2+",
     "c a two plus"},
    {"joined", "{CAPS}&{CAPS}", taco_rule_ampersand, NULL, true, "AT&T", "a t and t"},
    {"joined", "{v}#", taco_rule_sharp, NULL, true, "C#", "c sharp"},
    {"joined", "c\\+\\+", NULL, "c plus plus", true, "C++", "c plus plus"},
    {"joined", "w/o", NULL, "without", true, "w/o", "without"},
    {"joined", "w/", NULL, "with", true, "w/", "with"},
    {"joined", "and/or", NULL, "and or", true, "and/or", "and or"},
    {"joined", "&c.", NULL, "et cetera", true, "&c.", "et cetera"},
};

enum { N_RULES = sizeof rules / sizeof *rules };

static struct taco_pattern patterns[N_RULES];
static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool compiled;

static void compile(void) {
    for (int i = 0; i < N_RULES; i++)
        if (!taco_pattern_compile(&patterns[i], rules[i].pattern))
            return;
    compiled = true;
}

bool taco_rule_at(uint32_t i, struct taco_rule_info *info) {
    if (i >= N_RULES)
        return false;
    *info = (struct taco_rule_info){rules[i].name, rules[i].pattern, rules[i].example,
                                    rules[i].spoken};
    return true;
}

/* A possessive 's behind a match belongs to it. */
static uint32_t with_possessive(const struct taco_reader *r, uint32_t end) {
    bool owned = r->window[end] == '\'' && taco_char_lower(r->window[end + 1]) == 's';
    return owned && r->ends_word[end + 2] ? end + 2 : end;
}

/* Where the match of rule i at `at` ends; 0 if it does not match up to a word's end. */
static uint32_t match_end(const struct taco_reader *r, int i, uint32_t at,
                          struct taco_match *m) {
    if (!taco_pattern_match(r, &patterns[i], at, m))
        return 0;
    uint32_t end = with_possessive(r, m->group[0].end);
    return r->ends_word[end] ? end : 0;
}

static bool run(struct taco_reader *r, const struct rule *rule,
                const struct taco_match *m) {
    uint32_t n = r->items->n;
    if (rule->run && !rule->run(r, m)) {
        r->items->n = n;
        return false;
    }
    if (!rule->run)
        taco_reader_words(r, rule->words, m->group[0]);
    uint32_t end = m->group[0].end;
    if (with_possessive(r, end) > end)
        taco_reader_words(r, "'s", (struct taco_part){end, end + 2});
    for (; n < r->items->n; n++)
        r->items->at[n].rule = rule->name;
    return true;
}

uint32_t taco_rules_apply(struct taco_reader *r, uint32_t at) {
    pthread_once(&once, compile);
    if (!compiled)
        return 0;
    uint32_t letters = at;
    while (taco_char_is_word(r->window[letters]))
        letters++;
    bool letter = letters > at;
    struct {
        int rule;
        uint32_t end;
    } found[N_RULES];
    int n = 0;
    struct taco_match m;
    for (int i = 0; i < N_RULES; i++) {
        if (letter && !rules[i].word)
            continue;
        uint32_t end = match_end(r, i, at, &m);
        if (!end)
            continue;
        int k = n++;
        for (; k > 0 && found[k - 1].end < end; k--)
            found[k] = found[k - 1];
        found[k].rule = i;
        found[k].end = end;
    }
    for (int k = 0; k < n; k++) {
        match_end(r, found[k].rule, at, &m);
        if (run(r, &rules[found[k].rule], &m))
            return found[k].end;
    }
    return 0;
}
