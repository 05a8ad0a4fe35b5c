/* tacod: the commands, and what they have in common. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cli/command.h"

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *help;
} commands[] = {
    {"serve", taco_command_serve, "serve speech over HTTP, and the web page"},
    {"say", taco_command_say, "speak a text to a file or a pipe"},
    {"batch", taco_command_batch, "speak the lines of a list into a folder"},
    {"text", taco_command_text, "show how a text is read, without speaking it"},
    {"info", taco_command_info, "describe a voice, or test it"},
    {"new-key", taco_command_new_key, "make an API key and its line for the key file"},
};

static void print_usage(FILE *out) {
    fputs("usage: tacod COMMAND [OPTION]...\n\n"
          "Tacotron 2 text-to-speech: text in, audio and alignment out.\n\n",
          out);
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        fprintf(out, "  tacod %-10s%s\n", commands[i].name, commands[i].help);
    fputs("\ntacod COMMAND --help lists the options of a command; tacod --version prints "
          "the version.\n",
          out);
}

int taco_command_fail(const char *command, const struct taco_error *err) {
    fprintf(stderr, "tacod %s: %s\n", command, err->message);
    switch (err->status) {
    case TACO_ERR_INVALID_ARGUMENT:
        return TACO_EXIT_USAGE;
    case TACO_ERR_EMPTY_TEXT:
    case TACO_ERR_NOTHING_TO_SPEAK:
    case TACO_ERR_INVALID_UTF8:
    case TACO_ERR_TEXT_TOO_LONG:
    case TACO_ERR_UNKNOWN_PHONE:
    case TACO_ERR_ALIGNMENT:
        return TACO_EXIT_TEXT;
    default:
        return TACO_EXIT_FAILURE;
    }
}

/* A full disk or a closed pipe shows when the last bytes leave. */
static int check_output(int code) {
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout))
        return code;
    fprintf(stderr, "tacod: cannot write to standard output: %s\n",
            strerror(errno ? errno : EIO));
    return code ? code : TACO_EXIT_FAILURE;
}

/* A file opened next would become standard input, output or error where that is closed, and
 * what is written there would end up in the file. */
static bool open_standard_descriptors(void) {
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDWR) != fd)
            return false;
    return true;
}

int main(int argc, char **argv) {
    if (!open_standard_descriptors())
        return TACO_EXIT_FAILURE;
    signal(SIGPIPE, SIG_IGN); /* a write that fails is enough */
    const char *name = argc > 1 ? argv[1] : "";
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (strcmp(name, commands[i].name) == 0)
            return check_output(commands[i].run(argc - 1, argv + 1));
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 ||
        strcmp(name, "help") == 0) {
        print_usage(stdout);
        return check_output(TACO_EXIT_OK);
    }
    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0) {
        printf("tacod %s\n", taco_version());
        return check_output(TACO_EXIT_OK);
    }
    if (*name)
        fprintf(stderr, "tacod: there is no command '%s'\n\n", name);
    print_usage(stderr);
    return TACO_EXIT_USAGE;
}
