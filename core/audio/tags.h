/* Title, artist and chapters as the formats write them. */
#ifndef TACO_AUDIO_TAGS_H
#define TACO_AUDIO_TAGS_H

#include <taco/audio.h>

/* Checks tags, NULL included, for a format: TACO_ERR_INVALID_ARGUMENT (tags). */
enum taco_status taco_tags_check(const struct taco_audio_tags *tags,
                                 enum taco_audio_format format, struct taco_error *err);

/* An ID3v2.4 tag with the frames TIT2, TPE1, TALB, CTOC and CHAP. The caller frees *bytes
 * [*size] with taco_free. TACO_ERR_NO_MEMORY. */
TACO_MUST_CHECK enum taco_status taco_tags_id3(const struct taco_audio_tags *tags,
                                               unsigned char **bytes, size_t *size);

/* The packet OpusTags (RFC 7845, section 5.2) with the vendor string [vendor_size]: TITLE,
 * ARTIST, ALBUM, and CHAPTER000=00:00:00.000 with CHAPTER000NAME for every chapter. As
 * above. */
TACO_MUST_CHECK enum taco_status taco_tags_opus(const struct taco_audio_tags *tags,
                                                const char *vendor, size_t vendor_size,
                                                unsigned char **bytes, size_t *size);

#endif
