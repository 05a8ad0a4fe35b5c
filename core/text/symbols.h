/* The voice's symbol table: names to ids. */
#ifndef TACO_TEXT_SYMBOLS_H
#define TACO_TEXT_SYMBOLS_H

#include <stddef.h>
#include <stdint.h>
#include <taco/status.h>

#define TACO_NO_SYMBOL (-1)

struct taco_symbols {
    char **names; /* [n], index is the id */
    int32_t n;
    size_t longest;   /* bytes of the longest name */
    int32_t *slots;   /* [n_slots] hash table of ids, TACO_NO_SYMBOL where empty */
    uint32_t n_slots; /* a power of two, at least twice n */
};

/* names [n] are copied. TACO_ERR_FORMAT for an empty or repeated name, _NO_MEMORY. */
enum taco_status taco_symbols_init(struct taco_symbols *symbols, const char *const *names,
                                   size_t n, struct taco_error *err);
void taco_symbols_free(struct taco_symbols *symbols);

/* The id of name [n bytes], or TACO_NO_SYMBOL. */
int32_t taco_symbols_find(const struct taco_symbols *symbols, const char *name, size_t n);
int32_t taco_symbols_find_cp(const struct taco_symbols *symbols, uint32_t cp);

/* The longest symbol that bytes [n] begin with, *used bytes of them; or TACO_NO_SYMBOL.
 */
int32_t taco_symbols_match(const struct taco_symbols *symbols, const char *bytes,
                           size_t n, size_t *used);

#endif
