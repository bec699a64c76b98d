/* Questions to a text that is there already. */
#ifndef CORE_BASE_TEXT_H
#define CORE_BASE_TEXT_H

#include <stdbool.h>

bool text_begins(const char *text, const char *start);

#endif
