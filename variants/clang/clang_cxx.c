/* C++: names with their scopes, which functions can be read, how they are called. */
#include "core/base/buf.h"
#include "variants/clang/clang_cursor.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- names ---- */

static bool is_named_scope(CXCursor cursor)
{
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    return kind == CXCursor_Namespace || kind == CXCursor_ClassDecl ||
           kind == CXCursor_StructDecl || kind == CXCursor_UnionDecl ||
           kind == CXCursor_ClassTemplate ||
           kind == CXCursor_ClassTemplatePartialSpecialization ||
           (kind == CXCursor_EnumDecl && clang_EnumDecl_isScoped(cursor));
}

static bool is_anonymous(CXCursor cursor, const char *name)
{
    return !*name || strchr(name, '(') || clang_Cursor_isAnonymous(cursor);
}

/* "ns::Matrix" of what `cursor` is declared in. */
static const char *scopes_of(struct ct_clang *clang, CXCursor cursor, bool classes)
{
    const char *text = "";
    for (CXCursor at = clang_getCursorSemanticParent(cursor);
         !clang_Cursor_isNull(at) && clang_getCursorKind(at) != CXCursor_TranslationUnit;
         at = clang_getCursorSemanticParent(at)) {
        if (!is_named_scope(at) ||
            (!classes && clang_getCursorKind(at) != CXCursor_Namespace))
            continue;
        const char *name = take_string(clang, clang_getCursorSpelling(at));
        if (!is_anonymous(at, name))
            text = ir_textf(clang->arena, *text ? "%s::%s" : "%s%s", name, text);
    }
    return text;
}

const char *cxx_qualified(struct ct_clang *clang, CXCursor cursor)
{
    const char *scopes = scopes_of(clang, cursor, true);
    const char *name = take_string(clang, clang_getCursorSpelling(cursor));
    return *scopes ? ir_textf(clang->arena, "%s::%s", scopes, name) : name;
}

/* Is all that `cursor` is declared in also around the function that is read? */
static bool is_around(struct ct_clang *clang, CXCursor cursor)
{
    CXCursor parent = clang_getCursorSemanticParent(cursor);
    while (!clang_Cursor_isNull(parent) &&
           (!is_named_scope(parent) || clang_Cursor_isAnonymous(parent)) &&
           clang_getCursorKind(parent) != CXCursor_TranslationUnit)
        parent = clang_getCursorSemanticParent(parent);
    if (clang_getCursorKind(parent) == CXCursor_TranslationUnit)
        return true;
    for (CXCursor at = clang->reading;
         !clang_Cursor_isNull(at) && clang_getCursorKind(at) != CXCursor_TranslationUnit;
         at = clang_getCursorSemanticParent(at))
        if (clang_equalCursors(clang_getCanonicalCursor(at),
                               clang_getCanonicalCursor(parent)))
            return true;
    return false;
}

/* The standard library's are called by their whole name: sqrt of a float is another
 * function than std::sqrt. */
const char *cxx_visible(struct ct_clang *clang, CXCursor cursor)
{
    return is_around(clang, cursor) ? take_string(clang, clang_getCursorSpelling(cursor))
                                    : cxx_qualified(clang, cursor);
}

const char *cxx_type_text(struct ct_clang *clang, CXType type)
{
    static const char anonymous[] = "(anonymous namespace)::";
    const char *text =
        take_string(clang, clang_getTypeSpelling(clang_getCanonicalType(type)));
    struct buf out = {0};
    while (*text) {
        size_t skip = strncmp(text, anonymous, sizeof(anonymous) - 1) == 0
                          ? sizeof(anonymous) - 1
                          : 0;
        if (!skip)
            buf_add_n(&out, text, 1);
        text += skip ? skip : 1;
    }
    const char *copy = ir_text(clang->arena, buf_str(&out));
    buf_release(&out);
    return copy;
}

const char *cxx_with_arguments(struct ct_clang *clang, CXCursor cursor, const char *name)
{
    int nr = clang->is_cplusplus ? clang_Cursor_getNumTemplateArguments(cursor) : 0;
    const char *list = "";
    for (int i = 0; i < nr; i++) {
        if (clang_Cursor_getTemplateArgumentKind(cursor, (unsigned)i) !=
            CXTemplateArgumentKind_Type)
            return name;
        const char *type = cxx_type_text(
            clang, clang_Cursor_getTemplateArgumentType(cursor, (unsigned)i));
        list = ir_textf(clang->arena, *list ? "%s, %s" : "%s%s", list, type);
    }
    return *list ? ir_textf(clang->arena, "%s<%s>", name, list) : name;
}

/* ---- functions ---- */

bool cxx_is_function(CXCursor cursor)
{
    switch (clang_getCursorKind(cursor)) {
    case CXCursor_FunctionDecl:
    case CXCursor_CXXMethod:
    case CXCursor_Constructor:
    case CXCursor_Destructor:
    case CXCursor_ConversionFunction:
    case CXCursor_FunctionTemplate:
        return true;
    default:
        return false;
    }
}

bool cxx_is_scope(CXCursor cursor)
{
    return is_named_scope(cursor) ||
           clang_getCursorKind(cursor) == CXCursor_LinkageSpec ||
           clang_getCursorKind(cursor) == CXCursor_UnexposedDecl;
}

bool cxx_is_method(CXCursor cursor)
{
    return clang_getCursorKind(cursor) == CXCursor_CXXMethod &&
           !clang_CXXMethod_isStatic(cursor);
}

static bool is_in_template(CXCursor cursor)
{
    for (CXCursor at = clang_getCursorSemanticParent(cursor);
         !clang_Cursor_isNull(at) && clang_getCursorKind(at) != CXCursor_TranslationUnit;
         at = clang_getCursorSemanticParent(at))
        if (clang_getCursorKind(at) == CXCursor_ClassTemplate ||
            clang_getCursorKind(at) == CXCursor_ClassTemplatePartialSpecialization)
            return true;
    return false;
}

static bool is_local(CXCursor cursor)
{
    for (CXCursor at = clang_getCursorSemanticParent(cursor); is_named_scope(at);
         at = clang_getCursorSemanticParent(at))
        if (cxx_is_function(clang_getCursorSemanticParent(at)))
            return true;
    return false;
}

bool cxx_is_template(CXCursor cursor)
{
    return clang_getCursorKind(cursor) == CXCursor_FunctionTemplate ||
           is_in_template(cursor) || is_local(cursor);
}

bool cxx_is_operator(const char *name)
{
    return strncmp(name, "operator", 8) == 0 && !isalnum((unsigned char)name[8]) &&
           name[8] != '_';
}

static const char *head_trouble(CXCursor cursor, const char *name)
{
    switch (clang_getCursorKind(cursor)) {
    case CXCursor_FunctionTemplate:
        return "a function template; write the loop as a function for one type, which "
               "the template may call";
    case CXCursor_Constructor:
    case CXCursor_Destructor:
        return "a constructor or destructor; move the loop to a method or a function";
    case CXCursor_ConversionFunction:
        return "a conversion function; move the loop to a method or a function";
    default:
        break;
    }
    if (is_in_template(cursor))
        return "a member of a class template; write the loop as a function for one type, "
               "which the template may call";
    if (cxx_is_operator(name))
        return "an overloaded operator; move the loop to a method or a function";
    if (clang_getCursorKind(cursor) == CXCursor_CXXMethod &&
        clang_CXXMethod_isVirtual(cursor))
        return "a virtual method; move the loop to a method that is not, which this one "
               "may call";
    if (is_local(cursor))
        return "a method of a class within a function; move the loop to a function";
    if (clang_Type_getCXXRefQualifier(clang_getCursorType(cursor)) ==
        CXRefQualifier_RValue)
        return "a method for temporary objects (&&)";
    return NULL;
}

void cxx_read_head(struct ct_clang *clang, CXCursor cursor, struct ct_function *function)
{
    const char *name = take_string(clang, clang_getCursorDisplayName(cursor));
    const char *scopes = scopes_of(clang, cursor, true);
    CXSourceLocation place = clang_getCursorLocation(cursor);
    unsigned line, column;
    function->qualified = cxx_qualified(clang, cursor);
    function->full = *scopes ? ir_textf(clang->arena, "%s::%s", scopes, name) : name;
    clang_getExpansionLocation(place, NULL, &line, &column, NULL);
    function->trouble =
        (struct ct_trouble){head_trouble(cursor, function->name), (int)line, (int)column};
}

/* A function's type says nothing of exceptions when it is asked for by it: a pointer to
 * one that throws none is also one to a function that may. */
static const char *function_type(struct ct_clang *clang, CXCursor cursor)
{
    const char *text = cxx_type_text(clang, clang_getCursorType(cursor));
    const char *noexcept = strstr(text, " noexcept");
    return noexcept ? ir_textf(clang->arena, "%.*s", (int)(noexcept - text), text) : text;
}

void cxx_read_linkage(struct ct_clang *clang, CXCursor cursor,
                      struct ct_function *function)
{
    CXCursor record = clang_getCursorSemanticParent(cursor);
    function->linkage = (struct ir_linkage){
        .symbol = take_string(clang, clang_Cursor_getMangling(cursor)),
        .callee = function->qualified,
        .type = function_type(clang, cursor),
        .record = cxx_is_method(cursor)
                      ? cxx_type_text(clang, clang_getCursorType(record))
                      : NULL,
        .scope = scopes_of(clang, cursor, false)};
}
