#include "base/cpu.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Register state that the system saves (XCR0): SSE and YMM; opmask and ZMM; tiles. */
enum { XCR0_AVX = 0x6, XCR0_AVX512 = 0xE6, XCR0_AMX = 0x60000 };

/* CPUID leaf 7, EDX: BF16, TILE, INT8. Not every cpuid.h has their names. */
enum { LEAF7_AMX = 1 << 22 | 1 << 24 | 1 << 25 };

static uint64_t read_xcr0(void) {
    uint32_t low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (uint64_t)high << 32 | low;
}

static uint32_t detect(void) {
    uint32_t a, b, c, d, flags = 0;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE))
        return 0;
    uint64_t xcr0 = read_xcr0();
    int fma = (c & bit_FMA) != 0, f16c = (c & bit_F16C) != 0;
    if (!__get_cpuid_count(7, 0, &a, &b, &c, &d))
        return 0;
    uint32_t max_subleaf = a;
    if ((xcr0 & XCR0_AVX) != XCR0_AVX || !(b & bit_AVX2) || !fma || !f16c)
        return 0;
    flags |= TACO_CPU_AVX2;

    const uint32_t avx512 = bit_AVX512F | bit_AVX512BW | bit_AVX512DQ | bit_AVX512VL;
    if ((xcr0 & XCR0_AVX512) != XCR0_AVX512 || (b & avx512) != avx512)
        return flags;
    flags |= TACO_CPU_AVX512;
    if (c & bit_AVX512VNNI)
        flags |= TACO_CPU_AVX512_VNNI;
    int has_amx = (d & LEAF7_AMX) == LEAF7_AMX && (xcr0 & XCR0_AMX) == XCR0_AMX;
    if (max_subleaf >= 1 && __get_cpuid_count(7, 1, &a, &b, &c, &d) &&
        (a & bit_AVX512BF16))
        flags |= TACO_CPU_AVX512_BF16;
    if (has_amx && (flags & TACO_CPU_AVX512_VNNI) && (flags & TACO_CPU_AVX512_BF16))
        flags |= TACO_CPU_AMX;
    return flags;
}

/* Linux gives a process the tile registers only when it asks (Documentation/arch/x86/
 * xstate.rst); the answer holds for all its threads. */
static int request_tiles(void) {
    enum { ARCH_REQ_XCOMP_PERM = 0x1023, XFEATURE_XTILEDATA = 18 };
    return syscall(SYS_arch_prctl, ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA) == 0;
}

#elif defined(__aarch64__)
#include <asm/hwcap.h>
#include <sys/auxv.h>

static uint32_t detect(void) {
    uint32_t flags = TACO_CPU_NEON; /* part of the architecture */
    if (getauxval(AT_HWCAP) & HWCAP_ASIMDDP)
        flags |= TACO_CPU_DOTPROD;
    return flags;
}

static int request_tiles(void) {
    return 0;
}

#else

static uint32_t detect(void) {
    return 0;
}

static int request_tiles(void) {
    return 0;
}

#endif

static const struct {
    const char *name;
    uint32_t flags;
} levels[] = {
    {"scalar", 0},
    {"avx2", TACO_CPU_AVX2},
    {"avx512", TACO_CPU_AVX2 | TACO_CPU_AVX512},
    {"vnni",
     TACO_CPU_AVX2 | TACO_CPU_AVX512 | TACO_CPU_AVX512_VNNI | TACO_CPU_AVX512_BF16},
    {"amx", TACO_CPU_AVX2 | TACO_CPU_AVX512 | TACO_CPU_AVX512_VNNI |
                TACO_CPU_AVX512_BF16 | TACO_CPU_AMX},
    {"neon", TACO_CPU_NEON},
    {"dotprod", TACO_CPU_NEON | TACO_CPU_DOTPROD},
};

static uint32_t cpu_flags;
static pthread_once_t cpu_once = PTHREAD_ONCE_INIT;

static void find_flags(void) {
    cpu_flags = detect();
    const char *wanted = getenv("TACO_CPU");
    if (wanted && *wanted) {
        size_t i = 0, n = sizeof levels / sizeof *levels;
        while (i < n && strcmp(levels[i].name, wanted) != 0)
            i++;
        if (i < n)
            cpu_flags &= levels[i].flags;
        else
            taco_log(TACO_LOG_WARNING,
                     "TACO_CPU=%s is ignored: it is scalar, avx2, avx512, vnni, amx, "
                     "neon or dotprod",
                     wanted);
    }
    if ((cpu_flags & TACO_CPU_AMX) && !request_tiles())
        cpu_flags &= ~(uint32_t)TACO_CPU_AMX;
}

uint32_t taco_cpu_flags(void) {
    pthread_once(&cpu_once, find_flags);
    return cpu_flags;
}
