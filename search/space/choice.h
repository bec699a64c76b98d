/*
 * A plan as the search sees it: which choices it makes, each kind at most once per loop,
 * put together in one fixed order (set, fuse, distribute, shape or interchange,
 * skew_tile, tile, unroll_jam, unroll, simd, parallel; then prefetch, nontemporal). Where
 * the nests of a function have plans of their own, a choice is about one of them and
 * carries the steps of the others as text. Names are borrowed from the kernel's view.
 */
#ifndef SEARCH_CHOICE_H
#define SEARCH_CHOICE_H

#include "variants/kernel/kernel_view.h"

enum {
    CHOICE_LOOPS_MAX = KERNEL_DEPTH_MAX,
    CHOICE_PREFETCH_MAX = 4,
    CHOICE_ARRAYS_MAX = 4,
    CHOICE_SHAPE_MAX = 400,
    CHOICE_OTHERS_MAX = 1600,
    CHOICE_TUNABLES_MAX = KERNEL_TUNABLES_MAX
};

struct loop_size {
    const char *loop;
    long size;
};

struct choice {
    struct {
        const char *name;
        long long value;
    } set[CHOICE_TUNABLES_MAX]; /* tunables with another value than in the file */
    size_t set_nr;
    int nest; /* that all steps below are for, from 1 on; 0 = all nests */
    char others[CHOICE_OTHERS_MAX]; /* "nest(1) tile(i:8) nest(3) simd": steps of other
                                       nests, ascending; "" = none */
    const char *fuse[2]; /* neighbours that become one loop, the second NULL where the
                            names are equal; the first NULL = none */
    const char *distribute[CHOICE_LOOPS_MAX]; /* innermost first, a step each */
    size_t distribute_nr;
    /* Steps of one whole shape (register blocks with packed operands) in place of order,
     * tiles, jams and simd; "" = none. */
    char shape[CHOICE_SHAPE_MAX];
    struct loop_size skew[CHOICE_LOOPS_MAX]; /* skew_tile, outermost first */
    size_t skew_nr;
    const char *order[CHOICE_LOOPS_MAX]; /* interchange, outermost first */
    size_t order_nr;
    size_t order_kept; /* the first of order, where they stood before: not printed */
    bool fallback;     /* of no use when the one before it in the list is legal */
    struct loop_size tile[CHOICE_LOOPS_MAX];
    size_t tile_nr;
    struct loop_size jam[CHOICE_LOOPS_MAX];
    size_t jam_nr;
    struct loop_size unroll; /* of the innermost loop; size 0 = none */
    bool simd;
    char parallel[72]; /* loop whose iterations threads share; "" = none */
    struct {
        const char *array;
        long distance; /* iterations of the innermost loop, or of `at` */
        bool to_l2;
        const char *at; /* outer loop; NULL = none */
    } prefetch[CHOICE_PREFETCH_MAX];
    size_t prefetch_nr;
    const char *nontemporal[CHOICE_ARRAYS_MAX]; /* arrays */
    size_t nontemporal_nr;
};

/* The plan's text; caller frees. */
char *choice_text(const struct choice *choice);

/* What choice_text made, for a kernel with these loops, arrays and tunables. Names are
 * borrowed from the view. STATUS_INPUT: other steps, or names that the kernel does not
 * have. */
int choice_read(const char *text, const struct kernel_view *view, struct choice *out,
                struct error *err);

/* Its steps for one nest (from 1 on), about to be changed; those of the others are
 * carried. What a choice for all nests says each of `nests` gets. */
struct choice choice_about(const struct choice *choice, const struct kernel_view *view,
                           int nest, const int *nests, size_t nr);
/* The choice that a plan's text stands for, about the same nest as `like`; steps that
 * cannot be told apart are a shape. false = too long for one. */
bool choice_from_text(const char *text, const struct choice *like,
                      const struct kernel_view *view, struct choice *out);
/* Carries the steps of another choice for another nest, in place of those that it has for
 * it. false = they are too long. */
bool choice_carry(struct choice *choice, const struct choice *other);
/* The steps alone, without those of tunables and of other nests; caller frees. */
char *choice_own_text(const struct choice *choice);

/* The loops as they are written, with the same values of tunables, the other nests as
 * they are: what a whole shape starts from. */
struct choice choice_unshaped(const struct choice *choice);

/* The outermost loop of the transformed nest runs in parallel; `first`: the outermost one
 * as written. A whole shape stays as it is. */
void choice_outermost(struct choice *choice, const char *first);

/* The same names (of loops, of arrays) in the same order. */
bool choice_same_names(const char *const *a, size_t a_nr, const char *const *b,
                       size_t b_nr);

/* A growing list of choices. */
struct choices {
    struct choice *item;
    size_t nr, alloc;
};
void choices_add(struct choices *list, const struct choice *choice);
void choices_release(struct choices *list);

#endif
