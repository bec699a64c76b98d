/* Which loop of a long function is worth a function of its own. */
#ifndef VARIANTS_KERNEL_KERNEL_OUTLINE_H
#define VARIANTS_KERNEL_KERNEL_OUTLINE_H

#include "variants/parse/outline.h"

/*
 * Takes out the outermost loop around the line that can be moved and whose nest is read
 * as a whole (all its loops are modelled); where there is none, the outermost one whose
 * own loop is (what->unread says of which inner one it is not); else the innermost one:
 * then what->unread says why the model leaves it as it is, and what->is_read is false.
 * `text`: the whole file with the new function in front of the old one and a call in
 * place of the loop; it has no compile error. Fails (STATUS_INPUT) with the line and the
 * remedy: the reason of the innermost loop.
 */
int source_outline(const struct outline_request *request, struct buf *text,
                   struct outlined *what, struct error *err);

/* The function of the file, the only one, a loop of which is read together with the loops
 * of request->function, and the line of the call. Caller frees; NULL = there is none, or
 * the loops are a nest, of which one call is enough to measure. */
char *source_caller(const struct outline_request *request, int *line);

#endif
