/* Who asks: a number for each client, by which the queue is shared out fairly. */
#ifndef TACO_SERVER_CLIENT_H
#define TACO_SERVER_CLIENT_H

#include <stdint.h>
#include <sys/socket.h>

/* Of the one whose address that is: an IPv4 address, the /64 network of an IPv6 one (a
 * host has all of it); everybody on a UNIX socket is one. NULL is nobody known, 0; no
 * other client is 0. */
uint64_t taco_client_of_address(const struct sockaddr *address);

/* Of the one whose key has that name. */
uint64_t taco_client_of_key(const char *name);

#endif
