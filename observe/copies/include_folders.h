#ifndef CORE_OBSERVE_INCLUDE_FOLDERS_H
#define CORE_OBSERVE_INCLUDE_FOLDERS_H

#include "core/base.h"

/* Adds the folders in which the source's #include lines, and those of its headers, found
 * the files `headers` (absolute paths); those of the system and those beside the
 * including file need none. */
void included_folders(const char *source, const struct strvec *headers,
                      struct strvec *folders);
/* The same for a source of a compiled program, from its debug information. */
void program_include_folders(const char *program, const char *source,
                             struct strvec *folders);

#endif
