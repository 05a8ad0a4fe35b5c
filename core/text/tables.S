/* The pronunciations and the weights of the homographs, as bytes: see dictionary.h and
 * homograph.h. */

    .section .rodata

    .balign 16
    .globl taco_dictionary_table
    .hidden taco_dictionary_table
taco_dictionary_table:
    .incbin "models/lexicon/dictionary.bin"

    .balign 16
    .globl taco_homograph_weights
    .hidden taco_homograph_weights
taco_homograph_weights:
    .incbin "models/homographs/model.bin"

    .section .note.GNU-stack, "", %progbits
