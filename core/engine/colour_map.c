#include "engine/colour_map.h"
#include <math.h>

void taco_colour_map(float x, unsigned char *rgb) {
    /* From blue over green and orange; saturated enough to tell levels apart. */
    const double start = 0.3, rotations = -0.9, hue = 1.1;
    static const double cosine[3] = {-0.14861, -0.29227, 1.97294};
    static const double sine[3] = {1.78277, -0.90649, 0.0};
    double l = fmin(fmax((double)x, 0.0), 1.0);
    double angle = 2 * 3.14159265358979323846 * (start / 3 + 1 + rotations * l);
    double amplitude = hue * l * (1 - l) / 2;
    for (int i = 0; i < 3; i++) {
        double v = l + amplitude * (cosine[i] * cos(angle) + sine[i] * sin(angle));
        rgb[i] = (unsigned char)lround(255 * fmin(fmax(v, 0.0), 1.0));
    }
}
