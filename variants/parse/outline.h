/*
 * Outlining: a loop of a long function as a function of its own, in front of it, and a
 * call in its place; or a statement in front of a function's own. The rest of the text
 * stays as it is, to the byte.
 */
#ifndef VARIANTS_PARSE_OUTLINE_H
#define VARIANTS_PARSE_OUTLINE_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/array.h"

struct buf;
struct error;

struct outline_request {
    const char *path;
    const char *text; /* in place of the file's contents; NULL = those */
    int line;         /* of the loop's head, its pragma, or inside of it; 0 = by name */
    const char *function; /* that holds it; NULL = by line */
    const struct strvec *cflags;
};

struct outlined {
    char *function; /* the new one */
    char *from;     /* whose loop it was */
    char *unread;   /* source_outline: why not all of its loops are modelled; NULL = they
                       are */
    bool is_read;   /* source_outline: the outermost one is modelled */
    int first_line, last_line; /* of what was taken out, in the file */
    int line;                  /* of the function, in the new text */
    int moved_line;            /* where first_line is there */
    struct strvec parameter;   /* their declarations */
    struct strvec result; /* the variables that the loop changes for what comes later */
};
void outlined_release(struct outlined *outlined);

/* A file open for outlining, and the loops around the line, outermost first. */
struct outliner;
int outliner_open(const struct outline_request *request, struct outliner **out,
                  struct error *err);
void outliner_close(struct outliner *outliner); /* NULL is fine */
size_t outliner_loops(const struct outliner *outliner);
/* Why there are none. */
int outliner_fail_empty(const struct outliner *outliner, int line, struct error *err);
int outliner_loop_line(const struct outliner *outliner, size_t loop);
/* Nothing but declarations stands beside it in the function. */
bool outliner_is_whole(const struct outliner *outliner, size_t loop);
/* Fails (STATUS_INPUT) with the line that stands in the way and the remedy. */
int outliner_take(struct outliner *outliner, size_t loop, struct buf *text,
                  struct outlined *what, struct error *err);

/* The text of the last one is the file but for the new function and its call; else
 * STATUS_INTERNAL. */
int outliner_check(const struct outliner *outliner, const struct buf *text,
                   struct error *err);

/* The text with `first` in front of it (lines of the preprocessor) and `statement` in
 * front of what the function of the request does. STATUS_INPUT where a macro begins its
 * body. */
int outline_statement(const struct outline_request *request, const char *first,
                      const char *statement, struct buf *text, struct error *err);

#endif
