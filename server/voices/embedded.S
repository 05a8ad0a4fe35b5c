/* The default voice, the files of web/ and the description of the routes, as bytes.
 *
 * page_files.inc is written by the Makefile: PAGE_FILE(n, name, path) for each file. */

    .section .rodata

    .balign 64
    .globl taco_embedded_voice
taco_embedded_voice:
    .incbin "models/heart.safetensors"
    .globl taco_embedded_voice_end
taco_embedded_voice_end:

    .globl taco_embedded_openapi
taco_embedded_openapi:
    .incbin "server/api/openapi.json"
    .globl taco_embedded_openapi_end
taco_embedded_openapi_end:

#define PAGE_FILE(n, name, path)           \
    .balign 16;                            \
    .globl taco_page_##n;                  \
taco_page_##n:                             \
    .incbin path;                          \
    .globl taco_page_##n##_end;            \
taco_page_##n##_end:                       \
    .byte 0;
#include "page_files.inc"

    .section .note.GNU-stack, "", %progbits
