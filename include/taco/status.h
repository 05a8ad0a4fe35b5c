/* Status codes and error details, shared by every call of the library.
 *
 * A function that can fail returns enum taco_status (0 is success) and takes
 * struct taco_error *err as its last parameter. err may be NULL. The first error
 * wins: a call never overwrites an err whose status is not TACO_OK, so one
 * zero-initialised struct can be handed through a chain of calls.
 *
 * Structs of options come from their taco_..._default(), which also sets what is not zero by
 * default, and are changed member by member. They end in reserved members: later versions
 * make options of these, whose default is zero, so that the size of a struct does not change
 * and a program runs with a later library unchanged. A library refuses reserved members that
 * are not zero (TACO_ERR_INVALID_ARGUMENT, "reserved"): it is older than the program. */
#ifndef TACO_STATUS_H
#define TACO_STATUS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* TACO_API: visible in libtaco.so. TACO_MUST_CHECK: ignoring the result leaks or hides. */
#if defined(__GNUC__)
#define TACO_API __attribute__((visibility("default")))
#define TACO_MUST_CHECK __attribute__((warn_unused_result))
#define TACO_PRINTF(f, a) __attribute__((format(printf, f, a)))
#else
#define TACO_API
#define TACO_MUST_CHECK
#define TACO_PRINTF(f, a)
#endif

/* Reserved members of a struct of options. */
#define TACO_RESERVED 8

enum taco_status {
    TACO_OK = 0,
    TACO_ERR_INVALID_ARGUMENT = -1, /* an option is out of range or of the wrong kind */
    TACO_ERR_EMPTY_TEXT = -2,       /* no text, or white space only */
    TACO_ERR_NOTHING_TO_SPEAK = -3, /* text without a word: punctuation, emoji, ... */
    TACO_ERR_INVALID_UTF8 = -4,     /* not UTF-8, or a NUL byte inside */
    TACO_ERR_TEXT_TOO_LONG = -5,    /* over the engine's limit */
    TACO_ERR_UNKNOWN_PHONE =
        -6, /* strict: {…} names a phone that the voice does not have */
    TACO_ERR_NOT_FOUND = -7,    /* no such file, voice, speaker or id */
    TACO_ERR_IO = -8,           /* the system refused: the message has errno's text */
    TACO_ERR_FORMAT = -9,       /* a file or a document is not what it should be */
    TACO_ERR_VERSION = -10,     /* a format version that this build does not know */
    TACO_ERR_SHAPE = -11,       /* a tensor's shape or type does not fit the config */
    TACO_ERR_UNSUPPORTED = -12, /* understood, but not in this build */
    TACO_ERR_NO_MEMORY = -13,
    TACO_ERR_BUSY = -14, /* the queue is full: try again later */
    TACO_ERR_CANCELLED =
        -15, /* taco_job_cancel was called, or struct taco_cancel said so */
    TACO_ERR_TIMEOUT = -16,   /* the request's deadline passed */
    TACO_ERR_ALIGNMENT = -17, /* strict request: the attention failed on every attempt */
    TACO_ERR_INTERNAL = -18   /* a defect of ours */
};

struct taco_error {
    enum taco_status status; /* TACO_OK: nothing set yet */
    char param[48];          /* the option, tensor or field at fault, or "" */
    long offset; /* byte in the caller's text or file, or -1 where that has no sense */
    char message[256]; /* one sentence for a person: what, where, what would be right */
};

/* Initialiser of an error that nothing has written to. */
#define TACO_ERROR_INIT                                                                  \
    { TACO_OK, "", -1, "" }

/* Ends a long call early. check is called by the thread that works, about every 50 ms or
 * more often; nonzero ends the call with TACO_ERR_CANCELLED. It must be quick. */
struct taco_cancel {
    int (*check)(void *user);
    void *user;
};

/* Bytes of memory that something made of a result takes at the most, before the result is
 * known. Costs are added member by member. */
struct taco_cost {
    double per_second; /* of audio */
    double per_symbol; /* of text, as the encoder reads it */
    double per_weight; /* of the alignments: steps by symbols, chunk by chunk, and as many
                          for each head */
};

/* Stable lower-case name of a status, "empty_text" for TACO_ERR_EMPTY_TEXT; "ok" for
 * TACO_OK; "unknown" for a number that is none of them. Static storage. */
TACO_API const char *taco_status_name(enum taco_status status);

/* Frees what the library says that the caller frees: free(), for callers whose own free() is
 * of another heap. NULL is allowed. */
TACO_API void taco_free(void *memory);

/* Version of the library, "0.1.0". Static storage. */
TACO_API const char *taco_version(void);

#ifdef __cplusplus
}
#endif
#endif
