#include "speech/budget.h"

#include "base/error.h"

void taco_budget_open(struct taco_budget *budget, atomic_ullong *total, uint64_t limit) {
    budget->total = total;
    budget->limit = limit;
    atomic_init(&budget->held, 0);
}

void taco_budget_close(struct taco_budget *budget) {
    taco_budget_give(budget, atomic_load(&budget->held));
}

enum taco_status taco_budget_take(struct taco_budget *budget, uint64_t bytes,
                                  struct taco_error *err) {
    unsigned long long before = atomic_load(budget->total);
    if (bytes > budget->limit || atomic_load(&budget->held) > budget->limit - bytes)
        return taco_error_set(
            err, TACO_ERR_TEXT_TOO_LONG, NULL,
            "the answer needs more than the %llu bytes that all answers "
            "may take: ask for less text, another format or a stream",
            (unsigned long long)budget->limit);
    do {
        if (before > budget->limit - bytes)
            return taco_error_set(err, TACO_ERR_BUSY, NULL,
                                  "too many answers are waiting to be read by their "
                                  "clients: try again later");
    } while (!atomic_compare_exchange_weak(budget->total, &before, before + bytes));
    atomic_fetch_add(&budget->held, bytes);
    return TACO_OK;
}

void taco_budget_give(struct taco_budget *budget, uint64_t bytes) {
    atomic_fetch_sub(&budget->held, bytes);
    atomic_fetch_sub(budget->total, bytes);
}

enum taco_status taco_budget_reserve(struct taco_budget *budget, struct taco_bytes *bytes,
                                     size_t size, struct taco_error *err) {
    if (size < bytes->capacity && bytes->size < bytes->capacity - size)
        return TACO_OK;
    if (size > SIZE_MAX / 4 || bytes->size > SIZE_MAX / 4)
        return taco_error_set(err, TACO_ERR_NO_MEMORY, NULL, "no memory");
    /* Growing by half costs little time, and little room beyond what is needed. */
    size_t least = bytes->size + size + 1,
           capacity = bytes->capacity ? (bytes->size + size) / 2 * 3 + 64 : least;
    const uint64_t more = capacity - bytes->capacity;
    enum taco_status status = taco_budget_take(budget, more, err);
    if (status)
        return status;
    if (taco_bytes_reserve(bytes, capacity))
        return TACO_OK;
    taco_budget_give(budget, more);
    return taco_error_set(err, TACO_ERR_NO_MEMORY, NULL, "no memory");
}
