#include "engine/team_size.h"
#include "engine/running_mean.h"

/* Steps between two tries, and how many more for each time that the try was slower: a bad
 * guess may cost no more than about this part of the time. */
enum { TRY_EVERY = 32, TRY_SELDOM = 4096, MEAN_OF = 12 /* steps */ };

static struct taco_team_class *class_of(struct taco_team_size *size, int n_rows) {
    int i = 0;
    while (i + 1 < TACO_TEAM_CLASSES && 1 << i < n_rows)
        i++;
    return &size->classes[i];
}

/* Sizes are the powers of two and, for the largest, whatever the limit is. */
static int size_at(int index, int limit) {
    return 1 << index < limit ? 1 << index : limit;
}

static int largest_index(int limit) {
    int i = 0;
    while (i + 1 < TACO_TEAM_SIZES && 1 << i < limit)
        i++;
    return i;
}

static int index_of(int n_threads) {
    return largest_index(n_threads);
}

int taco_team_size_choose(struct taco_team_size *size, int n_rows, int limit) {
    struct taco_team_class *c = class_of(size, n_rows);
    int top = largest_index(limit);
    if (c->current > top)
        return size_at(top, limit);
    if (c->countdown > 0 || c->seconds[c->current] <= 0) {
        c->countdown -= c->countdown > 0;
        return size_at(c->current, limit);
    }
    /* Try the neighbour; the other one the next time. */
    int other = c->larger ? c->current + 1 : c->current - 1;
    c->larger = !c->larger;
    if (other < 0 || other > top)
        other = c->larger ? c->current + 1 : c->current - 1;
    c->countdown = TRY_EVERY;
    return size_at(other < 0 || other > top ? c->current : other, limit);
}

void taco_team_size_learn(struct taco_team_size *size, int n_rows, int n_threads,
                          double seconds) {
    struct taco_team_class *c = class_of(size, n_rows);
    int index = index_of(n_threads);
    float *mean = &c->seconds[index], took = (float)seconds;
    *mean = (float)taco_running_mean((double)*mean, seconds, MEAN_OF);
    if (index == c->current)
        return;
    float now = c->seconds[c->current];
    if (now <= 0 || *mean < now) {
        c->current = index;
        return;
    }
    float seldom = TRY_EVERY * took / now;
    c->countdown = seldom < TRY_SELDOM ? (uint32_t)seldom : TRY_SELDOM;
}
