/* What a function's meaning rests on outside of its text. */
#include "variants/clang/clang_frozen.h"

#include <stdlib.h>
#include <string.h>

/* ---- places ---- */

struct place extent_of(CXCursor cursor)
{
    struct place place;
    CXSourceRange range = clang_getCursorExtent(cursor);
    clang_getExpansionLocation(clang_getRangeStart(range), &place.file, NULL, NULL,
                               &place.begin);
    clang_getExpansionLocation(clang_getRangeEnd(range), NULL, NULL, NULL, &place.end);
    return place;
}

bool place_holds(const struct place *outer, const struct place *inner)
{
    return inner->begin >= outer->begin && inner->end <= outer->end && outer->file &&
           inner->file && clang_File_isEqual(outer->file, inner->file);
}

bool is_read(const struct frozen *frozen, const struct place *place)
{
    for (size_t i = 0; i < frozen->read.item_nr; i++) {
        struct place text = extent_of(frozen->read.item[i]);
        if (place_holds(&text, place))
            return true;
    }
    return false;
}

const char *place_text(struct ct_clang *clang, const struct place *place)
{
    CXToken *token = NULL;
    unsigned nr = 0, last = place->begin;
    struct buf text = {0};
    clang_tokenize(
        clang->unit,
        clang_getRange(clang_getLocationForOffset(clang->unit, place->file, place->begin),
                       clang_getLocationForOffset(clang->unit, place->file, place->end)),
        &token, &nr);
    for (unsigned i = 0; i < nr; i++) {
        unsigned begin, end;
        CXSourceRange range = clang_getTokenExtent(clang->unit, token[i]);
        clang_getSpellingLocation(clang_getRangeStart(range), NULL, NULL, NULL, &begin);
        clang_getSpellingLocation(clang_getRangeEnd(range), NULL, NULL, NULL, &end);
        if (clang_getTokenKind(token[i]) == CXToken_Comment || begin >= place->end)
            continue;
        buf_add(&text, begin > last ? " " : "");
        buf_add(&text, take_string(clang, clang_getTokenSpelling(clang->unit, token[i])));
        last = end;
    }
    clang_disposeTokens(clang->unit, token, nr);
    const char *copy = ir_text(clang->arena, buf_str(&text));
    buf_release(&text);
    return copy;
}

/* ---- what is found ---- */

void frozen_add(struct frozen *frozen, enum ir_frozen_kind kind, const char *name,
                const char *subject, const char *value)
{
    for (size_t i = 0; i < frozen->nr; i++)
        if (!strcmp(frozen->item[i].subject, subject))
            return;
    GROW(frozen->item, frozen->nr + 1, frozen->alloc);
    frozen->item[frozen->nr++] = (struct ir_frozen){kind, name, subject, value};
}

static bool is_system(CXCursor cursor)
{
    return clang_Location_isInSystemHeader(clang_getCursorLocation(cursor));
}

/* ---- what cannot change without a change of the text beside the function ---- */

static bool is_plain(const struct frozen *frozen, CXCursor decl);

struct looking {
    const struct frozen *frozen;
    struct place whole; /* the declaration that is looked at */
    bool plain;
};

static enum CXChildVisitResult look_plain(CXCursor cursor, CXCursor parent,
                                          CXClientData data)
{
    (void)parent;
    struct looking *looking = data;
    CXCursor referenced = clang_getCursorReferenced(cursor);
    enum CXCursorKind kind = clang_getCursorKind(referenced);
    struct place place = extent_of(referenced);
    bool told = kind == CXCursor_TypedefDecl || kind == CXCursor_TypeAliasDecl ||
                kind == CXCursor_EnumConstantDecl || kind == CXCursor_VarDecl;
    if (told && !place_holds(&looking->whole, &place))
        looking->plain = is_plain(looking->frozen, referenced);
    return looking->plain ? CXChildVisit_Recurse : CXChildVisit_Break;
}

/* Declared in the file itself, by no macro, in no #if, of such things only. */
static bool is_plain(const struct frozen *frozen, CXCursor decl)
{
    CXCursor whole = decl;
    if (clang_getCursorKind(decl) == CXCursor_EnumConstantDecl ||
        clang_getCursorKind(decl) == CXCursor_FieldDecl)
        whole = clang_getCursorSemanticParent(decl);
    struct place place = extent_of(whole);
    struct looking looking = {frozen, place, true};
    if (is_system(decl))
        return true;
    if (!clang_Location_isFromMainFile(clang_getCursorLocation(whole)) ||
        place_has_macro(frozen, &place) || place_is_conditional(frozen, &place))
        return false;
    clang_visitChildren(whole, look_plain, &looking);
    return looking.plain;
}

/* ---- types ---- */

/* false when no text outside of its declaration can say it. */
static bool type_text(struct frozen *frozen, CXType type, const char **text)
{
    *text =
        take_string(frozen->clang, clang_getTypeSpelling(clang_getCanonicalType(type)));
    return !strstr(*text, "unnamed") && !strstr(*text, "anonymous") &&
           !strchr(*text, '<');
}

static void read_text_of(struct frozen *frozen, CXCursor cursor);

/* `subject` has the type; what cannot be said is held by its declaration's text. */
static void freeze_type(struct frozen *frozen, CXCursor decl, const char *name,
                        const char *subject, CXType type)
{
    const char *text;
    if (is_plain(frozen, decl))
        return;
    if (type_text(frozen, type, &text))
        frozen_add(frozen, FROZEN_TYPE, name, subject, text);
    else
        read_text_of(frozen, decl);
}

static void freeze_typedef(struct frozen *frozen, CXCursor decl)
{
    const char *name;
    CXType type = clang_getCursorType(decl);
    name = take_string(frozen->clang, clang_getTypeSpelling(type));
    freeze_type(frozen, decl, name, name, type);
}

static void freeze_field(struct frozen *frozen, CXCursor field)
{
    struct ct_clang *clang = frozen->clang;
    CXCursor record = clang_getCursorSemanticParent(field);
    const char *owner, *name = take_string(clang, clang_getCursorSpelling(field));
    if (is_plain(frozen, field))
        return;
    if (!*name || clang_Cursor_isBitField(field) ||
        !type_text(frozen, clang_getCursorType(record), &owner)) {
        read_text_of(frozen, record);
        return;
    }
    name = ir_textf(clang->arena, "((%s *)0)->%s", owner, name);
    freeze_type(
        frozen, field, ir_textf(clang->arena, "%s in %s", strrchr(name, '>') + 1, owner),
        ir_textf(clang->arena, "__typeof__(%s)", name), clang_getCursorType(field));
}

/* A long is as wide as the model takes it to be, and a char as signed. */
static void freeze_builtin(struct frozen *frozen, CXType type)
{
    struct ct_clang *clang = frozen->clang;
    CXType plain = clang_getCanonicalType(type);
    while (plain.kind == CXType_Pointer || clang_getArrayElementType(plain).kind)
        plain = clang_getCanonicalType(plain.kind == CXType_Pointer
                                           ? clang_getPointeeType(plain)
                                           : clang_getArrayElementType(plain));
    if (plain.kind == CXType_Long || plain.kind == CXType_ULong)
        frozen_add(frozen, FROZEN_VALUE, "sizeof(long)", "sizeof(long)",
                   ir_textf(clang->arena, "%lld", clang_Type_getSizeOf(plain)));
    if (plain.kind == CXType_Char_S || plain.kind == CXType_Char_U)
        frozen_add(frozen, FROZEN_HOLDS, "char",
                   plain.kind == CXType_Char_S ? "(char)-1 < 0" : "(char)-1 > 0",
                   plain.kind == CXType_Char_S ? "signed char" : "unsigned char");
}

/* ---- names ---- */

static void freeze_enumerator(struct frozen *frozen, CXCursor decl)
{
    struct ct_clang *clang = frozen->clang;
    const char *name = clang->is_cplusplus
                           ? cxx_qualified(clang, decl)
                           : take_string(clang, clang_getCursorSpelling(decl));
    if (!is_plain(frozen, decl))
        frozen_add(frozen, FROZEN_VALUE, name,
                   clang->is_cplusplus ? ir_textf(clang->arena, "(long long)%s", name)
                                       : name,
                   ir_textf(clang->arena, "%lld", clang_getEnumConstantDeclValue(decl)));
}

/* In C the value of a constant is none to the compiler: what it is made of counts. */
static void freeze_variable(struct frozen *frozen, CXCursor decl)
{
    struct ct_clang *clang = frozen->clang;
    CXCursor init = clang_Cursor_getVarDeclInitializer(decl);
    CXType type = clang_getCursorType(decl);
    const char *name = clang->is_cplusplus
                           ? cxx_visible(clang, decl)
                           : take_string(clang, clang_getCursorSpelling(decl));
    if (is_plain(frozen, decl))
        return;
    if (clang_isConstQualifiedType(type) && !clang_Cursor_isNull(init))
        read_text_of(frozen, decl);
    else
        freeze_type(frozen, decl, name, ir_textf(clang->arena, "__typeof__(%s)", name),
                    type);
}

/* What its callers make of it comes from its body. */
static void freeze_function(struct frozen *frozen, CXCursor decl)
{
    const struct ct_clang *clang = frozen->clang;
    CXCursor canonical = clang_getCanonicalCursor(decl);
    for (size_t i = 0; i < clang->known_nr; i++)
        if (clang->known[i].decl->body &&
            clang_equalCursors(clang->known[i].cursor, canonical))
            read_text_of(frozen, clang_getCursorDefinition(decl));
}

static void freeze_reference(struct frozen *frozen, CXCursor decl)
{
    CXCursor parent = clang_getCursorSemanticParent(decl);
    enum CXCursorKind kind = clang_getCursorKind(decl);
    struct place place = extent_of(decl);
    if (clang_Cursor_isNull(decl) || is_read(frozen, &place))
        return;
    if (cxx_is_function(decl))
        freeze_function(frozen, decl);
    else if (is_system(decl))
        return;
    else if (kind == CXCursor_TypedefDecl || kind == CXCursor_TypeAliasDecl)
        freeze_typedef(frozen, decl);
    else if (kind == CXCursor_EnumConstantDecl)
        freeze_enumerator(frozen, decl);
    else if (kind == CXCursor_FieldDecl)
        freeze_field(frozen, decl);
    else if (kind == CXCursor_VarDecl && !cxx_is_function(parent))
        freeze_variable(frozen, decl);
}

static enum CXChildVisitResult visit(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    struct frozen *frozen = data;
    CXCursor referenced = clang_getCursorReferenced(cursor);
    freeze_builtin(frozen, clang_getCursorType(cursor));
    if (!clang_equalCursors(referenced, cursor))
        freeze_reference(frozen, referenced);
    return CXChildVisit_Recurse;
}

/* Functions of the system are what their names say. */
static void read_text_of(struct frozen *frozen, CXCursor cursor)
{
    struct place place = extent_of(cursor);
    if (clang_Cursor_isNull(cursor) || is_system(cursor) || is_read(frozen, &place))
        return;
    cursors_add(&frozen->read, cursor);
    clang_visitChildren(cursor, visit, frozen);
}

/* ---- all of it ---- */

static enum CXChildVisitResult find_macro(CXCursor cursor, CXCursor parent,
                                          CXClientData data)
{
    (void)parent;
    struct frozen *frozen = data;
    if (clang_getCursorKind(cursor) == CXCursor_MacroExpansion)
        cursors_add(&frozen->expansion, cursor);
    if (clang_getCursorKind(cursor) == CXCursor_MacroDefinition)
        cursors_add(&frozen->definition, cursor);
    return CXChildVisit_Continue;
}

size_t ct_frozen(struct ct_file *file, const struct ct_function *function,
                 const char *path, const char *source, const struct strvec *args,
                 const struct ir_frozen **list)
{
    struct ct_clang *clang = file->clang;
    struct frozen frozen = {.clang = clang,
                            .path = path,
                            .source = source,
                            .args = args,
                            .body = function->body->begin + 1};
    clang_visitChildren(clang_getTranslationUnitCursor(clang->unit), find_macro, &frozen);
    read_text_of(&frozen, clang->reading);
    frozen_macros(&frozen);
    frozen_branches(&frozen);
    struct ir_frozen *copy = ir_alloc(clang->arena, (frozen.nr + 1) * sizeof(*copy));
    for (size_t i = 0; i < frozen.nr; i++)
        copy[i] = frozen.item[i];
    *list = copy;
    free(frozen.item);
    free(frozen.read.item);
    free(frozen.expansion.item);
    free(frozen.definition.item);
    return frozen.nr;
}
