/* SSML 1.1 by expat.
 *
 * What would be spoken otherwise than the text says is refused, with its place: another voice,
 * another language, recorded sound. What only colours the speech, such as pitch and emphasis,
 * is noted. */
#include "text/markup.h"

#include "base/cancel.h"
#include "base/error.h"
#include "text/ascii.h"
#include "text/markup_prosody.h"
#include "text/markup_say_as.h"
#include "text/phones_ipa.h"
#include <expat.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { DEPTH_MAX = 32, PAUSE_MAX = 10, PHONES_MAX = 380, BLOCK = 1 << 16 };

/* What an element does, beside those inside it. */
struct element {
    float speed, volume; /* factors inside it */
    bool prosody;        /* it changed them */
    bool sentence;       /* s: a pause of sentences at its ends */
    bool paragraph;
};

struct reader {
    struct taco_markup *m;
    XML_Parser parser;
    const char *source;
    struct taco_error *err;
    enum taco_status status;
    int depth;
    struct element stack[DEPTH_MAX + 1]; /* [depth]; 0 is around the document */
    /* The element that is spoken as other text. */
    int replaced;          /* its depth, or 0 */
    uint32_t replaced_run; /* the run that stands for it */
    /* The say-as element, whose text is collected. */
    int say; /* its depth, or 0 */
    char say_as[32], say_format[16];
    uint32_t say_begin;          /* where it begins */
    struct taco_string say_text; /* its text up to here */
};

/* -- errors -------------------------------------------------------------------------- */

static uint32_t position(const struct reader *r) {
    XML_Index at = XML_GetCurrentByteIndex(r->parser);
    return at < 0 ? 0 : (uint32_t)at;
}

/* Behind the tag or text that expat is at. */
static uint32_t behind(const struct reader *r) {
    return position(r) + (uint32_t)XML_GetCurrentByteCount(r->parser);
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
                          "SSML, line %lu, column %lu: %s%s%.40s%s",
                          (unsigned long)XML_GetCurrentLineNumber(r->parser),
                          (unsigned long)XML_GetCurrentColumnNumber(r->parser) + 1,
                          problem, detail ? " '" : "", detail ? detail : "",
                          detail ? "'" : "");
    stop(r, status);
}

static void invalid(struct reader *r, const char *problem, const char *detail) {
    fail(r, TACO_ERR_INVALID_ARGUMENT, problem, detail);
}

static void check(struct reader *r, bool ok) {
    if (!ok && r->status == TACO_OK)
        stop(r, taco_markup_failed(r->m, r->err));
}

/* It has no effect. */
static void note(struct reader *r, const char *text) {
    check(r, taco_markup_add_note(r->m, position(r), behind(r), text));
}

/* -- names --------------------------------------------------------------------------- */

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

/* "en-GB" is spoken by a voice of "en-US". */
static bool speaks(const struct reader *r, const char *language) {
    const char *own = r->m->language;
    size_t n = strcspn(language, "-_");
    return !own || !*own || !n ||
           (strncasecmp(own, language, n) == 0 && strcspn(own, "-_") == n);
}

/* -- elements ------------------------------------------------------------------------ */

/* The element's text is spoken as other text. */
static void replace(struct reader *r, const char *text, size_t n) {
    r->replaced = r->depth;
    check(r, taco_markup_space(r->m, position(r)));
    r->replaced_run = r->m->n_runs;
    check(r, taco_markup_add(r->m, text, n, position(r), position(r)));
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
    float pause = time ? taco_markup_seconds(time) : 0.5F;
    if (pause < 0 || pause > PAUSE_MAX) {
        invalid(r, "a break lasts 0 to 10 s, such as 500ms, not", time);
        return;
    }
    bool known = !strength || time;
    for (size_t i = 0; i < sizeof strengths / sizeof *strengths && !known; i++)
        if (strcmp(strength, strengths[i].name) == 0) {
            known = true;
            pause = strengths[i].seconds;
        }
    if (!known)
        invalid(
            r,
            "a break's strength is none, x-weak, weak, medium, strong or x-strong, not",
            strength);
    else if (pause > 0)
        check(r, taco_markup_pause(r->m, position(r), TACO_MARKUP_BREAK, pause));
    else
        check(r, taco_markup_space(r->m, position(r)));
}

/* Phones in braces, as text has them. */
static void put_phones(struct reader *r, const char *phones) {
    char braces[PHONES_MAX + 4];
    if (!phones[strspn(phones, " ")] || strlen(phones) > PHONES_MAX ||
        strpbrk(phones, "{}")) {
        invalid(r,
                "phoneme needs ph=\"...\" of 1 to 380 characters, with phones such as "
                "HH AH0 L OW1",
                NULL);
        return;
    }
    int n = snprintf(braces, sizeof braces, "{%s}", phones);
    replace(r, braces, (size_t)n);
}

static void do_phoneme(struct reader *r, const char **attributes) {
    const char *alphabet = attribute(attributes, "alphabet");
    const char *phones = attribute(attributes, "ph");
    bool ipa = !alphabet || is(alphabet, "ipa IPA");
    if (!phones) {
        invalid(r, "phoneme needs ph=\"...\" with phones such as HH AH0 L OW1", NULL);
    } else if (!ipa &&
               !is(alphabet, "arpabet x-arpabet cmu x-cmu x-cmu-arpabet cmu-arpabet")) {
        fail(r, TACO_ERR_UNSUPPORTED, "a phoneme's alphabet is ipa or x-arpabet, not",
             alphabet);
    } else if (!ipa || r->m->ipa) {
        put_phones(r, phones);
    } else {
        struct taco_string written = {NULL, 0, 0};
        const char *unknown = NULL;
        bool ok = strlen(phones) <= PHONES_MAX &&
                  taco_phones_from_ipa(phones, &written, &unknown);
        if (ok || strlen(phones) > PHONES_MAX)
            put_phones(r, ok && written.bytes ? written.bytes : "");
        else if (unknown)
            invalid(r, "there is no phone of English for what begins", unknown);
        else
            check(r, false);
        taco_string_free(&written);
    }
}

static void do_say_as(struct reader *r, const char **attributes) {
    const char *as = attribute(attributes, "interpret-as");
    const char *format = attribute(attributes, "format");
    if (!as)
        as = attribute(attributes, "type"); /* MaryTTS's */
    if (!as) {
        invalid(r, "say-as needs interpret-as=\"...\"", NULL);
        return;
    }
    r->say = r->depth;
    r->say_begin = position(r);
    snprintf(r->say_as, sizeof r->say_as, "%s", as);
    snprintf(r->say_format, sizeof r->say_format, "%s", format ? format : "");
    taco_string_clear(&r->say_text);
}

static void end_say_as(struct reader *r) {
    struct taco_string written = {NULL, 0, 0};
    enum taco_say_as_outcome outcome = taco_say_as(
        &written, r->say_as, *r->say_format ? r->say_format : NULL, r->m->english,
        r->say_text.bytes ? r->say_text.bytes : "", r->say_text.n);
    bool ok = outcome != TACO_SAY_AS_NO_MEMORY;
    if (outcome == TACO_SAY_AS_TEXT)
        ok = taco_markup_add_note(r->m, r->say_begin, behind(r), "say-as");
    /* Its words share the element's bytes, so there must be as many. */
    if (ok && written.n > behind(r) - r->say_begin)
        invalid(r,
                "too much for one say-as: it can spell about 40 characters; use several",
                NULL);
    else if (ok && written.n)
        ok = taco_markup_add(r->m, written.bytes, written.n, r->say_begin, behind(r));
    taco_string_free(&written);
    r->say = 0;
    check(r, ok);
}

static void do_prosody(struct reader *r, const char **attributes) {
    struct element *e = &r->stack[r->depth];
    for (const char **a = attributes; *a; a += 2) {
        if (is(a[0], "rate")) {
            if (!taco_markup_rate(a[1], &e->speed))
                invalid(r,
                        "a rate is x-slow to x-fast, or 25% to 400%, or a change such as "
                        "+20%, not",
                        a[1]);
        } else if (is(a[0], "volume")) {
            if (!taco_markup_volume(a[1], &e->volume))
                invalid(r,
                        "a volume is silent to x-loud, or 0 to 100, or a change such as "
                        "+6dB, not",
                        a[1]);
        } else if (is(a[0], "pitch contour range duration") &&
                   !is(a[1], "default medium 0% +0% -0% +0st 0st +0Hz")) {
            note(r, a[0][0] == 'p'   ? "pitch"
                    : a[0][0] == 'c' ? "contour"
                    : a[0][0] == 'r' ? "range"
                                     : "duration");
        }
    }
    const struct element *outer = e - 1;
    e->prosody = e->speed < outer->speed || e->speed > outer->speed ||
                 e->volume < outer->volume || e->volume > outer->volume;
    if (e->prosody && r->status == TACO_OK)
        check(r, taco_markup_cut(r->m, position(r)) &&
                     taco_markup_add_prosody(r->m, position(r), e->speed, e->volume));
}

static void do_mark(struct reader *r, const char **attributes) {
    const char *name = attribute(attributes, "name");
    if (!name || !*name || strlen(name) > 256)
        invalid(r, "mark needs name=\"...\" of 1 to 256 bytes", NULL);
    else
        check(r, taco_markup_add_mark(r->m, position(r), name));
}

static void do_lang(struct reader *r, const char **attributes) {
    const char *language = attribute(attributes, "xml:lang");
    const char *failure = attribute(attributes, "onlangfailure");
    if (!language)
        invalid(r, "lang needs xml:lang=\"...\"", NULL);
    else if (speaks(r, language))
        ;
    else if (failure && is(failure, "ignorelang processorchoice"))
        note(r, "lang");
    else
        fail(r, TACO_ERR_UNSUPPORTED,
             "the voice of this request speaks one language, which is not", language);
}

static void do_voice(struct reader *r, const char **attributes) {
    const char *failure = attribute(attributes, "onvoicefailure");
    if (failure && is(failure, "keepexisting processorchoice"))
        note(r, "voice");
    else
        fail(r, TACO_ERR_UNSUPPORTED,
             "a request has one voice: name it in the request, and send what another "
             "voice "
             "speaks in a request of its own; there is no support for the element",
             "voice");
}

static void open_element(struct reader *r, const char *name, const char **attributes) {
    struct element *e = &r->stack[r->depth];
    const char *language = attribute(attributes, "xml:lang");
    e->paragraph = is(name, "p paragraph");
    e->sentence = is(name, "s sentence");
    if (is(name, "break boundary"))
        do_break(r, attributes);
    else if (is(name, "phoneme"))
        do_phoneme(r, attributes);
    else if (is(name, "say-as"))
        do_say_as(r, attributes);
    else if (is(name, "prosody"))
        do_prosody(r, attributes);
    else if (is(name, "mark"))
        do_mark(r, attributes);
    else if (is(name, "lang"))
        do_lang(r, attributes);
    else if (is(name, "voice"))
        do_voice(r, attributes);
    else if (is(name, "emphasis")) {
        const char *level = attribute(attributes, "level");
        if (!level || !is(level, "none"))
            note(r, "emphasis");
    } else if (is(name, "sub")) {
        const char *alias = attribute(attributes, "alias");
        if (alias)
            replace(r, alias, strlen(alias));
        else
            invalid(r, "sub needs alias=\"...\"", NULL);
    } else if (is(name, "metadata meta")) {
        replace(r, "", 0);
    } else if (is(name, "audio")) {
        fail(r, TACO_ERR_UNSUPPORTED,
             "recorded sound cannot be mixed in; there is no support for the element",
             name);
    } else if (!is(name, "speak maryxml p paragraph s sentence w token t mtu phrase")) {
        fail(r, TACO_ERR_UNSUPPORTED, "there is no support for the element", name);
    } else if (language && !speaks(r, language)) {
        note(r, "xml:lang");
    }
    if (e->paragraph)
        check(r, taco_markup_paragraph(r->m, position(r)));
    if (e->sentence && r->m->text.n)
        check(r, taco_markup_pause(r->m, position(r), TACO_MARKUP_SENTENCE, 0));
}

static void XMLCALL start(void *user, const char *qualified, const char **attributes) {
    struct reader *r = user;
    const char *name = local_name(qualified);
    if (r->status != TACO_OK)
        return;
    if (++r->depth > DEPTH_MAX) {
        invalid(r, "elements are nested deeper than 32 times", NULL);
        return;
    }
    struct element *e = &r->stack[r->depth];
    *e = (struct element){.speed = e[-1].speed, .volume = e[-1].volume};
    if (r->depth == 1 && !is(name, "speak maryxml"))
        invalid(r, "the document must be <speak>, not", name);
    else if (!r->replaced && !r->say)
        open_element(r, name, attributes);
}

static void XMLCALL end(void *user, const char *qualified) {
    struct reader *r = user;
    (void)qualified;
    if (r->status != TACO_OK)
        return;
    const struct element *e = &r->stack[r->depth];
    uint32_t at = behind(r);
    if (r->say == r->depth)
        end_say_as(r);
    if (r->replaced == r->depth) {
        r->replaced = 0;
        for (uint32_t i = r->replaced_run; i < r->m->n_runs; i++)
            r->m->runs[i].end = at;
    }
    if (e->prosody)
        check(r, taco_markup_cut(r->m, at) &&
                     taco_markup_add_prosody(r->m, at, e[-1].speed, e[-1].volume));
    if (e->paragraph)
        check(r, taco_markup_paragraph(r->m, at));
    if (e->sentence && r->m->text.n)
        check(r, taco_markup_pause(r->m, at, TACO_MARKUP_SENTENCE, 0));
    r->depth--;
}

/* -- text --------------------------------------------------------------------------- */

static void XMLCALL text(void *user, const char *data, int length) {
    struct reader *r = user;
    if (r->replaced || length <= 0 || r->status != TACO_OK)
        return;
    size_t n = (size_t)length;
    if (r->say) {
        check(r, taco_string_add(&r->say_text, data, n));
        return;
    }
    uint32_t at = position(r), bytes = (uint32_t)XML_GetCurrentByteCount(r->parser);
    bool verbatim = bytes == n && memcmp(r->source + at, data, n) == 0;
    for (size_t i = 0; i < n && r->status == TACO_OK;) {
        size_t k = i;
        while (k < n && taco_char_is_white(data[k]) == taco_char_is_white(data[i]))
            k++;
        if (taco_char_is_white(data[i]))
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

/* Block by block, so that a long document can be given up. */
static void parse(struct reader *r, uint32_t length) {
    for (uint32_t at = 0; r->status == TACO_OK;) {
        uint32_t n = length - at < BLOCK ? length - at : BLOCK;
        bool last = at + n == length;
        if (taco_is_cancelled(r->m->cancel)) {
            r->m->cancelled = true;
            r->status = taco_markup_failed(r->m, r->err);
            return;
        }
        if (XML_Parse(r->parser, r->source + at, (int)n, last) != XML_STATUS_OK &&
            r->status == TACO_OK) {
            enum XML_Error code = XML_GetErrorCode(r->parser);
            if (code == XML_ERROR_NO_MEMORY)
                r->status = taco_markup_failed(r->m, r->err);
            else
                invalid(r, XML_ErrorString(code), NULL);
        }
        if (last)
            return;
        at += n;
    }
}

enum taco_status taco_markup_ssml(struct taco_markup *m, const char *source,
                                  uint32_t length, struct taco_error *err) {
    XML_Parser parser = XML_ParserCreate("UTF-8");
    if (!parser)
        return taco_error_set(err, TACO_ERR_NO_MEMORY, NULL, "out of memory");
    struct reader r = {.m = m, .parser = parser, .source = source, .err = err};
    r.stack[0] = (struct element){.speed = 1, .volume = 1};
    XML_SetUserData(parser, &r);
    XML_SetElementHandler(parser, start, end);
    XML_SetCharacterDataHandler(parser, text);
    XML_SetStartDoctypeDeclHandler(parser, doctype);
    parse(&r, length);
    XML_ParserFree(parser);
    taco_string_free(&r.say_text);
    return r.status;
}
