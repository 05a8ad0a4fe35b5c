/* base/safetensors.h: right files, wrong files, truncated and mutated ones. */
#include <check.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/safetensors.h"
#include "support/files.h"
#include "support/numbers.h"
#include "support/runner.h"

/* A file in memory, 64-byte aligned. */
struct file {
    _Alignas(64) unsigned char bytes[4096];
    size_t size;
};

static void make(struct file *file, const char *header, const void *data, size_t n_data) {
    size_t n = strlen(header);
    ck_assert_uint_le(8 + n + n_data, sizeof file->bytes);
    for (int i = 0; i < 8; i++)
        file->bytes[i] = (unsigned char)((uint64_t)n >> (8 * i));
    memcpy(file->bytes + 8, header, n);
    if (n_data)
        memcpy(file->bytes + 8 + n, data, n_data);
    file->size = 8 + n + n_data;
}

/* header padded with spaces to a multiple of 8, so that the data are aligned. */
static void make_aligned(struct file *file, const char *header, const void *data,
                         size_t n_data) {
    char padded[2048];
    snprintf(padded, sizeof padded, "%-*s", (int)((strlen(header) + 7) / 8 * 8), header);
    make(file, padded, data, n_data);
}

static const float values[6] = {1.0f, -2.5f, 0.0f, 1e-40f, 3e38f, -0.0f};

/* Three tensors, one of them empty, and metadata. */
static void make_sample(struct file *file) {
    unsigned char data[24 + 8 + 4];
    memcpy(data, values, 24);
    const uint16_t half[4] = {0x3C00, 0xC000, 0x0001, 0x7C00};
    memcpy(data + 24, half, 8);
    const uint16_t brain[2] = {0x3F80, 0xC040};
    memcpy(data + 32, brain, 4);
    make_aligned(
        file,
        "{\"__metadata__\":{\"format\":\"taco-voice\",\"config\":\"{\\\"a\\\":1}\"},"
        "\"z.weight\":{\"dtype\":\"F32\",\"shape\":[2,3],\"data_offsets\":[0,24]},"
        "\"half\":{\"dtype\":\"F16\",\"shape\":[4],\"data_offsets\":[24,32]},"
        "\"empty\":{\"dtype\":\"F32\",\"shape\":[0,7],\"data_offsets\":[32,32]},"
        "\"brain\":{\"dtype\":\"BF16\",\"shape\":[2,1],\"data_offsets\":[32,36]}}",
        data, sizeof data);
}

static enum taco_status open_file(const struct file *file, struct taco_safetensors **st,
                                  struct taco_error *err) {
    return taco_safetensors_open_memory(st, file->bytes, file->size, err);
}

START_TEST(a_right_file_is_read) {
    struct file file;
    make_sample(&file);
    struct taco_safetensors *st;
    ck_assert_int_eq(open_file(&file, &st, NULL), TACO_OK);
    ck_assert_uint_eq(taco_safetensors_count(st), 4);
    ck_assert_uint_eq(taco_safetensors_file_bytes(st), file.size);
    ck_assert_ptr_null(taco_safetensors_find(st, "weight"));
    ck_assert_ptr_null(taco_safetensors_find(st, "__metadata__"));
    ck_assert_str_eq(taco_safetensors_metadata(st, "format"), "taco-voice");
    ck_assert_str_eq(taco_safetensors_metadata(st, "config"), "{\"a\":1}");
    ck_assert_ptr_null(taco_safetensors_metadata(st, "none"));

    const struct taco_tensor *t = taco_safetensors_find(st, "z.weight");
    ck_assert_ptr_nonnull(t);
    ck_assert_str_eq(t->name, "z.weight");
    ck_assert_int_eq(t->dtype, TACO_DTYPE_F32);
    ck_assert_str_eq(t->dtype_name, "F32");
    ck_assert_int_eq(t->n_dims, 2);
    ck_assert_int_eq((int)t->shape[0], 2);
    ck_assert_int_eq((int)t->shape[1], 3);
    ck_assert_uint_eq(t->n_elements, 6);
    ck_assert_uint_eq(t->n_bytes, 24);
    float out[6];
    taco_tensor_to_f32(t, out);
    ck_assert_mem_eq(out, values, sizeof values);

    taco_tensor_to_f32(taco_safetensors_find(st, "half"), out);
    ck_assert(out[0] == 1.0f && out[1] == -2.0f && out[2] == 0x1p-24f && isinf(out[3]));
    taco_tensor_to_f32(taco_safetensors_find(st, "brain"), out);
    ck_assert(out[0] == 1.0f && out[1] == -3.0f);
    t = taco_safetensors_find(st, "empty");
    ck_assert_uint_eq(t->n_elements, 0);
    taco_tensor_to_f32(t, NULL);

    /* In the order of their data. */
    const char *const order[] = {"z.weight", "half", "empty", "brain"};
    for (size_t i = 0; i < 4; i++)
        ck_assert_str_eq(taco_safetensors_at(st, i)->name, order[i]);
    taco_safetensors_close(st);
    taco_safetensors_close(NULL);
}
END_TEST

START_TEST(every_half_becomes_its_float) {
    for (uint32_t h = 0; h < 65536; h++) {
        uint16_t bits = (uint16_t)h;
        struct taco_tensor t = {.dtype = TACO_DTYPE_F16, .n_elements = 1, .data = &bits};
        float out;
        taco_tensor_to_f32(&t, &out);
        int exponent = h >> 10 & 31, fraction = h & 1023;
        double expected = exponent == 0    ? ldexp(fraction, -24)
                          : exponent == 31 ? (fraction ? NAN : INFINITY)
                                           : ldexp(1024 + fraction, exponent - 25);
        if (h >> 15)
            expected = -expected;
        ck_assert(isnan(expected) ? isnan(out) : (double)out == expected);
        ck_assert(isnan(expected) || !signbit(out) == !signbit(expected));
    }
}
END_TEST

static int is_cancelled(void *cancelled) {
    return *(int *)cancelled;
}

START_TEST(a_file_is_read_in_two_steps) {
    struct file file;
    make_sample(&file);
    char path[64];
    test_temp_file(path, file.bytes, file.size);
    struct taco_safetensors *st;
    float out[6];
    int cancelled = 1;
    const struct taco_cancel cancel = {is_cancelled, &cancelled};
    ck_assert_int_eq(taco_safetensors_open_header(&st, path, NULL), TACO_OK);
    ck_assert(!taco_safetensors_is_borrowed(st));
    taco_tensor_to_f32(taco_safetensors_find(st, "z.weight"), out);
    ck_assert(out[0] == 0 && out[1] == 0); /* not yet */
    ck_assert_int_eq(taco_safetensors_read(st, &cancel, NULL), TACO_ERR_CANCELLED);
    cancelled = 0;
    ck_assert_int_eq(taco_safetensors_read(st, &cancel, NULL), TACO_OK);
    /* From here on the file is of no importance. */
    ck_assert_int_eq(truncate(path, 0), 0);
    ck_assert_int_eq(unlink(path), 0);
    ck_assert_int_eq(taco_safetensors_read(st, NULL, NULL), TACO_OK);
    taco_tensor_to_f32(taco_safetensors_find(st, "z.weight"), out);
    ck_assert_mem_eq(out, values, sizeof values);
    taco_safetensors_drop_data(st);
    ck_assert_str_eq(taco_safetensors_metadata(st, "format"), "taco-voice");
    ck_assert_int_eq(taco_safetensors_find(st, "z.weight")->n_dims, 2);
    ck_assert_ptr_null(taco_safetensors_find(st, "z.weight")->data);
    ck_assert_uint_eq(taco_safetensors_file_bytes(st), file.size);
    taco_safetensors_close(st);
}
END_TEST

START_TEST(a_file_that_shrinks_while_it_is_read) {
    struct file file;
    make_sample(&file);
    char path[64];
    test_temp_file(path, file.bytes, file.size);
    struct taco_safetensors *st;
    struct taco_error err = TACO_ERROR_INIT;
    ck_assert_int_eq(taco_safetensors_open_header(&st, path, NULL), TACO_OK);
    ck_assert_int_eq(truncate(path, (off_t)file.size - 4), 0);
    ck_assert_int_eq(taco_safetensors_read(st, NULL, &err), TACO_ERR_FORMAT);
    ck_assert_ptr_nonnull(strstr(err.message, "shorter while it was read"));
    taco_safetensors_close(st);
    unlink(path);
}
END_TEST

/* A sparse file may claim any size: it costs no memory until its header has been read. */
START_TEST(a_huge_file_is_refused_by_its_header) {
    struct file file;
    make_sample(&file);
    char path[64];
    test_temp_file(path, file.bytes, file.size);
    ck_assert_int_eq(truncate(path, (off_t)1 << 40), 0);
    struct taco_safetensors *st;
    enum taco_status status = taco_safetensors_open(&st, path, NULL);
    ck_assert(status == TACO_ERR_FORMAT || status == TACO_ERR_NO_MEMORY);
    unlink(path);
}
END_TEST

START_TEST(a_path_that_leads_to_no_file) {
    struct taco_safetensors *st = (void *)8;
    struct taco_error err = TACO_ERROR_INIT;
    char path[64], below[80];
    ck_assert_int_eq(taco_safetensors_open(&st, "/nonexistent/x", &err),
                     TACO_ERR_NOT_FOUND);
    ck_assert_ptr_null(st);
    ck_assert_ptr_nonnull(strstr(err.message, "/nonexistent/x"));
    test_temp_directory(path);
    ck_assert_int_eq(taco_safetensors_open(&st, path, NULL), TACO_ERR_FORMAT);
    rmdir(path);
    ck_assert_int_eq(taco_safetensors_open(&st, "/dev/null", NULL), TACO_ERR_FORMAT);
    test_temp_file(path, "", 0); /* a pipe that nobody writes to is not waited for */
    unlink(path);
    ck_assert_int_eq(mkfifo(path, 0600), 0);
    err = (struct taco_error)TACO_ERROR_INIT;
    ck_assert_int_eq(taco_safetensors_open(&st, path, &err), TACO_ERR_FORMAT);
    ck_assert_ptr_nonnull(strstr(err.message, "not a regular file"));
    unlink(path);
    test_temp_file(path, "12345", 5);
    ck_assert_int_eq(taco_safetensors_open(&st, path, NULL), TACO_ERR_FORMAT);
    snprintf(below, sizeof below, "%s/x", path);
    ck_assert_int_eq(taco_safetensors_open(&st, below, NULL), TACO_ERR_NOT_FOUND);
    if (geteuid() != 0) {
        chmod(path, 0);
        ck_assert_int_eq(taco_safetensors_open(&st, path, NULL), TACO_ERR_IO);
    }
    unlink(path);
}
END_TEST

#define F32(shape, offsets)                                                              \
    "{\"a\":{\"dtype\":\"F32\",\"shape\":" shape ",\"data_offsets\":" offsets "}}"

static const struct {
    const char *header;
    size_t n_data;
    const char *says; /* part of the message */
} wrong[] = {
    {"", 0, "not JSON"},
    {"{", 0, "not JSON"},
    {"{} x", 0, "not JSON"},
    {"[]", 0, "not a JSON object"},
    {"{\"a\":1}", 0, "not an object"},
    {"{\"a\":{}}", 0, "dtype"},
    {"{\"a\":{\"dtype\":\"Q4\",\"shape\":[],\"data_offsets\":[0,4]}}", 4, "\"Q4\""},
    {"{\"a\":{\"dtype\":7,\"shape\":[],\"data_offsets\":[0,4]}}", 4, "dtype"},
    {"{\"a\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[0,4],\"x\":1}}", 4,
     "\"x\""},
    {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]},"
     "\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[4,8]}}",
     8, "duplicate"},
    {F32("3", "[0,4]"), 4, "shape"},
    {F32("[1,1,1,1,1,1,1,1,1]", "[0,4]"), 4, "shape"},
    {F32("[-1]", "[0,4]"), 4, "size 0"},
    {F32("[1.0]", "[0,4]"), 4, "size 0"},
    {F32("[1,\"1\"]", "[0,4]"), 4, "size 1"},
    {F32("[4294967296,4294967296]", "[0,4]"), 4, "size 1"},
    {F32("[4611686018427387904]", "[0,4]"), 4, "larger"},
    {F32("[9223372036854775807]", "[0,4]"), 4, "larger"},
    {F32("[1]", "4"), 4, "data_offsets"},
    {F32("[1]", "[0]"), 4, "data_offsets"},
    {F32("[1]", "[0,4,8]"), 4, "data_offsets"},
    {F32("[1]", "[-4,0]"), 4, "data_offsets"},
    {F32("[1]", "[4,0]"), 4, "data_offsets"},
    {F32("[1]", "[0.0,4]"), 4, "data_offsets"},
    {F32("[1]", "[0,5]"), 8, "needs 4 bytes"},
    {F32("[2]", "[0,8]"), 4, "truncated"},
    {F32("[1]", "[9223372036854775800,9223372036854775804]"), 4, "truncated"},
    {F32("[1]", "[0,4]"), 5, "the file at byte 5"},
    {F32("[1]", "[4,8]"), 8, "gap"},
    {F32("[1]", "[2,6]"), 6, "aligned"},
    {"{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]},"
     "\"b\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[4,8]}}",
     8, "another tensor lies"},
    {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]},"
     "\"b\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[8,12]}}",
     12, "gap"},
    {"{\"__metadata__\":[]}", 0, "__metadata__"},
    {"{\"__metadata__\":{\"a\":1}}", 0, "not a string"},
    {"{\"a\\u0000b\":{}}", 0, "not JSON"},
};

START_TEST(wrong_files_are_refused_with_the_reason) {
    struct file file;
    unsigned char data[16] = {0};
    make_aligned(&file, wrong[_i].header, data, wrong[_i].n_data);
    struct taco_safetensors *st = (void *)8;
    struct taco_error err = TACO_ERROR_INIT;
    ck_assert_int_eq(open_file(&file, &st, &err), TACO_ERR_FORMAT);
    ck_assert_ptr_null(st);
    ck_assert_int_eq(err.status, TACO_ERR_FORMAT);
    ck_assert_msg(strstr(err.message, wrong[_i].says) != NULL, "%s: %s", wrong[_i].header,
                  err.message);
}
END_TEST

START_TEST(header_lengths_that_cannot_be) {
    struct file file;
    make_sample(&file);
    const uint64_t lengths[] = {UINT64_MAX, (uint64_t)1 << 63, (16 << 20) + 1, 16 << 20,
                                file.size - 7};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        memcpy(file.bytes, &lengths[i], 8);
        struct taco_safetensors *st;
        struct taco_error err = TACO_ERROR_INIT;
        ck_assert_int_eq(open_file(&file, &st, &err), TACO_ERR_FORMAT);
        ck_assert_ptr_nonnull(strstr(err.message, "a header of"));
    }
    /* The header may be all that there is, and not a byte more. */
    struct taco_safetensors *st;
    make(&file, "{}", " ", 1);
    file.size--;
    ck_assert_int_eq(open_file(&file, &st, NULL), TACO_OK);
    ck_assert_uint_eq(taco_safetensors_count(st), 0);
    taco_safetensors_close(st);
    file.bytes[0]++;
    struct taco_error err = TACO_ERROR_INIT;
    ck_assert_int_eq(open_file(&file, &st, &err), TACO_ERR_FORMAT);
    ck_assert_str_eq(err.message,
                     "truncated safetensors file: a header of 3 bytes, 2 are there");
}
END_TEST

/* An alignment that the caller's memory lacks is not read over. */
START_TEST(misaligned_memory_is_refused) {
    struct file file, moved;
    make_sample(&file);
    memcpy(moved.bytes + 1, file.bytes, file.size);
    struct taco_safetensors *st;
    ck_assert_int_eq(taco_safetensors_open_memory(&st, moved.bytes + 1, file.size, NULL),
                     TACO_ERR_FORMAT);
}
END_TEST

/* A file of n empty tensors. free(). */
static char *make_many(int n_tensors, size_t *size) {
    char *bytes = taco_aligned_alloc64((size_t)n_tensors * 70 + 8);
    ck_assert_ptr_nonnull(bytes);
    size_t n = 8;
    for (int i = 0; i < n_tensors; i++)
        n += (size_t)sprintf(
            bytes + n, "%c\"%d\":{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[0,0]}",
            i ? ',' : '{', i);
    bytes[n++] = '}';
    uint64_t length = n - 8;
    memcpy(bytes, &length, 8);
    *size = n;
    return bytes;
}

START_TEST(too_many_tensors_are_refused) {
    struct taco_safetensors *st;
    struct taco_error err = TACO_ERROR_INIT;
    size_t size;
    char *bytes = make_many(65537, &size);
    ck_assert_int_eq(taco_safetensors_open_memory(&st, bytes, size, &err),
                     TACO_ERR_FORMAT);
    ck_assert_ptr_nonnull(strstr(err.message, "65537 tensors"));
    taco_free(bytes);
    bytes = make_many(65536, &size);
    ck_assert_int_eq(taco_safetensors_open_memory(&st, bytes, size, &err), TACO_OK);
    ck_assert_uint_eq(taco_safetensors_count(st), 65536);
    taco_safetensors_close(st);
    taco_free(bytes);
}
END_TEST

/* Each type with the bytes of three elements; one byte more or fewer is refused. */
START_TEST(each_dtype_has_its_size) {
    static const struct {
        const char *name;
        size_t size;
        enum taco_dtype dtype;
    } types[] = {
        {"F32", 4, TACO_DTYPE_F32},       {"F16", 2, TACO_DTYPE_F16},
        {"BF16", 2, TACO_DTYPE_BF16},     {"F64", 8, TACO_DTYPE_OTHER},
        {"I64", 8, TACO_DTYPE_OTHER},     {"U64", 8, TACO_DTYPE_OTHER},
        {"I32", 4, TACO_DTYPE_OTHER},     {"U32", 4, TACO_DTYPE_OTHER},
        {"I16", 2, TACO_DTYPE_OTHER},     {"U16", 2, TACO_DTYPE_OTHER},
        {"I8", 1, TACO_DTYPE_OTHER},      {"U8", 1, TACO_DTYPE_OTHER},
        {"BOOL", 1, TACO_DTYPE_OTHER},    {"F8_E4M3", 1, TACO_DTYPE_OTHER},
        {"F8_E5M2", 1, TACO_DTYPE_OTHER},
    };
    const unsigned char data[3 * 8 + 1] = {0};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        for (size_t n = 3 * types[i].size - 1; n <= 3 * types[i].size + 1; n++) {
            char header[120];
            snprintf(header, sizeof header,
                     "{\"a\":{\"dtype\":\"%s\",\"shape\":[3],\"data_offsets\":[0,%zu]}}",
                     types[i].name, n);
            struct file file;
            struct taco_safetensors *st;
            make_aligned(&file, header, data, n);
            enum taco_status status = open_file(&file, &st, NULL);
            if (n != 3 * types[i].size) {
                ck_assert_msg(status == TACO_ERR_FORMAT, "%s", header);
                continue;
            }
            ck_assert_msg(status == TACO_OK, "%s", header);
            ck_assert_int_eq(taco_safetensors_find(st, "a")->dtype, types[i].dtype);
            ck_assert_uint_eq(taco_safetensors_find(st, "a")->n_bytes, n);
            taco_safetensors_close(st);
        }
    }
}
END_TEST

START_TEST(no_truncation_is_accepted) {
    struct file file;
    make_sample(&file);
    for (size_t size = 0; size < file.size; size++) {
        /* In memory of exactly that size, so that AddressSanitizer sees a step beyond. */
        unsigned char *exact = taco_aligned_alloc64(size);
        unsigned char *start = exact + ((size + 63) / 64 * 64 - size) / 8 * 8;
        if (size)
            memcpy(start, file.bytes, size);
        struct taco_safetensors *st = (void *)8;
        struct taco_error err = TACO_ERROR_INIT;
        ck_assert_int_eq(taco_safetensors_open_memory(&st, start, size, &err),
                         TACO_ERR_FORMAT);
        ck_assert_ptr_null(st);
        ck_assert_uint_gt(strlen(err.message), 10);
        taco_free(exact);
    }
}
END_TEST

/* Reads every byte that an accepted file gives. */
static double read_all(const struct taco_safetensors *st) {
    double sum = 0;
    float out[sizeof(struct file)];
    for (size_t i = 0; i < taco_safetensors_count(st); i++) {
        const struct taco_tensor *t = taco_safetensors_at(st, i);
        ck_assert_ptr_eq(taco_safetensors_find(st, t->name), t);
        for (size_t b = 0; b < t->n_bytes; b++)
            sum += ((const unsigned char *)t->data)[b];
        if (t->dtype != TACO_DTYPE_OTHER) {
            taco_tensor_to_f32(t, out);
            sum += t->n_elements ? (double)out[t->n_elements - 1] : 0.0;
        }
    }
    return sum;
}

START_TEST(mutations_do_no_harm) {
    struct file sample;
    make_sample(&sample);
    uint64_t seed = 1000 + (uint64_t)_i;
    int n_accepted = 0;
    for (int round = 0; round < 4000; round++) {
        struct file file = sample;
        for (size_t n = 1 + test_random_below(&seed, 4); n > 0; n--) {
            size_t at = test_random_below(&seed, file.size);
            static const char likely[] = "0123456789{}[]\",:-.eE\\ FBU";
            switch (test_random_below(&seed, 4)) {
            case 0:
                file.bytes[at] = (unsigned char)test_random(&seed);
                break;
            case 1:
                file.bytes[at] ^= (unsigned char)(1u << test_random_below(&seed, 8));
                break;
            case 2:
                file.bytes[at] =
                    (unsigned char)likely[test_random_below(&seed, sizeof likely - 1)];
                break;
            default: /* a piece moved elsewhere */
                memmove(file.bytes + at, file.bytes + test_random_below(&seed, file.size),
                        test_random_below(&seed, file.size - at));
            }
        }
        struct taco_safetensors *st = (void *)8;
        struct taco_error err = TACO_ERROR_INIT;
        enum taco_status status = open_file(&file, &st, &err);
        if (status == TACO_OK) {
            n_accepted++;
            (void)read_all(st);
            taco_safetensors_close(st);
        } else {
            ck_assert_int_eq(status, TACO_ERR_FORMAT);
            ck_assert_int_eq(err.status, TACO_ERR_FORMAT);
            ck_assert_ptr_null(st);
            ck_assert_uint_gt(strlen(err.message), 10);
        }
    }
    ck_assert_int_gt(n_accepted, 0); /* those that only touch values */
    ck_assert_int_lt(n_accepted, 3000);
}
END_TEST

START_TEST(each_failed_allocation_is_told) {
    struct file file;
    make_sample(&file);
    char path[64];
    test_temp_file(path, file.bytes, file.size);
    int n_failed = 0;
    for (long n = 1;; n++) {
        struct taco_safetensors *st = NULL;
        struct taco_error err = TACO_ERROR_INIT;
        taco_memory_fail_at(n);
        enum taco_status status = taco_safetensors_open(&st, path, &err);
        taco_memory_fail_at(0);
        if (status == TACO_OK) {
            taco_safetensors_close(st);
            break;
        }
        n_failed++;
        ck_assert_int_eq(status, TACO_ERR_NO_MEMORY);
        ck_assert_int_eq(err.status, TACO_ERR_NO_MEMORY);
        ck_assert_ptr_null(st);
    }
    ck_assert_int_ge(n_failed, 2);
    unlink(path);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("safetensors");
    TCase *tc = tcase_create("safetensors");
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, wrong_files_are_refused_with_the_reason, 0,
                        (int)(sizeof wrong / sizeof *wrong));
    tcase_add_test(tc, header_lengths_that_cannot_be);
    tcase_add_test(tc, misaligned_memory_is_refused);
    tcase_add_test(tc, too_many_tensors_are_refused);
    tcase_add_test(tc, each_dtype_has_its_size);
    tcase_add_test(tc, a_path_that_leads_to_no_file);
    tcase_add_test(tc, no_truncation_is_accepted);
    tcase_add_loop_test(tc, mutations_do_no_harm, 0, 4);
    tcase_add_test(tc, each_failed_allocation_is_told);
    tcase_add_test(tc, a_right_file_is_read);
    tcase_add_test(tc, a_file_is_read_in_two_steps);
    tcase_add_test(tc, a_file_that_shrinks_while_it_is_read);
    tcase_add_test(tc, a_huge_file_is_refused_by_its_header);
    tcase_add_test(tc, every_half_becomes_its_float);
    suite_add_tcase(suite, tc);
    return test_run(suite);
}
