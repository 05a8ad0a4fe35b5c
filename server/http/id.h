/* Random names of requests and results. */
#ifndef TACO_SERVER_ID_H
#define TACO_SERVER_ID_H

#define TACO_ID_LENGTH 12

/* TACO_ID_LENGTH letters and digits: 71 bits of the system's entropy. Thread-safe. */
void taco_id_draw(char id[TACO_ID_LENGTH + 1]);

#endif
