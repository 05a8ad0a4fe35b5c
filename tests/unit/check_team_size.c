/* engine/team_size.h on simulated machines: it finds the best size, keeps off bad ones,
 * and follows when the machine changes. */
#include "engine/team_size.h"
#include "support/numbers.h"
#include "support/runner.h"

/* Seconds of a step with n threads, as a machine would take them. */
typedef double machine(int n_threads, uint64_t *seed);

/* Scales with the threads. */
static double free_machine(int n, uint64_t *seed) {
    return 1e-3 / n * (1 + 0.05 * (double)test_random_float(seed));
}

/* Processors are taken by others: each thread more waits its turn. */
static double busy_machine(int n, uint64_t *seed) {
    return 1e-3 * (n > 1 ? 5 * n : 1) * (1 + 0.3 * (double)test_random_float(seed));
}

/* Best with four: more only meet more often. */
static double four_machine(int n, uint64_t *seed) {
    return (n <= 4 ? 1e-3 / n : 1e-3 / 4 * (n / 4.0)) *
           (1 + 0.1 * (double)test_random_float(seed));
}

/* Now and then a step is interrupted for long. */
static double nervous_machine(int n, uint64_t *seed) {
    return 1e-3 / n * (test_random_below(seed, 20) == 0 ? 30 : 1);
}

struct run {
    double seconds;
    int counts[257]; /* steps by size */
};

static struct run run_steps(struct taco_team_size *size, machine *take, int n_steps,
                            int n_rows, int limit) {
    struct run run = {0};
    uint64_t seed = 1;
    for (int i = 0; i < n_steps; i++) {
        int n = taco_team_size_choose(size, n_rows, limit);
        ck_assert_int_ge(n, 1);
        ck_assert_int_le(n, limit);
        double seconds = take(n, &seed);
        taco_team_size_learn(size, n_rows, n, seconds);
        run.seconds += seconds;
        run.counts[n]++;
    }
    return run;
}

START_TEST(one_thread_has_no_choice) {
    struct taco_team_size size = {0};
    ck_assert_int_eq(run_steps(&size, busy_machine, 500, 1, 1).counts[1], 500);
}
END_TEST

START_TEST(a_free_machine_is_used_whole) {
    static const int limits[] = {2, 3, 6, 8, 256};
    struct taco_team_size size = {0};
    int limit = limits[_i];
    (void)run_steps(&size, free_machine, 1000, 1, limit);
    struct run run = run_steps(&size, free_machine, 1000, 1, limit);
    ck_assert_int_gt(run.counts[limit], 940);
}
END_TEST

START_TEST(a_busy_machine_is_left_alone) {
    struct taco_team_size size = {0};
    struct run run = run_steps(&size, busy_machine, 5000, 1, 8);
    ck_assert_int_gt(run.counts[1], 4900);
    ck_assert(run.seconds < 1.1 * 5000 * 1e-3);
}
END_TEST

START_TEST(the_best_lies_between) {
    struct taco_team_size size = {0};
    (void)run_steps(&size, four_machine, 500, 1, 16);
    struct run run = run_steps(&size, four_machine, 2000, 1, 16);
    ck_assert_int_gt(run.counts[4], 1800);
}
END_TEST

START_TEST(a_step_that_was_interrupted_does_not_mislead) {
    struct taco_team_size size = {0};
    (void)run_steps(&size, nervous_machine, 500, 1, 2);
    struct run run = run_steps(&size, nervous_machine, 4000, 1, 2);
    ck_assert_int_gt(run.counts[2], 3000);
}
END_TEST

START_TEST(it_follows_the_machine) {
    struct taco_team_size size = {0};
    (void)run_steps(&size, free_machine, 1000, 1, 4);
    (void)run_steps(&size, busy_machine, 400, 1, 4);
    ck_assert_int_gt(run_steps(&size, busy_machine, 1000, 1, 4).counts[1], 900);
    (void)run_steps(&size, free_machine, 10000, 1, 4);
    ck_assert_int_gt(run_steps(&size, free_machine, 1000, 1, 4).counts[4], 900);
}
END_TEST

START_TEST(small_and_large_batches_are_learnt_apart) {
    struct taco_team_size size = {0};
    (void)run_steps(&size, busy_machine, 500, 1, 2);
    (void)run_steps(&size, free_machine, 500, 64, 2);
    ck_assert_int_gt(run_steps(&size, busy_machine, 500, 1, 2).counts[1], 480);
    ck_assert_int_gt(run_steps(&size, free_machine, 500, 33, 2).counts[2], 450);
}
END_TEST

/* Workers come and go: the limit changes from step to step. */
START_TEST(the_limit_holds_at_every_step) {
    struct taco_team_size size = {0};
    uint64_t seed = 5;
    for (int i = 0; i < 5000; i++) {
        int limit = 1 + (int)test_random_below(&seed, 8);
        int rows = 1 + (int)test_random_below(&seed, 64);
        int n = taco_team_size_choose(&size, rows, limit);
        ck_assert_int_ge(n, 1);
        ck_assert_int_le(n, limit);
        taco_team_size_learn(&size, rows, n, free_machine(n, &seed));
    }
}
END_TEST

int main(void) {
    Suite *suite = suite_create("team_size");
    TCase *tc = tcase_create("team_size");
    tcase_add_test(tc, one_thread_has_no_choice);
    tcase_add_loop_test(tc, a_free_machine_is_used_whole, 0, 5);
    tcase_add_test(tc, a_busy_machine_is_left_alone);
    tcase_add_test(tc, the_best_lies_between);
    tcase_add_test(tc, a_step_that_was_interrupted_does_not_mislead);
    tcase_add_test(tc, it_follows_the_machine);
    tcase_add_test(tc, small_and_large_batches_are_learnt_apart);
    tcase_add_test(tc, the_limit_holds_at_every_step);
    suite_add_tcase(suite, tc);
    return test_run(suite);
}
