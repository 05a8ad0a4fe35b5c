/* base/cpu.h. The flags are found once a process, so every case runs in one of its own.
 */
#include <check.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cpu.h"
#include "base/log.h"
#include "support/runner.h"

static int n_warnings;

static void count(void *user, enum taco_log_level level, const char *line) {
    (void)user;
    n_warnings += level == TACO_LOG_WARNING && strstr(line, "TACO_CPU") != NULL;
}

/* The flags that a process with TACO_CPU=level (NULL: not set) finds, and its warnings.
 */
static uint32_t flags_with(const char *level, int *warnings) {
    int fds[2];
    ck_assert_int_eq(pipe(fds), 0);
    pid_t pid = fork();
    ck_assert_int_ge(pid, 0);
    if (pid == 0) {
        if (level)
            setenv("TACO_CPU", level, 1);
        else
            unsetenv("TACO_CPU");
        taco_log_set(count, NULL, TACO_LOG_DEBUG);
        uint32_t answer[2] = {taco_cpu_flags(), 0};
        answer[0] = taco_cpu_flags();
        answer[1] = (uint32_t)n_warnings;
        _exit(write(fds[1], answer, sizeof answer) != sizeof answer);
    }
    uint32_t answer[2];
    close(fds[1]);
    ck_assert_int_eq((int)read(fds[0], answer, sizeof answer), (int)sizeof answer);
    close(fds[0]);
    int status;
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    *warnings = (int)answer[1];
    return answer[0];
}

START_TEST(a_level_lowers_and_never_raises) {
    int warnings;
    uint32_t all = flags_with(NULL, &warnings);
    ck_assert_int_eq(warnings, 0);
    ck_assert_uint_eq(flags_with("", &warnings), all);
    ck_assert_int_eq(warnings, 0);
    ck_assert_uint_eq(flags_with("scalar", &warnings), 0);
    const uint32_t avx512 = TACO_CPU_AVX2 | TACO_CPU_AVX512;
    const uint32_t vnni = avx512 | TACO_CPU_AVX512_VNNI | TACO_CPU_AVX512_BF16;
    ck_assert_uint_eq(flags_with("avx2", &warnings), all & TACO_CPU_AVX2);
    ck_assert_uint_eq(flags_with("avx512", &warnings), all & avx512);
    ck_assert_uint_eq(flags_with("vnni", &warnings), all & vnni);
    ck_assert_uint_eq(flags_with("amx", &warnings), all & (vnni | TACO_CPU_AMX));
    ck_assert_uint_eq(flags_with("neon", &warnings), all & TACO_CPU_NEON);
    ck_assert_uint_eq(flags_with("dotprod", &warnings),
                      all & (TACO_CPU_NEON | TACO_CPU_DOTPROD));
    ck_assert_int_eq(warnings, 0);
}
END_TEST

START_TEST(an_unknown_level_is_ignored_with_a_warning) {
    int warnings;
    uint32_t all = flags_with(NULL, &warnings);
    ck_assert_uint_eq(flags_with("AVX9000", &warnings), all);
    ck_assert_int_eq(warnings, 1);
}
END_TEST

/* An instruction set comes with those below it. */
START_TEST(flags_are_consistent) {
    int warnings;
    uint32_t all = flags_with(NULL, &warnings);
    if (all & TACO_CPU_AVX512)
        ck_assert(all & TACO_CPU_AVX2);
    if (all & (TACO_CPU_AVX512_VNNI | TACO_CPU_AVX512_BF16))
        ck_assert(all & TACO_CPU_AVX512);
    if (all & TACO_CPU_AMX)
        ck_assert((all & TACO_CPU_AVX512_VNNI) && (all & TACO_CPU_AVX512_BF16));
    if (all & TACO_CPU_DOTPROD)
        ck_assert(all & TACO_CPU_NEON);
    if (all & TACO_CPU_NEON)
        ck_assert(!(all & ~(uint32_t)(TACO_CPU_NEON | TACO_CPU_DOTPROD)));
#if defined(__x86_64__)
    /* What the kernel shows a user it lets him use. */
    FILE *file = fopen("/proc/cpuinfo", "r");
    char line[8192];
    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, "flags", 5) == 0) {
            ck_assert_int_eq((all & TACO_CPU_AVX2) != 0,
                             strstr(line, " avx2") != NULL &&
                                 strstr(line, " fma") != NULL &&
                                 strstr(line, " f16c") != NULL);
            ck_assert_int_eq((all & TACO_CPU_AVX512) != 0,
                             strstr(line, " avx512f") && strstr(line, " avx512bw") &&
                                 strstr(line, " avx512dq") && strstr(line, " avx512vl"));
            break;
        }
    if (file)
        fclose(file);
#endif
}
END_TEST

int main(void) {
    Suite *suite = suite_create("cpu");
    TCase *tc = tcase_create("cpu");
    tcase_add_test(tc, a_level_lowers_and_never_raises);
    tcase_add_test(tc, an_unknown_level_is_ignored_with_a_warning);
    tcase_add_test(tc, flags_are_consistent);
    suite_add_tcase(suite, tc);
    return test_run(suite);
}
