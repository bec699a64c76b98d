/* Through the loop: where objects are used, when, and what is written there instead. */
#include "variants/clang/clang_access_parts.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/text.h"

/* ---- when an accessor is reached ---- */

struct search_write {
    CXCursor decl;
    bool found;
};

static enum CXChildVisitResult find_write(CXCursor cursor, CXCursor parent,
                                          CXClientData data)
{
    (void)parent;
    struct search_write *search = data;
    bool changes = access_is_assignment(cursor) ||
                   (clang_getCursorKind(cursor) == CXCursor_UnaryOperator &&
                    clang_getCursorUnaryOperatorKind(cursor) == CXUnaryOperator_AddrOf);
    CXCursor target =
        changes ? access_peel(access_operand(cursor, 0)) : clang_getNullCursor();
    if (changes && clang_getCursorKind(target) == CXCursor_DeclRefExpr &&
        clang_equalCursors(clang_getCursorReferenced(target), search->decl))
        search->found = true;
    return search->found ? CXChildVisit_Break : CXChildVisit_Recurse;
}

static bool is_written(const struct access *access, CXCursor decl)
{
    struct search_write search = {.decl = decl};
    clang_visitChildren(access->statement, find_write, &search);
    return search.found;
}

/* Of numbers, and of variables that the loop leaves alone. */
bool access_is_invariant(const struct access *access, CXCursor given)
{
    CXCursor cursor = access_peel(given), decl = clang_getCursorReferenced(cursor);
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    size_t at = access_offset_at(clang_getCursorLocation(decl));
    if (kind == CXCursor_IntegerLiteral || kind == CXCursor_FloatingLiteral ||
        kind == CXCursor_CXXBoolLiteralExpr)
        return true;
    if (kind == CXCursor_DeclRefExpr)
        return (clang_getCursorKind(decl) == CXCursor_VarDecl ||
                clang_getCursorKind(decl) == CXCursor_ParmDecl) &&
               access_is_number(clang_getCursorType(decl)) &&
               !access_is_reference_type(clang_getCursorType(decl)) &&
               decl_of(access->clang, decl)->role != IR_GLOBAL &&
               !(at >= access->begin && at < access->end) && !is_written(access, decl);
    bool known = kind == CXCursor_BinaryOperator || kind == CXCursor_UnaryOperator ||
                 kind == CXCursor_CXXFunctionalCastExpr ||
                 kind == CXCursor_CStyleCastExpr;
    if (!known || access_is_assignment(cursor) ||
        (kind == CXCursor_UnaryOperator &&
         clang_getCursorUnaryOperatorKind(cursor) == CXUnaryOperator_Deref))
        return false;
    size_t nr = access_operand_nr(cursor);
    for (size_t i = 0; i < nr; i++)
        if (!access_is_invariant(access, access_operand(cursor, i)))
            return false;
    return true;
}

static struct when in_branch(const struct walk *walk, CXCursor condition, bool is_else)
{
    struct access *access = walk->access;
    struct when when = walk->when;
    if (when.unknown || when.condition || !access_is_invariant(access, condition)) {
        when.unknown = true;
        return when;
    }
    const char *text = access_text_of(access, condition);
    when.condition = ir_textf(access->clang->arena, is_else ? "!(%s)" : "%s", text);
    return when;
}

/* `for (int k = 0; k < 8; k++)`: runs. */
static bool surely_runs(CXCursor loop)
{
    struct cursors list = children_of(loop);
    long long from = 0, to = 0;
    bool sure = false;
    if (list.item_nr == 4 && clang_getCursorKind(list.item[0]) == CXCursor_DeclStmt &&
        clang_getCursorKind(list.item[1]) == CXCursor_BinaryOperator &&
        clang_getCursorBinaryOperatorKind(list.item[1]) == CXBinaryOperator_LT) {
        CXCursor variable = access_operand(list.item[0], 0),
                 left = access_operand(list.item[1], 0);
        CXCursor init = clang_Cursor_getVarDeclInitializer(variable);
        sure =
            clang_equalCursors(clang_getCursorReferenced(access_peel(left)), variable) &&
            clang_getCursorKind(access_peel(init)) == CXCursor_IntegerLiteral &&
            clang_getCursorKind(access_peel(access_operand(list.item[1], 1))) ==
                CXCursor_IntegerLiteral &&
            evaluate(init, &from) && evaluate(access_operand(list.item[1], 1), &to) &&
            from < to;
    }
    free(list.item);
    return sure;
}

void access_meet(struct key *key, const struct walk *walk, CXCursor at)
{
    const struct when *when = &walk->when;
    unsigned line, column;
    if (!key->met) {
        key->when = *when;
        key->met = true;
        clang_getExpansionLocation(clang_getCursorLocation(at), NULL, &line, &column,
                                   NULL);
        key->line = (int)line;
        key->column = (int)column;
        return;
    }
    if ((!when->unknown && !when->condition) || key->when.unknown)
        key->when = *when;
    else if (key->when.condition && when->condition &&
             strcmp(key->when.condition, when->condition) != 0)
        key->when.unknown = true;
}

/* ---- what stands in the loop ---- */

/* A field of `this`, or of an object that is no plain struct. */
static bool is_object_field(CXCursor cursor)
{
    if (clang_getCursorKind(clang_getCursorReferenced(cursor)) != CXCursor_FieldDecl)
        return false;
    if (!access_operand_nr(cursor))
        return true;
    CXCursor base = access_peel(access_operand(cursor, 0));
    return clang_getCursorKind(base) == CXCursor_CXXThisExpr ||
           access_is_object_type(clang_getCursorType(base)) ||
           (clang_getCursorKind(base) == CXCursor_MemberRefExpr && is_object_field(base));
}

bool access_is_accessor_call(CXCursor cursor)
{
    CXCursor target = clang_getCursorReferenced(cursor);
    return clang_getCursorKind(cursor) == CXCursor_CallExpr &&
           !clang_Cursor_isNull(target) && access_is_method(target);
}

static void consume(struct access *access, CXCursor name)
{
    unsigned at;
    CXSourceLocation location = clang_getCursorLocation(name);
    size_t before = access->consumed_alloc;
    clang_getExpansionLocation(location, NULL, NULL, NULL, &at);
    GROW(access->consumed, access->consumed_nr + 1, access->consumed_alloc);
    if (access->consumed_alloc != before)
        access->consumed_spelt = xrealloc(access->consumed_spelt, access->consumed_alloc,
                                          sizeof(*access->consumed_spelt));
    access->consumed_spelt[access->consumed_nr] = access_offset_at(location);
    access->consumed[access->consumed_nr++] =
        (struct ct_consumed){decl_of(access->clang, clang_getCursorReferenced(name)), at};
}

/* The variable that the object is, which the new function does not get. */
static void consume_object(struct access *access, CXCursor given)
{
    CXCursor cursor = access_peel(given);
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    if (kind == CXCursor_DeclRefExpr)
        consume(access, cursor);
    else if (kind == CXCursor_CallExpr) {
        struct method_call call = access_method_call_of(access, cursor);
        if (!clang_Cursor_isNull(call.object))
            consume_object(access, call.object);
    } else if ((kind == CXCursor_MemberRefExpr || kind == CXCursor_UnaryOperator) &&
               access_operand_nr(cursor))
        consume_object(access, access_operand(cursor, 0));
}

/* The text that it gets, or NULL. */
static const char *replacement(struct access *access, const struct value *value,
                               CXCursor cursor, struct key **key)
{
    struct ir_arena *arena = access->clang->arena;
    bool array = value->kind == V_PLACE &&
                 (access_plain(value->place.type).kind == CXType_Pointer ||
                  access_is_array_type(value->place.type));
    bool number = value->kind == V_SIZE ||
                  (value->kind == V_PLACE && access_is_number(value->place.type));
    if (value->kind == V_NONE || value->kind == V_NUMBER ||
        (!array && !number && value->kind == V_PLACE))
        return NULL;
    CXType element = access_element_type(access, &value->place);
    if (!number && !access_is_number(element) && !access_is_plain_record(element))
        return NULL;
    *key = access_key_for(access, number ? value->kind : V_ELEMENT, &value->place);
    if (clang_Cursor_isNull((*key)->method) && access_is_accessor_call(cursor))
        (*key)->method = clang_getCursorReferenced(cursor);
    const char *name = access_name_of(*key), *source = access->source;
    if (number || array || (value->kind == V_ADDRESS && !strcmp(value->text, "0")))
        return name;
    const char *text = ir_textf(arena, "%s[%s]", name, value->text);
    if (value->kind == V_ELEMENT)
        return text;
    size_t begin = access_begin_of(cursor), end = access_end_of(cursor);
    while (begin && isspace((unsigned char)source[begin - 1]))
        begin--;
    while (isspace((unsigned char)source[end]))
        end++;
    bool alone = begin && strchr("=(,", source[begin - 1]) && strchr(",;)", source[end]);
    return ir_textf(arena, alone ? "&%s" : "(&%s)", text);
}

static const char *why_not(struct access *access, CXCursor cursor)
{
    struct ir_arena *arena = access->clang->arena;
    CXCursor target = clang_getCursorReferenced(cursor);
    const char *name = cxx_qualified(access->clang, target);
    struct value value = access_value_of(access, cursor, access->outermost);
    if (value.kind == V_NONE && access_value_anywhere(access, cursor).kind != V_NONE)
        return ir_textf(
            arena,
            "'%s' of an object that is declared inside it; declare that before the loop",
            name);
    if (access_is_method(target) && clang_CXXMethod_isVirtual(target))
        return ir_textf(
            arena,
            "a call of the virtual method '%s'; read what it gives before the loop",
            name);
    if (value.kind != V_NONE)
        return ir_textf(arena, "'%s', which is neither a number nor an array of numbers",
                        name);
    if (!access_is_method(target))
        return ir_textf(arena, "the field '%s'; use a pointer to what it holds", name);
    return ir_textf(arena,
                    "a call of '%s', which is more than the access to an element or a "
                    "field; write what it does in the loop",
                    name);
}

static void add_edit(struct access *access, size_t begin, size_t end, const char *text)
{
    for (size_t i = 0; i < access->edit_nr; i++)
        if (access->edit[i].begin == begin && access->edit[i].end == end)
            return; /* an argument that a macro has twice */
    GROW(access->edit, access->edit_nr + 1, access->edit_alloc);
    access->edit[access->edit_nr++] = (struct ct_edit){begin, end, text};
}

/* The file has it as it is written: from no macro, but perhaps as its argument. */
static bool is_spelt_here(const struct access *access, CXCursor cursor)
{
    size_t begin = access_begin_of(cursor), end = access_end_of(cursor);
    CXFile file;
    clang_getFileLocation(clang_getCursorLocation(cursor), &file, NULL, NULL, NULL);
    const char *name = access_spelling_of(access, clang_getCursorReferenced(cursor));
    if (!file || !clang_File_isEqual(file, access->clang->main) ||
        begin < access->begin || end > access->end || begin >= end)
        return false;
    const char *text = ir_textf(access->clang->arena, "%.*s", (int)(end - begin),
                                access->source + begin);
    if (cxx_is_operator(name))
        return strchr("])", text[strlen(text) - 1]) != NULL;
    return text_has_word(text, name) &&
           (clang_getCursorKind(cursor) != CXCursor_CallExpr ||
            text[strlen(text) - 1] == ')');
}

/* The arguments of a call keep what is written there: they are walked through. */
static void walk_arguments(const struct walk *walk, CXCursor given)
{
    CXCursor cursor = access_peel(given);
    struct walk inner = *walk;
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    inner.written = inner.is_copied = false;
    if (kind == CXCursor_CallExpr) {
        struct method_call call = access_method_call_of(walk->access, cursor);
        for (size_t i = 0; i < call.arg_nr; i++) {
            access_walk_to(&inner, call.arg[i]);
        }
        if (!clang_Cursor_isNull(call.object))
            walk_arguments(walk, call.object);
    } else if (kind == CXCursor_MemberRefExpr && access_operand_nr(cursor))
        walk_arguments(walk, access_operand(cursor, 0));
    else if (kind == CXCursor_ArraySubscriptExpr) {
        walk_arguments(walk, access_operand(cursor, 0));
        access_walk_to(&inner, access_operand(cursor, 1));
    }
}

static bool is_copy(const struct value *value, CXCursor cursor)
{
    CXCursor target = clang_getCursorReferenced(cursor);
    return value->kind != V_SIZE && access_is_accessor_call(cursor) &&
           !access_is_reference_type(clang_getCursorResultType(target)) &&
           value->kind != V_ADDRESS;
}

static void take(const struct walk *walk, CXCursor cursor)
{
    struct access *access = walk->access;
    const struct walk *before = access->now;
    struct key *key = NULL;
    access->now = walk;
    struct value value = access_value_of(access, cursor, access->outermost);
    const char *text = replacement(access, &value, cursor, &key);
    access->now = before;
    if (!text) {
        access_complain(access, cursor, why_not(access, cursor));
        return;
    }
    if (!is_spelt_here(access, cursor) || walk->in_sizeof)
        access_complain(
            access, cursor,
            "the access to an object in a macro or in sizeof; write it in the loop");
    if (walk->written && key->kind != V_ELEMENT)
        access_complain(access, cursor,
                        ir_textf(access->clang->arena,
                                 "a change of '%s', or its address; use a variable and "
                                 "store it after the loop",
                                 key->place.text));
    if (walk->written && value.kind == V_PLACE)
        access_complain(access, cursor,
                        ir_textf(access->clang->arena,
                                 "a change of the pointer '%s', or its address",
                                 key->place.text));
    if (walk->is_copied && is_copy(&value, cursor))
        access_complain(access, cursor, "a reference to the copy that a method gives");
    consume_object(access, cursor);
    walk_arguments(walk, cursor);
    add_edit(access, access_begin_of(cursor), access_end_of(cursor), text);
}

static bool is_short_circuit(CXCursor cursor)
{
    enum CXBinaryOperatorKind kind = clang_getCursorBinaryOperatorKind(cursor);
    return clang_getCursorKind(cursor) == CXCursor_BinaryOperator &&
           (kind == CXBinaryOperator_LAnd || kind == CXBinaryOperator_LOr);
}

/* When the part of a statement is reached, of one that is. */
static struct when when_in(const struct walk *walk, CXCursor cursor, size_t at)
{
    struct when when = walk->when;
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    bool whole = clang_equalCursors(cursor, walk->access->statement);
    bool passes = clang_isExpression(kind) || clang_isDeclaration(kind) ||
                  kind == CXCursor_CompoundStmt || kind == CXCursor_DeclStmt ||
                  kind == CXCursor_DoStmt || kind == CXCursor_ReturnStmt ||
                  kind == CXCursor_UnexposedStmt;
    if (kind == CXCursor_IfStmt || kind == CXCursor_ConditionalOperator)
        return at ? in_branch(walk, access_operand(cursor, 0), at == 2) : when;
    if (kind == CXCursor_WhileStmt || kind == CXCursor_SwitchStmt)
        when.unknown = when.unknown || at > 0;
    else if (kind == CXCursor_ForStmt)
        when.unknown = when.unknown || (!whole && !surely_runs(cursor));
    else if (!passes || kind == CXCursor_LambdaExpr || kind == CXCursor_StmtExpr ||
             (is_short_circuit(cursor) && at))
        when.unknown = true;
    return when;
}

/* How the parameter takes its argument. */
static void bind(struct walk *inner, CXCursor call, size_t at)
{
    CXCursor target = clang_getCursorReferenced(call);
    int nr = clang_Cursor_isNull(target) ? 0 : clang_Cursor_getNumArguments(target);
    if (!at || (int)at > nr)
        return;
    CXType type = clang_getCursorType(clang_Cursor_getArgument(target, (unsigned)at - 1));
    if (!access_is_reference_type(type))
        return;
    inner->written = !clang_isConstQualifiedType(clang_getPointeeType(type));
    inner->is_copied = !access_is_mathematical(inner->access, target);
}

static struct walk step(const struct walk *walk, CXCursor cursor, size_t at)
{
    struct walk inner = *walk;
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    bool through = kind == CXCursor_UnexposedExpr || kind == CXCursor_ParenExpr;
    if (!through)
        inner.written = inner.is_copied = false;
    inner.when = when_in(walk, cursor, at);
    if (access_is_assignment(cursor))
        inner.written = at == 0;
    if (kind == CXCursor_UnaryOperator &&
        clang_getCursorUnaryOperatorKind(cursor) == CXUnaryOperator_AddrOf)
        inner.written = true;
    if (kind == CXCursor_UnaryExpr)
        inner.in_sizeof = true;
    if (kind == CXCursor_CallExpr)
        bind(&inner, cursor, at);
    if (kind == CXCursor_VarDecl &&
        access_is_reference_type(clang_getCursorType(cursor))) {
        CXType to = clang_getPointeeType(clang_getCursorType(cursor));
        inner.written = !clang_isConstQualifiedType(to);
        inner.is_copied = true;
    }
    return inner;
}

/* ---- functions that get objects ---- */

static const char *with_edits(struct access *access, size_t begin, size_t end);

bool access_is_class_scope(CXCursor cursor)
{
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    return kind == CXCursor_ClassDecl || kind == CXCursor_StructDecl ||
           kind == CXCursor_UnionDecl || kind == CXCursor_ClassTemplate;
}

bool access_is_in_class_body(CXCursor function)
{
    return access_is_class_scope(clang_getCursorLexicalParent(function));
}

/* The namespace or file that it is declared in. */
static CXCursor space_of(CXCursor cursor)
{
    CXCursor at = clang_getCursorSemanticParent(cursor);
    while (access_is_class_scope(at) || clang_getCursorKind(at) == CXCursor_LinkageSpec)
        at = clang_getCursorSemanticParent(at);
    return clang_getCanonicalCursor(at);
}

bool access_is_in_its_space(CXCursor function)
{
    CXCursor at = clang_getCursorLexicalParent(function);
    while (access_is_class_scope(at) || clang_getCursorKind(at) == CXCursor_LinkageSpec)
        at = clang_getCursorLexicalParent(at);
    return clang_equalCursors(clang_getCanonicalCursor(at), space_of(function));
}

static bool takes_object(CXCursor parameter)
{
    CXType type = clang_getCursorType(parameter);
    return type.kind == CXType_LValueReference && access_is_object_type(type);
}

static bool takes_objects(CXCursor function)
{
    int nr = clang_Cursor_getNumArguments(function);
    bool found = false;
    for (int i = 0; i < nr; i++)
        found = found || takes_object(clang_Cursor_getArgument(function, (unsigned)i));
    return found;
}

/* The function that is called, where it gets objects and stands in the file in front. */
static CXCursor function_in_file(const struct access *access, CXCursor call)
{
    CXCursor target = clang_getCursorReferenced(call), definition;
    CXFile file;
    if (clang_getCursorKind(call) != CXCursor_CallExpr || clang_Cursor_isNull(target) ||
        clang_getCursorKind(target) != CXCursor_FunctionDecl || !takes_objects(target) ||
        !clang_Cursor_isNull(clang_getSpecializedCursorTemplate(target)))
        return clang_getNullCursor();
    definition = clang_getCursorDefinition(target);
    if (clang_Cursor_isNull(definition))
        return definition;
    clang_getFileLocation(clang_getCursorLocation(definition), &file, NULL, NULL, NULL);
    bool own = file && clang_File_isEqual(file, access->clang->main);
    bool same = !access_is_in_class_body(access->self) &&
                access_is_in_its_space(definition) &&
                clang_equalCursors(space_of(definition), space_of(access->self));
    return own && same && access_begin_of(definition) < access->function->begin
               ? definition
               : clang_getNullCursor();
}

static const char *copy_name(struct access *access, CXCursor function)
{
    struct ir_names macros, plain, declared;
    struct ct_file file = {.clang = access->clang};
    const char *stem =
        ir_textf(access->clang->arena, "%s_arrays", access_spelling_of(access, function));
    const char *name = stem;
    ct_read_names(&file, access->function, &macros, &plain, &declared);
    for (int nr = 2;; nr++) {
        bool used = text_has_word(access->source, name) || ir_has_name(&macros, name) ||
                    ir_has_name(&declared, name);
        for (size_t i = 0; i < access->copy_nr; i++)
            used = used || !strcmp(access->copy[i]->name, name);
        if (!used)
            return name;
        name = ir_textf(access->clang->arena, "%s_%d", stem, nr);
    }
}

/* `x, y, z`, or as they are declared. */
static const char *key_list(const struct access *access, const struct copy *copy,
                            bool declared)
{
    struct ir_arena *arena = access->clang->arena;
    const char *list = "";
    for (size_t i = 0; i < copy->key_nr; i++) {
        const struct key *key = &access->key[copy->key[i]];
        const char *text = !key->name ? ""
                           : declared ? access_parameter_text(access, key)
                                      : key->name;
        list = ir_textf(arena, i ? "%s, %s" : "%s%s", list, text);
    }
    return list;
}

/* The first object becomes the list, the others vanish with the comma before them. */
static void edit_objects(struct access *access, CXCursor owner, CXCursor target,
                         const char *list)
{
    int nr = clang_Cursor_getNumArguments(target);
    bool first = true;
    for (int i = 0; i < nr; i++) {
        if (!takes_object(clang_Cursor_getArgument(target, (unsigned)i)))
            continue;
        CXCursor item = clang_Cursor_getArgument(owner, (unsigned)i);
        size_t begin = access_begin_of(item);
        if (!first)
            begin = access_end_of(clang_Cursor_getArgument(owner, (unsigned)i - 1));
        add_edit(access, begin, access_end_of(item), first ? list : "");
        first = false;
    }
}

static void read_copy(const struct walk *walk, struct copy *copy, struct frame *frame)
{
    struct access *access = walk->access;
    struct access saved = *access;
    size_t at = access_offset_at(clang_getCursorLocation(copy->function));
    size_t parts = access_operand_nr(copy->function);
    CXCursor body = access_operand(copy->function, parts - 1);
    struct walk inner = {.access = access, .when = walk->when};
    access->begin = access_begin_of(copy->function);
    access->end = access_end_of(copy->function);
    access->edit = NULL;
    access->edit_nr = access->edit_alloc = 0;
    access->outermost = frame;
    access->open = copy;
    access->leaves_at = (size_t)-1;
    clang_visitChildren(body, access_find_leaving, access);
    access_walk_to(&inner, body);
    add_edit(access, at, at + strlen(access_spelling_of(access, copy->function)),
             copy->name);
    edit_objects(access, copy->function, copy->function, key_list(access, copy, true));
    copy->text = with_edits(access, access->begin, access->end);
    free(access->edit);
    access->begin = saved.begin;
    access->end = saved.end;
    access->edit = saved.edit;
    access->edit_nr = saved.edit_nr;
    access->edit_alloc = saved.edit_alloc;
    access->outermost = saved.outermost;
    access->open = saved.open;
    access->leaves_at = saved.leaves_at;
}

static struct copy *copy_of(const struct walk *walk, CXCursor function,
                            const char *binding, struct frame *frame)
{
    struct access *access = walk->access;
    struct copy *copy = xcalloc(1, sizeof(*copy)), *same = NULL;
    *copy =
        (struct copy){.outer = access->open, .function = function, .binding = binding};
    for (size_t i = 0; i < access->copy_nr; i++)
        if (clang_equalCursors(access->copy[i]->function, function) &&
            !strcmp(access->copy[i]->binding, binding))
            same = access->copy[i];
    copy->name = same ? same->name : copy_name(access, function);
    read_copy(walk, copy, frame); /* again: when it is reached may be another */
    if (same) {
        free(copy->key);
        free(copy);
        return same;
    }
    GROW(access->copy, access->copy_nr + 1, access->copy_alloc);
    access->copy[access->copy_nr++] = copy;
    return copy;
}

/* A call of a function that gets objects; false = it is none. */
static bool take_call(const struct walk *walk, CXCursor call)
{
    struct access *access = walk->access;
    CXCursor function = function_in_file(access, call);
    struct frame frame = {.method = clang_getNullCursor(),
                          .depth = access->outermost->depth + 1};
    const char *binding = "";
    if (clang_Cursor_isNull(function) || frame.depth > DEPTH_LIMIT)
        return false;
    int nr = clang_Cursor_getNumArguments(call);
    for (int i = 0; i < nr; i++) {
        CXCursor argument = clang_Cursor_getArgument(call, (unsigned)i);
        CXCursor parameter = clang_Cursor_getArgument(function, (unsigned)i);
        if (!takes_object(parameter)) {
            struct walk inner = step(walk, call, (size_t)i + 1);
            access_walk_to(&inner, argument);
            continue;
        }
        struct value value = access_value_of(access, argument, access->outermost);
        if (value.kind != V_PLACE || frame.arg_nr == INDEX_LIMIT)
            return false;
        CXType to = clang_getPointeeType(clang_getCursorType(parameter));
        value.place.is_const = value.place.is_const || clang_isConstQualifiedType(to);
        frame.parameter[frame.arg_nr] = parameter;
        frame.arg[frame.arg_nr++] = value;
        binding = ir_textf(access->clang->arena, "%s%s%s,", binding, value.place.key,
                           value.place.is_const ? " const" : "");
        consume_object(access, argument);
    }
    struct copy *copy = copy_of(walk, function, binding, &frame);
    size_t at =
        access_offset_at(clang_getCursorLocation(access_peel(access_operand(call, 0))));
    const char *name = access_spelling_of(access, function);
    if (!is_spelt_here(access, call) ||
        strncmp(access->source + at, name, strlen(name)) != 0)
        access_complain(access, call,
                        "a call in a macro, or by a longer name, with an object");
    if (!copy->key_nr)
        access_complain(access, call,
                        "a function that gets an object and uses nothing of it");
    add_edit(access, at, at + strlen(name), copy->name);
    edit_objects(access, call, function, key_list(access, copy, false));
    return true;
}

/* `&x[i]` changes nothing yet: elements may be written. */
void access_walk_to(const struct walk *walk, CXCursor cursor)
{
    struct access *access = walk->access;
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    struct walk here = *walk;
    here.cursor = cursor;
    if (access->trouble.text)
        return;
    here.when.unknown = here.when.unknown || access_begin_of(cursor) > access->leaves_at;
    if (access_is_accessor_call(cursor) ||
        (kind == CXCursor_MemberRefExpr && is_object_field(cursor))) {
        take(&here, cursor);
        return;
    }
    if (take_call(&here, cursor))
        return;
    if (kind == CXCursor_DeclRefExpr &&
        clang_getCursorKind(clang_getCursorReferenced(cursor)) != CXCursor_FunctionDecl &&
        access_is_object_type(clang_getCursorType(cursor)))
        access_complain(
            access, cursor,
            ir_textf(access->clang->arena,
                     "the object '%s' as a whole; use its elements and numbers",
                     access_spelling_of(access, cursor)));
    if (kind == CXCursor_CXXThisExpr)
        access_complain(access, cursor, "the object itself (this); use its fields");
    struct cursors list = access_operands_of(cursor);
    for (size_t i = 0; i < list.item_nr; i++) {
        struct walk inner = step(&here, cursor, i);
        access_walk_to(&inner, list.item[i]);
    }
    free(list.item);
}

/* ---- texts ---- */

static const char *with_edits(struct access *access, size_t begin, size_t end)
{
    struct buf out = {0};
    size_t at = begin;
    for (;;) { /* the outermost one that begins next */
        const struct ct_edit *next = NULL;
        for (size_t i = 0; i < access->edit_nr; i++) {
            const struct ct_edit *edit = &access->edit[i];
            if (edit->begin >= at && edit->end <= end &&
                (!next || edit->begin < next->begin ||
                 (edit->begin == next->begin && edit->end > next->end)))
                next = edit;
        }
        if (!next)
            break;
        buf_add_n(&out, access->source + at, next->begin - at);
        buf_add(&out, next->text);
        at = next->end;
    }
    buf_add_n(&out, access->source + at, end - at);
    const char *text = ir_text(access->clang->arena, buf_str(&out));
    buf_release(&out);
    return text;
}

/* Of an expression in the loop, with the objects in it replaced. */
const char *access_text_of(struct access *access, CXCursor cursor)
{
    size_t edits = access->edit_nr;
    struct walk walk = {.access = access, .when = {.unknown = true}};
    struct when *saved = xcalloc(access->key_nr + 1, sizeof(*saved));
    bool *met = xcalloc(access->key_nr + 1, sizeof(*met));
    size_t keys = access->key_nr;
    for (size_t i = 0; i < keys; i++) {
        saved[i] = access->key[i].when;
        met[i] = access->key[i].met;
    }
    access_walk_to(&walk, cursor);
    const char *text = with_edits(access, access_begin_of(cursor), access_end_of(cursor));
    for (size_t i = 0; i < access->key_nr; i++) {
        access->key[i].when = i < keys ? saved[i] : (struct when){0};
        access->key[i].met = i < keys && met[i];
    }
    access->edit_nr = edits;
    free(saved);
    free(met);
    return text;
}
