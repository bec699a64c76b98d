/*
 * Objects in a loop that becomes a function of its own: `domain.x(i)`, `v[i]`, `m_n`. An
 * accessor that only gives an element or a field is read as that, so that the function
 * gets an array or a number in place of the object.
 */
#include "variants/clang/clang_access.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "variants/clang/clang_access_parts.h"

/* ---- keys ---- */

static const char *last_word(struct ir_arena *arena, const char *text)
{
    size_t end = strlen(text), begin;
    while (end && !isalnum((unsigned char)text[end - 1]) && text[end - 1] != '_')
        end--;
    begin = end;
    while (begin && (isalnum((unsigned char)text[begin - 1]) || text[begin - 1] == '_'))
        begin--;
    return ir_textf(arena, "%.*s", (int)(end - begin), text + begin);
}

/* m_cols, cols_: cols */
static const char *bare_word(struct ir_arena *arena, const char *name)
{
    if (text_begins(name, "m_") && name[2])
        name += 2;
    size_t length = strlen(name);
    while (length > 1 && name[length - 1] == '_')
        length--;
    return ir_textf(arena, "%.*s", (int)length, name);
}

static bool says_what(const char *method)
{
    static const char *const vague[] = {"at", "data", "get", "begin", "size", "value"};
    for (size_t i = 0; i < ARRAY_SIZE(vague); i++)
        if (!strcmp(method, vague[i]))
            return false;
    return access_is_word(method);
}

static const char *stem_of(const struct access *access, const struct key *key)
{
    struct ir_arena *arena = access->clang->arena;
    const struct place *place = &key->place;
    const char *own = last_word(arena, place->text);
    const char *object = place->object ? last_word(arena, place->object) : "";
    const char *method =
        clang_Cursor_isNull(key->method) ? "" : access_spelling_of(access, key->method);
    if (key->kind == V_SIZE)
        return ir_textf(arena, "%s_size", bare_word(arena, own));
    if (place->object && !*place->object)
        return own;
    if (*method && says_what(method))
        return method;
    if (key->kind == V_ELEMENT && *object && !place->is_visible)
        return object;
    return *object ? ir_textf(arena, "%s_%s", object, bare_word(arena, own)) : own;
}

static void copy_needs(struct copy *copy, size_t key)
{
    for (size_t i = 0; i < copy->key_nr; i++)
        if (copy->key[i] == key)
            return;
    GROW(copy->key, copy->key_nr + 1, copy->key_alloc);
    copy->key[copy->key_nr++] = key;
}

struct key *access_key_for(struct access *access, enum value_kind kind,
                           const struct place *place)
{
    size_t at = 0;
    while (at < access->key_nr && (access->key[at].kind != kind ||
                                   strcmp(access->key[at].place.key, place->key) != 0))
        at++;
    if (at == access->key_nr) {
        GROW(access->key, access->key_nr + 1, access->key_alloc);
        access->key[access->key_nr++] =
            (struct key){.kind = kind, .place = *place, .method = clang_getNullCursor()};
    }
    struct key *key = &access->key[at];
    if (key->place.is_const && !place->is_const) {
        key->place = *place;
        key->method = clang_getNullCursor();
    }
    if (!access->now)
        return key;
    access_meet(key, access->now, access->now->cursor);
    for (struct copy *copy = access->open; copy; copy = copy->outer)
        copy_needs(copy, at);
    return key;
}

/* ---- what is given for them at the call ---- */

/* Its elements must not be changed. */
static bool is_constant(const struct access *access, const struct key *key)
{
    const struct place *place = &key->place;
    CXType element = access_element_type(access, place);
    int row = access_container_of(access, place->type);
    bool shares =
        row >= 0 ? access_container_shares_const(row) : access_is_array_type(place->type);
    return clang_isConstQualifiedType(clang_getCanonicalType(element)) ||
           (shares && place->is_const);
}

struct argument {
    const char *text;
    bool indexes; /* an element of a container, which may have none */
};

/* Another method of that name: one that is not const, or any. */
static bool has_overload(const struct access *access, CXCursor method, bool changing)
{
    struct cursors list = children_of(clang_getCursorSemanticParent(method));
    CXCursor own = clang_getCanonicalCursor(method);
    const char *name = access_spelling_of(access, method);
    bool found = false;
    for (size_t i = 0; i < list.item_nr && !found; i++) {
        enum CXCursorKind kind = clang_getCursorKind(list.item[i]);
        found = (kind == CXCursor_FunctionTemplate || kind == CXCursor_CXXMethod) &&
                !strcmp(access_spelling_of(access, list.item[i]), name) &&
                !clang_equalCursors(clang_getCanonicalCursor(list.item[i]), own) &&
                !(changing && clang_CXXMethod_isConst(list.item[i]));
    }
    free(list.item);
    return found;
}

/* Is it this method that `object.method(0, 0)` calls? */
static bool is_meant(const struct access *access, const struct place *place,
                     CXCursor method)
{
    bool constant = clang_CXXMethod_isConst(method);
    if (!access_is_visible(access, access_class_of(place->owner), method) ||
        (place->owner->is_const && !constant))
        return false;
    return !(constant && !place->owner->is_const && has_overload(access, method, true));
}

/* `object.method(0, 0)`: each 0 of the parameter's type where that decides. */
static const char *call_text(const struct access *access, const struct place *place,
                             CXCursor method)
{
    struct ir_arena *arena = access->clang->arena;
    const char *name = access_spelling_of(access, method), *zeros = "";
    bool decides = has_overload(access, method, false);
    for (int i = clang_Cursor_getNumArguments(method); i > 0; i--) {
        CXType type =
            clang_getCursorType(clang_Cursor_getArgument(method, (unsigned)i - 1));
        const char *zero =
            decides && access_plain(type).kind != CXType_Int
                ? ir_textf(arena, "(%s)0", type_of(access->clang, type).text)
                : "0";
        zeros = ir_textf(arena, *zeros ? "%s, %s" : "%s%s", zero, zeros);
    }
    const char *object = place->owner->text;
    if (!cxx_is_operator(name))
        return ir_textf(arena, "%s%s(%s)", place->object, name, zeros);
    if (access_plain(place->owner->type).kind == CXType_Pointer)
        object = ir_textf(arena, "(*%s)", object);
    return ir_textf(arena, strcmp(name, "operator()") ? "%s[%s]" : "%s(%s)", object,
                    zeros);
}

static struct argument through(struct access *access, const struct key *key,
                               CXCursor method)
{
    const struct place *place = &key->place;
    struct ir_arena *arena = access->clang->arena;
    struct frame frame = {.method = clang_getCanonicalCursor(method)};
    int nr = clang_Cursor_getNumArguments(method);
    CXCursor result = access_only_return(method);
    CXType type = clang_getCursorResultType(method);
    if (!access_is_plain_method(method) || nr > INDEX_LIMIT ||
        clang_Cursor_isNull(result) || !is_meant(access, place, method))
        return (struct argument){0};
    frame.self = (struct value){.kind = V_PLACE, .place = *place->owner};
    CXCursor head = clang_getCursorDefinition(method);
    for (; frame.arg_nr < (size_t)nr; frame.arg_nr++) {
        frame.parameter[frame.arg_nr] =
            clang_Cursor_getArgument(head, (unsigned)frame.arg_nr);
        frame.arg[frame.arg_nr] = (struct value){
            .kind = V_NUMBER, .text = "0", .is_atom = true, .vanishes = true};
        if (!access_is_integer(clang_getCursorType(frame.parameter[frame.arg_nr])))
            return (struct argument){0};
    }
    size_t before = access->key_nr; /* what only the search meets is no parameter */
    struct value value = access_value_of(access, result, &frame);
    access->key_nr = before;
    bool fits = value.kind != V_NONE && value.kind != V_NUMBER &&
                !strcmp(value.place.key, place->key) &&
                access_gives_as_it_is(access, method, &value);
    CXType to = clang_getPointeeType(clang_getCanonicalType(type));
    bool fits_type = key->kind != V_ELEMENT || is_constant(access, key) ||
                     !clang_isConstQualifiedType(to);
    const char *call = call_text(access, place, method);
    int row = access_container_of(access, place->type);
    if (!fits)
        return (struct argument){0};
    if (value.kind == V_SIZE || (value.kind == V_PLACE && key->kind == V_PLACE))
        return (struct argument){value.kind == key->kind && !nr ? call : NULL, false};
    if (key->kind != V_ELEMENT || !fits_type)
        return (struct argument){0};
    if (value.kind == V_ELEMENT && value.vanishes && access_is_reference_type(type))
        return (struct argument){ir_textf(arena, "&%s", call), row >= 0};
    if (value.kind == V_ADDRESS && value.vanishes)
        return (struct argument){call, row >= 0 && nr};
    if (value.kind == V_PLACE && row < 0)
        return (struct argument){call, false};
    if (value.kind == V_PLACE && access_container_data(row) &&
        access_is_reference_type(type))
        return (struct argument){
            ir_textf(arena, "%s%s", call, access_container_data(row)), false};
    return (struct argument){0};
}

static struct argument argument_of(struct access *access, const struct key *key)
{
    const struct place *place = &key->place;
    struct ir_arena *arena = access->clang->arena;
    int row = access_container_of(access, place->type);
    struct argument found = {0};
    if (place->is_visible && key->kind == V_SIZE)
        return (struct argument){ir_textf(arena, "%s.size()", place->text), false};
    if (place->is_visible && (key->kind == V_PLACE || row < 0))
        return (struct argument){place->text, false};
    if (place->is_visible && access_container_data(row))
        return (struct argument){
            ir_textf(arena, "%s%s", place->text, access_container_data(row)), false};
    if (place->is_visible)
        return (struct argument){ir_textf(arena, "&%s[0]", place->text), true};
    if (!clang_Cursor_isNull(key->method))
        found = through(access, key, key->method);
    struct cursors list = cxx_members_of(access_class_of(place->owner));
    for (size_t i = 0; i < list.item_nr && (!found.text || found.indexes); i++) {
        struct argument other = through(access, key, list.item[i]);
        if (other.text && (!found.text || !other.indexes))
            found = other;
    }
    free(list.item);
    return found;
}

/* ---- names of the parameters ---- */

static bool is_consumed(const struct access *access, size_t at)
{
    for (size_t i = 0; i < access->consumed_nr; i++)
        if (access->consumed_spelt[i] == at)
            return true;
    return false;
}

/* By a word of the statement, but for members behind a dot. */
static bool is_word_of(const struct access *access, size_t begin, size_t end,
                       const char *name)
{
    const char *text = access->source + begin;
    size_t length = end - begin, own = strlen(name);
    for (size_t i = 0; i + own <= length; i++) {
        bool begins = !i || (!isalnum((unsigned char)text[i - 1]) && text[i - 1] != '_');
        bool ends = i + own == length ||
                    (!isalnum((unsigned char)text[i + own]) && text[i + own] != '_');
        bool member = i && (text[i - 1] == '.' ||
                            (i > 1 && text[i - 1] == '>' && text[i - 2] == '-'));
        if (begins && ends && !member && !strncmp(text + i, name, own) &&
            !is_consumed(access, begin + i))
            return true;
    }
    return false;
}

static bool is_taken(const struct access *access, const struct ir_names *macros,
                     const char *name)
{
    bool taken =
        ir_has_name(macros, name) || is_word_of(access, access->begin, access->end, name);
    for (size_t i = 0; i < access->copy_nr && !taken; i++)
        taken = is_word_of(access, access_begin_of(access->copy[i]->function),
                           access_end_of(access->copy[i]->function), name);
    return taken;
}

/* The field keeps its name in a function that has no such variable. */
static bool is_field_name(const struct key *key, const char *name)
{
    return key->place.object && !*key->place.object && !strcmp(name, key->place.text);
}

static void choose_names(struct access *access)
{
    struct ir_names macros, plain, declared;
    struct ir_arena *arena = access->clang->arena;
    struct ct_file file = {.clang = access->clang};
    ct_read_names(&file, access->function, &macros, &plain, &declared);
    for (size_t i = 0; i < access->key_nr; i++) {
        struct key *key = &access->key[i];
        const char *stem = stem_of(access, key), *name = stem;
        for (int nr = 1;; nr++) {
            bool used = false;
            for (size_t k = 0; k < i; k++)
                used = used || !strcmp(access->key[k].name, name);
            if (!used && (is_field_name(key, name) || !is_taken(access, &macros, name)))
                break;
            const char *object = key->place.object && *key->place.object && nr == 1
                                     ? last_word(arena, key->place.object)
                                     : NULL;
            name = object ? ir_textf(arena, "%s_%s", object, stem)
                          : ir_textf(arena, "%s_%d", stem, nr + 1);
        }
        key->name = name;
    }
}

/* ---- the guard ---- */

static const char *source_text(const struct access *access, CXCursor cursor)
{
    return ir_textf(access->clang->arena, "%.*s",
                    (int)(access_end_of(cursor) - access_begin_of(cursor)),
                    access->source + access_begin_of(cursor));
}

struct scope_search {
    const struct access *access;
    bool found;
};

static enum CXChildVisitResult find_inner_name(CXCursor cursor, CXCursor parent,
                                               CXClientData data)
{
    (void)parent;
    struct scope_search *search = data;
    CXCursor target = clang_getCursorReferenced(cursor);
    bool named = clang_getCursorKind(cursor) == CXCursor_DeclRefExpr;
    size_t at = named ? access_offset_at(clang_getCursorLocation(target)) : 0;
    search->found = search->found || access_is_assignment(cursor) ||
                    (named && at >= search->access->begin && at < search->access->end);
    return search->found ? CXChildVisit_Break : CXChildVisit_Recurse;
}

/* An accessor that may be asked before the loop, too. */
static bool is_outer_access(struct access *access, CXCursor cursor)
{
    struct scope_search search = {.access = access};
    find_inner_name(cursor, cursor, &search);
    if (!search.found)
        clang_visitChildren(cursor, find_inner_name, &search);
    return !search.found && access_is_accessor_call(access_peel(cursor)) &&
           access_value_of(access, cursor, access->outermost).kind != V_NONE;
}

/* What the loop's condition is before its first iteration, or NULL. */
static const char *first_condition(struct access *access)
{
    struct cursors list = children_of(access->statement);
    const char *text = NULL;
    struct ir_arena *arena = access->clang->arena;
    if (clang_getCursorKind(access->statement) == CXCursor_ForStmt && list.item_nr == 4 &&
        clang_getCursorKind(list.item[0]) == CXCursor_DeclStmt &&
        access_operand_nr(list.item[0]) == 1 &&
        clang_getCursorKind(list.item[1]) == CXCursor_BinaryOperator) {
        CXCursor variable = access_operand(list.item[0], 0);
        CXCursor init = access_peel(clang_Cursor_getVarDeclInitializer(variable));
        CXCursor left = access_peel(access_operand(list.item[1], 0)),
                 right = access_operand(list.item[1], 1);
        enum CXBinaryOperatorKind kind = clang_getCursorBinaryOperatorKind(list.item[1]);
        const char *op =
            take_string(access->clang, clang_getBinaryOperatorKindSpelling(kind));
        bool compares = kind >= CXBinaryOperator_LT && kind <= CXBinaryOperator_NE;
        long long from = 0;
        bool literal = clang_getCursorKind(init) == CXCursor_IntegerLiteral &&
                       evaluate(init, &from) && from <= LITERAL_LIMIT;
        bool fine =
            compares && clang_equalCursors(clang_getCursorReferenced(left), variable) &&
            (literal || access_is_invariant(access, init)) &&
            (access_is_invariant(access, right) || is_outer_access(access, right));
        const char *bound = source_text(access, right);
        if (fine && literal && kind == CXBinaryOperator_LT)
            text = ir_textf(arena, "%s > %lld", bound, from);
        else if (fine && literal)
            text = ir_textf(arena, "%lld %s %s", from, op, bound);
        else if (fine)
            text = ir_textf(arena, "(%s)(%s) %s %s",
                            type_of(access->clang, clang_getCursorType(variable)).text,
                            source_text(access, init), op, bound);
    }
    free(list.item);
    return text;
}

/* ---- the parameters ---- */

const char *access_parameter_text(const struct access *access, const struct key *key)
{
    struct ir_arena *arena = access->clang->arena;
    const struct place *place = &key->place;
    if (key->kind == V_SIZE)
        return ir_textf(arena, "std::size_t %s", key->name);
    if (key->kind == V_PLACE)
        return ir_textf(arena, "%s %s", type_of(access->clang, place->type).text,
                        key->name);
    CXType element = access_element_type(access, place);
    return ir_textf(arena, "%s%s *%s", is_constant(access, key) ? "const " : "",
                    type_of(access->clang, element).text, key->name);
}

static void complain_of(struct access *access, const struct key *key, const char *text)
{
    if (!access->trouble.text)
        access->trouble = (struct ct_trouble){text, key->line, key->column};
}

static void add_parameter(struct access *access, const struct key *key,
                          struct ct_parameter *out, const char **guard)
{
    struct ir_arena *arena = access->clang->arena;
    struct argument argument = argument_of(access, key);
    *out = (struct ct_parameter){.name = key->name,
                                 .declaration = access_parameter_text(access, key),
                                 .argument = argument.text,
                                 .is_array = key->kind == V_ELEMENT};
    if (!argument.text) {
        complain_of(
            access, key,
            ir_textf(arena,
                     "'%s', which cannot be named there, and no public method gives "
                     "a reference to its element or its value alone; add one",
                     key->place.text));
        return;
    }
    if (!argument.indexes)
        return;
    *guard = first_condition(access);
    if (!*guard || key->when.unknown)
        complain_of(access, key,
                    ir_textf(arena,
                             "'%s' only under a condition, so that it may be empty: its "
                             "first element cannot be asked for; read it before the "
                             "condition, or add a method that gives its data()",
                             key->place.text));
    else if (key->when.condition)
        out->argument =
            ir_textf(arena, "%s ? %s : nullptr", key->when.condition, argument.text);
}

/* ---- the loop ---- */

struct seek {
    size_t begin;
    CXCursor found;
};

static enum CXChildVisitResult find_statement(CXCursor cursor, CXCursor parent,
                                              CXClientData data)
{
    (void)parent;
    struct seek *seek = data;
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    if ((kind == CXCursor_ForStmt || kind == CXCursor_WhileStmt ||
         kind == CXCursor_DoStmt) &&
        access_begin_of(cursor) == seek->begin) {
        seek->found = cursor;
        return CXChildVisit_Break;
    }
    return CXChildVisit_Recurse;
}

enum CXChildVisitResult access_find_leaving(CXCursor cursor, CXCursor parent,
                                            CXClientData data)
{
    (void)parent;
    struct access *access = data;
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    CXCursor target = clang_getCursorReferenced(cursor);
    bool ends = kind == CXCursor_BreakStmt || kind == CXCursor_ContinueStmt ||
                kind == CXCursor_GotoStmt || kind == CXCursor_ReturnStmt ||
                (kind == CXCursor_CallExpr && !clang_Cursor_isNull(target) &&
                 clang_getCursorKind(target) == CXCursor_FunctionDecl &&
                 access_is_noreturn(access, target));
    size_t at =
        kind == CXCursor_ReturnStmt ? access_end_of(cursor) : access_begin_of(cursor);
    if (ends && at < access->leaves_at)
        access->leaves_at = at;
    return CXChildVisit_Recurse;
}

/* ---- names that mean the same before the function ---- */

/* `size_type`, `s_count`, `helper()` of the class, without its name in front. */
static enum CXChildVisitResult find_member_name(CXCursor cursor, CXCursor parent,
                                                CXClientData data)
{
    (void)parent;
    struct access *access = data;
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    CXCursor target = clang_getCursorReferenced(cursor);
    size_t at = access_offset_at(clang_getCursorLocation(cursor));
    bool names = kind == CXCursor_DeclRefExpr || kind == CXCursor_TypeRef ||
                 kind == CXCursor_TemplateRef ||
                 (kind == CXCursor_MemberRefExpr && !access_operand_nr(cursor));
    while (at && isspace((unsigned char)access->source[at - 1]))
        at--;
    bool qualified = at && access->source[at - 1] == ':';
    if (names && !qualified && !clang_Cursor_isNull(target) &&
        clang_getCursorKind(target) != CXCursor_FieldDecl && !access_is_method(target) &&
        access_is_class_scope(clang_getCursorSemanticParent(target)))
        access_complain(access, cursor,
                        ir_textf(access->clang->arena,
                                 "'%s', which before the function may mean something "
                                 "else; qualify it with its class, '%s'",
                                 access_spelling_of(access, target),
                                 cxx_qualified(access->clang, target)));
    return access->trouble.text ? CXChildVisit_Break : CXChildVisit_Recurse;
}

static void check_names(struct access *access, CXCursor function)
{
    if (!access_is_in_its_space(function))
        access_complain(access, access->statement,
                        "names that may mean something else before the function: it is "
                        "defined outside its namespace");
    if (!access_is_in_class_body(function))
        clang_visitChildren(access->statement, find_member_name, access);
}

struct value access_this(struct access *access, CXCursor function)
{
    struct value value = {0};
    if (clang_Cursor_isNull(function) || !cxx_is_method(function))
        return value;
    CXCursor record = clang_getCursorSemanticParent(function);
    access->self_class = clang_getCanonicalCursor(record);
    value.kind = V_PLACE;
    value.place = (struct place){.key = "this",
                                 .text = "",
                                 .type = clang_getCursorType(record),
                                 .is_const = clang_CXXMethod_isConst(function),
                                 .is_visible = true};
    return value;
}

/* ---- all of it ---- */

static void forget_copies(struct access *access)
{
    for (size_t i = 0; i < access->copy_nr; i++) {
        free(access->copy[i]->key);
        free(access->copy[i]);
    }
    access->copy_nr = 0;
}

static void walk_statement(struct access *access)
{
    struct walk walk = {.access = access};
    access->edit_nr = access->consumed_nr = 0;
    forget_copies(access);
    for (size_t i = 0; i < access->key_nr; i++)
        access->key[i].met = false;
    access_walk_to(&walk, access->statement);
}

static int by_begin(const void *a, const void *b)
{
    const struct ct_edit *one = a, *other = b;
    if (one->begin != other->begin)
        return one->begin < other->begin ? -1 : 1;
    return (one->end < other->end) - (one->end > other->end);
}

/* In order; those inside of others are in their text. */
static size_t outermost_edits(struct access *access, struct ct_edit *out)
{
    size_t nr = 0;
    if (access->edit_nr)
        qsort(access->edit, access->edit_nr, sizeof(*access->edit), by_begin);
    for (size_t i = 0; i < access->edit_nr; i++)
        if (!nr || access->edit[i].begin >= out[nr - 1].end)
            out[nr++] = access->edit[i];
    return nr;
}

static void fill(struct access *access, struct ct_access *out)
{
    struct ir_arena *arena = access->clang->arena;
    struct ct_parameter *parameter =
        ir_alloc(arena, (access->key_nr + 1) * sizeof(*parameter));
    struct ct_edit *edit = ir_alloc(arena, (access->edit_nr + 1) * sizeof(*edit));
    struct ct_consumed *consumed =
        ir_alloc(arena, (access->consumed_nr + 1) * sizeof(*consumed));
    for (size_t i = 0; i < access->key_nr; i++) {
        struct key key = access->key[i]; /* they move where more are met */
        add_parameter(access, &key, &parameter[i], &out->guard);
    }
    out->edit_nr = outermost_edits(access, edit);
    for (size_t i = 0; i < access->consumed_nr; i++)
        consumed[i] = access->consumed[i];
    for (size_t i = 0; i < access->copy_nr; i++)
        out->helpers = ir_textf(arena, "%s%s\n\n", out->helpers ? out->helpers : "",
                                access->copy[i]->text);
    out->parameter = parameter;
    out->parameter_nr = access->key_nr;
    out->edit = edit;
    out->consumed = consumed;
    out->consumed_nr = access->consumed_nr;
}

struct ct_access ct_access(struct ct_file *file, const struct ct_function *function,
                           const char *source, size_t begin, size_t end)
{
    CXCursor cursor = file->clang->definition[function - file->function];
    struct seek seek = {begin, clang_getNullCursor()};
    struct frame outermost = {.method = clang_getNullCursor()};
    struct access access = {.clang = file->clang,
                            .function = function,
                            .source = source,
                            .self = cursor,
                            .self_class = clang_getNullCursor(),
                            .begin = begin,
                            .end = end,
                            .outermost = &outermost,
                            .leaves_at = (size_t)-1};
    struct ct_access out = {0};
    clang_visitChildren(cursor, find_statement, &seek);
    access.statement = seek.found;
    if (!file->is_cplusplus || clang_Cursor_isNull(seek.found))
        return out;
    outermost.self = access_this(&access, cursor);
    clang_visitChildren(seek.found, access_find_leaving, &access);
    check_names(&access, cursor);
    walk_statement(&access);
    if (!access.trouble.text)
        access_check_effects(&access);
    if (!access.trouble.text) {
        choose_names(&access);
        walk_statement(&access);
    }
    if (!access.trouble.text)
        fill(&access, &out);
    out.trouble = access.trouble;
    forget_copies(&access);
    free(access.copy);
    free(access.key);
    free(access.edit);
    free(access.consumed);
    free(access.consumed_spelt);
    return out;
}
