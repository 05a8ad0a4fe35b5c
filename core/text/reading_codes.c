/* Addresses of the net, and numbers that are names: telephones, versions, accounts. */
#include "text/reading_match.h"

#include <string.h>

/* -- addresses ------------------------------------------------------------------- */

bool taco_is_domain(const char *label, size_t n) {
    static const char *const domains[] = {
        "com",  "org",  "net",  "edu",  "gov",  "mil",  "int",  "info", "biz",  "name",
        "io",   "ai",   "app",  "dev",  "tv",   "me",   "co",   "uk",   "us",   "ca",
        "au",   "nz",   "ie",   "de",   "fr",   "it",   "es",   "pt",   "nl",   "be",
        "ch",   "at",   "se",   "no",   "dk",   "fi",   "pl",   "cz",   "ru",   "ua",
        "jp",   "cn",   "kr",   "in",   "br",   "mx",   "ar",   "za",   "eu",   "sm",
        "tech", "xyz",  "site", "shop", "blog", "page", "wiki", "gg",   "ly",   "html",
        "htm",  "php",  "js",   "ts",   "py",   "rb",   "rs",   "sh",   "txt",  "pdf",
        "doc",  "docx", "xls",  "xlsx", "ppt",  "pptx", "csv",  "json", "xml",  "yaml",
        "yml",  "toml", "md",   "tex",  "zip",  "tar",  "gz",   "png",  "jpg",  "jpeg",
        "gif",  "svg",  "mp3",  "mp4",  "wav",  "avi",  "mov",  "mkv",  "flac", "ogg",
        "exe",  "dll",  "css",  "cpp",  "java", "log",  "ini",  "cfg",  "conf", "sql",
        NULL};
    char text[8];
    if (n == 0 || n >= sizeof text)
        return false;
    for (size_t i = 0; i <= n; i++)
        text[i] = i < n ? taco_char_lower(label[i]) : '\0';
    for (const char *const *d = domains; *d; d++)
        if (strcmp(*d, text) == 0)
            return true;
    return false;
}

/* The last label of a host: com and org are words, fr and html letters. */
static bool is_spelled_domain(const struct taco_reader *r, struct taco_part label) {
    static const char *const words[] = {"com",  "org",  "net",  "gov",  "info", "biz",
                                        "name", "app",  "dev",  "tech", "site", "shop",
                                        "blog", "page", "wiki", "java", "zip",  "log",
                                        "doc",  "mil",  "json", "me",   "conf", NULL};
    for (const char *const *w = words; *w; w++)
        if (taco_part_is(r, label, *w))
            return false;
    return true;
}

static const char *sign_name(char c) {
    static const struct {
        char sign;
        const char *spoken;
    } names[] = {
        {'.', "dot"},           {'/', "slash"},  {'-', "dash"},      {'_', "underscore"},
        {'?', "question mark"}, {'=', "equals"}, {'&', "ampersand"}, {'%', "percent"},
        {'#', "hash"},          {':', "colon"},  {'@', "at"},        {'~', "tilde"},
        {'+', "plus"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].sign == c)
            return names[i].spoken;
    return NULL;
}

static bool is_alphanumeric(char c) {
    return taco_char_is_word(c) || taco_char_is_digit(c);
}

/* The letters and digits of an address, every sign by its name, digits one by one. */
static void read_address(struct taco_reader *r, struct taco_part part) {
    for (uint32_t i = part.begin; i < part.end;) {
        uint32_t digits = taco_reader_run(r, i, part.end, taco_char_is_digit);
        uint32_t word = taco_reader_run(r, i, part.end, taco_char_is_word);
        const char *name = sign_name(r->window[i]);
        struct taco_part piece = {i, i + 1};
        if (digits > i) {
            piece.end = digits;
            taco_reader_part(r, TACO_READ_DIGITS, piece);
        } else if (word > i) {
            piece.end = word;
            bool last = i > part.begin && r->window[i - 1] == '.' &&
                        !is_alphanumeric(r->window[word]) && r->window[word] != '.' &&
                        r->window[word] != '@';
            if (last && taco_is_domain(r->window + i, word - i) &&
                is_spelled_domain(r, piece))
                taco_reader_part(r, TACO_READ_LETTERS, piece);
            else
                taco_reader_word(r, piece);
        } else if (name && !(r->window[i] == '/' && i + 1 == part.end)) {
            taco_reader_words(r, name, piece);
        } else if (!name) {
            taco_reader_mixed(r, piece);
        }
        i = piece.end;
    }
}

/* scheme://rest: nobody says the scheme of a page. 1 scheme, 2 rest */
bool taco_rule_url(struct taco_reader *r, const struct taco_match *m) {
    struct taco_part scheme = m->group[1];
    if (!taco_part_is(r, scheme, "http") && !taco_part_is(r, scheme, "https")) {
        taco_reader_word(r, scheme);
        taco_reader_words(r, "colon slash slash",
                          (struct taco_part){scheme.end, scheme.end + 3});
    }
    read_address(r, m->group[2]);
    return true;
}

bool taco_rule_address(struct taco_reader *r, const struct taco_match *m) {
    read_address(r, m->group[0]);
    return true;
}

static void read_port(struct taco_reader *r, struct taco_part port) {
    taco_reader_words(r, "colon", (struct taco_part){port.begin - 1, port.begin});
    taco_reader_part(r,
                     port.end - port.begin == 4  ? TACO_READ_YEAR
                     : port.end - port.begin < 4 ? TACO_READ_NUMBER
                                                 : TACO_READ_DIGITS,
                     port);
}

/* 192.168.1.1:8000/path; 1 address, 2 port, 3 rest */
bool taco_rule_ip(struct taco_reader *r, const struct taco_match *m) {
    for (uint32_t i = m->group[1].begin; i < m->group[1].end;) {
        uint32_t end = taco_reader_run(r, i, m->group[1].end, taco_char_is_digit);
        if (end > i)
            taco_reader_part(r, TACO_READ_NUMBER, (struct taco_part){i, end});
        if (end < m->group[1].end)
            taco_reader_words(r, "dot", (struct taco_part){end, end + 1});
        i = end + 1;
    }
    if (taco_match_has(m, 2))
        read_port(r, m->group[2]);
    if (taco_match_has(m, 3))
        read_address(r, (struct taco_part){m->group[3].begin - 1, m->group[3].end});
    return true;
}

/* localhost:7860/path; 1 or 2 host, 3 port, 4 rest */
bool taco_rule_port(struct taco_reader *r, const struct taco_match *m) {
    struct taco_part host = m->group[taco_match_has(m, 1) ? 1 : 2];
    if (!taco_match_has(m, 1) && !taco_part_is(r, host, "localhost"))
        return false;
    read_address(r, host);
    read_port(r, m->group[3]);
    if (taco_match_has(m, 4))
        read_address(r, (struct taco_part){m->group[4].begin - 1, m->group[4].end});
    return true;
}

/* -- numbers that are names ------------------------------------------------------ */

/* 2.0.1, v2.0.1; 1 the numbers */
bool taco_rule_version(struct taco_reader *r, const struct taco_match *m) {
    struct taco_part all = m->group[0];
    if (all.begin < m->group[1].begin)
        taco_reader_part(r, TACO_READ_LETTERS,
                         (struct taco_part){all.begin, all.begin + 1});
    for (uint32_t i = m->group[1].begin; i < m->group[1].end;) {
        uint32_t end = taco_reader_run(r, i, m->group[1].end, taco_char_is_digit);
        taco_reader_part(r, end - i > 4 ? TACO_READ_DIGITS : TACO_READ_NUMBER,
                         (struct taco_part){i, end});
        if (end < m->group[1].end)
            taco_reader_words(r, "point", (struct taco_part){end, end + 1});
        i = end + 1;
    }
    return true;
}

/* Telephone numbers, social security numbers, ZIP codes. */
bool taco_rule_phone(struct taco_reader *r, const struct taco_match *m) {
    taco_reader_digit_groups(r, m->group[0]);
    return true;
}

/* 401(k), 501(c)(3): 1 number, 2 letter, 3 number */
bool taco_rule_plan(struct taco_reader *r, const struct taco_match *m) {
    taco_reader_part(r, TACO_READ_YEAR, m->group[1]);
    taco_reader_part(r, TACO_READ_LETTERS, m->group[2]);
    if (taco_match_has(m, 3))
        taco_reader_part(r, TACO_READ_NUMBER, m->group[3]);
    return true;
}

/* ending in 8876; 1 digits */
bool taco_rule_ending(struct taco_reader *r, const struct taco_match *m) {
    static const char *const verbs[] = {"ending", "ends", NULL};
    uint32_t value = taco_part_number(r, m->group[1]);
    bool year = value >= 1100 && value < 2100;
    if (year || !taco_reader_after(r, verbs))
        return false;
    taco_reader_words(r, "in",
                      (struct taco_part){m->group[0].begin, m->group[0].begin + 2});
    taco_reader_part(r, TACO_READ_DIGITS, m->group[1]);
    return true;
}
