/* Files of a folder that a command fills: complete, or not there. */
#ifndef TACO_SERVER_FOLDER_FILE_H
#define TACO_SERVER_FOLDER_FILE_H

#include <stddef.h>
#include <taco/status.h>

/* "cannot VERB 'NAME': what errno says". TACO_ERR_IO. */
enum taco_status taco_folder_fail(struct taco_error *err, const char *verb,
                                  const char *name);

/* Creates the folder if it is missing and opens it: *folder is a descriptor, -1 on failure.
 * TACO_ERR_IO. */
TACO_MUST_CHECK enum taco_status taco_folder_open(int *folder, const char *path,
                                                  struct taco_error *err);

/* Writes bytes [size] beside name (up to 200 bytes) and renames the file. TACO_ERR_IO. */
TACO_MUST_CHECK enum taco_status taco_folder_write(int folder, const char *name,
                                                   const void *bytes, size_t size,
                                                   struct taco_error *err);

#endif
