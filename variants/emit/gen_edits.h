/* The user's file with ranges replaced. Private to variants/emit/. */
#ifndef VARIANTS_EMIT_GEN_EDITS_H
#define VARIANTS_EMIT_GEN_EDITS_H

#include "variants/clang/clang_tree.h"
#include "variants/model/poly.h"

struct buf;

struct edits;

/* How he lays out his text. */
struct layout {
    int width; /* columns of a level */
    enum {
        TABS_NONE,
        TABS_ALONE,
        TABS_FOR_EIGHT
    } tabs;                     /* one a level; one for eight
                                    columns */
    bool brace_below, brace_in; /* on a line of its own; further in, and what it encloses
                                   again */
    bool joined;                /* for(, if( */
    bool known;                 /* from loops and branches that he wrote */
};
/* Of the statement, where it tells, else of the function. */
struct layout layout_of(const struct ir_function *function, const struct ir_stmt *stmt);
/* The margin and so many levels. */
void layout_add_margin(struct buf *out, const struct layout *layout, const char *margin,
                       int levels);
/* Lines of ours, four blanks a level, in his layout behind his margin; the first one
 * stands where the nest stood, the last one does not end. */
void layout_add_lines(struct buf *out, const struct layout *layout, const char *margin,
                      const char *text);

/* The nest's text in the file without our pragmas, so many levels further in: his lines
 * keep what they have beyond his margin. Caller frees. */
char *nest_original_shifted(const struct nest *nest, const struct layout *layout,
                            int levels);

struct edit {
    size_t begin, end;
    char *text;   /* owned */
    bool is_size; /* of an array */
};
struct edits {
    struct edit *item; /* in the order of the file */
    size_t nr, alloc;
};
/* Takes text. Valid until the next one. */
struct edit *edits_add(struct edits *edits, size_t begin, size_t end, char *text);
void edits_release(struct edits *edits);
/* The new text, and where each edit is in it; caller frees. */
struct ct_change *edits_splice(const struct model *model, const struct edits *edits,
                               struct buf *out);
size_t line_begin(const char *source, size_t at); /* of the line that holds `at` */
char *margin_of(const char *source, size_t at);   /* blanks before it; caller frees */

/* Where its line begins; where it begins itself, when another declaration ends there. */
size_t head_start(const struct ir_function *function);
/* Whole lines, in the middle of one, too: what stands around them gets lines of its own.
 */
void edits_add_lines(struct edits *edits, const struct ir_function *function, size_t at,
                     const char *text);
/* Before the comment and the pragmas that belong to the function. */
size_t function_start(const struct ir_function *function);

#endif
