/* base/rng.h: known answers, and what callers rely on. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "support/runner.h"

/* Known answers of Philox 4x32-10, published with Random123 (kat_vectors). */
START_TEST(known_answers) {
    uint32_t out[4];
    struct taco_rng_key zero = {0, 0, 0};
    taco_rng_u32(&zero, 0, 0, 4, out);
    const uint32_t of_zero[4] = {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8};
    ck_assert_mem_eq(out, of_zero, sizeof out);

    struct taco_rng_key pi = {0x299f31d0a4093822, 0x13198a2e, 0x03707344};
    taco_rng_u32(&pi, 0x85a308d3, 0x243f6a88u * 4, 4, out);
    const uint32_t of_pi[4] = {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1};
    ck_assert_mem_eq(out, of_pi, sizeof out);
}
END_TEST

START_TEST(a_number_depends_on_its_place_alone) {
    struct taco_rng_key key = {42, 3, TACO_RNG_PRENET_0 + 1};
    uint32_t all[64], some[64];
    float uniform[64], some_uniform[64];
    taco_rng_u32(&key, 9, 0, 64, all);
    taco_rng_uniform(&key, 9, 0, 64, uniform);
    for (uint32_t first = 0; first < 64; first++)
        for (size_t n = 0; n + first <= 64; n++) {
            memset(some, 0, sizeof some);
            taco_rng_u32(&key, 9, first, n, some);
            ck_assert_mem_eq(some, all + first, n * sizeof *all);
            ck_assert(n == 64 || some[n] == 0);
            taco_rng_uniform(&key, 9, first, n, some_uniform);
            ck_assert_mem_eq(some_uniform, uniform + first, n * sizeof *uniform);
        }
}
END_TEST

START_TEST(each_part_of_the_key_matters) {
    const struct taco_rng_key keys[] = {
        {1, 0, 0}, {2, 0, 0}, {1 + ((uint64_t)1 << 40), 0, 0}, {1, 1, 0}, {1, 0, 1}};
    uint32_t out[6][8];
    for (size_t i = 0; i < 5; i++)
        taco_rng_u32(&keys[i], 0, 0, 8, out[i]);
    taco_rng_u32(&keys[0], 1, 0, 8, out[5]);
    for (size_t i = 0; i < 6; i++)
        for (size_t j = 0; j < i; j++)
            for (size_t lane = 0; lane < 8; lane++)
                ck_assert_uint_ne(out[i][lane], out[j][lane]);
}
END_TEST

START_TEST(uniform_numbers_are_uniform) {
    enum { N = 100000, BINS = 16 };
    float *out = malloc(N * sizeof *out);
    struct taco_rng_key key = {7, 0, TACO_RNG_PHASE};
    taco_rng_uniform(&key, 0, 0, N, out);
    int bins[BINS] = {0};
    for (size_t i = 0; i < N; i++) {
        ck_assert(out[i] >= 0.0f && out[i] < 1.0f);
        bins[(int)(out[i] * BINS)]++;
    }
    double chi_square = 0;
    for (int b = 0; b < BINS; b++)
        chi_square += pow(bins[b] - N / (double)BINS, 2) / (N / (double)BINS);
    ck_assert_double_lt(chi_square, 37.7); /* 15 degrees of freedom: 0.1 % */
    free(out);
}
END_TEST

START_TEST(dropout_drops_what_is_below_p) {
    const float ps[] = {0.0f, 0.1f, 0.5f, 0.999f};
    struct taco_rng_key key = {8, 1, TACO_RNG_PRENET_0};
    for (int i = 0; i < 4; i++) {
        float out[1000], uniform[1000];
        taco_rng_dropout(&key, 5, ps[i], 1000, out);
        taco_rng_uniform(&key, 5, 0, 1000, uniform);
        for (size_t lane = 0; lane < 1000; lane++)
            ck_assert(out[lane] ==
                      (uniform[lane] < ps[i] ? 0.0f : 1.0f / (1.0f - ps[i])));
    }
}
END_TEST

START_TEST(drawn_seeds_fit_into_json_and_differ) {
    uint64_t seeds[16];
    for (int i = 0; i < 16; i++) {
        seeds[i] = taco_rng_draw_seed();
        ck_assert_uint_lt(seeds[i], (uint64_t)1 << 53);
        for (int j = 0; j < i; j++)
            ck_assert_uint_ne(seeds[i], seeds[j]);
    }
}
END_TEST

int main(void) {
    Suite *suite = suite_create("rng");
    TCase *tc = tcase_create("rng");
    tcase_add_test(tc, known_answers);
    tcase_add_test(tc, a_number_depends_on_its_place_alone);
    tcase_add_test(tc, each_part_of_the_key_matters);
    tcase_add_test(tc, uniform_numbers_are_uniform);
    tcase_add_test(tc, dropout_drops_what_is_below_p);
    tcase_add_test(tc, drawn_seeds_fit_into_json_and_differ);
    suite_add_tcase(suite, tc);
    return test_run(suite);
}
