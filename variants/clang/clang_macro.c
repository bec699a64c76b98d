/*
 * What macros become where they are used. No token of libclang tells: the file is parsed
 * once more up to the function's body, with strings behind it that hold the uses.
 */
#include "variants/clang/clang_frozen.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const char text_macros[] =
    "\n#define inflight_text_(...) #__VA_ARGS__\n"
    "#define inflight_text(...) inflight_text_(__VA_ARGS__)\n";

/* Deeper than anybody nests macros; one that names itself ends there. */
enum { MACRO_DEPTH = 16 };

static bool same_file_use(const struct frozen *frozen, size_t i,
                          const struct place *place)
{
    struct place use = extent_of(frozen->expansion.item[i]);
    return place_holds(place, &use);
}

bool place_has_macro(const struct frozen *frozen, const struct place *place)
{
    for (size_t i = 0; i < frozen->expansion.item_nr; i++)
        if (same_file_use(frozen, i, place))
            return true;
    return false;
}

/* ---- macros of the system: each compiler has its own ---- */

static bool rests_on_system(struct frozen *frozen, const char *name, int depth);

static bool names_system(struct frozen *frozen, const char *text, const char *own,
                         int depth)
{
    while (*text) {
        size_t length = 0;
        while (isalnum((unsigned char)text[length]) || text[length] == '_')
            length++;
        if (length && !isdigit((unsigned char)*text)) {
            const char *word = ir_textf(frozen->clang->arena, "%.*s", (int)length, text);
            if (strcmp(word, own) && rests_on_system(frozen, word, depth + 1))
                return true;
        }
        text += length ? length : 1;
    }
    return false;
}

static bool rests_on_system(struct frozen *frozen, const char *name, int depth)
{
    struct ct_clang *clang = frozen->clang;
    for (size_t i = frozen->definition.item_nr; depth < MACRO_DEPTH && i-- > 0;) {
        CXCursor cursor = frozen->definition.item[i];
        CXString spelling = clang_getCursorSpelling(cursor);
        bool same = !strcmp(clang_getCString(spelling), name);
        clang_disposeString(spelling);
        if (!same)
            continue;
        struct place place = extent_of(cursor);
        return clang_Cursor_isMacroBuiltin(cursor) ||
               clang_Location_isInSystemHeader(clang_getCursorLocation(cursor)) ||
               names_system(frozen, place_text(clang, &place), name, depth);
    }
    return false;
}

/* ---- uses ---- */

/* `F` of `F(x)` may become the name of a macro that takes the rest. */
static void take_arguments(struct frozen *frozen, struct place *place)
{
    size_t length;
    const char *text = clang_getFileContents(frozen->clang->unit, place->file, &length);
    size_t at = place->end, open = 0;
    while (text && at < length && isspace((unsigned char)text[at]))
        at++;
    if (!text || at >= length || text[at] != '(' || text[place->end - 1] == ')')
        return;
    for (; at < length; at++) {
        open += text[at] == '(';
        open -= text[at] == ')';
        if (!open)
            break;
    }
    place->end = (unsigned)at + 1;
}

/* Of those within another one only the outer one counts. */
static bool is_inner(const struct frozen *frozen, size_t i)
{
    struct place own = extent_of(frozen->expansion.item[i]);
    for (size_t k = 0; k < frozen->expansion.item_nr; k++) {
        struct place other = extent_of(frozen->expansion.item[k]);
        if (k != i && other.begin < own.end && place_holds(&other, &own) &&
            (other.begin != own.begin || other.end != own.end))
            return true;
    }
    return false;
}

static void add_use(struct frozen *frozen, CXCursor cursor, struct strvec *uses)
{
    struct ct_clang *clang = frozen->clang;
    struct place place = extent_of(cursor);
    CXCursor definition = clang_getCursorReferenced(cursor);
    if (clang_Cursor_isNull(definition) || clang_Cursor_isMacroBuiltin(definition) ||
        clang_Location_isInSystemHeader(clang_getCursorLocation(definition)))
        return;
    take_arguments(frozen, &place);
    const char *text = place_text(clang, &place);
    if (!strvec_has(uses, text))
        strvec_push(uses, text);
}

/* A macro that the text defines itself: what it names. */
static void add_names(struct frozen *frozen, CXCursor definition, struct strvec *uses)
{
    struct place place = extent_of(definition);
    const char *text = place_text(frozen->clang, &place);
    while (*text) {
        size_t length = 0;
        while (isalnum((unsigned char)text[length]) || text[length] == '_')
            length++;
        const char *word = ir_textf(frozen->clang->arena, "%.*s", (int)length, text);
        if (length && !isdigit((unsigned char)*text) && !strvec_has(uses, word))
            strvec_push(uses, word);
        text += length ? length : 1;
    }
}

static void find_uses(struct frozen *frozen, struct strvec *uses)
{
    for (size_t i = 0; i < frozen->expansion.item_nr; i++) {
        struct place place = extent_of(frozen->expansion.item[i]);
        if (is_read(frozen, &place) && !is_inner(frozen, i))
            add_use(frozen, frozen->expansion.item[i], uses);
    }
    for (size_t i = 0; i < frozen->definition.item_nr; i++) {
        struct place place = extent_of(frozen->definition.item[i]);
        if (is_read(frozen, &place))
            add_names(frozen, frozen->definition.item[i], uses);
    }
}

/* ---- the second parse ---- */

struct probe {
    struct frozen *frozen;
    const struct strvec *uses;
};

static const char *evaluated(struct ct_clang *clang, CXCursor cursor)
{
    CXEvalResult result = clang_Cursor_Evaluate(cursor);
    const char *text = NULL;
    switch (result ? clang_EvalResult_getKind(result) : CXEval_UnExposed) {
    case CXEval_StrLiteral:
        text = ir_text(clang->arena, clang_EvalResult_getAsStr(result));
        break;
    case CXEval_Int:
        text = ir_textf(clang->arena, "%lld", clang_EvalResult_getAsLongLong(result));
        break;
    case CXEval_Float:
        text = ir_textf(clang->arena, "%a", clang_EvalResult_getAsDouble(result));
        break;
    default:
        break;
    }
    if (result)
        clang_EvalResult_dispose(result);
    return text;
}

/* `inflight_text_3 = inflight_text(USE)`, `inflight_value_3 = (USE)` */
static enum CXChildVisitResult take_probe(CXCursor cursor, CXCursor parent,
                                          CXClientData data)
{
    (void)parent;
    struct probe *probe = data;
    struct ct_clang *clang = probe->frozen->clang;
    if (clang_getCursorKind(cursor) != CXCursor_VarDecl)
        return CXChildVisit_Recurse;
    const char *name = take_string(clang, clang_getCursorSpelling(cursor));
    bool value = !strncmp(name, "inflight_value_", strlen("inflight_value_"));
    if (!value && strncmp(name, "inflight_text_", strlen("inflight_text_")))
        return CXChildVisit_Recurse;
    const char *use = ir_text(clang->arena, probe->uses->v[atoi(strrchr(name, '_') + 1)]);
    const char *text = evaluated(clang, cursor);
    if (text && (value || strcmp(text, use)))
        frozen_add(probe->frozen, value ? FROZEN_VALUE : FROZEN_TEXT, use,
                   value ? ir_textf(clang->arena, "(%s)", use) : use, text);
    return CXChildVisit_Continue;
}

static void write_probes(struct frozen *frozen, const struct strvec *uses,
                         struct buf *out)
{
    buf_add_n(out, frozen->source, frozen->body);
    buf_add(out, text_macros);
    for (size_t i = 0; i < uses->nr; i++)
        if (names_system(frozen, uses->v[i], "", 0))
            buf_addf(out, "const __typeof__(%s) inflight_value_%zu = (%s);\n", uses->v[i],
                     i, uses->v[i]);
        else
            buf_addf(out, "const char inflight_text_%zu[] = inflight_text(%s);\n", i,
                     uses->v[i]);
    buf_add(out, "}\n");
}

void frozen_macros(struct frozen *frozen)
{
    struct ct_clang *clang = frozen->clang;
    struct strvec uses = {0};
    struct buf text = {0};
    CXTranslationUnit unit = NULL;
    struct probe probe = {frozen, &uses};
    find_uses(frozen, &uses);
    if (uses.nr) {
        write_probes(frozen, &uses, &text);
        unit = ct_reparse(clang, frozen->path, &text, frozen->args);
    }
    if (unit) {
        clang_visitChildren(clang_getTranslationUnitCursor(unit), take_probe, &probe);
        clang_disposeTranslationUnit(unit);
    }
    strvec_release(&uses);
    buf_release(&text);
}
