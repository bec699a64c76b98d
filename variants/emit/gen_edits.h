/* The user's file with ranges replaced. Private to variants/emit/. */
#ifndef VARIANTS_EMIT_GEN_EDITS_H
#define VARIANTS_EMIT_GEN_EDITS_H

#include "variants/model/poly.h"

struct buf;

struct edits;

/* The nest's text in the file without our pragmas, one level further in: his lines keep
 * what they have beyond his margin. Caller frees. */
char *nest_original_shifted(const struct nest *nest, bool tabs);

struct edit {
    size_t begin, end;
    char *text; /* owned */
};
struct edits {
    struct edit *item; /* in the order of the file */
    size_t nr, alloc;
};
void edits_add(struct edits *edits, size_t begin, size_t end,
               char *text); /* takes text */
void edits_release(struct edits *edits);
void edits_splice(const struct model *model, const struct edits *edits, struct buf *out);
size_t line_begin(const char *source, size_t at); /* of the line that holds `at` */
char *margin_of(const char *source, size_t at);   /* blanks before it; caller frees */
bool uses_tabs(const struct ir_function *function);
void edits_add_lines(struct buf *out, const char *text, const char *margin, bool tabs);

/* Before the comment and the pragmas that belong to the function. */
size_t function_start(const struct ir_function *function);

#endif
