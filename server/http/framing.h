/* What the headers of a request say about where it ends.
 *
 * The server in front of us and we must agree on that: what one takes for the body the other
 * could take for a second request (request smuggling, RFC 9112, section 11.2). Whatever two
 * readers could understand differently is refused and ends the connection. */
#ifndef TACO_SERVER_FRAMING_H
#define TACO_SERVER_FRAMING_H

#include <microhttpd.h>
#include <stdbool.h>
#include <stddef.h>
#include <taco/status.h>

struct taco_framing {
    size_t header_bytes;    /* of all headers together */
    const char *length;     /* Content-Length, or NULL */
    const char *coding;     /* Content-Encoding other than identity, or NULL */
    bool is_chunked;        /* Transfer-Encoding is there */
    bool is_unknown_coding; /* it is not just chunked */
    bool has_two_lengths;
    bool has_blank;  /* in a header's name: to some, "Content-Length : 5" is a length */
    bool has_folded; /* a header goes on in a second line */
    unsigned n_hosts;
};

struct taco_framing taco_framing_read(struct MHD_Connection *connection);

/* version is "HTTP/1.1". TACO_ERR_INVALID_ARGUMENT: a message whose end or whose host is
 * ambiguous; the connection must be closed after the answer. */
TACO_MUST_CHECK enum taco_status taco_framing_check(const struct taco_framing *framing,
                                                    const char *version,
                                                    struct taco_error *err);

#endif
