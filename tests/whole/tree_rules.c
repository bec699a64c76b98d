#include "tests/whole/tree_rules.h"

#include <ctype.h>
#include <dirent.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/files/fs.h"

/* A house or a room of one (a folder below it), and the folders that it may include:
 * rooms, or houses with all their rooms; "*" = any. A room without a row of its own has
 * its house's; such rooms are one with their house. A room with a row sees those of its
 * house that it names, and of them what they show. */
#define BASIS "core/base core/process core/files "
static const struct edge {
    const char *folder, *may_include;
} edges[] = {
    {"core", "*"},
    {"core/base", ""},
    {"core/process", "core/base"},
    {"core/files", "core/base core/process"},
    {"core/cause", ""},
    {"core/code", BASIS},
    {"core/cpu", BASIS "core/code"},
    {"core/machine", BASIS "core/cpu"},
    {"core/inputs", BASIS},
    {"core/store", BASIS},
    {"core/run", BASIS "core/code"},
    {"core/traffic", BASIS "core/code core/cpu"},
    {"core/metrics", BASIS "core/cpu core/traffic core/machine"},
    {"core/pipeline", BASIS "core/cause core/code core/cpu"},
    {"core/occupancy", BASIS "core/cause core/machine core/pipeline"},
    {"regions", ""},
    {"observe", BASIS "core/code core/inputs core/traffic regions"},
    {"observe/report", "core observe advisor search variants rules"},
    {"observe/in_app", "core observe advisor search variants rules"},
    /* lowest first */
    {"variants/plan", BASIS},
    {"variants/ir", BASIS},
    {"variants/model", BASIS "variants/plan variants/ir"},
    {"variants/clang", BASIS "variants/ir"},
    {"variants/parse", BASIS "variants/ir variants/clang"},
    {"variants/directives", BASIS "variants/ir"},
    {"variants/transform", BASIS "variants/plan variants/ir variants/model"},
    {"variants/emit", BASIS "variants/plan variants/ir variants/model variants/clang "
                            "variants/transform"},
    {"variants/kernel", BASIS "core/machine variants/plan variants/ir variants/model "
                              "variants/parse variants/directives variants/emit"},
    {"variants/build",
     BASIS "core/machine core/traffic variants/plan variants/clang variants/kernel"},
    {"variants/verify", BASIS "core/run variants/plan variants/kernel variants/build"},
    {"rules", BASIS "core/cause variants/plan"},
    /* lowest first */
    {"search/space", BASIS "core/run variants/plan variants/kernel"},
    {"search/propose", BASIS "core/machine core/traffic core/occupancy variants/plan "
                             "variants/kernel search/space"},
    {"search/session", "core rules variants/plan variants/kernel search/space "
                       "search/propose"},
    {"search/records", "core variants/kernel search/space search/session"},
    {"search/remote", "core search/space search/session search/records"},
    {"search/live", "core variants search/space search/session"},
    {"search/finish", "core rules variants/kernel search/space search/session"},
    {"search/strategy", "core rules variants/plan variants/kernel search/space "
                        "search/propose search/session search/finish"},
    {"advisor/plot", "core advisor/cli"},
    {"advisor", "core observe variants rules search advisor/plot"},
    {"bench", "*"},
    {"tests", "*"},
};

/* Headers of other people, the folder or file that may include them, in how many files of
 * it (0 = any). */
static const struct {
    const char *header, *where;
    size_t files_max;
    bool tests; /* may look at the package itself */
} adapters[] = {
    {"jansson.h", "core/files/json.h", 1, false},
    {"zlib.h", "core/files/gz.c", 1, false},
    {"sha2.h", "core/files/hash.c", 1, false},
    {"papi.h", "core/traffic/", 1, true},
    {"clang-c/", "variants/", 1, false},
    {"isl/", "variants/", 0, false},
    {"gmp.h", "variants/model/budget.c", 1, false},
    {"hwloc", "core/machine/", 1, false},
    {"sqlite3.h", "core/store/", 1, false},
    {"CUnit/", "tests/", 0, false},
    {"sde_lib.h", "core/traffic/counters/papi_export.c", 1, true},
    {"capstone/", "core/code/", 1, false},
    {"Zydis/", "core/code/", 1, false},
    {"elfutils/", "core/code/", 0, false},
    {"perfmon/", "core/traffic/", 1, true},
};

/* Sources that are also compiled into traced programs, away from the tree: they name each
 * other without folder. */
static const char standalone[] = "core/traffic/tracer/cache_";

static const char *const banned[] = {
    "strcpy", "strcat", "sprintf", "vsprintf", "strtok", "system", "popen", "gets",
};

struct source {
    const char *path;  /* from the root */
    char *folder;      /* "core/base" */
    struct buf text;   /* comments and literals blanked, lines kept */
    struct buf quoted; /* the text itself */
};

static bool starts_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), tail = strlen(end);

    return length >= tail && strcmp(text + length - tail, end) == 0;
}

/* The end of the comment or literal at `at`, or `at` if there is none. */
static const char *skip_blanked(const char *at)
{
    const char *end;

    if (starts_with(at, "//"))
        return at + strcspn(at, "\n");
    if (starts_with(at, "/*"))
        return (end = strstr(at + 2, "*/")) ? end + 2 : at + strlen(at);
    if (*at != '"' && *at != '\'')
        return at;
    for (end = at + 1; *end && *end != *at && *end != '\n'; end++)
        end += *end == '\\' && end[1];
    return *end ? end + 1 : end;
}

static void blank(const char *text, struct buf *out)
{
    while (*text) {
        const char *end = skip_blanked(text);

        if (end == text)
            buf_add_n(out, text++, 1);
        for (; text < end; text++)
            buf_add(out, *text == '\n' ? "\n" : " ");
    }
}

static bool is_listed(const char *list, const char *word)
{
    size_t length = strlen(word);

    for (; *list; list += strspn(list, " ")) {
        size_t one = strcspn(list, " ");

        if (one == length && strncmp(list, word, length) == 0)
            return true;
        list += one;
    }
    return false;
}

static char *folder_of(const char *path)
{
    const char *base = path_base(path);

    return xstrndup(path, base > path ? (size_t)(base - path) - 1 : 0);
}

/* The row of a folder, or of its house; NULL = no place for sources. */
static const struct edge *row_of(const char *folder)
{
    char *at = xstrdup(folder);
    const struct edge *row = NULL;

    while (!row) {
        char *end = strrchr(at, '/');

        for (size_t i = 0; i < ARRAY_SIZE(edges); i++)
            if (strcmp(edges[i].folder, at) == 0)
                row = &edges[i];
        if (!end)
            break;
        *end = '\0';
    }
    free(at);
    return row;
}

/* Is the folder, or a house that it is a room of, among those of the list? */
static bool is_allowed(const char *list, const char *folder)
{
    char *at = xstrdup(folder);
    bool found = is_listed(list, "*") || is_listed(list, at);

    while (!found && strrchr(at, '/')) {
        *strrchr(at, '/') = '\0';
        found = is_listed(list, at);
    }
    free(at);
    return found;
}

/* "variants" of "variants/emit", "core/traffic" of "core/traffic/trace". */
static size_t house_length(const char *folder)
{
    size_t length = strcspn(folder, "/");

    if (starts_with(folder, "core/"))
        length += 1 + strcspn(folder + length + 1, "/");
    return length;
}

static bool is_same_house(const char *a, const char *b)
{
    size_t length = house_length(a);

    return length == house_length(b) && strncmp(a, b, length) == 0;
}

/* Rooms all of whose headers are outward. */
static const char open_rooms[] =
    BASIS "core advisor/cli advisor/session advisor/report advisor/program "
          "observe/report observe/in_app";

/* Parts of outward headers that are of use alone. */
static const char also_outward[] =
    "core/run/run_words.h core/run/run_stretch.h core/occupancy/bound.h "
    "core/occupancy/diagnosis.h core/code/work.h core/cpu/cpu_core.h "
    "core/pipeline/pipeline_account.h core/cause/cause.h "
    "variants/model/loop_view.h variants/kernel/kernel_view.h "
    "variants/kernel/kernel_inputs.h variants/kernel/kernel_outline.h "
    "variants/parse/outline.h "
    "search/session/subject.h search/session/measured.h search/session/result.h "
    "search/session/advice.h search/records/replay.h "
    "search/remote/dispatch.h search/remote/mailbox.h search/remote/questions.h "
    "search/remote/serve.h";

/* What rooms with rows show to the others of their house. */
static const char shown_in_house[] =
    "variants/ir/clauses.h variants/ir/liveness.h variants/ir/spelling.h "
    "variants/ir/sum.h "
    "variants/model/borders.h variants/model/poly.h variants/model/budget.h "
    "variants/model/deps.h "
    "variants/model/model_affine.h variants/model/model_nest.h "
    "variants/model/model_overlap.h variants/model/recurrence.h "
    "variants/model/increment.h variants/model/model_view.h variants/model/tree.h "
    "variants/clang/clang_tree.h variants/clang/clang_access.h "
    "variants/directives/contents.h variants/directives/pragma.h "
    "variants/directives/record_fields.h variants/directives/tunable.h "
    "variants/transform/packing.h variants/kernel/kernel_parts.h "
    "search/space/choice.h search/space/dimensions.h search/space/environment.h "
    "search/space/nearest.h "
    "search/propose/nest.h search/propose/reuse.h search/propose/uses.h "
    "search/propose/least.h search/propose/propose_steps.h "
    "search/propose/propose_sums.h "
    "search/session/engine.h search/session/pace.h search/session/prebuild.h "
    "search/session/race.h "
    "search/finish/close.h search/finish/headroom.h search/finish/remeasure.h "
    "search/finish/ties.h";

/* Else core/machine has core/machine/machine.h. Lists of rows are there for others to
 * make tables of. */
static bool is_outward(const char *header, const char *folder)
{
    char *outward = xasprintf("%s/%s.h", folder, path_base(folder));
    bool same = strcmp(outward, header) == 0 || is_listed(open_rooms, folder) ||
                is_listed(also_outward, header) || ends_with(header, ".def");

    free(outward);
    return same;
}

/* Tests, what tries single steps of plans, and what starts the Slurm of the tests. */
static bool sees_inside(const struct source *source)
{
    return starts_with(source->path, "tests/") ||
           starts_with(source->path, "bench/plan") ||
           strcmp(source->path, "bench/cluster.c") == 0;
}

/* May the file see this header of another row's folder? */
static bool is_shown(const struct source *source, const char *header, const char *folder,
                     const struct edge *row)
{
    if (sees_inside(source) || is_outward(header, folder))
        return true;
    return is_same_house(source->folder, folder) &&
           (house_length(row->folder) == strlen(row->folder) ||
            is_listed(shown_in_house, header));
}

static void check_edge(const struct source *source, const char *header, int line,
                       struct strvec *breaches)
{
    const struct edge *own = row_of(source->folder), *row;
    char *folder = folder_of(header);

    row = row_of(folder);
    if (strcmp(folder, source->folder) == 0 || strcmp(header, "core/base.h") == 0 ||
        (row == own && is_same_house(source->folder, folder)))
        goto out;
    if (!row)
        strvec_pushf(breaches, "%s:%d: \"%s\" is not written from the root", source->path,
                     line, header);
    else if (!is_allowed(own->may_include, folder))
        strvec_pushf(breaches, "%s:%d: %s may not include %s", source->path, line,
                     source->folder, folder);
    else if (!is_shown(source, header, folder, row))
        strvec_pushf(breaches, "%s:%d: \"%s\" is private to %s", source->path, line,
                     header, folder);
out:
    free(folder);
}

static void check_adapter(const struct source *source, const char *header, int line,
                          struct strvec *users, struct strvec *breaches)
{
    for (size_t i = 0; i < ARRAY_SIZE(adapters); i++) {
        if (!starts_with(header, adapters[i].header) ||
            (adapters[i].tests && starts_with(source->path, "tests/")))
            continue;
        if (!starts_with(source->path, adapters[i].where))
            strvec_pushf(breaches, "%s:%d: <%s> belongs to %s only", source->path, line,
                         header, adapters[i].where);
        /* one entry per file: files are read one after the other */
        if (!users[i].nr || strcmp(users[i].v[users[i].nr - 1], source->path) != 0)
            strvec_push(&users[i], source->path);
        if (adapters[i].files_max && users[i].nr > adapters[i].files_max)
            strvec_pushf(breaches, "%s:%d: <%s> has its adapter in %s already",
                         source->path, line, header, users[i].v[0]);
    }
}

/* foo/bar.c begins with foo/bar.h if there is one. */
static void check_own_first(const struct source *source, const char *first,
                            const char *root, struct strvec *breaches)
{
    char *own, *file;

    if (!ends_with(source->path, ".c"))
        return;
    own = xasprintf("%.*s.h", (int)strlen(source->path) - 2, source->path);
    file = path_join(root, own);
    if (file_exists(file) && strcmp(first, own) != 0)
        strvec_pushf(breaches, "%s:1: includes \"%s\" not first", source->path, own);
    free(own);
    free(file);
}

/* The header named by an #include line, quote kept in *close; NULL if it is none. */
static char *included(const struct source *source, const char *line, char *close)
{
    char *header;

    const char *at = line + strspn(line, " \t");

    if (*at++ != '#')
        return NULL;
    at += strspn(at, " \t");
    if (!starts_with(at, "include"))
        return NULL;
    at += strlen("include");
    at += strspn(at, " \t");
    if (*at != '"' && *at != '<')
        return NULL;
    *close = *at == '<' ? '>' : '"';
    at++;
    header = xstrndup(at, strcspn(at, "\">\n"));
    if (*close == '"' && starts_with(source->path, standalone) && !strchr(header, '/')) {
        char *full = path_join(source->folder, header);

        free(header);
        header = full;
    }
    return header;
}

static void check_includes(const struct source *source, const char *root,
                           struct strvec *users, struct strvec *breaches)
{
    const char *line = buf_str(&source->quoted);
    bool first = true;

    for (int number = 1; *line; number++) {
        char close = '"', *header = included(source, line, &close);

        if (header && first)
            check_own_first(source, header, root, breaches);
        first = first && !header;
        if (header && close == '"')
            check_edge(source, header, number, breaches);
        if (header)
            check_adapter(source, header, number, users, breaches);
        free(header);
        line += strcspn(line, "\n");
        line += *line == '\n';
    }
}

static int line_of(const char *text, const char *at)
{
    int line = 1;

    for (; text < at; text++)
        line += *text == '\n';
    return line;
}

static bool is_name_part(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static void check_banned(const struct source *source, struct strvec *breaches)
{
    const char *text = buf_str(&source->text);

    for (size_t i = 0; i < ARRAY_SIZE(banned); i++) {
        size_t length = strlen(banned[i]);

        for (const char *at = text; (at = strstr(at, banned[i])); at += length) {
            const char *after = at + length + strspn(at + length, " \t\n");

            if ((at > text && is_name_part(at[-1])) || *after != '(')
                continue;
            strvec_pushf(breaches, "%s:%d: %s is banned", source->path, line_of(text, at),
                         banned[i]);
        }
    }
}

static void check_file(const char *root, const char *path, struct strvec *users,
                       struct strvec *breaches)
{
    struct source source = {.path = path, .folder = folder_of(path)};
    char *file = path_join(root, path);

    if (file_read(file, &source.quoted, NULL))
        strvec_pushf(breaches, "%s:1: cannot be read", path);
    blank(buf_str(&source.quoted), &source.text);
    check_banned(&source, breaches);
    if (row_of(source.folder) && !starts_with(path, "bench/kernels/") &&
        !starts_with(path, "tests/kernels/"))
        check_includes(&source, root, users, breaches);
    else if (!starts_with(path, "templates/") && !starts_with(path, "examples/") &&
             !starts_with(path, "bench/kernels/") && !starts_with(path, "tests/kernels/"))
        strvec_pushf(breaches, "%s:1: no place for source files", path);
    buf_release(&source.text);
    buf_release(&source.quoted);
    free(source.folder);
    free(file);
}

static void list_files(const char *root, const char *below, struct strvec *files)
{
    char *path = path_join(root, below);
    DIR *dir = opendir(path);
    struct dirent *entry;

    while (dir && (entry = readdir(dir))) {
        char *name = path_join(below, entry->d_name), *full = path_join(root, name);

        if (entry->d_name[0] == '.' || strcmp(name, "build") == 0 ||
            strcmp(name, "tests/data") == 0)
            ; /* not ours */
        else if (dir_exists(full))
            list_files(root, name, files);
        else if (ends_with(name, ".c") || ends_with(name, ".h"))
            strvec_push(files, name);
        free(name);
        free(full);
    }
    if (dir)
        closedir(dir);
    free(path);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Each example is a project of its own. */
static void check_names(const struct strvec *files, struct strvec *breaches)
{
    for (size_t i = 0; i < files->nr; i++)
        for (size_t k = 0; k < i && !starts_with(files->v[i], "examples/"); k++)
            if (!starts_with(files->v[k], "examples/") &&
                strcmp(path_base(files->v[i]), path_base(files->v[k])) == 0)
                strvec_pushf(breaches, "%s:1: has the name of %s", files->v[i],
                             files->v[k]);
}

size_t tree_check(const char *root, struct strvec *breaches)
{
    struct strvec files = {0}, users[ARRAY_SIZE(adapters)] = {{0}};
    size_t nr;

    list_files(root, "", &files);
    nr = files.nr;
    if (nr)
        qsort(files.v, nr, sizeof(*files.v), by_text);
    check_names(&files, breaches);
    for (size_t i = 0; i < nr; i++)
        check_file(root, files.v[i], users, breaches);
    for (size_t i = 0; i < ARRAY_SIZE(users); i++)
        strvec_release(&users[i]);
    strvec_release(&files);
    return nr;
}
