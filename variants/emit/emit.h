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

/* The same for those who build it and look whether any of its new code ran: with a line
 * EMIT_RAN behind each part of it that stands beside the original loop. Without any such
 * line where some new code needs no test, or more than this is not known. */
#define EMIT_RAN "INFLIGHT_RAN"
int model_emit_marked(struct model *model, const struct plan *plan, struct buf *out,
                      struct error *err);

#endif
