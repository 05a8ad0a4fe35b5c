/* checkasm: proves the kernels of every instruction set that this processor has against
 * the scalar ones, over random sizes and structured inputs.
 *
 * Tolerances follow from the magnitudes that are summed. Arrays end at memory that must
 * not be touched, so that one element too many ends the program, with the kernel's name.
 * What may not depend on batch or split is compared bit for bit. */
#include "checkasm/checkasm.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cpu.h"
#include "kernels/tables.h"
#include "support/numbers.h"

enum { FRONT = 32, GUARD = 256 };
static const unsigned char canary = 0xA7;

static struct checkasm *current;

void checkasm_fail(struct checkasm *c, const char *format, ...) {
    if (++c->n_failures > 20)
        return;
    va_list args;
    va_start(args, format);
    printf("  FAILED %s %s: ", c->tested->isa, c->now);
    vprintf(format, args);
    printf("\n");
    va_end(args);
}

void checkasm_report(struct checkasm *c, const char *kernel, int n_before) {
    printf("  %-24s %s\n", kernel, c->n_failures == n_before ? "ok" : "FAILED");
    fflush(stdout);
}

static void on_fault(int number) {
    char text[160];
    int n = snprintf(
        text, sizeof text, "  FAILED %s %s: signal %d, memory out of bounds?\n",
        current ? current->tested->isa : "", current ? current->now : "", number);
    if (write(STDOUT_FILENO, text, (size_t)n) < 0)
        _exit(3);
    _exit(2);
}

static size_t page(void) {
    return (size_t)sysconf(_SC_PAGESIZE);
}

/* Bytes in front of the guard page. */
static size_t room_for(size_t n) {
    size_t bytes = (n + FRONT) * sizeof(float);
    return (bytes + page() - 1) / page() * page();
}

float *checkasm_floats(size_t n) {
    size_t room = room_for(n);
    unsigned char *map = mmap(NULL, room + page(), PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (map == MAP_FAILED || mprotect(map + room, page(), PROT_NONE) != 0) {
        perror("checkasm: memory");
        exit(3);
    }
    float *p = (float *)(void *)(map + room) - n;
    memset(p - FRONT, canary, FRONT * sizeof *p);
    return p;
}

bool checkasm_intact(const float *p) {
    const unsigned char *front = (const unsigned char *)(p - FRONT);
    for (size_t i = 0; i < FRONT * sizeof *p; i++)
        if (front[i] != canary)
            return false;
    return true;
}

void checkasm_free(float *p, size_t n) {
    size_t room = room_for(n);
    munmap((unsigned char *)(p + n) - room, room + page());
}

void *checkasm_scratch(size_t size) {
    unsigned char *p = aligned_alloc(64, (size + GUARD + 63) / 64 * 64);
    if (!p) {
        perror("checkasm: memory");
        exit(3);
    }
    memset(p, canary, size + GUARD);
    return p;
}

bool checkasm_scratch_intact(const void *p, size_t size) {
    const unsigned char *behind = (const unsigned char *)p + size;
    for (size_t i = 0; i < GUARD; i++)
        if (behind[i] != canary)
            return false;
    return true;
}

void checkasm_fill(struct checkasm *c, float scale, float *p, size_t n) {
    size_t plan = test_random_below(&c->seed, 8);
    float constant = scale * test_random_float(&c->seed);
    for (size_t i = 0; i < n; i++) {
        float u = test_random_float(&c->seed);
        switch (plan) {
        case 0:
            p[i] = constant;
            break;
        case 1:
            p[i] = test_random_below(&c->seed, 16) ? 0.0f : 8.0f * scale * u;
            break;
        case 2:
            p[i] = scale * u * (test_random_below(&c->seed, 2) ? 1e-20f : 1e12f);
            break;
        case 3:
            p[i] = u < 0.0f ? -0.0f : 0.0f;
            break;
        case 4:
            p[i] = i % 2 ? scale : -scale;
            break;
        default:
            p[i] = scale * u;
        }
    }
}

bool checkasm_same(float a, float b) {
    return memcmp(&a, &b, sizeof a) == 0 || (a != a && b != b);
}

static void usage(FILE *to) {
    fprintf(
        to,
        "usage: checkasm [options]\n"
        "Compares the kernels of each instruction set with the scalar ones.\n"
        "  --isa NAME      only this table\n"
        "  --rounds N      random cases a kernel (default 150)\n"
        "  --seed N        of the random cases (default 1)\n"
        "  --all-floats    also the errors of exp, sigmoid and tanh over every float\n"
        "  --bench         also times\n"
        "  --help\n"
        "Exit code: 0 when all agree, 1 when one does not, 2 after a fault, 3 for a "
        "wrong\n"
        "option, 77 when this processor has none of them.\n");
}

static long number(const char *option, const char *text) {
    char *end;
    long n = text ? strtol(text, &end, 10) : -1;
    if (!text || *end || n < 0) {
        fprintf(stderr, "checkasm: %s needs a number\n", option);
        exit(3);
    }
    return n;
}

int main(int argc, char **argv) {
    const char *only = NULL;
    bool bench = false, all_floats = false, found = false;
    long rounds = 150, seed = 1;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--isa") == 0 && i + 1 < argc) {
            only = argv[++i];
        } else if (strcmp(argv[i], "--rounds") == 0) {
            rounds = number("--rounds", argv[++i]);
        } else if (strcmp(argv[i], "--seed") == 0) {
            seed = number("--seed", argv[++i]);
        } else if (strcmp(argv[i], "--bench") == 0) {
            bench = true;
        } else if (strcmp(argv[i], "--all-floats") == 0) {
            all_floats = true;
        } else if (strcmp(argv[i], "--help") == 0) {
            usage(stdout);
            return 0;
        } else {
            fprintf(stderr, "checkasm: unknown option %s\n", argv[i]);
            usage(stderr);
            return 3;
        }
    }
    signal(SIGSEGV, on_fault);
    signal(SIGBUS, on_fault);
    signal(SIGILL, on_fault);

    uint32_t flags = taco_cpu_flags(), needs;
#ifdef CHECKASM_AMX_EMULATED
    flags |= TACO_CPU_AMX; /* and the rest of what it needs must be here */
#endif
    int n_failures = 0, n_run = 0;
    const struct taco_kernels *scalar = taco_kernels_at(0, &needs), *tested;
    for (size_t i = 0; (tested = taco_kernels_at(i, &needs)) != NULL; i++) {
        if (only && strcmp(only, tested->isa) != 0)
            continue;
        found = true;
        if ((needs & flags) != needs) {
            printf("%s: skipped, not on this processor\n", tested->isa);
            continue;
        }
        printf("%s:\n", tested->isa);
        n_run++;
        struct checkasm c = {scalar, tested, (int)rounds, (uint64_t)seed, "", 0};
        current = &c;
        checkasm_matmul(&c);
        checkasm_activations(&c);
        checkasm_attention(&c);
        if (all_floats)
            checkasm_all_floats(&c);
        if (bench)
            checkasm_bench(tested);
        current = NULL;
        n_failures += c.n_failures;
    }
    if (!found) {
        fprintf(stderr, "checkasm: this build has no kernels named %s\n", only);
        return 3;
    }
    if (n_run == 0) {
        printf("this processor cannot run them\n");
        return 77;
    }
    printf(n_failures ? "%d failures\n" : "all agree\n", n_failures);
    return n_failures != 0;
}
