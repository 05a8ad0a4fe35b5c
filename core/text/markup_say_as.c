#include "text/markup_say_as.h"

#include <stdio.h>
#include <string.h>

#include "text/reading_terms.h"

struct content {
    const char *s;
    size_t n;
    const char *format; /* or NULL */
    bool english;
};

/* Each writes the content to out. False: it has no such form, and out is as before, or memory is
 * exhausted, which shows in *ok. */
typedef bool say(struct taco_string *out, const struct content *content, bool *ok);

static void add(struct taco_string *out, const char *text, size_t n, bool *ok) {
    *ok = *ok && taco_string_add(out, text, n);
}

static void add_word(struct taco_string *out, const char *word, bool *ok) {
    if (out->n && out->bytes[out->n - 1] != ' ')
        add(out, " ", 1, ok);
    add(out, word, strlen(word), ok);
}

/* What the grammar reads best as it stands. */
static bool as_it_stands(struct taco_string *out, const struct content *content,
                         bool *ok) {
    add(out, content->s, content->n, ok);
    return true;
}

/* -- characters ---------------------------------------------------------------------- */

static const char *name_of_sign(char c) {
    static const struct {
        char sign;
        const char *name;
    } signs[] = {
        {'!', "exclamation mark"},
        {'"', "quote"},
        {'#', "hash"},
        {'$', "dollar"},
        {'%', "percent"},
        {'&', "and"},
        {'\'', "apostrophe"},
        {'(', "left paren"},
        {')', "right paren"},
        {'*', "star"},
        {'+', "plus"},
        {',', "comma"},
        {'-', "dash"},
        {'.', "dot"},
        {'/', "slash"},
        {':', "colon"},
        {';', "semicolon"},
        {'<', "less than"},
        {'=', "equals"},
        {'>', "greater than"},
        {'?', "question mark"},
        {'@', "at"},
        {'[', "left bracket"},
        {'\\', "backslash"},
        {']', "right bracket"},
        {'^', "caret"},
        {'_', "underscore"},
        {'`', "backquote"},
        {'{', "left brace"},
        {'|', "bar"},
        {'}', "right brace"},
        {'~', "tilde"},
    };
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (signs[i].sign == c)
            return signs[i].name;
    return NULL;
}

/* One by one. A stop between letters makes their names of them: "A.B.C 1 2". */
static bool characters(struct taco_string *out, const struct content *content, bool *ok) {
    char before = ' ';
    for (size_t i = 0; i < content->n && *ok; i++) {
        char c = content->s[i];
        const char *name = content->english ? name_of_sign(c) : NULL;
        if (taco_char_is_white(c)) {
            before = ' ';
            continue;
        }
        if (name) {
            add_word(out, name, ok);
        } else if (c & 0x80) {
            if (!(before & 0x80) && !taco_char_is_letter(before))
                add_word(out, "", ok);
            add(out, &c, 1, ok);
        } else {
            char upper = (char)(taco_char_is_letter(c) ? c & ~32 : c);
            if (taco_char_is_letter(c) && taco_char_is_letter(before))
                add(out, ".", 1, ok);
            else if (!(before & 0x80))
                add_word(out, "", ok);
            add(out, &upper, 1, ok);
        }
        before = c;
    }
    return true;
}

static bool digits(struct taco_string *out, const struct content *content, bool *ok) {
    for (size_t i = 0; i < content->n; i++) {
        if (taco_char_is_digit(content->s[i]) && i > 0 &&
            taco_char_is_digit(content->s[i - 1]))
            add(out, " ", 1, ok);
        add(out, &content->s[i], 1, ok);
    }
    return true;
}

/* Digit by digit, a comma between the groups. */
static bool telephone(struct taco_string *out, const struct content *content, bool *ok) {
    bool gap = false;
    for (size_t i = 0; i < content->n; i++) {
        char c = content->s[i];
        if (c == '+') {
            add_word(out, content->english ? "plus" : "+", ok);
            gap = false;
        } else if (taco_char_is_digit(c)) {
            if (gap && out->n)
                add(out, ",", 1, ok);
            char digit[2] = {c, '\0'};
            add_word(out, digit, ok);
            gap = false;
        } else if (taco_char_is_letter(c)) {
            bool begins = i == 0 || !taco_char_is_letter(content->s[i - 1]);
            if (begins)
                add_word(out, "", ok);
            add(out, &c, 1, ok);
            gap = false;
        } else {
            gap = true;
        }
    }
    return out->n > 0;
}

/* -- numbers ------------------------------------------------------------------------- */

/* Digits [n] with a comma between each three, so that they are a number and no year, and
 * without noughts before it. */
static void add_grouped(struct taco_string *out, const char *s, size_t n, bool *ok) {
    while (n > 1 && *s == '0') {
        s++;
        n--;
    }
    for (size_t i = 0; i < n; i++) {
        if (i > 0 && (n - i) % 3 == 0)
            add(out, ",", 1, ok);
        add(out, s + i, 1, ok);
    }
}

/* A number: "-1984.50", "1,984", "XII"; *rest is what follows its whole part. */
static bool number(struct taco_string *out, const struct content *content, bool *ok,
                   size_t *rest) {
    char plain[64];
    size_t n = 0, i = 0;
    char sign = content->n && (content->s[0] == '-' || content->s[0] == '+')
                    ? content->s[0]
                    : '\0';
    unsigned value = taco_roman_value(content->s, content->n);
    if (value) {
        n = (size_t)snprintf(plain, sizeof plain, "%u", value);
        i = content->n;
    }
    for (i += sign != '\0'; !value && i < content->n; i++) {
        char c = content->s[i];
        if (taco_char_is_digit(c) && n < sizeof plain)
            plain[n++] = c;
        else if (!(c == ',' && n && i + 1 < content->n &&
                   taco_char_is_digit(content->s[i + 1])))
            break;
    }
    *rest = i;
    if (n == 0 || n == sizeof plain)
        return false;
    if (sign == '-')
        add(out, "-", 1, ok);
    add_grouped(out, plain, n, ok);
    return true;
}

static bool cardinal(struct taco_string *out, const struct content *content, bool *ok) {
    size_t rest;
    if (!content->english || !number(out, content, ok, &rest))
        return false;
    bool decimals = rest < content->n && content->s[rest] == '.';
    for (size_t i = rest + decimals; i < content->n; i++)
        decimals = decimals && taco_char_is_digit(content->s[i]);
    if (rest < content->n && !decimals) {
        taco_string_clear(out);
        return false;
    }
    add(out, content->s + rest, content->n - rest, ok);
    return true;
}

static bool ordinal(struct taco_string *out, const struct content *content, bool *ok) {
    size_t rest;
    if (!content->english || !number(out, content, ok, &rest))
        return false;
    if (rest < content->n) { /* "21st" has its ending */
        taco_string_clear(out);
        return as_it_stands(out, content, ok);
    }
    const char *last = out->bytes + out->n - 1;
    bool teen = out->n > 1 && last[-1] == '1';
    const char *ending = taco_ordinal_ending((teen ? 10 : 0) + (unsigned)(*last - '0'));
    add(out, ending, 2, ok);
    return true;
}

/* "3/4", "1+1/2", "1 1/2". */
static bool fraction(struct taco_string *out, const struct content *content, bool *ok) {
    size_t slashes = 0;
    for (size_t i = 0; i < content->n; i++) {
        char c = content->s[i];
        slashes += c == '/';
        if (!taco_char_is_digit(c) && c != '/' && c != '+' && c != ' ')
            return false;
    }
    for (size_t i = 0; i < content->n && slashes == 1; i++)
        add(out, content->s[i] == '+' ? " " : &content->s[i], 1, ok);
    return slashes == 1;
}

/* -- dates and times ----------------------------------------------------------------- */

/* Three numbers at most, between what is no digit; returns how many, 0 for anything else. */
static int read_numbers(const struct content *content, unsigned values[3],
                        int widths[3]) {
    int n = 0;
    for (size_t i = 0; i < content->n;) {
        if (!taco_char_is_digit(content->s[i])) {
            if (!strchr("-/. ", content->s[i]) || !content->s[i])
                return 0;
            i++;
            continue;
        }
        if (n == 3)
            return 0;
        values[n] = 0;
        widths[n] = 0;
        for (; i < content->n && taco_char_is_digit(content->s[i]); i++) {
            if (++widths[n] > 8)
                return 0;
            values[n] = values[n] * 10 + (unsigned)(content->s[i] - '0');
        }
        n++;
    }
    return n;
}

static const char *name_of_month(unsigned month) {
    static const char *const names[] = {"January",   "February", "March",    "April",
                                        "May",       "June",     "July",     "August",
                                        "September", "October",  "November", "December"};
    return month >= 1 && month <= 12 ? names[month - 1] : NULL;
}

/* "20241205" is three numbers by its format. */
static int split_numbers(const char *format, unsigned values[3], int widths[3]) {
    unsigned all = values[0];
    if (widths[0] != 8 || strlen(format) != 3)
        return 1;
    bool year_first = format[0] == 'y';
    values[0] = year_first ? all / 10000 : all / 1000000;
    values[1] = year_first ? all / 100 % 100 : all / 10000 % 100;
    values[2] = year_first ? all % 100 : all % 10000;
    widths[0] = widths[1] = widths[2] = 2;
    widths[year_first ? 0 : 2] = 4;
    return 3;
}

static bool date(struct taco_string *out, const struct content *content, bool *ok) {
    static const char *const formats[] = {"mdy", "dmy", "ymd", "md", "dm",
                                          "ym",  "my",  "d",   "m",  "y"};
    unsigned values[3], day = 0, year = 0;
    int widths[3], n = read_numbers(content, values, widths);
    const char *format = content->format, *month = NULL;
    if (format && strcmp(format, "yyyymmdd") == 0)
        format = "ymd";
    if (!format && n == 1 && widths[0] == 8)
        format = "ymd";
    if (!format)
        return as_it_stands(out, content, ok);
    bool known = false;
    for (size_t i = 0; format && i < sizeof formats / sizeof *formats; i++)
        known = known || strcmp(format, formats[i]) == 0;
    if (!known || !content->english)
        return false;
    if (n == 1)
        n = split_numbers(format, values, widths);
    if (n != (int)strlen(format))
        return false;
    for (int i = 0; i < n; i++) {
        if (format[i] == 'd')
            day = values[i];
        else if (format[i] == 'm')
            month = name_of_month(values[i]);
        else
            year =
                widths[i] <= 2 ? values[i] + (values[i] < 70 ? 2000 : 1900) : values[i];
    }
    bool has_day = strchr(format, 'd'), has_month = strchr(format, 'm');
    if ((has_month && !month) || (has_day && (day < 1 || day > 31)))
        return false;
    char text[64];
    int size;
    if (has_day && has_month && strchr(format, 'd') < strchr(format, 'm'))
        size = snprintf(text, sizeof text, "%u %s", day, month);
    else if (has_day && has_month)
        size = snprintf(text, sizeof text, "%s %u", month, day);
    else if (has_day)
        size = snprintf(text, sizeof text, "%u%s", day, taco_ordinal_ending(day));
    else
        size = snprintf(text, sizeof text, "%s", month ? month : "");
    add(out, text, (size_t)size, ok);
    if (strchr(format, 'y')) {
        size = snprintf(text, sizeof text, "%s%u",
                        !out->n                                      ? ""
                        : taco_char_is_digit(out->bytes[out->n - 1]) ? ", "
                                                                     : " ",
                        year);
        add(out, text, (size_t)size, ok);
    }
    return true;
}

/* 1'21": a duration; other times are read as they stand. */
static bool time_of_day(struct taco_string *out, const struct content *content,
                        bool *ok) {
    unsigned minutes = 0, seconds = 0;
    size_t i = 0, first;
    while (i < content->n && taco_char_is_digit(content->s[i]) && i < 4)
        minutes = minutes * 10 + (unsigned)(content->s[i++] - '0');
    if (!content->english || i == 0 || i == content->n || content->s[i++] != '\'')
        return as_it_stands(out, content, ok);
    for (first = i; i < content->n && taco_char_is_digit(content->s[i]) && i - first < 4;
         i++)
        seconds = seconds * 10 + (unsigned)(content->s[i] - '0');
    bool has_seconds = i > first;
    if (i < content->n && !(has_seconds && i + 1 == content->n && content->s[i] == '"'))
        return as_it_stands(out, content, ok);
    char text[64];
    int n = snprintf(text, sizeof text, "%u minute%s", minutes, minutes == 1 ? "" : "s");
    add(out, text, (size_t)n, ok);
    n = snprintf(text, sizeof text, " %u second%s", seconds, seconds == 1 ? "" : "s");
    if (has_seconds)
        add(out, text, (size_t)n, ok);
    return true;
}

static bool expletive(struct taco_string *out, const struct content *content, bool *ok) {
    add(out, content->english ? "bleep" : "", content->english ? 5 : 0, ok);
    return true;
}

enum taco_say_as_outcome taco_say_as(struct taco_string *out, const char *as,
                                     const char *format, bool english, const char *text,
                                     size_t n) {
    static const struct {
        const char *name;
        say *say;
    } kinds[] = {
        {"characters", characters},
        {"spell-out", characters},
        {"verbatim", characters},
        {"letters", characters},
        {"digits", digits},
        {"cardinal", cardinal},
        {"number", cardinal},
        {"ordinal", ordinal},
        {"fraction", fraction},
        {"unit", as_it_stands},
        {"measure", as_it_stands},
        {"currency", as_it_stands},
        {"date", date},
        {"time", time_of_day},
        {"telephone", telephone},
        {"expletive", expletive},
        {"bleep", expletive},
    };
    while (n && taco_char_is_white(*text)) {
        text++;
        n--;
    }
    while (n && taco_char_is_white(text[n - 1]))
        n--;
    const struct content content = {text, n, format, english};
    bool ok = true, said = false;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds && !said; i++)
        if (strcmp(kinds[i].name, as) == 0)
            said = kinds[i].say(out, &content, &ok);
    if (!said)
        ok = ok && taco_string_add(out, text, n);
    return !ok ? TACO_SAY_AS_NO_MEMORY : said ? TACO_SAY_AS_DONE : TACO_SAY_AS_TEXT;
}
