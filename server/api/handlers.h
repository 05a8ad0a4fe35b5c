/* The handlers of the table of routes; each is told of in API.md. */
#ifndef TACO_SERVER_HANDLERS_H
#define TACO_SERVER_HANDLERS_H

#include "http/exchange.h"

enum MHD_Result taco_handle_speech(struct taco_exchange *x);     /* handle_speech.c */
enum MHD_Result taco_handle_kept_audio(struct taco_exchange *x); /* handle_results.c */
enum MHD_Result taco_handle_kept_form(struct taco_exchange *x);  /* handle_results.c */
enum MHD_Result taco_handle_voices(struct taco_exchange *x);     /* handle_voices.c */
enum MHD_Result taco_handle_voice(struct taco_exchange *x);      /* handle_voices.c */
enum MHD_Result taco_handle_healthz(struct taco_exchange *x);    /* handle_health.c */
enum MHD_Result taco_handle_readyz(struct taco_exchange *x);     /* handle_health.c */
enum MHD_Result taco_handle_metrics(struct taco_exchange *x);    /* handle_metrics.c */
enum MHD_Result taco_handle_status(struct taco_exchange *x);     /* handle_status.c */
enum MHD_Result taco_handle_openapi(struct taco_exchange *x);    /* handle_openapi.c */
enum MHD_Result taco_handle_page(struct taco_exchange *x);       /* handle_page.c */

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

bool taco_kept_form_exists(const struct taco_exchange *x); /* handle_results.c */
bool taco_page_exists(const struct taco_exchange *x);      /* handle_page.c */

#endif
