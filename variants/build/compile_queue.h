/* Compilers and linkers that run later, several at once. Private to variants. */
#ifndef VARIANTS_COMPILE_QUEUE_H
#define VARIANTS_COMPILE_QUEUE_H

#include "variants/build/compile.h"

struct queued_command {
    const struct strvec *argv;
    const char *made, *path;    /* it writes `made`, which becomes `path` */
    const struct strvec *needs; /* files that must be there before; NULL = none */
    const char *what;           /* a static text for messages */
    bool lasting; /* `path` outlives this run: that it was refused is not noted */
};
/* Copies everything; what is queued for the same path already is left out. */
void compile_queue_add(struct variant_queue *queue, const struct queued_command *command);

/* Was the compiler asked for this file and refused? Then fails as it did. */
int compile_was_refused(const char *path, struct error *err);

#endif
