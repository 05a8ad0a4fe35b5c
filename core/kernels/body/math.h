/* exp, sigmoid and tanh of a vector of floats. The files in this folder are bodies: written
 * once over the operations of a vector header (x86/vector_*.h, arm/vector_*.h), and compiled
 * once for each instruction set by a file that includes both.
 *
 * exp(x) = 2^n exp(r), n = round(x / ln 2), |r| <= ln 2 / 2, where exp(r) - 1 = r + r^2 q(r)
 * and q is a polynomial of degree 4 fitted for the least relative error (3e-9). Errors,
 * measured over every float from -87 to 87 (checkasm --all-floats): sigmoid 2.5 ulp, tanh
 * 2.7 ulp. What is no number stays none. */
#ifndef TACO_KERNELS_BODY_MATH_H
#define TACO_KERNELS_BODY_MATH_H

/* exp(r) - 1 of the reduced argument, and 2^n. */
static inline vec reduced_expm1(vec x, vec *power) {
    vec n = vec_round(vec_mul(x, vec_set(0x1.715476p+0f)));
    *power = vec_power_of_two(n);
    /* ln 2 in two parts, the first short enough for n times it to be exact */
    vec r = vec_fnma(n, vec_set(0x1.62e4p-1f), x);
    r = vec_fnma(n, vec_set(0x1.7f7d1cp-20f), r);
    vec q = vec_set(0x1.6a23f0p-10f);
    q = vec_fma(q, r, vec_set(0x1.123a0ap-7f));
    q = vec_fma(q, r, vec_set(0x1.5558f2p-5f));
    q = vec_fma(q, r, vec_set(0x1.555492p-3f));
    q = vec_fma(q, r, vec_set(0x1.fffffcp-2f));
    return vec_fma(vec_mul(r, r), q, r);
}

/* 0 below -87.3; from 88.3 up as there. */
static inline vec vec_exp(vec x) {
    const float lowest = -87.3f, highest = 88.3f; /* 2^n is a normal number */
    vec power, p = vec_min(vec_set(highest), vec_max(vec_set(lowest), x));
    p = reduced_expm1(p, &power);
    p = vec_mul(vec_add(p, vec_set(1.0f)), power);
    return vec_zero_where_less(p, x, vec_set(lowest));
}

/* 1 / (1 + exp(-x)); 0 below -88.3, where exp(-x) is not followed any more. */
static inline vec vec_sigmoid(vec x) {
    const vec one = vec_set(1.0f);
    vec y = vec_div(one, vec_add(one, vec_exp(vec_sub(vec_set(0.0f), x))));
    return vec_zero_where_less(y, x, vec_set(-88.3f));
}

/* e / (e + 2) with e = exp(2 |x|) - 1, and the sign of x; 1 from 9.5 up. */
static inline vec vec_tanh(vec x) {
    vec a = vec_abs(x);
    a = vec_min(vec_set(19.0f), vec_add(a, a));
    vec power, p = reduced_expm1(a, &power);
    vec e = vec_fma(p, power, vec_sub(power, vec_set(1.0f)));
    return vec_with_sign_of(vec_div(e, vec_add(e, vec_set(2.0f))), x);
}

#endif
