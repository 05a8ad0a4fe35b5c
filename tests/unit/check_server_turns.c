/* server/: clients take turns on the workers, and answers share the response budget. */
#include <check.h>

#include "speech/budget.h"
#include "speech/turns.h"
#include "support/runner.h"

/* -- turns --------------------------------------------------------------------------- */

static struct taco_turns *turns;
static struct taco_turn a, b, c;

static void setup(void) {
    ck_assert_int_eq(taco_turns_create(&turns, NULL), TACO_OK);
    a = b = c = (struct taco_turn){NULL};
}

static void teardown(void) {
    taco_turns_leave(turns, &a);
    taco_turns_leave(turns, &b);
    taco_turns_leave(turns, &c);
    taco_turns_destroy(turns);
}

START_TEST(who_had_less_goes_first) {
    ck_assert_int_eq(taco_turns_enter(turns, 1, &a, NULL), TACO_OK);
    ck_assert_int_eq(taco_turns_enter(turns, 2, &b, NULL), TACO_OK);
    taco_turns_charge(turns, &a, 0.5);
    ck_assert_uint_gt(taco_turns_priority(turns, &a), taco_turns_priority(turns, &b));
    taco_turns_charge(turns, &b, 0.75);
    ck_assert_uint_lt(taco_turns_priority(turns, &a), taco_turns_priority(turns, &b));
    /* All works of a client are charged together. */
    ck_assert_int_eq(taco_turns_enter(turns, 2, &c, NULL), TACO_OK);
    ck_assert_uint_eq(taco_turns_priority(turns, &b), taco_turns_priority(turns, &c));
}
END_TEST

START_TEST(a_newcomer_starts_where_the_others_stand) {
    ck_assert_int_eq(taco_turns_enter(turns, 1, &a, NULL), TACO_OK);
    for (int i = 0; i < 10; i++)
        taco_turns_charge(turns, &a, 1);
    ck_assert_int_eq(taco_turns_enter(turns, 2, &b, NULL), TACO_OK);
    /* Before the old one, but not by all that it has had. */
    uint64_t old = taco_turns_priority(turns, &a), new = taco_turns_priority(turns, &b);
    ck_assert_uint_lt(new, old);
    ck_assert_uint_le(old - new, 1000000000);
    /* Nobody gains by leaving and coming back. */
    taco_turns_charge(turns, &b, 0.25);
    taco_turns_leave(turns, &b);
    ck_assert_int_eq(taco_turns_enter(turns, 2, &b, NULL), TACO_OK);
    ck_assert_uint_ge(taco_turns_priority(turns, &b), new);
}
END_TEST

/* -- the budget ---------------------------------------------------------------------- */

START_TEST(a_budget_is_never_exceeded) {
    atomic_ullong total;
    atomic_init(&total, 0);
    struct taco_budget one, other;
    taco_budget_open(&one, &total, 1000);
    taco_budget_open(&other, &total, 1000);
    struct taco_error err = TACO_ERROR_INIT;
    ck_assert_int_eq(taco_budget_take(&one, 600, &err), TACO_OK);
    ck_assert_int_eq(taco_budget_take(&other, 400, &err), TACO_OK);
    ck_assert_int_eq(taco_budget_take(&other, 1, &err), TACO_ERR_BUSY);
    err = (struct taco_error)TACO_ERROR_INIT;
    ck_assert_int_eq(taco_budget_take(&one, 401, &err), TACO_ERR_TEXT_TOO_LONG);
    err = (struct taco_error)TACO_ERROR_INIT;
    ck_assert_int_eq(taco_budget_take(&one, UINT64_MAX, &err), TACO_ERR_TEXT_TOO_LONG);
    taco_budget_close(&one);
    ck_assert_uint_eq(atomic_load(&total), 400);
    ck_assert_int_eq(taco_budget_take(&other, 600, NULL), TACO_OK);
    taco_budget_close(&other);
    ck_assert_uint_eq(atomic_load(&total), 0);
}
END_TEST

START_TEST(bytes_are_counted_as_they_grow) {
    atomic_ullong total;
    atomic_init(&total, 0);
    struct taco_budget budget;
    taco_budget_open(&budget, &total, 100000);
    struct taco_bytes bytes = {NULL, 0, 0};
    int n = 0;
    while (taco_budget_reserve(&budget, &bytes, 1000, NULL) == TACO_OK) {
        static const char some[1000];
        size_t room = bytes.capacity;
        ck_assert(taco_bytes_add(&bytes, some, sizeof some));
        ck_assert_uint_eq(bytes.capacity, room); /* the reserve was enough */
        ck_assert_uint_eq(atomic_load(&total), bytes.capacity);
        n++;
    }
    ck_assert_int_gt(n, 60);
    ck_assert_int_lt(n, 100);
    taco_bytes_free(&bytes);
    taco_budget_close(&budget);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("server turns");
    TCase *tc = tcase_create("turns");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, who_had_less_goes_first);
    tcase_add_test(tc, a_newcomer_starts_where_the_others_stand);
    tcase_add_test(tc, a_budget_is_never_exceeded);
    tcase_add_test(tc, bytes_are_counted_as_they_grow);
    suite_add_tcase(suite, tc);
    return test_run(suite);
}
