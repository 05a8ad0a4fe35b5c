/* Any bytes as a text, the first of them choosing the front end and the options.
 *
 *   make SANITIZE=address BUILD=build build/asan/tests/fuzz/fuzz_text
 *   build/asan/tests/fuzz/fuzz_text -rounds=100000 README.md
 *
 * or with libFuzzer:
 *
 *   clang -g -O1 -fsanitize=fuzzer,address,undefined -D_GNU_SOURCE -Iinclude -Icore -Itests \
 *       -o build/fuzz_text tests/fuzz/fuzz_text.c tests/support/texts.c core/text/[a-z]*.c \
 *       core/base/{arena,config,error,memory}.c -ljansson -lespeak-ng \
 *       -lflite_usenglish -lflite_cmulex -lflite -lunistring -lm -pthread
 *   build/fuzz_text -max_len=500 */
#include "support/texts.h"

#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static struct taco_front_end *fe[TEST_TEXT_CONFIGS];
    if (size < 1)
        return 0;
    int which = data[0] % TEST_TEXT_CONFIGS;
    if (!fe[which])
        fe[which] = test_front_end((enum test_text_config)which);
    struct taco_text_options options = taco_text_options_default();
    options.final_punctuation = data[0] & 0x40;
    options.max_symbols = data[0] & 0x80 ? 20 : 180;
    struct taco_text *text;
    const char *source = (const char *)data + 1;
    if (taco_front_end_analyse(fe[which], source, size - 1, &options, &text, NULL) !=
        TACO_OK)
        return 0;
    const char *problem = test_text_problem(fe[which], text, source, size - 1, &options);
    if (problem) {
        fprintf(stderr, "%s\n", problem);
        abort();
    }
    taco_text_destroy(text);
    return 0;
}
