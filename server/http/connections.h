/* The open connections, and the time within which each has to bring the headers of a request.
 *
 * The HTTP library closes a connection on which nothing moves; one that brings a byte now and
 * then would stay for ever. Its headers have to be complete in as long as it may be idle, from
 * its beginning or from the end of the request before. */
#ifndef TACO_SERVER_CONNECTIONS_H
#define TACO_SERVER_CONNECTIONS_H

#include <taco/status.h>

struct taco_connection;
struct taco_connections;
struct taco_exchange;

/* Starts a thread that shuts down the sockets of those whose seconds are over.
 * TACO_ERR_NO_MEMORY, TACO_ERR_IO. The functions below are thread-safe. */
TACO_MUST_CHECK enum taco_status
taco_connections_create(struct taco_connections **connections, double seconds,
                        struct taco_error *err);
/* None may be left. NULL is allowed. */
void taco_connections_destroy(struct taco_connections *connections);

/* A connection has been accepted; its time begins. NULL: no memory, its time is not kept. */
struct taco_connection *taco_connections_add(struct taco_connections *connections,
                                             int fd);

/* It is about to be closed; fd is not touched any more. connection NULL is allowed here and
 * below. */
void taco_connections_remove(struct taco_connections *connections,
                             struct taco_connection *connection);

/* Sets the exchange of which no header is known yet, NULL: there is none; returns the one
 * before. On the connection's own thread. */
struct taco_exchange *taco_connections_expect(struct taco_connection *connection,
                                              struct taco_exchange *x);

/* The connection has to bring the headers of its next request in time. */
void taco_connections_expect_headers(struct taco_connections *connections,
                                     struct taco_connection *connection);

/* Shuts the connection down at that time, in seconds of taco_clock_now; 0: never. Replaces
 * the deadline before. */
void taco_connections_set_deadline(struct taco_connections *connections,
                                   struct taco_connection *connection, double deadline);

#endif
