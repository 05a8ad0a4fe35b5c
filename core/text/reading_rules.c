/* Forms that are read otherwise than letter by letter and number by number.
 *
 * A rule is a POSIX extended regular expression that must match the window from its first
 * byte to the end of a word, and what then is read. Rules are tried in order, those alone
 * whose signs stand in the first word. */
#include "text/reading_match.h"

#include <pthread.h>
#include <regex.h>
#include <stdio.h>
#include <string.h>

/* What the first word must have for a rule to be tried. */
enum {
    DIGIT = 1,
    MONEY = 2,
    AT = 4,
    SLASH = 8,
    COLON = 16,
    DOT = 32,
    HYPHEN = 64,
    SIGN = 128, /* any other */
    LETTER = 256,
    /* Not what it has, but that the match must end with the first word. */
    LONE = 512
};

#define INT "([0-9][0-9,]*)"
#define SIGNED "([-+]?[0-9][0-9,]*)"
#define FRACTION "(\\.[0-9]+)?"
#define SCALE "( ((hundred |thousand )?[a-z]*(hundred|thousand|illion)))?"
#define HALF "([AaPp]\\.?[Mm]\\.?)"

static const struct rule {
    uint32_t needs;
    const char *pattern;
    const char *words; /* what is said, if run is NULL */
    taco_rule *run;
} rules[] = {
    {LONE | COLON | SLASH, "([A-Za-z][A-Za-z0-9+.-]*)://([^ ]+)", NULL, taco_rule_url},
    {LONE | AT | DOT, "[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+\\.[A-Za-z]+", NULL,
     taco_rule_address},
    {LONE | DOT | LETTER, "[Ww][Ww][Ww]\\.[^ ]+", NULL, taco_rule_address},
    {LONE | DOT | LETTER,
     "([A-Za-z0-9-]+\\.)+(com|org|net|edu|gov|io|uk|de|fr|info|eu|tv|dev|app|ca|au|jp|"
     "html|"
     "js|py|txt|pdf|exe|md|json|xml|csv|zip|png|jpg|gif|mp3|wav)(/[^ ]*)?",
     NULL, taco_rule_address},
    {MONEY,
     "(-)?([A-Z]{1,3})?(" TACO_SIGN_MONEY ") ?" INT "?" FRACTION "([kKmMbBT]n?)?" SCALE,
     NULL, taco_rule_money_before},
    {DIGIT, INT FRACTION " ?(" TACO_SIGN_MONEY ")()", NULL, taco_rule_money_after},
    {DIGIT, "([0-9]+)" TACO_SIGN_CENT, NULL, taco_rule_cents},
    {DIGIT | COLON, "([0-9]{1,2}):([0-9]{2})(:([0-9]{2}))?( ?" HALF ")?", NULL,
     taco_rule_clock_time},
    {DIGIT, "([0-9]{1,2}) ?" HALF, NULL, taco_rule_clock_hour},
    {DIGIT | SLASH, "([0-9]{1,2})/([0-9]{1,2})/([0-9]{4}|[0-9]{2})", NULL,
     taco_rule_date_slashes},
    {DIGIT | HYPHEN, "([0-9]{4})-([0-9]{2})-([0-9]{2})", NULL, taco_rule_date_iso},
    {DIGIT | SIGN, "\\+[0-9]{1,3}([ -][0-9]{2,4}){2,4}", NULL, taco_rule_phone},
    {DIGIT | HYPHEN, "(1-)?([0-9]{3}-)?[0-9]{3}-[0-9]{4}", NULL, taco_rule_phone},
    {DIGIT, "[0-9]{3}\\)? [0-9]{3}-[0-9]{4}", NULL, taco_rule_phone},
    {DIGIT | DOT, "[0-9]{3}\\.[0-9]{3}\\.[0-9]{4}", NULL, taco_rule_phone},
    {DIGIT | LETTER, INT "(st|nd|rd|th|ST|ND|RD|TH)", NULL, taco_rule_ordinal},
    {DIGIT | LETTER, "([0-9]*[0-9]0)'?s", NULL, taco_rule_decade},
    {DIGIT, SIGNED FRACTION " ?%", NULL, taco_rule_percent},
    {DIGIT, "([-+]?[0-9]+)" FRACTION " ?" TACO_SIGN_DEGREE " ?([CFK])?", NULL,
     taco_rule_degrees},
    {DIGIT, "([0-9])'([0-9]{1,2})", NULL, taco_rule_feet_inches},
    {DIGIT, SIGNED FRACTION " ?([A-Za-z][A-Za-z/]*)(\\^([23]))?", NULL,
     taco_rule_measure},
    {DIGIT | SLASH, "([0-9]{1,3})/([0-9]{1,3})", NULL, taco_rule_fraction},
    {DIGIT | DOT, "([vV])?([0-9]+(\\.[0-9]+){2,})", NULL, taco_rule_version},
    {DIGIT | DOT, "([-+]?)" INT "?\\.[0-9]+([eE][-+]?[0-9]+)?", NULL, taco_rule_decimal},
    {DIGIT | HYPHEN, INT "-" INT, NULL, taco_rule_range},
    {DIGIT | HYPHEN | LETTER, "([0-9]+)(-[A-Za-z-]+)", NULL, taco_rule_number_words},
    {DIGIT, "([-+]?)" INT, NULL, taco_rule_integer},
    {DIGIT | SIGN, "[0-9.]+([-+*/][0-9.]+)*=-?[0-9.]+", NULL, taco_rule_equation},
    {DIGIT, "([0-9]+)(x|" TACO_SIGN_TIMES "|\\*)([0-9]+)", NULL, taco_rule_times},
    {LETTER, "x ([0-9]+)", NULL, taco_rule_between_numbers},
    {SIGN, "\\* ([0-9]+)", NULL, taco_rule_between_numbers},
    {SIGN, "([A-Za-z]|[0-9]+)\\^([0-9]+)", NULL, taco_rule_power},
    {SIGN | LETTER, "([A-Z]{1,3})&([A-Z]{1,3})", NULL, taco_rule_ampersand},
    {SIGN | LETTER, "([CF])#", NULL, taco_rule_sharp},
    {SIGN | LETTER, "[Cc]\\+\\+", "c plus plus", NULL},
    {SLASH | LETTER, "[Ww]/[Oo]", "without", NULL},
    {SLASH | LETTER, "[Ww]/", "with", NULL},
    {SLASH | LETTER, "([Aa]nd)/([Oo]r)", NULL, taco_rule_slashed},
    {SLASH | LETTER, "km/h", "kilometers per hour", NULL},
};

enum { N_RULES = sizeof rules / sizeof *rules };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static regex_t compiled[N_RULES];
static int n_compiled; /* under the lock; those stay until the process ends */

static bool compile(void) {
    pthread_mutex_lock(&lock);
    while (n_compiled < N_RULES) {
        char pattern[256];
        snprintf(pattern, sizeof pattern, "^%s", rules[n_compiled].pattern);
        if (regcomp(&compiled[n_compiled], pattern, REG_EXTENDED) != 0)
            break;
        n_compiled++;
    }
    bool all = n_compiled == N_RULES;
    pthread_mutex_unlock(&lock);
    return all;
}

static uint32_t what_it_has(const struct taco_reader *r) {
    uint32_t has = 0;
    for (uint32_t i = 0; i < r->length && !(i > 0 && r->ends_word[i]); i++) {
        char c = r->window[i];
        if (c >= '0' && c <= '9')
            has |= DIGIT;
        else if ((c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'))
            has |= LETTER;
        else if (c == TACO_SIGN_MONEY[0])
            has |= MONEY;
        else
            has |= c == '@'   ? AT
                   : c == '/' ? SLASH
                   : c == ':' ? COLON
                   : c == '.' ? DOT
                   : c == '-' ? HYPHEN
                              : SIGN;
    }
    return has;
}

/* Matches a rule from the window's beginning to the end of a word: the longest match, or
 * a shorter one if that does not end with a word. */
static bool fits(struct taco_reader *r, int rule, struct taco_match *m) {
    uint32_t length = r->length;
    if (rules[rule].needs & LONE)
        for (length = 1; !r->ends_word[length] && length < r->length;)
            length++;
    for (;;) {
        regmatch_t found[TACO_MATCH_GROUPS];
        char cut = r->window[length];
        r->window[length] = '\0';
        int no = regexec(&compiled[rule], r->window, TACO_MATCH_GROUPS, found, 0);
        r->window[length] = cut;
        if (no)
            return false;
        uint32_t end = (uint32_t)found[0].rm_eo;
        if (end > 0 && r->ends_word[end]) {
            for (int i = 0; i < TACO_MATCH_GROUPS; i++)
                m->group[i] = found[i].rm_so < 0
                                  ? (struct taco_part){0, 0}
                                  : (struct taco_part){(uint32_t)found[i].rm_so,
                                                       (uint32_t)found[i].rm_eo};
            return true;
        }
        if (end == 0)
            return false;
        do
            end--;
        while (end > 0 && !r->ends_word[end]);
        if (end == 0)
            return false;
        length = end;
    }
}

uint32_t taco_rules_apply(struct taco_reader *reader) {
    uint32_t what = what_it_has(reader);
    if (what == LETTER && (reader->window[0] != 'x' || reader->window[1] != ' '))
        return 0; /* a plain word: by far the most */
    for (int i = 0; i < N_RULES; i++) {
        struct taco_match m;
        if (rules[i].needs & ~(what | LONE))
            continue;
        if (!compile()) {
            reader->no_memory = true;
            return 0;
        }
        if (!fits(reader, i, &m))
            continue;
        uint32_t before = reader->items->n;
        if (rules[i].run ? !rules[i].run(reader, &m) : false) {
            reader->items->n = before;
            continue;
        }
        if (!rules[i].run)
            taco_reader_words(reader, rules[i].words, m.group[0]);
        return reader->token_of[m.group[0].end - 1] - reader->token + 1;
    }
    return 0;
}
