/* Stored number formats as f32 (safetensors.h). */
#include <assert.h>
#include <string.h>

#include "base/safetensors.h"

static float bits_to_float(uint32_t bits) {
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

static uint32_t float_to_bits(float f) {
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

/* IEEE 754 binary16, exactly. Its exponent and fraction, put into the fields of a
 * binary32, mean 2^-112 of their value: one product repairs normal and subnormal numbers
 * alike. */
static float half_to_float(uint16_t h) {
    uint32_t magnitude = (uint32_t)(h & 0x7FFF) << 13;
    uint32_t bits = float_to_bits(bits_to_float(magnitude) * 0x1p112f);
    uint32_t special =
        magnitude >= 0x0F800000 ? 0x7F800000u : 0; /* infinite, or no number */
    return bits_to_float(bits | special | (uint32_t)(h & 0x8000) << 16);
}

void taco_tensor_to_f32(const struct taco_tensor *tensor, float *out) {
    size_t n = tensor->n_elements;
    const uint16_t *h = tensor->data;
    switch (tensor->dtype) {
    case TACO_DTYPE_F32:
        if (n)
            memcpy(out, tensor->data, n * sizeof *out);
        return;
    case TACO_DTYPE_F16:
        for (size_t i = 0; i < n; i++)
            out[i] = half_to_float(h[i]);
        return;
    case TACO_DTYPE_BF16:
        for (size_t i = 0; i < n; i++)
            out[i] = bits_to_float((uint32_t)h[i] << 16);
        return;
    case TACO_DTYPE_OTHER:
        break;
    }
    assert(!"a tensor of another type has no f32 form");
}
