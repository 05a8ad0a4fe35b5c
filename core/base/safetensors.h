/* Reader of safetensors files: a table of tensors, a metadata string map, the data.
 *
 * Layout: 8 bytes little-endian header length, a JSON object, then the data. The file is
 * hostile: every length, offset, type and shape is checked against the file's size before
 * it is used; overlaps, holes before the first tensor's end, duplicate names, over 65,536
 * tensors, over 8 dimensions and a header over 16 MiB are refused. */
#ifndef TACO_BASE_SAFETENSORS_H
#define TACO_BASE_SAFETENSORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <taco/status.h>

enum taco_dtype { TACO_DTYPE_F32, TACO_DTYPE_F16, TACO_DTYPE_BF16, TACO_DTYPE_OTHER };

struct taco_tensor {
    const char *name;
    enum taco_dtype dtype;
    char dtype_name[8];
    int n_dims;
    int64_t shape[8]; /* [n_dims] */
    size_t n_elements;
    const void *data; /* in the bytes; aligned to the element's size at least */
    size_t n_bytes;
};

struct taco_safetensors;

/* Reads the file into memory: what happens to it on the disk later, or meanwhile, is an error
 * at worst. *st is ended with taco_safetensors_close. TACO_ERR_NOT_FOUND, _IO, _FORMAT (not
 * a regular file, either), _NO_MEMORY. */
enum taco_status taco_safetensors_open(struct taco_safetensors **st, const char *path,
                                       struct taco_error *err);

/* The same in two steps, so that a header can be refused before its data take memory. Until
 * the second step the tensors' data are zeros. cancel may be NULL. TACO_ERR_CANCELLED. */
enum taco_status taco_safetensors_open_header(struct taco_safetensors **st,
                                              const char *path, struct taco_error *err);
enum taco_status taco_safetensors_read(struct taco_safetensors *st,
                                       const struct taco_cancel *cancel,
                                       struct taco_error *err);

/* The same over bytes [size] that the caller keeps until close. */
enum taco_status taco_safetensors_open_memory(struct taco_safetensors **st,
                                              const void *bytes, size_t size,
                                              struct taco_error *err);

void taco_safetensors_close(struct taco_safetensors *st);

/* By name; NULL if there is none. */
const struct taco_tensor *taco_safetensors_find(const struct taco_safetensors *st,
                                                const char *name);
size_t taco_safetensors_count(const struct taco_safetensors *st);
const struct taco_tensor *taco_safetensors_at(const struct taco_safetensors *st,
                                              size_t i);

/* Entry of __metadata__, or NULL. */
const char *taco_safetensors_metadata(const struct taco_safetensors *st, const char *key);

/* True if the bytes are the caller's and stay until close. */
bool taco_safetensors_is_borrowed(const struct taco_safetensors *st);

/* Gives the memory of a file's data back; names, shapes and metadata stay. No effect on
 * borrowed bytes. */
void taco_safetensors_drop_data(struct taco_safetensors *st);

size_t taco_safetensors_file_bytes(const struct taco_safetensors *st);

/* Writes tensor elements [n_elements] as f32; F32, F16 and BF16 only. */
void taco_tensor_to_f32(const struct taco_tensor *tensor, float *out);

#endif
