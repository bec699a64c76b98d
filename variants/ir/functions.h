/*
 * Functions of the library and builtins of compilers, as the table functions.def knows
 * them.
 */
#ifndef VARIANTS_IR_FUNCTIONS_H
#define VARIANTS_IR_FUNCTIONS_H

#include <stdbool.h>
#include <stddef.h>

struct ir_expr;

enum function_does {
    FUNCTION_VALUE,
    FUNCTION_FIRST,
    FUNCTION_NOTHING,
    FUNCTION_MEMORY,
    FUNCTION_PRINTS,
    FUNCTION_ENDS,
    FUNCTION_INPUT
};

/* A row; its columns are told in functions.def. */
struct known_function {
    const char *name, *prototype;
    enum function_does does;
    const char *memory;
};

/* In the order of the table. */
extern const struct known_function known_functions[];
extern const size_t known_function_nr;

/* The row of a name as C or C++ has it: "sqrtf", "std::max<double>"; NULL = none. */
const struct known_function *function_named(const char *name);
/* Whether what is declared by that name is the function of the row. `type`: "double
 * (double)"; `of_system`: in a header of the system. */
bool function_is_declared(const struct known_function *row, const char *name,
                          const char *type, bool of_system);

bool function_is(const struct known_function *row, enum function_does does);
/* A call changes nothing and reads nothing but its arguments. NULL is none such. */
bool function_is_pure(const struct known_function *row);

/* Of a call: the row of what it calls, which no body in the file makes another; NULL =
 * there is none, or what it does may be anything. */
const struct known_function *expr_function(const struct ir_expr *call);
/* Of any expression: a call whose value is made of its arguments, and nothing else. */
bool expr_is_math(const struct ir_expr *expr);

#endif
