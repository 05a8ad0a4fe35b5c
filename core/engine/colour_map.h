/* Colours for pictures of numbers. */
#ifndef TACO_ENGINE_COLOUR_MAP_H
#define TACO_ENGINE_COLOUR_MAP_H

/* The colour of x, 0 to 1, from black to white through a helix of hues whose perceived
 * brightness grows evenly: D. A. Green, "A colour scheme for the display of astronomical
 * intensity images", Bull. Astr. Soc. India 39 (2011), section 3. rgb [3], 0 to 255. */
void taco_colour_map(float x, unsigned char *rgb);

#endif
