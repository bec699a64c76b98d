/* Questions to a text that is there already. */
#ifndef CORE_BASE_TEXT_H
#define CORE_BASE_TEXT_H

#include <stdbool.h>

bool text_begins(const char *text, const char *start);
/* Is `word` in it, with no letter, digit or _ at either side? */
bool text_has_word(const char *text, const char *word);

#endif
