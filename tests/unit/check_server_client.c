/* server/http/client.h: who is the same client and who is not. */
#include <arpa/inet.h>
#include <check.h>
#include <netinet/in.h>
#include <sys/un.h>

#include "http/client.h"
#include "support/runner.h"

static uint64_t ipv4(const char *text, uint16_t port) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
    ck_assert_int_eq(inet_pton(AF_INET, text, &address.sin_addr), 1);
    return taco_client_of_address((const struct sockaddr *)&address);
}

static uint64_t ipv6(const char *text) {
    struct sockaddr_in6 address = {.sin6_family = AF_INET6};
    ck_assert_int_eq(inet_pton(AF_INET6, text, &address.sin6_addr), 1);
    return taco_client_of_address((const struct sockaddr *)&address);
}

START_TEST(nobody_known_is_0_and_nobody_else) {
    struct sockaddr_un path = {.sun_family = AF_UNIX};
    ck_assert_uint_eq(taco_client_of_address(NULL), 0);
    ck_assert_uint_ne(taco_client_of_address((const struct sockaddr *)&path), 0);
    ck_assert_uint_ne(ipv4("0.0.0.0", 0), 0);
    ck_assert_uint_ne(ipv6("::"), 0);
    ck_assert_uint_ne(taco_client_of_key(""), 0);
}
END_TEST

START_TEST(an_address_is_a_client_whatever_its_port) {
    ck_assert_uint_eq(ipv4("127.0.0.1", 1), ipv4("127.0.0.1", 2));
    ck_assert_uint_ne(ipv4("127.0.0.1", 1), ipv4("127.0.0.2", 1));
}
END_TEST

START_TEST(a_network_of_ipv6_is_a_client) {
    ck_assert_uint_eq(ipv6("2001:db8::1"), ipv6("2001:db8::ffff:1"));
    ck_assert_uint_ne(ipv6("2001:db8::1"), ipv6("2001:db8:0:1::1"));
    ck_assert_uint_ne(ipv6("2001:db8::1"), ipv6("2001:db9::1"));
}
END_TEST

START_TEST(kinds_never_meet) {
    struct sockaddr_un path = {.sun_family = AF_UNIX};
    uint64_t clients[] = {ipv4("0.0.0.0", 0), ipv6("::"), taco_client_of_key(""),
                          taco_client_of_address((const struct sockaddr *)&path)};
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < i; j++)
            ck_assert_uint_ne(clients[i], clients[j]);
    ck_assert_uint_ne(taco_client_of_key("a"), taco_client_of_key("b"));
    ck_assert_uint_eq(taco_client_of_key("a"), taco_client_of_key("a"));
}
END_TEST

int main(void) {
    Suite *suite = suite_create("server client");
    TCase *tc = tcase_create("client");
    tcase_add_test(tc, nobody_known_is_0_and_nobody_else);
    tcase_add_test(tc, an_address_is_a_client_whatever_its_port);
    tcase_add_test(tc, a_network_of_ipv6_is_a_client);
    tcase_add_test(tc, kinds_never_meet);
    suite_add_tcase(suite, tc);
    return test_run(suite);
}
