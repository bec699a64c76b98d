/* What is shown of the loops of a kernel and of their accesses. */
#ifndef VARIANTS_MODEL_LOOP_VIEW_H
#define VARIANTS_MODEL_LOOP_VIEW_H

#include <stdbool.h>
#include <stddef.h>

enum { KERNEL_DEPTH_MAX = 8 };

enum access_class {
    ACCESS_STREAMING,
    ACCESS_STRIDED,
    ACCESS_INDIRECT,
    ACCESS_INVARIANT,
    ACCESS_IRREGULAR
};
const char *access_class_word(enum access_class access_class);

/* What a person may change though no plan does. */
enum kernel_spot {
    KERNEL_SPOT_NARROW,  /* variables of four bytes or more that count comparisons of
                            elements of one or two */
    KERNEL_SPOT_FRESH,   /* calls that take memory from the system */
    KERNEL_SPOT_PLACE,   /* the least or greatest so far, kept together with its place */
    KERNEL_SPOT_PREFIX,  /* sums that are stored as they grow */
    KERNEL_SPOT_DIVISOR, /* divisors that stay the same in a loop around them */
    KERNEL_SPOT_BORDER,  /* what decides on an index or a value and asks for the place in
                            a loop, `x == 0 ? ...`, or goes round by a remainder */
    KERNEL_SPOT_MET,     /* elements that stay the same in a loop which writes others of
                            their array, perhaps these */
    KERNEL_SPOT_CHAIN,   /* variables made of their last values otherwise than by a sum, a
                            product, or the least or greatest */
    KERNEL_SPOT_LENGTH,  /* lengths of strings that a loop asks for in its head */
    KERNEL_SPOT_SEARCH,  /* elements that are looked through until one is found */
    KERNEL_SPOT_ERRNO,   /* square roots in a loop, of which negative numbers set errno */
    KERNEL_SPOT_NR
};
struct kernel_found {
    enum kernel_spot spot;
    char *what; /* "lines", "strlen(s)" */
    int line;
};

struct kernel_loop {
    const char *name; /* the iterator; loops with equal names in several nests are told
                         apart by nest */
    int nest;   /* a loop whose bounds depend on data begins one inside of another */
    int depth;  /* loops around it; inside of such a loop, and of it, from there on */
    int level;  /* loops around it in the source */
    int parent; /* index of the enclosing loop, -1 = outermost */
    int line;
    const char *lower_text, *upper_text; /* upper exclusive */
    long long step;                      /* of the iterator; 0 = not known */
    double trips;             /* mean trip count at the bound sizes; negative = unknown */
    bool innermost, modelled; /* modelled: an affine loop that plans may name */
    bool perfect;             /* its body is one loop and nothing else */
    int threads; /* that a directive of the user's shares it out among; 0 = none does, -1
                    = as many as there are */
    const char *why; /* not modelled: the reason and the remedy; else NULL */
};
/* An array of structs as one nest uses it: what the other fields take up in a cache line
 * is fetched for nothing. */
struct kernel_record {
    int nest;                        /* as kernel_loop.nest */
    const char *name;                /* the array of structs: "p", "g->p" */
    const char *fields;              /* those used: "x, pos.y" */
    size_t record_bytes, used_bytes; /* of one element; used_bytes: of those fields */
    int line;                        /* of the first access */
};
struct kernel_access {
    int array, loop; /* indices; loop = innermost enclosing */
    bool write;
    enum access_class access_class;
    double stride_bytes; /* in the innermost loop, for STREAMING and STRIDED; else 0 */
    double stride_at[KERNEL_DEPTH_MAX]; /* bytes the address moves when the loop at that
                                           depth advances by one iteration, at the bound
                                           sizes; 0 = it stays, or is back within a few
                                           (u[t % 2]); NaN = not affine (indirect) or no
                                           such loop */
    int through;                        /* array the subscript is loaded from, -1 */
    bool update; /* x[idx] += e and its kin: elements met in no order, each read, changed
                    and written */
    int line;
    const char *text; /* "table[idx[i]]" */
};

#endif
