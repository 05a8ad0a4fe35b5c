/* Prints the parts of the documents that come from tables in the source, for `make docs`.
 *
 *   document man COMMAND        a list of mdoc items: the options of tacod COMMAND
 *   document markdown COMMAND   a table in Markdown
 *   document fields speech      a table of the fields of a request for speech
 *   document schema speech      their schemas: members of "properties" in openapi.json
 *
 * COMMAND is serve, say, batch, text or info. */
#include <stdio.h>
#include <string.h>

#include "config/option_table.h"
#include "speech/field_flags.h"

#define TEXT_SIZE 640

static void lower(char *word) {
    for (char *c = word; *c; c++)
        if (*c >= 'A' && *c <= 'Z')
            *c = (char)(*c - 'A' + 'a');
}

/* Text of a manual page: a new line after each sentence, and nothing that mdoc takes for a
 * macro. */
static void print_man_text(const char *text) {
    bool begins = true;
    for (const char *c = text; *c; c++) {
        bool ends = c > text && (c[-1] == '.') && *c == ' ' && c[1] >= 'A' && c[1] <= 'Z';
        if (begins && (*c == '.' || *c == '\''))
            fputs("\\&", stdout);
        begins = ends;
        if (*c == '\\')
            fputs("\\e", stdout);
        else
            putchar(ends ? '\n' : *c);
    }
    putchar('\n');
}

static void print_man(char letter, const char *name, const char *metavar,
                      const char *text) {
    char flag[64], argument[64] = "";
    taco_option_flag(name, flag, sizeof flag);
    if (metavar)
        snprintf(argument, sizeof argument, "%s", metavar);
    lower(argument);
    printf(".It");
    if (letter)
        printf(" Fl %c ,", letter);
    printf(" Fl %s%s%s\n", flag + 1, metavar ? " Ar " : "", argument);
    print_man_text(text);
}

static void print_markdown(char letter, const char *name, const char *metavar,
                           const char *text) {
    char flag[64];
    (void)letter;
    taco_option_flag(name, flag, sizeof flag);
    printf("| `%s", flag);
    for (const char *c = metavar ? metavar : ""; *c; c++)
        printf("%s%s%c", c == metavar ? " " : "", *c == '|' ? "\\" : "", *c);
    printf("` | ");
    for (const char *c = text; *c; c++)
        if (*c == '|' || *c == '*' || *c == '<')
            printf("\\%c", *c);
        else
            putchar(*c);
    puts(" |");
}

/* -- fields of a request ------------------------------------------------------------- */

static const char *type_of(const struct taco_field *field) {
    switch (field->kind) {
    case TACO_FIELD_SEED:
    case TACO_FIELD_INTEGER:
        return "integer";
    case TACO_FIELD_FLOAT:
    case TACO_FIELD_DOUBLE:
        return "number";
    case TACO_FIELD_BOOLEAN:
    case TACO_FIELD_STREAM:
        return "boolean";
    case TACO_FIELD_LEXICON:
        return "object";
    default:
        return "string";
    }
}

static void print_choices(const char *choices, const char *before, const char *after,
                          const char *between) {
    for (const char *c = choices; *c;) {
        size_t n = strcspn(c, "|");
        printf("%s%.*s%s%s", before, (int)n, c, after, c[n] ? between : "");
        c += n;
        c += *c == '|';
    }
}

static void print_field_row(const struct taco_field *f) {
    printf("| `%s` | %s%s | ", f->name, type_of(f),
           f->kind == TACO_FIELD_NAME_OR_NUMBER ? " or integer"
           : f->kind == TACO_FIELD_STREAM       ? ", or `sse`"
                                                : "");
    if (f->choices)
        print_choices(f->choices, "`", "`", " ");
    else if (f->max > f->min)
        printf("%.16g to %.16g", f->min, f->max);
    printf(" | %s | %s |\n", f->fallback ? f->fallback : "required", f->help);
}

/* Whether the default is a value of the field, not a description of one. */
static bool has_value(const struct taco_field *f) {
    if (!f->fallback)
        return false;
    switch (f->kind) {
    case TACO_FIELD_BOOLEAN:
    case TACO_FIELD_STREAM:
        return true;
    case TACO_FIELD_SEED:
    case TACO_FIELD_INTEGER:
    case TACO_FIELD_FLOAT:
    case TACO_FIELD_DOUBLE:
        return *f->fallback >= '0' && *f->fallback <= '9';
    default:
        return f->choices != NULL;
    }
}

static void print_schema(const struct taco_field *f, bool last) {
    printf("          \"%s\": {", f->name);
    if (f->kind == TACO_FIELD_NAME_OR_NUMBER)
        printf("\"type\": [\"string\", \"integer\"]");
    else if (f->kind == TACO_FIELD_STREAM)
        printf("\"oneOf\": [{\"type\": \"boolean\"}, {\"const\": \"sse\"}]");
    else
        printf("\"type\": \"%s\"", type_of(f));
    if (f->kind == TACO_FIELD_TEXT)
        printf(", \"minLength\": 1");
    if (f->kind == TACO_FIELD_LEXICON)
        printf(", \"additionalProperties\": {\"type\": \"string\"}");
    if (f->max > f->min)
        printf(", \"minimum\": %.16g, \"maximum\": %.16g", f->min, f->max);
    if (f->choices) {
        printf(", \"enum\": [");
        print_choices(f->choices, "\"", "\"", ", ");
        printf("]");
    }
    if (has_value(f))
        printf(f->choices ? ", \"default\": \"%s\"" : ", \"default\": %s", f->fallback);
    printf(", \"description\": \"%s", f->help);
    if (f->fallback && !has_value(f))
        printf(" Default: %s.", f->fallback);
    printf("\"}%s\n", last ? "" : ",");
}

static int print_fields(const char *how) {
    const bool schema = strcmp(how, "schema") == 0;
    if (!schema)
        puts("| field | type | values | default | meaning |\n|---|---|---|---|---|");
    for (const struct taco_field *f = taco_fields; f->name; f++)
        if (schema)
            print_schema(f, !f[1].name);
        else
            print_field_row(f);
    return 0;
}

int main(int argc, char **argv) {
    static const struct {
        const char *name;
        enum taco_command command;
        unsigned fields;
    } commands[] = {{"serve", TACO_COMMAND_SERVE, 0},
                    {"say", TACO_COMMAND_SAY, TACO_FIELD_SAY},
                    {"batch", TACO_COMMAND_BATCH, TACO_FIELD_BATCH},
                    {"text", TACO_COMMAND_TEXT, TACO_FIELD_SHOW},
                    {"info", TACO_COMMAND_INFO, 0}};
    if (argc != 3)
        return 2;
    if (strcmp(argv[2], "speech") == 0)
        return print_fields(argv[1]);
    bool man = strcmp(argv[1], "man") == 0;
    void (*print)(char letter, const char *name, const char *metavar, const char *text) =
        man ? print_man : print_markdown;
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        if (strcmp(argv[2], commands[i].name) != 0)
            continue;
        char text[TEXT_SIZE];
        for (const struct taco_option *o = taco_option_table; o->name; o++)
            if ((o->commands & commands[i].command) && strcmp(o->name, "help") != 0) {
                taco_option_describe(o, text, sizeof text);
                print(o->letter, o->name, o->metavar, text);
            }
        for (const struct taco_field *f = taco_fields; f->name; f++)
            if (f->uses & commands[i].fields) {
                taco_field_describe(f, text, sizeof text);
                print(0, f->name, f->metavar, text);
            }
        return 0;
    }
    return 2;
}
