/* The file descriptors that connections may use. */
#ifndef TACO_SERVER_DESCRIPTORS_H
#define TACO_SERVER_DESCRIPTORS_H

/* Raises the process's soft limit (ulimit -n) to the hard limit. The number of descriptors left
 * for connections: those that are open and a reserve for files and pipes are subtracted. At
 * least 1. If accept() runs out of descriptors the listening socket stays ready and poll()
 * returns at once, over and over, so there must be fewer connections than descriptors. */
int taco_descriptors_for_connections(void);

#endif
