/* A file that `inflight capture` wrote, as words about a kernel. */
#ifndef ADVISOR_INPUTS_USE_H
#define ADVISOR_INPUTS_USE_H

#include "observe/observe.h"
#include "variants/build/build.h"
#include "variants/kernel/kernel.h"

struct error;

/* Is the name of this word one that `given` has a word of the same kind for? `kind`:
 * "set" or "buffer". */
bool words_say(const struct strvec *given, const char *kind, const char *name);

/* Adds the words of the file at `path`. What `given` says wins, and is said in `warnings`
 * (a sentence a line), and so is what was left out. `path` may be the file's or another
 * under which its bytes can be read. */
void inputs_words(const struct inputs *inputs, const char *path,
                  const struct strvec *given, struct strvec *words, struct buf *warnings);

/* Opens the kernel of `request` with the inputs of the file in place of made-up ones.
 * Refused (STATUS_INPUT) when the function takes other parameters than the captured one.
 */
int inputs_open_kernel(const char *path, const struct kernel_request *request,
                       struct kernel **kernel, struct error *err);

#endif
