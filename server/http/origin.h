/* Which requests a server without API keys accepts.
 *
 * Any web page can make its visitor's browser send requests to 127.0.0.1, and with DNS
 * rebinding it can read the responses, too: its own host name then resolves to 127.0.0.1, so
 * that the browser takes the server for the page's origin. Two headers that a page cannot
 * forge tell such requests apart: Host names the server as the browser knows it, and Origin
 * and Sec-Fetch-Site name the page. Programs such as curl send neither Origin nor
 * Sec-Fetch-Site, and pages of this server are same-origin.
 *
 * https://fetch.spec.whatwg.org/#origin-header, https://www.w3.org/TR/fetch-metadata/ */
#ifndef TACO_SERVER_ORIGIN_H
#define TACO_SERVER_ORIGIN_H

#include <stdbool.h>
#include <taco/status.h>

struct taco_exchange;
struct taco_options;

/* Checks that every --allow-host is a host name, an IP address or *.
 * TACO_ERR_INVALID_ARGUMENT. */
TACO_MUST_CHECK enum taco_status
taco_origin_check_options(const struct taco_options *options, struct taco_error *err);

/* 0, or TACO_CODE_HOST_NOT_ALLOWED or TACO_CODE_CROSS_SITE, described in err. Called
 * when the headers and the route are known. Requests over UNIX sockets, and all requests to a
 * server with keys, pass. */
TACO_MUST_CHECK int taco_origin_check(const struct taco_exchange *x,
                                      struct taco_error *err);

#endif
