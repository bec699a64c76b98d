/* What stands around emitted code: facts in the comment on top, and the same as a patch.
 */
#ifndef ADVISOR_EMITTED_H
#define ADVISOR_EMITTED_H

#include "core/base/buf.h"
#include "variants/build/build.h"

struct error;

/* "Compile with: -fopenmp" where the plan needs it, then "Rests on: ..." for everything
 * that its legality rests on; nothing for a plan that is not legal. */
void emitted_facts(struct kernel *kernel, const struct plan *plan, struct buf *out);

/* A line of what kernel_check says: not what the plan rests on, but what it left out. */
bool emitted_is_dropped(const char *line);

/* The comment of a file that tune or apply wrote, as it was given to kernel_emit, and the
 * plan in it (caller frees both). STATUS_INPUT when it has none. */
int emitted_read(const char *path, char **comment, char **plan, struct error *err);

/* Of a text that tune or apply wrote what stands behind that comment; all of it where it
 * has none. Borrowed. */
const char *emitted_body(const char *text);

/* A unified diff with three lines around each change, for `patch -p1` and `git apply`;
 * nothing when both are equal. `about` (may be NULL) comes before it, where both skip it.
 */
void patch_text(const char *path, const char *old, const char *new, const char *about,
                struct buf *out);

/* The line of `new` that is the line `line` of `old`; 0 = it is not among those that
 * both have. */
int patch_line(const char *old, const char *new, int line);

/* The user's file with the nests as planned and the comment on top; with `patch_of`, the
 * file's name in it, the diff to that with the comment before it. */
int emitted_text(struct kernel *kernel, const struct plan *plan, const char *comment,
                 const char *patch_of, struct buf *out, struct error *err);

#endif
