/*
 * The inside of a kernel: the function as read, its loop model, and the sizes and
 * contents it is bound to. For the rooms kernel, build and verify.
 */
#ifndef VARIANTS_KERNEL_KERNEL_PARTS_H
#define VARIANTS_KERNEL_KERNEL_PARTS_H

#include "core/files/hash.h"
#include "variants/directives/contents.h"
#include "variants/directives/pragma.h"
#include "variants/directives/record_fields.h"
#include "variants/ir/ir.h"
#include "variants/kernel/kernel.h"
#include "variants/kernel/kernel_tuned.h"
#include "variants/kernel/kernel_view.h"
#include "variants/model/model.h"

/* A parameter, or a global variable that a word sets. */
struct kernel_scalar {
    const struct ir_symbol *symbol;
    const struct kernel_directive *word; /* what the user says, or NULL */
    bool is_integer;
    bool is_size; /* integer, free of other parameters, decides on loops or extents */
    bool is_overridden; /* by kernel_set */
    long long override;
    bool is_known, is_busy; /* busy: being evaluated */
    long long integer;
    double real;
};

/* An array of numbers, or one field of an array of structs. Element e lies in record e /
 * inside, at offset + e % inside * inside_bytes. */
struct kernel_buffer {
    const struct ir_symbol *symbol;
    const char *name, *path; /* "p.x" and ".x"; without a field the symbol's, and "" */
    int model_array;         /* index in the model's view, -1 = no loop uses it */
    /* As in templates/harness/program.h: 'r' are whole records, of which only the fields
     * that have buffers of their own are filled and compared. */
    char kind;
    size_t bytes; /* of an element */
    size_t record_bytes, offset, inside, inside_bytes;
    size_t memory; /* the first buffer of the same symbol: fields of one array share it */
    const char *type_text;
    bool read, written, is_filled; /* filled: neither a constant of the source nor a
                                      single struct */
    const char *contents_text;
    char *steady; /* contents_text that was chosen since results were out of range */
    const char *subscript_hint; /* what to propose if it must be known and is not */
    char *extent_text;
    struct contents contents;
    long long length; /* elements; negative = not known */
    size_t levels;    /* of pointers; above 1: rows, which lie in one memory here */
    long long extent[KERNEL_DEPTH_MAX]; /* rows: elements of each level */
};

struct kernel {
    struct ir_function *function;
    struct model *model;
    struct kernel_directives words;
    struct strvec assume, shared, cflags;
    struct model_request model_request; /* that made the model */
    struct kernel_tuned tuned;
    char *hash, *inputs_note, *flags_from;
    int steadied; /* how often kernel_steady changed contents */
    struct kernel_scalar *scalar;
    size_t scalar_nr, scalar_alloc;
    struct record_fields fields;
    struct kernel_buffer *buffer; /* the model's arrays in its order, then the others */
    size_t buffer_nr, buffer_alloc;
    struct error unsupplied; /* why it cannot be called by us; it can be looked at and
                                transformed all the same */
    bool only_captured; /* of contents, none but captured ones say what numbers there are
                         */
    bool is_bound;
    struct model_counts counts;
    struct quantity declared_flops;
    struct quantity chains, streams, run_bytes;
    struct kernel_param *view_param;
    struct kernel_array *view_array;
};

int kernel_lookup(void *kernel, const char *name, struct directive_number *out);
int kernel_eval_scalars(struct kernel *kernel, struct error *err); /* all of them */

/* Values, extents and contents for the present words and overrides; no counts, no look at
 * the memory there is. */
int kernel_refresh(struct kernel *kernel, struct error *err);
/* As far as captured contents tell: lengths of the others are -1. */
int kernel_refresh_known(struct kernel *kernel, struct error *err);
void kernel_override(struct kernel *kernel, size_t scalar, long long value);
void kernel_find_chains(struct kernel *kernel);
double kernel_bytes(const struct kernel *kernel); /* all filled buffers */

/*
 * Gives arrays of floating point of which nobody says what they hold, and that are read,
 * numbers for which fewer kernels leave the range of floating point: first matrices, that
 * a dominant diagonal makes positive definite, then the others, so small that their sum
 * is below 1/2. Binds the kernel again. False when there is nothing left to change.
 */
bool kernel_steady(struct kernel *kernel, struct error *err);
/* They stay so, and kernel_inputs_note says it; or all is as it was. */
int kernel_steady_end(struct kernel *kernel, bool kept, struct error *err);

/* All that lies in the memory of a buffer that is the first of its memory, bytes. */
double buffer_bytes(const struct kernel *kernel, size_t buffer);

/* Lists scalars and buffers of a kernel that has been read and modelled.
 * What cannot be supplied is left out, and the first of it said in kernel->unsupplied. */
void kernel_list_data(struct kernel *kernel);
/* What the user says of a buffer: of a field before what is said of all of them; or NULL.
 */
const struct kernel_directive *buffer_word(const struct kernel *kernel,
                                           enum word_kind kind,
                                           const struct kernel_buffer *buffer);
/* The memory is a part of the variable itself: a global array, an array in a struct. */
bool lies_in_place(const struct ir_symbol *symbol);
/* 'f', 'b', 'u' or 'i', as in templates/harness/program.h. */
char number_kind(const struct ir_type *type);
/* The variable outside of the function that a field is reached from, or the symbol. */
const struct ir_symbol *outermost(const struct ir_symbol *symbol);
/* A C++ reference to a number that the function may write. */
bool is_number_reference(const struct ir_symbol *symbol);
/* A struct or a pointer to one struct, supplied through its fields. */
bool is_single_record(const struct kernel *kernel, const struct ir_symbol *symbol);

#endif
