/* The commands of the program; argv[0] is the command's name. They return exit codes. */
#ifndef TACO_SERVER_COMMAND_H
#define TACO_SERVER_COMMAND_H

#include <taco/status.h>

enum taco_exit {
    TACO_EXIT_OK = 0,
    TACO_EXIT_FAILURE = 1, /* a file, memory, the network, a voice that is damaged */
    TACO_EXIT_USAGE = 2,   /* an option, or its value */
    TACO_EXIT_TEXT = 3 /* the text cannot be spoken, or (--strict) was not spoken well */
};

int taco_command_serve(int argc, char **argv);
int taco_command_say(int argc, char **argv);
int taco_command_batch(int argc, char **argv);
int taco_command_text(int argc, char **argv);
int taco_command_info(int argc, char **argv);
int taco_command_new_key(int argc, char **argv);

/* Prints "tacod COMMAND: message" to standard error and returns the exit code of its
 * status. */
int taco_command_fail(const char *command, const struct taco_error *err);

#endif
