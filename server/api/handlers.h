/* The handlers of our own routes, which API.md describes. */
#ifndef TACO_SERVER_HANDLERS_H
#define TACO_SERVER_HANDLERS_H

#include "http/exchange.h"

enum MHD_Result taco_handle_speech(struct taco_exchange *x);       /* handle_speech.c */
enum MHD_Result taco_handle_result_audio(struct taco_exchange *x); /* handle_results.c */
enum MHD_Result taco_handle_result_form(struct taco_exchange *x);  /* handle_results.c */
enum MHD_Result taco_handle_text(struct taco_exchange *x);         /* handle_text.c */
enum MHD_Result taco_handle_voices(struct taco_exchange *x);       /* handle_voices.c */
enum MHD_Result taco_handle_voice(struct taco_exchange *x);        /* handle_voices.c */
enum MHD_Result taco_handle_healthz(struct taco_exchange *x);      /* handle_health.c */
enum MHD_Result taco_handle_readyz(struct taco_exchange *x);       /* handle_health.c */
enum MHD_Result taco_handle_metrics(struct taco_exchange *x);      /* handle_metrics.c */
enum MHD_Result taco_handle_status(struct taco_exchange *x);       /* handle_status.c */
enum MHD_Result taco_handle_openapi(struct taco_exchange *x);      /* handle_openapi.c */
enum MHD_Result taco_handle_page(struct taco_exchange *x);         /* handle_page.c */

bool taco_result_form_exists(const struct taco_exchange *x); /* handle_results.c */
bool taco_page_exists(const struct taco_exchange *x);        /* handle_page.c */

#endif
