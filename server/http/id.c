#include "http/id.h"

#include <sys/random.h>
#include <sys/types.h>

void taco_id_draw(char id[TACO_ID_LENGTH + 1]) {
    static const char letters[] =
        "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    for (int n = 0; n < TACO_ID_LENGTH;) {
        unsigned char bytes[32];
        ssize_t got = getrandom(bytes, sizeof bytes, 0); /* up to 256 bytes come whole */
        for (ssize_t i = 0; i < got && n < TACO_ID_LENGTH; i++)
            if (bytes[i] < 4 * 62) /* all letters are equally likely */
                id[n++] = letters[bytes[i] % 62];
    }
    id[TACO_ID_LENGTH] = '\0';
}
