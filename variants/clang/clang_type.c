/* Types and declarations, told as ir.h tells them. */
#include "variants/clang/clang_cursor.h"

#include <stdlib.h>
#include <string.h>

/* ---- types ---- */

enum { LEVELS_MAX = 16 };
enum { SIZE_POINTER = -3, SIZE_OPEN, SIZE_VARIABLE }; /* and 0 up: a constant array */

struct shape {
    long long size[LEVELS_MAX]; /* outermost first */
    int level_nr;
    bool odd;
};

static long long level_size(CXType canonical)
{
    switch (canonical.kind) {
    case CXType_ConstantArray:
        return clang_getArraySize(canonical);
    case CXType_IncompleteArray:
        return SIZE_OPEN;
    case CXType_VariableArray:
        return SIZE_VARIABLE;
    default:
        return SIZE_POINTER;
    }
}

/* The tag of what va_list is made of has no name in C. */
static bool is_va_list(CXType type)
{
    CXString text = clang_getTypeSpelling(type);
    bool is = strstr(clang_getCString(text), "va_list") != NULL;
    clang_disposeString(text);
    return is;
}

static bool is_level(CXType type)
{
    enum CXTypeKind kind = clang_getCanonicalType(type).kind;
    if (is_va_list(type))
        return false;
    return kind == CXType_Pointer || kind == CXType_ConstantArray ||
           kind == CXType_IncompleteArray || kind == CXType_VariableArray;
}

/* One step through typedefs and the like, keeping the names further in. */
static CXType without_sugar(CXType type)
{
    switch (type.kind) {
    case CXType_Elaborated:
        return clang_Type_getNamedType(type);
    case CXType_Typedef:
        return clang_getTypedefDeclUnderlyingType(clang_getTypeDeclaration(type));
    case CXType_Attributed:
        return clang_Type_getModifiedType(type);
    default:
        return clang_getCanonicalType(type);
    }
}

static CXType element_of(CXType type)
{
    while (type.kind != CXType_Pointer && level_size(type) == SIZE_POINTER)
        type = without_sugar(type);
    return type.kind == CXType_Pointer ? clang_getPointeeType(type)
                                       : clang_getArrayElementType(type);
}

static bool is_qualified(CXType type)
{
    return clang_isConstQualifiedType(type) || clang_isVolatileQualifiedType(type) ||
           clang_isRestrictQualifiedType(type);
}

static enum ir_scalar scalar_of(enum CXTypeKind kind)
{
    switch (kind) {
    case CXType_Void:
        return IR_VOID;
    case CXType_Bool:
        return IR_BOOL;
    case CXType_Float:
    case CXType_Double:
    case CXType_LongDouble:
    case CXType_Float128:
    case CXType_Half:
    case CXType_Float16:
        return IR_FLOAT;
    case CXType_Record:
        return IR_RECORD;
    case CXType_Enum:
        return IR_INT;
    default:
        return kind >= CXType_Char_U && kind <= CXType_Int128 ? IR_INT : IR_OTHER;
    }
}

/* Classes by their whole name; so are types without a name of their own (auto) and those
 * that a class has a name for, which is not known outside of it. */
static const char *cxx_element_text(struct ct_clang *clang, CXType type)
{
    CXType plain = clang_getUnqualifiedType(type);
    CXCursor parent = clang_getCursorSemanticParent(clang_getTypeDeclaration(plain));
    enum CXCursorKind kind = clang_getCursorKind(parent);
    bool in_class = kind == CXCursor_ClassDecl || kind == CXCursor_StructDecl;
    if (clang_getCanonicalType(type).kind == CXType_Record || plain.kind == CXType_Auto ||
        in_class)
        return cxx_type_text(clang, plain);
    return take_string(clang, clang_getTypeSpelling(plain));
}

static enum CXChildVisitResult find_attribute(CXCursor cursor, CXCursor parent,
                                              CXClientData data)
{
    (void)parent;
    bool *found = data;
    *found = *found || clang_isAttribute(clang_getCursorKind(cursor));
    return CXChildVisit_Continue;
}

static bool has_attribute(CXCursor cursor)
{
    bool found = false;
    clang_visitChildren(cursor, find_attribute, &found);
    return found;
}

/* libclang does not say which attribute a typedef has; may_alias is one. */
static bool may_alias(CXType type)
{
    bool found = false;
    for (int i = 0; !found && i < LEVELS_MAX; i++) {
        if (type.kind == CXType_Typedef)
            found = has_attribute(clang_getTypeDeclaration(type));
        type = without_sugar(type);
    }
    return found;
}

static bool is_movable(CXType type);

static enum CXVisitorResult look_at_field(CXCursor field, CXClientData data)
{
    bool *movable = data;
    *movable = is_movable(clang_getCursorType(field));
    return *movable ? CXVisit_Continue : CXVisit_Break;
}

/* A complete type without pointers. */
static bool is_movable(CXType type)
{
    CXType canonical = clang_getCanonicalType(type);
    while (canonical.kind == CXType_ConstantArray)
        canonical = clang_getCanonicalType(clang_getArrayElementType(canonical));
    enum ir_scalar scalar = scalar_of(canonical.kind);
    bool movable = scalar == IR_BOOL || scalar == IR_INT || scalar == IR_FLOAT;
    if (scalar == IR_RECORD && clang_Type_getSizeOf(canonical) > 0) {
        movable = true;
        clang_Type_visitFields(canonical, look_at_field, &movable);
    }
    return movable;
}

static void read_element(struct ct_clang *clang, CXType type, struct ir_type *out)
{
    CXType canonical = clang_getCanonicalType(type);
    out->scalar = scalar_of(canonical.kind);
    out->is_unsigned = out->scalar == IR_BOOL || (canonical.kind >= CXType_Char_U &&
                                                  canonical.kind <= CXType_UInt128);
    out->is_const = clang_isConstQualifiedType(type);
    out->is_movable = out->scalar == IR_RECORD && is_movable(type);
    out->may_alias = may_alias(type);
    /* nobody looks at an atomic number as one at rest, either */
    out->is_volatile = out->is_volatile || clang_isVolatileQualifiedType(canonical) ||
                       canonical.kind == CXType_Atomic;
    out->text =
        clang->is_cplusplus
            ? cxx_element_text(clang, type)
            : take_string(clang, clang_getTypeSpelling(clang_getUnqualifiedType(type)));
    /* libclang crashes on the size of a builtin's placeholder type */
    bool sized = out->scalar != IR_VOID && out->scalar != IR_OTHER;
    if (sized || canonical.kind == CXType_Complex || canonical.kind == CXType_Vector) {
        long long bytes = clang_Type_getSizeOf(canonical);
        out->bytes = bytes > 0 ? (size_t)bytes : 0;
    }
}

/* Arrays of arrays ... of pointers are told by counts; so is a pointer to arrays;
 * anything else is odd. */
static bool is_plain_shape(const struct shape *shape)
{
    int i = 0;
    if (shape->level_nr > 1 && shape->size[0] == SIZE_POINTER &&
        shape->size[1] != SIZE_POINTER)
        i = 1;
    while (i < shape->level_nr && shape->size[i] != SIZE_POINTER)
        i++;
    if (i > 0 && shape->size[0] == SIZE_POINTER && i < shape->level_nr)
        return false;
    while (i < shape->level_nr && shape->size[i] == SIZE_POINTER)
        i++;
    return i == shape->level_nr;
}

static struct ir_type read_type(struct ct_clang *clang, CXType type, struct shape *shape)
{
    struct ir_type out = {0};
    const char *text = take_string(clang, clang_getTypeSpelling(type));
    out.is_restrict =
        is_level(type) && (clang_isRestrictQualifiedType(clang_getCanonicalType(type)) ||
                           strstr(text, "[restrict") != NULL);
    while (is_level(type) && shape->level_nr < LEVELS_MAX) {
        out.is_volatile = out.is_volatile || clang_isVolatileQualifiedType(type);
        shape->odd = shape->odd || (shape->level_nr > 0 && is_qualified(type));
        shape->size[shape->level_nr++] = level_size(clang_getCanonicalType(type));
        type = element_of(type);
    }
    read_element(clang, type, &out);
    out.pointers = shape->level_nr;
    shape->odd = shape->odd || !is_plain_shape(shape) || strchr(out.text, '(');
    bool arrays = shape->level_nr > 1 && shape->size[1] != SIZE_POINTER;
    out.full = shape->odd || arrays ? text : NULL;
    return out;
}

struct ir_type type_of(struct ct_clang *clang, CXType type)
{
    struct shape shape = {0};
    return read_type(clang, clang_getNonReferenceType(type), &shape);
}

/* ---- declarations ---- */

static struct ct_node *number_node(struct ct_clang *clang, long long value)
{
    struct ct_node *node = node_new(clang, CT_LITERAL, 0);
    node->text = ir_textf(clang->arena, "%lld", value);
    node->value = value;
    node->has_value = true;
    node->type = (struct ir_type){.text = "int", .scalar = IR_INT, .bytes = 4};
    return node;
}

/* The expressions below a declaration are its dimensions, innermost first, and then
 * the initialiser. */
static struct cursors dimensions_of(CXCursor cursor)
{
    struct cursors all = children_of(cursor), dims = {0};
    for (size_t i = 0; i < all.item_nr; i++)
        if (clang_isExpression(clang_getCursorKind(all.item[i])))
            cursors_add(&dims, all.item[i]);
    CXCursor init = clang_Cursor_getVarDeclInitializer(cursor);
    if (dims.item_nr > 0 && !clang_Cursor_isNull(init))
        dims.item_nr--;
    free(all.item);
    return dims;
}

static void read_dimensions(struct ct_clang *clang, CXCursor cursor,
                            const struct shape *shape, struct ct_decl *decl)
{
    struct cursors dims = dimensions_of(cursor);
    size_t given = 0, left = 0;
    for (size_t i = 0; i < decl->dim_nr; i++)
        given += shape->size[i] >= SIZE_VARIABLE;
    left = dims.item_nr;
    decl->dim = ir_alloc(clang->arena, (decl->dim_nr + 1) * sizeof(struct ct_node *));
    for (size_t i = 0; i < decl->dim_nr; i++) {
        if (shape->size[i] < SIZE_VARIABLE)
            continue;
        if (given == dims.item_nr)
            decl->dim[i] = node_build(clang, dims.item[--left]);
        else if (shape->size[i] >= 0)
            decl->dim[i] = number_node(clang, shape->size[i]);
    }
    free(dims.item);
}

/* No type that libclang shows keeps the restrict of `A[restrict][m]`. */
static bool is_open_restrict(struct ct_clang *clang, CXCursor cursor)
{
    CXToken *token = NULL;
    unsigned nr = 0;
    bool found = false;
    clang_tokenize(clang->unit, clang_getCursorExtent(cursor), &token, &nr);
    for (unsigned i = 1; i < nr && !found; i++) {
        const char *bracket =
            take_string(clang, clang_getTokenSpelling(clang->unit, token[i - 1]));
        const char *word =
            take_string(clang, clang_getTokenSpelling(clang->unit, token[i]));
        found = strcmp(bracket, "[") == 0 && strstr(word, "restrict");
    }
    clang_disposeTokens(clang->unit, token, nr);
    return found;
}

static void read_variable(struct ct_clang *clang, CXCursor cursor, struct ct_decl *decl)
{
    struct shape shape = {0};
    CXType type = clang_getCursorType(cursor);
    decl->is_reference = clang_getCanonicalType(type).kind == CXType_LValueReference;
    if (decl->is_reference)
        type = clang_getNonReferenceType(
            type.kind == CXType_LValueReference ? type : clang_getCanonicalType(type));
    decl->type = read_type(clang, type, &shape);
    decl->type.full = NULL;
    if (shape.level_nr > 0 && shape.size[0] == SIZE_OPEN && decl->role == IR_PARAM)
        decl->type.is_restrict = is_open_restrict(clang, cursor);
    if (shape.odd || has_attribute(cursor))
        decl->as_written = take_string(clang, clang_getCursorPrettyPrinted(cursor, NULL));
    for (int i = 0; i < shape.level_nr; i++)
        decl->dim_nr += shape.size[i] != SIZE_POINTER;
    if (decl->dim_nr > 0 && shape.size[0] == SIZE_POINTER) {
        decl->dim_nr++;
        decl->pointer_to_array = true;
    }
    if (decl->dim_nr > 0 && !shape.odd)
        read_dimensions(clang, cursor, &shape, decl);
    else
        decl->dim_nr = 0;
    if (decl->type.pointers == 0 && decl->type.scalar == IR_INT && decl->type.is_const)
        decl->has_value = evaluate(cursor, &decl->value);
}

static enum ir_role role_of(CXCursor cursor)
{
    switch (clang_getCursorKind(cursor)) {
    case CXCursor_ParmDecl:
        return IR_PARAM;
    default:
        break;
    }
    if (cxx_is_function(cursor))
        return IR_FUNCTION;
    CXCursor parent = clang_getCursorSemanticParent(cursor);
    bool outside = clang_Cursor_getStorageClass(cursor) == CX_SC_Extern;
    return outside || clang_getCursorKind(parent) == CXCursor_TranslationUnit ||
                   cxx_is_scope(parent)
               ? IR_GLOBAL
               : IR_LOCAL;
}

/* libclang places a builtin's declaration where it is first used. */
static bool is_builtin(const char *name)
{
    return strncmp(name, "__builtin_", 10) == 0 || strncmp(name, "__sync_", 7) == 0 ||
           strncmp(name, "__atomic_", 9) == 0;
}

/* By its name and type, and because no text that we see says what it does. */
static const struct known_function *
known_function(struct ct_clang *clang, CXCursor cursor, const struct ct_decl *decl)
{
    const struct known_function *row = function_named(decl->name);
    CXCursor body = clang_getCursorDefinition(cursor);
    CXType type = clang_getCanonicalType(clang_getCursorType(cursor));
    if (type.kind == CXType_FunctionNoProto) /* a builtin that libclang does not know */
        return NULL;
    if (!row || decl->implicit)
        return row;
    bool seen = !clang_Cursor_isNull(body) &&
                !clang_Location_isInSystemHeader(clang_getCursorLocation(body));
    return !seen && function_is_declared(
                        row, decl->name, take_string(clang, clang_getTypeSpelling(type)),
                        clang_Location_isInSystemHeader(clang_getCursorLocation(cursor)))
               ? row
               : NULL;
}

struct ct_decl *decl_of(struct ct_clang *clang, CXCursor cursor)
{
    CXCursor canonical = clang_getCanonicalCursor(cursor);
    for (size_t i = 0; i < clang->known_nr; i++)
        if (clang_equalCursors(clang->known[i].cursor, canonical))
            return clang->known[i].decl;
    struct ct_decl *decl = ir_alloc(clang->arena, sizeof(*decl));
    GROW(clang->known, clang->known_nr + 1, clang->known_alloc);
    clang->known[clang->known_nr++] = (struct known_decl){canonical, decl};
    decl->name = take_string(clang, clang_getCursorSpelling(cursor));
    decl->role = role_of(cursor);
    if (clang->is_cplusplus && (decl->role == IR_GLOBAL || decl->role == IR_FUNCTION))
        decl->name = cxx_visible(clang, cursor);
    if (decl->role == IR_FUNCTION)
        decl->name = cxx_with_arguments(clang, cursor, decl->name);
    decl->is_static = clang_Cursor_getStorageClass(cursor) == CX_SC_Static;
    decl->is_thread_local = clang_getCursorTLSKind(cursor) != CXTLS_None;
    CXFile file;
    unsigned line;
    clang_getExpansionLocation(clang_getCursorLocation(cursor), &file, &line, NULL, NULL);
    decl->line = (int)line;
    decl->implicit = !file || is_builtin(decl->name);
    if (decl->role == IR_FUNCTION) {
        decl->type = type_of(clang, clang_getCursorResultType(cursor));
        decl->known = known_function(clang, cursor, decl);
    } else
        read_variable(clang, cursor, decl);
    return decl;
}
