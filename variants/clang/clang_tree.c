/* Statements and expressions: each cursor becomes one node. */
#include "variants/clang/clang_tree.h"

#include <stdlib.h>
#include <string.h>

#include "variants/clang/clang_cursor.h"

struct ct_node *node_new(struct ct_clang *clang, enum ct_kind kind, size_t children)
{
    struct ct_node *node = ir_alloc(clang->arena, sizeof(*node));
    node->kind = kind;
    node->child_nr = children;
    node->child = ir_alloc(clang->arena, (children + 1) * sizeof(struct ct_node *));
    return node;
}

static size_t file_offset(CXSourceLocation location)
{
    unsigned offset;
    clang_getFileLocation(location, NULL, NULL, NULL, &offset);
    return offset;
}

static void place(struct ct_clang *clang, CXCursor cursor, struct ct_node *node)
{
    CXSourceRange range = clang_getCursorExtent(cursor);
    CXSourceLocation start = clang_getRangeStart(range);
    CXFile file, spelled_in;
    unsigned line, column, offset, spelled_at;
    clang_getExpansionLocation(start, &file, &line, &column, &offset);
    clang_getSpellingLocation(start, &spelled_in, NULL, NULL, &spelled_at);
    node->line = (int)line;
    node->column = (int)column;
    node->begin = offset;
    node->in_macro =
        spelled_at != offset || !spelled_in || !clang_File_isEqual(file, spelled_in);
    node->elsewhere = !file || !clang_File_isEqual(file, clang->main);
    clang_getExpansionLocation(clang_getRangeEnd(range), &file, &line, &column, &offset);
    node->end_line = (int)line;
    node->end = offset;
    node->spelt_end = file_offset(clang_getRangeEnd(range));
    node->spelt_begin = file_offset(start);
    node->elsewhere = node->elsewhere || !file || !clang_File_isEqual(file, clang->main);
}

/* ---- nodes ---- */

static const struct {
    enum CXCursorKind cursor;
    enum ct_kind kind;
    const char *what, *text;
} kinds[] = {
#define CONSTRUCT(cursor, kind, words, text) {CXCursor_##cursor, CT_##kind, words, text},
#include "variants/clang/constructs.def"
};

static const char *const operators[] = {
#define OPERATOR(text) text,
#include "variants/clang/constructs.def"
};

static void set_kind(struct ct_clang *clang, struct ct_node *node, enum CXCursorKind kind)
{
    for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
        if (kinds[i].cursor == kind) {
            node->kind = kinds[i].kind;
            node->what = kinds[i].what;
            node->text = kinds[i].text;
            return;
        }
    node->kind = clang_isExpression(kind) ? CT_EXPR : CT_STMT;
    node->what = ir_textf(clang->arena, "an unusual %s (%s)",
                          node->kind == CT_EXPR ? "expression" : "statement",
                          take_string(clang, clang_getCursorKindSpelling(kind)));
}

/* The token where it is written, be it in a macro; "" when it was pasted together
 * there. */
static const char *token_text(struct ct_clang *clang, CXCursor cursor)
{
    CXFile file;
    unsigned offset;
    clang_getSpellingLocation(clang_getCursorLocation(cursor), &file, NULL, NULL,
                              &offset);
    if (!file)
        return "";
    CXSourceLocation location = clang_getLocationForOffset(clang->unit, file, offset);
    CXToken *token = clang_getToken(clang->unit, location);
    if (!token)
        return "";
    const char *text = take_string(clang, clang_getTokenSpelling(clang->unit, *token));
    clang_disposeTokens(clang->unit, token, 1);
    return text;
}

static const char *evaluated_text(struct ct_clang *clang, CXCursor cursor,
                                  const struct ct_node *node)
{
    static const char *const suffix[2][2] = {{"", "u"}, {"l", "ul"}};
    const struct ir_type *type = &node->type;
    if (node->has_value)
        return ir_textf(clang->arena, "%lld%s", node->value,
                        suffix[type->bytes > 4][type->is_unsigned]);
    CXEvalResult result = clang_Cursor_Evaluate(cursor);
    double value = result ? clang_EvalResult_getAsDouble(result) : 0.0;
    if (result)
        clang_EvalResult_dispose(result);
    bool single = type->bytes == 4;
    const char *text = ir_textf(clang->arena, single ? "%#.9g" : "%#.17g", value);
    return single ? ir_textf(clang->arena, "%sf", text) : text;
}

static void read_literal(struct ct_clang *clang, CXCursor cursor, struct ct_node *node)
{
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    if (kind == CXCursor_StringLiteral) {
        node->text = take_string(clang, clang_getCursorSpelling(cursor));
        return;
    }
    if (kind == CXCursor_CXXNullPtrLiteralExpr)
        return;
    if (kind != CXCursor_FloatingLiteral)
        node->has_value = evaluate(cursor, &node->value);
    node->text = token_text(clang, cursor);
    bool number = strchr("0123456789.", node->text[0]) != NULL && node->text[0];
    if (kind == CXCursor_CXXBoolLiteralExpr)
        node->text = node->value ? "true" : "false";
    else if (kind == CXCursor_CharacterLiteral ? !strchr(node->text, '\'') : !number)
        node->text = evaluated_text(clang, cursor, node);
}

static void read_name(struct ct_clang *clang, CXCursor cursor, struct ct_node *node)
{
    CXCursor target = clang_getCursorReferenced(cursor);
    if (clang_getCursorKind(target) == CXCursor_EnumConstantDecl) {
        node->kind = CT_LITERAL;
        node->text = clang->is_cplusplus
                         ? cxx_visible(clang, target)
                         : take_string(clang, clang_getCursorSpelling(target));
        node->value = clang_getEnumConstantDeclValue(target);
        node->has_value = true;
        return;
    }
    node->decl = decl_of(clang, target);
    node->has_value = node->decl->has_value;
    node->value = node->decl->value;
    if (node->decl->by_pointer)
        cxx_use_reference(clang, node);
}

/* libclang spells the field that an anonymous struct or union is as nothing or as
 * "(...)". */
static bool is_unnamed(const char *field)
{
    return !*field || strchr(field, '(');
}

/* Out through anonymous structs: is one of the records around the field a union? */
static bool shares_bytes(CXCursor field)
{
    if (clang_Cursor_isBitField(field))
        return true;
    CXCursor record = clang_getCursorSemanticParent(field);
    while (clang_getCursorKind(record) == CXCursor_StructDecl &&
           clang_Cursor_isAnonymousRecordDecl(record))
        record = clang_getCursorSemanticParent(record);
    return clang_getCursorKind(record) == CXCursor_UnionDecl;
}

/* Of an array type, outermost first. */
static const long long *constant_dims(struct ct_clang *clang, CXType type, size_t *nr)
{
    long long dim[16];
    for (*nr = 0; type.kind == CXType_ConstantArray && *nr < ARRAY_SIZE(dim);
         type = clang_getCanonicalType(clang_getArrayElementType(type)))
        dim[(*nr)++] = clang_getArraySize(type);
    long long *copy = ir_alloc(clang->arena, *nr * sizeof(dim[0]));
    memcpy(copy, dim, *nr * sizeof(dim[0]));
    return copy;
}

static void read_field_dims(struct ct_clang *clang, CXCursor cursor,
                            struct ir_field *field)
{
    CXType type = clang_getCanonicalType(clang_getCursorType(cursor));
    field->dim = constant_dims(clang, type, &field->dim_nr);
    if (type.kind == CXType_Pointer)
        field->target = constant_dims(
            clang, clang_getCanonicalType(clang_getPointeeType(type)), &field->target_nr);
}

/* NULL when the layout is not known, as of an incomplete record. */
static struct ir_field *field_of(struct ct_clang *clang, CXCursor member, CXCursor cursor)
{
    CXCursor record = clang_getCursorSemanticParent(cursor);
    struct cxx_way way = {.nr = 1, .is_placed = true};
    long long bits = clang_Cursor_getOffsetOfField(cursor);
    long long own = clang_Type_getSizeOf(clang_getCursorType(cursor));
    if (clang->is_cplusplus) {
        way = cxx_way_of(clang, member);
        record = cxx_object_class(clang, member);
    }
    long long all = clang_Type_getSizeOf(clang_getCursorType(record));
    if (bits < 0 || all <= 0 || own < 0 || way.nr != 1 || way.is_virtual ||
        !way.is_placed)
        return NULL;
    struct ir_field *field = ir_alloc(clang->arena, sizeof(*field));
    field->record_bytes = (size_t)all;
    field->offset = (size_t)(way.offset + bits / 8);
    field->bytes = (size_t)own;
    field->is_bits = clang_Cursor_isBitField(cursor);
    read_field_dims(clang, cursor, field);
    return field;
}

static void read_member(struct ct_clang *clang, CXCursor cursor, struct ct_node *node)
{
    CXCursor target = clang_getCursorReferenced(cursor);
    if (clang_getCursorKind(target) != CXCursor_FieldDecl) { /* a static member */
        node->kind = CT_NAME;
        node->child_nr = 0;
        read_name(clang, cursor, node);
        return;
    }
    struct ir_field *field = field_of(clang, cursor, target);
    if (node->child_nr == 0 && clang->is_cplusplus) {
        node->child[0] = cxx_this_node(clang);
        node->child_nr = 1;
    }
    node->text = take_string(clang, clang_getCursorSpelling(target));
    node->shared = shares_bytes(target);
    node->field = field;
    if (node->child_nr == 0)
        return;
    struct ct_node *base = node->child[0];
    if (base->kind == CT_MEMBER && is_unnamed(base->text) && base->child_nr > 0) {
        node->child[0] = base->child[0];
        if (field && base->field) {
            field->offset += base->field->offset;
            field->record_bytes = base->field->record_bytes;
        }
    }
    base = node->child[0];
    if (base->kind == CT_UNARY && base->child_nr == 1 &&
        base->child[0]->kind == CT_NAME && base->child[0]->decl->by_pointer)
        node->child[0] = base->child[0];
    node->arrow = node->child[0]->type.pointers > 0;
}

static const char *prefix_or_postfix(struct ct_clang *clang, CXCursor cursor)
{
    enum CXUnaryOperatorKind kind = clang_getCursorUnaryOperatorKind(cursor);
    if (kind == CXUnaryOperator_PostInc || kind == CXUnaryOperator_PostDec)
        return kind == CXUnaryOperator_PostInc ? "post++" : "post--";
    return take_string(clang, clang_getUnaryOperatorKindSpelling(kind));
}

static void read_unary(struct ct_clang *clang, CXCursor cursor, struct ct_node *node)
{
    node->op = prefix_or_postfix(clang, cursor);
    for (size_t i = 0; i < ARRAY_SIZE(operators); i++)
        if (!strcmp(node->op, operators[i]))
            return;
    node->kind = CT_EXPR;
    node->what = ir_textf(clang->arena, "the operator '%s'", node->op);
}

static void read_binary(struct ct_clang *clang, CXCursor cursor, struct ct_node *node)
{
    enum CXBinaryOperatorKind kind = clang_getCursorBinaryOperatorKind(cursor);
    node->op = take_string(clang, clang_getBinaryOperatorKindSpelling(kind));
    if (kind == CXBinaryOperator_Assign)
        node->kind = CT_ASSIGN;
}

static const char *goto_text(struct ct_clang *clang, CXCursor cursor)
{
    struct cursors list = children_of(cursor);
    const char *label = "";
    if (list.item_nr > 0)
        label = take_string(clang, clang_getCursorSpelling(list.item[0]));
    free(list.item);
    return ir_textf(clang->arena, "goto %s", label);
}

static void read_details(struct ct_clang *clang, CXCursor cursor, struct ct_node *node)
{
    switch (node->kind) {
    case CT_LITERAL:
        read_literal(clang, cursor, node);
        break;
    case CT_NAME:
        read_name(clang, cursor, node);
        break;
    case CT_MEMBER:
        read_member(clang, cursor, node);
        break;
    case CT_UNARY:
        read_unary(clang, cursor, node);
        break;
    case CT_BINARY:
    case CT_ASSIGN:
        read_binary(clang, cursor, node);
        break;
    case CT_SIZEOF:
        node->has_value = evaluate(cursor, &node->value);
        break;
    case CT_JUMP:
        if (clang_getCursorKind(cursor) == CXCursor_GotoStmt)
            node->text = goto_text(clang, cursor);
        break;
    case CT_VAR:
        node->decl = decl_of(clang, cursor);
        if (node->decl->is_reference)
            cxx_declare_reference(clang, node);
        break;
    case CT_STMT:
        node->is_label = clang_getCursorKind(cursor) == CXCursor_LabelStmt;
        node->is_switch = clang_getCursorKind(cursor) == CXCursor_SwitchStmt;
        node->is_case = clang_getCursorKind(cursor) == CXCursor_CaseStmt ||
                        clang_getCursorKind(cursor) == CXCursor_DefaultStmt;
        break;
    case CT_INDEX:
    case CT_COND:
    case CT_CALL:
    case CT_CAST:
    case CT_LIST:
    case CT_EXPR:
    case CT_BLOCK:
    case CT_IF:
    case CT_FOR:
    case CT_WHILE:
    case CT_DO:
    case CT_RETURN:
    case CT_EMPTY:
    case CT_DECLS:
        break;
    }
}

/* `double x{a[i]}` is `double x = a[i]`. */
static bool is_single_value(CXCursor cursor)
{
    enum CXTypeKind type = clang_getCanonicalType(clang_getCursorType(cursor)).kind;
    return clang_getCursorKind(cursor) == CXCursor_InitListExpr &&
           (type == CXType_Pointer || (type >= CXType_Bool && type <= CXType_LongDouble));
}

/* In C++ the scopes and types that a name is written with, `std::`, are below it. */
static void drop_references(struct cursors *list)
{
    size_t kept = 0;
    for (size_t i = 0; i < list->item_nr; i++)
        if (!clang_isReference(clang_getCursorKind(list->item[i])))
            list->item[kept++] = list->item[i];
    list->item_nr = kept;
}

/* Parentheses, attributed statements, and implicit casts, which are as long as what they
 * cast; other unexposed expressions, such as va_arg, add words of their own. */
static bool is_wrapper(const struct ct_clang *clang, CXCursor cursor,
                       const struct cursors *children)
{
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    if (children->item_nr != 1)
        return false;
    if (clang->is_cplusplus && (is_single_value(cursor) || cxx_copies_whole(cursor)))
        return true;
    if (kind == CXCursor_ParenExpr || kind == CXCursor_UnexposedStmt)
        return true;
    return kind == CXCursor_UnexposedExpr &&
           clang_equalRanges(clang_getCursorExtent(cursor),
                             clang_getCursorExtent(children->item[0]));
}

/* Of a cast the operand, of a declaration the initialiser: what stands last; type
 * names and dimensions stand before it. */
static void drop_all_but_last(struct cursors *list, bool keep)
{
    if (list->item_nr > 0 && keep)
        list->item[0] = list->item[list->item_nr - 1];
    list->item_nr = list->item_nr > 0 && keep;
}

static bool has_initialiser(CXCursor cursor)
{
    CXCursor init = clang_Cursor_getVarDeclInitializer(cursor);
    return !clang_Cursor_isNull(init) && !cxx_sets_nothing(cursor, init);
}

static bool is_cast(enum CXCursorKind kind)
{
    return kind == CXCursor_CStyleCastExpr || kind == CXCursor_CXXStaticCastExpr ||
           kind == CXCursor_CXXReinterpretCastExpr || kind == CXCursor_CXXConstCastExpr ||
           kind == CXCursor_CXXFunctionalCastExpr;
}

static struct cursors parts_of(struct ct_clang *clang, CXCursor cursor)
{
    struct cursors list = children_of(cursor);
    if (clang->is_cplusplus && clang_isExpression(clang_getCursorKind(cursor)))
        drop_references(&list);
    return list;
}

struct ct_node *node_build(struct ct_clang *clang, CXCursor cursor)
{
    struct cursors list = parts_of(clang, cursor);
    while (!cxx_kept(clang, cursor) && is_wrapper(clang, cursor, &list)) {
        cursor = list.item[0];
        free(list.item);
        list = parts_of(clang, cursor);
    }
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    if (kind == CXCursor_CXXThisExpr) {
        free(list.item);
        return cxx_this_node(clang);
    }
    if (is_cast(kind))
        drop_all_but_last(&list, true);
    if (kind == CXCursor_VarDecl)
        drop_all_but_last(&list, has_initialiser(cursor));
    const char *kept = cxx_kept(clang, cursor);
    bool assigns = !kept && list.item_nr == 3 && cxx_copies_whole(cursor);
    if (assigns) /* without the name of the operator */
        list.item[1] = list.item[2];
    list.item_nr = kept ? 0 : list.item_nr - assigns;
    /* Its text has no type, which libclang trips over. */
    if (kind == CXCursor_StaticAssert)
        list.item_nr = 0;
    struct ct_node *node = node_new(clang, CT_EXPR, list.item_nr);
    set_kind(clang, node, kind);
    place(clang, cursor, node);
    /* the message of a _Static_assert has no type, and libclang survives no question to
     * it */
    if (clang_isExpression(kind) && clang_getCursorType(cursor).kind != CXType_Invalid)
        node->type = type_of(clang, clang_getCursorType(cursor));
    for (size_t i = 0; i < list.item_nr; i++)
        node->child[i] = node_build(clang, list.item[i]);
    if (kept) {
        node->what = kept;
        cxx_keep_text(clang, cursor, node);
        free(list.item);
        return node;
    }
    if (assigns) {
        node->kind = CT_ASSIGN;
        node->what = "an assignment";
        node->op = "=";
        free(list.item);
        return node;
    }
    if (kind == CXCursor_CallExpr && clang->keeps_references)
        cxx_keep_references(clang, cursor, &list, node);
    else if (kind == CXCursor_CallExpr && clang->is_cplusplus)
        cxx_touch_references(clang, cursor, &list, node);
    if (node->kind == CT_CALL && node->child_nr == 0) { /* of a constructor */
        node->kind = CT_EXPR;
        node->what = "an object";
    }
    read_details(clang, cursor, node);
    free(list.item);
    return node;
}
