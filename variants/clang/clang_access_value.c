/* What an expression that uses an object stands for: an element, a field, a number. */
#include "variants/clang/clang_access_parts.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"

/* ---- places in the file ---- */

size_t access_offset_at(CXSourceLocation location)
{
    unsigned offset;
    clang_getFileLocation(location, NULL, NULL, NULL, &offset);
    return offset;
}

size_t access_begin_of(CXCursor cursor)
{
    return access_offset_at(clang_getRangeStart(clang_getCursorExtent(cursor)));
}

size_t access_end_of(CXCursor cursor)
{
    return access_offset_at(clang_getRangeEnd(clang_getCursorExtent(cursor)));
}

void access_complain(struct access *access, CXCursor cursor, const char *text)
{
    unsigned line, column;
    if (access->trouble.text)
        return;
    clang_getExpansionLocation(clang_getCursorLocation(cursor), NULL, &line, &column,
                               NULL);
    access->trouble = (struct ct_trouble){text, (int)line, (int)column};
}

const char *access_spelling_of(const struct access *access, CXCursor cursor)
{
    return take_string(access->clang, clang_getCursorSpelling(cursor));
}

/* ---- cursors ---- */

struct cursors access_operands_of(CXCursor cursor)
{
    struct cursors list = children_of(cursor);
    size_t kept = 0;
    for (size_t i = 0; i < list.item_nr; i++)
        if (!clang_isReference(clang_getCursorKind(list.item[i])))
            list.item[kept++] = list.item[i];
    list.item_nr = kept;
    return list;
}

size_t access_operand_nr(CXCursor cursor)
{
    struct cursors list = access_operands_of(cursor);
    free(list.item);
    return list.item_nr;
}

CXCursor access_operand(CXCursor cursor, size_t at)
{
    struct cursors list = access_operands_of(cursor);
    CXCursor found = at < list.item_nr ? list.item[at] : clang_getNullCursor();
    free(list.item);
    return found;
}

/* Through parentheses and implicit casts. */
CXCursor access_peel(CXCursor cursor)
{
    while ((clang_getCursorKind(cursor) == CXCursor_UnexposedExpr ||
            clang_getCursorKind(cursor) == CXCursor_ParenExpr) &&
           access_operand_nr(cursor) == 1)
        cursor = access_operand(cursor, 0);
    return cursor;
}

CXType access_plain(CXType type)
{
    return clang_getUnqualifiedType(
        clang_getCanonicalType(clang_getNonReferenceType(type)));
}

bool access_is_same_type(CXType a, CXType b)
{
    return clang_equalTypes(access_plain(a), access_plain(b));
}

bool access_is_number(CXType type)
{
    enum CXTypeKind kind = access_plain(type).kind;
    return kind == CXType_Enum || (kind >= CXType_Bool && kind <= CXType_LongDouble);
}

bool access_is_integer(CXType type)
{
    enum CXTypeKind kind = access_plain(type).kind;
    return kind >= CXType_Bool && kind <= CXType_Int128;
}

bool access_is_reference_type(CXType type)
{
    return type.kind == CXType_LValueReference || type.kind == CXType_RValueReference;
}

bool access_is_record(CXType type)
{
    return access_plain(type).kind == CXType_Record;
}

/* Such as a C struct could be: what is done with it needs no other words. */
bool access_is_plain_record(CXType type)
{
    return access_is_record(type) && clang_isPODType(access_plain(type));
}

bool access_is_method(CXCursor target)
{
    return clang_getCursorKind(target) == CXCursor_CXXMethod &&
           !clang_CXXMethod_isStatic(target);
}

bool access_is_array_type(CXType type)
{
    return access_plain(type).kind == CXType_ConstantArray;
}

/* ---- containers ---- */

static const struct {
    const char *type;
    const char *data; /* how its elements are asked for; NULL = by the first one */
    bool shares_const, owns;
} containers[] = {
    {"std::vector<", ".data()", true, true},      {"std::array<", ".data()", true, false},
    {"std::span<", ".data()", false, false},      {"std::valarray<", NULL, true, true},
    {"std::unique_ptr<", ".get()", false, false},
};

const char *access_container_data(int row)
{
    return containers[row].data;
}

bool access_container_shares_const(int row)
{
    return containers[row].shares_const;
}

bool access_container_owns(int row)
{
    return containers[row].owns;
}

/* Its row in the table, or -1. */
int access_container_of(const struct access *access, CXType type)
{
    CXType canonical = access_plain(type);
    if (canonical.kind != CXType_Record)
        return -1;
    const char *text = cxx_type_text(access->clang, canonical);
    for (size_t i = 0; i < ARRAY_SIZE(containers); i++)
        if (text_begins(text, containers[i].type) &&
            !text_begins(text, "std::vector<bool"))
            return (int)i;
    return -1;
}

CXType access_element_type(const struct access *access, const struct place *place)
{
    CXType type = clang_getNonReferenceType(place->type);
    if (access_container_of(access, type) >= 0) {
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
                    access_plain(base->place.type).kind == CXType_Pointer ? "->" : ".");
}

CXType access_record_of(CXType type)
{
    CXType canonical = clang_getCanonicalType(clang_getNonReferenceType(type));
    if (canonical.kind == CXType_Pointer)
        canonical = clang_getCanonicalType(clang_getPointeeType(canonical));
    return canonical;
}

/* No plain struct, nor a pointer to one. */
bool access_is_object_type(CXType type)
{
    CXType record = access_record_of(type);
    return record.kind == CXType_Record && !clang_isPODType(record);
}

static bool is_const_object(CXType type)
{
    CXType canonical = clang_getCanonicalType(clang_getNonReferenceType(type));
    if (canonical.kind == CXType_Pointer)
        canonical = clang_getPointeeType(canonical);
    return clang_isConstQualifiedType(canonical);
}

/* May the function around the loop name this member of an object of the class `record`,
 * and does the name alone mean it? A base class's may be hidden by another of its name.
 */
bool access_is_visible(const struct access *access, CXCursor record, CXCursor member)
{
    struct cxx_way way =
        cxx_way_to(access->clang, record, clang_getCursorSemanticParent(member));
    enum CX_CXXAccessSpecifier specifier = clang_getCXXAccessSpecifier(member);
    bool self = clang_equalCursors(clang_getCanonicalCursor(record), access->self_class);
    bool is_public =
        specifier == CX_CXXPublic || specifier == CX_CXXInvalidAccessSpecifier;
    if (way.nr != 1)
        return false;
    if (way.is_own)
        return is_public || self;
    return cxx_classes_with(record, access_spelling_of(access, member)) == 1 &&
           ((is_public && way.is_public) ||
            (self && way.is_open && specifier != CX_CXXPrivate));
}

CXCursor access_class_of(const struct place *object)
{
    return clang_getTypeDeclaration(access_record_of(object->type));
}

static struct value field_of(const struct access *access, const struct value *base,
                             CXCursor field)
{
    struct ir_arena *arena = access->clang->arena;
    struct value value = {.kind = V_PLACE};
    struct place *place = &value.place;
    const char *name = access_spelling_of(access, field);
    if (base->kind != V_PLACE || clang_getCursorKind(field) != CXCursor_FieldDecl ||
        clang_Cursor_isBitField(field) || !*name ||
        access_is_reference_type(clang_getCursorType(field)) ||
        clang_isVolatileQualifiedType(
            clang_getCanonicalType(clang_getCursorType(field))) ||
        cxx_way_to(access->clang, access_class_of(&base->place),
                   clang_getCursorSemanticParent(field))
                .nr != 1)
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
    place->is_visible = base->place.is_visible &&
                        access_is_visible(access, access_class_of(&base->place), field);
    value.is_atom = true;
    return value;
}

static struct value variable(struct access *access, CXCursor decl)
{
    struct value value = {.kind = V_PLACE, .is_atom = true};
    struct ct_decl *own = decl_of(access->clang, decl);
    size_t at = access_offset_at(clang_getCursorLocation(decl));
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

static const char *in_parentheses(const struct access *access, const struct value *value)
{
    return value->is_atom ? value->text
                          : ir_textf(access->clang->arena, "(%s)", value->text);
}

bool access_is_word(const char *text)
{
    return !text[text_word_length(text)];
}

/* What stands in the loop itself stays as it is written. */
static struct value as_written(struct access *access, CXCursor cursor)
{
    const char *text = access->anywhere ? "" : access_text_of(access, cursor);
    return (struct value){.kind = V_NUMBER,
                          .text = text,
                          .is_atom = access_is_word(text),
                          .vanishes = !strcmp(text, "0")};
}

/* A number that is stored becomes a parameter, if it is not one of the accessor. */

const char *access_name_of(const struct key *key)
{
    return key->name ? key->name : "";
}

static struct value number_of(struct access *access, const struct value *value)
{
    if (value->kind == V_NUMBER)
        return *value;
    if (value->kind == V_SIZE ||
        (value->kind == V_PLACE && access_is_number(value->place.type))) {
        if (!value->place.object && value->kind == V_PLACE)
            return (struct value){
                .kind = V_NUMBER, .text = value->place.text, .is_atom = true};
        const struct key *key = access_key_for(access, value->kind, &value->place);
        return (struct value){
            .kind = V_NUMBER, .text = access_name_of(key), .is_atom = true};
    }
    if (value->kind == V_ELEMENT &&
        access_is_number(access_element_type(access, &value->place))) {
        const struct key *key = access_key_for(access, V_ELEMENT, &value->place);
        return (struct value){.kind = V_NUMBER,
                              .text = ir_textf(access->clang->arena, "%s[%s]",
                                               access_name_of(key), value->text),
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
    struct value left = access_value_of(access, access_operand(cursor, 0), frame);
    struct value right = access_value_of(access, access_operand(cursor, 1), frame);
    bool pointer = left.kind == V_PLACE &&
                   access_plain(left.place.type).kind == CXType_Pointer &&
                   !strcmp(op, "+");
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
        base->kind == V_PLACE && (access_container_of(access, base->place.type) >= 0 ||
                                  access_plain(base->place.type).kind == CXType_Pointer ||
                                  access_is_array_type(base->place.type));
    if (!indexed || at.kind != V_NUMBER)
        return (struct value){0};
    at.kind = V_ELEMENT;
    at.place = base->place;
    return at;
}

static struct value cast(struct access *access, CXCursor cursor,
                         const struct frame *frame)
{
    size_t nr = access_operand_nr(cursor);
    CXCursor inner = nr ? access_peel(access_operand(cursor, nr - 1)) : cursor;
    struct value value = nr ? access_value_of(access, inner, frame) : (struct value){0};
    value = number_of(access, &value);
    CXType type = clang_getCursorType(cursor);
    if (value.kind != V_NUMBER || !access_is_number(type))
        return (struct value){0};
    if (access_is_same_type(type, clang_getCursorType(inner)))
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

struct method_call access_method_call_of(const struct access *access, CXCursor call)
{
    struct method_call out = {.target = clang_getCursorReferenced(call),
                              .object = clang_getNullCursor()};
    CXCursor callee = access_peel(access_operand(call, 0));
    int nr = clang_Cursor_getNumArguments(call), first = 0;
    bool member = clang_getCursorKind(callee) == CXCursor_MemberRefExpr &&
                  clang_equalCursors(clang_getCursorReferenced(callee), out.target);
    if (member)
        out.object = access_operand(callee, 0);
    else if (cxx_is_operator(access_spelling_of(access, out.target)) && nr > 0) {
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
    CXCursor inner = access_peel(cursor);
    struct value value = clang_Cursor_isNull(frame->method)
                             ? as_written(access, inner)
                             : access_value_of(access, inner, frame);
    value = number_of(access, &value);
    CXType type = clang_getCursorType(parameter);
    value.vanishes = true;
    if (value.kind == V_NUMBER &&
        !access_is_same_type(type, clang_getCursorType(inner))) {
        value.text =
            ir_textf(access->clang->arena, "(%s)%s", type_of(access->clang, type).text,
                     in_parentheses(access, &value));
        value.is_atom = false;
    }
    return value;
}

/* `{ return expr; }` */
CXCursor access_only_return(CXCursor method)
{
    CXCursor definition = clang_getCursorDefinition(method);
    struct cursors list = {0};
    if (clang_Cursor_isNull(definition))
        return clang_getNullCursor();
    list = children_of(definition);
    CXCursor body = list.item_nr ? list.item[list.item_nr - 1] : clang_getNullCursor();
    free(list.item);
    if (clang_getCursorKind(body) != CXCursor_CompoundStmt ||
        access_operand_nr(body) != 1 ||
        clang_getCursorKind(access_operand(body, 0)) != CXCursor_ReturnStmt)
        return clang_getNullCursor();
    return access_operand(access_operand(body, 0), 0);
}

bool access_is_plain_method(CXCursor method)
{
    return access_is_method(method) && !clang_CXXMethod_isVirtual(method);
}

/* What the accessor's result is of the value in its return statement: a number that it
 * converts, or a copy of an object, is none. */
bool access_gives_as_it_is(const struct access *access, CXCursor method,
                           const struct value *value)
{
    CXType result = clang_getCursorResultType(method);
    switch (value->kind) {
    case V_PLACE:
        return access_is_same_type(result, value->place.type);
    case V_ELEMENT:
        return access_is_same_type(result, access_element_type(access, &value->place));
    case V_ADDRESS:
        return access_plain(result).kind == CXType_Pointer &&
               access_is_same_type(clang_getPointeeType(access_plain(result)),
                                   access_element_type(access, &value->place));
    case V_SIZE:
        return access_is_integer(result) &&
               clang_Type_getSizeOf(access_plain(result)) == (long long)sizeof(size_t);
    default:
        return false;
    }
}

static struct value of_container(struct access *access, const struct method_call *call,
                                 const struct value *self, const struct value *arg)
{
    const char *name = access_spelling_of(access, call->target);
    int row = access_container_of(access, self->place.type);
    bool pointer = access_plain(self->place.type).kind == CXType_Pointer;
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
    struct method_call call = access_method_call_of(access, cursor);
    struct frame inner = {.method = clang_getCanonicalCursor(call.target),
                          .arg_nr = call.arg_nr,
                          .depth = frame->depth + 1};
    if (!call.fits || inner.depth > DEPTH_LIMIT || !access_is_plain_method(call.target))
        return (struct value){0};
    inner.self = clang_Cursor_isNull(call.object)
                     ? frame->self
                     : access_value_of(access, call.object, frame);
    if (inner.self.kind != V_PLACE)
        return (struct value){0};
    CXCursor definition = clang_getCursorDefinition(call.target);
    CXCursor head = clang_Cursor_isNull(definition) ? call.target : definition;
    bool container =
        access_container_of(access, access_record_of(inner.self.place.type)) >= 0;
    for (size_t i = 0; i < call.arg_nr; i++) {
        inner.parameter[i] = clang_Cursor_getArgument(head, (unsigned)i);
        if (!access_is_integer(clang_getCursorType(inner.parameter[i])))
            return (struct value){0};
        CXCursor plain_arg = access_peel(call.arg[i]);
        bool widens = container && access_is_integer(clang_getCursorType(plain_arg));
        inner.arg[i] =
            argument(access, call.arg[i], widens ? plain_arg : inner.parameter[i], frame);
    }
    if (container)
        return of_container(access, &call, &inner.self, inner.arg);
    CXCursor result = access_only_return(call.target);
    if (clang_Cursor_isNull(result))
        return (struct value){0};
    if (clang_CXXMethod_isConst(call.target))
        inner.self.place.is_const = true;
    struct value value = access_value_of(access, result, &inner);
    return access_gives_as_it_is(access, call.target, &value) ? value : (struct value){0};
}

static struct value member(struct access *access, CXCursor cursor,
                           const struct frame *frame)
{
    CXCursor target = clang_getCursorReferenced(cursor);
    struct value base = access_operand_nr(cursor)
                            ? access_value_of(access, access_operand(cursor, 0), frame)
                            : frame->self;
    return field_of(access, &base, target);
}

static struct value unary(struct access *access, CXCursor cursor,
                          const struct frame *frame)
{
    enum CXUnaryOperatorKind kind = clang_getCursorUnaryOperatorKind(cursor);
    struct value value = access_value_of(access, access_operand(cursor, 0), frame);
    if (kind == CXUnaryOperator_AddrOf && value.kind == V_ELEMENT)
        value.kind = V_ADDRESS;
    else if (kind == CXUnaryOperator_Deref && value.kind == V_ADDRESS)
        value.kind = V_ELEMENT;
    else if (kind == CXUnaryOperator_Deref && value.kind == V_PLACE &&
             access_plain(value.place.type).kind == CXType_Pointer &&
             access_is_object_type(clang_getPointeeType(access_plain(value.place.type))))
        return value; /* the object is told by its pointer */
    else if (kind == CXUnaryOperator_Deref && value.kind == V_PLACE &&
             !clang_Cursor_isNull(frame->method) &&
             access_plain(value.place.type).kind == CXType_Pointer) {
        value.kind = V_ELEMENT;
        value.text = "0";
        value.is_atom = value.vanishes = true;
    } else
        return (struct value){0};
    return value;
}

struct value access_value_of(struct access *access, CXCursor given,
                             const struct frame *frame)
{
    CXCursor cursor = access_peel(given);
    switch (clang_getCursorKind(cursor)) {
    case CXCursor_CXXThisExpr:
        return frame->self;
    case CXCursor_DeclRefExpr:
        return named(access, cursor, frame);
    case CXCursor_MemberRefExpr:
        return member(access, cursor, frame);
    case CXCursor_ArraySubscriptExpr: {
        struct value base = access_value_of(access, access_operand(cursor, 0), frame);
        CXCursor index = access_operand(cursor, 1);
        struct value at = clang_Cursor_isNull(frame->method)
                              ? as_written(access, index)
                              : access_value_of(access, index, frame);
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
