/* libclang made bearable. */
#include "variants/clang/clang_cursor.h"

const char *take_string(struct ct_clang *clang, CXString string)
{
    const char *text = clang_getCString(string);
    const char *copy = ir_text(clang->arena, text ? text : "");
    clang_disposeString(string);
    return copy;
}

void cursors_add(struct cursors *list, CXCursor cursor)
{
    GROW(list->item, list->item_nr + 1, list->item_alloc);
    list->item[list->item_nr++] = cursor;
}

static enum CXChildVisitResult collect(CXCursor cursor, CXCursor parent,
                                       CXClientData data)
{
    (void)parent;
    if (!clang_isAttribute(clang_getCursorKind(cursor)))
        cursors_add(data, cursor);
    return CXChildVisit_Continue;
}

struct cursors children_of(CXCursor cursor)
{
    struct cursors list = {0};
    clang_visitChildren(cursor, collect, &list);
    return list;
}

bool evaluate(CXCursor cursor, long long *value)
{
    CXEvalResult result = clang_Cursor_Evaluate(cursor);
    bool integer = result && clang_EvalResult_getKind(result) == CXEval_Int;
    if (integer)
        *value = clang_EvalResult_getAsLongLong(result);
    if (result)
        clang_EvalResult_dispose(result);
    return integer;
}
