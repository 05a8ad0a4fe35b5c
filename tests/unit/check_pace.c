/* engine/pace.h on simulated streams: none is late on a machine that can keep up, blocks are
 * as large as they may be, and a machine that cannot keep up is not asked for crumbs. */
#include "engine/pace.h"
#include "support/numbers.h"
#include "support/runner.h"

enum { N_FRAMES = 1000, MOST = 4096 };
static const double frame = 256.0 / 22050;

/* What became of a stream. */
struct listening {
    double first, late; /* seconds until the first samples, and of the worst gap */
    int first_frames, smallest, largest, n_blocks; /* frames; all but first and last */
};

/* Frames come every period; a block's samples are delivered latency to 3 x latency later,
 * latency being their mean's half. */
static struct listening listen(double period, double latency) {
    const struct taco_pace pace = {frame, period, 2 * latency};
    struct listening l = {.smallest = N_FRAMES};
    uint64_t seed = 1;
    double delivered_at[MOST];
    int frames_by[MOST], n = 0, sent = 0, n_heard = 0;
    for (int decoded = 1; decoded <= N_FRAMES; decoded++) {
        double now = period * decoded;
        while (n_heard < n && delivered_at[n_heard] <= now)
            n_heard++;
        bool due;
        if (n == 0) {
            due = decoded >= taco_pace_first(&pace);
        } else {
            double reserve =
                n_heard == 0 ? 0 : delivered_at[0] + frames_by[n_heard - 1] * frame - now;
            due = taco_pace_due(&pace, decoded - sent, reserve);
        }
        if (!due && decoded < N_FRAMES)
            continue;
        double done = now + latency * (1 + 2 * (double)test_random_float(&seed));
        if (n > 0) {
            done = done > delivered_at[n - 1] ? done : delivered_at[n - 1];
            double late = done - (delivered_at[0] + frames_by[n - 1] * frame);
            l.late = late > l.late ? late : l.late;
        } else {
            l.first = done;
            l.first_frames = decoded;
        }
        if (n > 0 && decoded < N_FRAMES) {
            l.smallest = decoded - sent < l.smallest ? decoded - sent : l.smallest;
            l.largest = decoded - sent > l.largest ? decoded - sent : l.largest;
        }
        delivered_at[n] = done;
        frames_by[n++] = sent = decoded;
    }
    l.n_blocks = n;
    return l;
}

START_TEST(at_rest) {
    struct listening l = listen(0.0003, 0.0005);
    ck_assert_int_eq(l.first_frames, 3);
    ck_assert_double_le(l.late, 0);
    ck_assert_int_eq(l.largest, 32);
    ck_assert_int_le(l.n_blocks, N_FRAMES / 24);
}
END_TEST

/* Frames come in 10 % to 90 % of the time that they last. */
START_TEST(beside_others) {
    for (int load = 1; load <= 9; load++) {
        for (int k = 1; k <= 5; k++) {
            double period = frame * load / 10, latency = 0.004 * k;
            struct listening l = listen(period, latency);
            ck_assert_msg(l.late <= 0, "load %d %%, latency %g s: late by %g s",
                          10 * load, latency, l.late);
            ck_assert_int_ge(l.smallest, 4);
            ck_assert_int_le(l.first_frames, 32);
        }
    }
    ck_assert_int_lt(listen(frame * 0.2, 0.004).first_frames,
                     listen(frame * 0.8, 0.004).first_frames);
}
END_TEST

START_TEST(more_than_can_be_done) {
    struct listening l = listen(2 * frame, 0.1);
    ck_assert_int_eq(l.first_frames, 32);
    ck_assert_int_ge(l.smallest, 4);
    ck_assert_double_gt(l.late, 0);
}
END_TEST

/* Nothing has been measured yet. */
START_TEST(unknown) {
    const struct taco_pace pace = {frame, 0, 0};
    ck_assert_int_eq(taco_pace_first(&pace), 3);
    ck_assert(!taco_pace_due(&pace, 0, -1));
    ck_assert(!taco_pace_due(&pace, 3, -1));
    ck_assert(taco_pace_due(&pace, 4, -1));
    ck_assert(!taco_pace_due(&pace, 31, 1));
    ck_assert(taco_pace_due(&pace, 32, 1));
}
END_TEST

/* A period of 2 s, a latency of 1 s and frames of 1 s: the reserve must be 3 * (1 + 2) = 9 s.
 * The numbers are exact, so that both sides of a bound can be tried. */
START_TEST(bounds) {
    const struct taco_pace pace = {1, 2, 1};
    ck_assert(taco_pace_due(&pace, 4, 9));
    ck_assert(!taco_pace_due(&pace, 4, 9.125));
    ck_assert(!taco_pace_due(&pace, 3, 9));
    ck_assert(!taco_pace_due(&pace, 31, 9.125));
    ck_assert(taco_pace_due(&pace, 32, 9.125));
    ck_assert(taco_pace_due(&pace, 33, 9.125));
    /* 9 + 8 * 2 = 25 s of frames are needed before the first block, so 26 frames are made. */
    ck_assert_int_eq(taco_pace_first(&pace), 26);
    /* In frames: 3 * (latency + period) + 8 * period. */
    ck_assert_int_eq(taco_pace_first(&(struct taco_pace){1, 0, 1}), 3);
    ck_assert_int_eq(taco_pace_first(&(struct taco_pace){1, 0, 1.25}), 4);
    ck_assert_int_eq(taco_pace_first(&(struct taco_pace){1, 1, 6.5}), 31);
    ck_assert_int_eq(taco_pace_first(&(struct taco_pace){1, 1, 6.75}), 32);
    ck_assert_int_eq(taco_pace_first(&(struct taco_pace){1, 1, 7}), 32);
    ck_assert_int_eq(taco_pace_first(&(struct taco_pace){0.5, 0.5, 3.25}), 31);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("pace");
    TCase *t = tcase_create("pace");
    tcase_add_test(t, at_rest);
    tcase_add_test(t, beside_others);
    tcase_add_test(t, more_than_can_be_done);
    tcase_add_test(t, unknown);
    tcase_add_test(t, bounds);
    suite_add_tcase(s, t);
    return s;
}

int main(void) {
    return test_run(suite());
}
