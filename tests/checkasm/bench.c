/* Times of the kernels at the sizes of the full-size network. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "checkasm/checkasm.h"
#include "support/numbers.h"

/* This thread's own time, so that a busy machine's other work counts less. */
static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

struct call {
    void (*run)(struct call *call);
    const struct taco_kernels *k;
    float *a, *b, *d, *e; /* [LARGEST] */
    void *scratch;
    size_t n;
    struct taco_matrix w[2];
};

enum { LARGEST = 64 * 4096, SYMBOLS = 100 };

/* Seconds a call: the best of several stretches, each long enough for the clock. */
static double measure(struct call *call) {
    enum { STRETCHES = 7 };
    double best = 1e9;
    long n = 1;
    for (;;) {
        double start = now();
        for (long i = 0; i < n; i++)
            call->run(call);
        double t = now() - start;
        if (t > 0.01)
            break;
        n = t > 1e-4 ? (long)((double)n * 0.015 / t) + 1 : n * 20;
    }
    for (int s = 0; s < STRETCHES; s++) {
        double start = now();
        for (long i = 0; i < n; i++)
            call->run(call);
        double t = (now() - start) / (double)n;
        best = t < best ? t : best;
    }
    return best;
}

static void run_softmax(struct call *c) {
    c->k->softmax(c->a, SYMBOLS);
}

static void run_sigmoid(struct call *c) {
    c->k->sigmoid(c->a, 1024);
}

static void run_tanh(struct call *c) {
    c->k->tanh(c->a, 1024);
}

static void run_relu(struct call *c) {
    c->k->relu(c->a, 256);
}

static void run_lstm_gates(struct call *c) {
    c->k->lstm_gates(c->b, 1024, c->d, c->e, 0.0f, 0, 1024);
}

static void run_energies(struct call *c) {
    c->k->attention_energies(c->a, c->b, c->d, c->a, 0.0f, c->e, 128, 0, SYMBOLS);
}

static void run_location(struct call *c) {
    const float *in[2] = {c->a + 64, c->a + 1024};
    c->k->location_features(in, 2, 31, c->b, 128, c->e, 0, SYMBOLS);
}

static void run_weighted_sum(struct call *c) {
    c->k->weighted_sum(c->a, c->b, SYMBOLS, 512, c->e, 0, 512);
}

static void run_dot(struct call *c) {
    c->e[0] = c->k->dot(c->a, c->b, 1536);
}

static void run_lstm_products(struct call *c) {
    for (int i = 0; i < 2; i++)
        c->k->matmul(&c->w[i], c->b, c->w[i].n_in, c->e, c->w[i].n_out, c->n, 0,
                     c->w[i].n_blocks, c->scratch);
}

/* The products of attention_rnn and decoder_rnn for 1 to 64 rows. */
static void bench_products(struct call *call, const float *weights) {
    static const char *const names[] = {"f32", "bf16", "int8"};
    static const size_t widths[2] = {1792, 2560}, rows[] = {1, 2, 4, 8, 16, 32, 64};
    call->run = run_lstm_products;
    printf(
        "  products [4096, 1792] and [4096, 2560]: ms, GB/s of weights, G products/s\n");
    for (int p = 0; p < 3; p++) {
        void *memory[2];
        size_t bytes = 0;
        for (int i = 0; i < 2; i++) {
            size_t size =
                taco_matrix_bytes(call->k, 4096, widths[i], TACO_PRECISION_F32 + p);
            bytes += size;
            memory[i] = checkasm_scratch(size);
            taco_matrix_pack(call->k, &call->w[i], memory[i], 4096, 1, &weights,
                             &widths[i], NULL, TACO_PRECISION_F32 + p);
        }
        for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
            call->n = rows[r];
            double t = measure(call);
            printf("  %-5s %2zu rows %8.3f ms %6.1f GB/s %7.1f G/s\n", names[p], rows[r],
                   t * 1e3, (double)bytes / t / 1e9,
                   4096.0 * (1792 + 2560) * (double)rows[r] / t / 1e9);
            fflush(stdout);
        }
        free(memory[0]);
        free(memory[1]);
    }
}

void checkasm_bench(const struct taco_kernels *k) {
    static const struct {
        const char *name;
        void (*run)(struct call *call);
        double bytes; /* read and written */
    } kernels[] = {
        {"relu 256", run_relu, 2 * 4 * 256},
        {"sigmoid 1024", run_sigmoid, 2 * 4 * 1024},
        {"tanh 1024", run_tanh, 2 * 4 * 1024},
        {"softmax 100", run_softmax, 2 * 4 * 100},
        {"lstm_gates 1024", run_lstm_gates, 4 * (4 + 4) * 1024},
        {"energies 100 x 128", run_energies, 4 * 2 * 100 * 128},
        {"location 100 x 128, 2 x 31", run_location, 4 * (62 + 100) * 128},
        {"weighted_sum 100 x 512", run_weighted_sum, 4 * 101 * 512},
        {"dot 1536", run_dot, 2 * 4 * 1536},
    };
    size_t n_weights = 4096 * 2560;
    float *weights = malloc(n_weights * sizeof *weights);
    struct call call = {.k = k};
    float **arrays[] = {&call.a, &call.b, &call.d, &call.e};
    uint64_t seed = 1;
    for (int i = 0; i < 4; i++) {
        *arrays[i] = checkasm_scratch(LARGEST * sizeof(float));
        test_random_fill(&seed, 1.0f, *arrays[i], LARGEST);
    }
    call.scratch = checkasm_scratch(taco_matmul_scratch(64, 2560));
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        call.run = kernels[i].run;
        double t = measure(&call);
        printf("  %-28s %9.0f ns %6.1f GB/s\n", kernels[i].name, t * 1e9,
               kernels[i].bytes / t / 1e9);
    }
    if (weights) {
        test_random_fill(&seed, 1.0f, weights, n_weights);
        bench_products(&call, weights);
    }
    for (int i = 0; i < 4; i++)
        free(*arrays[i]);
    free(call.scratch);
    free(weights);
}
