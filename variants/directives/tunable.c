/* From the words about tunables to places in the file, and to the file with other values.
 */
#include "variants/directives/tunable.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { INCLUDES_DEEP = 8 };

struct place_request {
    const struct ir_function *function;
    const struct strvec *cflags;
    const struct kernel_word *word;
    struct error *err;
};

/* ---- values on the compiler's command line ---- */

/* What -D says of the name; NULL = nothing, or taken back by -U. */
static const char *defined_as(const struct strvec *cflags, const char *name)
{
    size_t length = strlen(name);
    const char *value = NULL;
    for (size_t i = 0; i < cflags->nr; i++) {
        const char *flag = cflags->v[i];
        bool define = !strncmp(flag, "-D", 2), undefine = !strncmp(flag, "-U", 2);
        if (!define && !undefine)
            continue;
        flag += 2;
        if (!*flag && i + 1 < cflags->nr)
            flag = cflags->v[++i];
        if (strncmp(flag, name, length) || (flag[length] && flag[length] != '='))
            continue;
        value = undefine ? NULL : flag[length] ? flag + length + 1 : "1";
    }
    return value;
}

static int take_flag(const struct place_request *request, const char *text,
                     struct tunable *tunable)
{
    char *end;
    errno = 0;
    tunable->place.now = strtoll(text, &end, 0);
    end += strspn(end, "uUlL");
    if (errno || !*text || *end)
        return fail(request->err, STATUS_INPUT,
                    "%s: -D%s=%s gives no number that can be changed",
                    request->word->where, tunable->name, text);
    tunable->define = true;
    tunable->place.macro = true;
    return 0;
}

/* ---- included files ---- */

static bool try_folder(const char *folder, size_t length, const char *file, char **path)
{
    char *dir = length ? xstrndup(folder, length) : xstrdup(".");
    *path = path_join(dir, file);
    free(dir);
    if (file_exists(*path))
        return true;
    free(*path);
    *path = NULL;
    return false;
}

/* Beside the including file, else in the -I folders. Caller frees; NULL = not there. */
static char *find_include(const char *from, const char *file, const struct strvec *cflags)
{
    char *path = NULL;
    if (*file == '/')
        return file_exists(file) ? xstrdup(file) : NULL;
    if (try_folder(from, (size_t)(path_base(from) - from), file, &path))
        return path;
    for (size_t i = 0; i < cflags->nr; i++) {
        const char *folder = cflags->v[i];
        if (strncmp(folder, "-I", 2))
            continue;
        folder += 2;
        if (!*folder && i + 1 < cflags->nr)
            folder = cflags->v[++i];
        if (try_folder(folder, strlen(folder), file, &path))
            return path;
    }
    return NULL;
}

static int find_in_includes(const struct place_request *request, const char *path,
                            const char *text, size_t length, int deep,
                            struct tunable *tunable, bool *found);

static int look_into(const struct place_request *request, const char *path, int deep,
                     struct tunable *tunable, bool *found)
{
    struct buf text = {0};
    struct tunable_place place;
    if (file_read(path, &text, NULL)) { /* the compiler will say so */
        buf_release(&text);
        return 0;
    }
    int status = tunable_find(path, buf_str(&text), text.length, tunable->name, 0, 0,
                              found, &place, request->err);
    if (!status && !*found)
        status = find_in_includes(request, path, buf_str(&text), text.length, deep + 1,
                                  tunable, found);
    else if (!status && (!place.macro || !place.guarded))
        status = fail(
            request->err, STATUS_INPUT,
            "%s:%d: '%s' is defined here, out of reach of the file that is written; "
            "make it '#ifndef %s', '#define %s %lld', '#endif'",
            path, place.line, tunable->name, tunable->name, tunable->name, place.now);
    else if (!status)
        tunable->place = place;
    buf_release(&text);
    return status;
}

static int find_in_includes(const struct place_request *request, const char *path,
                            const char *text, size_t length, int deep,
                            struct tunable *tunable, bool *found)
{
    struct strvec files = {0};
    size_t first;
    int status = 0;
    *found = false;
    tunable_includes(text, length, &files, &first);
    for (size_t i = 0; !status && !*found && deep < INCLUDES_DEEP && i < files.nr; i++) {
        char *include = find_include(path, files.v[i], request->cflags);
        if (include)
            status = look_into(request, include, deep, tunable, found);
        free(include);
    }
    strvec_release(&files);
    tunable->define = *found;
    return status;
}

/* ---- reading ---- */

static int not_defined(const struct place_request *request, const char *name)
{
    return fail(request->err, STATUS_INPUT,
                "%s: '%s' is defined neither in %s nor in what it includes; a tunable is "
                "'#define %s 32', 'enum { %s = 32 }', 'const int %s = 32' or -D%s=32 "
                "behind --",
                request->word->where, name, path_base(request->function->path), name,
                name, name, name);
}

/* A definition in the file goes before -D, unless it stands behind #ifndef. */
static int place_it(const struct place_request *request, struct tunable *tunable)
{
    const struct ir_function *function = request->function;
    const char *flag = defined_as(request->cflags, tunable->name);
    struct strvec ignored = {0};
    bool found = false;
    int status = tunable_find(function->path, function->source, function->source_length,
                              tunable->name, function->begin, function->end, &found,
                              &tunable->place, request->err);
    if (!status && found && !(flag && tunable->place.macro && tunable->place.guarded))
        return 0;
    if (!status && flag)
        status = take_flag(request, flag, tunable);
    else if (!status)
        status = find_in_includes(request, function->path, function->source,
                                  function->source_length, 0, tunable, &found);
    if (!status && !found && !flag)
        status = not_defined(request, tunable->name);
    if (!status)
        tunable_includes(function->source, function->source_length, &ignored,
                         &tunable->place.begin);
    tunable->place.end = tunable->place.begin;
    strvec_release(&ignored);
    return status;
}

static int read_one(const struct place_request *request, struct tunables *tunables)
{
    if (tunables->nr == KERNEL_TUNABLES_MAX)
        return fail(request->err, STATUS_INPUT, "%s: more than %d tunables at once",
                    request->word->where, KERNEL_TUNABLES_MAX);
    GROW(tunables->item, tunables->nr + 1, tunables->alloc);
    struct tunable *tunable = &tunables->item[tunables->nr++];
    *tunable = (struct tunable){.name = request->word->name.v[0]};
    if (tunable_values_read(request->word->text, &tunable->values, request->err))
        return fail_in(request->err, "%s", request->word->where);
    return place_it(request, tunable);
}

struct names {
    const struct tunables *tunables;
    const struct ir_function *function;
};

/* Every name counts as known that is a tunable or a scalar parameter. */
static int lookup_name(void *data, const char *name, struct words_number *out)
{
    const struct names *names = data;
    for (size_t i = 0; i < names->tunables->nr; i++)
        if (!strcmp(names->tunables->item[i].name, name)) {
            *out = words_integer(names->tunables->item[i].place.now);
            return 0;
        }
    for (size_t i = 0; i < names->function->symbol_nr; i++) {
        const struct ir_symbol *symbol = names->function->symbol[i];
        *out = words_integer(1);
        if ((symbol->role == IR_PARAM || symbol->role == IR_GLOBAL) &&
            symbol->type.pointers == 0 && !strcmp(symbol->name, name))
            return 0;
    }
    return -1;
}

static int read_constraint(const struct place_request *request, struct tunables *tunables)
{
    struct names names = {tunables, request->function};
    bool ignored;
    if (constraint_eval(request->word->text, lookup_name, &names, &ignored, request->err))
        return fail_in(request->err, "%s", request->word->where);
    strvec_push(&tunables->constraint, request->word->text);
    return 0;
}

int tunables_read(const struct ir_function *function, const struct kernel_words *words,
                  const struct strvec *cflags, struct tunables *out, struct error *err)
{
    struct place_request request = {
        .function = function, .cflags = cflags, .word = NULL, .err = err};
    int status = 0;
    for (size_t i = 0; !status && i < words->item_nr; i++) {
        request.word = &words->item[i];
        if (request.word->kind == WORD_TUNABLE)
            status = read_one(&request, out);
    }
    for (size_t i = 0; !status && i < words->item_nr; i++) {
        request.word = &words->item[i];
        if (request.word->kind == WORD_CONSTRAINT)
            status = read_constraint(&request, out);
    }
    return status;
}

void tunables_release(struct tunables *tunables)
{
    for (size_t i = 0; i < tunables->nr; i++)
        tunable_values_release(&tunables->item[i].values);
    free(tunables->item);
    strvec_release(&tunables->constraint);
    *tunables = (struct tunables){0};
}

/* ---- writing ---- */

static void add_value(const struct tunable *tunable, long long value, struct buf *out)
{
    if (tunable->define)
        buf_addf(out, "#undef %s\n#define %s ", tunable->name, tunable->name);
    buf_addf(out, value < 0 && tunable->place.macro ? "(%lld%s)" : "%lld%s", value,
             tunable->place.suffix ? tunable->place.suffix : "");
    if (tunable->define)
        buf_add(out, "\n");
}

/* The next place to change behind that of `before`; NULL = none. */
static const struct tunable *next_change(const struct tunables *tunables,
                                         const long long *value,
                                         const struct tunable *before)
{
    const struct tunable *next = NULL;
    for (size_t i = 0; i < tunables->nr; i++) {
        const struct tunable *tunable = &tunables->item[i];
        bool behind = !before || tunable->place.begin > before->place.begin ||
                      (tunable->place.begin == before->place.begin && tunable > before);
        if (value[i] != tunable->place.now && behind &&
            (!next || tunable->place.begin < next->place.begin))
            next = tunable;
    }
    return next;
}

char *tunables_edit(const struct tunables *tunables, const char *source, size_t length,
                    const long long *value)
{
    struct buf out = {0};
    const struct tunable *change = NULL;
    size_t at = ir_mark_bytes(source);
    buf_add_n(&out, source, at);
    while ((change = next_change(tunables, value, change))) {
        if (change->place.begin > at)
            buf_add_n(&out, source + at, change->place.begin - at);
        add_value(change, value[change - tunables->item], &out);
        at = change->place.end > at ? change->place.end : at;
    }
    buf_add_n(&out, source + at, length - at);
    return buf_detach(&out);
}
