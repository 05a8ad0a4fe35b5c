/* Money: currencies by sign and by code, scales, old money. */
#include "text/reading_match.h"

#include <string.h>

static const struct taco_currency currencies[] = {
    {'$', "USD", "dollar", "dollars", "cent", "cents"},
    {0x00A3, "GBP", "pound", "pounds", "penny", "pence"},
    {0x00A4, NULL, "currency unit", "currency units", NULL, NULL},
    {0x00A5, "JPY", "yen", "yen", NULL, NULL},
    {0x058F, "AMD", "dram", "drams", NULL, NULL},
    {0x0E3F, "THB", "baht", "baht", NULL, NULL},
    {0x20A1, "CRC", "colon", "colones", NULL, NULL},
    {0x20A6, "NGN", "naira", "naira", "kobo", "kobo"},
    {0x20A8, "PKR", "rupee", "rupees", "paisa", "paise"},
    {0x20A9, "KRW", "won", "won", NULL, NULL},
    {0x20AA, "ILS", "shekel", "shekels", "agora", "agorot"},
    {0x20AB, "VND", "dong", "dong", NULL, NULL},
    {0x20AC, "EUR", "euro", "euros", "cent", "cents"},
    {0x20AD, "LAK", "kip", "kip", NULL, NULL},
    {0x20AE, "MNT", "tugrik", "tugriks", NULL, NULL},
    {0x20B1, "PHP", "peso", "pesos", "centavo", "centavos"},
    {0x20B2, "PYG", "guarani", "guaranis", NULL, NULL},
    {0x20B4, "UAH", "hryvnia", "hryvnias", "kopiyka", "kopiykas"},
    {0x20B5, "GHS", "cedi", "cedis", "pesewa", "pesewas"},
    {0x20B8, "KZT", "tenge", "tenge", NULL, NULL},
    {0x20B9, "INR", "rupee", "rupees", "paisa", "paise"},
    {0x20BA, "TRY", "lira", "lira", "kurus", "kurus"},
    {0x20BC, "AZN", "manat", "manats", NULL, NULL},
    {0x20BD, "RUB", "ruble", "rubles", "kopeck", "kopecks"},
    {0x20BE, "GEL", "lari", "lari", "tetri", "tetri"},
    {0x20BF, "BTC", "bitcoin", "bitcoins", NULL, NULL},
    {0, "AED", "dirham", "dirhams", NULL, NULL},
    {0, "ARS", "Argentine peso", "Argentine pesos", NULL, NULL},
    {0, "AUD", "Australian dollar", "Australian dollars", "cent", "cents"},
    {0, "BGN", "lev", "levs", NULL, NULL},
    {0, "BRL", "Brazilian real", "Brazilian reals", NULL, NULL},
    {0, "CAD", "Canadian dollar", "Canadian dollars", "cent", "cents"},
    {0, "CHF", "Swiss franc", "Swiss francs", "centime", "centimes"},
    {0, "CLP", "Chilean peso", "Chilean pesos", NULL, NULL},
    {0, "CNY", "yuan", "yuan", NULL, NULL},
    {0, "COP", "Colombian peso", "Colombian pesos", NULL, NULL},
    {0, "CZK", "Czech crown", "Czech crowns", NULL, NULL},
    {0, "DKK", "Danish crown", "Danish crowns", NULL, NULL},
    {0, "EGP", "Egyptian pound", "Egyptian pounds", NULL, NULL},
    {0, "HKD", "Hong Kong dollar", "Hong Kong dollars", "cent", "cents"},
    {0, "HUF", "forint", "forints", NULL, NULL},
    {0, "IDR", "rupiah", "rupiah", NULL, NULL},
    {0, "MXN", "Mexican peso", "Mexican pesos", "centavo", "centavos"},
    {0, "MYR", "ringgit", "ringgit", NULL, NULL},
    {0, "NOK", "Norwegian crown", "Norwegian crowns", NULL, NULL},
    {0, "NZD", "New Zealand dollar", "New Zealand dollars", "cent", "cents"},
    {0, "PLN", "zloty", "zlotys", NULL, NULL},
    {0, "RMB", "yuan", "yuan", NULL, NULL},
    {0, "RON", "Romanian leu", "Romanian lei", NULL, NULL},
    {0, "SAR", "riyal", "riyals", NULL, NULL},
    {0, "SEK", "Swedish crown", "Swedish crowns", NULL, NULL},
    {0, "SGD", "Singapore dollar", "Singapore dollars", "cent", "cents"},
    {0, "TWD", "Taiwan dollar", "Taiwan dollars", "cent", "cents"},
    {0, "ZAR", "rand", "rand", NULL, NULL},
};

enum { N_CURRENCIES = sizeof currencies / sizeof *currencies };

const struct taco_currency *taco_currency_of_sign(uint32_t cp) {
    for (size_t i = 0; i < N_CURRENCIES && cp; i++)
        if (currencies[i].cp == cp)
            return &currencies[i];
    return NULL;
}

const struct taco_currency *taco_currency_of_code(const struct taco_reader *r,
                                                  struct taco_part part) {
    for (size_t i = 0; i < N_CURRENCIES; i++)
        if (currencies[i].code && taco_part_is(r, part, currencies[i].code))
            return &currencies[i];
    return NULL;
}

uint32_t taco_currency_code_end(const struct taco_reader *r, uint32_t at) {
    for (uint32_t i = at; i < at + 3; i++)
        if (!taco_char_is_upper(r->window[i]))
            return at;
    return !taco_char_is_letter(r->window[at + 3]) &&
                   taco_currency_of_code(r, (struct taco_part){at, at + 3})
               ? at + 3
               : at;
}

/* hundred, hundred thousand, million, trillion */
uint32_t taco_scale_end(const struct taco_reader *r, uint32_t at) {
    static const char *const scales[] = {
        "hundred",     "thousand",   "million", "billion", "trillion", "quadrillion",
        "quintillion", "sextillion", "crore",   "lakh",    NULL};
    uint32_t end = at;
    for (uint32_t i = at;; i = end + 1) {
        uint32_t stop = taco_reader_run(r, i, r->length, taco_char_is_letter);
        const char *const *s = scales;
        while (*s && !taco_part_is(r, (struct taco_part){i, stop}, *s))
            s++;
        if (!*s)
            break;
        end = stop;
        if (r->window[end] != ' ')
            break;
    }
    return end;
}

uint32_t taco_magnitude_end(const struct taco_reader *r, uint32_t at,
                            const char **spoken) {
    static const struct {
        const char *text, *spoken;
    } scales[] = {
        {"k", "thousand"}, {"K", "thousand"}, {"m", "million"},   {"M", "million"},
        {"mn", "million"}, {"mm", "million"}, {"MM", "million"},  {"mln", "million"},
        {"b", "billion"},  {"B", "billion"},  {"bn", "billion"},  {"bln", "billion"},
        {"Bn", "billion"}, {"t", "trillion"}, {"tn", "trillion"}, {"T", "trillion"}};
    uint32_t end = taco_reader_run(r, at, r->length, taco_char_is_letter);
    for (size_t i = 0; i < sizeof scales / sizeof *scales; i++)
        if (taco_part_is(r, (struct taco_part){at, end}, scales[i].text)) {
            if (spoken)
                *spoken = scales[i].spoken;
            return end;
        }
    return at;
}

static const struct taco_currency *currency_at(const struct taco_reader *r,
                                               struct taco_part sign) {
    return taco_currency_of_sign(r->code_points->at[r->code_point[sign.end - 1]].cp);
}

/* -- amounts --------------------------------------------------------------------- */

struct sum {
    const struct taco_currency *currency;
    struct taco_part land;   /* US of US$, or empty */
    struct taco_part amount; /* 12.50 */
    struct taco_part scale;  /* million, or bn, or empty */
    struct taco_part last;   /* the name of the currency belongs to it */
    bool one;                /* the name is singular: a $5 bill */
};

static bool has(struct taco_part part) {
    return part.end > part.begin;
}

/* The cents of an amount: digits behind its point, as hundredths. False if there are none,
 * or more than two that count. */
static bool cents_of(const struct taco_reader *r, struct taco_part amount,
                     uint32_t *cents, struct taco_part *whole) {
    const char *point = memchr(r->window + amount.begin, '.', amount.end - amount.begin);
    if (!point)
        return false;
    uint32_t at = (uint32_t)(point - r->window);
    uint32_t n = amount.end - at - 1, end = amount.end;
    for (; n > 2 && r->window[end - 1] == '0'; n--)
        end--;
    if (n > 2)
        return false;
    *whole = (struct taco_part){amount.begin, at};
    *cents = taco_part_number(r, (struct taco_part){at + 1, end}) * (n == 1 ? 10 : 1);
    return true;
}

static void read_cents(struct taco_reader *r, uint32_t cents, struct taco_part part) {
    char text[4] = {(char)('0' + cents / 10), (char)('0' + cents % 10), '\0', '\0'};
    const char *digits = cents < 10 ? text + 1 : text;
    taco_reader_add(r, digits, strlen(digits), TACO_READ_NUMBER, part);
}

static void read_sum(struct taco_reader *r, const struct sum *sum) {
    const struct taco_currency *c = sum->currency;
    struct taco_part whole = sum->amount;
    uint32_t cents = 0;
    bool split = !has(sum->scale) && c->cent && cents_of(r, sum->amount, &cents, &whole);
    bool any = !split || !cents || taco_part_number(r, whole) > 0;
    if (any && has(whole))
        taco_reader_number(r, whole);
    else if (any)
        taco_reader_words(r, "zero", sum->amount);
    const char *spoken = NULL;
    if (has(sum->scale) &&
        taco_magnitude_end(r, sum->scale.begin, &spoken) == sum->scale.end)
        taco_reader_words(r, spoken, sum->scale);
    else if (has(sum->scale))
        taco_reader_mixed(r, sum->scale);
    if (any) {
        if (has(sum->land))
            taco_reader_part(r, TACO_READ_LETTERS, sum->land);
        bool one = sum->one || (!has(sum->scale) && taco_part_is_one(r, whole));
        taco_reader_words(r, one ? c->one : c->many, sum->last);
    }
    if (cents) {
        read_cents(r, cents, sum->amount);
        taco_reader_words(r, cents == 1 || sum->one ? c->cent : c->cents, sum->amount);
    }
}

static struct taco_part land_of(struct taco_part sign) {
    return (struct taco_part){sign.begin, sign.end - 1};
}

static void read_minus(struct taco_reader *r, struct taco_part all) {
    for (uint32_t i = all.begin; i < all.end && !taco_char_is_digit(r->window[i]); i++)
        if (r->window[i] == '-')
            taco_reader_words(r, "minus", (struct taco_part){i, i + 1});
}

/* What a sum is per, if it is no unit of measure: mth, pc. */
static const char *per_word(const struct taco_reader *r, struct taco_part part) {
    static const char *const words[][2] = {
        {"ea", "each"},   {"mth", "month"}, {"mnth", "month"},    {"pc", "piece"},
        {"pcs", "piece"}, {"pp", "person"}, {"qtr", "quarter"},   {"doz", "dozen"},
        {"ann", "year"},  {"pa", "year"},   {"sf", "square foot"}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (taco_part_is(r, part, words[i][0]))
            return words[i][1];
    return NULL;
}

static bool is_per_char(char c) {
    return c && c != '/' && c != ' ';
}

/* $12/1000, $2/1K: what costs it is a round number. */
static bool is_round(const struct taco_reader *r, struct taco_part part) {
    uint32_t digits = taco_reader_run(r, part.begin, part.end, taco_char_is_digit);
    uint32_t value = taco_part_number(r, part);
    return digits < part.end || (value > 0 && value % 100 == 0);
}

/* One slash and what stands behind it. */
static void read_per(struct taco_reader *r, uint32_t slash, struct taco_part what) {
    const char *word = per_word(r, what);
    bool number = taco_char_is_digit(r->window[what.begin]);
    struct taco_part sign = {slash, slash + 1};
    if (number && !is_round(r, what))
        taco_reader_words(r, "slash", sign);
    else if (!word || strcmp(word, "each") != 0)
        taco_reader_words(r, "per", sign);
    if (word)
        taco_reader_words(r, word, what);
    else if (taco_unit_end(r, what.begin) == what.end)
        taco_read_unit(r, what, true);
    else
        taco_reader_piece(r, what);
}

/* What stands behind a sum: $20/mo, $5/user/year, $1,000+. From i to the end of the match. */
static void read_tail(struct taco_reader *r, uint32_t i, uint32_t end) {
    if (i < end && r->window[i] == '+') {
        taco_reader_words(r, "plus", (struct taco_part){i, i + 1});
        i++;
    }
    while (i < end) {
        uint32_t stop = taco_unit_end(r, i + 1);
        if (stop == i + 1)
            stop = taco_reader_run(r, i + 1, end, is_per_char);
        read_per(r, i, (struct taco_part){i + 1, stop});
        i = stop;
    }
}

/* The end of the last of groups 1 to n. */
static uint32_t last_end(const struct taco_match *m, int n) {
    uint32_t end = 0;
    for (int i = 1; i <= n; i++)
        if (m->group[i].end > end)
            end = m->group[i].end;
    return end;
}

/* 1 sign, 2 amount, 3 scale, 4 letters of a scale, 5 what it is per */
bool taco_rule_money(struct taco_reader *r, const struct taco_match *m) {
    struct sum sum = {.currency = currency_at(r, m->group[1]),
                      .land = land_of(m->group[1]),
                      .amount = m->group[2],
                      .scale = taco_match_has(m, 3) ? m->group[3] : m->group[4],
                      .one = taco_reader_attributive(r, m->group[0].end)};
    if (!sum.currency)
        return false;
    sum.last = has(sum.scale) ? sum.scale : sum.amount;
    read_minus(r, m->group[0]);
    read_sum(r, &sum);
    read_tail(r, last_end(m, 4), m->group[0].end);
    return true;
}

/* $5-$10, $10-20 million; 1 sign, 2 amount, 3 its scale, 4 sign, 5 amount, 6 scale, 7
 * letters */
bool taco_rule_money_range(struct taco_reader *r, const struct taco_match *m) {
    struct sum from = {.currency = currency_at(r, m->group[1]),
                       .land = land_of(m->group[1]),
                       .amount = m->group[2],
                       .scale = m->group[3],
                       .last = taco_match_has(m, 3) ? m->group[3] : m->group[2]};
    struct taco_part scale = taco_match_has(m, 6) ? m->group[6] : m->group[7];
    struct sum to = {.currency = from.currency,
                     .amount = m->group[5],
                     .scale = scale,
                     .last = has(scale) ? scale : m->group[5],
                     .one = taco_reader_attributive(r, m->group[0].end)};
    from.one = to.one;
    if (!from.currency)
        return false;
    if (taco_match_has(m, 4) && !(to.currency = currency_at(r, m->group[4])))
        return false;
    if (taco_match_has(m, 4))
        read_sum(r, &from);
    else
        taco_reader_number(r, from.amount);
    taco_reader_words(r, "to", (struct taco_part){from.last.end, from.last.end + 1});
    read_sum(r, &to);
    read_tail(r, last_end(m, 7), m->group[0].end);
    return true;
}

/* 50 €, 20€; 1 amount, 2 scale, 3 sign */
bool taco_rule_money_after(struct taco_reader *r, const struct taco_match *m) {
    struct sum sum = {.currency = currency_at(r, m->group[3]),
                      .amount = m->group[1],
                      .scale = m->group[2],
                      .last = m->group[3],
                      .one = taco_reader_attributive(r, m->group[0].end)};
    if (!sum.currency)
        return false;
    read_sum(r, &sum);
    read_tail(r, last_end(m, 3), m->group[0].end);
    return true;
}

/* 5 EUR, 1.5 million USD; 1 amount, 2 scale, 3 letters of a scale, 4 code */
bool taco_rule_money_code(struct taco_reader *r, const struct taco_match *m) {
    struct sum sum = {.currency = taco_currency_of_code(r, m->group[4]),
                      .amount = m->group[1],
                      .scale = taco_match_has(m, 2) ? m->group[2] : m->group[3],
                      .last = m->group[4],
                      .one = taco_reader_attributive(r, m->group[0].end)};
    read_sum(r, &sum);
    read_tail(r, last_end(m, 4), m->group[0].end);
    return true;
}

/* USD 20, EUR 1.5 million; 1 code, 2 amount, 3 scale, 4 letters of a scale */
bool taco_rule_code_money(struct taco_reader *r, const struct taco_match *m) {
    struct sum sum = {.currency = taco_currency_of_code(r, m->group[1]),
                      .amount = m->group[2],
                      .scale = taco_match_has(m, 3) ? m->group[3] : m->group[4]};
    sum.last = has(sum.scale) ? sum.scale : sum.amount;
    sum.one = taco_reader_attributive(r, m->group[0].end);
    read_sum(r, &sum);
    read_tail(r, last_end(m, 4), m->group[0].end);
    return true;
}

/* 5¢ */
bool taco_rule_cents(struct taco_reader *r, const struct taco_match *m) {
    taco_reader_number(r, m->group[1]);
    bool one =
        taco_part_is_one(r, m->group[1]) || taco_reader_attributive(r, m->group[0].end);
    taco_reader_words(r, one ? "cent" : "cents", m->group[1]);
    read_tail(r, m->group[1].end + 1, m->group[0].end);
    return true;
}

/* £5 3s. 6d., 3s. 6d.; 1 sign, 2 pounds, 3 shillings, 4 pence */
bool taco_rule_shillings(struct taco_reader *r, const struct taco_match *m) {
    static const char *const names[][2] = {
        {"pound", "pounds"}, {"shilling", "shillings"}, {"penny", "pence"}};
    for (int i = 0; i < 3; i++) {
        struct taco_part n = m->group[i + 2];
        if (!has(n))
            continue;
        taco_reader_number(r, n);
        taco_reader_words(r, names[i][!taco_part_is_one(r, n)], n);
    }
    return true;
}
