/*
 * What a function names and does with it: fields of arrays of structs, subscripts,
 * assignments. Directives are checked against it, kernels are bound by it.
 */
#ifndef VARIANTS_RECORD_FIELDS_H
#define VARIANTS_RECORD_FIELDS_H

#include "core/base/error.h"
#include "variants/ir/ir.h"

/* A field of an array of structs that the function names. */
struct record_field {
    const struct ir_symbol *symbol;
    const char *path, *name;                           /* ".pos.x", "p.pos.x" */
    struct ir_type type;                               /* of an element */
    size_t record_bytes, offset, inside, inside_bytes; /* as in struct kernel_buffer */
    bool is_written;
};
struct record_fields {
    struct record_field *item;
    size_t nr, alloc;
};

/* The fields of arrays of structs that the function names, as numbers
 * or arrays of numbers. */
int record_fields_find(const struct ir_function *function, struct record_fields *fields,
                       struct error *err);
const struct record_field *record_field_of(const struct record_fields *fields,
                                           const struct ir_symbol *symbol,
                                           const char *path);
void record_fields_release(struct record_fields *fields);
/* A number of at most 8 bytes that is not volatile. */
bool is_number_type(const struct ir_type *type);

/* For integer arrays whose elements decide on addresses or trip
 * counts, the contents to propose; NULL for others. `path`: of a field of an array of
 * structs (".cell"); NULL = the elements themselves. */
const char *subscript_hint(const struct ir_function *function,
                           const struct ir_symbol *array, const char *path);
/* Assigned to, or handed on to where it may be. */
bool may_be_written(const struct ir_function *function, const struct ir_symbol *array);
/* Handed on to where it may be written. */
bool may_escape(const struct ir_function *function, const struct ir_symbol *array);
/* Every expression of the function, those in statements that are not modelled too. */
void visit_function(const struct ir_function *function,
                    void (*visit)(struct ir_expr *expr, void *data), void *data);
/* Does the scalar decide on loops or extents? */
bool is_size_symbol(const struct ir_function *function, const struct ir_symbol *scalar);
/* Is `name` a field of an array of structs that the function names? */
bool is_record_field(const struct ir_function *function, const char *name);

#endif
