/* What is shown of a kernel: parameters, arrays, loops, accesses; counts of one call. */
#ifndef VARIANTS_KERNEL_KERNEL_VIEW_H
#define VARIANTS_KERNEL_KERNEL_VIEW_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/quantity.h"
#include "variants/model/loop_view.h"

struct error;

struct kernel;

struct kernel_param {
    const char *name, *type;
    bool is_integer, is_set;
    double value;
};
struct kernel_array {
    const char *name, *element_type,
        *contents; /* contents as text, such as "uniform(0,1)" */
    size_t element_bytes;
    size_t record_bytes; /* a field of an array of structs: from one record to the next;
                            else element_bytes */
    bool is_float, read, written;
    bool has_rows; /* which pointers lead to, of `double **a`: those are loaded, too */
    int dims;
    char *extent_text; /* "n x n" */
    double bytes;      /* after kernel_bind; negative = unknown */
};

/* A macro or constant of the user's file that `#pragma inflight tunable` makes a
 * parameter of the search; a plan sets it by set(NAME:VALUE). */
enum { KERNEL_TUNABLES_MAX = 8 };
struct kernel_tunable {
    const char *name;
    const long long *value; /* those it may take, in the order given */
    size_t value_nr;
    long long now; /* what the file holds */
    int line;      /* of its definition */
};
struct kernel_view { /* borrowed, valid until the next kernel_set or kernel_free */
    const struct kernel_param *param;
    size_t param_nr;
    const struct kernel_array *array;
    size_t array_nr;
    const struct kernel_loop *loop;
    size_t loop_nr;
    const struct kernel_access *access;
    size_t access_nr;
    const char *const
        *assumption; /* what the model took on someone's word or for granted, sentences */
    size_t assumption_nr;
    const struct kernel_record *record;
    size_t record_nr;
    const char *const *temporary; /* arrays of the function's own whose elements are read
                                     only in the iteration that wrote them, and never
                                     after the nest: a scalar would do */
    size_t temporary_nr;
    const struct kernel_found *found; /* what a person may change */
    size_t found_nr;
    bool local_arrays; /* the function has arrays of its own, whose accesses are in no
                          list and no count */
    const struct kernel_tunable *tunable;
    size_t tunable_nr;
    const char *const *constraint; /* between tunables, as written: "TI * TJ <= 4096" */
    size_t constraint_nr;
    const char *const *dependence; /* sentences with distance vectors */
    size_t dependence_nr;
};
struct kernel_view kernel_view(const struct kernel *kernel);
/* A loop that is not modelled is directly in this one, whose index it is. */
bool kernel_loop_holds_unread(const struct kernel_view *view, size_t loop);
/* The modelled nest of that line stands in a loop that is not. */
bool kernel_nest_is_inside(const struct kernel_view *view, int line);
/* Do these values, one for each of view->tunable, keep to the constraints? STATUS_USAGE
 * with the one that they break. Those about parameters without a value count as kept. */
int kernel_tunables_allowed(const struct kernel_view *view, const long long *value,
                            struct error *err);

/* One call at the bound sizes, from the loop model (provenance "source"). Unknown when a
 * loop is not modelled. */
struct kernel_counts {
    struct quantity iterations; /* of innermost statements */
    struct quantity accesses, bytes, flops;
    double footprint_bytes; /* all buffers */
    bool single_precision;  /* all arrays of floating point are, and there is one */
    /* Chains of addresses in the innermost loop that goes round most: variables whose
     * next value is loaded from where the last one says. 0 = none. The interval ends
     * above with what else may miss beside them, and is open where nothing ties that to
     * the chains. Unknown when it cannot be told which loop counts. */
    struct quantity chains;
    /* Of the innermost modelled loop that goes round most: arrays that it walks along,
     * and the bytes of the shortest of them until the loop begins anew. */
    struct quantity streams, run_bytes;
};
struct kernel_counts kernel_counts(const struct kernel *kernel);

#endif
