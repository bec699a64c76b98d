/*
 * A file that was written, read again: outside of what was to change it must be the file
 * that was read. Both are flattened to what libclang sees in order (declarations,
 * statements, expressions, directives of OpenMP, lines of the preprocessor), each with
 * its depth and its place. The lists are walked side by side: where an edit stands one
 * statement takes the place of what stood there, all else is the same at the same place,
 * moved by what the edits before it are longer.
 */
#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "variants/clang/clang_cursor.h"

struct item {
    enum CXCursorKind kind;
    int depth, line;
    size_t begin, end, at; /* the last: of its name, or where it begins */
    bool elsewhere;        /* in another file: places are those of that */
    const char *name;
    const char *type; /* of declarations */
    enum CX_StorageClass storage;
    enum CXLinkageKind linkage;
    bool refers, refers_here; /* to something, in this file */
    size_t referred;          /* the place of that */
};

/* A text with what it is made of. */
struct shape {
    struct ir_arena *arena;
    struct item *item;
    size_t nr, alloc;
    struct ct_range *skipped;
    size_t skipped_nr;
    size_t error_nr; /* before it is read: so many at most are taken */
};

struct ct_same {
    const char *path, *source; /* the caller's */
    size_t length;
    struct strvec args;
    struct shape shape[2]; /* with directives of OpenMP, and without; arena NULL = not yet
                              asked for */
    bool no_openmp;        /* libclang does not take those of the file */
};

/* ---- what a text is made of ---- */

struct flattening {
    struct ct_clang *clang;
    struct shape *shape;
    int depth;
};

/* Without places, which change: "struct (unnamed at t.c:3:1)". */
static const char *neutral(struct ct_clang *clang, CXString string)
{
    const char *text = take_string(clang, string), *place = strstr(text, " at ");
    const char *end = place ? strchr(place, ')') : NULL;
    return end ? ir_textf(clang->arena, "%.*s%s", (int)(place - text), text, end) : text;
}

static bool is_here(const struct ct_clang *clang, CXSourceLocation location, size_t *at,
                    int *line)
{
    CXFile file;
    unsigned offset, number;
    clang_getExpansionLocation(location, &file, &number, NULL, &offset);
    *at = offset;
    *line = (int)number;
    return file && clang_File_isEqual(file, clang->main);
}

/* The compiler's own, which libclang declares where the file first names it. */
static bool is_builtin(const char *name)
{
    return strncmp(name, "__builtin_", strlen("__builtin_")) == 0;
}

static struct item item_of(const struct flattening *at, CXCursor cursor)
{
    struct ct_clang *clang = at->clang;
    CXSourceRange range = clang_getCursorExtent(cursor);
    struct item item = {.kind = clang_getCursorKind(cursor), .depth = at->depth};
    int line;
    is_here(clang, clang_getRangeStart(range), &item.begin, &line);
    is_here(clang, clang_getRangeEnd(range), &item.end, &line);
    item.elsewhere =
        !is_here(clang, clang_getCursorLocation(cursor), &item.at, &item.line);
    item.name = neutral(clang, clang_getCursorSpelling(cursor));
    item.type = "";
    if (clang_isDeclaration(item.kind)) {
        item.type = neutral(clang, clang_getTypeSpelling(clang_getCursorType(cursor)));
        item.storage = clang_Cursor_getStorageClass(cursor);
        item.linkage = clang_getCursorLinkage(cursor);
        return item;
    }
    CXCursor referred = clang_getCursorReferenced(cursor);
    item.refers = !clang_Cursor_isNull(referred) && !clang_isPreprocessing(item.kind) &&
                  !is_builtin(item.name);
    if (item.refers)
        item.refers_here =
            is_here(clang, clang_getCursorLocation(referred), &item.referred, &line);
    return item;
}

/* Of headers nothing but what stands within the file's own functions; nothing of the
 * variables that a parallel region shares, which stand where they are first used. */
static enum CXChildVisitResult flatten(CXCursor cursor, CXCursor parent,
                                       CXClientData data)
{
    struct flattening *at = data;
    struct item item;
    size_t offset;
    int line;
    if (!at->depth &&
        !is_here(at->clang, clang_getCursorLocation(cursor), &offset, &line))
        return CXChildVisit_Continue;
    if (clang_getCursorKind(cursor) == CXCursor_DeclRefExpr &&
        clang_getCursorKind(parent) == CXCursor_UnexposedStmt)
        return CXChildVisit_Continue;
    item = item_of(at, cursor);
    GROW(at->shape->item, at->shape->nr + 1, at->shape->alloc);
    at->shape->item[at->shape->nr++] = item;
    at->depth++;
    clang_visitChildren(cursor, flatten, at);
    at->depth--;
    return CXChildVisit_Continue;
}

static void shape_release(struct shape *shape)
{
    if (shape->arena)
        ir_arena_free(shape->arena);
    free(shape->item);
    *shape = (struct shape){0};
}

/* Directives of OpenMP as statements, without the macro that says that they count.
 * Between the two readings the clock goes on. */
static void add_args(const struct ct_same *same, bool openmp, struct strvec *args)
{
    static const char *const clock[] = {
        "-Wno-builtin-macro-redefined", "-D__TIME__=\"00:00:00\"",
        "-D__DATE__=\"Jan  1 1970\"", "-D__TIMESTAMP__=\"Thu Jan  1 00:00:00 1970\""};
    for (size_t i = 0; i < ARRAY_SIZE(clock); i++)
        strvec_push(args, clock[i]);
    for (size_t i = 0; i < same->args.nr; i++) {
        strvec_push(args, same->args.v[i]);
        if (!i && openmp) {
            strvec_push(args, "-fopenmp");
            strvec_push(args, "-U_OPENMP");
        }
    }
}

static int shape_read(const struct ct_same *same, const char *text, size_t length,
                      bool openmp, struct shape *shape, struct error *err)
{
    struct ct_file file;
    struct strvec args = {0};
    shape->arena = ir_arena_new();
    add_args(same, openmp, &args);
    int status = ct_open(&file, same->path, text, length, &args, shape->arena, err);
    if (!status && file.error_nr > shape->error_nr)
        status = fail(err, STATUS_INPUT, "%s", file.error);
    if (!status) {
        shape->error_nr = file.error_nr;
        struct flattening at = {.clang = file.clang, .shape = shape};
        clang_visitChildren(clang_getTranslationUnitCursor(file.clang->unit), flatten,
                            &at);
        shape->skipped = file.skipped;
        shape->skipped_nr = file.skipped_nr;
    }
    ct_close(&file);
    strvec_release(&args);
    if (status)
        shape_release(shape);
    return status;
}

/* ---- places ---- */

struct places {
    const struct ct_change *edit;
    size_t nr;
};

/* Where it is now. False within what was taken out. */
static bool moved(const struct places *places, size_t at, size_t *now)
{
    *now = at;
    for (size_t i = 0; i < places->nr && at >= places->edit[i].begin; i++) {
        if (at < places->edit[i].end)
            return false;
        *now = at - places->edit[i].end + places->edit[i].now_end;
    }
    return true;
}

static const struct ct_change *edit_around(const struct places *places,
                                           const struct item *item, bool now)
{
    for (size_t i = 0; i < places->nr && !item->elsewhere; i++) {
        const struct ct_change *edit = &places->edit[i];
        size_t begin = now ? edit->now_begin : edit->begin,
               end = now ? edit->now_end : edit->end;
        if (end > begin && item->begin >= begin && item->begin < end && item->end <= end)
            return edit;
    }
    return NULL;
}

/* ---- side by side ---- */

struct walk {
    const struct ct_same *same;
    const struct shape *shape[2]; /* was, now */
    struct places places;
    size_t at[2];
    bool sizes; /* an array's size is among the edits: types of arrays differ by sizes */
};

static int differs(const struct walk *walk, const struct item *item, const char *what,
                   struct error *err)
{
    return fail(err, STATUS_INTERNAL,
                "%s:%d: internal error: read again, the new text differs from the file "
                "where nothing was to change: %s%s%s; it is not written: please report "
                "it, with the file and the plan",
                walk->same->path, item ? item->line : 1, what,
                item && *item->name ? " " : "", item ? item->name : "");
}

static const struct item *item_at(const struct walk *walk, int now)
{
    const struct shape *shape = walk->shape[now];
    return walk->at[now] < shape->nr ? &shape->item[walk->at[now]] : NULL;
}

static bool same_type(const struct walk *walk, const char *a, const char *b)
{
    while (*a && *a == *b) {
        bool size = walk->sizes && *a == '[';
        a += size ? strcspn(a, "]") : 1;
        b += size ? strcspn(b, "]") : 1;
    }
    return *a == *b;
}

static bool same_place(const struct walk *walk, bool elsewhere, size_t was, size_t now)
{
    size_t at = was;
    return (elsewhere || moved(&walk->places, was, &at)) && at == now;
}

/* What was referred to within an edit is another thing now. */
static bool same_reference(const struct walk *walk, const struct item *was,
                           const struct item *now)
{
    size_t at;
    if (was->refers != now->refers || was->refers_here != now->refers_here)
        return false;
    return !was->refers ||
           (was->refers_here && !moved(&walk->places, was->referred, &at)) ||
           same_place(walk, !was->refers_here, was->referred, now->referred);
}

static int compare(const struct walk *walk, const struct item *was,
                   const struct item *now, struct error *err)
{
    if (was->kind != now->kind || was->depth != now->depth ||
        was->elsewhere != now->elsewhere)
        return differs(walk, was, "another construct stands there, or below another one",
                       err);
    if (!same_place(walk, was->elsewhere, was->at, now->at))
        return differs(walk, was, "it stands in another place", err);
    if (strcmp(was->name, now->name) != 0 || !same_type(walk, was->type, now->type))
        return differs(walk, was, "another name or type:", err);
    if (was->storage != now->storage || was->linkage != now->linkage)
        return differs(walk, was, "another storage class or linkage:", err);
    if (!same_reference(walk, was, now))
        return differs(walk, was, "it means something else:", err);
    return 0;
}

static void skip_item(struct walk *walk, int now)
{
    int depth = item_at(walk, now)->depth;
    do
        walk->at[now]++;
    while (item_at(walk, now) && item_at(walk, now)->depth > depth);
}

static bool is_loop(const struct item *item)
{
    return item->kind == CXCursor_ForStmt || item->kind == CXCursor_WhileStmt ||
           item->kind == CXCursor_DoStmt || item->kind == CXCursor_CXXForRangeStmt ||
           item->kind == CXCursor_NullStmt ||
           (item->kind >= CXCursor_OMPParallelDirective &&
            item->kind <= CXCursor_LastStmt);
}

/* All of it that stands side by side; how many. *loops: nothing else. */
static size_t skip_edit(struct walk *walk, int now, const struct ct_change *edit,
                        bool *loops)
{
    int depth = item_at(walk, now)->depth;
    size_t nr = 0;
    const struct item *item;
    *loops = true;
    while ((item = item_at(walk, now)) && item->depth == depth &&
           edit_around(&walk->places, item, now) == edit) {
        *loops = *loops && is_loop(item);
        skip_item(walk, now);
        nr++;
    }
    return nr;
}

/* Around what is next in the file as it was; wrappers are stepped through. */
static enum CXCursorKind kind_around(const struct walk *walk)
{
    const struct shape *was = walk->shape[0];
    size_t at = walk->at[0];
    int depth = was->item[at].depth;
    while (at > 0 &&
           (was->item[at].depth >= depth || was->item[at].kind == CXCursor_UnexposedStmt))
        at--;
    return was->item[at].kind;
}

/* A directive about a loop, behind which gcc takes no block with one in it. */
static bool wants_loop(enum CXCursorKind kind)
{
    static const enum CXCursorKind others[] = {
        CXCursor_OMPParallelDirective, CXCursor_OMPSingleDirective,
        CXCursor_OMPMasterDirective,   CXCursor_OMPMaskedDirective,
        CXCursor_OMPCriticalDirective, CXCursor_OMPTaskDirective,
        CXCursor_OMPSectionDirective,  CXCursor_OMPTaskgroupDirective,
        CXCursor_OMPOrderedDirective,  CXCursor_OMPTargetDirective,
        CXCursor_OMPTeamsDirective};
    bool wants = kind >= CXCursor_OMPParallelDirective && kind <= CXCursor_LastStmt;
    for (size_t i = 0; wants && i < ARRAY_SIZE(others); i++)
        wants = kind != others[i];
    return wants;
}

/* One statement takes the place of one; in a block, of several loops. */
static int pass_edit(struct walk *walk, const struct ct_change *edit, struct error *err)
{
    const struct item *was = item_at(walk, 0), *now = item_at(walk, 1);
    enum CXCursorKind around = kind_around(walk);
    bool loops, any;
    int depth = was->depth;
    size_t old = skip_edit(walk, 0, edit, &loops);
    if (!now || now->depth != depth || edit_around(&walk->places, now, true) != edit)
        return differs(walk, was, "what was to be replaced has no successor there", err);
    bool block = around == CXCursor_CompoundStmt;
    if ((old != 1 && !(block && loops)) ||
        (skip_edit(walk, 1, edit, &any) != 1 && !(block && edit->is_several)))
        return differs(walk, was, "not one statement stands in the place of one", err);
    if (wants_loop(around) && now->kind != CXCursor_ForStmt)
        return differs(walk, was, "a directive has lost its loop", err);
    return 0;
}

/* Lines of the preprocessor come and go with edits. */
static bool is_line(const struct item *item)
{
    return item && clang_isPreprocessing(item->kind);
}

/* What may be put in where nothing was: declarations of ours, attributes, tests of the
 * compiler's. */
static bool may_be_added(const struct walk *walk, const struct item *item)
{
    const struct item *next = item + 1;
    bool has_child = walk->at[1] + 1 < walk->shape[1]->nr && next->depth > item->depth;
    return clang_isDeclaration(item->kind) || clang_isAttribute(item->kind) ||
           (item->kind == CXCursor_DeclStmt && has_child &&
            next->kind == CXCursor_StaticAssert);
}

static int step(struct walk *walk, struct error *err)
{
    const struct item *was = item_at(walk, 0), *now = item_at(walk, 1);
    const struct ct_change *old = was ? edit_around(&walk->places, was, false) : NULL,
                           *new = now ? edit_around(&walk->places, now, true) : NULL;
    if (is_line(was) && old) {
        skip_item(walk, 0);
        return 0;
    }
    if (is_line(now) && new) {
        skip_item(walk, 1);
        return 0;
    }
    if (new &&new->begin == new->end && may_be_added(walk, now)) {
        skip_item(walk, 1);
        return 0;
    }
    if (old)
        return pass_edit(walk, old, err);
    if (!was || !now)
        return differs(walk, was ? was : now,
                       was ? "it is lost:" : "it was not there:", err);
    walk->at[0]++;
    walk->at[1]++;
    return compare(walk, was, now, err);
}

/* #if leaves out what it left out. */
static int compare_skipped(const struct walk *walk, struct error *err)
{
    const struct shape *was = walk->shape[0], *now = walk->shape[1];
    size_t k = 0;
    for (size_t i = 0; i <= was->skipped_nr; i++) {
        size_t at = SIZE_MAX;
        if (i < was->skipped_nr && !moved(&walk->places, was->skipped[i].begin, &at))
            continue;
        for (; k < now->skipped_nr; k++) {
            const struct item item = {.begin = now->skipped[k].begin,
                                      .end = now->skipped[k].end};
            if (!edit_around(&walk->places, &item, true))
                break;
        }
        if ((k < now->skipped_nr ? now->skipped[k].begin : SIZE_MAX) != at)
            return differs(walk, NULL, "the preprocessor leaves out something else", err);
        k++;
    }
    return 0;
}

static int compare_shapes(struct walk *walk, struct error *err)
{
    while (item_at(walk, 0) || item_at(walk, 1))
        if (step(walk, err))
            return -1;
    return compare_skipped(walk, err);
}

/* ---- bytes ---- */

static bool is_control(char c)
{
    return ((unsigned char)c < ' ' && !isspace((unsigned char)c)) || c == '\177';
}

static int check_bytes(const struct walk *walk, const char *text, size_t length,
                       struct error *err)
{
    const struct ct_same *same = walk->same;
    size_t was = 0, now = 0;
    for (size_t i = 0; i <= walk->places.nr; i++) {
        struct ct_change end = {same->length, same->length, length, length, false, false};
        const struct ct_change *edit = i < walk->places.nr ? &walk->places.edit[i] : &end;
        if (edit->begin < was || edit->end < edit->begin || edit->end > same->length ||
            edit->now_begin < now || edit->now_end > length ||
            edit->begin - was != edit->now_begin - now ||
            memcmp(same->source + was, text + now, edit->begin - was) != 0)
            return differs(walk, NULL, "other bytes", err);
        for (size_t k = edit->now_begin; k < edit->now_end; k++)
            if (is_control(text[k]) && !memchr(same->source, text[k], same->length))
                return differs(walk, NULL, "a control character is in the new text", err);
        was = edit->end;
        now = edit->now_end;
    }
    return 0;
}

/* ---- edits ---- */

/* Between a directive that was taken out and its statement: nothing that counts. */
static bool is_gap(const char *source, size_t at, size_t end)
{
    while (at < end) {
        const char *comment_end =
            strncmp(source + at, "/*", 2) == 0 ? strstr(source + at + 2, "*/") : NULL;
        if (comment_end)
            at = (size_t)(comment_end - source) + 2;
        else if (strncmp(source + at, "//", 2) == 0 || source[at] == '#')
            at += strcspn(source + at, "\n");
        else if (isspace((unsigned char)source[at]))
            at++;
        else
            return false;
    }
    return at == end;
}

/* A directive and its statement, which libclang sees as one, are one edit. */
static size_t join_edits(const struct ct_same *same, const struct ct_change *edit,
                         size_t nr, struct ct_change *out)
{
    size_t joined = 0;
    for (size_t i = 0; i < nr; i++) {
        struct ct_change *last = joined ? &out[joined - 1] : NULL;
        if (last && last->end > last->begin && edit[i].end > edit[i].begin &&
            edit[i - 1].now_begin == edit[i - 1].now_end &&
            is_gap(same->source, last->end, edit[i].begin)) {
            last->end = edit[i].end;
            last->now_end = edit[i].now_end;
        } else
            out[joined++] = edit[i];
    }
    return joined;
}

/* ---- the whole ---- */

struct ct_same *ct_same_open(const char *path, const char *source, size_t length,
                             const struct ir_names *args)
{
    struct ct_same *same = xcalloc(1, sizeof(*same));
    same->path = path;
    same->source = source;
    same->length = length;
    for (size_t i = 0; i < args->nr; i++)
        strvec_push(&same->args, args->item[i]);
    return same;
}

void ct_same_close(struct ct_same *same)
{
    if (!same)
        return;
    for (size_t i = 0; i < ARRAY_SIZE(same->shape); i++)
        shape_release(&same->shape[i]);
    strvec_release(&same->args);
    free(same);
}

/* Is it the file where directives of OpenMP count, or, where libclang does not take those
 * of the file as it was, where they do not? */
static const struct shape *original(struct ct_same *same, bool *openmp, struct error *err)
{
    for (int i = same->no_openmp; i < (int)ARRAY_SIZE(same->shape); i++) {
        struct shape *shape = &same->shape[i];
        *openmp = !i;
        shape->error_nr = *openmp || shape->arena ? shape->error_nr : SIZE_MAX;
        if (shape->arena || shape_read(same, same->source, same->length, *openmp, shape,
                                       *openmp ? NULL : err) == 0)
            return shape;
        same->no_openmp = true;
    }
    return NULL;
}

int ct_same_check(struct ct_same *same, const char *text, size_t length,
                  const struct ct_change *edit, size_t nr, struct error *err)
{
    struct walk walk = {.same = same, .places = {edit, nr}};
    struct error why = {0};
    struct shape now = {0};
    if (check_bytes(&walk, text, length, err))
        return -1;
    struct ct_change *joined = xcalloc(nr + 1, sizeof(*joined));
    walk.places = (struct places){joined, join_edits(same, edit, nr, joined)};
    for (size_t i = 0; i < nr; i++)
        walk.sizes = walk.sizes || edit[i].is_size;
    bool openmp;
    walk.shape[0] = original(same, &openmp, &why);
    walk.shape[1] = &now;
    now.error_nr = walk.shape[0] ? walk.shape[0]->error_nr : 0;
    int status = walk.shape[0] ? shape_read(same, text, length, openmp, &now, &why) : -1;
    if (status)
        status = fail(err, STATUS_INTERNAL,
                      "internal error: the new text does not compile: %s; it is not "
                      "written: please report it, with the file and the plan",
                      why.text);
    else
        status = compare_shapes(&walk, err);
    shape_release(&now);
    free(joined);
    return status;
}
