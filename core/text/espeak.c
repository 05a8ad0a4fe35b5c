#include "text/espeak.h"

#include "base/error.h"
#include <espeak-ng/speak_lib.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool started;
static char current[64]; /* the voice that is set */

/* Under the lock. */
static enum taco_status set_voice(const char *voice, struct taco_error *err) {
    if (!started) {
        if (espeak_Initialize(AUDIO_OUTPUT_RETRIEVAL, 0, NULL,
                              espeakINITIALIZE_DONT_EXIT) < 0)
            return taco_error_set(
                err, TACO_ERR_UNSUPPORTED, "text.espeak_voice",
                "text.espeak_voice: eSpeak NG does not start: are its data "
                "installed?");
        started = true;
    }
    if (current[0] && strcmp(current, voice) == 0)
        return TACO_OK;
    current[0] = '\0';
    if (!voice[0] || strlen(voice) >= sizeof current ||
        espeak_SetVoiceByName(voice) != EE_OK)
        return taco_error_set(err, TACO_ERR_UNSUPPORTED, "text.espeak_voice",
                              "text.espeak_voice: eSpeak NG has no voice '%.40s'", voice);
    snprintf(current, sizeof current, "%s", voice);
    return TACO_OK;
}

enum taco_status taco_espeak_check(const char *voice, struct taco_error *err) {
    pthread_mutex_lock(&lock);
    enum taco_status status = set_voice(voice, err);
    pthread_mutex_unlock(&lock);
    return status;
}

/* eSpeak NG tells in brackets that it changed to another language: "(en)". */
static bool add_ipa(struct taco_string *ipa, const char *phonemes) {
    for (const char *p = phonemes; *p;) {
        if (*p == '(') {
            const char *end = strchr(p, ')');
            if (end) {
                p = end + 1;
                continue;
            }
        }
        bool blank = *p == ' ' || *p == '\n' || *p == '\r' || *p == '\t';
        bool skip = blank && (ipa->n == 0 || ipa->bytes[ipa->n - 1] == ' ');
        if (!skip && !taco_string_add_char(ipa, blank ? ' ' : *p))
            return false;
        p++;
    }
    return true;
}

enum taco_status taco_espeak_ipa(const char *voice, const char *text,
                                 struct taco_string *ipa, struct taco_error *err) {
    pthread_mutex_lock(&lock);
    enum taco_status status = set_voice(voice, err);
    const void *rest = text;
    while (status == TACO_OK && rest && *(const char *)rest) {
        const char *phonemes = espeak_TextToPhonemes(&rest, espeakCHARS_UTF8, 2);
        if (phonemes && (!add_ipa(ipa, phonemes) || !add_ipa(ipa, " ")))
            status = taco_error_set(err, TACO_ERR_NO_MEMORY, NULL, "out of memory");
    }
    pthread_mutex_unlock(&lock);
    if (status == TACO_OK && ipa->n && ipa->bytes[ipa->n - 1] == ' ')
        ipa->bytes[--ipa->n] = '\0';
    return status;
}
