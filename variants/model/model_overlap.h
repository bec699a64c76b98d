/* What of a nest might lie in the same memory. */
#ifndef VARIANTS_MODEL_MODEL_OVERLAP_H
#define VARIANTS_MODEL_MODEL_OVERLAP_H

#include "variants/model/poly.h"

/* The elements that a nest accesses of an array; or the variable itself, a number or a
 * pointer, where it stands. */
struct memory {
    struct ir_symbol *symbol;
    struct ir_type type; /* of what is accessed */
    bool itself, written;
    bool table; /* not the elements but the pointers that lead to their rows */
};
/* The elements lie in rows that only pointers in memory lead to. */
bool memory_has_rows(const struct memory *memory);
struct overlap {
    struct memory a, b; /* of one array with rows: twice the same */
};
struct overlaps {
    struct overlap *pair; /* might overlap and must not */
    size_t nr, alloc;
    struct strvec types; /* "int and float": pairs that only C's rule for types keeps
                            apart */
};
/* `reorders`: of a plan that changes the order; of others what their loops are made of
 * must not be written. */
struct overlaps nest_overlaps(const struct nest *nest, bool reorders);
void overlaps_release(struct overlaps *list);
/* A store of the nest may change it, whatever it knows at run time. */
bool nest_may_write(const struct nest *nest, const struct memory *memory);

#endif
