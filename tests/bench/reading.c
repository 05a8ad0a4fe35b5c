/* How texts are read, against a table of cases; and what reading costs.
 *
 *   reading TABLE.tsv    right and wrong per category, each wrong case below
 *   reading -t TEXT      the spoken words of TEXT, and the rule that read each word
 *   reading -g           the table of the grammar, as core/text/README.md has it
 *   reading -s TEXT      microseconds that an analysis of TEXT takes, the median of 101
 *
 * TABLE has a head and the columns source, category, text and expected; alternatives of
 * expected have " | " between, \n and \t are escaped. A comparison passes over case, hyphens,
 * punctuation and spaces (so letters may be joined or apart), "and", the scheme of an address,
 * oh for zero, negative for minus, and whether a date's day or month comes first. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/files.h"
#include "support/measure.h"
#include "support/texts.h"
#include "text/grammar.h"

enum { SIZE = 4096, WORDS = 512, CATEGORIES = 128 };

/* -- comparison -------------------------------------------------------------------- */

struct words {
    char text[SIZE];
    const char *at[WORDS]; /* [n] */
    int n;
};

/* Lower-case words: what other characters than letters and digits separate; an apostrophe
 * is passed over. Bytes beyond ASCII count as letters. */
static void split(struct words *w, const char *text) {
    size_t n = 0;
    w->n = 0;
    bool in = false;
    for (; *text && n + 2 < SIZE && w->n < WORDS; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '\'' || strncmp(text, "\xE2\x80\x99", 3) == 0) {
            text += c == '\'' ? 0 : 2;
            continue;
        }
        bool part = c >= 0x80 || isalnum(c);
        if (part && !in)
            w->at[w->n++] = w->text + n;
        if (part)
            w->text[n++] = (char)tolower(c);
        else if (in)
            w->text[n++] = '\0';
        in = part;
    }
    w->text[n] = '\0';
}

static const char *same_word(const char *word) {
    static const char *const pairs[][2] = {
        {"oh", "zero"}, {"o", "zero"}, {"negative", "minus"}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (strcmp(word, pairs[i][0]) == 0)
            return pairs[i][1];
    return word;
}

static bool is_month(const char *word) {
    static const char *const months[] = {"january", "february", "march",     "april",
                                         "may",     "june",     "july",      "august",
                                         "october", "november", "september", "december"};
    for (size_t i = 0; i < sizeof months / sizeof *months; i++)
        if (strcmp(word, months[i]) == 0)
            return true;
    return false;
}

/* "the twenty fifth of july" as "july twenty fifth"; what a scheme is said as is dropped. */
static void order(struct words *w) {
    int n = 0;
    for (int i = 0; i < w->n; i++) {
        bool scheme = (strcmp(w->at[i], "http") == 0 || strcmp(w->at[i], "https") == 0);
        if (scheme) {
            while (i + 1 < w->n && (strcmp(w->at[i + 1], "colon") == 0 ||
                                    strcmp(w->at[i + 1], "slash") == 0))
                i++;
            continue;
        }
        if (strcmp(w->at[i], "and") == 0)
            continue;
        w->at[n++] = w->at[i];
    }
    w->n = n;
    for (int i = 2; i < w->n; i++) {
        if (!is_month(w->at[i]) || strcmp(w->at[i - 1], "of") != 0)
            continue;
        int first = i - 2;
        while (first > 0 && strcmp(w->at[first], "the") != 0 && first > i - 4)
            first--;
        if (strcmp(w->at[first], "the") != 0)
            continue;
        const char *month = w->at[i];
        for (int k = i - 1 - first - 1; k > 0; k--) /* the days' words move up */
            w->at[first + 1 + k] = w->at[first + k];
        w->at[first] = month;
        /* MONTH DAY...: "the" and "of" are gone. */
        int days = i - first - 2;
        for (int k = 0; k < days; k++)
            w->at[first + 1 + k] = w->at[first + 2 + k];
        for (int k = i + 1; k < w->n; k++)
            w->at[k - 2] = w->at[k];
        w->n -= 2;
        i = first + days;
    }
}

static void key(const char *text, char out[SIZE]) {
    struct words w;
    split(&w, text);
    order(&w);
    size_t n = 0;
    for (int i = 0; i < w.n; i++)
        n += (size_t)snprintf(out + n, SIZE - n, "%s", same_word(w.at[i]));
    out[n] = '\0';
}

static bool is_expected(const char *spoken, char *expected) {
    char is[SIZE], want[SIZE];
    key(spoken, is);
    for (char *one = expected, *end; one; one = end) {
        end = strstr(one, " | ");
        if (end) {
            *end = '\0';
            end += 3;
        }
        key(one, want);
        if (end)
            end[-3] = ' ';
        if (strcmp(is, want) == 0)
            return true;
    }
    return false;
}

/* -- the table --------------------------------------------------------------------- */

static void unescape(char *text) {
    char *to = text;
    for (; *text; text++)
        if (text[0] == '\\' && (text[1] == 'n' || text[1] == 't'))
            *to++ = *++text == 'n' ? '\n' : '\t';
        else
            *to++ = *text;
    *to = '\0';
}

static struct taco_text *analyse(const struct taco_front_end *fe, const char *text) {
    struct taco_text *out = NULL;
    (void)!taco_front_end_analyse(fe, text, strlen(text), NULL, &out, NULL);
    return out;
}

static void spoken_words(const struct taco_text *text, char out[SIZE]) {
    size_t n = 0;
    out[0] = '\0';
    for (uint32_t i = 0; text && i < text->n_spoken && n < SIZE; i++)
        n += (size_t)snprintf(out + n, SIZE - n, "%s%s", i ? " " : "",
                              text->spoken[i].text);
}

struct category {
    const char *source, *name;
    int right, wrong;
};

static int read_table(const struct taco_front_end *fe, const char *path) {
    size_t size;
    char *data = test_read_file(path, &size);
    if (!data) {
        fprintf(stderr, "reading: cannot read %s\n", path);
        return 2;
    }
    static struct category categories[CATEGORIES];
    int n = 0, wrong = 0, all = 0;
    char *line = strchr(data, '\n');
    for (line = line ? line + 1 : data + size; *line;) {
        char *column[4] = {line, NULL, NULL, NULL};
        char *end = line + strcspn(line, "\n");
        bool last = !*end;
        *end = '\0';
        for (int i = 1; i < 4; i++)
            if (column[i - 1] && (column[i] = strchr(column[i - 1], '\t')))
                *column[i]++ = '\0';
        line = last ? end : end + 1;
        if (!column[3])
            continue;
        int k = 0;
        while (k < n && (strcmp(categories[k].name, column[1]) != 0 ||
                         strcmp(categories[k].source, column[0]) != 0))
            k++;
        if (k == CATEGORIES)
            break;
        if (k == n)
            categories[n++] = (struct category){column[0], column[1], 0, 0};
        unescape(column[2]);
        char spoken[SIZE];
        struct taco_text *text = analyse(fe, column[2]);
        spoken_words(text, spoken);
        taco_text_destroy(text);
        all++;
        if (is_expected(spoken, column[3])) {
            categories[k].right++;
            continue;
        }
        categories[k].wrong++;
        wrong++;
        printf("%s %s: %s\n  is   %s\n  want %s\n", column[0], column[1], column[2],
               spoken, column[3]);
    }
    printf("\n%-10s %-40s %6s %6s\n", "source", "category", "right", "wrong");
    for (int k = 0; k < n; k++)
        printf("%-10s %-40s %6d %6d\n", categories[k].source, categories[k].name,
               categories[k].right, categories[k].wrong);
    printf("%d of %d wrong (%.1f %%)\n", wrong, all, all ? 100.0 * wrong / all : 0);
    free(data);
    return 0;
}

static void print_grammar(void) {
    char row[SIZE];
    puts("| kind | pattern | example | read as |\n|---|---|---|---|");
    for (uint32_t i = 0; test_grammar_row(i, row, sizeof row); i++)
        puts(row);
    puts("\n| class | what it matches |\n|---|---|");
    for (uint32_t i = 0; taco_token_class_at(i); i++)
        printf("| `{%s}` | %s |\n", taco_token_class_at(i)->name,
               taco_token_class_at(i)->what);
}

static void print_time(const struct taco_front_end *fe, const char *source) {
    double times[101];
    for (int i = 0; i < 101; i++) {
        double start = test_now();
        taco_text_destroy(analyse(fe, source));
        times[i] = test_now() - start;
    }
    printf("%.1f us\n", 1e6 * test_median(times, 101));
}

int main(int argc, char **argv) {
    struct taco_front_end *fe = test_front_end(TEST_TEXT_SLT);
    int code = 0;
    if (argc == 3 && strcmp(argv[1], "-t") == 0) {
        char spoken[SIZE];
        struct taco_text *text = analyse(fe, argv[2]);
        spoken_words(text, spoken);
        puts(spoken);
        taco_text_destroy(text);
    } else if (argc == 3 && strcmp(argv[1], "-s") == 0) {
        print_time(fe, argv[2]);
    } else if (argc == 2 && strcmp(argv[1], "-g") == 0) {
        print_grammar();
    } else if (argc == 2 && argv[1][0] != '-') {
        code = read_table(fe, argv[1]);
    } else {
        fprintf(stderr, "usage: reading TABLE.tsv | -t TEXT | -s TEXT | -g\n");
        code = 2;
    }
    taco_front_end_destroy(fe);
    return code;
}
