/* C++ within a function: `this`, and what is not read. */
#include "variants/clang/clang_cursor.h"

#include <stdlib.h>
#include <string.h>

/* ---- this ---- */

struct ct_decl *cxx_this(struct ct_clang *clang)
{
    if (clang->self)
        return clang->self;
    CXType record = clang_getCursorType(clang_getCursorSemanticParent(clang->reading));
    struct ct_decl *decl = ir_alloc(clang->arena, sizeof(*decl));
    unsigned line;
    clang_getExpansionLocation(clang_getCursorLocation(clang->reading), NULL, &line, NULL,
                               NULL);
    decl->name = "this";
    decl->role = IR_PARAM;
    decl->line = (int)line;
    decl->type = type_of(clang, record);
    decl->type.pointers = 1;
    decl->type.is_const = clang_CXXMethod_isConst(clang->reading);
    clang->self = decl;
    return decl;
}

struct ct_node *cxx_this_node(struct ct_clang *clang)
{
    struct ct_node *node = node_new(clang, CT_NAME, 0);
    node->decl = cxx_this(clang);
    node->type = node->decl->type;
    node->text = "this";
    node->what = "the pointer 'this'";
    return node;
}

/* ---- references ---- */

static struct ct_node *unary(struct ct_clang *clang, const char *op, struct ct_node *of,
                             int pointers)
{
    struct ct_node *node = node_new(clang, CT_UNARY, 1);
    struct ct_node **child = node->child;
    *node = *of;
    node->kind = CT_UNARY;
    node->what = "an expression";
    node->op = op;
    node->text = NULL;
    node->decl = NULL;
    node->field = NULL;
    node->has_value = node->arrow = node->shared = false;
    node->type.pointers = pointers;
    node->child = child;
    node->child_nr = 1;
    child[0] = of;
    return node;
}

static bool is_place(const struct ct_node *node)
{
    return node->kind == CT_INDEX || node->kind == CT_MEMBER || node->kind == CT_NAME ||
           (node->kind == CT_UNARY && strcmp(node->op, "*") == 0);
}

/* What is no place in memory, or of another type, is copied: the reference is to that. */
void cxx_declare_reference(struct ct_clang *clang, struct ct_node *var)
{
    struct ct_node *init = var->child_nr ? var->child[0] : NULL;
    struct ir_type *type = &var->decl->type;
    var->decl->is_reference = false;
    if (!init || !is_place(init) || init->type.scalar != type->scalar ||
        init->type.bytes != type->bytes || init->type.pointers != type->pointers ||
        init->type.is_unsigned != type->is_unsigned)
        return;
    var->child[0] = unary(clang, "&", init, init->type.pointers + 1);
    var->decl->by_pointer = true;
    var->decl->has_value = false;
    type->pointers++;
}

void cxx_use_reference(struct ct_clang *clang, struct ct_node *name)
{
    struct ct_node *inner = node_new(clang, CT_NAME, 0);
    *inner = *name;
    inner->child_nr = 0;
    inner->has_value = false;
    inner->type = name->decl->type;
    *name = *unary(clang, "*", inner, inner->type.pointers - 1);
}

static bool is_reference(CXType type)
{
    enum CXTypeKind kind = clang_getCanonicalType(type).kind;
    return kind == CXType_LValueReference || kind == CXType_RValueReference;
}

static bool may_change(CXType parameter)
{
    return is_reference(parameter) && !clang_isConstQualifiedType(clang_getCanonicalType(
                                          clang_getNonReferenceType(parameter)));
}

void cxx_keep_references(struct ct_clang *clang, CXCursor call,
                         const struct cursors *list, struct ct_node *node)
{
    CXCursor target = clang_getCursorReferenced(call);
    int given = clang_Cursor_getNumArguments(call);
    int taken = clang_Cursor_isNull(target) ? 0 : clang_Cursor_getNumArguments(target);
    for (int i = 0; i < given; i++) {
        int at = i - (given - taken); /* an operator's object stands in front */
        CXCursor argument = clang_Cursor_getArgument(call, (unsigned)i);
        if (at >= 0 && !may_change(clang_getCursorType(
                           clang_Cursor_getArgument(target, (unsigned)at))))
            continue;
        for (size_t k = 0; k < list->item_nr; k++)
            if (clang_equalCursors(list->item[k], argument) && is_place(node->child[k]))
                node->child[k] =
                    unary(clang, "&", node->child[k], node->child[k]->type.pointers + 1);
    }
}

/* A function that is not seen may keep the address of what it is only shown. */
void cxx_touch_references(struct ct_clang *clang, CXCursor call,
                          const struct cursors *list, struct ct_node *node)
{
    CXCursor target = clang_getCursorReferenced(call);
    bool known = !clang_Cursor_isNull(target) &&
                 (cxx_is_standard_function(clang, target) ||
                  !clang_Cursor_isNull(clang_getCursorDefinition(target)));
    CXType type = list->item_nr
                      ? clang_getCanonicalType(clang_getCursorType(list->item[0]))
                      : clang_getCursorType(call);
    if (type.kind == CXType_Pointer)
        type = clang_getCanonicalType(clang_getPointeeType(type));
    for (size_t k = 1; k < node->child_nr; k++) {
        CXType parameter = clang_getArgType(type, (unsigned)k - 1);
        node->child[k]->is_touched =
            is_place(node->child[k]) &&
            (may_change(parameter) || (is_reference(parameter) && !known));
    }
}

/* ---- what is not read ---- */

struct search {
    struct ct_clang *clang;
    CXCursor function;
    bool keeps_text;         /* there are statements that are kept as they are written */
    bool goes_on;            /* behind what is found, which is kept as it is written */
    const char *here;        /* of the cursor that is looked at */
    struct ct_trouble found; /* the first */
};

static void report(struct search *search, CXCursor cursor, const char *text)
{
    unsigned line, column;
    if (!search->here)
        search->here = text;
    if (search->found.text)
        return;
    clang_getExpansionLocation(clang_getCursorLocation(cursor), NULL, &line, &column,
                               NULL);
    search->found = (struct ct_trouble){text, (int)line, (int)column};
}

static const struct {
    enum CXCursorKind kind;
    const char *text;
} refused[] = {
    {CXCursor_LambdaExpr, "a lambda; write its body in the loop, or call a function"},
    {CXCursor_CXXThrowExpr,
     "an exception (throw); check before the loops and throw in the function around it"},
    {CXCursor_CXXTryStmt, "an exception handler (try); move the loops to a function that "
                          "the try block calls"},
    {CXCursor_CXXForRangeStmt, "a range-based for loop; count with an index instead"},
    {CXCursor_CXXNewExpr, "new; pass the memory to the function instead"},
    {CXCursor_CXXDeleteExpr, "delete; free the memory outside the function"},
    {CXCursor_CXXDynamicCastExpr, "dynamic_cast"},
    {CXCursor_CXXTypeidExpr, "typeid"},
    {CXCursor_PackExpansionExpr, "a parameter pack"},
    {CXCursor_OverloadedDeclRef, "a template"},
};

/* Containers and views of the standard library whose elements lie in one piece. */
static bool has_data(const char *type)
{
    static const char *const names[] = {"std::vector<",     "std::array<",
                                        "std::span<",       "std::valarray<",
                                        "std::unique_ptr<", "std::shared_ptr<"};
    for (size_t i = 0; i < ARRAY_SIZE(names); i++)
        if (strstr(type, names[i]))
            return true;
    return false;
}

static const char *remedy_of(const char *type)
{
    if (strstr(type, "_ptr<"))
        return "; pass the pointer that get() gives as a parameter";
    if (strstr(type, "std::valarray<"))
        return "; pass the address of its first element as a parameter";
    return has_data(type) ? "; pass the pointer that data() gives, and the size, as "
                            "parameters"
                          : "";
}

/* The type as the user writes it: std::vector<double>, without const and &. */
static const char *plain_type(struct ct_clang *clang, CXType type)
{
    CXType plain = clang_getUnqualifiedType(clang_getNonReferenceType(type));
    return take_string(clang, clang_getTypeSpelling(plain));
}

static bool is_class(CXType type)
{
    return clang_getCanonicalType(clang_getNonReferenceType(type)).kind == CXType_Record;
}

static bool is_plain_class(CXType type)
{
    return clang_isPODType(clang_getCanonicalType(clang_getNonReferenceType(type)));
}

/* A copy of such an object is one of its bytes: nobody wrote what copies it. */
static bool is_copied_whole(CXCursor record);

static enum CXVisitorResult look_at_part(CXCursor field, CXClientData data)
{
    bool *whole = data;
    CXType type = clang_getCanonicalType(clang_getCursorType(field));
    while (type.kind == CXType_ConstantArray)
        type = clang_getCanonicalType(clang_getArrayElementType(type));
    if (type.kind == CXType_Record)
        *whole = is_copied_whole(clang_getTypeDeclaration(type));
    *whole = *whole && !clang_isVolatileQualifiedType(type);
    return *whole ? CXVisit_Continue : CXVisit_Break;
}

static bool is_copied_whole(CXCursor record)
{
    CXCursor definition = clang_getCursorDefinition(record);
    CXType type = clang_getCursorType(record);
    struct cursors list = children_of(definition);
    bool made = !clang_Cursor_isNull(clang_getSpecializedCursorTemplate(record));
    bool whole = clang_Type_getSizeOf(type) > 0 && (!made || clang_isPODType(type));
    for (size_t i = 0; i < list.item_nr && whole; i++) {
        CXCursor member = list.item[i];
        const bool copies = clang_CXXConstructor_isCopyConstructor(member) ||
                            clang_CXXConstructor_isMoveConstructor(member) ||
                            clang_CXXMethod_isCopyAssignmentOperator(member) ||
                            clang_CXXMethod_isMoveAssignmentOperator(member) ||
                            clang_getCursorKind(member) == CXCursor_Destructor;
        whole = !(copies && !clang_CXXMethod_isDefaulted(member)) &&
                !clang_CXXMethod_isVirtual(member) &&
                clang_getCursorKind(member) != CXCursor_CXXBaseSpecifier;
    }
    free(list.item);
    if (whole)
        clang_Type_visitFields(type, look_at_part, &whole);
    return whole;
}

/* `a = b` and `P a = b` of such objects. */
bool cxx_copies_whole(CXCursor call)
{
    CXCursor target = clang_getCursorReferenced(call);
    struct cursors list = children_of(call);
    bool assigns = list.item_nr == 3 &&
                   clang_getCursorKind(list.item[0]) != CXCursor_MemberRefExpr &&
                   (clang_CXXMethod_isCopyAssignmentOperator(target) ||
                    clang_CXXMethod_isMoveAssignmentOperator(target));
    bool makes = list.item_nr == 1 && (clang_CXXConstructor_isCopyConstructor(target) ||
                                       clang_CXXConstructor_isMoveConstructor(target));
    free(list.item);
    return clang_getCursorKind(call) == CXCursor_CallExpr && (assigns || makes) &&
           is_copied_whole(clang_getCursorSemanticParent(target));
}

/* `P a;` of a plain struct, which sets nothing. */
bool cxx_sets_nothing(CXCursor variable, CXCursor init)
{
    return clang_getCursorKind(init) == CXCursor_CallExpr &&
           clang_equalLocations(clang_getCursorLocation(init),
                                clang_getCursorLocation(variable)) &&
           is_plain_class(clang_getCursorType(variable));
}

static void report_class(struct search *search, CXCursor cursor, CXType type,
                         const char *what)
{
    const char *name = plain_type(search->clang, type);
    const char *canonical = cxx_type_text(search->clang, clang_getNonReferenceType(type));
    report(search, cursor,
           ir_textf(search->clang->arena, "%s '%s'%s", what, name, remedy_of(canonical)));
}

/* ---- declarations ---- */

/* A number, or a class that a C struct could be. */
static void check_reference(struct search *search, CXCursor cursor, CXType type)
{
    CXType to = clang_getCanonicalType(clang_getNonReferenceType(type));
    const char *name = take_string(search->clang, clang_getCursorSpelling(cursor));
    if (clang_getCanonicalType(type).kind == CXType_RValueReference)
        report(search, cursor, "a reference to a temporary object (&&)");
    else if (to.kind == CXType_Record && !is_plain_class(to) &&
             has_data(cxx_type_text(search->clang, to)))
        report_class(search, cursor, type, "an object of the class");
    else if (to.kind == CXType_Pointer || to.kind == CXType_ConstantArray ||
             to.kind == CXType_IncompleteArray)
        report(search, cursor,
               ir_textf(search->clang->arena,
                        "a reference to a pointer or an array, '%s'; pass the pointer "
                        "itself",
                        name));
}

static void check_parameter(struct search *search, CXCursor cursor)
{
    CXType type = clang_getCursorType(cursor);
    if (is_reference(type))
        check_reference(search, cursor, type);
    else if (is_class(type) && !is_plain_class(type))
        report_class(search, cursor, type, "an object of the class");
}

/* Through parentheses and what is only implied. */
static CXCursor inside(CXCursor cursor)
{
    struct cursors list = children_of(cursor);
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    CXCursor inner = list.item_nr == 1 && (kind == CXCursor_ParenExpr ||
                                           kind == CXCursor_UnexposedExpr)
                         ? inside(list.item[0])
                         : cursor;
    free(list.item);
    return inner;
}

/* A place that a reference can be read as the address of, or a value, which it is a copy
 * of. */
static bool is_place_or_value(CXCursor init)
{
    CXCursor cursor = inside(init);
    CXCursor target = clang_getCursorReferenced(cursor);
    enum CXUnaryOperatorKind unary = clang_getCursorUnaryOperatorKind(cursor);
    enum CXBinaryOperatorKind binary = clang_getCursorBinaryOperatorKind(cursor);
    switch (clang_getCursorKind(cursor)) {
    case CXCursor_CallExpr:
        return cxx_is_function(target) && !cxx_copies_whole(cursor) &&
               !is_reference(clang_getCursorResultType(target));
    case CXCursor_UnaryOperator:
        return unary != CXUnaryOperator_PreInc && unary != CXUnaryOperator_PreDec;
    case CXCursor_BinaryOperator:
        return binary >= CXBinaryOperator_Mul && binary < CXBinaryOperator_Assign;
    case CXCursor_DeclRefExpr:
    case CXCursor_MemberRefExpr:
    case CXCursor_ArraySubscriptExpr:
    case CXCursor_IntegerLiteral:
    case CXCursor_FloatingLiteral:
        return true;
    default:
        return false;
    }
}

static void check_variable(struct search *search, CXCursor cursor)
{
    CXType type = clang_getCursorType(cursor);
    const char *name = take_string(search->clang, clang_getCursorSpelling(cursor));
    if (!is_reference(type)) {
        if (is_class(type) && !is_plain_class(type))
            report_class(search, cursor, type, "an object of the class");
        return;
    }
    check_reference(search, cursor, type);
    if (search->keeps_text)
        report(search, cursor,
               "a reference in a function with while, switch, labels or lists of "
               "initialisers; use a pointer");
    if (!is_place_or_value(clang_Cursor_getVarDeclInitializer(cursor)))
        report(search, cursor,
               ir_textf(search->clang->arena,
                        "a reference to what an expression gives, '%s'; use a pointer",
                        name));
}

/* ---- calls ---- */

static CXType class_of_method(CXCursor method)
{
    return clang_getCursorType(clang_getCursorSemanticParent(method));
}

static void report_method(struct search *search, CXCursor cursor, CXCursor target)
{
    const char *record = cxx_type_text(search->clang, class_of_method(target));
    const char *name = take_string(search->clang, clang_getCursorSpelling(target));
    const char *what = cxx_is_operator(name) ? "the overloaded operator" : "a call of";
    const char *remedy = remedy_of(record);
    if (!*remedy)
        remedy = "; write what it does in the loop, or make it a function";
    report(search, cursor,
           ir_textf(search->clang->arena, "%s '%s::%s'%s", what,
                    plain_type(search->clang, class_of_method(target)), name, remedy));
}

/* min, max, abs, sqrt ... of numbers. */
bool cxx_is_standard_function(struct ct_clang *clang, CXCursor target)
{
    const char *name = cxx_qualified(clang, target);
    return strncmp(name, "std::", 5) == 0 &&
           function_is(function_named(name), FUNCTION_VALUE);
}

static void check_call(struct search *search, CXCursor cursor, CXCursor parent)
{
    CXCursor target = clang_getCursorReferenced(cursor);
    if (clang_Cursor_isNull(target) || cxx_copies_whole(cursor) ||
        (clang_getCursorKind(parent) == CXCursor_VarDecl &&
         cxx_sets_nothing(parent, cursor)))
        return;
    enum CXCursorKind kind = clang_getCursorKind(target);
    const char *name = take_string(search->clang, clang_getCursorSpelling(target));
    if (kind == CXCursor_Constructor)
        report_class(search, cursor, clang_getCursorType(cursor),
                     "a constructor call of the class");
    else if (kind == CXCursor_CXXMethod && !clang_CXXMethod_isStatic(target))
        report_method(search, cursor, target);
    else if (kind == CXCursor_ConversionFunction)
        report(search, cursor, "a conversion function");
    else if (cxx_is_operator(name))
        report(search, cursor,
               ir_textf(search->clang->arena, "the overloaded operator '%s'", name));
    else if (!clang_Cursor_isNull(clang_getSpecializedCursorTemplate(target)) &&
             !cxx_is_standard_function(search->clang, target))
        report(search, cursor,
               ir_textf(search->clang->arena,
                        "a call of the function template '%s'; call a function for one "
                        "type",
                        name));
}

/* ---- members ---- */

static bool has_child(CXCursor cursor, unsigned (*is_such)(enum CXCursorKind))
{
    struct cursors list = children_of(cursor);
    bool found = false;
    for (size_t i = 0; i < list.item_nr; i++)
        found = found || is_such(clang_getCursorKind(list.item[i]));
    free(list.item);
    return found;
}

/* Where it lies in the object must be known, and its name alone mean it. */
static void check_base_class(struct search *search, CXCursor member)
{
    struct ct_clang *clang = search->clang;
    CXCursor field = clang_getCursorReferenced(member);
    struct cxx_way way = cxx_way_of(clang, member);
    bool own = way.nr == 1 && way.is_own;
    const char *name = take_string(clang, clang_getCursorSpelling(field));
    const char *why =
        own              ? NULL
        : way.is_virtual ? "of a virtual base class, '%s'; pass it as a parameter"
        : way.nr > 1 ? "of a base class that the object has more than once, '%s'; pass "
                       "it as a parameter"
        : has_child(member, clang_isReference)
            ? "of a base class by that class's name, '%s'; give the "
              "field a name that no other has"
        : !way.is_placed ? "of a base class whose place in the object is not known, "
                           "'%s'; pass it as a parameter"
                         : NULL;
    if (why)
        report(search, member,
               ir_textf(clang->arena, ir_textf(clang->arena, "a field %s", why), name));
}

static void check_member(struct search *search, CXCursor cursor)
{
    CXCursor target = clang_getCursorReferenced(cursor);
    if (clang_getCursorKind(target) == CXCursor_FieldDecl)
        check_base_class(search, cursor);
    if (is_reference(clang_getCursorType(target)))
        report(search, cursor,
               ir_textf(search->clang->arena,
                        "a reference in a class, '%s'; use a pointer",
                        take_string(search->clang, clang_getCursorSpelling(target))));
    else if (clang_getCursorKind(target) == CXCursor_FieldDecl &&
             has_data(cxx_type_text(search->clang, clang_getCursorType(target))))
        report_class(search, cursor, clang_getCursorType(target), "a field of the class");
}

/* ---- conversions ---- */

static CXCursor class_behind(CXType type)
{
    CXType to = clang_getCanonicalType(clang_getNonReferenceType(type));
    if (to.kind == CXType_Pointer)
        to = clang_getCanonicalType(clang_getPointeeType(to));
    return to.kind == CXType_Record ? clang_getTypeDeclaration(to)
                                    : clang_getNullCursor();
}

/* To a base class or back: elements of the one are not those of the other, and may begin
 * elsewhere. Members are looked at by themselves. */
static void check_conversion(struct search *search, CXCursor cursor, CXCursor parent)
{
    struct cursors list = children_of(cursor);
    CXCursor to = class_behind(clang_getCursorType(cursor)),
             from = list.item_nr
                        ? class_behind(clang_getCursorType(list.item[list.item_nr - 1]))
                        : clang_getNullCursor();
    bool member = clang_getCursorKind(parent) == CXCursor_MemberRefExpr &&
                  clang_getCursorKind(cursor) == CXCursor_UnexposedExpr;
    free(list.item);
    if (member || clang_Cursor_isNull(to) || clang_Cursor_isNull(from) ||
        clang_equalCursors(clang_getCanonicalCursor(to),
                           clang_getCanonicalCursor(from)) ||
        (!cxx_way_to(search->clang, from, to).nr &&
         !cxx_way_to(search->clang, to, from).nr &&
         clang_getCursorKind(cursor) != CXCursor_UnexposedExpr))
        return;
    report(search, cursor,
           ir_textf(search->clang->arena,
                    "a conversion of '%s' to '%s', of which one is a base class of the "
                    "other; use the object's fields as they are",
                    take_string(search->clang, clang_getCursorSpelling(from)),
                    take_string(search->clang, clang_getCursorSpelling(to))));
}

/* ---- all of it ---- */

static void check_this(struct search *search, CXCursor cursor, CXCursor parent)
{
    enum CXCursorKind kind = clang_getCursorKind(parent);
    if (kind != CXCursor_MemberRefExpr && kind != CXCursor_UnexposedExpr &&
        kind != CXCursor_ParenExpr && kind != CXCursor_UnaryOperator)
        report(search, cursor, "the object itself (this); use its fields");
}

static void check_condition(struct search *search, CXCursor cursor)
{
    struct cursors list = children_of(cursor);
    bool loop = clang_getCursorKind(cursor) == CXCursor_ForStmt;
    for (size_t i = 0; i < list.item_nr; i++) {
        enum CXCursorKind kind = clang_getCursorKind(list.item[i]);
        if (kind == CXCursor_VarDecl || (kind == CXCursor_DeclStmt && !i && !loop))
            report(search, list.item[i],
                   "a declaration within a condition; put it before the statement");
    }
    free(list.item);
}

static void check_local_class(struct search *search, CXCursor cursor)
{
    struct cursors list = children_of(cursor);
    for (size_t i = 0; i < list.item_nr; i++)
        if (clang_getCursorKind(list.item[i]) != CXCursor_FieldDecl)
            report(search, cursor,
                   "a class within the function that is no plain struct; declare it "
                   "before the function");
    free(list.item);
}

const char *cxx_kept(const struct ct_clang *clang, CXCursor cursor)
{
    for (size_t i = 0; i < clang->kept_nr; i++)
        if (clang_equalCursors(clang->kept[i].cursor, cursor))
            return clang->kept[i].text;
    return NULL;
}

static void check_name(struct search *search, CXCursor cursor)
{
    CXCursor target = clang_getCursorReferenced(cursor);
    enum CXCursorKind kind = clang_getCursorKind(target);
    const char *kept = cxx_kept(search->clang, target);
    const char *name = take_string(search->clang, clang_getCursorSpelling(target));
    if (kept)
        report(search, cursor, kept);
    else if (kind == CXCursor_UnexposedDecl)
        report(search, cursor,
               ir_textf(search->clang->arena,
                        "a name in a structured binding, '%s'; use a variable", name));
    else if (kind == CXCursor_VarDecl &&
             !cxx_is_function(clang_getCursorSemanticParent(target)) &&
             is_reference(clang_getCursorType(target)))
        report(search, cursor,
               ir_textf(search->clang->arena, "a reference, '%s'; use a pointer", name));
}

static enum CXChildVisitResult look_for_text(CXCursor cursor, CXCursor parent,
                                             CXClientData data)
{
    (void)parent;
    bool *keeps_text = data;
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    enum CXTypeKind type = clang_getCanonicalType(clang_getCursorType(cursor)).kind;
    bool list = kind == CXCursor_InitListExpr &&
                (type == CXType_ConstantArray || type == CXType_Record);
    *keeps_text = *keeps_text || list || kind == CXCursor_WhileStmt ||
                  kind == CXCursor_DoStmt || kind == CXCursor_SwitchStmt ||
                  kind == CXCursor_LabelStmt || kind == CXCursor_AsmStmt ||
                  kind == CXCursor_StmtExpr;
    return CXChildVisit_Recurse;
}

static void look_in(struct search *search, CXCursor cursor);

static void look(struct search *search, CXCursor cursor, CXCursor parent)
{
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    search->here = NULL;
    for (size_t i = 0; i < ARRAY_SIZE(refused); i++)
        if (refused[i].kind == kind)
            report(search, cursor, refused[i].text);
    if (kind == CXCursor_ParmDecl)
        check_parameter(search, cursor);
    else if (kind == CXCursor_VarDecl)
        check_variable(search, cursor);
    else if (kind == CXCursor_CallExpr)
        check_call(search, cursor, parent);
    else if (kind == CXCursor_MemberRefExpr)
        check_member(search, cursor);
    else if (kind == CXCursor_UnexposedExpr || kind == CXCursor_CXXStaticCastExpr ||
             kind == CXCursor_CStyleCastExpr || kind == CXCursor_CXXFunctionalCastExpr)
        check_conversion(search, cursor, parent);
    else if (kind == CXCursor_DeclRefExpr)
        check_name(search, cursor);
    else if (kind == CXCursor_CXXThisExpr)
        check_this(search, cursor, parent);
    else if (kind == CXCursor_IfStmt || kind == CXCursor_WhileStmt ||
             kind == CXCursor_ForStmt || kind == CXCursor_SwitchStmt)
        check_condition(search, cursor);
    else if (kind == CXCursor_StructDecl || kind == CXCursor_ClassDecl ||
             kind == CXCursor_UnionDecl)
        check_local_class(search, cursor);
    if (!search->here) {
        look_in(search, cursor);
        return;
    }
    /* of the function itself, its parameters and the whole body cannot be kept */
    search->goes_on = search->goes_on && !clang_equalCursors(parent, search->function);
    struct ct_clang *clang = search->clang;
    GROW(clang->kept, clang->kept_nr + 1, clang->kept_alloc);
    clang->kept[clang->kept_nr++] = (struct kept){cursor, search->here};
}

/* On the same way as node_build, so that libclang gives the same cursors. */
static void look_in(struct search *search, CXCursor cursor)
{
    struct cursors list = children_of(cursor);
    for (size_t i = 0; i < list.item_nr && (search->goes_on || !search->found.text); i++)
        look(search, list.item[i], cursor);
    free(list.item);
}

struct ct_trouble cxx_find_trouble(struct ct_clang *clang, CXCursor function, bool *keep)
{
    struct search search = {.clang = clang, .function = function, .goes_on = keep};
    CXType result = clang_getCursorResultType(function);
    if (is_reference(result))
        report(&search, function, "a function that returns a reference");
    else if (is_class(result) && !is_plain_class(result))
        report_class(&search, function, result, "a function that returns an object of");
    search.goes_on = search.goes_on && !search.found.text;
    clang_visitChildren(function, look_for_text, &search.keeps_text);
    size_t before = clang->kept_nr;
    look_in(&search, function);
    if (!keep)
        clang->kept_nr = before;
    if (keep)
        *keep = search.goes_on;
    return search.found;
}

/* ---- what is kept as it is written ---- */

struct mentions {
    const struct ct_clang *clang;
    struct cursors name;    /* of variables of the function, and their declarations */
    struct cursors touched; /* those names that are more than read */
    bool in_lambda, object; /* object: `this` is meant */
};

/* Its value is taken, at once: nothing keeps the variable itself. */
static bool is_only_read(CXCursor name, CXCursor parent)
{
    CXType type = clang_getCursorType(parent);
    return clang_getCursorKind(name) == CXCursor_DeclRefExpr &&
           clang_getCursorKind(parent) == CXCursor_UnexposedExpr &&
           cxx_is_scalar(clang_getCursorType(name)) && cxx_is_scalar(type) &&
           !clang_isConstQualifiedType(clang_getCanonicalType(type));
}

static enum CXChildVisitResult find_mention(CXCursor cursor, CXCursor parent,
                                            CXClientData data)
{
    struct mentions *mentions = data;
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    CXCursor target = clang_getCursorReferenced(cursor);
    CXCursor of = clang_getCanonicalCursor(clang_getCursorSemanticParent(target));
    bool own = !cxx_is_function(of) || /* no variable of a lambda's */
               clang_equalCursors(of, clang_getCanonicalCursor(mentions->clang->reading));
    bool names = (kind == CXCursor_DeclRefExpr || kind == CXCursor_VariableRef) && own &&
                 (clang_getCursorKind(target) == CXCursor_VarDecl ||
                  clang_getCursorKind(target) == CXCursor_ParmDecl);
    if (names || kind == CXCursor_VarDecl)
        cursors_add(&mentions->name, cursor);
    if (names && (mentions->in_lambda || !is_only_read(cursor, parent)))
        cursors_add(&mentions->touched, cursor);
    mentions->object =
        mentions->object || kind == CXCursor_CXXThisExpr ||
        (kind == CXCursor_MemberRefExpr && !has_child(cursor, clang_isExpression));
    if (kind != CXCursor_LambdaExpr)
        return CXChildVisit_Recurse;
    bool before = mentions->in_lambda;
    mentions->in_lambda = true; /* which is called when nobody sees it */
    clang_visitChildren(cursor, find_mention, mentions);
    mentions->in_lambda = before;
    return CXChildVisit_Continue;
}

static struct ct_node *mention_node(struct ct_clang *clang, CXCursor cursor,
                                    const struct ct_node *of)
{
    bool declares = clang_getCursorKind(cursor) == CXCursor_VarDecl;
    struct ct_node *node = node_new(clang, declares ? CT_VAR : CT_NAME, 0);
    node->decl = decl_of(clang, clang_getCursorReferenced(cursor));
    node->type = node->decl->type;
    node->what = "a name";
    node->line = of->line;
    node->column = of->column;
    node->begin = node->spelt_begin = of->begin;
    node->end = node->spelt_end = of->end;
    return node;
}

static bool is_of_caller(CXCursor name)
{
    CXCursor target = clang_getCursorReferenced(name);
    CXType type = clang_getNonReferenceType(clang_getCursorType(target));
    return clang_getCursorKind(target) == CXCursor_ParmDecl &&
           clang_getCanonicalType(type).kind == CXType_Record && !is_plain_class(type);
}

/* It may do anything to what it names. */
void cxx_keep_text(struct ct_clang *clang, CXCursor cursor, struct ct_node *node)
{
    struct mentions mentions = {.clang = clang};
    if (find_mention(cursor, cursor, &mentions) == CXChildVisit_Recurse)
        clang_visitChildren(cursor, find_mention, &mentions);
    bool self = mentions.object && cxx_is_method(clang->reading), asks = self;
    node->kind = clang_isExpression(clang_getCursorKind(cursor)) ? CT_EXPR : CT_STMT;
    node->text = NULL;
    node->is_kept = true;
    node->child_nr = mentions.name.item_nr + self;
    node->child = ir_alloc(clang->arena, (node->child_nr + 1) * sizeof(struct ct_node *));
    for (size_t i = 0; i < mentions.name.item_nr; i++) {
        struct ct_node *name = mention_node(clang, mentions.name.item[i], node);
        for (size_t k = 0; k < mentions.touched.item_nr; k++)
            name->is_touched |=
                clang_equalCursors(mentions.touched.item[k], mentions.name.item[i]) != 0;
        node->child[i] = name;
        asks = asks || is_of_caller(mentions.name.item[i]);
    }
    if (asks && !clang->asks.text)
        clang->asks = (struct ct_trouble){node->what, node->line, node->column};
    if (self)
        node->child[mentions.name.item_nr] = cxx_this_node(clang);
    free(mentions.name.item);
    free(mentions.touched.item);
}
