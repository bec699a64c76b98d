/* Private to core/base: a formula as it was parsed. */
#ifndef CORE_BASE_FORMULA_PARTS_H
#define CORE_BASE_FORMULA_PARTS_H

#include "core/base/formula.h"

enum formula_op {
    OP_NUMBER,
    OP_NAME,
    OP_ADD,
    OP_SUBTRACT,
    OP_MULTIPLY,
    OP_DIVIDE,
    OP_MIN,
    OP_MAX
};

/* Operands stand before their operator, so that one pass computes all. */
struct formula_node {
    enum formula_op op;
    size_t left, right; /* nodes; of a name: left = its number */
    double number;
    size_t column; /* in which of the formula's texts */
    size_t text;
};

struct formula {
    struct strvec text; /* what was parsed; behind it those of what was put in */
    struct strvec name;
    struct formula_node *node;
    size_t node_nr, node_alloc;
};

#endif
