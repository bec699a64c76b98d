/* What full, pack and vec make of a nest: local buffers and their copies. Shared by
 * legal.c, tree_pack.c, tree_box.c, tree_copy.c, tree_expand.c, tree_fill.c,
 * tree_lanes.c and gen_pack.c. */
#ifndef VARIANTS_PACKING_H
#define VARIANTS_PACKING_H

#include "variants/model/poly.h"
#include "variants/plan/plan.h"
#include "variants/transform/transform.h"

struct error;

/* pack(array,loop,loop:panel), full(loop,...), vec(loop:lanes) of a plan: done when the
 * order has been checked, see tree_finish. An array that is only read may have several
 * buffers: those in panels hold the accesses that their loop moves, the one without
 * panels all others. */
struct packing {
    size_t cell;
    const char *loop;
    const char *panel_loop; /* NULL = no panels */
    long long panel;
};
struct lanes_wanted {
    const char *loop;
    long long lanes;
};
/* The part of an array that lives in a local buffer during one iteration of `band`. */
struct box {
    size_t cell, dims;
    size_t packing;                                  /* in struct work; not of scalars */
    const struct tree *band, *prefix[4 * DEPTH_MAX]; /* prefix: bands around, with band */
    size_t prefix_nr;
    long long size[SUBSCRIPTS_MAX];
    size_t order[SUBSCRIPTS_MAX]; /* dimensions of the buffer: those of the array, the one
                                     that panels divide or vectors follow last */
    long long panel; /* 0 = none; else the last one is divided into so many elements, and
                        the number of the panel is the buffer's first dimension */
    isl_multi_aff *offset; /* values of the prefix -> first element */
    bool read_first, written, padded;
    /* All uses multiply the element by this parameter: the buffer holds the products,
     * with the parameter on the left or behind. NULL = none. */
    const struct ir_symbol *factor;
    bool factor_left;
    bool is_scalar; /* a private scalar's: its array is indexed by loops, nothing is
                       copied */
    size_t loop[SUBSCRIPTS_MAX]; /* scalar: depths of the loops that index it */
};
/* A statement of ours: [values of the prefix, element], named P<index>. */
enum copy_kind { COPY_IN, COPY_ZERO, COPY_OUT, COPY_FETCH };
struct copy {
    size_t box;
    enum copy_kind kind;
    long long lanes; /* elements at once; 0 = one */
    int level;       /* COPY_FETCH: as in struct prefetch */
};
/* tree_expand.c: the scalars that work_check noted; STATUS_ILLEGAL where no array of
 * constant size holds the values that are alive at once. */
#define ONE_COPY_EACH                                                                    \
    "'%s' would need one copy for every iteration, because its value is set in one "     \
    "place and used in another and the plan runs other iterations in between"
bool cell_expandable(const struct cell *cell);
int tree_expand(struct work *work, struct error *err);
/* tree_box.c: local buffers for the packed arrays, and their copies in the tree. */
int tree_boxes(struct work *work, struct error *err);
bool is_packed_above(const struct work *work, const struct access *access,
                     const struct tree *const *above, size_t nr, size_t *depth);
/* The access goes to the buffer that the packing makes, wherever that is in force. */
bool packing_takes(const struct work *work, size_t packing, const struct access *access);
bool box_takes(const struct work *work, const struct box *box,
               const struct access *access);
/* What is accessed below `tree`, as run and as in the original; written: by the original;
 * missed: read as run, and not written before by another statement in the same iteration
 * of the box's band. */
struct footprint {
    isl_map *run, *all, *written, *missed;
    bool is_padded;
    const char *problem;
};

/* tree_copy.c: the order of the buffer's dimensions; the copies, in the tree below the
 * last of the bands `above`. */
const char *box_arrange(const struct work *work, const struct packing *packing,
                        struct box *box); /* NULL, or why it cannot be */
size_t box_panels(const struct box *box); /* dimensions before the elements': 1 or 0 */
void box_place(struct work *work, size_t index, struct tree **above,
               const struct footprint *footprint);
/* Statement instance -> values of the bands. */
isl_map *band_values(const struct nest *nest, const struct statement *statement,
                     const struct tree *const *band, size_t nr);
/* Sizes and offset of the box around [values of the prefix] -> elements (kept); false =
 * not constant, or too large. */
bool box_measure(struct box *box, isl_map *run);
/* The product of the access and a floating-point parameter that never changes, in the
 * type of the element, where that is a factor itself: what is added up is multiplied for
 * nothing. NULL = the access is used otherwise. */
const struct ir_expr *packed_product(const struct nest *nest, const struct access *access,
                                     const struct ir_symbol **factor, bool *left);
const char *pack_problem(const struct nest *nest, const struct access *access);
/* [values of the bands] -> elements of one access on the domain; all kept. */
isl_map *band_footprint(const struct nest *nest, const struct access *access,
                        isl_set *domain, const struct tree *const *band, size_t nr);
/* tree_fill.c: incomplete tiles filled up, or code of their own for the complete ones. */
void tree_fill(struct work *work, const struct plan_step *step);
/* tree_lanes.c */
int tree_lanes(struct work *work, const struct lanes_wanted *vec, struct error *err);

#endif
