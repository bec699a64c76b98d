/*
 * libclang's cursors, shared by clang_open.c (the file, its errors), clang_type.c (types,
 * declarations) and clang_tree.c (statements and expressions). This is the one file that
 * includes <clang-c/Index.h>.
 */
#ifndef VARIANTS_CLANG_CURSOR_H
#define VARIANTS_CLANG_CURSOR_H

#include <clang-c/Index.h>

#include "variants/clang_tree.h"

struct known_decl {
    CXCursor cursor; /* canonical */
    struct ct_decl *decl;
};

struct ct_clang {
    CXIndex index;
    CXTranslationUnit unit;
    CXFile main;
    struct ir_arena *arena;
    CXCursor *definition; /* as ct_file.function */
    struct known_decl *known;
    size_t definition_nr, definition_alloc, known_nr, known_alloc;
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

struct ir_type type_of(struct ct_clang *clang, CXType type);
struct ct_decl *decl_of(struct ct_clang *clang, CXCursor cursor);

struct ct_node *node_new(struct ct_clang *clang, enum ct_kind kind, size_t children);
struct ct_node *node_build(struct ct_clang *clang, CXCursor cursor);

#endif
