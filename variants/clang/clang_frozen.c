/* What a function's meaning rests on outside of its text. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/text.h"
#include "variants/clang/clang_cursor.h"

struct place {
    CXFile file;
    unsigned begin, end;
};

struct frozen {
    struct ct_clang *clang;
    const char *path, *source; /* of the main file */
    const struct strvec *args;
    size_t body;         /* behind the brace that opens the function's body */
    struct cursors read; /* functions and constants whose text counts; the first is the
                            function itself */
    struct cursors expansion, definition; /* of macros, in the whole unit */
    struct ir_frozen *item;
    size_t nr, alloc;
    struct place text; /* the body */
    struct ct_macro_use *use;
    size_t use_nr, use_alloc;
};

static struct place extent_of(CXCursor cursor);
static bool place_holds(const struct place *outer, const struct place *inner);
static bool is_read(const struct frozen *frozen, const struct place *place);
static const char *place_text(struct ct_clang *clang, const struct place *place);
static const char *placed_in(const struct frozen *frozen, const char *text, int depth);
static void frozen_add(struct frozen *frozen, enum ir_frozen_kind kind, const char *name,
                       const char *subject, const char *value);

/* ---- branch ---- */

/* #if, #else and #endif: which branches were taken. libclang tells what was skipped; the
 * lines are read as tokens. */

enum { BRANCHES_MAX = 64, DEPTH_MAX = 64 };

/* One #if with its #else and #endif. */
struct group {
    struct place line[BRANCHES_MAX]; /* the directives; the last one is the #endif */
    size_t nr;
    bool is_guard; /* of a header against being read twice */
};

struct branches {
    struct frozen *frozen;
    CXFile file;
    CXSourceRangeList *skipped;
    const char *text;
    size_t length;
    struct group open[DEPTH_MAX];
    size_t depth;
    void (*use)(struct branches *branches, const struct group *group);
    struct place asked; /* for place_is_conditional */
    bool found;
};

static bool is_skipped(const struct branches *branches, unsigned at)
{
    for (unsigned i = 0; i < branches->skipped->count; i++) {
        unsigned begin, end;
        CXSourceRange range = branches->skipped->ranges[i];
        clang_getExpansionLocation(clang_getRangeStart(range), NULL, NULL, NULL, &begin);
        clang_getExpansionLocation(clang_getRangeEnd(range), NULL, NULL, NULL, &end);
        if (begin <= at && at < end)
            return true;
    }
    return false;
}

/* ---- reading a file's directives ---- */

static bool is_word(const char *text, const char *word)
{
    size_t length = strlen(word);
    return !strncmp(text, word, length) && (text[length] == ' ' || !text[length]);
}

/* Behind the `#` and its blanks. */
static const char *directive_text(const struct branches *branches,
                                  const struct place *line)
{
    const char *text = place_text(branches->frozen->clang, line) + 1;
    return text + (*text == ' ');
}

/* `#ifndef H` and at once `#define H`. */
static bool is_guard(struct branches *branches, const struct place *line)
{
    struct place next = {branches->file, line->end, line->end};
    const char *directive = place_text(branches->frozen->clang, line);
    const char *text = branches->text;
    while (next.begin < branches->length && strchr(" \t\r\n", text[next.begin]))
        next.begin++;
    next.end = next.begin;
    while (next.end < branches->length && text[next.end] != '\n')
        next.end++;
    if (text[next.begin] != '#')
        return false;
    const char *define = directive_text(branches, &next);
    const char *name = strrchr(directive, ' ');
    return name && is_word(define, "define") && is_word(define + 7, name + 1);
}

static void take_directive(struct branches *branches, const struct place *line)
{
    const char *text = directive_text(branches, line);
    struct group *group = branches->depth ? &branches->open[branches->depth - 1] : NULL;
    if (!strncmp(text, "if", 2) && branches->depth < DEPTH_MAX) {
        group = &branches->open[branches->depth++];
        *group = (struct group){.is_guard = is_guard(branches, line)};
    } else if (!group || (strncmp(text, "el", 2) && !is_word(text, "endif"))) {
        return;
    }
    if (group->nr < BRANCHES_MAX)
        group->line[group->nr++] = *line;
    if (!is_word(text, "endif"))
        return;
    if (!is_skipped(branches, group->line[0].begin) || group->line[0].begin == 0 ||
        !is_skipped(branches, group->line[0].begin - 1))
        branches->use(branches, group);
    branches->depth--;
}

/* Behind the line, which may go on behind a backslash. */
static unsigned line_end(const struct branches *branches, unsigned at)
{
    const char *text = branches->text;
    while (at < branches->length && text[at] != '\n')
        at += 1 + (text[at] == '\\' && text[at + 1] == '\r') +
              (text[at] == '\\' && at + 1 < branches->length);
    return at < branches->length ? at : (unsigned)branches->length;
}

static bool begins_line(const struct branches *branches, unsigned at)
{
    while (at > 0 && strchr(" \t", branches->text[at - 1]))
        at--;
    return at == 0 || branches->text[at - 1] == '\n';
}

static void read_directives(struct branches *branches)
{
    CXTranslationUnit unit = branches->frozen->clang->unit;
    CXToken *token = NULL;
    unsigned nr = 0;
    branches->text = clang_getFileContents(unit, branches->file, &branches->length);
    if (!branches->text || !memchr(branches->text, '#', branches->length))
        return;
    clang_tokenize(unit,
                   clang_getRange(clang_getLocationForOffset(unit, branches->file, 0),
                                  clang_getLocationForOffset(unit, branches->file,
                                                             (unsigned)branches->length)),
                   &token, &nr);
    branches->skipped = clang_getSkippedRanges(unit, branches->file);
    for (unsigned i = 0; i < nr; i++) {
        struct place line = {branches->file, 0, 0};
        clang_getSpellingLocation(clang_getTokenLocation(unit, token[i]), NULL, NULL,
                                  NULL, &line.begin);
        if (clang_getTokenKind(token[i]) != CXToken_Punctuation ||
            branches->text[line.begin] != '#' || !begins_line(branches, line.begin))
            continue;
        line.end = line_end(branches, line.begin);
        take_directive(branches, &line);
    }
    clang_disposeSourceRangeList(branches->skipped);
    clang_disposeTokens(unit, token, nr);
}

/* ---- which of them matter ---- */

/* Those inside of what is read; around it where that is another function, since this one
 * is written in the branch that it stands in. */
static bool matters(const struct frozen *frozen, const struct place *whole)
{
    if (is_read(frozen, whole))
        return true;
    for (size_t i = 1; i < frozen->read.item_nr; i++) {
        struct place text = extent_of(frozen->read.item[i]);
        if (place_holds(whole, &text))
            return true;
    }
    return false;
}

static void freeze_group(struct branches *branches, const struct group *group)
{
    struct frozen *frozen = branches->frozen;
    struct place whole = {branches->file, group->line[0].begin,
                          group->line[group->nr - 1].end};
    struct buf lines = {0};
    bool closed = false, taken = false;
    if (group->is_guard || !matters(frozen, &whole))
        return;
    for (size_t i = 0; i < group->nr; i++)
        if (placed_in(frozen, place_text(frozen->clang, &group->line[i]), 0))
            return;
    for (size_t i = 0; i < group->nr; i++) {
        const char *text = place_text(frozen->clang, &group->line[i]);
        bool last = i + 1 == group->nr;
        closed = closed || is_word(directive_text(branches, &group->line[i]), "else");
        if (last && taken && !closed)
            buf_add(&lines, "#else\n#error\n");
        buf_addf(&lines, "%s\n", text);
        bool skipped = is_skipped(branches, group->line[i].end);
        taken = taken || (!last && !skipped);
        if (!last && skipped)
            buf_add(&lines, "#error\n");
    }
    const char *copy = ir_text(frozen->clang->arena, buf_str(&lines));
    frozen_add(frozen, FROZEN_BRANCH, place_text(frozen->clang, &group->line[0]), copy,
               is_skipped(branches, group->line[0].end) ? "left out" : "taken");
    buf_release(&lines);
}

static void find_around(struct branches *branches, const struct group *group)
{
    struct place whole = {branches->file, group->line[0].begin,
                          group->line[group->nr - 1].end};
    branches->found =
        branches->found || (!group->is_guard && place_holds(&whole, &branches->asked));
}

/* Does the place of the main file lie in an #if? */
static bool place_is_conditional(const struct frozen *frozen, const struct place *place)
{
    struct branches branches = {.frozen = (struct frozen *)frozen,
                                .file = place->file,
                                .use = find_around,
                                .asked = *place};
    read_directives(&branches);
    return branches.found;
}

/* clang_branch.c: the #if in that text, and around that of other functions. */
static void frozen_branches(struct frozen *frozen)
{
    for (size_t i = 0; i < frozen->read.item_nr; i++) {
        struct branches branches = {.frozen = frozen,
                                    .file = extent_of(frozen->read.item[i]).file,
                                    .use = freeze_group};
        bool seen = !branches.file;
        for (size_t k = 0; k < i && !seen; k++)
            seen =
                clang_File_isEqual(extent_of(frozen->read.item[k]).file, branches.file);
        if (!seen)
            read_directives(&branches);
    }
}

/* ---- macro ---- */

/*
 * What macros become where they are used. No token of libclang tells: the file is parsed
 * once more up to the function's body, with strings behind it that hold the uses.
 */

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

/* A macro is used there. */
static bool place_has_macro(const struct frozen *frozen, const struct place *place)
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
        size_t length = text_word_length(text);
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

/* ---- macros of the compiler that say where they stand, or when they are read ---- */

static const char *const placed[] = {
    "__LINE__",      "__COUNTER__",   "__FILE__",      "__DATE__",         "__TIME__",
    "__TIMESTAMP__", "__FILE_NAME__", "__BASE_FILE__", "__INCLUDE_LEVEL__"};

/* Macros of the system, such as assert, only report it. */
static const char *placed_by(const struct frozen *frozen, const char *word, int depth)
{
    for (size_t i = 0; i < ARRAY_SIZE(placed); i++)
        if (!strcmp(word, placed[i]))
            return placed[i];
    for (size_t i = frozen->definition.item_nr; depth < MACRO_DEPTH && i-- > 0;) {
        CXCursor cursor = frozen->definition.item[i];
        CXString spelling = clang_getCursorSpelling(cursor);
        bool same = !strcmp(clang_getCString(spelling), word);
        clang_disposeString(spelling);
        if (!same)
            continue;
        struct place place = extent_of(cursor);
        if (clang_Cursor_isMacroBuiltin(cursor) ||
            clang_Location_isInSystemHeader(clang_getCursorLocation(cursor)))
            return NULL;
        return placed_in(frozen, place_text(frozen->clang, &place) + strlen(word),
                         depth + 1);
    }
    return NULL;
}

/* The one that the text, or a macro that it names, is made of; NULL = none. */
static const char *placed_in(const struct frozen *frozen, const char *text, int depth)
{
    const char *found = NULL;
    while (*text && !found) {
        size_t length = text_word_length(text);
        if (length && !isdigit((unsigned char)*text))
            found = placed_by(
                frozen, ir_textf(frozen->clang->arena, "%.*s", (int)length, text), depth);
        text += length ? length : 1;
    }
    return found;
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
    if (!strvec_has(uses, text) && !placed_in(frozen, text, 0))
        strvec_push(uses, text); /* a check would stand elsewhere, and count once more */
}

/* A macro that the text defines itself: what it names. */
static void add_names(struct frozen *frozen, CXCursor definition, struct strvec *uses)
{
    struct place place = extent_of(definition);
    const char *text = place_text(frozen->clang, &place);
    while (*text) {
        size_t length = text_word_length(text);
        const char *word = ir_textf(frozen->clang->arena, "%.*s", (int)length, text);
        if (length && !isdigit((unsigned char)*text) && !strvec_has(uses, word) &&
            !placed_by(frozen, word, 0))
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

/* ---- all uses in the body ---- */

static bool pastes(const struct frozen *frozen, const char *text, int depth);

/* Does a macro of that name, or what it is made of, take its arguments apart? */
static bool word_pastes(const struct frozen *frozen, const char *word, int depth)
{
    for (size_t i = frozen->definition.item_nr; depth < MACRO_DEPTH && i-- > 0;) {
        CXCursor cursor = frozen->definition.item[i];
        CXString spelling = clang_getCursorSpelling(cursor);
        bool same = !strcmp(clang_getCString(spelling), word);
        clang_disposeString(spelling);
        if (!same || clang_Cursor_isMacroBuiltin(cursor))
            continue;
        struct place place = extent_of(cursor);
        const char *text = place_text(frozen->clang, &place);
        return strchr(text, '#') || pastes(frozen, text + strlen(word), depth + 1);
    }
    return depth >= MACRO_DEPTH;
}

static bool pastes(const struct frozen *frozen, const char *text, int depth)
{
    bool found = false;
    while (*text && !found) {
        size_t length = text_word_length(text);
        if (length && !isdigit((unsigned char)*text))
            found = word_pastes(
                frozen, ir_textf(frozen->clang->arena, "%.*s", (int)length, text), depth);
        text += length ? length : 1;
    }
    return found;
}

static void add_all_uses(struct frozen *frozen)
{
    for (size_t i = 0; i < frozen->expansion.item_nr; i++) {
        struct place place = extent_of(frozen->expansion.item[i]);
        if (!place_holds(&frozen->text, &place))
            continue;
        const char *text = place_text(frozen->clang, &place);
        GROW(frozen->use, frozen->use_nr + 1, frozen->use_alloc);
        frozen->use[frozen->use_nr++] =
            (struct ct_macro_use){.place = {place.begin, place.end},
                                  .pastes = pastes(frozen, text, 0),
                                  .placed = placed_in(frozen, text, 0)};
    }
}

static void write_use_probes(const struct frozen *frozen, struct buf *out)
{
    for (size_t i = 0; i < frozen->use_nr; i++) {
        struct place place = {frozen->text.file, (unsigned)frozen->use[i].place.begin,
                              (unsigned)frozen->use[i].place.end};
        buf_addf(out, "const char inflight_use_%zu[] = inflight_text(%s);\n", i,
                 place_text(frozen->clang, &place));
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
    if (!strncmp(name, "inflight_use_", strlen("inflight_use_"))) {
        probe->frozen->use[atoi(strrchr(name, '_') + 1)].text = evaluated(clang, cursor);
        return CXChildVisit_Continue;
    }
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
    write_use_probes(frozen, out);
    buf_add(out, "}\n");
}

/* clang_macro.c: what the macros in the text that counts become. */
static void frozen_macros(struct frozen *frozen)
{
    struct ct_clang *clang = frozen->clang;
    struct strvec uses = {0};
    struct buf text = {0};
    CXTranslationUnit unit = NULL;
    struct probe probe = {frozen, &uses};
    find_uses(frozen, &uses);
    add_all_uses(frozen);
    if (uses.nr || frozen->use_nr) {
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

/* ---- clang frozen ---- */

/* ---- places ---- */

static struct place extent_of(CXCursor cursor)
{
    struct place place;
    CXSourceRange range = clang_getCursorExtent(cursor);
    clang_getExpansionLocation(clang_getRangeStart(range), &place.file, NULL, NULL,
                               &place.begin);
    clang_getExpansionLocation(clang_getRangeEnd(range), NULL, NULL, NULL, &place.end);
    return place;
}

/* Is `inner` within `outer`? */
static bool place_holds(const struct place *outer, const struct place *inner)
{
    return inner->begin >= outer->begin && inner->end <= outer->end && outer->file &&
           inner->file && clang_File_isEqual(outer->file, inner->file);
}

static bool is_read(const struct frozen *frozen, const struct place *place)
{
    for (size_t i = 0; i < frozen->read.item_nr; i++) {
        struct place text = extent_of(frozen->read.item[i]);
        if (place_holds(&text, place))
            return true;
    }
    return false;
}

/* The tokens of the place as text without comments, blanks made one. */
static const char *place_text(struct ct_clang *clang, const struct place *place)
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

/* What is there already is not added twice. */
static void frozen_add(struct frozen *frozen, enum ir_frozen_kind kind, const char *name,
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
    bool given = kind == CXCursor_TypedefDecl || kind == CXCursor_TypeAliasDecl ||
                 kind == CXCursor_EnumConstantDecl || kind == CXCursor_VarDecl;
    if (given && !place_holds(&looking->whole, &place))
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

/* Behind the last use of such a macro in the file itself; 0 = there is none, or the file
 * numbers its lines itself. */
static size_t placed_end(const struct frozen *frozen)
{
    size_t end = 0;
    bool numbered = strstr(frozen->source, "#line") != NULL;
    for (size_t i = 0; !numbered && i < frozen->expansion.item_nr; i++) {
        struct place place = extent_of(frozen->expansion.item[i]);
        if (place.end > end && place.file &&
            clang_File_isEqual(place.file, frozen->text.file) &&
            placed_in(frozen, place_text(frozen->clang, &place), 0))
            end = place.end;
    }
    return end;
}

struct ct_outside ct_frozen(struct ct_file *file, const struct ct_function *function,
                            const char *path, const char *source,
                            const struct strvec *args)
{
    struct ct_clang *clang = file->clang;
    struct frozen frozen = {.clang = clang,
                            .path = path,
                            .source = source,
                            .args = args,
                            .body = function->body->begin + 1,
                            .text = {clang->main, (unsigned)function->body->begin,
                                     (unsigned)function->body->end}};
    clang_visitChildren(clang_getTranslationUnitCursor(clang->unit), find_macro, &frozen);
    read_text_of(&frozen, clang->reading);
    frozen_macros(&frozen);
    frozen_branches(&frozen);
    struct ir_frozen *copy = ir_alloc(clang->arena, (frozen.nr + 1) * sizeof(*copy));
    for (size_t i = 0; i < frozen.nr; i++)
        copy[i] = frozen.item[i];
    struct ct_macro_use *use = ir_alloc(clang->arena, (frozen.use_nr + 1) * sizeof(*use));
    for (size_t i = 0; i < frozen.use_nr; i++)
        use[i] = frozen.use[i];
    size_t end = placed_end(&frozen);
    free(frozen.use);
    free(frozen.item);
    free(frozen.read.item);
    free(frozen.expansion.item);
    free(frozen.definition.item);
    return (struct ct_outside){copy, frozen.nr, use, frozen.use_nr, end};
}
