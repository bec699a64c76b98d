/* What a loop does that could change the objects that it uses. */
#include "variants/clang/clang_access_parts.h"

#include <stdlib.h>
#include <string.h>

/* ---- what the loop does besides ---- */

struct store {
    CXCursor at;
    CXType type;
    bool in_container;
};

struct effects {
    struct access *access;
    struct cursors visited; /* functions */
    struct store *store;
    size_t store_nr, store_alloc;
};

bool access_is_noreturn(const struct access *access, CXCursor target)
{
    return function_is(decl_of(access->clang, target)->known, FUNCTION_ENDS);
}

bool access_is_mathematical(const struct access *access, CXCursor target)
{
    return function_is(decl_of(access->clang, target)->known, FUNCTION_VALUE) ||
           cxx_is_standard_function(access->clang, target);
}

bool access_is_assignment(CXCursor cursor)
{
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    enum CXUnaryOperatorKind op = clang_getCursorUnaryOperatorKind(cursor);
    return kind == CXCursor_CompoundAssignOperator ||
           (kind == CXCursor_BinaryOperator &&
            clang_getCursorBinaryOperatorKind(cursor) == CXBinaryOperator_Assign) ||
           (kind == CXCursor_UnaryOperator && op >= CXUnaryOperator_PostInc &&
            op <= CXUnaryOperator_PreDec);
}

/* A variable of the function's own, or a part of one: no memory that others have. */
static bool is_own_storage(CXCursor lvalue)
{
    for (;;) {
        lvalue = access_peel(lvalue);
        enum CXCursorKind kind = clang_getCursorKind(lvalue);
        CXType type = clang_getCursorType(access_operand(lvalue, 0));
        if (kind == CXCursor_ArraySubscriptExpr &&
            !access_is_array_type(
                clang_getCursorType(access_peel(access_operand(lvalue, 0)))))
            return false;
        if (kind == CXCursor_MemberRefExpr &&
            (!access_operand_nr(lvalue) || access_plain(type).kind == CXType_Pointer))
            return false;
        if (kind == CXCursor_DeclRefExpr)
            return !access_is_reference_type(
                clang_getCursorType(clang_getCursorReferenced(lvalue)));
        if (kind != CXCursor_ArraySubscriptExpr && kind != CXCursor_MemberRefExpr)
            return false;
        lvalue = access_operand(lvalue, 0);
    }
}

/* An accessor, wherever it is called. */
struct value access_value_anywhere(struct access *access, CXCursor cursor)
{
    size_t before = access->key_nr;
    const struct walk *now = access->now;
    bool anywhere = access->anywhere;
    access->anywhere = true;
    access->now = NULL;
    struct value value = access_value_of(access, cursor, access->outermost);
    access->now = now;
    access->anywhere = anywhere;
    access->key_nr = before;
    return value;
}

static void note_store(struct effects *effects, CXCursor lvalue)
{
    struct access *access = effects->access;
    struct value value = access_value_anywhere(access, lvalue);
    if (access_is_object_type(clang_getCursorType(lvalue)))
        access_complain(access, lvalue, "a change of which object it is that it uses");
    if (is_own_storage(lvalue))
        return;
    GROW(effects->store, effects->store_nr + 1, effects->store_alloc);
    effects->store[effects->store_nr++] = (struct store){
        .at = lvalue,
        .type = access_plain(clang_getCursorType(lvalue)),
        .in_container = value.kind == V_ELEMENT &&
                        access_container_of(access, value.place.type) >= 0};
}

static enum CXChildVisitResult look_at_effect(CXCursor cursor, CXCursor parent,
                                              CXClientData data);

static void look_at_function(struct effects *effects, CXCursor call, CXCursor target)
{
    struct access *access = effects->access;
    CXCursor definition = clang_getCursorDefinition(target);
    if (access_is_mathematical(access, target) || access_is_noreturn(access, target))
        return;
    if (clang_Cursor_isNull(definition) ||
        clang_Location_isInSystemHeader(clang_getCursorLocation(definition))) {
        access_complain(
            access, call,
            ir_textf(access->clang->arena,
                     "a call of '%s', which may change the objects that it uses; "
                     "call it outside the loop",
                     access_spelling_of(access, target)));
        return;
    }
    for (size_t i = 0; i < effects->visited.item_nr; i++)
        if (clang_equalCursors(effects->visited.item[i], definition))
            return;
    cursors_add(&effects->visited, definition);
    clang_visitChildren(definition, look_at_effect, effects);
}

static void look_at_call(struct effects *effects, CXCursor call)
{
    struct access *access = effects->access;
    CXCursor target = clang_getCursorReferenced(call);
    enum CXCursorKind kind =
        clang_Cursor_isNull(target) ? CXCursor_NullStmt : clang_getCursorKind(target);
    if (kind == CXCursor_Constructor && access_is_plain_record(clang_getCursorType(call)))
        return;
    if (kind == CXCursor_FunctionDecl ||
        (kind == CXCursor_CXXMethod && clang_CXXMethod_isStatic(target)))
        look_at_function(effects, call, target);
    else if (access_value_anywhere(access, call).kind == V_NONE)
        access_complain(
            access, call,
            kind == CXCursor_NullStmt
                ? "a call through a pointer, which may change the objects that it "
                  "uses"
                : ir_textf(access->clang->arena,
                           "a call of '%s', which is more than the access to an "
                           "element or a field; write what it does in the loop",
                           cxx_qualified(access->clang, target)));
}

static enum CXChildVisitResult look_at_effect(CXCursor cursor, CXCursor parent,
                                              CXClientData data)
{
    (void)parent;
    struct effects *effects = data;
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    if (kind == CXCursor_CallExpr)
        look_at_call(effects, cursor);
    else if (kind == CXCursor_CXXNewExpr || kind == CXCursor_CXXDeleteExpr ||
             kind == CXCursor_LambdaExpr)
        access_complain(effects->access, cursor, "new, delete, or a lambda");
    else if (access_is_assignment(cursor))
        note_store(effects, access_operand(cursor, 0));
    return effects->access->trouble.text ? CXChildVisit_Break : CXChildVisit_Recurse;
}

static bool may_be_same(const struct store *store, CXType type)
{
    long long stored = clang_Type_getSizeOf(store->type);
    bool integers = access_is_integer(store->type) && access_is_integer(type);
    return !store->in_container &&
           (access_is_same_type(store->type, type) || stored <= 1 ||
            access_is_record(store->type) ||
            (integers && stored == clang_Type_getSizeOf(access_plain(type))));
}

static void check_store(struct access *access, const struct store *store)
{
    bool pointer = access_plain(store->type).kind == CXType_Pointer;
    for (size_t i = 0; i < access->key_nr; i++) {
        const struct key *key = &access->key[i];
        bool array = key->kind != V_PLACE;
        if (array ? pointer : may_be_same(store, key->place.type))
            access_complain(access, store->at,
                            ir_textf(access->clang->arena,
                                     "a store that may change '%s'; read that into a "
                                     "variable before the loop",
                                     key->place.text));
    }
}

void access_check_effects(struct access *access)
{
    struct effects effects = {.access = access};
    if (!access->key_nr)
        return;
    look_at_effect(access->statement, access->statement, &effects);
    clang_visitChildren(access->statement, look_at_effect, &effects);
    for (size_t i = 0; i < effects.store_nr; i++)
        check_store(access, &effects.store[i]);
    free(effects.store);
    free(effects.visited.item);
}
