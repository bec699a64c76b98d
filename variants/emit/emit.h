/* From a model and a plan to C text: what is legal, and the file. */
#ifndef VARIANTS_EMIT_EMIT_H
#define VARIANTS_EMIT_EMIT_H

struct buf;
struct error;
struct model;
struct plan;

/* As kernel_check: 0 = legal, else STATUS_ILLEGAL or STATUS_USAGE. */
int model_check(struct model *model, const struct plan *plan, struct buf *assumptions,
                struct error *err);

/* The user's whole file with the nests replaced as planned; legality is checked first,
 * and the text is read again: STATUS_INTERNAL where it does not compile, or is not the
 * file outside of the nests. What was checked or emitted lately costs nothing more. */
int model_emit(struct model *model, const struct plan *plan, struct buf *out,
               struct error *err);

#endif
