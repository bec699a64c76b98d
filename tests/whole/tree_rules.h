/*
 * The rules of the source tree that no compiler checks: who may include whom, which
 * package has which adapter, sizes, banned functions, names. docs/internals/design.md
 * gives the reasons.
 */
#ifndef TESTS_WHOLE_TREE_RULES_H
#define TESTS_WHOLE_TREE_RULES_H

#include "core/base/array.h"

/* Reads every .c and .h below root and appends one "file:line: what is wrong" per breach.
 * Returns how many files it read. */
size_t tree_check(const char *root, struct strvec *breaches);

#endif
