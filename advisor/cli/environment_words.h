/* Pages, start of a sample, load beside it: their words, as text and as JSON. */
#ifndef ADVISOR_ENVIRONMENT_WORDS_H
#define ADVISOR_ENVIRONMENT_WORDS_H

#include "advisor/cli/settings.h"

/* In the order of their enums (pages: small, huge), NULL behind the last. */
extern const char *const pages_words[];
extern const char *const start_words[];
extern const char *const background_words[];

/* "small pages; data cold; other cores idle; a sample is the least of 3". Caller frees.
 */
char *environment_text(const struct settings *settings);
json_t *environment_json(const struct settings *settings);

#endif
