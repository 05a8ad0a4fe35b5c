/* GET / and the page's files, which the binary carries. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "api/handlers.h"
#include "http/etag.h"
#include "http/reply.h"

#define PAGE_FILE(n, name, path)                                                         \
    extern const unsigned char taco_page_##n[], taco_page_##n##_end[];
#include "page_files.inc"
#undef PAGE_FILE

static const struct page_file {
    const char *name;
    const unsigned char *begin, *end;
} files[] = {
#define PAGE_FILE(n, name, path) {name, taco_page_##n, taco_page_##n##_end},
#include "page_files.inc"
#undef PAGE_FILE
};

static const struct {
    const char *ending, *media_type;
} types[] = {
    {".html", "text/html; charset=utf-8"},
    {".css", "text/css; charset=utf-8"},
    {".js", "text/javascript; charset=utf-8"},
    {".svg", "image/svg+xml"},
    {".png", "image/png"},
    {".ico", "image/x-icon"},
    {".json", "application/json"},
};

#define POLICY                                                                           \
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; "    \
    "media-src 'self' blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; "  \
    "frame-ancestors 'none'"

static const struct page_file *find(const char *name) {
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (strcmp(files[i].name, name) == 0)
            return &files[i];
    return NULL;
}

static const char *media_type_of(const char *name) {
    const char *ending = strrchr(name, '.');
    for (size_t i = 0; ending && i < sizeof types / sizeof *types; i++)
        if (strcmp(types[i].ending, ending) == 0)
            return types[i].media_type;
    return "application/octet-stream";
}

bool taco_page_exists(const struct taco_exchange *x) {
    return find(x->arguments[0]) != NULL;
}

enum MHD_Result taco_handle_page(struct taco_exchange *x) {
    const char *name = strcmp(x->path, "/") == 0 ? "index.html" : x->arguments[0];
    const struct page_file *file = find(name);
    if (!file)
        return taco_reply_error(x, TACO_ERR_INTERNAL, NULL);
    char tag[TACO_ETAG_SIZE];
    taco_etag_of(file->begin, (size_t)(file->end - file->begin), tag);
    const char *known = taco_exchange_header(x, MHD_HTTP_HEADER_IF_NONE_MATCH);
    bool same = known && taco_etag_is_in(known, tag);
    size_t size = same ? 0 : (size_t)(file->end - file->begin);
    struct MHD_Response *response = taco_response_static(file->begin, size);
    if (response) {
        taco_response_header(response, MHD_HTTP_HEADER_ETAG, "%s", tag);
        taco_response_header(response, MHD_HTTP_HEADER_CACHE_CONTROL, "no-cache");
        taco_response_header(response, "Content-Security-Policy", POLICY);
        taco_response_header(response, "Referrer-Policy", "no-referrer");
    }
    atomic_store(&x->n_sent, size);
    return taco_reply(x, same ? MHD_HTTP_NOT_MODIFIED : MHD_HTTP_OK, response,
                      media_type_of(name));
}
