/* With which flags a source file of an application was compiled. */
#ifndef CORE_OBSERVE_APP_FLAGS_H
#define CORE_OBSERVE_APP_FLAGS_H

#include "observe/sample/sample.h"

/* Those that decide how fast code is, "-march=x86-64 -O2", from the debug information of
 * the programs that ran; "" = it names none of them; NULL = not known: no debug
 * information of `file`, or a compiler that does not put its flags there. Caller frees.
 */
char *app_flags(const struct samples *samples, const char *file);

#endif
