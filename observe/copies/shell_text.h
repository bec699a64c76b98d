/* 'make app && ./app args': shell text of the user's that builds an application and runs
 * it. */
#ifndef CORE_OBSERVE_SHELL_TEXT_H
#define CORE_OBSERVE_SHELL_TEXT_H

#include "core/base.h"

/* What stands behind the last && at top level (not in quotes, parentheses, braces,
 * $(...) or `...`) runs the application; what stands before builds it. The caller frees
 * both. STATUS_USAGE when one of them is missing. */
int shell_text_split(const char *text, char **build, char **run, struct error *err);

/* What went wrong, from what a build printed: the first line that names an error, else
 * the last that is not empty. Caller frees; NULL = it printed nothing. */
char *shell_text_complaint(const char *out, const char *err);

#endif
