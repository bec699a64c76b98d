/* The file: parsing, errors, its functions. */
#include "core/base/array.h"
#include "core/base/buf.h"
#include "core/base/text.h"
#include "variants/clang/clang_cursor.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- parsing ---- */

/* Warnings that are errors for clang unless it is told otherwise, and that gcc's C or C++
 * compiler takes: groups of clang 14 to 20 (`diagtool show-enabled --levels`), each tried
 * with gcc 12. Left out: what gcc refuses, too, what is about other languages, and
 * -Watomic-access, whose meaning nobody promises. */
static const char *const taken_by_gcc[] = {
    "implicit-int",
    "implicit-function-declaration",
    "int-conversion",
    "incompatible-pointer-types",
    "incompatible-function-pointer-types",
    "return-type",
    "return-mismatch",
    "initializer-overrides",
    "register",
    "c++11-narrowing",
    "delegating-ctor-cycles",
    "dtor-typedef",
    "elaborated-enum-class",
    "enum-constexpr-conversion",
    "missing-template-arg-list-after-template-kw",
    "non-pod-varargs",
    "reserved-user-defined-literal",
};

/* The record of preprocessing is what clang_getSkippedRanges reads. All errors are asked
 * for, since those inside of functions are no failure. */
static enum CXErrorCode parse_unit(struct ct_clang *clang, const char *path,
                                   struct CXUnsavedFile *content,
                                   const struct strvec *args)
{
    struct strvec all = {0};
    for (size_t i = 0; i < args->nr; i++)
        strvec_push(&all, args->v[i]);
    strvec_push(&all, "-ferror-limit=0");
    for (size_t i = 0; i < ARRAY_SIZE(taken_by_gcc); i++)
        strvec_pushf(&all, "-Wno-error=%s", taken_by_gcc[i]);
    enum CXErrorCode code = clang_parseTranslationUnit2(
        clang->index, path, (const char *const *)all.v, (int)all.nr, content, 1,
        CXTranslationUnit_DetailedPreprocessingRecord, &clang->unit);
    strvec_release(&all);
    return code;
}

/* An -march that libclang does not know makes it fail without a word. */
static void without_machine(const struct strvec *args, struct strvec *out)
{
    for (size_t i = 0; i < args->nr; i++)
        if (strncmp(args->v[i], "-m", 2) != 0)
            strvec_push(out, args->v[i]);
}

/* Asked of an empty file first: of a text that we hand over it loses a copy when it
 * cannot make sense of the flags. */
static enum CXErrorCode check_standard(struct ct_clang *clang, const struct strvec *args)
{
    enum CXErrorCode code = CXError_Success;
    for (size_t i = 0; i < args->nr && code == CXError_Success; i++) {
        const char *words[] = {"-x", strstr(args->v[i], "++") ? "c++" : "c", args->v[i]};
        CXTranslationUnit unit = NULL;
        if (strncmp(args->v[i], "-std=", 5) != 0)
            continue;
        code = clang_parseTranslationUnit2(clang->index, "/dev/null", words,
                                           (int)ARRAY_SIZE(words), NULL, 0, 0, &unit);
        clang_disposeTranslationUnit(unit);
    }
    return code;
}

static int parse_any(struct ct_clang *clang, const char *path, const char *source,
                     size_t length, const struct strvec *args, struct error *err)
{
    struct CXUnsavedFile content = {path, source, length};
    enum CXErrorCode standard = check_standard(clang, args),
                     code = standard == CXError_Success
                                ? parse_unit(clang, path, &content, args)
                                : standard;
    if (standard == CXError_Success && (code != CXError_Success || !clang->unit)) {
        struct strvec plain = {0};
        without_machine(args, &plain);
        code = parse_unit(clang, path, &content, &plain);
        strvec_release(&plain);
    }
    if (code != CXError_Success || !clang->unit)
        return fail(err, STATUS_INPUT,
                    "'%s' cannot be parsed: libclang gave up (code %d); it does so for "
                    "flags that it cannot make sense of, such as an unknown -std=",
                    path, (int)code);
    clang->main = clang_getFile(clang->unit, path);
    return 0;
}

CXTranslationUnit ct_reparse(struct ct_clang *clang, const char *path,
                             const struct buf *text, const struct strvec *args)
{
    struct ct_clang other = {.index = clang->index, .arena = clang->arena};
    parse_any(&other, path, text->data, text->length, args, NULL);
    return other.unit;
}

/* ---- errors ---- */

/* Diagnostics without a file are about flags that only gcc knows; those in system headers
 * are about attributes that only gcc knows. What the user's file needs of them shows
 * there. `at`: line, column, offset. */
static bool is_compile_error(CXDiagnostic diagnostic, CXFile *file, unsigned at[3])
{
    CXSourceLocation location = clang_getDiagnosticLocation(diagnostic);
    enum CXDiagnosticSeverity severity = clang_getDiagnosticSeverity(diagnostic);
    clang_getExpansionLocation(location, file, &at[0], &at[1], &at[2]);
    if (severity == CXDiagnostic_Error && clang_Location_isInSystemHeader(location))
        return false;
    return severity >= CXDiagnostic_Error && *file;
}

/* "USE_MPI=0" of "you should specify USE_MPI=0 or USE_MPI=1"; NAME where the text has
 * none. Caller frees. */
static char *define_named(const char *text)
{
    static const char *const capital = "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
    for (const char *at = text; (at = strchr(at, '=')); at++) {
        const char *from = at, *end = at + 1 + text_word_length(at + 1);
        while (from > text && strchr(capital, from[-1]))
            from--;
        if (from < at && !isdigit((unsigned char)*from) && end > at + 1)
            return xstrndup(from, (size_t)(end - from));
    }
    return xstrdup("NAME");
}

static const char user_defined[] = "User-Defined Issue"; /* #error */

static int fail_at(struct ct_clang *clang, CXDiagnostic diagnostic, CXFile file,
                   const unsigned at[3], struct error *err)
{
    const char *name = take_string(clang, clang_getFileName(file));
    const char *text = take_string(clang, clang_getDiagnosticSpelling(diagnostic));
    const char *kind = take_string(clang, clang_getDiagnosticCategoryText(diagnostic));
    if (strstr(text, "file not found"))
        return fail(err, STATUS_INPUT,
                    "%s:%u:%u: %s; give its folder with -I, a compile_commands.json, or "
                    "--build 'make'",
                    name, at[0], at[1], text);
    if (!strcmp(kind, user_defined)) {
        char *define = define_named(text);
        int status = fail(err, STATUS_INPUT,
                          "%s:%u:%u: #error %s; define what its build defines, with "
                          "--cflags -D%s, a compile_commands.json, or --build 'make'",
                          name, at[0], at[1], text, define);
        free(define);
        return status;
    }
    return fail(err, STATUS_INPUT, "%s:%u:%u: %s", name, at[0], at[1], text);
}

/* As C++ the file has no error. */
static bool is_fine_as_cplusplus(struct ct_clang *clang, const char *path,
                                 const char *source, size_t length,
                                 const struct strvec *args)
{
    struct CXUnsavedFile content = {path, source, length};
    struct ct_clang other = {.index = clang->index, .arena = clang->arena};
    struct strvec flags = {0};
    strvec_push(&flags, "-xc++");
    for (size_t i = 1; i < args->nr; i++)
        if (strncmp(args->v[i], "-std=", 5) != 0)
            strvec_push(&flags, args->v[i]);
    bool fine = parse_unit(&other, path, &content, &flags) == CXError_Success;
    fine = fine && other.unit;
    for (unsigned i = 0; fine && i < clang_getNumDiagnostics(other.unit); i++) {
        CXDiagnostic diagnostic = clang_getDiagnostic(other.unit, i);
        CXFile file;
        unsigned at[3];
        fine = !is_compile_error(diagnostic, &file, at);
        clang_disposeDiagnostic(diagnostic);
    }
    if (other.unit)
        clang_disposeTranslationUnit(other.unit);
    strvec_release(&flags);
    return fine;
}

/* ---- functions ---- */

static enum CXChildVisitResult find_loop(CXCursor cursor, CXCursor parent,
                                         CXClientData data)
{
    (void)parent;
    bool *found = data;
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    *found = kind == CXCursor_ForStmt || kind == CXCursor_WhileStmt ||
             kind == CXCursor_DoStmt || kind == CXCursor_CXXForRangeStmt;
    return *found ? CXChildVisit_Break : CXChildVisit_Recurse;
}

static enum CXChildVisitResult find_definition(CXCursor cursor, CXCursor parent,
                                               CXClientData data)
{
    (void)parent;
    struct ct_clang *clang = data;
    if (!clang_Location_isFromMainFile(clang_getCursorLocation(cursor)))
        return CXChildVisit_Continue;
    if (cxx_is_function(cursor) && clang_isCursorDefinition(cursor)) {
        GROW(clang->definition, clang->definition_nr + 1, clang->definition_alloc);
        clang->definition[clang->definition_nr++] = cursor;
    }
    return clang->is_cplusplus && cxx_is_scope(cursor) ? CXChildVisit_Recurse
                                                       : CXChildVisit_Continue;
}

static void read_head(struct ct_clang *clang, CXCursor cursor,
                      struct ct_function *function)
{
    CXSourceRange range = clang_getCursorExtent(cursor);
    unsigned line, offset;
    function->name = take_string(clang, clang_getCursorSpelling(cursor));
    function->is_static = clang_Cursor_getStorageClass(cursor) == CX_SC_Static;
    clang_visitChildren(cursor, find_loop, &function->has_loop);
    clang_getExpansionLocation(clang_getRangeStart(range), NULL, &line, NULL, &offset);
    function->line = (int)line;
    function->begin = offset;
    clang_getExpansionLocation(clang_getRangeEnd(range), NULL, &line, NULL, &offset);
    function->end_line = (int)line;
    function->end = offset;
    function->qualified = function->full = function->name;
    if (clang->is_cplusplus)
        cxx_read_head(clang, cursor, function);
}

/* Methods may be defined in front of what they are declared beside. */
static int by_place(const void *a, const void *b)
{
    const CXCursor *one = a, *other = b;
    unsigned at[2];
    clang_getExpansionLocation(clang_getCursorLocation(*one), NULL, NULL, NULL, &at[0]);
    clang_getExpansionLocation(clang_getCursorLocation(*other), NULL, NULL, NULL, &at[1]);
    return (at[0] > at[1]) - (at[0] < at[1]);
}

static void read_functions(struct ct_file *file)
{
    struct ct_clang *clang = file->clang;
    clang_visitChildren(clang_getTranslationUnitCursor(clang->unit), find_definition,
                        clang);
    if (clang->definition_nr)
        qsort(clang->definition, clang->definition_nr, sizeof(CXCursor), by_place);
    file->function_nr = clang->definition_nr;
    file->function =
        ir_alloc(clang->arena, (file->function_nr + 1) * sizeof(*file->function));
    for (size_t i = 0; i < file->function_nr; i++)
        read_head(clang, clang->definition[i], &file->function[i]);
}

struct elsewhere {
    struct ct_clang *clang;
    const char *name;
    int line;
    struct ct_elsewhere *found;
};

static enum CXChildVisitResult find_elsewhere(CXCursor cursor, CXCursor parent,
                                              CXClientData data)
{
    (void)parent;
    const struct elsewhere *wanted = data;
    struct ct_function function = {0};
    CXSourceLocation at = clang_getCursorLocation(cursor);
    CXFile file;
    if (!cxx_is_function(cursor) || !clang_isCursorDefinition(cursor) ||
        clang_Location_isFromMainFile(at) || clang_Location_isInSystemHeader(at))
        return CXChildVisit_Continue;
    read_head(wanted->clang, cursor, &function);
    clang_getExpansionLocation(at, &file, NULL, NULL, NULL);
    bool macro = file && clang_File_isEqual(file, wanted->clang->main);
    bool found = wanted->name   ? strcmp(function.name, wanted->name) == 0
                 : wanted->line ? macro && function.line == wanted->line
                                : function.has_loop;
    if (found)
        *wanted->found = (struct ct_elsewhere){
            .name = function.name,
            .line = function.line,
            .path = macro ? NULL : take_string(wanted->clang, clang_getFileName(file))};
    return found ? CXChildVisit_Break : CXChildVisit_Continue;
}

struct ct_elsewhere ct_find_elsewhere(const struct ct_file *file, const char *name,
                                      int line)
{
    struct ct_elsewhere found = {0};
    struct elsewhere wanted = {file->clang, name, line, &found};
    clang_visitChildren(clang_getTranslationUnitCursor(file->clang->unit), find_elsewhere,
                        &wanted);
    return found;
}

/* ---- errors inside of functions ---- */

struct around {
    CXFile file;
    unsigned at;
    CXCursor function; /* null = there is none */
};

static enum CXChildVisitResult find_around(CXCursor cursor, CXCursor parent,
                                           CXClientData data)
{
    (void)parent;
    struct around *around = data;
    CXSourceRange range = clang_getCursorExtent(cursor);
    CXFile file;
    unsigned begin, end;
    clang_getExpansionLocation(clang_getRangeStart(range), &file, NULL, NULL, &begin);
    clang_getExpansionLocation(clang_getRangeEnd(range), NULL, NULL, NULL, &end);
    if (!file || !clang_File_isEqual(file, around->file) || around->at < begin ||
        around->at > end)
        return CXChildVisit_Continue;
    if (cxx_is_function(cursor) && clang_isCursorDefinition(cursor)) {
        around->function = cursor;
        return CXChildVisit_Break;
    }
    return cxx_is_scope(cursor) ? CXChildVisit_Recurse : CXChildVisit_Continue;
}

static bool is_broken(const struct ct_clang *clang, CXCursor function)
{
    for (size_t i = 0; i < clang->broken_nr; i++)
        if (clang_equalCursors(clang->broken[i], function))
            return true;
    return false;
}

/* False where it stands outside of all functions, or more than a function is lost. */
static bool note_error(struct ct_file *file, CXDiagnostic diagnostic, CXFile in,
                       const unsigned at[3])
{
    struct ct_clang *clang = file->clang;
    struct around around = {in, at[2], clang_getNullCursor()};
    const char *kind = take_string(clang, clang_getDiagnosticCategoryText(diagnostic));
    if (clang_getDiagnosticSeverity(diagnostic) == CXDiagnostic_Error &&
        strcmp(kind, user_defined) != 0)
        clang_visitChildren(clang_getTranslationUnitCursor(clang->unit), find_around,
                            &around);
    if (clang_Cursor_isNull(around.function))
        return false;
    GROW(clang->broken, clang->broken_nr + 1, clang->broken_alloc);
    clang->broken[clang->broken_nr++] = around.function;
    file->error_nr++;
    for (size_t i = 0; i < file->function_nr; i++) {
        struct ct_function *function = &file->function[i];
        if (function->has_error ||
            !clang_equalCursors(clang->definition[i], around.function))
            continue;
        function->has_error = true;
        function->trouble = (struct ct_trouble){
            take_string(clang, clang_getDiagnosticSpelling(diagnostic)), (int)at[0],
            (int)at[1]};
    }
    return true;
}

static int check_errors(struct ct_file *file, const char *path, const char *source,
                        size_t length, const struct strvec *args, struct error *err)
{
    struct ct_clang *clang = file->clang;
    struct error first = {0};
    bool inside = true;
    for (unsigned i = 0; i < clang_getNumDiagnostics(clang->unit) && inside; i++) {
        CXDiagnostic diagnostic = clang_getDiagnostic(clang->unit, i);
        CXFile in;
        unsigned at[3];
        if (is_compile_error(diagnostic, &in, at)) {
            if (!first.status)
                fail_at(clang, diagnostic, in, at, &first);
            inside = note_error(file, diagnostic, in, at);
        }
        clang_disposeDiagnostic(diagnostic);
    }
    bool other = first.status && !clang->is_cplusplus &&
                 is_fine_as_cplusplus(clang, path, source, length, args);
    if (other)
        return fail(err, first.status,
                    "%s; it has no error as C++: give -x c++ after -- if it is C++",
                    first.text);
    file->error = first.status ? ir_text(clang->arena, first.text) : NULL;
    return inside ? 0 : fail_as(err, &first);
}

static void read_skipped(struct ct_file *file)
{
    struct ct_clang *clang = file->clang;
    CXSourceRangeList *list = clang_getSkippedRanges(clang->unit, clang->main);
    file->skipped = ir_alloc(clang->arena, (list->count + 1) * sizeof(*file->skipped));
    for (unsigned i = 0; i < list->count; i++) {
        unsigned begin, end;
        clang_getExpansionLocation(clang_getRangeStart(list->ranges[i]), NULL, NULL, NULL,
                                   &begin);
        clang_getExpansionLocation(clang_getRangeEnd(list->ranges[i]), NULL, NULL, NULL,
                                   &end);
        file->skipped[file->skipped_nr++] = (struct ct_range){begin, end};
    }
    clang_disposeSourceRangeList(list);
}

int ct_open(struct ct_file *file, const char *path, const char *source, size_t length,
            const struct strvec *args, struct ir_arena *arena, struct error *err)
{
    struct ct_clang *clang = xcalloc(1, sizeof(*clang));
    *file = (struct ct_file){.clang = clang};
    clang->arena = arena;
    clang->reading = clang_getNullCursor();
    clang->is_cplusplus = args->nr > 0 && strcmp(args->v[0], "-xc++") == 0;
    file->is_cplusplus = clang->is_cplusplus;
    clang->index = clang_createIndex(0, 0);
    if (parse_any(clang, path, source, length, args, err) < 0)
        return -1;
    read_functions(file);
    if (check_errors(file, path, source, length, args, err) < 0)
        return -1;
    read_skipped(file);
    ct_read_pragmas(file, args);
    return 0;
}

void ct_close(struct ct_file *file)
{
    struct ct_clang *clang = file->clang;
    if (!clang)
        return;
    if (clang->unit)
        clang_disposeTranslationUnit(clang->unit);
    clang_disposeIndex(clang->index);
    free(clang->definition);
    free(clang->broken);
    free(clang->known);
    free(clang->kept);
    free(clang);
    file->clang = NULL;
}

static void read_function(struct ct_clang *clang, CXCursor cursor,
                          struct ct_function *function)
{
    int params = clang_Cursor_getNumArguments(cursor);
    size_t self = cxx_is_method(cursor);
    function->param_nr = self + (params > 0 ? (size_t)params : 0);
    function->param =
        ir_alloc(clang->arena, (function->param_nr + 1) * sizeof(struct ct_decl *));
    if (self)
        function->param[0] = cxx_this(clang);
    for (size_t i = self; i < function->param_nr; i++)
        function->param[i] =
            decl_of(clang, clang_Cursor_getArgument(cursor, (unsigned)(i - self)));
    function->result = type_of(clang, clang_getCursorResultType(cursor));
    struct cursors list = children_of(cursor);
    if (list.item_nr > 0)
        function->body = node_build(clang, list.item[list.item_nr - 1]);
    free(list.item);
}

void ct_read(struct ct_file *file, struct ct_function *function, bool keeps)
{
    struct ct_clang *clang = file->clang;
    CXCursor cursor = clang->definition[function - file->function];
    clang->reading = cursor;
    clang->kept_nr = 0;
    bool kept = false;
    if (!function->trouble.text && clang->is_cplusplus)
        function->trouble = cxx_find_trouble(clang, cursor, keeps ? &kept : NULL);
    if (function->trouble.text && !kept)
        return;
    function->linkage.symbol = function->name;
    if (clang->is_cplusplus)
        cxx_read_linkage(clang, cursor, function);
    clang->asks = (struct ct_trouble){0};
    read_function(clang, cursor, function);
    function->asks = clang->asks;
}

void ct_read_body(struct ct_file *file, struct ct_function *function)
{
    struct ct_clang *clang = file->clang;
    CXCursor cursor = clang->definition[function - file->function];
    clang->reading = cursor;
    clang->keeps_references = true;
    if (!cxx_is_template(cursor))
        read_function(clang, cursor, function);
}

/* Another one than that which is read, so without its `this`. */
static bool is_readable(struct ct_clang *clang, CXCursor cursor,
                        const struct ct_function *function)
{
    return !is_broken(clang, cursor) &&
           (!clang->is_cplusplus || (!cxx_is_method(cursor) && !function->trouble.text &&
                                     !cxx_find_trouble(clang, cursor, NULL).text));
}

static CXCursor cursor_of(const struct ct_clang *clang, const struct ct_decl *decl)
{
    for (size_t i = 0; i < clang->known_nr; i++)
        if (clang->known[i].decl == decl)
            return clang->known[i].cursor;
    return clang_getNullCursor();
}

struct ct_function *ct_body(struct ct_file *file, struct ct_decl *decl)
{
    struct ct_clang *clang = file->clang;
    if (decl->body_sought || decl->role != IR_FUNCTION)
        return decl->body;
    decl->body_sought = true;
    CXCursor definition = clang_getCursorDefinition(cursor_of(clang, decl));
    if (clang_Cursor_isNull(definition) ||
        clang_Location_isInSystemHeader(clang_getCursorLocation(definition)))
        return NULL;
    struct ct_function *function = ir_alloc(clang->arena, sizeof(*function));
    read_head(clang, definition, function);
    if (!is_readable(clang, definition, function))
        return NULL;
    read_function(clang, definition, function);
    decl->body = function->body ? function : NULL;
    return decl->body;
}

/* ---- callers ---- */

struct calling {
    CXCursor callee; /* canonical */
    bool found;
};

static enum CXChildVisitResult find_call(CXCursor cursor, CXCursor parent,
                                         CXClientData data)
{
    (void)parent;
    struct calling *calling = data;
    calling->found =
        clang_getCursorKind(cursor) == CXCursor_CallExpr &&
        clang_equalCursors(clang_getCanonicalCursor(clang_getCursorReferenced(cursor)),
                           calling->callee);
    return calling->found ? CXChildVisit_Break : CXChildVisit_Recurse;
}

static CXCursor definition_of(const struct ct_file *file,
                              const struct ct_function *function)
{
    return file->clang->definition[function - file->function];
}

struct ct_decl *ct_declared(struct ct_file *file, const struct ct_function *function)
{
    return decl_of(file->clang, definition_of(file, function));
}

size_t ct_callers(struct ct_file *file, const struct ct_function *function,
                  struct ct_function ***callers)
{
    struct ct_clang *clang = file->clang;
    size_t nr = 0;
    *callers = ir_alloc(clang->arena, (file->function_nr + 1) * sizeof(**callers));
    for (size_t i = 0; i < file->function_nr; i++) {
        struct ct_function *caller = &file->function[i];
        struct calling calling = {clang_getCanonicalCursor(definition_of(file, function)),
                                  false};
        clang_visitChildren(clang->definition[i], find_call, &calling);
        if (!calling.found || caller == function ||
            !is_readable(clang, clang->definition[i], caller))
            continue;
        if (!caller->body)
            read_function(clang, clang->definition[i], caller);
        if (caller->body)
            (*callers)[nr++] = caller;
    }
    return nr;
}

/* ---- names ---- */

struct naming {
    size_t end; /* of the function, in the file itself */
    struct strvec macros, plain, declared;
};

static bool is_behind(CXCursor cursor, size_t end)
{
    unsigned offset;
    CXSourceLocation location = clang_getCursorLocation(cursor);
    clang_getExpansionLocation(location, NULL, NULL, NULL, &offset);
    return clang_Location_isFromMainFile(location) && offset >= end;
}

static enum CXChildVisitResult note_name(CXCursor cursor, CXCursor parent,
                                         CXClientData data)
{
    (void)parent;
    struct naming *naming = data;
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    bool macro = kind == CXCursor_MacroDefinition;
    if (!macro && !clang_isDeclaration(kind))
        return CXChildVisit_Continue;
    CXString name = clang_getCursorSpelling(cursor);
    bool met = !macro || !is_behind(cursor, naming->end);
    if (met)
        strvec_push(macro ? &naming->macros : &naming->declared, clang_getCString(name));
    if (met && macro && !clang_Cursor_isMacroFunctionLike(cursor))
        strvec_push(&naming->plain, clang_getCString(name));
    clang_disposeString(name);
    return kind == CXCursor_EnumDecl ? CXChildVisit_Recurse : CXChildVisit_Continue;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static struct ir_names sorted(struct ir_arena *arena, struct strvec *list)
{
    struct ir_names names = {.nr = list->nr};
    names.item = ir_alloc(arena, (list->nr + 1) * sizeof(*names.item));
    for (size_t i = 0; i < list->nr; i++)
        names.item[i] = ir_text(arena, list->v[i]);
    qsort(names.item, names.nr, sizeof(*names.item), by_text);
    strvec_release(list);
    return names;
}

void ct_read_names(struct ct_file *file, const struct ct_function *function,
                   struct ir_names *macros, struct ir_names *plain,
                   struct ir_names *declared)
{
    struct ct_clang *clang = file->clang;
    struct naming naming = {.end = function->end};
    clang_visitChildren(clang_getTranslationUnitCursor(clang->unit), note_name, &naming);
    *macros = sorted(clang->arena, &naming.macros);
    *plain = sorted(clang->arena, &naming.plain);
    *declared = sorted(clang->arena, &naming.declared);
}
