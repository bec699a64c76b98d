/*
 * libclang's cursors, shared by clang_open.c (the file, its errors), clang_type.c (types,
 * declarations) and clang_tree.c (statements and expressions). This is the one file that
 * includes <clang-c/Index.h>.
 */
#ifndef VARIANTS_CLANG_CURSOR_H
#define VARIANTS_CLANG_CURSOR_H

#include <clang-c/Index.h>

#include "variants/clang/clang_tree.h"

struct buf;

struct known_decl {
    CXCursor cursor; /* canonical */
    struct ct_decl *decl;
};

/* C++ that is not read and stays as it is written, and why. */
struct kept {
    CXCursor cursor;
    const char *text;
};

struct ct_clang {
    bool is_cplusplus;
    bool keeps_references; /* what a call may change is told as its address */
    CXCursor reading;      /* the function that is read */
    struct ct_decl *self;  /* `this`, once asked for */
    CXIndex index;
    CXTranslationUnit unit;
    CXFile main;
    struct ir_arena *arena;
    CXCursor *definition; /* as ct_file.function */
    CXCursor *broken;     /* functions that have an error, also those of headers */
    struct known_decl *known;
    struct kept *kept;      /* of the function that is read */
    struct ct_trouble asks; /* as ct_function.asks */
    size_t definition_nr, definition_alloc, known_nr, known_alloc, kept_nr, kept_alloc,
        broken_nr, broken_alloc;
};

struct cursors {
    CXCursor *item;
    size_t item_nr, item_alloc;
};

/* A copy in the arena; the string is disposed of. */
const char *take_string(struct ct_clang *clang, CXString string);
void cursors_add(struct cursors *list, CXCursor cursor);
struct cursors children_of(CXCursor cursor); /* without attributes; caller frees .item */
/* false when it is no integer constant */
bool evaluate(CXCursor cursor, long long *value);

/* clang_cxx.c. Both copies are in the arena. */
/* "ns::Matrix::scale"; namespaces without a name are left out. */
const char *cxx_qualified(struct ct_clang *clang, CXCursor cursor);
/* The name by which the function that is read may call it. */
const char *cxx_visible(struct ct_clang *clang, CXCursor cursor);
/* `name` with the types of a template behind it: "std::max<double>". */
const char *cxx_with_arguments(struct ct_clang *clang, CXCursor cursor, const char *name);
/* Of a type, as it can be written outside of all scopes. */
const char *cxx_type_text(struct ct_clang *clang, CXType type);
bool cxx_is_function(CXCursor cursor);
bool cxx_is_operator(const char *name);
bool cxx_is_scalar(CXType type); /* a number or a pointer, or a reference to one */
bool cxx_is_scope(CXCursor cursor);
bool cxx_is_method(CXCursor cursor);   /* that has a `this` */
bool cxx_is_template(CXCursor cursor); /* or a member of one, or of a local class */
void cxx_read_head(struct ct_clang *clang, CXCursor cursor, struct ct_function *function);
void cxx_read_linkage(struct ct_clang *clang, CXCursor cursor,
                      struct ct_function *function);
/* clang_cxx_tree.c */
struct ct_node *cxx_this_node(struct ct_clang *clang);
/* `double &r = a[i];` and the uses of r, as `double *r = &a[i];` and `*r`. */
void cxx_declare_reference(struct ct_clang *clang, struct ct_node *var);
void cxx_use_reference(struct ct_clang *clang, struct ct_node *name);
/* `f(x)` of a parameter that is a reference to what may change, as `f(&x)`. */
void cxx_keep_references(struct ct_clang *clang, CXCursor call,
                         const struct cursors *list, struct ct_node *node);
/* The same, said at the node of x. */
void cxx_touch_references(struct ct_clang *clang, CXCursor call,
                          const struct cursors *list, struct ct_node *node);
/* min, max, abs, sqrt ... of the standard library, of numbers. */
bool cxx_is_standard_function(struct ct_clang *clang, CXCursor target);
/* `a = b` and `P a = b` where that is a copy of the whole object, as in C. */
bool cxx_copies_whole(CXCursor call);
/* `P a;` of a plain struct; `init` as libclang tells it. */
bool cxx_sets_nothing(CXCursor variable, CXCursor init);
struct ct_decl *cxx_this(struct ct_clang *clang);
/* The first construct of the function that is not read; text NULL = there is none. `keep`
 * (may be NULL): all of them are noted, to be kept as they are written; false = they
 * cannot be, since parameters or the whole body are among them. */
struct ct_trouble cxx_find_trouble(struct ct_clang *clang, CXCursor function, bool *keep);
/* Why it is kept; NULL = it is not. */
const char *cxx_kept(const struct ct_clang *clang, CXCursor cursor);
/* Its node: the variables that it names are the children. */
void cxx_keep_text(struct ct_clang *clang, CXCursor cursor, struct ct_node *node);

/* clang_cxx_base.c */
struct cxx_way {       /* from a class to one of its bases, or to itself */
    size_t nr;         /* of ways; 0 = it is none, or libclang does not show it */
    bool is_virtual;   /* a virtual base class on the way */
    bool is_public;    /* everybody may go it */
    bool is_open;      /* the class itself may */
    bool is_inherited; /* a class derived from it may */
    bool is_own;       /* it is the class itself */
    bool is_placed;    /* offset is known */
    long long offset;  /* of the base, bytes */
};
struct cxx_way cxx_way_to(const struct ct_clang *clang, CXCursor record, CXCursor base);
/* Of a member expression: from the class of the object to the one that has the field. */
struct cxx_way cxx_way_of(const struct ct_clang *clang, CXCursor member);
CXCursor cxx_object_class(const struct ct_clang *clang, CXCursor member);
/* What it and its bases declare; caller frees .item. */
struct cursors cxx_members_of(CXCursor record);
/* How many of it and its bases have something of that name: of one all of them mean the
 * same by it. */
size_t cxx_classes_with(CXCursor record, const char *name);

/* clang_pragma.c: fills file->pragma. `args` as given to ct_open. */
void ct_read_pragmas(struct ct_file *file, const struct strvec *args);

struct ir_type type_of(struct ct_clang *clang, CXType type);
struct ct_decl *decl_of(struct ct_clang *clang, CXCursor cursor);

struct ct_node *node_new(struct ct_clang *clang, enum ct_kind kind, size_t children);
struct ct_node *node_build(struct ct_clang *clang, CXCursor cursor);

/* Another text of the file, whatever its errors; NULL when there is nothing of it. */
CXTranslationUnit ct_reparse(struct ct_clang *clang, const char *path,
                             const struct buf *text, const struct strvec *args);

#endif
