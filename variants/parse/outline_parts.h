/* What the outline*.c files share. Private to variants/parse/. */
#ifndef VARIANTS_PARSE_OUTLINE_PARTS_H
#define VARIANTS_PARSE_OUTLINE_PARTS_H

#include "variants/clang/clang_access.h"
#include "variants/parse/outline.h"
#include "variants/parse/outline_flow.h"
#include "variants/parse/parse_parts.h"

enum passing {
    PASS_VALUE,  /* a parameter: what is only read, arrays, what nobody needs later */
    PASS_OWN,    /* a variable of the new function */
    PASS_RESULT, /* what comes out of it */
};

/* A variable of the old function that the loop names. */
struct passed {
    struct ct_decl *decl;
    struct ct_storage storage;
    struct flow flow; /* not of arrays */
    enum passing passing;
    bool is_size;    /* of an array that is passed */
    bool is_private; /* to each thread of a parallel region around the loop */
    bool is_unread;  /* nothing but the loop reads it */
};

struct outliner {
    struct parse parse;
    struct ir_function *file;     /* path, source, pragmas */
    struct ct_function *function; /* that holds the loop */
    const struct ct_node **loop;  /* around the line, outermost first */
    size_t loop_nr, loop_alloc;

    bool is_whole; /* the function is read as it is: of C++ not all are */

    /* ---- of the loop that is taken ---- */
    const struct ct_node *taken;
    struct ct_access access; /* to objects of C++ */
    size_t begin, end;       /* with its pragmas, in the source */
    const char *reopened;    /* the #if that is cut at begin; NULL = none is */
    const struct ct_use *use;
    size_t use_nr;
    struct passed *passed;
    size_t passed_nr, passed_alloc;
    struct ct_change change[2]; /* of the text: the new function, the call */
    bool in_region;   /* a parallel region is around the loop, in this function */
    bool types_alias; /* -fno-strict-aliasing */
};

/* With or without a loop in place of a call with a lambda at the line. */
int outline_open(const struct outline_request *request, bool write_loops,
                 struct outliner **out, struct error *err);
/* "FILE:LINE: the loop of line 7 cannot be taken out of 'f': ..." */
int outline_refuse(const struct outliner *outliner, int line, struct error *err,
                   const char *format, ...) __attribute__((format(printf, 4, 5)));
int outline_line_of(const struct outliner *outliner, size_t at);
struct passed *outline_add(struct outliner *outliner, struct ct_decl *decl);
struct passed *outline_find(struct outliner *outliner, const struct ct_decl *decl);

/* The new text names it no more: the object in `mesh.x(i)`. */
bool outline_is_consumed(const struct outliner *outliner, const struct ct_use *use);

/* A variable of the function by its name, and how many there are outside of the loop. */
struct named {
    struct ct_decl *decl;
    size_t nr;
};
struct named outline_named(const struct outliner *outliner, const char *name);

const struct ct_node *outline_parent(const struct ct_node *node,
                                     const struct ct_node *child);
/* Of the line that holds `at`. */
size_t outline_line_begin(const char *source, size_t at);

/* The statement or block right behind the pragma is this one. */
bool outline_is_before(const struct outliner *outliner, const struct ir_pragma *pragma,
                       size_t begin);
/* A directive that is part of the loop: it moves with it. */
bool outline_is_attached(const struct ir_pragma *pragma);

/* outline_openmp.c: adds what clauses name, and refuses what threads would share in
 * another way. Before and after the flow of the variables is known. */
int outline_clauses(struct outliner *outliner, struct error *err);
int outline_sharing(struct outliner *outliner, struct error *err);

/* outline_text.c */
void outline_write(struct outliner *outliner, size_t at, struct buf *text,
                   struct outlined *what);
/* Where something can be put before the function; fails where what stands there
 * belongs to it. */
int outline_place(const struct outliner *outliner, size_t *at, struct error *err);

#endif
