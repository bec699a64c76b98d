/*
 * `parallel_for(n, [=](int i) { y[i] = a * x[i]; });` of a function template that only
 * counts and calls: the loop that it is. It is written as one before the function is
 * read, its lines where they were; what is not surely the same is told.
 */
#include "variants/clang/clang_cursor.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/text.h"

enum { ARGUMENTS_MAX = 8 };

struct lambda {
    struct ct_clang *clang;
    const char *source;
    CXCursor function, call; /* that calls, and its call */
    CXCursor cursor, parameter, body;
    const char *by_default;      /* what it captures unnamed: "=", "&" or "" */
    struct strvec copied, named; /* by its list */
    CXCursor counter;            /* the template's loop variable */
    int argument, first,
        last; /* of the call: the lambda, the bounds; first -1 = `from` */
    const char *from, *op;
    struct ct_trouble *trouble;
};

static bool complain(struct lambda *lambda, CXCursor at, const char *text)
{
    unsigned line, column;
    if (lambda->trouble->text)
        return false;
    clang_getExpansionLocation(clang_getCursorLocation(at), NULL, &line, &column, NULL);
    *lambda->trouble = (struct ct_trouble){text, (int)line, (int)column};
    return false;
}

static const char *name_of(const struct lambda *lambda, CXCursor cursor)
{
    return take_string(lambda->clang, clang_getCursorSpelling(cursor));
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

/* Through parentheses, implicit casts and copies. */
static CXCursor peel(CXCursor cursor)
{
    for (;;) {
        enum CXCursorKind kind = clang_getCursorKind(cursor);
        struct cursors list = operands_of(cursor);
        bool copies = kind == CXCursor_CallExpr &&
                      clang_getCursorKind(clang_getCursorReferenced(cursor)) ==
                          CXCursor_Constructor;
        bool through = list.item_nr == 1 && (kind == CXCursor_UnexposedExpr ||
                                             kind == CXCursor_ParenExpr || copies);
        CXCursor inner = through ? list.item[0] : cursor;
        free(list.item);
        if (!through)
            return cursor;
        cursor = inner;
    }
}

static bool names(CXCursor cursor, CXCursor decl)
{
    CXCursor inner = peel(cursor);
    return clang_getCursorKind(inner) == CXCursor_DeclRefExpr &&
           clang_equalCursors(clang_getCursorReferenced(inner), decl);
}

static CXType plain(CXType type)
{
    return clang_getUnqualifiedType(
        clang_getCanonicalType(clang_getNonReferenceType(type)));
}

static bool is_integer(CXType type)
{
    return plain(type).kind > CXType_Bool && plain(type).kind <= CXType_Int128;
}

static bool is_signed(CXType type)
{
    return plain(type).kind >= CXType_Char_S && plain(type).kind <= CXType_Int128;
}

bool cxx_is_scalar(CXType type)
{
    enum CXTypeKind kind = plain(type).kind;
    return kind == CXType_Pointer || kind == CXType_Enum ||
           (kind >= CXType_Bool && kind <= CXType_LongDouble);
}

static size_t begin_of(CXCursor cursor)
{
    unsigned at;
    clang_getExpansionLocation(clang_getRangeStart(clang_getCursorExtent(cursor)), NULL,
                               NULL, NULL, &at);
    return at;
}

static size_t end_of(CXCursor cursor)
{
    unsigned at;
    clang_getExpansionLocation(clang_getRangeEnd(clang_getCursorExtent(cursor)), NULL,
                               NULL, NULL, &at);
    return at;
}

static bool is_written_at(const struct ct_clang *clang, CXSourceLocation location)
{
    CXFile file, spelled;
    unsigned at, spelled_at;
    clang_getExpansionLocation(location, &file, NULL, NULL, &at);
    clang_getSpellingLocation(location, &spelled, NULL, NULL, &spelled_at);
    return file && spelled && clang_File_isEqual(file, clang->main) &&
           clang_File_isEqual(spelled, clang->main) && at == spelled_at;
}

/* In the file itself, and by no macro. */
static bool is_written(const struct ct_clang *clang, CXCursor cursor)
{
    CXSourceRange range = clang_getCursorExtent(cursor);
    return is_written_at(clang, clang_getRangeStart(range)) &&
           is_written_at(clang, clang_getRangeEnd(range));
}

static bool is_in(CXCursor cursor, CXCursor outer)
{
    return begin_of(cursor) >= begin_of(outer) && end_of(cursor) <= end_of(outer);
}

/* ---- the template ---- */

/* Or a macro, which may be one, before the loop. */
static bool has_directive(const struct ct_clang *clang, CXCursor body, CXCursor loop)
{
    CXFile file;
    size_t length, at = begin_of(body) + 1, end = begin_of(loop);
    clang_getExpansionLocation(clang_getCursorLocation(body), &file, NULL, NULL, NULL);
    const char *text = file ? clang_getFileContents(clang->unit, file, &length) : NULL;
    if (!text || end_of(body) > length)
        return true;
    const char *whole =
        ir_textf(clang->arena, "%.*s", (int)(end_of(body) - at), text + at);
    while (at < end && (isspace((unsigned char)text[at]) || text[at] == '/'))
        if (text[at] != '/')
            at++;
        else
            at += text[at + 1] == '/'
                      ? strcspn(text + at, "\n")
                      : (size_t)(strstr(text + at + 2, "*/") + 2 - (text + at));
    return at != end || strchr(whole, '#') || strstr(whole, "_Pragma");
}

static CXCursor only_statement(CXCursor body)
{
    struct cursors list = children_of(body);
    CXCursor only = list.item_nr == 1 ? list.item[0] : clang_getNullCursor();
    free(list.item);
    return only;
}

static CXCursor body_of(CXCursor function)
{
    CXCursor definition = clang_getCursorDefinition(function);
    struct cursors list = children_of(definition);
    CXCursor last = list.item_nr ? list.item[list.item_nr - 1] : clang_getNullCursor();
    free(list.item);
    return clang_getCursorKind(last) == CXCursor_CompoundStmt ? last
                                                              : clang_getNullCursor();
}

/* Which parameter of the template `cursor` names, or -1. */
static int parameter_at(CXCursor target, CXCursor cursor)
{
    CXCursor definition = clang_getCursorDefinition(target);
    for (int i = 0; i < clang_Cursor_getNumArguments(definition); i++)
        if (names(cursor, clang_Cursor_getArgument(definition, (unsigned)i)))
            return i;
    return -1;
}

/* `f(i)` */
static bool calls_with_counter(const struct lambda *lambda, CXCursor target,
                               CXCursor statement)
{
    CXCursor call = clang_getCursorKind(statement) == CXCursor_CompoundStmt
                        ? only_statement(statement)
                        : statement;
    if (clang_getCursorKind(call) != CXCursor_CallExpr)
        return false;
    struct cursors list = operands_of(call);
    bool fits = list.item_nr == 3 &&
                parameter_at(target, list.item[0]) == lambda->argument &&
                !strcmp(name_of(lambda, clang_getCursorReferenced(call)), "operator()") &&
                names(list.item[2], lambda->counter);
    free(list.item);
    return fits;
}

/* `for (int i = 0; i < n; i++) f(i);` */
static bool read_loop(struct lambda *lambda, CXCursor target, const struct cursors *part)
{
    struct ct_clang *clang = lambda->clang;
    CXCursor decl = only_statement(part->item[0]), cond = part->item[1];
    CXCursor init = clang_Cursor_getVarDeclInitializer(decl);
    enum CXBinaryOperatorKind op = clang_getCursorBinaryOperatorKind(cond);
    enum CXUnaryOperatorKind step = clang_getCursorUnaryOperatorKind(part->item[2]);
    struct cursors side = operands_of(cond);
    long long from = 0;
    lambda->counter = decl;
    lambda->op = take_string(clang, clang_getBinaryOperatorKindSpelling(op));
    bool fits = clang_getCursorKind(decl) == CXCursor_VarDecl &&
                is_integer(clang_getCursorType(decl)) && !clang_Cursor_isNull(init) &&
                (op == CXBinaryOperator_LT || op == CXBinaryOperator_LE) &&
                side.item_nr == 2 && names(side.item[0], decl) &&
                (step == CXUnaryOperator_PreInc || step == CXUnaryOperator_PostInc) &&
                names(only_statement(part->item[2]), decl) &&
                calls_with_counter(lambda, target, part->item[3]);
    if (fits) {
        lambda->first = parameter_at(target, init);
        lambda->last = parameter_at(target, side.item[1]);
        if (clang_getCursorKind(peel(init)) == CXCursor_IntegerLiteral &&
            evaluate(init, &from))
            lambda->from = ir_textf(clang->arena, "%lld", from);
        fits = lambda->last >= 0 && (lambda->first >= 0 || lambda->from);
    }
    free(side.item);
    return fits;
}

static bool read_template(struct lambda *lambda)
{
    struct ct_clang *clang = lambda->clang;
    CXCursor target = clang_getCursorReferenced(lambda->call), body = body_of(target);
    const char *name = cxx_qualified(clang, target);
    bool made = !clang_Cursor_isNull(clang_getSpecializedCursorTemplate(target)) &&
                clang_getCursorKind(target) == CXCursor_FunctionDecl;
    CXCursor loop = clang_Cursor_isNull(body) ? body : only_statement(body);
    struct cursors part = children_of(loop);
    bool fits = made && clang_getCursorKind(loop) == CXCursor_ForStmt &&
                part.item_nr == 4 && read_loop(lambda, target, &part);
    free(part.item);
    CXFile file;
    unsigned line;
    clang_getExpansionLocation(
        clang_getCursorLocation(clang_Cursor_isNull(body) ? target : body), &file, &line,
        NULL, NULL);
    const char *path = file ? take_string(clang, clang_getFileName(file)) : "";
    const char *place = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    if (!fits)
        return complain(
            lambda, lambda->call,
            ir_textf(clang->arena,
                     "a lambda passed to '%s' (%s:%u), which is not a template that only "
                     "counts from one number to another and calls "
                     "it; write a for loop with the lambda's body in place "
                     "of this call",
                     name, place, line));
    if (has_directive(clang, body, loop))
        return complain(lambda, lambda->call,
                        ir_textf(clang->arena,
                                 "a lambda passed to '%s' (%s:%u), whose loop is under "
                                 "a pragma or a condition; write that loop, under that "
                                 "pragma, with the lambda's body in place of this call",
                                 name, place, line));
    return true;
}

/* ---- the lambda ---- */

static bool read_captures(struct lambda *lambda, const char *list, size_t length)
{
    struct ct_clang *clang = lambda->clang;
    lambda->by_default = "";
    for (size_t at = 0; at < length;) {
        size_t end = at;
        while (end < length && list[end] != ',')
            end++;
        while (at < end && isspace((unsigned char)list[at]))
            at++;
        size_t last = end;
        while (last > at && isspace((unsigned char)list[last - 1]))
            last--;
        const char *item = ir_textf(clang->arena, "%.*s", (int)(last - at), list + at);
        const char *word = *item == '&' ? item + 1 : item;
        bool plain_word = *word && !word[text_name_length(word)];
        if (!strcmp(item, "=") || !strcmp(item, "&"))
            lambda->by_default = item;
        else if (plain_word && strcmp(word, "this") != 0)
            strvec_push(word == item ? &lambda->copied : &lambda->named, word);
        else if (*item && strcmp(item, "this") != 0)
            return complain(
                lambda, lambda->cursor,
                ir_textf(
                    clang->arena,
                    "a lambda that captures '%s'; make that a variable before the call",
                    item));
        at = end + 1;
    }
    return true;
}

/* Behind `[=]`, or the macro that is it, in the file; 0 = it is another thing. */
static size_t read_introducer(struct lambda *lambda)
{
    const struct ct_clang *clang = lambda->clang;
    CXSourceLocation start = clang_getRangeStart(clang_getCursorExtent(lambda->cursor));
    CXFile file;
    unsigned spelled;
    size_t length, at = begin_of(lambda->cursor);
    clang_getSpellingLocation(start, &file, NULL, NULL, &spelled);
    const char *text = file ? clang_getFileContents(clang->unit, file, &length) : NULL;
    const char *close = text && spelled < length ? strchr(text + spelled, ']') : NULL;
    if (!close || text[spelled] != '[')
        return 0;
    size_t end = (size_t)(close - text);
    if (!read_captures(lambda, text + spelled + 1, end - spelled - 1))
        return 0;
    if (is_written_at(clang, start))
        return end + 1;
    for (end++; end < length && text[end] != '\n'; end++)
        if (!isspace((unsigned char)text[end]))
            return 0;
    return at + text_word_length(lambda->source + at);
}

/* `(int i) {` */
static bool has_plain_head(const struct lambda *lambda, size_t at)
{
    const char *source = lambda->source;
    size_t end = begin_of(lambda->body), depth = 0;
    while (at < end && isspace((unsigned char)source[at]))
        at++;
    if (at >= end || source[at] != '(')
        return false;
    do {
        depth += source[at] == '(';
        depth -= source[at] == ')';
    } while (++at < end && depth);
    while (at < end && isspace((unsigned char)source[at]))
        at++;
    return at == end;
}

static bool read_lambda(struct lambda *lambda)
{
    struct ct_clang *clang = lambda->clang;
    struct cursors list = children_of(lambda->cursor);
    lambda->body = list.item_nr ? list.item[list.item_nr - 1] : clang_getNullCursor();
    for (size_t i = 0; i < list.item_nr; i++)
        if (clang_getCursorKind(list.item[i]) == CXCursor_ParmDecl)
            lambda->parameter = list.item[i];
    free(list.item);
    CXType type = clang_getCursorType(lambda->parameter);
    if (clang_getCursorKind(lambda->body) != CXCursor_CompoundStmt ||
        !is_written(clang, lambda->body) || !is_written(clang, lambda->parameter) ||
        !is_written(clang, lambda->call))
        return complain(
            lambda, lambda->cursor,
            "a lambda in a macro; write a for loop with its body in place of this call");
    size_t at = read_introducer(lambda);
    if (!at || !has_plain_head(lambda, at))
        return complain(lambda, lambda->cursor,
                        "a lambda that is more than captures, a parameter and a body; "
                        "write a for loop with its body in place of this call");
    if (type.kind == CXType_LValueReference || type.kind == CXType_RValueReference ||
        !clang_equalTypes(plain(type), plain(clang_getCursorType(lambda->counter))))
        return complain(
            lambda, lambda->parameter,
            ir_textf(clang->arena,
                     "a lambda whose parameter is not a '%s', like the number that '%s' "
                     "passes; give it that type",
                     take_string(clang, clang_getTypeSpelling(
                                            plain(clang_getCursorType(lambda->counter)))),
                     name_of(lambda, clang_getCursorReferenced(lambda->call))));
    return true;
}

/* ---- what it names ---- */

/* Is it only read, or written by a statement of its own: its address is not known. */
enum use { USE_READ, USE_WRITE, USE_OTHER };

static enum use use_of(const struct lambda *lambda, CXCursor cursor, CXCursor parent)
{
    enum CXCursorKind kind = clang_getCursorKind(parent);
    enum CXUnaryOperatorKind op = clang_getCursorUnaryOperatorKind(parent);
    CXCursor target = clang_getCursorReferenced(parent);
    if (kind == CXCursor_UnexposedExpr || kind == CXCursor_LambdaExpr ||
        (kind == CXCursor_CallExpr && !clang_Cursor_isNull(target) &&
         cxx_is_standard_function(lambda->clang, target)))
        return USE_READ;
    bool writes =
        kind == CXCursor_CompoundAssignOperator ||
        (kind == CXCursor_BinaryOperator &&
         clang_getCursorBinaryOperatorKind(parent) == CXBinaryOperator_Assign) ||
        (kind == CXCursor_UnaryOperator && op >= CXUnaryOperator_PostInc &&
         op <= CXUnaryOperator_PreDec);
    return writes && begin_of(cursor) == begin_of(parent) ? USE_WRITE
           : writes && kind == CXCursor_UnaryOperator     ? USE_WRITE
                                                          : USE_OTHER;
}

struct search {
    const struct lambda *lambda;
    CXCursor decl;
    int lambdas;  /* around what is looked at */
    bool changes; /* its address is known, or a lambda writes it */
};

static void seek_changes(struct search *search, CXCursor cursor, CXCursor parent)
{
    struct cursors list = children_of(cursor);
    if (clang_getCursorKind(cursor) == CXCursor_DeclRefExpr &&
        clang_equalCursors(clang_getCursorReferenced(cursor), search->decl)) {
        enum use use = use_of(search->lambda, cursor, parent);
        search->changes = search->changes || use == USE_OTHER ||
                          (use == USE_WRITE && search->lambdas > 0);
    }
    /* `[&r = a]`: libclang does not show of what it is a reference */
    if (clang_getCursorKind(cursor) == CXCursor_VariableRef &&
        clang_getCursorKind(parent) == CXCursor_LambdaExpr &&
        clang_getCursorType(cursor).kind == CXType_LValueReference &&
        is_in(clang_getCursorReferenced(cursor), parent))
        search->changes = true;
    search->lambdas += clang_getCursorKind(cursor) == CXCursor_LambdaExpr;
    for (size_t i = 0; i < list.item_nr && !search->changes; i++)
        seek_changes(search, list.item[i],
                     clang_getCursorKind(cursor) == CXCursor_ParenExpr ? parent : cursor);
    search->lambdas -= clang_getCursorKind(cursor) == CXCursor_LambdaExpr;
    free(list.item);
}

/* A variable of the function that keeps its value while the lambda runs. */
static bool is_steady(const struct lambda *lambda, CXCursor decl)
{
    struct search search = {.lambda = lambda, .decl = decl};
    enum CXCursorKind kind = clang_getCursorKind(decl);
    CXType type = clang_getCursorType(decl);
    if ((kind != CXCursor_VarDecl && kind != CXCursor_ParmDecl) ||
        type.kind == CXType_LValueReference || type.kind == CXType_RValueReference ||
        !cxx_is_scalar(type) ||
        clang_isVolatileQualifiedType(clang_getCanonicalType(type)))
        return false;
    if (clang_isConstQualifiedType(clang_getCanonicalType(type)))
        return true;
    if (!is_written(lambda->clang, decl) || !is_in(decl, lambda->function) ||
        clang_Cursor_getStorageClass(decl) == CX_SC_Static)
        return false;
    seek_changes(&search, lambda->function, lambda->function);
    return !search.changes;
}

static bool is_copied(const struct lambda *lambda, CXCursor decl)
{
    const char *name = name_of(lambda, decl);
    return strvec_has(&lambda->copied, name) ||
           (!strcmp(lambda->by_default, "=") && !strvec_has(&lambda->named, name));
}

static bool is_of_function(const struct lambda *lambda, CXCursor decl)
{
    enum CXCursorKind kind = clang_getCursorKind(decl);
    return kind != CXCursor_EnumConstantDecl && is_written(lambda->clang, decl) &&
           is_in(decl, lambda->function) && !is_in(decl, lambda->cursor) &&
           clang_Cursor_getStorageClass(decl) != CX_SC_Static;
}

static void check_name(struct lambda *lambda, CXCursor cursor, CXCursor parent)
{
    CXCursor decl = clang_getCursorReferenced(cursor);
    struct ir_arena *arena = lambda->clang->arena;
    enum use use = use_of(lambda, cursor, parent);
    if (clang_equalCursors(decl, lambda->parameter) && use != USE_READ)
        complain(lambda, cursor,
                 ir_textf(arena,
                          "a lambda that changes its parameter '%s', or gives its "
                          "address away; copy it into a variable",
                          name_of(lambda, decl)));
    if (!is_of_function(lambda, decl) || !is_copied(lambda, decl))
        return;
    if (use != USE_READ || !is_steady(lambda, decl))
        complain(
            lambda, cursor,
            ir_textf(arena,
                     "a lambda that has a copy of '%s', which may differ from the "
                     "variable: it is not a number or pointer, or something may change "
                     "it; capture it by reference, or give the lambda a variable of "
                     "its own",
                     name_of(lambda, decl)));
}

static void check_body(struct lambda *lambda, CXCursor cursor, CXCursor parent)
{
    struct cursors list = children_of(cursor);
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    if (kind == CXCursor_ReturnStmt)
        complain(lambda, cursor,
                 "a return statement in a lambda; put what follows it under a condition");
    else if (kind == CXCursor_LambdaExpr)
        complain(lambda, cursor,
                 "a lambda in a lambda; write a for loop in place of the inner call");
    else if (kind == CXCursor_VarDecl &&
             clang_Cursor_getStorageClass(cursor) == CX_SC_Static)
        complain(lambda, cursor,
                 "a static variable in a lambda; declare it before the function");
    else if (kind == CXCursor_DeclRefExpr)
        check_name(lambda, cursor, parent);
    for (size_t i = 0; i < list.item_nr && !lambda->trouble->text; i++)
        check_body(lambda, list.item[i], kind == CXCursor_ParenExpr ? parent : cursor);
    free(list.item);
}

/* ---- what it is called with ---- */

static const char *argument_text(const struct lambda *lambda, CXCursor argument)
{
    size_t begin = begin_of(argument), end = end_of(argument);
    const char *source = lambda->source;
    if (!is_written(lambda->clang, argument)) { /* a constant that a macro is */
        end = begin + text_word_length(source + begin);
        size_t next = end + strspn(source + end, " \t\r\n");
        if (!strchr(",)", source[next]) || begin == end)
            return NULL;
    }
    return ir_textf(lambda->clang->arena, "%.*s", (int)(end - begin), source + begin);
}

/* Numbers, and variables that keep their values. */
static bool keeps_value(const struct lambda *lambda, CXCursor given)
{
    CXCursor cursor = peel(given);
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    enum CXBinaryOperatorKind op = clang_getCursorBinaryOperatorKind(cursor);
    CXCursor decl = clang_getCursorReferenced(cursor);
    if (kind == CXCursor_IntegerLiteral)
        return true;
    if (kind == CXCursor_DeclRefExpr)
        return clang_getCursorKind(decl) == CXCursor_EnumConstantDecl ||
               is_steady(lambda, decl);
    if (kind != CXCursor_BinaryOperator || op < CXBinaryOperator_Mul ||
        op > CXBinaryOperator_Sub)
        return false;
    struct cursors list = operands_of(cursor);
    bool keeps = list.item_nr == 2 && keeps_value(lambda, list.item[0]) &&
                 keeps_value(lambda, list.item[1]);
    free(list.item);
    return keeps;
}

/* Compared with the counter, it gives what the template's parameter gave. */
static bool has_type(const struct lambda *lambda, CXCursor argument, int at)
{
    CXCursor target = clang_getCursorDefinition(clang_getCursorReferenced(lambda->call));
    CXType own = plain(clang_getCursorType(peel(argument))),
           to =
               plain(clang_getCursorType(clang_Cursor_getArgument(target, (unsigned)at)));
    bool literal = clang_getCursorKind(peel(argument)) == CXCursor_IntegerLiteral;
    bool widens = is_signed(own) && is_signed(to) &&
                  is_signed(clang_getCursorType(lambda->counter)) &&
                  clang_Type_getSizeOf(own) <= clang_Type_getSizeOf(to);
    return clang_equalTypes(own, to) || widens ||
           (literal && is_integer(to) &&
            is_signed(to) == is_signed(clang_getCursorType(lambda->counter)) &&
            clang_Type_getSizeOf(own) <= clang_Type_getSizeOf(to));
}

static const char *bound_of(struct lambda *lambda, int at)
{
    CXCursor argument = clang_Cursor_getArgument(lambda->call, (unsigned)at);
    const char *text = argument_text(lambda, argument);
    if (text && keeps_value(lambda, argument) && has_type(lambda, argument, at) &&
        !text_has_word(text, name_of(lambda, lambda->parameter)))
        return text;
    complain(lambda, argument,
             ir_textf(lambda->clang->arena,
                      "a bound of '%s' that may change, or is of another type than its "
                      "parameter; read it into a variable of that type before the call",
                      name_of(lambda, clang_getCursorReferenced(lambda->call))));
    return NULL;
}

static bool is_string(const char *text)
{
    size_t at = 1;
    while (text[at] && text[at] != '"')
        at += text[at] == '\\' && text[at + 1] ? 2 : 1;
    return *text == '"' && text[at] == '"' && !text[at + 1];
}

/* The others are names for people. */
static bool others_do_nothing(struct lambda *lambda)
{
    for (int i = 0; i < clang_Cursor_getNumArguments(lambda->call); i++) {
        CXCursor argument = clang_Cursor_getArgument(lambda->call, (unsigned)i);
        const char *text = argument_text(lambda, argument);
        enum CXCursorKind kind = clang_getCursorKind(peel(argument));
        bool number = (kind == CXCursor_DeclRefExpr || kind == CXCursor_IntegerLiteral) &&
                      cxx_is_scalar(clang_getCursorType(peel(argument)));
        if (i != lambda->argument && i != lambda->first && i != lambda->last && !number &&
            !(text && is_string(text)))
            return complain(
                lambda, argument,
                "an argument next to a lambda that may have side effects; write a "
                "for loop with the lambda's body in place of this call");
    }
    return true;
}

/* ---- the loop ---- */

struct written {
    struct ct_clang *clang;
    const char *source;
    CXCursor function;
    int line; /* 0 = all calls of the function */
    struct buf text;
    size_t at, nr;
    struct ct_trouble trouble; /* the first */
};

static bool takes_number(CXCursor cursor)
{
    struct cursors list = children_of(cursor);
    size_t numbers = 0, parameters = 0;
    for (size_t i = 0; i < list.item_nr; i++)
        if (clang_getCursorKind(list.item[i]) == CXCursor_ParmDecl) {
            parameters++;
            numbers += is_integer(clang_getCursorType(list.item[i]));
        }
    free(list.item);
    return clang_getCursorKind(cursor) == CXCursor_LambdaExpr && numbers == 1 &&
           parameters == 1;
}

/* Which one is a lambda of a number; -1 = none. */
static int lambda_argument(CXCursor call)
{
    for (int i = 0; i < clang_Cursor_getNumArguments(call); i++)
        if (takes_number(peel(clang_Cursor_getArgument(call, (unsigned)i))))
            return i;
    return -1;
}

static void add_newlines(struct written *written, size_t begin, size_t end)
{
    for (size_t i = begin; i < end; i++)
        if (written->source[i] == '\n')
            buf_add(&written->text, "\n");
}

static void write_loop(struct written *written, struct lambda *lambda, const char *from,
                       const char *to, size_t end)
{
    const char *source = written->source;
    size_t begin = begin_of(lambda->call), body = begin_of(lambda->body);
    const char *name = name_of(lambda, lambda->parameter);
    CXType type = clang_getUnqualifiedType(clang_getCursorType(lambda->parameter));
    buf_add_n(&written->text, source + written->at, begin - written->at);
    buf_addf(&written->text, "for (%s %s = %s; %s %s %s; %s++)",
             take_string(lambda->clang, clang_getTypeSpelling(type)), name, from, name,
             lambda->op, to, name);
    add_newlines(written, begin, body);
    size_t line = begin;
    while (line && strchr(" \t", source[line - 1]))
        line--;
    if (memchr(source + begin, '\n', body - begin))
        buf_add_n(&written->text, source + line, begin - line);
    else
        buf_add(&written->text, " ");
    buf_add_n(&written->text, source + body, end_of(lambda->body) - body);
    add_newlines(written, end_of(lambda->body), end);
    written->at = end;
    written->nr++;
}

/* Up to its semicolon; 0 = it is no statement of its own. */
static size_t statement_end(const struct lambda *lambda, CXCursor parent)
{
    size_t end = end_of(lambda->call);
    end += strspn(lambda->source + end, " \t\r\n");
    return clang_getCursorKind(parent) == CXCursor_CompoundStmt &&
                   lambda->source[end] == ';'
               ? end + 1
               : 0;
}

static void read_call(struct written *written, CXCursor call, CXCursor parent)
{
    struct ct_trouble trouble = {0};
    struct lambda lambda = {.clang = written->clang,
                            .source = written->source,
                            .function = written->function,
                            .call = call,
                            .argument = lambda_argument(call),
                            .parameter = clang_getNullCursor(),
                            .trouble = &trouble};
    lambda.cursor = peel(clang_Cursor_getArgument(call, (unsigned)lambda.argument));
    size_t end = statement_end(&lambda, parent);
    const char *from = NULL, *to = NULL;
    if (read_template(&lambda) && read_lambda(&lambda) && others_do_nothing(&lambda)) {
        check_body(&lambda, lambda.body, lambda.cursor);
        from = lambda.first < 0 ? lambda.from : bound_of(&lambda, lambda.first);
        to = bound_of(&lambda, lambda.last);
        if (!end)
            complain(&lambda, call,
                     "a call with a lambda within a statement; write it as a statement "
                     "of its own in braces");
    }
    if (from && to && !trouble.text)
        write_loop(written, &lambda, from, to, end);
    if (!written->trouble.text)
        written->trouble = trouble;
    strvec_release(&lambda.copied);
    strvec_release(&lambda.named);
}

static bool is_asked(const struct written *written, CXCursor call)
{
    unsigned first, last;
    CXSourceRange range = clang_getCursorExtent(call);
    clang_getExpansionLocation(clang_getRangeStart(range), NULL, &first, NULL, NULL);
    clang_getExpansionLocation(clang_getRangeEnd(range), NULL, &last, NULL, NULL);
    return !written->line || (written->line >= (int)first && written->line <= (int)last);
}

static void seek_calls(struct written *written, CXCursor cursor, CXCursor parent)
{
    CXCursor target = clang_getCursorReferenced(cursor);
    if (clang_getCursorKind(cursor) == CXCursor_CallExpr &&
        !clang_Cursor_isNull(target) && lambda_argument(cursor) >= 0 &&
        clang_getCursorKind(target) != CXCursor_Constructor) {
        if (is_asked(written, cursor))
            read_call(written, cursor, parent);
        return;
    }
    bool implied = clang_getCursorKind(cursor) == CXCursor_UnexposedExpr;
    struct cursors list = children_of(cursor);
    for (size_t i = 0; i < list.item_nr; i++)
        seek_calls(written, list.item[i], implied ? parent : cursor);
    free(list.item);
}

static void write_calls(struct written *written, CXCursor function)
{
    written->function = function;
    seek_calls(written, function, function);
}

const char *ct_written_loops(struct ct_file *file, const struct ct_function *function,
                             const char *source, int line, struct ct_trouble *trouble)
{
    struct ct_clang *clang = file->clang;
    struct written written = {.clang = clang, .source = source, .line = line};
    const char *text = NULL;
    CXCursor cursor = clang->definition[function - file->function];
    if (clang->is_cplusplus && !cxx_is_template(cursor))
        write_calls(&written, cursor);
    if (written.nr) {
        buf_add(&written.text, source + written.at);
        text = ir_text(clang->arena, buf_str(&written.text));
    }
    *trouble = written.trouble;
    buf_release(&written.text);
    return text;
}
