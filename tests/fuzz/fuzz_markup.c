/* Any bytes as HTML, Markdown or SSML, the first of them choosing the front end and which.
 *
 *   make SANITIZE=address BUILD=build build/asan/tests/fuzz/fuzz_markup
 *   build/asan/tests/fuzz/fuzz_markup -rounds=100000 README.md */
#include "support/texts.h"

#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const enum taco_input inputs[] = {TACO_INPUT_HTML, TACO_INPUT_MARKDOWN,
                                             TACO_INPUT_SSML, TACO_INPUT_SSML};
    static struct taco_front_end *fe[TEST_TEXT_CONFIGS];
    if (size < 1)
        return 0;
    int which = data[0] % 16 % TEST_TEXT_CONFIGS;
    if (!fe[which])
        fe[which] = test_front_end((enum test_text_config)which);
    struct taco_text_options options = taco_text_options_default();
    options.input = inputs[data[0] >> 4 & 3];
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
