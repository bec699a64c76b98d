/*
 * Objects in a loop that becomes a function of its own: `domain.x(i)`, `v[i]`, `m_n`. An
 * accessor that only gives an element or a field is read as that, so that the function
 * gets an array or a number in place of the object.
 */
#include "variants/clang/clang_access.h"
#include "core/base/buf.h"
#include "core/base/text.h"
#include "variants/clang/clang_cursor.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_LIMIT = 8, INDEX_LIMIT = 16, LITERAL_LIMIT = 127 };

/* ---- values ---- */

/* A variable, or a field of it at whatever depth, that no loop changes. */
struct place {
    const char *key;           /* the same for the same storage */
    const char *text;          /* as the function around the loop writes it */
    const char *object;        /* "domain.", "p->"; "" = this, NULL = it is a variable */
    const struct place *owner; /* likewise; NULL = it is a variable */
    CXCursor field;
    CXType type;
    bool is_const, is_visible; /* text may be written there */
};

struct walk;

enum value_kind {
    V_NONE,
    V_NUMBER,  /* text */
    V_PLACE,   /* an object, an array, a pointer, a number that is stored */
    V_ELEMENT, /* text is the index in the array of the place */
    V_ADDRESS, /* of that element */
    V_SIZE     /* of the container */
};

struct value {
    enum value_kind kind;
    struct place place;
    const char *text;
    bool is_atom;    /* text needs no parentheses */
    bool is_product; /* nor in a sum */
    bool vanishes;   /* text is 0 where all parameters of the accessor are */
};

/* The body that is read, from the call of an accessor. */
struct frame {
    CXCursor method; /* canonical; null = the loop itself */
    struct value self;
    size_t arg_nr;
    CXCursor parameter[INDEX_LIMIT];
    struct value arg[INDEX_LIMIT];
    int depth;
};

/* When an accessor is reached. */
struct when {
    bool unknown;          /* depends on what the loop computes */
    const char *condition; /* that no iteration changes; NULL = always */
};

/* An array or a number that becomes a parameter. */
struct key {
    enum value_kind kind; /* V_ELEMENT an array, V_PLACE or V_SIZE a number */
    struct place place;
    const char *stem, *name;
    CXCursor method; /* that gave it; null = none did */
    const char *element;
    struct when when;
    int line, column;
    bool met;
};

/* A function of the file that the loop hands objects to, with arrays and numbers in place
 * of them. */
struct copy {
    struct copy *outer;  /* that calls it; NULL = the loop does */
    CXCursor function;   /* the definition */
    const char *binding; /* which objects its parameters are */
    const char *name, *text;
    size_t *key; /* in access.key */
    size_t key_nr, key_alloc;
};

struct access {
    struct ct_clang *clang;
    const struct ct_function *function;
    const char *source;
    CXCursor self, statement, self_class; /* self: the function around the loop */
    size_t begin, end;                    /* of the statement */
    struct frame *outermost;              /* of the loop, or of the copy that is read */
    struct copy **copy;                   /* the called ones first */
    size_t copy_nr, copy_alloc;
    struct copy *open; /* that is read; NULL = the loop is */
    struct key *key;
    size_t key_nr, key_alloc;
    struct ct_edit *edit;
    size_t edit_nr, edit_alloc;
    struct ct_consumed *consumed;
    size_t *consumed_spelt; /* where it is written: of a macro's argument elsewhere */
    size_t consumed_nr, consumed_alloc;
    size_t leaves_at;       /* of the first statement that may end the iteration */
    bool anywhere;          /* what is read may stand in another function: its texts and
                               names are not asked for */
    const struct walk *now; /* what stands where is read; NULL = it is no use */
    struct ct_trouble trouble;
};

static void meet(struct key *key, const struct walk *walk, CXCursor at);

/* ---- places in the file ---- */

static size_t offset_at(CXSourceLocation location)
{
    unsigned offset;
    clang_getFileLocation(location, NULL, NULL, NULL, &offset);
    return offset;
}

static size_t begin_of(CXCursor cursor)
{
    return offset_at(clang_getRangeStart(clang_getCursorExtent(cursor)));
}

static size_t end_of(CXCursor cursor)
{
    return offset_at(clang_getRangeEnd(clang_getCursorExtent(cursor)));
}

static void complain(struct access *access, CXCursor cursor, const char *text)
{
    unsigned line, column;
    if (access->trouble.text)
        return;
    clang_getExpansionLocation(clang_getCursorLocation(cursor), NULL, &line, &column,
                               NULL);
    access->trouble = (struct ct_trouble){text, (int)line, (int)column};
}

static const char *spelling_of(const struct access *access, CXCursor cursor)
{
    return take_string(access->clang, clang_getCursorSpelling(cursor));
}

/* ---- cursors ---- */

static struct cursors operands_of(CXCursor cursor)
{
    struct cursors list = children_of(cursor);
    size_t kept = 0;
    for (size_t i = 0; i < list.item_nr; i++)
        if (!clang_isReference(clang_getCursorKind(list.item[i])))
            list.item[kept++] = list.item[i];
    list.item_nr = kept;
    return list;
}

static size_t operand_nr(CXCursor cursor)
{
    struct cursors list = operands_of(cursor);
    free(list.item);
    return list.item_nr;
}

static CXCursor operand(CXCursor cursor, size_t at)
{
    struct cursors list = operands_of(cursor);
    CXCursor found = at < list.item_nr ? list.item[at] : clang_getNullCursor();
    free(list.item);
    return found;
}

/* Through parentheses and implicit casts. */
static CXCursor peel(CXCursor cursor)
{
    while ((clang_getCursorKind(cursor) == CXCursor_UnexposedExpr ||
            clang_getCursorKind(cursor) == CXCursor_ParenExpr) &&
           operand_nr(cursor) == 1)
        cursor = operand(cursor, 0);
    return cursor;
}

static CXType plain(CXType type)
{
    return clang_getUnqualifiedType(
        clang_getCanonicalType(clang_getNonReferenceType(type)));
}

static bool is_same_type(CXType a, CXType b)
{
    return clang_equalTypes(plain(a), plain(b));
}

static bool is_number(CXType type)
{
    enum CXTypeKind kind = plain(type).kind;
    return kind == CXType_Enum || (kind >= CXType_Bool && kind <= CXType_LongDouble);
}

static bool is_integer(CXType type)
{
    enum CXTypeKind kind = plain(type).kind;
    return kind >= CXType_Bool && kind <= CXType_Int128;
}

static bool is_reference_type(CXType type)
{
    return type.kind == CXType_LValueReference || type.kind == CXType_RValueReference;
}

static bool is_record(CXType type)
{
    return plain(type).kind == CXType_Record;
}

/* Such as a C struct could be: what is done with it needs no other words. */
static bool is_plain_record(CXType type)
{
    return is_record(type) && clang_isPODType(plain(type));
}

static bool is_method(CXCursor target)
{
    return clang_getCursorKind(target) == CXCursor_CXXMethod &&
           !clang_CXXMethod_isStatic(target);
}

static bool is_array_type(CXType type)
{
    return plain(type).kind == CXType_ConstantArray;
}

/* ---- containers ---- */

static const struct {
    const char *type;
    const char *data; /* how its elements are asked for; NULL = by the first one */
    bool shares_const;
} containers[] = {
    {"std::vector<", ".data()", true},     {"std::array<", ".data()", true},
    {"std::span<", ".data()", false},      {"std::valarray<", NULL, true},
    {"std::unique_ptr<", ".get()", false},
};

/* Its row in the table, or -1. */
static int container_of(const struct access *access, CXType type)
{
    CXType canonical = plain(type);
    if (canonical.kind != CXType_Record)
        return -1;
    const char *text = cxx_type_text(access->clang, canonical);
    for (size_t i = 0; i < ARRAY_SIZE(containers); i++)
        if (text_begins(text, containers[i].type) &&
            !text_begins(text, "std::vector<bool"))
            return (int)i;
    return -1;
}

static CXType element_type(const struct access *access, const struct place *place)
{
    CXType type = clang_getNonReferenceType(place->type);
    if (container_of(access, type) >= 0) {
        CXType element = clang_Type_getTemplateArgumentAsType(type, 0);
        CXType inner = clang_getArrayElementType(element);
        return inner.kind != CXType_Invalid ? inner : element;
    }
    CXType canonical = clang_getCanonicalType(type);
    if (canonical.kind == CXType_Pointer) {
        while (type.kind != CXType_Pointer) {
            CXType named =
                type.kind == CXType_Elaborated ? clang_Type_getNamedType(type)
                : type.kind == CXType_Typedef
                    ? clang_getTypedefDeclUnderlyingType(clang_getTypeDeclaration(type))
                    : canonical;
            type = named;
        }
        return clang_getPointeeType(type);
    }
    return clang_getArrayElementType(canonical);
}

/* ---- fields ---- */

static const char *object_text(const struct access *access, const struct value *base)
{
    const char *text = base->place.text;
    if (!*text)
        return "";
    return ir_textf(access->clang->arena, "%s%s", text,
                    plain(base->place.type).kind == CXType_Pointer ? "->" : ".");
}

static CXType record_of(CXType type)
{
    CXType canonical = clang_getCanonicalType(clang_getNonReferenceType(type));
    if (canonical.kind == CXType_Pointer)
        canonical = clang_getCanonicalType(clang_getPointeeType(canonical));
    return canonical;
}

/* No plain struct, nor a pointer to one. */
static bool is_object_type(CXType type)
{
    CXType record = record_of(type);
    return record.kind == CXType_Record && !clang_isPODType(record);
}

static bool is_const_object(CXType type)
{
    CXType canonical = clang_getCanonicalType(clang_getNonReferenceType(type));
    if (canonical.kind == CXType_Pointer)
        canonical = clang_getPointeeType(canonical);
    return clang_isConstQualifiedType(canonical);
}

/* May the function around the loop name what this class declares? */
static bool is_visible(const struct access *access, CXCursor member)
{
    CXCursor record = clang_getCanonicalCursor(clang_getCursorSemanticParent(member));
    enum CX_CXXAccessSpecifier specifier = clang_getCXXAccessSpecifier(member);
    return specifier == CX_CXXPublic || specifier == CX_CXXInvalidAccessSpecifier ||
           clang_equalCursors(record, access->self_class);
}

static struct value field_of(const struct access *access, const struct value *base,
                             CXCursor field)
{
    struct ir_arena *arena = access->clang->arena;
    struct value value = {.kind = V_PLACE};
    struct place *place = &value.place;
    const char *name = spelling_of(access, field);
    if (base->kind != V_PLACE || clang_getCursorKind(field) != CXCursor_FieldDecl ||
        clang_Cursor_isBitField(field) || !*name ||
        is_reference_type(clang_getCursorType(field)) ||
        clang_isVolatileQualifiedType(clang_getCanonicalType(clang_getCursorType(field))))
        return (struct value){0};
    place->key =
        ir_textf(arena, "%s.%s", base->place.key, cxx_qualified(access->clang, field));
    place->object = object_text(access, base);
    struct place *owner = ir_alloc(arena, sizeof(*owner));
    *owner = base->place;
    place->owner = owner;
    place->text = ir_textf(arena, "%s%s", place->object, name);
    place->field = field;
    place->type = clang_getCursorType(field);
    place->is_const = clang_isConstQualifiedType(clang_getCanonicalType(place->type)) ||
                      base->place.is_const || is_const_object(base->place.type);
    /* a field of a base class may be hidden by another of its name */
    CXCursor record = clang_getTypeDeclaration(record_of(base->place.type));
    bool own =
        clang_equalCursors(clang_getCanonicalCursor(clang_getCursorSemanticParent(field)),
                           clang_getCanonicalCursor(record));
    place->is_visible = own && base->place.is_visible && is_visible(access, field);
    value.is_atom = true;
    return value;
}

static struct value variable(struct access *access, CXCursor decl)
{
    struct value value = {.kind = V_PLACE, .is_atom = true};
    struct ct_decl *own = decl_of(access->clang, decl);
    size_t at = offset_at(clang_getCursorLocation(decl));
    bool in_loop = own->role == IR_LOCAL && at >= access->begin && at < access->end;
    if (clang_getCursorKind(decl) != CXCursor_VarDecl &&
        clang_getCursorKind(decl) != CXCursor_ParmDecl)
        return (struct value){0};
    if (in_loop && !access->anywhere)
        return (struct value){0};
    value.place = (struct place){.key = ir_textf(access->clang->arena, "%p", (void *)own),
                                 .text = own->name,
                                 .type = clang_getCursorType(decl),
                                 .is_const = is_const_object(clang_getCursorType(decl)),
                                 .is_visible = true};
    return value;
}

/* ---- expressions of an accessor ---- */

static struct value value_of(struct access *access, CXCursor cursor,
                             const struct frame *frame);
static const char *text_of(struct access *access, CXCursor cursor);

static const char *in_parentheses(const struct access *access, const struct value *value)
{
    return value->is_atom ? value->text
                          : ir_textf(access->clang->arena, "(%s)", value->text);
}

static bool is_word(const char *text)
{
    while (isalnum((unsigned char)*text) || *text == '_')
        text++;
    return !*text;
}

/* What stands in the loop itself stays as it is written. */
static struct value as_written(struct access *access, CXCursor cursor)
{
    const char *text = access->anywhere ? "" : text_of(access, cursor);
    return (struct value){.kind = V_NUMBER,
                          .text = text,
                          .is_atom = is_word(text),
                          .vanishes = !strcmp(text, "0")};
}

/* A number that is stored becomes a parameter, if it is not one of the accessor. */
static struct key *key_for(struct access *access, enum value_kind kind,
                           const struct place *place);

static const char *name_of(const struct key *key)
{
    return key->name ? key->name : "";
}

static struct value number_of(struct access *access, const struct value *value)
{
    if (value->kind == V_NUMBER)
        return *value;
    if (value->kind == V_SIZE ||
        (value->kind == V_PLACE && is_number(value->place.type))) {
        if (!value->place.object && value->kind == V_PLACE)
            return (struct value){
                .kind = V_NUMBER, .text = value->place.text, .is_atom = true};
        const struct key *key = key_for(access, value->kind, &value->place);
        return (struct value){.kind = V_NUMBER, .text = name_of(key), .is_atom = true};
    }
    if (value->kind == V_ELEMENT && is_number(element_type(access, &value->place))) {
        const struct key *key = key_for(access, V_ELEMENT, &value->place);
        return (struct value){
            .kind = V_NUMBER,
            .text = ir_textf(access->clang->arena, "%s[%s]", name_of(key), value->text),
            .is_atom = true};
    }
    return (struct value){0};
}

static struct value binary(struct access *access, CXCursor cursor,
                           const struct frame *frame)
{
    enum CXBinaryOperatorKind kind = clang_getCursorBinaryOperatorKind(cursor);
    const char *op =
        take_string(access->clang, clang_getBinaryOperatorKindSpelling(kind));
    struct value left = value_of(access, operand(cursor, 0), frame);
    struct value right = value_of(access, operand(cursor, 1), frame);
    bool pointer = left.kind == V_PLACE &&
                   plain(left.place.type).kind == CXType_Pointer && !strcmp(op, "+");
    if (pointer) {
        right = number_of(access, &right);
        if (right.kind != V_NUMBER)
            return (struct value){0};
        right.kind = V_ADDRESS;
        right.place = left.place;
        return right;
    }
    static const char *const known[] = {"+", "-", "*", "/", "%", "<<", ">>", "&"};
    bool found = false;
    for (size_t i = 0; i < ARRAY_SIZE(known); i++)
        found = found || !strcmp(op, known[i]);
    left = number_of(access, &left);
    right = number_of(access, &right);
    if (!found || left.kind != V_NUMBER || right.kind != V_NUMBER)
        return (struct value){0};
    bool product = !strcmp(op, "*"), sum = !strcmp(op, "+") || !strcmp(op, "-");
    return (struct value){
        .kind = V_NUMBER,
        .text = ir_textf(
            access->clang->arena, "%s %s %s",
            sum && left.is_product ? left.text : in_parentheses(access, &left), op,
            sum && right.is_product ? right.text : in_parentheses(access, &right)),
        .is_product = product,
        .vanishes = product ? left.vanishes || right.vanishes
                            : sum && left.vanishes && right.vanishes};
}

static struct value element_at(struct access *access, const struct value *base,
                               const struct value *index)
{
    struct value at = number_of(access, index);
    bool indexed =
        base->kind == V_PLACE && (container_of(access, base->place.type) >= 0 ||
                                  plain(base->place.type).kind == CXType_Pointer ||
                                  is_array_type(base->place.type));
    if (!indexed || at.kind != V_NUMBER)
        return (struct value){0};
    at.kind = V_ELEMENT;
    at.place = base->place;
    return at;
}

static struct value cast(struct access *access, CXCursor cursor,
                         const struct frame *frame)
{
    size_t nr = operand_nr(cursor);
    CXCursor inner = nr ? peel(operand(cursor, nr - 1)) : cursor;
    struct value value = nr ? value_of(access, inner, frame) : (struct value){0};
    value = number_of(access, &value);
    CXType type = clang_getCursorType(cursor);
    if (value.kind != V_NUMBER || !is_number(type))
        return (struct value){0};
    if (is_same_type(type, clang_getCursorType(inner)))
        return value;
    value.text =
        ir_textf(access->clang->arena, "(%s)%s", type_of(access->clang, type).text,
                 in_parentheses(access, &value));
    value.is_atom = false;
    return value;
}

static struct value literal(struct access *access, CXCursor cursor)
{
    long long number = 0;
    CXSourceLocation location = clang_getCursorLocation(cursor);
    CXToken *token = clang_getToken(access->clang->unit, location);
    if (!token)
        return (struct value){0};
    const char *text =
        take_string(access->clang, clang_getTokenSpelling(access->clang->unit, *token));
    clang_disposeTokens(access->clang->unit, token, 1);
    if (!isdigit((unsigned char)*text))
        return (struct value){0};
    bool zero = evaluate(cursor, &number) && number == 0;
    return (struct value){
        .kind = V_NUMBER, .text = text, .is_atom = true, .vanishes = zero};
}

static struct value named(struct access *access, CXCursor cursor,
                          const struct frame *frame)
{
    CXCursor target = clang_getCanonicalCursor(clang_getCursorReferenced(cursor));
    for (size_t i = 0; i < frame->arg_nr; i++)
        if (clang_equalCursors(clang_getCanonicalCursor(frame->parameter[i]), target))
            return frame->arg[i];
    if (!clang_Cursor_isNull(frame->method)) /* globals, statics, constants */
        return (struct value){0};
    return variable(access, clang_getCursorReferenced(cursor));
}

/* ---- calls of accessors ---- */

struct method_call {
    CXCursor target, object; /* object null = this */
    CXCursor arg[INDEX_LIMIT];
    size_t arg_nr;
    bool fits;
};

static bool is_operator_text(const char *name)
{
    return text_begins(name, "operator") && !isalnum((unsigned char)name[8]) &&
           name[8] != '_';
}

static struct method_call method_call_of(const struct access *access, CXCursor call)
{
    struct method_call out = {.target = clang_getCursorReferenced(call),
                              .object = clang_getNullCursor()};
    CXCursor callee = peel(operand(call, 0));
    int nr = clang_Cursor_getNumArguments(call), first = 0;
    bool member = clang_getCursorKind(callee) == CXCursor_MemberRefExpr &&
                  clang_equalCursors(clang_getCursorReferenced(callee), out.target);
    if (member)
        out.object = operand(callee, 0);
    else if (is_operator_text(spelling_of(access, out.target)) && nr > 0) {
        out.object = clang_Cursor_getArgument(call, 0);
        first = 1;
    } else
        return out;
    out.fits = nr - first <= INDEX_LIMIT &&
               clang_Cursor_getNumArguments(out.target) == nr - first;
    for (int i = first; i < nr && out.fits; i++)
        out.arg[out.arg_nr++] = clang_Cursor_getArgument(call, (unsigned)i);
    return out;
}

/* The parameter is of another type: what the call converts is converted. */
static struct value argument(struct access *access, CXCursor cursor, CXCursor parameter,
                             const struct frame *frame)
{
    CXCursor inner = peel(cursor);
    struct value value = clang_Cursor_isNull(frame->method)
                             ? as_written(access, inner)
                             : value_of(access, inner, frame);
    value = number_of(access, &value);
    CXType type = clang_getCursorType(parameter);
    value.vanishes = true;
    if (value.kind == V_NUMBER && !is_same_type(type, clang_getCursorType(inner))) {
        value.text =
            ir_textf(access->clang->arena, "(%s)%s", type_of(access->clang, type).text,
                     in_parentheses(access, &value));
        value.is_atom = false;
    }
    return value;
}

/* `{ return expr; }` */
static CXCursor only_return(CXCursor method)
{
    CXCursor definition = clang_getCursorDefinition(method);
    struct cursors list = {0};
    if (clang_Cursor_isNull(definition))
        return clang_getNullCursor();
    list = children_of(definition);
    CXCursor body = list.item_nr ? list.item[list.item_nr - 1] : clang_getNullCursor();
    free(list.item);
    if (clang_getCursorKind(body) != CXCursor_CompoundStmt || operand_nr(body) != 1 ||
        clang_getCursorKind(operand(body, 0)) != CXCursor_ReturnStmt)
        return clang_getNullCursor();
    return operand(operand(body, 0), 0);
}

static bool is_plain_method(CXCursor method)
{
    return is_method(method) && !clang_CXXMethod_isVirtual(method);
}

/* What the accessor's result is of the value in its return statement: a number that it
 * converts, or a copy of an object, is none. */
static bool gives_as_it_is(const struct access *access, CXCursor method,
                           const struct value *value)
{
    CXType result = clang_getCursorResultType(method);
    switch (value->kind) {
    case V_PLACE:
        return is_same_type(result, value->place.type);
    case V_ELEMENT:
        return is_same_type(result, element_type(access, &value->place));
    case V_ADDRESS:
        return plain(result).kind == CXType_Pointer &&
               is_same_type(clang_getPointeeType(plain(result)),
                            element_type(access, &value->place));
    case V_SIZE:
        return is_integer(result) &&
               clang_Type_getSizeOf(plain(result)) == (long long)sizeof(size_t);
    default:
        return false;
    }
}

static struct value of_container(struct access *access, const struct method_call *call,
                                 const struct value *self, const struct value *arg)
{
    const char *name = spelling_of(access, call->target);
    int row = container_of(access, self->place.type);
    bool pointer = plain(self->place.type).kind == CXType_Pointer;
    struct value value = {.place = self->place, .text = "0", .is_atom = true};
    if (pointer || self->kind != V_PLACE)
        return (struct value){0};
    if (!strcmp(name, "operator[]") && call->arg_nr == 1)
        return element_at(access, self, &arg[0]);
    value.vanishes = true;
    if (!call->arg_nr && (!strcmp(name, "data") || !strcmp(name, "get")) &&
        containers[row].data)
        value.kind = V_ADDRESS;
    else if (!call->arg_nr && !strcmp(name, "size") && strcmp(name, "get"))
        value.kind = V_SIZE;
    return value;
}

static struct value call_of(struct access *access, CXCursor cursor,
                            const struct frame *frame)
{
    struct method_call call = method_call_of(access, cursor);
    struct frame inner = {.method = clang_getCanonicalCursor(call.target),
                          .arg_nr = call.arg_nr,
                          .depth = frame->depth + 1};
    if (!call.fits || inner.depth > DEPTH_LIMIT || !is_plain_method(call.target))
        return (struct value){0};
    inner.self = clang_Cursor_isNull(call.object) ? frame->self
                                                  : value_of(access, call.object, frame);
    if (inner.self.kind != V_PLACE)
        return (struct value){0};
    CXCursor definition = clang_getCursorDefinition(call.target);
    CXCursor head = clang_Cursor_isNull(definition) ? call.target : definition;
    bool container = container_of(access, record_of(inner.self.place.type)) >= 0;
    for (size_t i = 0; i < call.arg_nr; i++) {
        inner.parameter[i] = clang_Cursor_getArgument(head, (unsigned)i);
        if (!is_integer(clang_getCursorType(inner.parameter[i])))
            return (struct value){0};
        CXCursor plain_arg = peel(call.arg[i]);
        bool widens = container && is_integer(clang_getCursorType(plain_arg));
        inner.arg[i] =
            argument(access, call.arg[i], widens ? plain_arg : inner.parameter[i], frame);
    }
    if (container)
        return of_container(access, &call, &inner.self, inner.arg);
    CXCursor result = only_return(call.target);
    if (clang_Cursor_isNull(result))
        return (struct value){0};
    if (clang_CXXMethod_isConst(call.target))
        inner.self.place.is_const = true;
    struct value value = value_of(access, result, &inner);
    return gives_as_it_is(access, call.target, &value) ? value : (struct value){0};
}

static struct value member(struct access *access, CXCursor cursor,
                           const struct frame *frame)
{
    CXCursor target = clang_getCursorReferenced(cursor);
    struct value base =
        operand_nr(cursor) ? value_of(access, operand(cursor, 0), frame) : frame->self;
    return field_of(access, &base, target);
}

static struct value unary(struct access *access, CXCursor cursor,
                          const struct frame *frame)
{
    enum CXUnaryOperatorKind kind = clang_getCursorUnaryOperatorKind(cursor);
    struct value value = value_of(access, operand(cursor, 0), frame);
    if (kind == CXUnaryOperator_AddrOf && value.kind == V_ELEMENT)
        value.kind = V_ADDRESS;
    else if (kind == CXUnaryOperator_Deref && value.kind == V_ADDRESS)
        value.kind = V_ELEMENT;
    else if (kind == CXUnaryOperator_Deref && value.kind == V_PLACE &&
             plain(value.place.type).kind == CXType_Pointer &&
             is_object_type(clang_getPointeeType(plain(value.place.type))))
        return value; /* the object is told by its pointer */
    else if (kind == CXUnaryOperator_Deref && value.kind == V_PLACE &&
             !clang_Cursor_isNull(frame->method) &&
             plain(value.place.type).kind == CXType_Pointer) {
        value.kind = V_ELEMENT;
        value.text = "0";
        value.is_atom = value.vanishes = true;
    } else
        return (struct value){0};
    return value;
}

static struct value value_of(struct access *access, CXCursor given,
                             const struct frame *frame)
{
    CXCursor cursor = peel(given);
    switch (clang_getCursorKind(cursor)) {
    case CXCursor_CXXThisExpr:
        return frame->self;
    case CXCursor_DeclRefExpr:
        return named(access, cursor, frame);
    case CXCursor_MemberRefExpr:
        return member(access, cursor, frame);
    case CXCursor_ArraySubscriptExpr: {
        struct value base = value_of(access, operand(cursor, 0), frame);
        CXCursor index = operand(cursor, 1);
        struct value at = clang_Cursor_isNull(frame->method)
                              ? as_written(access, index)
                              : value_of(access, index, frame);
        return element_at(access, &base, &at);
    }
    case CXCursor_CallExpr:
        return call_of(access, cursor, frame);
    case CXCursor_UnaryOperator:
        return unary(access, cursor, frame);
    case CXCursor_BinaryOperator:
        return binary(access, cursor, frame);
    case CXCursor_IntegerLiteral:
        return literal(access, cursor);
    case CXCursor_CStyleCastExpr:
    case CXCursor_CXXStaticCastExpr:
    case CXCursor_CXXFunctionalCastExpr:
        return cast(access, cursor, frame);
    default:
        return (struct value){0};
    }
}

/* ---- keys ---- */

struct walk {
    struct access *access;
    CXCursor cursor;
    struct when when;
    bool written;   /* what stands here is changed, or its address is taken */
    bool is_copied; /* a reference is bound to it */
    bool in_sizeof;
};

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
    return is_word(method);
}

static const char *stem_of(const struct access *access, const struct key *key)
{
    struct ir_arena *arena = access->clang->arena;
    const struct place *place = &key->place;
    const char *own = last_word(arena, place->text);
    const char *object = place->object ? last_word(arena, place->object) : "";
    const char *method =
        clang_Cursor_isNull(key->method) ? "" : spelling_of(access, key->method);
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

static struct key *key_for(struct access *access, enum value_kind kind,
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
    meet(key, access->now, access->now->cursor);
    for (struct copy *copy = access->open; copy; copy = copy->outer)
        copy_needs(copy, at);
    return key;
}

/* ---- what is given for them at the call ---- */

/* Its elements must not be changed. */
static bool is_constant(const struct access *access, const struct key *key)
{
    const struct place *place = &key->place;
    CXType element = element_type(access, place);
    int row = container_of(access, place->type);
    bool shares = row >= 0 ? containers[row].shares_const : is_array_type(place->type);
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
    const char *name = spelling_of(access, method);
    bool found = false;
    for (size_t i = 0; i < list.item_nr && !found; i++) {
        enum CXCursorKind kind = clang_getCursorKind(list.item[i]);
        found = (kind == CXCursor_FunctionTemplate || kind == CXCursor_CXXMethod) &&
                !strcmp(spelling_of(access, list.item[i]), name) &&
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
    CXCursor record = clang_getCanonicalCursor(clang_getCursorSemanticParent(method));
    CXCursor owner =
        clang_getCanonicalCursor(clang_getTypeDeclaration(record_of(place->owner->type)));
    bool constant = clang_CXXMethod_isConst(method);
    if (!clang_equalCursors(record, owner) || (place->owner->is_const && !constant))
        return false;
    return !(constant && !place->owner->is_const && has_overload(access, method, true));
}

/* `object.method(0, 0)`: each 0 of the parameter's type where that decides. */
static const char *call_text(const struct access *access, const struct place *place,
                             CXCursor method)
{
    struct ir_arena *arena = access->clang->arena;
    const char *name = spelling_of(access, method), *zeros = "";
    bool decides = has_overload(access, method, false);
    for (int i = clang_Cursor_getNumArguments(method); i > 0; i--) {
        CXType type =
            clang_getCursorType(clang_Cursor_getArgument(method, (unsigned)i - 1));
        const char *zero =
            decides && plain(type).kind != CXType_Int
                ? ir_textf(arena, "(%s)0", type_of(access->clang, type).text)
                : "0";
        zeros = ir_textf(arena, *zeros ? "%s, %s" : "%s%s", zero, zeros);
    }
    const char *object = place->owner->text;
    if (!is_operator_text(name))
        return ir_textf(arena, "%s%s(%s)", place->object, name, zeros);
    if (plain(place->owner->type).kind == CXType_Pointer)
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
    CXCursor result = only_return(method);
    CXType type = clang_getCursorResultType(method);
    if (!is_plain_method(method) || nr > INDEX_LIMIT || clang_Cursor_isNull(result) ||
        !is_meant(access, place, method) || !is_visible(access, method))
        return (struct argument){0};
    frame.self = (struct value){.kind = V_PLACE, .place = *place->owner};
    CXCursor head = clang_getCursorDefinition(method);
    for (; frame.arg_nr < (size_t)nr; frame.arg_nr++) {
        frame.parameter[frame.arg_nr] =
            clang_Cursor_getArgument(head, (unsigned)frame.arg_nr);
        frame.arg[frame.arg_nr] = (struct value){
            .kind = V_NUMBER, .text = "0", .is_atom = true, .vanishes = true};
        if (!is_integer(clang_getCursorType(frame.parameter[frame.arg_nr])))
            return (struct argument){0};
    }
    size_t before = access->key_nr; /* what only the search meets is no parameter */
    struct value value = value_of(access, result, &frame);
    access->key_nr = before;
    bool fits = value.kind != V_NONE && value.kind != V_NUMBER &&
                !strcmp(value.place.key, place->key) &&
                gives_as_it_is(access, method, &value);
    CXType to = clang_getPointeeType(clang_getCanonicalType(type));
    bool fits_type = key->kind != V_ELEMENT || is_constant(access, key) ||
                     !clang_isConstQualifiedType(to);
    const char *call = call_text(access, place, method);
    int row = container_of(access, place->type);
    if (!fits)
        return (struct argument){0};
    if (value.kind == V_SIZE || (value.kind == V_PLACE && key->kind == V_PLACE))
        return (struct argument){value.kind == key->kind && !nr ? call : NULL, false};
    if (key->kind != V_ELEMENT || !fits_type)
        return (struct argument){0};
    if (value.kind == V_ELEMENT && value.vanishes && is_reference_type(type))
        return (struct argument){ir_textf(arena, "&%s", call), row >= 0};
    if (value.kind == V_ADDRESS && value.vanishes)
        return (struct argument){call, row >= 0 && nr};
    if (value.kind == V_PLACE && row < 0)
        return (struct argument){call, false};
    if (value.kind == V_PLACE && containers[row].data && is_reference_type(type))
        return (struct argument){ir_textf(arena, "%s%s", call, containers[row].data),
                                 false};
    return (struct argument){0};
}

static struct argument argument_of(struct access *access, const struct key *key)
{
    const struct place *place = &key->place;
    struct ir_arena *arena = access->clang->arena;
    int row = container_of(access, place->type);
    struct argument found = {0};
    if (place->is_visible && key->kind == V_SIZE)
        return (struct argument){ir_textf(arena, "%s.size()", place->text), false};
    if (place->is_visible && (key->kind == V_PLACE || row < 0))
        return (struct argument){place->text, false};
    if (place->is_visible && containers[row].data)
        return (struct argument){
            ir_textf(arena, "%s%s", place->text, containers[row].data), false};
    if (place->is_visible)
        return (struct argument){ir_textf(arena, "&%s[0]", place->text), true};
    if (!clang_Cursor_isNull(key->method))
        found = through(access, key, key->method);
    struct cursors list =
        children_of(clang_getTypeDeclaration(record_of(place->owner->type)));
    for (size_t i = 0; i < list.item_nr && (!found.text || found.indexes); i++) {
        struct argument other = through(access, key, list.item[i]);
        if (other.text && (!found.text || !other.indexes))
            found = other;
    }
    free(list.item);
    return found;
}

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

static bool is_noreturn(const struct access *access, CXCursor target)
{
    static const char *const names[] = {"exit",       "_Exit",          "_exit",
                                        "abort",      "quick_exit",     "std::exit",
                                        "std::abort", "std::terminate", "__assert_fail"};
    const char *name = cxx_qualified(access->clang, target);
    for (size_t i = 0; i < ARRAY_SIZE(names); i++)
        if (!strcmp(name, names[i]))
            return true;
    return false;
}

static bool is_mathematical(const struct access *access, CXCursor target)
{
    return decl_of(access->clang, target)->is_math ||
           cxx_is_standard_function(access->clang, target);
}

static bool is_assignment(CXCursor cursor)
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
        lvalue = peel(lvalue);
        enum CXCursorKind kind = clang_getCursorKind(lvalue);
        CXType type = clang_getCursorType(operand(lvalue, 0));
        if (kind == CXCursor_ArraySubscriptExpr &&
            !is_array_type(clang_getCursorType(peel(operand(lvalue, 0)))))
            return false;
        if (kind == CXCursor_MemberRefExpr &&
            (!operand_nr(lvalue) || plain(type).kind == CXType_Pointer))
            return false;
        if (kind == CXCursor_DeclRefExpr)
            return !is_reference_type(
                clang_getCursorType(clang_getCursorReferenced(lvalue)));
        if (kind != CXCursor_ArraySubscriptExpr && kind != CXCursor_MemberRefExpr)
            return false;
        lvalue = operand(lvalue, 0);
    }
}

/* An accessor, wherever it is called. */
static struct value value_anywhere(struct access *access, CXCursor cursor)
{
    size_t before = access->key_nr;
    const struct walk *now = access->now;
    bool anywhere = access->anywhere;
    access->anywhere = true;
    access->now = NULL;
    struct value value = value_of(access, cursor, access->outermost);
    access->now = now;
    access->anywhere = anywhere;
    access->key_nr = before;
    return value;
}

static void note_store(struct effects *effects, CXCursor lvalue)
{
    struct access *access = effects->access;
    struct value value = value_anywhere(access, lvalue);
    if (is_object_type(clang_getCursorType(lvalue)))
        complain(access, lvalue, "a change of which object it is that it uses");
    if (is_own_storage(lvalue))
        return;
    GROW(effects->store, effects->store_nr + 1, effects->store_alloc);
    effects->store[effects->store_nr++] =
        (struct store){.at = lvalue,
                       .type = plain(clang_getCursorType(lvalue)),
                       .in_container = value.kind == V_ELEMENT &&
                                       container_of(access, value.place.type) >= 0};
}

static enum CXChildVisitResult look_at_effect(CXCursor cursor, CXCursor parent,
                                              CXClientData data);

static void look_at_function(struct effects *effects, CXCursor call, CXCursor target)
{
    struct access *access = effects->access;
    CXCursor definition = clang_getCursorDefinition(target);
    if (is_mathematical(access, target) || is_noreturn(access, target))
        return;
    if (clang_Cursor_isNull(definition) ||
        clang_Location_isInSystemHeader(clang_getCursorLocation(definition))) {
        complain(access, call,
                 ir_textf(access->clang->arena,
                          "a call of '%s', which may change the objects that it uses; "
                          "call it outside of the loop",
                          spelling_of(access, target)));
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
    if (kind == CXCursor_Constructor && is_plain_record(clang_getCursorType(call)))
        return;
    if (kind == CXCursor_FunctionDecl ||
        (kind == CXCursor_CXXMethod && clang_CXXMethod_isStatic(target)))
        look_at_function(effects, call, target);
    else if (value_anywhere(access, call).kind == V_NONE)
        complain(access, call,
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
        complain(effects->access, cursor, "new, delete, or a lambda");
    else if (is_assignment(cursor))
        note_store(effects, operand(cursor, 0));
    return effects->access->trouble.text ? CXChildVisit_Break : CXChildVisit_Recurse;
}

static bool may_be_same(const struct store *store, CXType type)
{
    long long stored = clang_Type_getSizeOf(store->type);
    bool integers = is_integer(store->type) && is_integer(type);
    return !store->in_container &&
           (is_same_type(store->type, type) || stored <= 1 || is_record(store->type) ||
            (integers && stored == clang_Type_getSizeOf(plain(type))));
}

static void check_store(struct access *access, const struct store *store)
{
    bool pointer = plain(store->type).kind == CXType_Pointer;
    for (size_t i = 0; i < access->key_nr; i++) {
        const struct key *key = &access->key[i];
        bool array = key->kind != V_PLACE;
        if (array ? pointer : may_be_same(store, key->place.type))
            complain(access, store->at,
                     ir_textf(access->clang->arena,
                              "a store that may change '%s'; read that into a variable "
                              "in front of the loop",
                              key->place.text));
    }
}

static void check_effects(struct access *access)
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

/* ---- when an accessor is reached ---- */

static void walk_to(const struct walk *walk, CXCursor cursor);

struct search_write {
    CXCursor decl;
    bool found;
};

static enum CXChildVisitResult find_write(CXCursor cursor, CXCursor parent,
                                          CXClientData data)
{
    (void)parent;
    struct search_write *search = data;
    bool changes = is_assignment(cursor) ||
                   (clang_getCursorKind(cursor) == CXCursor_UnaryOperator &&
                    clang_getCursorUnaryOperatorKind(cursor) == CXUnaryOperator_AddrOf);
    CXCursor target = changes ? peel(operand(cursor, 0)) : clang_getNullCursor();
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
static bool is_invariant(const struct access *access, CXCursor given)
{
    CXCursor cursor = peel(given), decl = clang_getCursorReferenced(cursor);
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    size_t at = offset_at(clang_getCursorLocation(decl));
    if (kind == CXCursor_IntegerLiteral || kind == CXCursor_FloatingLiteral ||
        kind == CXCursor_CXXBoolLiteralExpr)
        return true;
    if (kind == CXCursor_DeclRefExpr)
        return (clang_getCursorKind(decl) == CXCursor_VarDecl ||
                clang_getCursorKind(decl) == CXCursor_ParmDecl) &&
               is_number(clang_getCursorType(decl)) &&
               !is_reference_type(clang_getCursorType(decl)) &&
               decl_of(access->clang, decl)->role != IR_GLOBAL &&
               !(at >= access->begin && at < access->end) && !is_written(access, decl);
    bool known = kind == CXCursor_BinaryOperator || kind == CXCursor_UnaryOperator ||
                 kind == CXCursor_CXXFunctionalCastExpr ||
                 kind == CXCursor_CStyleCastExpr;
    if (!known || is_assignment(cursor) ||
        (kind == CXCursor_UnaryOperator &&
         clang_getCursorUnaryOperatorKind(cursor) == CXUnaryOperator_Deref))
        return false;
    size_t nr = operand_nr(cursor);
    for (size_t i = 0; i < nr; i++)
        if (!is_invariant(access, operand(cursor, i)))
            return false;
    return true;
}

static struct when in_branch(const struct walk *walk, CXCursor condition, bool is_else)
{
    struct access *access = walk->access;
    struct when when = walk->when;
    if (when.unknown || when.condition || !is_invariant(access, condition)) {
        when.unknown = true;
        return when;
    }
    const char *text = text_of(access, condition);
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
        CXCursor variable = operand(list.item[0], 0), left = operand(list.item[1], 0);
        CXCursor init = clang_Cursor_getVarDeclInitializer(variable);
        sure = clang_equalCursors(clang_getCursorReferenced(peel(left)), variable) &&
               clang_getCursorKind(peel(init)) == CXCursor_IntegerLiteral &&
               clang_getCursorKind(peel(operand(list.item[1], 1))) ==
                   CXCursor_IntegerLiteral &&
               evaluate(init, &from) && evaluate(operand(list.item[1], 1), &to) &&
               from < to;
    }
    free(list.item);
    return sure;
}

static void meet(struct key *key, const struct walk *walk, CXCursor at)
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
    if (!operand_nr(cursor))
        return true;
    CXCursor base = peel(operand(cursor, 0));
    return clang_getCursorKind(base) == CXCursor_CXXThisExpr ||
           is_object_type(clang_getCursorType(base)) ||
           (clang_getCursorKind(base) == CXCursor_MemberRefExpr && is_object_field(base));
}

static bool is_accessor_call(CXCursor cursor)
{
    CXCursor target = clang_getCursorReferenced(cursor);
    return clang_getCursorKind(cursor) == CXCursor_CallExpr &&
           !clang_Cursor_isNull(target) && is_method(target);
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
    access->consumed_spelt[access->consumed_nr] = offset_at(location);
    access->consumed[access->consumed_nr++] =
        (struct ct_consumed){decl_of(access->clang, clang_getCursorReferenced(name)), at};
}

/* The variable that the object is, which the new function does not get. */
static void consume_object(struct access *access, CXCursor given)
{
    CXCursor cursor = peel(given);
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    if (kind == CXCursor_DeclRefExpr)
        consume(access, cursor);
    else if (kind == CXCursor_CallExpr) {
        struct method_call call = method_call_of(access, cursor);
        if (!clang_Cursor_isNull(call.object))
            consume_object(access, call.object);
    } else if ((kind == CXCursor_MemberRefExpr || kind == CXCursor_UnaryOperator) &&
               operand_nr(cursor))
        consume_object(access, operand(cursor, 0));
}

/* The text that it gets, or NULL. */
static const char *replacement(struct access *access, const struct value *value,
                               CXCursor cursor, struct key **key)
{
    struct ir_arena *arena = access->clang->arena;
    bool array =
        value->kind == V_PLACE && (plain(value->place.type).kind == CXType_Pointer ||
                                   is_array_type(value->place.type));
    bool number =
        value->kind == V_SIZE || (value->kind == V_PLACE && is_number(value->place.type));
    if (value->kind == V_NONE || value->kind == V_NUMBER ||
        (!array && !number && value->kind == V_PLACE))
        return NULL;
    CXType element = element_type(access, &value->place);
    if (!number && !is_number(element) && !is_plain_record(element))
        return NULL;
    *key = key_for(access, number ? value->kind : V_ELEMENT, &value->place);
    if (clang_Cursor_isNull((*key)->method) && is_accessor_call(cursor))
        (*key)->method = clang_getCursorReferenced(cursor);
    const char *name = name_of(*key), *source = access->source;
    if (number || array || (value->kind == V_ADDRESS && !strcmp(value->text, "0")))
        return name;
    const char *text = ir_textf(arena, "%s[%s]", name, value->text);
    if (value->kind == V_ELEMENT)
        return text;
    size_t begin = begin_of(cursor), end = end_of(cursor);
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
    struct value value = value_of(access, cursor, access->outermost);
    if (value.kind == V_NONE && value_anywhere(access, cursor).kind != V_NONE)
        return ir_textf(arena,
                        "'%s' of an object that is declared inside of it; declare that "
                        "in front of the loop",
                        name);
    if (is_method(target) && clang_CXXMethod_isVirtual(target))
        return ir_textf(arena,
                        "a call of the virtual method '%s'; read what it gives in front "
                        "of the loop",
                        name);
    if (value.kind != V_NONE)
        return ir_textf(arena, "'%s', which is no number and no array of numbers", name);
    if (!is_method(target))
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
    size_t begin = begin_of(cursor), end = end_of(cursor);
    CXFile file;
    clang_getFileLocation(clang_getCursorLocation(cursor), &file, NULL, NULL, NULL);
    const char *name = spelling_of(access, clang_getCursorReferenced(cursor));
    if (!file || !clang_File_isEqual(file, access->clang->main) ||
        begin < access->begin || end > access->end || begin >= end)
        return false;
    const char *text = ir_textf(access->clang->arena, "%.*s", (int)(end - begin),
                                access->source + begin);
    if (is_operator_text(name))
        return strchr("])", text[strlen(text) - 1]) != NULL;
    return text_has_word(text, name) &&
           (clang_getCursorKind(cursor) != CXCursor_CallExpr ||
            text[strlen(text) - 1] == ')');
}

/* The arguments of a call keep what is written there: they are walked through. */
static void walk_arguments(const struct walk *walk, CXCursor given)
{
    CXCursor cursor = peel(given);
    struct walk inner = *walk;
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    inner.written = inner.is_copied = false;
    if (kind == CXCursor_CallExpr) {
        struct method_call call = method_call_of(walk->access, cursor);
        for (size_t i = 0; i < call.arg_nr; i++) {
            walk_to(&inner, call.arg[i]);
        }
        if (!clang_Cursor_isNull(call.object))
            walk_arguments(walk, call.object);
    } else if (kind == CXCursor_MemberRefExpr && operand_nr(cursor))
        walk_arguments(walk, operand(cursor, 0));
    else if (kind == CXCursor_ArraySubscriptExpr) {
        walk_arguments(walk, operand(cursor, 0));
        walk_to(&inner, operand(cursor, 1));
    }
}

static bool is_copy(const struct value *value, CXCursor cursor)
{
    CXCursor target = clang_getCursorReferenced(cursor);
    return value->kind != V_SIZE && is_accessor_call(cursor) &&
           !is_reference_type(clang_getCursorResultType(target)) &&
           value->kind != V_ADDRESS;
}

static void take(const struct walk *walk, CXCursor cursor)
{
    struct access *access = walk->access;
    const struct walk *before = access->now;
    struct key *key = NULL;
    access->now = walk;
    struct value value = value_of(access, cursor, access->outermost);
    const char *text = replacement(access, &value, cursor, &key);
    access->now = before;
    if (!text) {
        complain(access, cursor, why_not(access, cursor));
        return;
    }
    if (!is_spelt_here(access, cursor) || walk->in_sizeof)
        complain(access, cursor,
                 "the access to an object in a macro or in sizeof; write it in the loop");
    if (walk->written && key->kind != V_ELEMENT)
        complain(access, cursor,
                 ir_textf(access->clang->arena,
                          "a change of '%s', or its address; use a variable and store "
                          "it behind the loop",
                          key->place.text));
    if (walk->written && value.kind == V_PLACE)
        complain(access, cursor,
                 ir_textf(access->clang->arena,
                          "a change of the pointer '%s', or its address",
                          key->place.text));
    if (walk->is_copied && is_copy(&value, cursor))
        complain(access, cursor, "a reference to the copy that a method gives");
    consume_object(access, cursor);
    walk_arguments(walk, cursor);
    add_edit(access, begin_of(cursor), end_of(cursor), text);
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
        return at ? in_branch(walk, operand(cursor, 0), at == 2) : when;
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
    if (!is_reference_type(type))
        return;
    inner->written = !clang_isConstQualifiedType(clang_getPointeeType(type));
    inner->is_copied = !is_mathematical(inner->access, target);
}

static struct walk step(const struct walk *walk, CXCursor cursor, size_t at)
{
    struct walk inner = *walk;
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    bool through = kind == CXCursor_UnexposedExpr || kind == CXCursor_ParenExpr;
    if (!through)
        inner.written = inner.is_copied = false;
    inner.when = when_in(walk, cursor, at);
    if (is_assignment(cursor))
        inner.written = at == 0;
    if (kind == CXCursor_UnaryOperator &&
        clang_getCursorUnaryOperatorKind(cursor) == CXUnaryOperator_AddrOf)
        inner.written = true;
    if (kind == CXCursor_UnaryExpr)
        inner.in_sizeof = true;
    if (kind == CXCursor_CallExpr)
        bind(&inner, cursor, at);
    if (kind == CXCursor_VarDecl && is_reference_type(clang_getCursorType(cursor))) {
        CXType to = clang_getPointeeType(clang_getCursorType(cursor));
        inner.written = !clang_isConstQualifiedType(to);
        inner.is_copied = true;
    }
    return inner;
}

/* ---- functions that get objects ---- */

static const char *with_edits(struct access *access, size_t begin, size_t end);
static const char *parameter_text(const struct access *access, const struct key *key);
static enum CXChildVisitResult find_leaving(CXCursor cursor, CXCursor parent,
                                            CXClientData data);

static bool is_class_scope(CXCursor cursor)
{
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    return kind == CXCursor_ClassDecl || kind == CXCursor_StructDecl ||
           kind == CXCursor_UnionDecl || kind == CXCursor_ClassTemplate;
}

static bool is_in_class_body(CXCursor function)
{
    return is_class_scope(clang_getCursorLexicalParent(function));
}

/* The namespace or file that it is declared in. */
static CXCursor space_of(CXCursor cursor)
{
    CXCursor at = clang_getCursorSemanticParent(cursor);
    while (is_class_scope(at) || clang_getCursorKind(at) == CXCursor_LinkageSpec)
        at = clang_getCursorSemanticParent(at);
    return clang_getCanonicalCursor(at);
}

static bool is_in_its_space(CXCursor function)
{
    CXCursor at = clang_getCursorLexicalParent(function);
    while (is_class_scope(at) || clang_getCursorKind(at) == CXCursor_LinkageSpec)
        at = clang_getCursorLexicalParent(at);
    return clang_equalCursors(clang_getCanonicalCursor(at), space_of(function));
}

static bool takes_object(CXCursor parameter)
{
    CXType type = clang_getCursorType(parameter);
    return type.kind == CXType_LValueReference && is_object_type(type);
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
    bool same = !is_in_class_body(access->self) && is_in_its_space(definition) &&
                clang_equalCursors(space_of(definition), space_of(access->self));
    return own && same && begin_of(definition) < access->function->begin
               ? definition
               : clang_getNullCursor();
}

static const char *copy_name(struct access *access, CXCursor function)
{
    struct ir_names macros, declared;
    struct ct_file file = {.clang = access->clang};
    const char *stem =
        ir_textf(access->clang->arena, "%s_arrays", spelling_of(access, function));
    const char *name = stem;
    ct_read_names(&file, access->function, &macros, &declared);
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
                           : declared ? parameter_text(access, key)
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
        size_t begin = begin_of(item);
        if (!first)
            begin = end_of(clang_Cursor_getArgument(owner, (unsigned)i - 1));
        add_edit(access, begin, end_of(item), first ? list : "");
        first = false;
    }
}

static void read_copy(const struct walk *walk, struct copy *copy, struct frame *frame)
{
    struct access *access = walk->access;
    struct access saved = *access;
    size_t at = offset_at(clang_getCursorLocation(copy->function));
    size_t parts = operand_nr(copy->function);
    CXCursor body = operand(copy->function, parts - 1);
    struct walk inner = {.access = access, .when = walk->when};
    access->begin = begin_of(copy->function);
    access->end = end_of(copy->function);
    access->edit = NULL;
    access->edit_nr = access->edit_alloc = 0;
    access->outermost = frame;
    access->open = copy;
    access->leaves_at = (size_t)-1;
    clang_visitChildren(body, find_leaving, access);
    walk_to(&inner, body);
    add_edit(access, at, at + strlen(spelling_of(access, copy->function)), copy->name);
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
            walk_to(&inner, argument);
            continue;
        }
        struct value value = value_of(access, argument, access->outermost);
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
    size_t at = offset_at(clang_getCursorLocation(peel(operand(call, 0))));
    const char *name = spelling_of(access, function);
    if (!is_spelt_here(access, call) ||
        strncmp(access->source + at, name, strlen(name)) != 0)
        complain(access, call, "a call in a macro, or by a longer name, with an object");
    if (!copy->key_nr)
        complain(access, call, "a function that gets an object and uses nothing of it");
    add_edit(access, at, at + strlen(name), copy->name);
    edit_objects(access, call, function, key_list(access, copy, false));
    return true;
}

/* `&x[i]` changes nothing yet: elements may be written. */
static void walk_to(const struct walk *walk, CXCursor cursor)
{
    struct access *access = walk->access;
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    struct walk here = *walk;
    here.cursor = cursor;
    if (access->trouble.text)
        return;
    here.when.unknown = here.when.unknown || begin_of(cursor) > access->leaves_at;
    if (is_accessor_call(cursor) ||
        (kind == CXCursor_MemberRefExpr && is_object_field(cursor))) {
        take(&here, cursor);
        return;
    }
    if (take_call(&here, cursor))
        return;
    if (kind == CXCursor_DeclRefExpr &&
        clang_getCursorKind(clang_getCursorReferenced(cursor)) != CXCursor_FunctionDecl &&
        is_object_type(clang_getCursorType(cursor)))
        complain(access, cursor,
                 ir_textf(access->clang->arena,
                          "the object '%s' as a whole; use its elements and numbers",
                          spelling_of(access, cursor)));
    if (kind == CXCursor_CXXThisExpr)
        complain(access, cursor, "the object itself (this); use its fields");
    struct cursors list = operands_of(cursor);
    for (size_t i = 0; i < list.item_nr; i++) {
        struct walk inner = step(&here, cursor, i);
        walk_to(&inner, list.item[i]);
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
static const char *text_of(struct access *access, CXCursor cursor)
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
    walk_to(&walk, cursor);
    const char *text = with_edits(access, begin_of(cursor), end_of(cursor));
    for (size_t i = 0; i < access->key_nr; i++) {
        access->key[i].when = i < keys ? saved[i] : (struct when){0};
        access->key[i].met = i < keys && met[i];
    }
    access->edit_nr = edits;
    free(saved);
    free(met);
    return text;
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
        taken = is_word_of(access, begin_of(access->copy[i]->function),
                           end_of(access->copy[i]->function), name);
    return taken;
}

/* The field keeps its name in a function that has no such variable. */
static bool is_field_name(const struct key *key, const char *name)
{
    return key->place.object && !*key->place.object && !strcmp(name, key->place.text);
}

static void choose_names(struct access *access)
{
    struct ir_names macros, declared;
    struct ir_arena *arena = access->clang->arena;
    struct ct_file file = {.clang = access->clang};
    ct_read_names(&file, access->function, &macros, &declared);
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
                    (int)(end_of(cursor) - begin_of(cursor)),
                    access->source + begin_of(cursor));
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
    size_t at = named ? offset_at(clang_getCursorLocation(target)) : 0;
    search->found = search->found || is_assignment(cursor) ||
                    (named && at >= search->access->begin && at < search->access->end);
    return search->found ? CXChildVisit_Break : CXChildVisit_Recurse;
}

/* An accessor that may be asked in front of the loop, too. */
static bool is_outer_access(struct access *access, CXCursor cursor)
{
    struct scope_search search = {.access = access};
    find_inner_name(cursor, cursor, &search);
    if (!search.found)
        clang_visitChildren(cursor, find_inner_name, &search);
    return !search.found && is_accessor_call(peel(cursor)) &&
           value_of(access, cursor, access->outermost).kind != V_NONE;
}

/* What the loop's condition is before its first iteration, or NULL. */
static const char *first_condition(struct access *access)
{
    struct cursors list = children_of(access->statement);
    const char *text = NULL;
    struct ir_arena *arena = access->clang->arena;
    if (clang_getCursorKind(access->statement) == CXCursor_ForStmt && list.item_nr == 4 &&
        clang_getCursorKind(list.item[0]) == CXCursor_DeclStmt &&
        operand_nr(list.item[0]) == 1 &&
        clang_getCursorKind(list.item[1]) == CXCursor_BinaryOperator) {
        CXCursor variable = operand(list.item[0], 0);
        CXCursor init = peel(clang_Cursor_getVarDeclInitializer(variable));
        CXCursor left = peel(operand(list.item[1], 0)), right = operand(list.item[1], 1);
        enum CXBinaryOperatorKind kind = clang_getCursorBinaryOperatorKind(list.item[1]);
        const char *op =
            take_string(access->clang, clang_getBinaryOperatorKindSpelling(kind));
        bool compares = kind >= CXBinaryOperator_LT && kind <= CXBinaryOperator_NE;
        long long from = 0;
        bool literal = clang_getCursorKind(init) == CXCursor_IntegerLiteral &&
                       evaluate(init, &from) && from <= LITERAL_LIMIT;
        bool fine = compares &&
                    clang_equalCursors(clang_getCursorReferenced(left), variable) &&
                    (literal || is_invariant(access, init)) &&
                    (is_invariant(access, right) || is_outer_access(access, right));
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

static const char *parameter_text(const struct access *access, const struct key *key)
{
    struct ir_arena *arena = access->clang->arena;
    const struct place *place = &key->place;
    if (key->kind == V_SIZE)
        return ir_textf(arena, "std::size_t %s", key->name);
    if (key->kind == V_PLACE)
        return ir_textf(arena, "%s %s", type_of(access->clang, place->type).text,
                        key->name);
    CXType element = element_type(access, place);
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
                                 .declaration = parameter_text(access, key),
                                 .argument = argument.text,
                                 .is_array = key->kind == V_ELEMENT};
    if (!argument.text) {
        complain_of(access, key,
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
                             "first element cannot be asked for; read it in front of "
                             "the condition, or add a method that gives its data()",
                             key->place.text));
    else if (key->when.condition)
        out->argument =
            ir_textf(arena, "%s ? %s : nullptr", key->when.condition, argument.text);
}

/* ---- all of it ---- */

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
        begin_of(cursor) == seek->begin) {
        seek->found = cursor;
        return CXChildVisit_Break;
    }
    return CXChildVisit_Recurse;
}

static enum CXChildVisitResult find_leaving(CXCursor cursor, CXCursor parent,
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
                 is_noreturn(access, target));
    size_t at = kind == CXCursor_ReturnStmt ? end_of(cursor) : begin_of(cursor);
    if (ends && at < access->leaves_at)
        access->leaves_at = at;
    return CXChildVisit_Recurse;
}

/* ---- names that mean the same in front of the function ---- */

/* `size_type`, `s_count`, `helper()` of the class, without its name in front. */
static enum CXChildVisitResult find_member_name(CXCursor cursor, CXCursor parent,
                                                CXClientData data)
{
    (void)parent;
    struct access *access = data;
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    CXCursor target = clang_getCursorReferenced(cursor);
    size_t at = offset_at(clang_getCursorLocation(cursor));
    bool names = kind == CXCursor_DeclRefExpr || kind == CXCursor_TypeRef ||
                 kind == CXCursor_TemplateRef ||
                 (kind == CXCursor_MemberRefExpr && !operand_nr(cursor));
    while (at && isspace((unsigned char)access->source[at - 1]))
        at--;
    bool qualified = at && access->source[at - 1] == ':';
    if (names && !qualified && !clang_Cursor_isNull(target) &&
        clang_getCursorKind(target) != CXCursor_FieldDecl && !is_method(target) &&
        is_class_scope(clang_getCursorSemanticParent(target)))
        complain(access, cursor,
                 ir_textf(access->clang->arena,
                          "'%s', which in front of the function may be another thing; "
                          "write the class in front of it, '%s'",
                          spelling_of(access, target),
                          cxx_qualified(access->clang, target)));
    return access->trouble.text ? CXChildVisit_Break : CXChildVisit_Recurse;
}

static void check_names(struct access *access, CXCursor function)
{
    if (!is_in_its_space(function))
        complain(access, access->statement,
                 "names that in front of the function may be others: it stands outside "
                 "of its namespace");
    if (!is_in_class_body(function))
        clang_visitChildren(access->statement, find_member_name, access);
}

static struct value this_value(struct access *access, CXCursor function)
{
    struct value value = {0};
    if (!cxx_is_method(function))
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
    walk_to(&walk, access->statement);
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
    outermost.self = this_value(&access, cursor);
    clang_visitChildren(seek.found, find_leaving, &access);
    check_names(&access, cursor);
    walk_statement(&access);
    if (!access.trouble.text)
        check_effects(&access);
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
