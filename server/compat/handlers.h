/* The handlers of other servers' APIs, which API.md describes. */
#ifndef TACO_SERVER_COMPAT_HANDLERS_H
#define TACO_SERVER_COMPAT_HANDLERS_H

#include "http/exchange.h"

/* compat/openai.c, compat/openai_lists.c */
enum MHD_Result taco_handle_openai_speech(struct taco_exchange *x);
enum MHD_Result taco_handle_openai_voices(struct taco_exchange *x);
enum MHD_Result taco_handle_openai_audio_models(struct taco_exchange *x);
enum MHD_Result taco_handle_openai_models(struct taco_exchange *x);
enum MHD_Result taco_handle_openai_model(struct taco_exchange *x);

enum MHD_Result taco_handle_coqui(struct taco_exchange *x); /* compat/coqui.c */

/* compat/mary.c, compat/mary_lists.c */
enum MHD_Result taco_handle_mary_process(struct taco_exchange *x);
enum MHD_Result taco_handle_mary_voices(struct taco_exchange *x);
enum MHD_Result taco_handle_mary_locales(struct taco_exchange *x);
enum MHD_Result taco_handle_mary_version(struct taco_exchange *x);
enum MHD_Result taco_handle_mary_audioformats(struct taco_exchange *x);
enum MHD_Result taco_handle_mary_datatypes(struct taco_exchange *x);

/* compat/elevenlabs.c, compat/elevenlabs_lists.c */
enum MHD_Result taco_handle_elevenlabs(struct taco_exchange *x);
enum MHD_Result taco_handle_elevenlabs_stream(struct taco_exchange *x);
enum MHD_Result taco_handle_elevenlabs_times(struct taco_exchange *x);
enum MHD_Result taco_handle_elevenlabs_stream_times(struct taco_exchange *x);
enum MHD_Result taco_handle_elevenlabs_voices(struct taco_exchange *x);
enum MHD_Result taco_handle_elevenlabs_settings(struct taco_exchange *x);
enum MHD_Result taco_handle_elevenlabs_user(struct taco_exchange *x);
enum MHD_Result taco_handle_elevenlabs_subscription(struct taco_exchange *x);

#endif
