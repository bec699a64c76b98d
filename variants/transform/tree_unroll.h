/* Between tree_split.c and tree_unroll.c: the parts that unrolling makes of a loop. */
#ifndef VARIANTS_TREE_UNROLL_H
#define VARIANTS_TREE_UNROLL_H

#include "variants/model/poly.h"

struct unroll {
    struct nest *nest;
    const struct tree *band;
    const struct tree *const *above; /* bands around it */
    size_t above_nr;
    long long size;  /* of a block, in the band's values */
    bool from_start; /* blocks are counted from where the loop begins, not from 0 */
};

enum part { PART_FULL, PART_CORNER, PART_REST, PART_HEAD, PART_NR };
struct leaves {
    const struct tree **leaf;
    isl_set **part[PART_NR];
    size_t nr, alloc;
};

const struct statement *unroll_statement(const struct unroll *at,
                                         const struct tree *leaf);
/* The block of an instance: the value of its first iteration. */
isl_pw_aff *unroll_block(const struct unroll *at, const struct statement *statement);
/* Fills `leaves` with those of the band and their parts. */
void unroll_split(const struct unroll *at, struct leaves *leaves);

#endif
