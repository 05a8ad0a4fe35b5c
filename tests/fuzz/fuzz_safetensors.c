/* The reader of safetensors files. Whatever the bytes are, it refuses
 * them or gives tensors that lie inside them. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/safetensors.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int holds) {
    if (!holds)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    /* Aligned as a mapped file is, and not a byte longer than the input. */
    size_t room = size ? size : 1;
    void *copy;
    if (posix_memalign(&copy, 64, room) != 0)
        return 0;
    if (size)
        memcpy(copy, data, size);
    const uint8_t *bytes = copy;

    struct taco_safetensors *st;
    struct taco_error err = TACO_ERROR_INIT;
    enum taco_status status = taco_safetensors_open_memory(&st, bytes, size, &err);
    require(status == err.status);
    if (status == TACO_OK) {
        const char *config = taco_safetensors_metadata(st, "config");
        require(!config || strlen(config) < size);
        for (size_t i = 0; i < taco_safetensors_count(st); i++) {
            const struct taco_tensor *t = taco_safetensors_at(st, i);
            require(taco_safetensors_find(st, t->name) == t);
            const uint8_t *begin = t->data;
            require(begin >= bytes && begin + t->n_bytes <= bytes + size);
            if (t->dtype == TACO_DTYPE_OTHER)
                continue;
            float *out = malloc((t->n_elements + 1) * sizeof *out);
            if (out)
                taco_tensor_to_f32(t, out);
            free(out);
        }
        taco_safetensors_close(st);
    } else {
        require(st == NULL && err.message[0] != '\0');
    }
    free(copy);
    return 0;
}
