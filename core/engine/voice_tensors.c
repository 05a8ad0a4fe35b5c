#include "engine/voice_tensors.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

static bool has_shape(const struct taco_tensor *tensor,
                      const struct taco_voice_tensor *wanted) {
    bool same = tensor->n_dims == wanted->n_dims;
    for (int d = 0; same && d < wanted->n_dims; d++)
        same = tensor->shape[d] == wanted->shape[d];
    return same;
}

static enum taco_status check_one(const struct taco_safetensors *file,
                                  const struct taco_voice_tensor *wanted,
                                  struct taco_error *err) {
    const char *name = wanted->name;
    const struct taco_tensor *tensor = taco_safetensors_find(file, name);
    if (!tensor)
        return taco_error_set(err, TACO_ERR_SHAPE, name, "tensor %s is missing", name);
    if (!has_shape(tensor, wanted)) {
        char text[64] = "";
        for (int d = 0; d < wanted->n_dims; d++) {
            size_t used = strlen(text);
            snprintf(text + used, sizeof text - used, "%s%d", d ? ", " : "",
                     wanted->shape[d]);
        }
        return taco_error_set(err, TACO_ERR_SHAPE, name,
                              "tensor %s: the config wants shape [%s], the file has %d "
                              "dimensions, the first of %lld",
                              name, text, tensor->n_dims,
                              tensor->n_dims ? (long long)tensor->shape[0] : 1LL);
    }
    if (tensor->dtype == TACO_DTYPE_OTHER)
        return taco_error_set(err, TACO_ERR_SHAPE, name,
                              "tensor %s: type %s, wanted F32, F16 or BF16", name,
                              tensor->dtype_name);
    return TACO_OK;
}

enum taco_status taco_voice_tensors_check(const struct taco_safetensors *file,
                                          const char *prefix,
                                          const struct taco_voice_tensor *list, int n,
                                          struct taco_error *err) {
    for (size_t i = 0; i < taco_safetensors_count(file); i++) {
        const char *name = taco_safetensors_at(file, i)->name;
        bool known = strncmp(name, prefix, strlen(prefix)) != 0;
        for (int j = 0; j < n; j++)
            known = known || (list[j].n_dims > 0 && strcmp(name, list[j].name) == 0);
        if (!known)
            return taco_error_set(err, TACO_ERR_FORMAT, name,
                                  "tensor %.80s: the config has no use for it", name);
    }
    enum taco_status status = TACO_OK;
    for (int j = 0; status == TACO_OK && j < n; j++)
        if (list[j].n_dims > 0)
            status = check_one(file, &list[j], err);
    return status;
}

static enum taco_status read_one(const struct taco_safetensors *file,
                                 struct taco_voice_tensor *wanted,
                                 struct taco_error *err) {
    const char *name = wanted->name;
    const struct taco_tensor *tensor = taco_safetensors_find(file, name);
    float *values = wanted->values = taco_malloc(tensor->n_elements * sizeof *values);
    if (!values)
        return taco_error_set(err, TACO_ERR_NO_MEMORY, NULL, "no memory for tensor %s",
                              name);
    taco_tensor_to_f32(tensor, values);
    for (size_t i = 0; i < tensor->n_elements; i++)
        if (!isfinite(values[i]))
            return taco_error_set(err, TACO_ERR_FORMAT, name,
                                  "tensor %s: element %zu is not a finite number", name,
                                  i);
    return TACO_OK;
}

enum taco_status taco_voice_tensors_read(const struct taco_safetensors *file,
                                         struct taco_voice_tensor *list, int n,
                                         struct taco_error *err) {
    enum taco_status status = TACO_OK;
    for (int j = 0; status == TACO_OK && j < n; j++)
        if (list[j].n_dims > 0)
            status = read_one(file, &list[j], err);
    return status;
}

void taco_voice_tensors_free(struct taco_voice_tensor *list, int n) {
    for (int j = 0; j < n; j++) {
        taco_free(list[j].values);
        list[j].values = NULL;
    }
}
