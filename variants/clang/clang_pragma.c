/* Pragmas that the text does not show: `_Pragma` in a macro, and what is included. */
#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/text.h"
#include "variants/clang/clang_cursor.h"

/* A macro that becomes a pragma, or has one in it. */
struct holder {
    const char *name, *text; /* text: what stands behind the name */
};

struct pragmas {
    struct ct_file *file;
    struct cursors definition, use; /* of macros; use: in the file itself, and #include */
    struct holder *holder;
    size_t holder_nr, holder_alloc;
    struct ct_pragma *item;
    size_t nr, alloc;
};

static enum CXChildVisitResult find_macro(CXCursor cursor, CXCursor parent,
                                          CXClientData data)
{
    (void)parent;
    struct pragmas *pragmas = data;
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    if (kind == CXCursor_MacroDefinition && !clang_Cursor_isMacroBuiltin(cursor))
        cursors_add(&pragmas->definition, cursor);
    if ((kind == CXCursor_MacroExpansion || kind == CXCursor_InclusionDirective) &&
        clang_Location_isFromMainFile(clang_getCursorLocation(cursor)))
        cursors_add(&pragmas->use, cursor);
    return CXChildVisit_Continue;
}

static const char *text_of(struct ct_clang *clang, CXCursor cursor)
{
    CXSourceRange range = clang_getCursorExtent(cursor);
    CXFile file;
    unsigned begin, end;
    size_t length;
    clang_getSpellingLocation(clang_getRangeStart(range), &file, NULL, NULL, &begin);
    clang_getSpellingLocation(clang_getRangeEnd(range), NULL, NULL, NULL, &end);
    const char *text = file ? clang_getFileContents(clang->unit, file, &length) : NULL;
    return text && begin <= end && end <= length
               ? ir_textf(clang->arena, "%.*s", (int)(end - begin), text + begin)
               : "";
}

static const struct holder *find_holder(const struct pragmas *pragmas, const char *name)
{
    for (size_t i = pragmas->holder_nr; i-- > 0;)
        if (!strcmp(pragmas->holder[i].name, name))
            return &pragmas->holder[i];
    return NULL;
}

static void add_holder(struct pragmas *pragmas, const char *name, const char *text)
{
    GROW(pragmas->holder, pragmas->holder_nr + 1, pragmas->holder_alloc);
    pragmas->holder[pragmas->holder_nr++] = (struct holder){name, text};
}

static bool holds_pragma(const struct pragmas *pragmas, const char *text)
{
    bool found = text_has_word(text, "_Pragma") || text_has_word(text, "__pragma");
    for (size_t i = 0; !found && i < pragmas->holder_nr; i++)
        found = text_has_word(text, pragmas->holder[i].name);
    return found;
}

/* Those that name one that is there already, too, until there are no more. */
static void find_holders(struct pragmas *pragmas)
{
    struct ct_clang *clang = pragmas->file->clang;
    for (size_t before = SIZE_MAX; before != pragmas->holder_nr;) {
        before = pragmas->holder_nr;
        for (size_t i = 0; i < pragmas->definition.item_nr; i++) {
            CXCursor cursor = pragmas->definition.item[i];
            const char *name = take_string(clang, clang_getCursorSpelling(cursor));
            const char *text = text_of(clang, cursor);
            if (text_begins(text, name) && !find_holder(pragmas, name) &&
                holds_pragma(pragmas, text + strlen(name)))
                add_holder(pragmas, name, text + strlen(name));
        }
        if (!pragmas->holder_nr)
            return;
    }
}

/* -DPAR='_Pragma("omp parallel for")': stands in no file. */
static void add_given(struct pragmas *pragmas, const struct strvec *args)
{
    struct ir_arena *arena = pragmas->file->clang->arena;
    for (size_t i = 0; i < args->nr; i++) {
        const char *text = args->v[i] + 2 * text_begins(args->v[i], "-D");
        if (strstr(text, "_Pragma"))
            add_holder(pragmas, ir_textf(arena, "%.*s", (int)strcspn(text, "(="), text),
                       "?");
    }
}

static const char *behind_blanks(const char *text)
{
    while (isspace((unsigned char)*text) || *text == '\\')
        text++;
    return text;
}

/* The words of `_Pragma("words")`, where the macro is that and nothing else, perhaps by
 * another name; NULL = it is more, or what its arguments say. */
static const char *words_of(const struct pragmas *pragmas, const struct holder *holder,
                            int depth)
{
    enum { DEPTH_MAX = 16 };
    struct ir_arena *arena = pragmas->file->clang->arena;
    const char *text = holder->text;
    if (*text == '(') /* parameters */
        text += strcspn(text, ")") + (strchr(text, ')') != NULL);
    text = behind_blanks(text);
    const struct holder *other =
        depth < DEPTH_MAX
            ? find_holder(pragmas,
                          ir_textf(arena, "%.*s", (int)strcspn(text, " \t\n("), text))
            : NULL;
    if (other && other != holder && !text[strlen(other->name)])
        return words_of(pragmas, other, depth + 1);
    if (!text_begins(text, "_Pragma"))
        return NULL;
    text = behind_blanks(text + strlen("_Pragma"));
    if (*text++ != '(' || *(text = behind_blanks(text)) != '"')
        return NULL;
    size_t length = strcspn(++text, "\"\\");
    const char *end = text + length;
    if (*end != '"' || *(end = behind_blanks(end + 1)) != ')' || *behind_blanks(end + 1))
        return NULL;
    return ir_textf(arena, "%.*s", (int)length, text);
}

static bool is_in_function(const struct ct_file *file, size_t at)
{
    for (size_t i = 0; i < file->function_nr; i++)
        if (at > file->function[i].begin && at < file->function[i].end)
            return true;
    return false;
}

static void add_use(struct pragmas *pragmas, CXCursor cursor)
{
    struct ct_file *file = pragmas->file;
    const char *name = "#include", *text = NULL;
    CXSourceRange range = clang_getCursorExtent(cursor);
    unsigned begin, end;
    clang_getExpansionLocation(clang_getRangeStart(range), NULL, NULL, NULL, &begin);
    clang_getExpansionLocation(clang_getRangeEnd(range), NULL, NULL, NULL, &end);
    if (clang_getCursorKind(cursor) == CXCursor_MacroExpansion) {
        name = take_string(file->clang, clang_getCursorSpelling(cursor));
        const struct holder *holder = find_holder(pragmas, name);
        if (!holder)
            return;
        text = words_of(pragmas, holder, 0);
    } else if (!is_in_function(file, begin))
        return;
    GROW(pragmas->item, pragmas->nr + 1, pragmas->alloc);
    pragmas->item[pragmas->nr++] = (struct ct_pragma){{begin, end}, name, text};
}

static int by_begin(const void *a, const void *b)
{
    const struct ct_pragma *one = a, *two = b;
    return (one->place.begin > two->place.begin) - (one->place.begin < two->place.begin);
}

void ct_read_pragmas(struct ct_file *file, const struct strvec *args)
{
    struct pragmas pragmas = {.file = file};
    CXCursor unit = clang_getTranslationUnitCursor(file->clang->unit);
    clang_visitChildren(unit, find_macro, &pragmas);
    add_given(&pragmas, args);
    find_holders(&pragmas);
    for (size_t i = 0; i < pragmas.use.item_nr; i++)
        add_use(&pragmas, pragmas.use.item[i]);
    file->pragma = ir_alloc(file->clang->arena, (pragmas.nr + 1) * sizeof(*file->pragma));
    file->pragma_nr = pragmas.nr;
    for (size_t i = 0; i < pragmas.nr; i++)
        file->pragma[i] = pragmas.item[i];
    qsort(file->pragma, file->pragma_nr, sizeof(*file->pragma), by_begin);
    free(pragmas.definition.item);
    free(pragmas.use.item);
    free(pragmas.holder);
    free(pragmas.item);
}
