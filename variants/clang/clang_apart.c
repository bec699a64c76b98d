/*
 * Which pointer parameters of a function lead to different arrays, by all calls of it:
 * those of a static function whose address nobody takes stand in the file.
 */
#include "variants/clang/clang_access_parts.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"

enum { CALLERS_DEEP = 4, ALLOCATORS_DEEP = 3 };

struct call_site {
    CXCursor call, caller;
};

struct call_sites {
    CXCursor function, caller; /* canonical; caller: what is walked through */
    struct call_site *item;
    size_t item_nr, item_alloc;
    size_t mentions, declarations;
};

enum storage_kind {
    ST_UNKNOWN,
    ST_NONE,      /* a null pointer */
    ST_ARRAY,     /* a variable or field that is an array */
    ST_CONTAINER, /* what a container at a place owns */
    ST_HEAP,      /* of a variable that holds nothing but new blocks */
    ST_PARAM /* a parameter that is never set: older than the blocks of its function */
};

struct storage {
    enum storage_kind kind;
    struct place place;
    CXCursor variable;
};

/* ---- the calls ---- */

static enum CXChildVisitResult find_calls(CXCursor cursor, CXCursor parent,
                                          CXClientData data)
{
    struct call_sites *sites = data;
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    CXCursor before = sites->caller;
    (void)parent;
    if (clang_Location_isInSystemHeader(clang_getCursorLocation(cursor)))
        return CXChildVisit_Continue;
    if (clang_equalCursors(clang_getCanonicalCursor(cursor), sites->function))
        sites->declarations++;
    if (kind == CXCursor_DeclRefExpr &&
        clang_equalCursors(clang_getCanonicalCursor(clang_getCursorReferenced(cursor)),
                           sites->function))
        sites->mentions++;
    if (kind == CXCursor_CallExpr &&
        clang_equalCursors(clang_getCanonicalCursor(clang_getCursorReferenced(cursor)),
                           sites->function)) {
        GROW(sites->item, sites->item_nr + 1, sites->item_alloc);
        sites->item[sites->item_nr++] = (struct call_site){cursor, sites->caller};
    }
    if (cxx_is_function(cursor) || kind == CXCursor_FunctionTemplate)
        sites->caller = cursor;
    clang_visitChildren(cursor, find_calls, data);
    sites->caller = before;
    return CXChildVisit_Continue;
}

static size_t count_words(const char *text, const char *word)
{
    size_t nr = 0, length = strlen(word);
    for (const char *at = text; (at = strstr(at, word)); at += length) {
        bool begins = at == text || !(is_word_char(at[-1]));
        nr += begins && !is_word_char(at[length]);
    }
    return nr;
}

/* Of every one there is; false when there may be others: by a pointer, or in a template
 * that does not say yet what it calls. */
static bool all_calls(struct access *access, CXCursor function, struct call_sites *sites)
{
    *sites = (struct call_sites){.function = clang_getCanonicalCursor(function),
                                 .caller = clang_getNullCursor()};
    if (clang_getCursorLinkage(function) != CXLinkage_Internal ||
        clang_getCursorKind(function) != CXCursor_FunctionDecl ||
        clang_Cursor_isVariadic(function))
        return false;
    clang_visitChildren(clang_getTranslationUnitCursor(access->clang->unit), find_calls,
                        sites);
    size_t words = count_words(access->source, access_spelling_of(access, function));
    return sites->item_nr && sites->mentions == sites->item_nr &&
           words == sites->mentions + sites->declarations;
}

/* ---- new blocks ---- */

static bool is_null(CXCursor cursor)
{
    long long value;
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    if (kind == CXCursor_CXXNullPtrLiteralExpr || kind == CXCursor_GNUNullExpr)
        return true;
    return kind == CXCursor_IntegerLiteral && evaluate(cursor, &value) && !value;
}

static CXCursor without_casts(CXCursor cursor)
{
    for (;;) {
        cursor = access_peel(cursor);
        enum CXCursorKind kind = clang_getCursorKind(cursor);
        bool casts = kind == CXCursor_CStyleCastExpr ||
                     kind == CXCursor_CXXStaticCastExpr ||
                     kind == CXCursor_CXXReinterpretCastExpr;
        size_t nr = casts ? access_operand_nr(cursor) : 0;
        if (!nr)
            return cursor;
        cursor = access_operand(cursor, nr - 1);
    }
}

/* `new double[n]`: not `new (place) double[n]`. */
static bool is_new_block(const struct access *access, CXCursor cursor)
{
    CXType made = clang_getPointeeType(clang_getCursorType(cursor));
    size_t at = access_begin_of(cursor);
    CXFile file;
    clang_getFileLocation(clang_getCursorLocation(cursor), &file, NULL, NULL, NULL);
    if (!file || !clang_File_isEqual(file, access->clang->main) ||
        !text_begins(access->source + at, "new") || !access_is_number(made))
        return false;
    at += strlen("new");
    at += strspn(access->source + at, " \t\n");
    return access->source[at] != '(';
}

/* A call of malloc and its like, or of a function that only returns such a block. */
static bool is_allocation(const struct access *access, CXCursor given, int depth)
{
    static const char *const names[] = {"malloc",        "calloc",
                                        "aligned_alloc", "std::malloc",
                                        "std::calloc",   "std::aligned_alloc"};
    CXCursor cursor = without_casts(given), target = clang_getCursorReferenced(cursor);
    if (clang_getCursorKind(cursor) == CXCursor_CXXNewExpr)
        return is_new_block(access, cursor);
    if (clang_getCursorKind(cursor) != CXCursor_CallExpr || clang_Cursor_isNull(target) ||
        clang_getCursorKind(target) != CXCursor_FunctionDecl || depth > ALLOCATORS_DEEP)
        return false;
    const char *name = cxx_qualified(access->clang, target);
    for (size_t i = 0; i < ARRAY_SIZE(names); i++)
        if (!strcmp(name, names[i]))
            return clang_Location_isInSystemHeader(clang_getCursorLocation(target));
    CXCursor result = access_only_return(target);
    return !clang_Cursor_isNull(result) && is_allocation(access, result, depth + 1);
}

struct holding {
    const struct access *access;
    CXCursor variable;
    size_t call;      /* where the value is used */
    bool set, other;  /* other: holds something else, or may */
    size_t known_at;  /* where its address was first given away */
    size_t loops_end; /* of the loops around the call */
};

static bool is_variable(CXCursor cursor, CXCursor variable)
{
    return clang_getCursorKind(cursor) == CXCursor_DeclRefExpr &&
           clang_equalCursors(clang_getCursorReferenced(cursor), variable);
}

static void note_value(struct holding *holding, CXCursor value)
{
    if (is_null(without_casts(value)))
        return;
    holding->set = true;
    holding->other = holding->other || !is_allocation(holding->access, value, 0);
}

static enum CXChildVisitResult look_at_holding(CXCursor cursor, CXCursor parent,
                                               CXClientData data)
{
    struct holding *holding = data;
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    size_t begin = access_begin_of(cursor), end = access_end_of(cursor);
    bool loop = kind == CXCursor_ForStmt || kind == CXCursor_WhileStmt ||
                kind == CXCursor_DoStmt || kind == CXCursor_CXXForRangeStmt;
    bool sets = kind == CXCursor_BinaryOperator && access_is_assignment(cursor);
    if (kind == CXCursor_LabelStmt || kind == CXCursor_GotoStmt ||
        kind == CXCursor_IndirectGotoStmt || kind == CXCursor_LambdaExpr)
        holding->other = true;
    if (loop && begin <= holding->call && holding->call < end && end > holding->loops_end)
        holding->loops_end = end;
    if (sets && is_variable(access_peel(access_operand(cursor, 0)), holding->variable))
        note_value(holding, access_operand(cursor, 1));
    bool reads = clang_getCursorKind(parent) == CXCursor_UnexposedExpr;
    bool is_set = clang_getCursorKind(parent) == CXCursor_BinaryOperator &&
                  access_is_assignment(parent) &&
                  access_begin_of(access_operand(parent, 0)) == begin;
    if (is_variable(cursor, holding->variable) && !reads && !is_set &&
        begin < holding->known_at)
        holding->known_at = begin; /* its address, a reference, ++ */
    return CXChildVisit_Recurse;
}

/* What it is set to, up to the call. */
static bool holds_new_blocks(struct access *access, CXCursor caller, CXCursor variable,
                             CXCursor call)
{
    struct holding holding = {.access = access,
                              .variable = variable,
                              .call = access_begin_of(call),
                              .known_at = (size_t)-1};
    CXCursor first = clang_Cursor_getVarDeclInitializer(variable);
    if (clang_Cursor_getStorageClass(variable) == CX_SC_Static)
        return false;
    if (!clang_Cursor_isNull(first))
        note_value(&holding, first);
    clang_visitChildren(caller, look_at_holding, &holding);
    size_t reached =
        holding.loops_end > holding.call ? holding.loops_end : access_end_of(call);
    return holding.set && !holding.other && holding.known_at >= reached;
}

static bool is_never_set(const struct access *access, CXCursor caller, CXCursor variable)
{
    struct holding holding = {
        .access = access, .variable = variable, .known_at = (size_t)-1};
    clang_visitChildren(caller, look_at_holding, &holding);
    return !holding.set && !holding.other && holding.known_at == (size_t)-1;
}

/* ---- what an argument leads to ---- */

static struct storage storage_of_pointer(struct access *access, CXCursor caller,
                                         const struct place *place, CXCursor variable,
                                         CXCursor call)
{
    struct storage storage = {.kind = ST_UNKNOWN, .place = *place, .variable = variable};
    enum CXCursorKind kind = clang_getCursorKind(variable);
    if (place->owner || clang_Cursor_isNull(variable) ||
        access_is_reference_type(clang_getCursorType(variable)))
        return storage;
    bool local = clang_getCursorLinkage(variable) == CXLinkage_NoLinkage;
    if (kind == CXCursor_ParmDecl && is_never_set(access, caller, variable))
        storage.kind = ST_PARAM;
    else if (kind == CXCursor_VarDecl && local &&
             holds_new_blocks(access, caller, variable, call))
        storage.kind = ST_HEAP;
    return storage;
}

/* The variable whose name stands there, through subscripts and &. */
static CXCursor named_variable(CXCursor cursor)
{
    for (;;) {
        cursor = access_peel(cursor);
        enum CXCursorKind kind = clang_getCursorKind(cursor);
        if (kind == CXCursor_DeclRefExpr)
            return clang_getCursorReferenced(cursor);
        if (kind != CXCursor_ArraySubscriptExpr && kind != CXCursor_UnaryOperator &&
            kind != CXCursor_BinaryOperator)
            return clang_getNullCursor();
        cursor = access_operand(cursor, 0);
    }
}

static struct storage storage_of(struct access *access, CXCursor caller, CXCursor given,
                                 CXCursor call)
{
    struct storage storage = {.kind = ST_UNKNOWN};
    CXCursor cursor = access_peel(given);
    if (is_null(without_casts(cursor)))
        return (struct storage){.kind = ST_NONE};
    if (clang_getCursorKind(cursor) == CXCursor_ConditionalOperator &&
        is_null(without_casts(access_operand(cursor, 2))))
        return storage_of(access, caller, access_operand(cursor, 1), call);
    struct value value = access_value_anywhere(access, cursor);
    bool array = value.kind == V_PLACE && access_is_array_type(value.place.type);
    if (value.kind != V_ADDRESS && value.kind != V_PLACE)
        return storage;
    storage.place = value.place;
    int row = access_container_of(access, value.place.type);
    CXCursor variable =
        value.place.owner ? clang_getNullCursor() : named_variable(cursor);
    bool param = !clang_Cursor_isNull(variable) && /* `double a[8]` is a pointer */
                 clang_getCursorKind(variable) == CXCursor_ParmDecl &&
                 !access_is_record(value.place.type);
    if (param)
        storage = storage_of_pointer(access, caller, &value.place, variable, call);
    else if (value.kind == V_ADDRESS && row >= 0 && access_container_owns(row))
        storage.kind = ST_CONTAINER;
    else if (array || (value.kind == V_ADDRESS && access_is_array_type(value.place.type)))
        storage.kind = ST_ARRAY;
    else if (access_plain(value.place.type).kind == CXType_Pointer)
        storage = storage_of_pointer(access, caller, &value.place, variable, call);
    return storage;
}

/* ---- are they apart? ---- */

/* A variable that is the object itself. */
static bool is_solid(const struct place *place)
{
    return !place->owner && strcmp(place->key, "this") != 0 &&
           !access_is_reference_type(place->type) &&
           access_plain(place->type).kind != CXType_Pointer;
}

static bool is_in_place(const struct place *place)
{
    return place->owner && access_plain(place->owner->type).kind != CXType_Pointer;
}

static bool in_union(const struct place *place)
{
    return clang_getCursorKind(clang_getCursorSemanticParent(place->field)) ==
           CXCursor_UnionDecl;
}

/* A container, or an array of numbers, has no field in it. */
static bool has_no_fields(const struct access *access, const struct place *place)
{
    return access_container_of(access, place->type) >= 0 ||
           (access_is_array_type(place->type) &&
            access_is_number(access_element_type(access, place)));
}

/* Objects that share no byte. Two of one class are the same or apart, so that different
 * fields of that class are apart, whichever objects they belong to. */
static bool are_distinct(const struct access *access, const struct place *a,
                         const struct place *b)
{
    if (!strcmp(a->key, b->key))
        return false;
    if (!a->owner && !b->owner)
        return is_solid(a) && is_solid(b);
    if (!a->owner || !b->owner) {
        const struct place *whole = a->owner ? b : a, *part = a->owner ? a : b;
        return is_solid(whole) &&
               (has_no_fields(access, whole) ||
                (is_in_place(part) && are_distinct(access, whole, part->owner)));
    }
    CXCursor one = clang_getCanonicalCursor(clang_getCursorSemanticParent(a->field)),
             other = clang_getCanonicalCursor(clang_getCursorSemanticParent(b->field));
    if (!in_union(a) && !in_union(b) && clang_equalCursors(one, other) &&
        !clang_equalCursors(a->field, b->field))
        return true;
    return is_in_place(a) && is_in_place(b) && are_distinct(access, a->owner, b->owner);
}

/* Other objects may lie in an array of characters. */
static bool is_array_of_numbers(const struct access *access, const struct place *place)
{
    CXType element = clang_getCanonicalType(access_element_type(access, place));
    while (clang_getArrayElementType(element).kind != CXType_Invalid)
        element = clang_getCanonicalType(clang_getArrayElementType(element));
    return access_is_number(element) && clang_Type_getSizeOf(element) > 1;
}

/* Its block comes from the heap. */
static bool allocates(const struct access *access, const struct storage *storage)
{
    CXType type = access_plain(storage->place.type);
    if (storage->kind != ST_CONTAINER)
        return storage->kind == ST_HEAP;
    if (text_begins(cxx_type_text(access->clang, type), "std::valarray<"))
        return true;
    CXType allocator =
        clang_getCanonicalType(clang_Type_getTemplateArgumentAsType(type, 1));
    return allocator.kind == CXType_Record &&
           text_begins(cxx_type_text(access->clang, allocator), "std::allocator<");
}

struct apart {
    bool *pair; /* by parameters; NULL = not all calls are known */
    bool *heap; /* gets new blocks of its caller's, always */
};

struct known {
    CXCursor function; /* canonical */
    struct apart apart;
};

struct reading {
    struct access access;
    struct known *known;
    size_t known_nr, known_alloc;
};

static struct apart of_calls(struct reading *reading, CXCursor function, int depth);

static int parameter_at(CXCursor function, CXCursor variable)
{
    int nr = clang_Cursor_getNumArguments(function);
    CXCursor wanted = clang_getCanonicalCursor(variable);
    for (int i = 0; i < nr; i++)
        if (clang_equalCursors(
                clang_getCanonicalCursor(clang_Cursor_getArgument(function, (unsigned)i)),
                wanted))
            return i;
    return -1;
}

/* A parameter of the caller, which its own callers give; `with`: the other one. */
static bool is_apart_above(struct reading *reading, CXCursor caller,
                           const struct storage *param, const struct storage *with,
                           int depth)
{
    int nr = clang_Cursor_getNumArguments(caller);
    int a = parameter_at(caller, param->variable), b = -1;
    bool both = with->kind == ST_PARAM;
    if (both)
        b = parameter_at(caller, with->variable);
    struct apart above = of_calls(reading, caller, depth + 1);
    bool array = with->kind == ST_ARRAY && is_solid(&with->place) &&
                 has_no_fields(&reading->access, &with->place);
    bool found = above.pair && a >= 0 &&
                 (both ? b >= 0 && above.pair[a * nr + b]
                       : above.heap[a] && (allocates(&reading->access, with) || array));
    return found;
}

static bool are_apart(struct reading *reading, CXCursor caller, const struct storage *a,
                      const struct storage *b, int depth)
{
    const struct access *access = &reading->access;
    if (a->kind == ST_NONE || b->kind == ST_NONE)
        return true;
    if (a->kind == ST_UNKNOWN || b->kind == ST_UNKNOWN)
        return false;
    if (a->kind > b->kind)
        return are_apart(reading, caller, b, a, depth);
    bool numbers =
        is_array_of_numbers(access, &a->place) && is_array_of_numbers(access, &b->place);
    if (a->kind == ST_ARRAY && b->kind != ST_PARAM) {
        bool own = is_solid(&a->place) && has_no_fields(access, &a->place);
        return numbers &&
               (b->kind == ST_ARRAY ? are_distinct(access, &a->place, &b->place)
                                    : own && allocates(access, b));
    }
    if (a->kind == ST_CONTAINER && b->kind == ST_CONTAINER)
        return are_distinct(access, &a->place, &b->place);
    if (a->kind == ST_CONTAINER && b->kind == ST_HEAP)
        return allocates(access, a);
    if (a->kind == ST_HEAP)
        return b->kind == ST_PARAM || !clang_equalCursors(a->variable, b->variable);
    return is_apart_above(reading, caller, b, a, depth);
}

/* ---- all calls ---- */

static void look_at_call(struct reading *reading, const struct call_site *site,
                         struct apart *apart, int nr, int depth)
{
    struct access *access = &reading->access;
    CXCursor caller = site->caller;
    bool read = !clang_Cursor_isNull(caller) &&
                clang_getCursorKind(caller) != CXCursor_FunctionTemplate &&
                !cxx_is_template(caller) &&
                clang_Cursor_getNumArguments(site->call) == nr;
    struct storage *storage = xcalloc((size_t)nr, sizeof(*storage));
    struct frame outermost = {.method = clang_getNullCursor()};
    struct frame *before = access->outermost;
    access->outermost = &outermost;
    outermost.self = access_this(access, caller);
    for (int i = 0; read && i < nr; i++) {
        CXCursor argument = clang_Cursor_getArgument(site->call, (unsigned)i);
        CXType type = clang_getCursorType(argument);
        if (!access_is_record(type) &&
            (!access_is_number(type) || is_null(without_casts(argument))))
            storage[i] = storage_of(access, caller, argument, site->call);
    }
    for (int i = 0; i < nr; i++) {
        apart->heap[i] = apart->heap[i] && storage[i].kind == ST_HEAP;
        for (int k = 0; k < i; k++) {
            bool *pair = &apart->pair[i * nr + k];
            *pair = *pair && are_apart(reading, caller, &storage[i], &storage[k], depth);
            apart->pair[k * nr + i] = *pair;
        }
    }
    access->outermost = before;
    free(storage);
}

/* As known so far; of one that is being looked at nothing. */
static struct apart of_calls(struct reading *reading, CXCursor function, int depth)
{
    struct apart apart = {0};
    struct call_sites sites = {0};
    CXCursor own = clang_getCanonicalCursor(function);
    int nr = clang_Cursor_getNumArguments(function);
    size_t at = reading->known_nr;
    for (size_t i = 0; i < reading->known_nr; i++)
        if (clang_equalCursors(reading->known[i].function, own))
            return reading->known[i].apart;
    if (depth >= CALLERS_DEEP)
        return apart;
    GROW(reading->known, reading->known_nr + 1, reading->known_alloc);
    reading->known[reading->known_nr++] = (struct known){.function = own};
    if (nr > 0 && all_calls(&reading->access, function, &sites)) {
        struct ir_arena *arena = reading->access.clang->arena;
        apart.pair = ir_alloc(arena, (size_t)nr * (size_t)nr * sizeof(bool));
        apart.heap = ir_alloc(arena, (size_t)nr * sizeof(bool));
        for (int i = 0; i < nr * nr; i++)
            apart.pair[i] = i / nr != i % nr;
        memset(apart.heap, 1, (size_t)nr * sizeof(bool));
        for (size_t i = 0; i < sites.item_nr; i++)
            look_at_call(reading, &sites.item[i], &apart, nr, depth);
    }
    free(sites.item);
    reading->known[at].apart = apart;
    return apart;
}

const bool *ct_apart(struct ct_file *file, const struct ct_function *function,
                     const char *source)
{
    CXCursor cursor = file->clang->definition[function - file->function];
    if (file->error_nr) /* libclang shows less of a function that has one */
        return NULL;
    struct reading reading = {.access = {.clang = file->clang,
                                         .function = function,
                                         .source = source,
                                         .self = cursor,
                                         .self_class = clang_getNullCursor(),
                                         .anywhere = true}};
    struct apart apart = of_calls(&reading, cursor, 0);
    free(reading.access.key);
    free(reading.known);
    return apart.pair;
}
