/* SSML 1.1 by expat. What changes how the voice speaks (voice, prosody, audio) is refused:
 * a text that asks for it would be spoken otherwise than it says. */
#include "text/markup.h"

#include "base/error.h"
#include <expat.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 32, PAUSE_MAX = 10 };

/* How the text of a say-as element is written. */
enum say_as { SAY_TEXT, SAY_LETTERS, SAY_ORDINAL, SAY_DIGITS };

struct reader {
    struct taco_markup *m;
    XML_Parser parser;
    const char *source;
    struct taco_error *err;
    enum taco_status status;
    int depth;
    int replaced; /* depth of the element that has been spoken otherwise, or 0 */
    uint32_t replaced_begin; /* where its start tag begins */
    uint32_t replaced_run;   /* the run that stands for it */
    enum say_as say;         /* of the innermost say-as, at depth say_depth */
    int say_depth;
};

static uint32_t position(const struct reader *r) {
    XML_Index at = XML_GetCurrentByteIndex(r->parser);
    return at < 0 ? 0 : (uint32_t)at;
}

static void stop(struct reader *r, enum taco_status status) {
    if (r->status == TACO_OK)
        r->status = status;
    XML_StopParser(r->parser, XML_FALSE);
}

static void fail(struct reader *r, enum taco_status status, const char *problem,
                 const char *detail) {
    if (r->status == TACO_OK)
        taco_error_set_at(r->err, status, "text", (long)position(r),
                          "SSML, byte %u: %s%s%.40s%s", (unsigned)position(r), problem,
                          detail ? " '" : "", detail ? detail : "", detail ? "'" : "");
    stop(r, status);
}

static void check(struct reader *r, bool ok) {
    if (!ok && r->status == TACO_OK)
        stop(r, taco_error_set(r->err, TACO_ERR_NO_MEMORY, NULL, "out of memory"));
}

static const char *attribute(const char **attributes, const char *name) {
    for (; *attributes; attributes += 2)
        if (strcmp(attributes[0], name) == 0)
            return attributes[1];
    return NULL;
}

static const char *local_name(const char *name) {
    const char *colon = strrchr(name, ':');
    return colon ? colon + 1 : name;
}

static bool is(const char *name, const char *names) {
    size_t n = strlen(name);
    for (const char *p = names; *p; p += *p == ' ') {
        size_t k = strcspn(p, " ");
        if (k == n && memcmp(p, name, n) == 0)
            return true;
        p += k;
    }
    return false;
}

/* -- elements ----------------------------------------------------------------------- */

/* "500ms", "1.5s"; MaryTTS writes milliseconds without a unit. Negative: not a time. */
static float seconds(const char *time) {
    float value = 0, place = 1;
    bool any = false, point = false;
    time += *time == '+';
    for (; (*time >= '0' && *time <= '9') || (*time == '.' && !point); time++) {
        if (*time == '.') {
            point = true;
            continue;
        }
        any = true;
        place = point ? place / 10 : place;
        value = point ? value + place * (float)(*time - '0')
                      : value * 10 + (float)(*time - '0');
        if (value > 1e9F)
            return -1;
    }
    if (any && strcmp(time, "s") == 0)
        return value;
    return any && (strcmp(time, "ms") == 0 || !*time) ? value / 1000 : -1;
}

static void do_break(struct reader *r, const char **attributes) {
    static const struct {
        const char *name;
        float seconds;
    } strengths[] = {{"none", 0},      {"x-weak", 0},    {"weak", 0.25F},
                     {"medium", 0.5F}, {"strong", 1.0F}, {"x-strong", 1.5F}};
    const char *time = attribute(attributes, "time");
    const char *strength = attribute(attributes, "strength");
    if (!time)
        time = attribute(attributes, "duration"); /* MaryTTS's boundary */
    float pause = time ? seconds(time) : 0.5F;
    if (pause < 0 || pause > PAUSE_MAX) {
        fail(r, TACO_ERR_INVALID_ARGUMENT, "a break lasts 0 to 10 s, such as 500ms, not",
             time);
        return;
    }
    bool known = !strength || time;
    for (size_t i = 0; i < sizeof strengths / sizeof *strengths && !known; i++)
        if (strcmp(strength, strengths[i].name) == 0) {
            known = true;
            pause = strengths[i].seconds;
        }
    if (!known)
        fail(r, TACO_ERR_INVALID_ARGUMENT, "there is no strength of a break", strength);
    else if (pause > 0)
        check(r, taco_markup_pause(r->m, position(r), pause));
    else
        check(r, taco_markup_space(r->m, position(r)));
}

/* The element's text is spoken as other text. */
static void replace(struct reader *r, const char *text, size_t n) {
    r->replaced = r->depth;
    r->replaced_begin = position(r);
    check(r, taco_markup_space(r->m, position(r)));
    r->replaced_run = r->m->n_runs;
    check(r, taco_markup_add(r->m, text, n, position(r), position(r)));
}

static void do_phoneme(struct reader *r, const char **attributes) {
    const char *alphabet = attribute(attributes, "alphabet");
    const char *phones = attribute(attributes, "ph");
    if (!alphabet ||
        !is(alphabet, "arpabet x-arpabet cmu x-cmu x-cmu-arpabet cmu-arpabet")) {
        fail(r, TACO_ERR_UNSUPPORTED,
             "phonemes are written with alphabet=\"arpabet\", not",
             alphabet ? alphabet : "ipa");
        return;
    }
    if (!phones || !phones[strspn(phones, " ")] || strlen(phones) > 380 ||
        strpbrk(phones, "{}")) {
        fail(r, TACO_ERR_INVALID_ARGUMENT,
             "phoneme needs ph=\"...\" with phones such as HH AH0 L OW1", NULL);
        return;
    }
    char braces[400];
    int n = snprintf(braces, sizeof braces, "{%s}", phones);
    replace(r, braces, (size_t)n);
}

static void do_say_as(struct reader *r, const char **attributes) {
    const char *as = attribute(attributes, "interpret-as");
    if (!as)
        as = attribute(attributes, "type");
    if (!as) {
        fail(r, TACO_ERR_INVALID_ARGUMENT, "say-as needs interpret-as=\"...\"", NULL);
        return;
    }
    r->say_depth = r->depth;
    r->say = is(as, "characters spell-out verbatim") ? SAY_LETTERS
             : is(as, "ordinal")                     ? SAY_ORDINAL
             : is(as, "digits")                      ? SAY_DIGITS
                                                     : SAY_TEXT;
    if (is(as, "expletive bleep"))
        replace(r, "bleep", 5);
}

/* Prosody that changes nothing is common and harmless. */
static bool is_default(const char *value) {
    return !value || is(value, "default medium 1 1.0 100% +0% 0% -0% +0st 0st +0Hz +0dB");
}

static void XMLCALL start(void *user, const char *qualified, const char **attributes) {
    struct reader *r = user;
    const char *name = local_name(qualified);
    if (++r->depth > DEPTH_MAX) {
        fail(r, TACO_ERR_INVALID_ARGUMENT, "elements are nested deeper than 32 times",
             NULL);
        return;
    }
    if (r->depth == 1 && !is(name, "speak maryxml")) {
        fail(r, TACO_ERR_INVALID_ARGUMENT, "the document must be <speak>, not", name);
        return;
    }
    if (r->replaced)
        return;
    if (is(name, "speak maryxml s sentence emphasis mark w token t metadata meta"))
        ;
    else if (is(name, "p paragraph"))
        check(r, taco_markup_paragraph(r->m, position(r)));
    else if (is(name, "break boundary"))
        do_break(r, attributes);
    else if (is(name, "phoneme"))
        do_phoneme(r, attributes);
    else if (is(name, "say-as"))
        do_say_as(r, attributes);
    else if (is(name, "sub")) {
        const char *alias = attribute(attributes, "alias");
        if (alias)
            replace(r, alias, strlen(alias));
        else
            fail(r, TACO_ERR_INVALID_ARGUMENT, "sub needs alias=\"...\"", NULL);
    } else if (is(name, "prosody")) {
        for (const char **a = attributes; *a; a += 2)
            if (!is_default(a[1])) {
                fail(
                    r, TACO_ERR_UNSUPPORTED,
                    "prosody cannot change inside a text; the request's speed and volume "
                    "can. This is",
                    a[1]);
                return;
            }
    } else
        fail(r, TACO_ERR_UNSUPPORTED, "there is no support for the element", name);
    if (is(name, "s sentence"))
        check(r, taco_markup_paragraph(r->m, position(r)));
    if (is(name, "metadata meta"))
        replace(r, "", 0);
}

static void XMLCALL end(void *user, const char *qualified) {
    struct reader *r = user;
    const char *name = local_name(qualified);
    uint32_t behind = position(r) + (uint32_t)XML_GetCurrentByteCount(r->parser);
    if (r->replaced == r->depth) {
        r->replaced = 0;
        for (uint32_t i = r->replaced_run; i < r->m->n_runs; i++)
            r->m->runs[i].end = behind;
    } else if (!r->replaced && is(name, "p paragraph s sentence")) {
        check(r, taco_markup_paragraph(r->m, behind));
    }
    if (r->say_depth == r->depth) {
        r->say = SAY_TEXT;
        r->say_depth = 0;
    }
    r->depth--;
}

/* -- text --------------------------------------------------------------------------- */

static bool is_white(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Letters and digits one by one. A stop between letters makes their names of them. */
static bool spell(struct taco_markup *m, const char *text, size_t n, uint32_t at,
                  uint32_t bytes, bool letters) {
    for (size_t i = 0; i < n; i++) {
        uint32_t begin = bytes == n ? at + (uint32_t)i : at;
        uint32_t stop = bytes == n ? begin + 1 : at + bytes;
        char before = m->text.n ? m->text.bytes[m->text.n - 1] : ' ';
        char c = text[i];
        bool letter = (c | 32) >= 'a' && (c | 32) <= 'z';
        bool after_letter = (before | 32) >= 'a' && (before | 32) <= 'z';
        if (letter && letters && c >= 'a')
            c = (char)(c & ~32);
        if (is_white(c)) {
            if (!taco_markup_space(m, begin))
                return false;
            continue;
        }
        if (letters && letter && after_letter && i > 0 &&
            !taco_markup_add(m, ".", 1, begin, begin))
            return false;
        if ((!letter || !after_letter || !letters) && !(c & 0x80) &&
            !taco_markup_space(m, begin))
            return false;
        if (!taco_markup_add(m, &c, 1, begin, stop))
            return false;
    }
    return true;
}

static bool ordinal(struct taco_markup *m, const char *text, size_t n, uint32_t at,
                    uint32_t bytes) {
    if (!taco_markup_add(m, text, n, at, at + bytes))
        return false;
    char last = text[n - 1], before = n > 1 ? text[n - 2] : '0';
    if (last < '0' || last > '9')
        return true;
    const char *ending = before == '1' ? "th"
                         : last == '1' ? "st"
                         : last == '2' ? "nd"
                         : last == '3' ? "rd"
                                       : "th";
    return taco_markup_add(m, ending, 2, at + bytes, at + bytes);
}

static void XMLCALL text(void *user, const char *data, int length) {
    struct reader *r = user;
    if (r->replaced || length <= 0 || r->status != TACO_OK)
        return;
    size_t n = (size_t)length;
    uint32_t at = position(r), bytes = (uint32_t)XML_GetCurrentByteCount(r->parser);
    if (r->say == SAY_LETTERS || r->say == SAY_DIGITS) {
        check(r, spell(r->m, data, n, at, bytes, r->say == SAY_LETTERS));
        return;
    }
    if (r->say == SAY_ORDINAL && !is_white(data[n - 1])) {
        check(r, ordinal(r->m, data, n, at, bytes));
        return;
    }
    bool verbatim = bytes == n && memcmp(r->source + at, data, n) == 0;
    for (size_t i = 0; i < n && r->status == TACO_OK;) {
        size_t k = i;
        while (k < n && is_white(data[k]) == is_white(data[i]))
            k++;
        if (is_white(data[i]))
            check(r, taco_markup_space(r->m, at + (verbatim ? (uint32_t)i : 0)));
        else if (verbatim)
            check(r,
                  taco_markup_copy(r->m, r->source, at + (uint32_t)i, (uint32_t)(k - i)));
        else
            check(r, taco_markup_add(r->m, data + i, k - i, at, at + bytes));
        i = k;
    }
}

static void XMLCALL doctype(void *user, const char *name, const char *system,
                            const char *public, int internal) {
    (void)name, (void)system, (void)public, (void)internal;
    fail(user, TACO_ERR_UNSUPPORTED, "a document type declaration is not allowed", NULL);
}

enum taco_status taco_markup_ssml(struct taco_markup *m, const char *source,
                                  uint32_t length, struct taco_error *err) {
    XML_Parser parser = XML_ParserCreate("UTF-8");
    if (!parser)
        return taco_error_set(err, TACO_ERR_NO_MEMORY, NULL, "out of memory");
    struct reader r = {.m = m, .parser = parser, .source = source, .err = err};
    XML_SetUserData(parser, &r);
    XML_SetElementHandler(parser, start, end);
    XML_SetCharacterDataHandler(parser, text);
    XML_SetStartDoctypeDeclHandler(parser, doctype);
    if (XML_Parse(parser, source, (int)length, 1) != XML_STATUS_OK &&
        r.status == TACO_OK) {
        enum XML_Error code = XML_GetErrorCode(parser);
        if (code == XML_ERROR_NO_MEMORY)
            r.status = taco_error_set(err, TACO_ERR_NO_MEMORY, NULL, "out of memory");
        else
            fail(&r, TACO_ERR_INVALID_ARGUMENT, XML_ErrorString(code), NULL);
    }
    XML_ParserFree(parser);
    return r.status;
}
