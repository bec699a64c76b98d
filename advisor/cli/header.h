/* tune --emit-header: the best values of a kernel's tunables as macros. */
#ifndef ADVISOR_HEADER_H
#define ADVISOR_HEADER_H

#include "core/base/buf.h"
#include "variants/kernel/kernel_view.h"

/*
 * A C header with one macro for each tunable, at the value that `plan` (canonical) sets
 * or that the file has; `comment` stands on top, lines of text. The include guard is made
 * of the file's name. STATUS_USAGE when the kernel has no tunable.
 */
int tunables_header(const struct kernel_view *view, const char *plan, const char *comment,
                    const char *path, struct buf *out, struct error *err);

#endif
