/* #if, #else and #endif: which branches were taken. libclang tells what was skipped; the
 * lines are read as tokens. */
#include "variants/clang/clang_frozen.h"

#include <stdlib.h>
#include <string.h>

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

bool place_is_conditional(const struct frozen *frozen, const struct place *place)
{
    struct branches branches = {.frozen = (struct frozen *)frozen,
                                .file = place->file,
                                .use = find_around,
                                .asked = *place};
    read_directives(&branches);
    return branches.found;
}

void frozen_branches(struct frozen *frozen)
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
