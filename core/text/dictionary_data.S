/* The pronunciations, as bytes: see dictionary.h. */

    .section .rodata

    .balign 16
    .globl taco_dictionary_table
    .hidden taco_dictionary_table
taco_dictionary_table:
    .incbin "models/lexicon/dictionary.bin"

    .section .note.GNU-stack, "", %progbits
