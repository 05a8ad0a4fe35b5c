/* Files that not everybody should see. */
#ifndef TACO_SERVER_SECRET_FILE_H
#define TACO_SERVER_SECRET_FILE_H

/* Warns in the log if the file is one that everybody may read or write. */
void taco_secret_file_check(const char *path);

#endif
