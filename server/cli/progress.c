#include "cli/progress.h"

#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"

enum { WIDTH = 24 };

struct taco_progress taco_progress_begin(bool quiet) {
    return (struct taco_progress){.shown = !quiet && isatty(STDERR_FILENO),
                                  .begun = taco_clock_now()};
}

void taco_progress_show(const struct taco_progress *progress, double before, double done,
                        double all, double speech, const char *what) {
    if (!progress->shown)
        return;
    double elapsed = taco_clock_now() - progress->begun;
    double left = done > before ? elapsed / (done - before) * (all - done) : 0;
    int filled = all > 0 && done < all ? (int)(WIDTH * done / all) : WIDTH;
    fprintf(stderr, "\r[%.*s%*s] %s, %.1fx real time, %d:%02d left\033[K", filled,
            "########################", WIDTH - filled, "", what,
            elapsed > 0 ? speech / elapsed : 0, (int)(left / 60), (int)left % 60);
}

void taco_progress_clear(const struct taco_progress *progress) {
    if (progress->shown)
        fputs("\r\033[K", stderr);
}
