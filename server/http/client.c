#include "http/client.h"

#include <netinet/in.h>
#include <string.h>

/* What a client is known by, in the upper bits, so that kinds never meet. */
enum { BY_IPV4 = 1, BY_IPV6, BY_UNIX, BY_KEY };

#define OF_KIND(kind) ((uint64_t)(kind) << 56)

/* splitmix64's finalizer (Steele, Lea, Flood 2014): a bijection, so what differs stays
 * different before it is cut to 56 bits. */
static uint64_t mix(uint64_t x) {
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

uint64_t taco_client_of_address(const struct sockaddr *address) {
    if (!address)
        return 0;
    switch (address->sa_family) {
    case AF_INET: {
        struct sockaddr_in ipv4;
        memcpy(&ipv4, address, sizeof ipv4);
        return OF_KIND(BY_IPV4) | ipv4.sin_addr.s_addr;
    }
    case AF_INET6: {
        struct sockaddr_in6 ipv6;
        uint64_t network;
        memcpy(&ipv6, address, sizeof ipv6);
        if (IN6_IS_ADDR_V4MAPPED(&ipv6.sin6_addr)) { /* through a dual-stack socket */
            uint32_t ipv4;
            memcpy(&ipv4, ipv6.sin6_addr.s6_addr + 12, sizeof ipv4);
            return OF_KIND(BY_IPV4) | ipv4;
        }
        memcpy(&network, ipv6.sin6_addr.s6_addr, sizeof network);
        return OF_KIND(BY_IPV6) | mix(network) >> 8;
    }
    default:
        return OF_KIND(BY_UNIX);
    }
}

uint64_t taco_client_of_key(const char *name) {
    uint64_t h = UINT64_C(14695981039346656037); /* FNV-1a, 64 bits */
    for (; *name; name++)
        h = (h ^ (unsigned char)*name) * UINT64_C(1099511628211);
    return OF_KIND(BY_KEY) | mix(h) >> 8;
}
