/* What this processor and its operating system can do, asked once. */
#ifndef TACO_BASE_CPU_H
#define TACO_BASE_CPU_H

#include <stdint.h>

enum taco_cpu_flag {
    TACO_CPU_AVX2 = 1 << 0,   /* AVX2, FMA and F16C */
    TACO_CPU_AVX512 = 1 << 1, /* F, BW, DQ, VL */
    TACO_CPU_AVX512_VNNI = 1 << 2,
    TACO_CPU_AVX512_BF16 = 1 << 3,
    TACO_CPU_AMX = 1 << 4, /* TILE, INT8 and BF16, permission granted by the kernel */
    TACO_CPU_NEON = 1 << 5,
    TACO_CPU_DOTPROD = 1 << 6 /* dot products of bytes: Armv8.2 DotProd */
};

/* CPUID and XGETBV (the registers must be saved by the system, not only exist), lowered
 * by the environment variable TACO_CPU: "scalar", "avx2", "avx512", "vnni" (AVX-512 with
 * VNNI and BF16), "amx"; "neon" or "dotprod" is the highest that may be used. */
uint32_t taco_cpu_flags(void);

#endif
