/* Which values a statement of a function takes from before and leaves for later. Private
 * to variants/parse/. */
#ifndef VARIANTS_PARSE_OUTLINE_FLOW_H
#define VARIANTS_PARSE_OUTLINE_FLOW_H

#include <stdbool.h>
#include <stddef.h>

struct ct_decl;
struct ct_node;

/* Of one variable, which is no array and whose address nobody has. What is not certain
 * counts as true. */
struct flow {
    bool is_written; /* in the statement */
    bool is_read;    /* in the statement: its value is used there */
    bool comes_in; /* a value from before may be read in it, or survive it and be read */
    bool goes_out; /* the value that it leaves may be read later */
    bool may_be_unset; /* the variable may have no value when the statement begins */
};
/* `uncertain`: the tree does not show all uses of the variable, or all ways through the
 * function. */
struct flow flow_of(const struct ct_node *body, const struct ct_node *stmt,
                    const struct ct_decl *decl, bool uncertain);

/* The variable that an lvalue is or is a part of: `x`, `x.y`, `x[i]` of an array; NULL
 * = none, as of what a pointer points to. */
struct ct_decl *flow_base(const struct ct_node *lvalue);
size_t flow_mentions(const struct ct_node *node, const struct ct_decl *decl);
/* The first node that takes the address of the variable or of a part of it: `&x.y`, or
 * an array in a struct by its name; NULL = none. */
const struct ct_node *flow_address(const struct ct_node *node,
                                   const struct ct_decl *decl);
/* The same, but for calls of functions that keep no address, such as scanf("%d", &x). */
const struct ct_node *flow_kept_address(const struct ct_node *node,
                                        const struct ct_decl *decl);
/* An assignment, ++ or --. */
bool flow_is_changing(const struct ct_node *node);
/* The first that changes the variable and begins behind `at`; NULL = none. */
const struct ct_node *flow_write_behind(const struct ct_node *node,
                                        const struct ct_decl *decl, size_t at);
/* Its value is used in the function, but for this statement. */
bool flow_is_read_elsewhere(const struct ct_node *body, const struct ct_node *stmt,
                            const struct ct_decl *decl);
/* Jumps other than those of loops: goto, labels. */
bool flow_has_labels(const struct ct_node *node);

#endif
