/* Files that a command writes: complete, or not there.
 *
 * The file is written beside its name and renamed at the end, so that a failure leaves an
 * existing file as it is. What is no regular file, such as a pipe, is written in place. */
#ifndef TACO_SERVER_OUTPUT_FILE_H
#define TACO_SERVER_OUTPUT_FILE_H

#include <stdbool.h>
#include <stdio.h>
#include <taco/status.h>

struct taco_output_file {
    FILE *file;
    char *path;      /* the name it gets, links resolved; NULL: it is written in place */
    char *temporary; /* the name it has until then */
};

/* option names the option in errors. TACO_ERR_IO, TACO_ERR_NO_MEMORY; file is NULL then. */
TACO_MUST_CHECK enum taco_status taco_output_file_open(struct taco_output_file *output,
                                                       const char *option,
                                                       const char *path,
                                                       struct taco_error *err);

/* Closes the file and, unless failed is set, gives it its name. All memory is freed.
 * TACO_ERR_IO. */
TACO_MUST_CHECK enum taco_status taco_output_file_close(struct taco_output_file *output,
                                                        bool failed, const char *option,
                                                        const char *path,
                                                        struct taco_error *err);

#endif
