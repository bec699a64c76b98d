/* Building a nest: its statements, the accesses and their relations, what is private to
 * an iteration; what is said of it. */
#ifndef VARIANTS_MODEL_MODEL_NEST_H
#define VARIANTS_MODEL_MODEL_NEST_H

#include "variants/model/model_affine.h"

/* around: its outer iterators are parameters; NULL = none. */
struct nest *nest_build(struct model *model, const struct ir_stmt *stmt, int index,
                        const struct nest *around);
void nest_free(struct nest *nest);
int nest_refuse(struct nest *nest, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4))); /* -1 */
void nest_assume(struct nest *nest, const char *format, ...)
    __attribute__((format(printf, 2, 3))); /* once each */

int nest_collect(struct nest *nest,
                 size_t statement); /* fills nest.access of one statement, without maps */
int nest_relations(struct nest *nest);
/* Of arrays that are written: elements of one row are taken for those of no other. What
 * the sizes do not show is said. */
void nest_say_rows(struct nest *nest, struct strvec *out);
/* On the statement's domain; `exact` says whether every subscript is affine. */
isl_map *access_relation(struct nest *nest, const struct access *access, bool *exact);
struct affine affine_of(struct nest *nest,
                        const struct statement *statement); /* caller frees .space */

int nest_privatize(struct nest *nest);
/* Its value behind the nest may be read; of a region, behind its last nest. */
bool nest_is_needed_behind(const struct nest *nest, const struct ir_symbol *symbol);
bool cell_is_written(const struct nest *nest, size_t cell);
/* An array whose values never leave the iteration that sets them. */
bool cell_is_temporary(const struct nest *nest, size_t cell);

#endif
