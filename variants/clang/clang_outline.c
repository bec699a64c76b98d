/* What must be known of a statement to take it out of its function: the variables and
 * other things of the function that it names, and how they are declared. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/text.h"
#include "variants/clang/clang_cursor.h"

struct search {
    struct ct_clang *clang;
    CXCursor function;             /* canonical */
    size_t scope_begin, scope_end; /* of the function */
    size_t begin, end;             /* of the statement */
    int switches;                  /* around the cursor, inside of the statement */
    struct ct_use *use;
    size_t use_nr, use_alloc;
    struct ct_trouble trouble;
};

static size_t offset_of(CXSourceLocation location)
{
    unsigned offset;
    clang_getExpansionLocation(location, NULL, NULL, NULL, &offset);
    return offset;
}

static bool is_declared_in(const struct ct_clang *clang, CXCursor decl, size_t begin,
                           size_t end)
{
    CXSourceLocation location = clang_getCursorLocation(decl);
    CXFile file;
    unsigned at;
    clang_getExpansionLocation(location, &file, NULL, NULL, &at);
    return file && clang_File_isEqual(file, clang->main) && at >= begin && at < end;
}

static bool is_variable(CXCursor decl)
{
    enum CXCursorKind kind = clang_getCursorKind(decl);
    return (kind == CXCursor_VarDecl || kind == CXCursor_ParmDecl) &&
           clang_Cursor_getStorageClass(decl) != CX_SC_Extern;
}

/* ---- what cannot be moved ---- */

static const struct {
    enum CXCursorKind kind;
    const char *text;
} immovable[] = {
    {CXCursor_ReturnStmt, "a return statement; put what it returns into a variable and "
                          "leave the loop with break"},
    {CXCursor_GotoStmt, "a goto statement; write it with break and a flag"},
    {CXCursor_IndirectGotoStmt, "a computed goto"},
    {CXCursor_LabelStmt, "a label"},
    {CXCursor_AddrLabelExpr, "the address of a label"},
    {CXCursor_AsmStmt, "an asm statement, whose operands are not read"},
    {CXCursor_StmtExpr, "a statement expression; make it a function"},
    {CXCursor_BlockExpr, "a block of its own (^{ ... })"},
};

/* Calls that belong to the function that makes them. */
static const char *const bound_calls[] = {
    "alloca",
    "__builtin_alloca",
    "__builtin_alloca_with_align",
    "setjmp",
    "_setjmp",
    "__sigsetjmp",
    "longjmp",
    "__builtin_setjmp",
    "__builtin_frame_address",
    "va_start",
    "__builtin_va_start",
    "__builtin_return_address",
};

static void set_trouble(struct search *search, CXCursor cursor, const char *text)
{
    unsigned line, column;
    if (search->trouble.text)
        return;
    clang_getExpansionLocation(clang_getCursorLocation(cursor), NULL, &line, &column,
                               NULL);
    search->trouble = (struct ct_trouble){text, (int)line, (int)column};
}

static void check_call(struct search *search, CXCursor cursor)
{
    CXString name = clang_getCursorSpelling(cursor);
    for (size_t i = 0; i < ARRAY_SIZE(bound_calls); i++)
        if (!strcmp(clang_getCString(name), bound_calls[i]))
            set_trouble(search, cursor,
                        ir_textf(search->clang->arena,
                                 "a call of %s, which belongs to its function",
                                 bound_calls[i]));
    clang_disposeString(name);
}

static void check_statement(struct search *search, CXCursor cursor)
{
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    for (size_t i = 0; i < ARRAY_SIZE(immovable); i++)
        if (immovable[i].kind == kind)
            set_trouble(search, cursor, immovable[i].text);
    if ((kind == CXCursor_CaseStmt || kind == CXCursor_DefaultStmt) && !search->switches)
        set_trouble(search, cursor, "a case of a switch that is outside of the loop");
    if (kind == CXCursor_CallExpr)
        check_call(search, cursor);
}

/* ---- what is named ---- */

static void note_use(struct search *search, CXCursor cursor, bool inside)
{
    CXCursor target = clang_getCursorReferenced(cursor);
    if (clang_Cursor_isNull(target) || clang_equalCursors(target, cursor) ||
        !is_declared_in(search->clang, target, search->scope_begin, search->scope_end))
        return;
    if (clang_equalCursors(clang_getCanonicalCursor(target), search->function))
        return;
    bool own =
        is_declared_in(search->clang, target, search->begin, search->end) && inside;
    if (is_variable(target)) {
        if (clang_getCursorKind(cursor) != CXCursor_DeclRefExpr) /* a cast around it */
            return;
        GROW(search->use, search->use_nr + 1, search->use_alloc);
        search->use[search->use_nr++] =
            (struct ct_use){.decl = decl_of(search->clang, target),
                            .at = offset_of(clang_getCursorLocation(cursor)),
                            .is_inside = inside};
    } else if (inside && !own && clang_getCursorKind(target) != CXCursor_LabelStmt) {
        set_trouble(
            search, cursor,
            ir_textf(search->clang->arena,
                     "'%s', which is declared inside the function; declare it before the "
                     "function",
                     take_string(search->clang, clang_getCursorSpelling(target))));
    }
}

static enum CXChildVisitResult look(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    struct search *search = data;
    CXSourceRange range = clang_getCursorExtent(cursor);
    bool inside = offset_of(clang_getRangeStart(range)) >= search->begin &&
                  offset_of(clang_getRangeEnd(range)) <= search->end;
    bool is_switch = clang_getCursorKind(cursor) == CXCursor_SwitchStmt && inside;
    if (inside)
        check_statement(search, cursor);
    note_use(search, cursor, inside);
    search->switches += is_switch;
    clang_visitChildren(cursor, look, search);
    search->switches -= is_switch;
    return CXChildVisit_Continue;
}

size_t ct_uses(struct ct_file *file, const struct ct_function *function, size_t begin,
               size_t end, const struct ct_use **use, struct ct_trouble *trouble)
{
    struct ct_clang *clang = file->clang;
    CXCursor cursor = clang->definition[function - file->function];
    struct search search = {.clang = clang,
                            .function = clang_getCanonicalCursor(cursor),
                            .scope_begin = function->begin,
                            .scope_end = function->end,
                            .begin = begin,
                            .end = end};
    clang_visitChildren(cursor, look, &search);
    struct ct_use *copy = ir_alloc(clang->arena, (search.use_nr + 1) * sizeof(*copy));
    for (size_t i = 0; i < search.use_nr; i++)
        copy[i] = search.use[i];
    free(search.use);
    *use = copy;
    *trouble = search.trouble;
    return search.use_nr;
}

/* ---- how a variable is declared ---- */

/* The record, enumeration or typedef that the type is made of. */
static CXCursor named_in(CXType type)
{
    for (;;) {
        CXType inner = clang_getPointeeType(type);
        if (inner.kind == CXType_Invalid)
            inner = clang_getArrayElementType(type);
        if (inner.kind == CXType_Invalid && type.kind == CXType_Elaborated)
            inner = clang_Type_getNamedType(type);
        if (inner.kind == CXType_Invalid)
            return clang_getTypeDeclaration(type);
        type = inner;
    }
}

/* `[N][M]` behind the variable's name, as it is written; NULL = it is not there. */
static const char *brackets_of(struct ct_clang *clang, CXCursor cursor)
{
    CXSourceLocation location = clang_getCursorLocation(cursor);
    size_t length, begin, end, depth = 0, at;
    CXFile file, spelled;
    unsigned offset, spelled_at;
    clang_getExpansionLocation(location, &file, NULL, NULL, &offset);
    clang_getSpellingLocation(location, &spelled, NULL, NULL, &spelled_at);
    const char *text = file ? clang_getFileContents(clang->unit, file, &length) : NULL;
    CXString name = clang_getCursorSpelling(cursor);
    begin = offset + strlen(clang_getCString(name));
    clang_disposeString(name);
    if (!text || offset != spelled_at || !clang_File_isEqual(file, spelled))
        return NULL;
    for (at = end = begin; at < length; at++) {
        depth += text[at] == '[';
        if (text[at] == ']' && --depth == 0)
            end = at + 1;
        if (!depth && text[at] != ']' && !isspace((unsigned char)text[at]))
            break;
    }
    return end > begin ? ir_textf(clang->arena, "%.*s", (int)(end - begin), text + begin)
                       : NULL;
}

static size_t count_of(const char *text, char c)
{
    size_t nr = 0;
    for (; *text; text++)
        nr += *text == c;
    return nr;
}

/* Outermost brackets of an array's type. */
static const char *dimensions_as_written(struct ct_clang *clang, CXCursor cursor,
                                         const char *spelling)
{
    const char *own = brackets_of(clang, cursor);
    const char *spelled = strchr(spelling, '[');
    bool plain = own && !strstr(own, "restrict") && !text_has_word(own, "static") &&
                 !strstr(own, "[*]") && !strstr(own, "//");
    return plain && count_of(own, '[') == count_of(spelled, '[') ? own : NULL;
}

static bool is_array(CXType type)
{
    enum CXTypeKind kind = clang_getCanonicalType(type).kind;
    return kind == CXType_ConstantArray || kind == CXType_VariableArray ||
           kind == CXType_IncompleteArray;
}

static const char *type_trouble(struct ct_clang *clang, CXCursor cursor, CXType type,
                                const char *spelling)
{
    CXCursor named = named_in(type);
    const char *name = take_string(clang, clang_getCursorSpelling(cursor));
    if (strstr(spelling, "(unnamed") || strstr(spelling, "(anonymous"))
        return ir_textf(clang->arena,
                        "the type of '%s' has no name; give its struct or enum one",
                        name);
    if (!clang_Cursor_isNull(named) &&
        (clang_getCursorKind(clang_getCursorSemanticParent(named)) ==
             CXCursor_FunctionDecl ||
         clang_getCursorKind(clang_getCursorLexicalParent(named)) ==
             CXCursor_FunctionDecl))
        return ir_textf(clang->arena,
                        "the type of '%s' is declared inside the function; declare it "
                        "before the function",
                        name);
    if (strstr(spelling, "_Atomic"))
        return ir_textf(clang->arena, "'%s' is atomic", name);
    if (strstr(spelling, "volatile"))
        return ir_textf(clang->arena, "'%s' is volatile", name);
    if (strstr(spelling, "va_list"))
        return ir_textf(clang->arena, "'%s' is a list of arguments (va_list)", name);
    if (strstr(spelling, "typeof"))
        return ir_textf(clang->arena, "the type of '%s' is computed (typeof)", name);
    if (!is_array(type) && clang_Type_getSizeOf(clang_getCanonicalType(type)) ==
                               CXTypeLayoutError_Incomplete)
        return ir_textf(clang->arena, "the type of '%s' is incomplete", name);
    return NULL;
}

struct ct_storage ct_storage(struct ct_file *file, const struct ct_decl *decl)
{
    struct ct_clang *clang = file->clang;
    CXCursor cursor = clang_getNullCursor();
    for (size_t i = 0; i < clang->known_nr; i++)
        if (clang->known[i].decl == decl)
            cursor = clang->known[i].cursor;
    CXType type = clang_getCursorType(cursor);
    struct ct_storage storage = {
        .is_static = clang_Cursor_getStorageClass(cursor) == CX_SC_Static,
        .is_register = clang_Cursor_getStorageClass(cursor) == CX_SC_Register,
        .is_array = is_array(type),
        .is_reference = type.kind == CXType_LValueReference,
        .is_param = clang_getCursorKind(cursor) == CXCursor_ParmDecl,
        .has_initialiser =
            !clang_Cursor_isNull(clang_Cursor_getVarDeclInitializer(cursor)),
        .at = offset_of(clang_getCursorLocation(cursor)),
        .type = take_string(clang, clang_getTypeSpelling(type)),
    };
    if (storage.is_array && strchr(storage.type, '['))
        storage.dimensions = dimensions_as_written(clang, cursor, storage.type);
    const char *both =
        ir_textf(clang->arena, "%s %s", storage.type,
                 take_string(clang, clang_getTypeSpelling(clang_getCanonicalType(type))));
    storage.trouble = type_trouble(clang, cursor, type, both);
    const char *least = strstr(storage.type, "static "); /* of `a[static 4]` */
    if (least)
        storage.type = ir_textf(clang->arena, "%.*s%s", (int)(least - storage.type),
                                storage.type, least + strlen("static "));
    return storage;
}

const char *ct_declaration(struct ir_arena *arena, const struct ct_storage *storage,
                           const char *declarator)
{
    const char *type = storage->type, *star = strstr(type, "(*"), *cut;
    const char *bracket = strchr(type, '[');
    size_t length = strlen(type);
    if (star && (!bracket || star < bracket)) { /* double (*)[5], int (*const)(int) */
        cut = star + 2;
        while (*cut && *cut != ')' && *cut != '[' && *cut != '(')
            cut++;
        return ir_textf(arena, "%.*s%s%s%s", (int)(cut - type), type,
                        isalpha((unsigned char)cut[-1]) ? " " : "", declarator, cut);
    }
    if (bracket)
        length = (size_t)(bracket - type);
    const char *blank = length && strchr("*&", type[length - 1]) ? "" : " ";
    const char *behind = !bracket              ? ""
                         : storage->dimensions ? storage->dimensions
                                               : bracket;
    while (length && type[length - 1] == ' ')
        length--;
    return ir_textf(arena, "%.*s%s%s%s", (int)length, type, blank, declarator, behind);
}
