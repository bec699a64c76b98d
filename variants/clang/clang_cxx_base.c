/*
 * Base classes: which of them has a member, and where its part lies in an object of the
 * class. libclang 19 does not say that; it follows from the rules of the Itanium C++ ABI
 * where these leave one answer, and is not known elsewhere.
 */
#include "variants/clang/clang_cursor.h"

#include <stdlib.h>
#include <string.h>

/* ---- classes ---- */

static CXCursor class_of_type(CXType type)
{
    CXCursor record = clang_getTypeDeclaration(clang_getCanonicalType(type));
    CXCursor definition = clang_getCursorDefinition(record);
    return clang_Cursor_isNull(definition) ? record : definition;
}

static bool is_same(CXCursor a, CXCursor b)
{
    return clang_equalCursors(clang_getCanonicalCursor(a), clang_getCanonicalCursor(b));
}

/* libclang shows nothing within a class that a template makes. */
static bool is_made(CXCursor record)
{
    return !clang_Cursor_isNull(clang_getSpecializedCursorTemplate(record));
}

/* The members and bases as they are written: of such a class those of its template. */
static struct cursors written_in(CXCursor record)
{
    return children_of(is_made(record) ? clang_getSpecializedCursorTemplate(record)
                                       : record);
}

static bool is_base(CXCursor child)
{
    return clang_getCursorKind(child) == CXCursor_CXXBaseSpecifier;
}

static struct cursors bases_of(CXCursor record)
{
    struct cursors list = written_in(record);
    size_t kept = 0;
    for (size_t i = 0; i < list.item_nr; i++)
        if (is_base(list.item[i]))
            list.item[kept++] = list.item[i];
    list.item_nr = kept;
    return list;
}

static CXCursor class_of_base(CXCursor base)
{
    return class_of_type(clang_getCursorType(base));
}

static enum CXVisitorResult look_at_field(CXCursor field, CXClientData data)
{
    cursors_add(data, field);
    return CXVisit_Continue;
}

static struct cursors fields_of(CXCursor record)
{
    struct cursors list = {0};
    clang_Type_visitFields(clang_getCursorType(record), look_at_field, &list);
    return list;
}

/* ---- what it has ---- */

enum answer { NO, YES, UNKNOWN };

static enum answer any_base(CXCursor record, enum answer (*has)(CXCursor))
{
    struct cursors bases = bases_of(record);
    enum answer found = is_made(record) && bases.item_nr ? UNKNOWN : NO;
    for (size_t i = 0; i < bases.item_nr && found == NO; i++)
        found = clang_isVirtualBase(bases.item[i]) ? UNKNOWN
                                                   : has(class_of_base(bases.item[i]));
    free(bases.item);
    return found;
}

static bool has_own_virtual(CXCursor record)
{
    struct cursors list = written_in(record);
    bool found = false;
    for (size_t i = 0; i < list.item_nr && !found; i++)
        found = cxx_is_function(list.item[i]) && clang_CXXMethod_isVirtual(list.item[i]);
    free(list.item);
    return found;
}

static enum answer has_virtual(CXCursor record)
{
    return has_own_virtual(record) ? YES : any_base(record, has_virtual);
}

static enum answer has_fields(CXCursor record)
{
    struct cursors fields = fields_of(record);
    size_t nr = fields.item_nr;
    free(fields.item);
    return nr ? YES : any_base(record, has_fields);
}

static enum answer is_empty(CXCursor record)
{
    enum answer fields = has_fields(record), table = has_virtual(record);
    if (fields == YES || table == YES)
        return NO;
    return fields == NO && table == NO ? YES : UNKNOWN;
}

static bool is_system(CXCursor record)
{
    return clang_Location_isInSystemHeader(clang_getCursorLocation(record));
}

/* Does an object of `record` have one of the class `part` in it? In doubt it does. */
static bool may_hold(CXCursor record, CXCursor part)
{
    if (is_same(record, part))
        return true;
    if (is_system(record) && !is_system(part))
        return false;
    struct cursors bases = bases_of(record), fields = fields_of(record);
    bool found = is_made(record) && bases.item_nr;
    for (size_t i = 0; i < bases.item_nr && !found; i++)
        found = may_hold(class_of_base(bases.item[i]), part);
    for (size_t i = 0; i < fields.item_nr && !found; i++) {
        CXType type = clang_getCanonicalType(clang_getCursorType(fields.item[i]));
        while (type.kind == CXType_ConstantArray)
            type = clang_getCanonicalType(clang_getArrayElementType(type));
        found = type.kind == CXType_Record && may_hold(class_of_type(type), part);
    }
    free(bases.item);
    free(fields.item);
    return found;
}

/* ---- where it lies ---- */

/* What may be is from low to high: the bytes that fill a class up may be used for what
 * follows it, or not. */
struct reach {
    bool known;
    long long low, high;
};

static long long aligned(long long offset, long long to)
{
    return (offset + to - 1) / to * to;
}

static long long size_of(CXCursor record)
{
    return clang_Type_getSizeOf(clang_getCursorType(record));
}

static long long align_of(CXCursor record)
{
    return clang_Type_getAlignOf(clang_getCursorType(record));
}

static struct reach behind_bases(const struct ct_clang *clang, CXCursor record,
                                 CXCursor wanted);

static struct reach end_of(const struct ct_clang *clang, CXCursor record)
{
    struct cursors fields = fields_of(record);
    struct reach end = {.known = true, .high = size_of(record)};
    if (fields.item_nr) {
        CXCursor last = fields.item[fields.item_nr - 1];
        long long bits = clang_Cursor_getOffsetOfField(last);
        end.low = clang_Cursor_isBitField(last)
                      ? (bits + clang_getFieldDeclBitWidth(last) + 7) / 8
                      : bits / 8 + clang_Type_getSizeOf(clang_getCursorType(last));
    } else {
        struct reach bases = behind_bases(clang, record, clang_getNullCursor());
        end.known = bases.known;
        end.low = bases.low;
    }
    free(fields.item);
    return end;
}

static bool can_be_placed(CXCursor record, const struct cursors *bases, size_t at)
{
    CXCursor base = class_of_base(bases->item[at]);
    bool fine = !clang_isVirtualBase(bases->item[at]) && size_of(base) > 0 &&
                has_virtual(base) != UNKNOWN && is_empty(base) != UNKNOWN &&
                align_of(base) <= align_of(record); /* else it is packed */
    for (size_t i = 0; i < bases->item_nr && fine; i++)
        fine = i == at || is_empty(class_of_base(bases->item[i])) == NO ||
               !may_hold(base, class_of_base(bases->item[i]));
    return fine;
}

/* The first one with a table of virtual methods, whose place is the first; nr = none. */
static size_t with_table(const struct cursors *bases)
{
    size_t at = 0;
    while (at < bases->item_nr && has_virtual(class_of_base(bases->item[at])) != YES)
        at++;
    return at;
}

static void pass(const struct ct_clang *clang, CXCursor base, struct reach *at)
{
    struct reach end = end_of(clang, base);
    at->known = at->known && end.known;
    at->low += end.low;
    at->high += end.high;
}

/* Or where the base `wanted` begins. */
static struct reach place_bases(const struct ct_clang *clang, CXCursor record,
                                const struct cursors *bases, CXCursor wanted)
{
    size_t first = with_table(bases);
    struct reach at = {.known = true};
    if (first < bases->item_nr) {
        if (is_same(class_of_base(bases->item[first]), wanted))
            return at;
        pass(clang, class_of_base(bases->item[first]), &at);
    } else if (has_own_virtual(record)) {
        CXTargetInfo target = clang_getTranslationUnitTargetInfo(clang->unit);
        at.low = at.high = clang_TargetInfo_getPointerWidth(target) / 8;
        clang_TargetInfo_dispose(target);
    }
    for (size_t i = 0; i < bases->item_nr && at.known; i++) {
        CXCursor base = class_of_base(bases->item[i]);
        if (i == first || is_empty(base) == YES)
            continue;
        at.low = aligned(at.low, align_of(base));
        at.high = aligned(at.high, align_of(base));
        if (is_same(base, wanted))
            return at;
        pass(clang, base, &at);
    }
    return at;
}

static struct reach behind_bases(const struct ct_clang *clang, CXCursor record,
                                 CXCursor wanted)
{
    struct cursors bases = bases_of(record);
    struct reach at = {.known = true};
    bool only = bases.item_nr == 1 && !has_own_virtual(record) &&
                is_same(class_of_base(bases.item[0]), wanted);
    for (size_t i = 0; i < bases.item_nr && !only && at.known; i++)
        at.known = can_be_placed(record, &bases, i);
    if (at.known && !only)
        at = place_bases(clang, record, &bases, wanted);
    free(bases.item);
    return at;
}

/* ---- the way to it ---- */

static void add_way(struct cxx_way *sum, const struct cxx_way *one, CXCursor base,
                    const struct reach *place)
{
    enum CX_CXXAccessSpecifier specifier = clang_getCXXAccessSpecifier(base);
    sum->nr += one->nr;
    sum->is_virtual = one->is_virtual || clang_isVirtualBase(base);
    sum->is_public = one->is_public && specifier == CX_CXXPublic;
    sum->is_open = one->is_inherited;
    sum->is_inherited = one->is_inherited && specifier != CX_CXXPrivate;
    sum->is_placed = one->is_placed && place->known && place->low == place->high;
    sum->offset = one->offset + place->low;
}

struct cxx_way cxx_way_to(const struct ct_clang *clang, CXCursor record, CXCursor base)
{
    struct cxx_way sum = {0};
    if (is_same(record, base))
        return (struct cxx_way){.nr = 1,
                                .is_public = true,
                                .is_open = true,
                                .is_inherited = true,
                                .is_own = true,
                                .is_placed = true};
    CXCursor definition = class_of_type(clang_getCursorType(record));
    struct cursors bases =
        is_made(definition) ? (struct cursors){0} : bases_of(definition);
    for (size_t i = 0; i < bases.item_nr; i++) {
        CXCursor inner = class_of_base(bases.item[i]);
        struct cxx_way one = cxx_way_to(clang, inner, base);
        if (!one.nr)
            continue;
        struct reach place = behind_bases(clang, definition, inner);
        add_way(&sum, &one, bases.item[i], &place);
    }
    free(bases.item);
    return sum;
}

/* ---- members by their names ---- */

static void add_members(struct cursors *members, CXCursor record)
{
    CXCursor definition = class_of_type(clang_getCursorType(record));
    struct cursors list = children_of(definition);
    for (size_t i = 0; i < list.item_nr; i++)
        if (is_base(list.item[i]))
            add_members(members, class_of_base(list.item[i]));
        else
            cursors_add(members, list.item[i]);
    free(list.item);
}

struct cursors cxx_members_of(CXCursor record)
{
    struct cursors members = {0};
    add_members(&members, record);
    return members;
}

/* Also in what has no name of its own: unions, enumerations. */
static bool declares(CXCursor scope, const char *name)
{
    struct cursors list = written_in(scope);
    bool found = false;
    for (size_t i = 0; i < list.item_nr && !found; i++) {
        CXString text = clang_getCursorSpelling(list.item[i]);
        enum CXCursorKind kind = clang_getCursorKind(list.item[i]);
        found = (!is_base(list.item[i]) && !strcmp(clang_getCString(text), name)) ||
                ((clang_Cursor_isAnonymousRecordDecl(list.item[i]) ||
                  kind == CXCursor_EnumDecl) &&
                 declares(list.item[i], name));
        clang_disposeString(text);
    }
    free(list.item);
    return found;
}

size_t cxx_classes_with(CXCursor record, const char *name)
{
    CXCursor definition = class_of_type(clang_getCursorType(record));
    struct cursors bases = bases_of(definition);
    size_t nr = declares(definition, name) + 2 * (is_made(definition) && bases.item_nr);
    for (size_t i = 0; i < bases.item_nr && !is_made(definition); i++)
        nr += cxx_classes_with(class_of_base(bases.item[i]), name);
    free(bases.item);
    return nr;
}

/* ---- of an expression ---- */

/* Through what is implied, the conversion to the base class too. */
static CXCursor object_of(CXCursor member)
{
    CXCursor at = member;
    for (bool inner = true; inner;) {
        struct cursors list = children_of(at);
        inner = false;
        for (size_t i = 0; i < list.item_nr && !inner; i++)
            if (!clang_isReference(clang_getCursorKind(list.item[i]))) {
                at = list.item[i];
                inner = true;
            }
        free(list.item);
        inner = inner && clang_getCursorKind(at) == CXCursor_UnexposedExpr;
    }
    return at;
}

/* The members of an anonymous union are those of the class around it. */
static CXCursor around(CXCursor record)
{
    while (clang_Cursor_isAnonymousRecordDecl(record))
        record = clang_getCursorSemanticParent(record);
    return record;
}

CXCursor cxx_object_class(const struct ct_clang *clang, CXCursor member)
{
    CXCursor object = object_of(member);
    if (clang_equalCursors(object, member)) /* this */
        return clang_getCursorSemanticParent(clang->reading);
    CXType type = clang_getCanonicalType(clang_getCursorType(object));
    if (type.kind == CXType_Pointer)
        type = clang_getPointeeType(type);
    return class_of_type(type);
}

struct cxx_way cxx_way_of(const struct ct_clang *clang, CXCursor member)
{
    CXCursor field = clang_getCursorReferenced(member);
    CXCursor record = cxx_object_class(clang, member);
    CXCursor parent = clang_getCursorSemanticParent(field);
    return clang_Cursor_isAnonymousRecordDecl(record)
               ? cxx_way_to(clang, record, parent)
               : cxx_way_to(clang, record, around(parent));
}
