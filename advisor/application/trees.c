#define _XOPEN_SOURCE 700 /* realpath */
#include "advisor/application/trees.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "advisor/application/application.h"
#include "advisor/session/context.h"
#include "advisor/session/emitted.h"
#include "core/base.h"
#include "observe/in_app/inputs_capture.h"
#include "variants/clang/clang.h"
#include "variants/kernel/kernel.h"
#include "variants/kernel/kernel_inputs.h"
#include "variants/kernel/kernel_view.h"

static const double build_limit_s = 3600;

/* ---- the project ---- */

/* Of two absolute paths the deepest folder that holds both. Caller frees. */
static char *common_folder(const char *a, const char *b)
{
    size_t end = 0, i = 0;

    for (; a[i] && a[i] == b[i]; i++)
        if (a[i] == '/')
            end = i;
    if ((!a[i] || a[i] == '/') && (!b[i] || b[i] == '/'))
        end = i;
    return xstrndup(a, end > 0 ? end : 1);
}

/* Too much to be anybody's project. */
static bool is_everything(const char *dir)
{
    const char *home = getenv("HOME");

    return !strcmp(dir, "/") || !strchr(dir + 1, '/') || (home && !strcmp(dir, home));
}

/* Where it is or will be: it may have to be built first. Caller frees. */
static char *whole_path(const char *here, const char *program)
{
    char *path = *program == '/' ? xstrdup(program) : path_join(here, program);
    struct strvec part = {0};
    struct buf out = {0};

    for (char *at = path, *end; *at; at = end + (*end == '/')) {
        end = at + strcspn(at, "/");
        char *name = xstrndup(at, (size_t)(end - at));

        if (!strcmp(name, "..") && part.nr)
            free(part.v[--part.nr]);
        else if (*name && strcmp(name, ".") && strcmp(name, ".."))
            strvec_push(&part, name);
        free(name);
    }
    for (size_t i = 0; i < part.nr; i++)
        buf_addf(&out, "/%s", part.v[i]);
    strvec_release(&part);
    free(path);
    return buf_detach(&out);
}

/* The git work tree or folder that we are in; where the program stands beside it, as
 * ../bin/app does, the folder that holds both. */
static int find_project(struct trees *trees, struct error *err)
{
    const struct settings *settings = trees->settings;
    const char *program = settings->program.v[0];
    int status = project_find(".", settings->in_app_dir, &trees->project, err);

    if (status || settings->in_app_dir || !strchr(program, '/'))
        return status;
    char *here = path_join(trees->project.root, trees->project.cwd),
         *whole = whole_path(here, program),
         *both = common_folder(trees->project.root, whole);
    if (strcmp(both, trees->project.root) && is_everything(both))
        status = fail(err, STATUS_INPUT,
                      "'%s' and the current folder have no project folder in common; "
                      "name the one that the program is built from with --in-app-dir",
                      program);
    else if (strcmp(both, trees->project.root)) {
        project_release(&trees->project);
        status = project_find(".", both, &trees->project, err);
    }
    free(both);
    free(whole);
    free(here);
    return status;
}

static int find_build(struct trees *trees, struct error *err)
{
    const char *given = trees->settings->build;

    trees->build = xstrdup(given ? given : project_build("."));
    trees->build_is_guessed = !given;
    return trees->build ? 0
                        : fail(err, STATUS_USAGE,
                               "how is '%s' built? say so with --build, such as --build "
                               "'make -j2' or --build 'cmake -B b && cmake --build b'",
                               trees->settings->program.v[0]);
}

/* ---- copies ---- */

static int copy_tree(struct trees *trees, enum tree tree, const struct project_list *list,
                     const char *scratch, struct error *err)
{
    static const char *const name[] = {"as-is", "tuned", "ready"};
    struct tree_place *at = &trees->tree[tree];
    char *above = xasprintf("%s/%s", scratch, name[tree]);

    at->root = path_join(above, path_base(trees->project.root));
    at->cwd =
        *trees->project.cwd ? path_join(at->root, trees->project.cwd) : xstrdup(at->root);
    free(above);
    /* All is compiled again, under our eyes. */
    return project_copy(&trees->project, list, at->root, err) ||
                   dir_make_all(at->cwd, err) || build_outdate(at->root, err)
               ? -1
               : 0;
}

static int copy_trees(struct trees *trees, const char *scratch, struct error *err)
{
    struct project_list list = {0};
    int status = project_list_make(&trees->project, scratch, &list, err);

    progress_say(trees->progress, "copying '%s'", trees->project.root);
    if (!status) /* and two more to confirm a loop */
        status = project_check_room(&trees->project, &list, scratch,
                                    (size_t)(TREE_NR - trees->first) + 2, err);
    for (int tree = trees->first; tree < TREE_NR && !status; tree++)
        status = copy_tree(trees, (enum tree)tree, &list, scratch, err);
    project_list_release(&list);
    return status;
}

/* The program as it is named from the folder that we are in: then it is that of each tree
 * in the tree's. */
static void take_words(struct trees *trees)
{
    const struct strvec *words = &trees->settings->program;
    char *here = path_join(trees->project.root, trees->project.cwd);
    char *relative = *words->v[0] == '/' && text_begins(words->v[0], trees->project.root)
                         ? path_from(here, words->v[0])
                         : NULL;

    if (relative)
        strvec_pushf(&trees->argv, "./%s", relative);
    else
        strvec_push(&trees->argv, words->v[0]);
    for (size_t i = 1; i < words->nr; i++)
        strvec_push(&trees->argv, words->v[i]);
    free(relative);
    free(here);
}

int trees_open(struct trees *trees, const struct settings *settings, enum tree first,
               const char *scratch, struct progress *progress, struct error *err)
{
    *trees = (struct trees){
        .settings = settings, .progress = progress, .first = first, .scratch = scratch};
    if (find_project(trees, err) || find_build(trees, err) ||
        copy_trees(trees, scratch, err))
        return -1;
    take_words(trees);
    for (int tree = first; tree < TREE_NR; tree++) {
        char *folder = xasprintf("%s/watch-%d", scratch, tree);
        int status = tree == TREE_CURRENT
                         ? 0
                         : build_watch_begin(folder, &trees->tree[tree].watch, err);

        free(folder);
        if (status)
            return -1;
    }
    return 0;
}

void trees_close(struct trees *trees)
{
    for (int tree = 0; tree < TREE_NR; tree++) {
        free(trees->tree[tree].root);
        free(trees->tree[tree].cwd);
        build_watch_release(&trees->tree[tree].watch);
        build_seen_release(&trees->tree[tree].seen);
    }
    project_release(&trees->project);
    strvec_release(&trees->argv);
    free(trees->build);
}

const char *trees_file(const struct trees *trees, const char *path)
{
    const char *root = trees->tree[TREE_ORIGINAL].root;
    size_t length = strlen(root);

    return !strncmp(path, root, length) && path[length] == '/' ? path + length + 1 : NULL;
}

/* The part of a path that is below a copy of the project; of the copy itself the project;
 * of another file of ours its name. */
static void add_in_project(struct buf *out, const struct trees *trees, const char *path,
                           size_t length)
{
    char *text = xstrndup(path, length), *found = NULL, *inside = NULL;
    char *folder = xasprintf("/%s", path_base(trees->project.root));

    for (char *at = text; !found && (at = strstr(at, folder)); at += strlen(folder))
        if (!at[strlen(folder)] || at[strlen(folder)] == '/')
            found = at + strlen(folder);
    if (found)
        inside = *found == '/' && found[1] ? found + 1 : NULL;
    buf_add(out, inside ? inside : found ? trees->project.root : path_base(text));
    free(folder);
    free(text);
}

/* A path of a tree, which may have blanks: how much of it stands for the project's. */
static size_t root_of_tree(const struct trees *trees, const char *path)
{
    for (int tree = trees->first; tree < TREE_NR; tree++) {
        const char *root = trees->tree[tree].root;

        if (root && text_begins(path, root) && path[strlen(root)] == '/')
            return strlen(root) + 1;
    }
    return 0;
}

char *trees_in_project(const struct trees *trees, const char *sentence)
{
    struct buf out = {0};

    while (*sentence) {
        size_t length = 0, root = root_of_tree(trees, sentence);

        if (!root && trees->project.root && text_begins(sentence, trees->scratch) &&
            sentence[strlen(trees->scratch)] == '/')
            length = strcspn(sentence, "'\"`:;,()<> \t\n");
        if (length)
            add_in_project(&out, trees, sentence, length);
        else if (!root)
            buf_add_n(&out, sentence, 1);
        sentence += root ? root : length ? length : 1;
    }
    return buf_detach(&out);
}

int trees_write(const struct trees *trees, enum tree tree, const char *file,
                const struct buf *text, struct error *err)
{
    char *path = path_join(trees->tree[tree].root, file);
    int status = project_write(path, text, err);

    free(path);
    return status;
}

int trees_read(const struct trees *trees, enum tree tree, const char *file,
               struct buf *text, struct error *err)
{
    char *path = path_join(trees->tree[tree].root, file);
    int status = file_read(path, text, err);

    free(path);
    return status;
}

/* ---- builds ---- */

static int build_by(const struct trees *trees, enum tree tree, const char *command,
                    const char *what, struct error *err)
{
    const struct tree_place *at = &trees->tree[tree];
    struct spawn_outcome outcome;
    const char *const argv[] = {"sh", "-c", command, NULL};
    const struct spawn_request request = {.argv = argv,
                                          .dir = at->cwd,
                                          .env_extra =
                                              (const char *const *)at->watch.env.v,
                                          .timeout_s = build_limit_s,
                                          .account = ACCOUNT_COMPILING};
    int status = 0;

    if (spawn_run(&request, &outcome, err))
        return -1;
    char *end = shell_text_ending(&outcome, build_limit_s);
    if (spawn_interrupted())
        status = fail(err, STATUS_FAILED, "interrupted");
    else if (end)
        status =
            fail(err, STATUS_FAILED, "'%s' does not build %s in a copy of '%s': %s%s",
                 command, what, trees->project.root, end,
                 trees->build_is_guessed ? "; say how it is built with --build" : "");
    free(end);
    spawn_outcome_release(&outcome);
    return status;
}

static int build(const struct trees *trees, enum tree tree, const char *what,
                 struct error *err)
{
    return build_by(trees, tree, trees->build, what, err);
}

/* All that was compiled is known then; `own` as of build_watch_end. */
static int build_watched(struct trees *trees, enum tree tree, const char *what,
                         const char *own, struct error *err)
{
    struct tree_place *at = &trees->tree[tree];
    char *program = program_aside(at->cwd, trees->argv.v[0]);
    int status = build(trees, tree, what, err);

    program_back(program);
    if (status)
        return -1;
    build_seen_release(&at->seen);
    return build_watch_end(&at->watch, at->root, own, &at->seen, err);
}

static int build_original(struct trees *trees, struct error *err)
{
    return build_watched(trees, trees->first, "the program", trees->project.root, err);
}

static int build_prepared(struct trees *trees, struct error *err)
{
    return build_watched(trees, TREE_PREPARED, "to take inputs", NULL, err);
}

/* All trees: where files of the build's own say that all is up to date, make compiles
 * nothing, and no change would come into the program. */
static int build_cleaned(struct trees *trees, struct error *err)
{
    char *clean = xasprintf("%s clean", trees->build);
    struct error ignored = {0};

    progress_say(trees->progress, "'%s' compiled nothing: cleaning the copies",
                 trees->build);
    for (int tree = trees->first; tree < TREE_NR && !spawn_interrupted(); tree++)
        build_by(trees, (enum tree)tree, clean, "", &ignored);
    free(clean);
    return build_original(trees, err);
}

int trees_build(struct trees *trees, struct error *err)
{
    const struct build_seen *seen = &trees->tree[trees->first].seen;
    int status;

    progress_say(trees->progress, "building '%s' with '%s'", trees->project.root,
                 trees->build);
    status = build_original(trees, err);
    if (!status && seen->compilations == 0 && text_has_word(trees->build, "make"))
        status = build_cleaned(trees, err);
    if (!status && seen->compilations == 0)
        progress_note(trees->progress,
                      "'%s' compiled nothing that was seen: clean in --build what is up "
                      "to date",
                      trees->build);
    return status;
}

/* Of a compilation database: "file" is relative to "directory" unless it is absolute. */
static bool is_entry_of(const json_t *entry, const char *path)
{
    const char *name = json_string_value(json_object_get(entry, "file")),
               *folder = json_string_value(json_object_get(entry, "directory"));
    char *whole = !name                     ? NULL
                  : *name == '/' || !folder ? xstrdup(name)
                                            : path_join(folder, name),
         *real = whole ? realpath(whole, NULL) : NULL, *own = realpath(path, NULL);
    bool is = real && own && strcmp(real, own) == 0;

    free(whole);
    free(real);
    free(own);
    return is;
}

/* The command that compiled a file of a tree, the compiler first; none where it was not
 * seen. */
static void find_command(const struct trees *trees, enum tree tree, const char *file,
                         struct strvec *command)
{
    const struct tree_place *at = &trees->tree[tree];
    char *path = path_join(at->root, file);
    json_t *database = NULL;
    struct error why = {0};
    size_t i;
    json_t *entry;

    if (at->seen.database)
        json_read_file(at->seen.database, NULL, &database, &why);
    json_array_foreach(database, i, entry) {
        size_t k;
        json_t *word;

        if (command->nr || !is_entry_of(entry, path))
            continue;
        json_array_foreach(json_object_get(entry, "arguments"), k, word)
            strvec_push(command, json_string_value(word));
    }
    json_decref(database);
    free(path);
}

/* ---- a loop's source ---- */

/* As the build compiles it. */
static int flags_of(const struct trees *trees, enum tree tree, const char *source,
                    struct strvec *flags, struct error *err)
{
    struct settings settings = *trees->settings;

    settings.build = NULL;
    settings.compile_commands = trees->tree[tree].seen.database;
    return context_cflags(&settings, source, flags, err);
}

/* The routine as a whole: read as a kernel, whose inputs can be supplied. `statement`:
 * what tells them to a recorder; may be NULL. `inside`: the nest at `line` is in a loop
 * that is not modelled; may be NULL. */
static int reads(const struct outline_request *at, struct buf *statement, bool *inside,
                 struct error *err)
{
    struct kernel_request request = {
        .path = at->path, .function = at->function, .cflags = *at->cflags};
    struct kernel *kernel = NULL;
    int status = kernel_open(&request, &kernel, err);

    if (!status)
        status = kernel_is_whole(kernel, err);
    if (!status)
        status = kernel_supplied(kernel, err);
    if (!status && statement)
        inputs_statement(kernel, statement);
    if (!status && inside) {
        struct kernel_view view = kernel_view(kernel);

        *inside = kernel_nest_is_inside(&view, at->line);
    }
    kernel_free(kernel);
    return status;
}

/* The text to tune: as it is where the routine reads as a whole, else with the loop as a
 * function of its own; that, too, for a nest in a loop that nothing can change: each of
 * its rounds is a call then, and many more plans are tried in the time. */
static int change_text(const struct outline_request *request, const struct buf *current,
                       struct buf *text, struct outlined *what, struct error *err)
{
    struct error why = {0};
    bool inside = false, whole = reads(request, NULL, &inside, &why) == 0,
         outlined = (!whole || inside) && source_outline(request, text, what, err) == 0;

    if (outlined && (!whole || !what->unread))
        return 0;
    if (outlined)
        outlined_release(what);
    if (whole) {
        error_clear(err);
        buf_reset(text);
        buf_add_n(text, buf_str(current), current->length);
        return 0;
    }
    struct error other = *err;
    error_clear(err);
    return fail(err, STATUS_INPUT, "%s; as a function of its own: %s", why.text,
                other.text);
}

/* Where the loop's line is in a text that has confirmed loops already. */
static int line_now(const struct trees *trees, const struct application_loop *loop,
                    const struct buf *current, int *line, struct error *err)
{
    struct buf original = {0};
    int status = trees_read(trees, TREE_ORIGINAL, loop->file, &original, err);

    if (!status) {
        *line = patch_line(buf_str(&original), buf_str(current), loop->line);
        if (!*line)
            status =
                fail(err, STATUS_INPUT, "it is inside a loop that was tuned before it");
    }
    buf_release(&original);
    return status;
}

static int prepare_text(const struct trees *trees, struct application_loop *loop,
                        const struct strvec *cflags, struct buf *text, struct error *err)
{
    struct buf current = {0};
    char *path = path_join(trees->tree[TREE_PREPARED].root, loop->file);
    struct outline_request request = {
        .path = path, .function = loop->routine, .cflags = cflags};
    int status = trees_read(trees, TREE_CURRENT, loop->file, &current, err);

    if (!status)
        status = line_now(trees, loop, &current, &request.line, err);
    if (!status) /* beside its own headers */
        status = trees_write(trees, TREE_PREPARED, loop->file, &current, err);
    if (!status)
        status = change_text(&request, &current, text, &loop->outlined, err);
    if (!status && loop->outlined.unread && !loop->outlined.is_read)
        status = fail(err, STATUS_INPUT, "%s", loop->outlined.unread);
    buf_release(&current);
    free(path);
    return status;
}

/* The text of what is to be captured, in the prepared tree, where also what the build
 * writes itself is there to be read with it. */
static int write_prepared(struct trees *trees, struct application_loop *loop,
                          const char *path, struct error *err)
{
    struct strvec cflags = {0};
    struct buf text = {0};
    int status =
        trees->tree[TREE_PREPARED].seen.database ? 0 : build_prepared(trees, err);

    if (!status)
        status = flags_of(trees, TREE_PREPARED, path, &cflags, err);
    if (!status)
        status = prepare_text(trees, loop, &cflags, &text, err);
    if (!status)
        status = trees_write(trees, TREE_PREPARED, loop->file, &text, err);
    if (!status && loop->outlined.function) {
        free(loop->function);
        loop->function = xstrdup(loop->outlined.function);
        loop->prepared =
            xasprintf("lines %d to %d become the function %s", loop->outlined.first_line,
                      loop->outlined.last_line, loop->outlined.function);
    }
    buf_release(&text);
    strvec_release(&cflags);
    return status;
}

/* The text with a recorder in the function. */
static int record_text(const char *path, const char *function,
                       const struct strvec *cflags, struct buf *text, struct error *err)
{
    const struct outline_request request = {
        .path = path, .function = function, .cflags = cflags};
    struct buf first = {0}, statement = {0};
    int status = reads(&request, &statement, NULL, err);

    if (!status)
        status = recorder_include(&first, err);
    if (!status)
        status =
            outline_statement(&request, buf_str(&first), buf_str(&statement), text, err);
    buf_release(&first);
    buf_release(&statement);
    return status;
}

int trees_record(struct trees *trees, const char *file, const char *function,
                 struct error *err)
{
    char *path = path_join(trees->tree[TREE_PREPARED].root, file);
    struct strvec cflags = {0};
    struct buf plain = {0}, text = {0};
    int status = trees_read(trees, TREE_PREPARED, file, &plain, err);

    if (!status)
        status = flags_of(trees, TREE_PREPARED, path, &cflags, err);
    if (!status)
        status = record_text(path, function, &cflags, &text, err);
    if (!status)
        status = trees_write(trees, TREE_PREPARED, file, &text, err);
    if (!status) {
        status = build_prepared(trees, err);
        if (trees_write(trees, TREE_PREPARED, file, &plain, status ? NULL : err))
            status = -1;
    }
    buf_release(&plain);
    buf_release(&text);
    strvec_release(&cflags);
    free(path);
    return status;
}

void trees_find_caller(const struct trees *trees, struct application_loop *loop)
{
    char *path = path_join(trees->tree[TREE_ORIGINAL].root, loop->file);
    struct strvec cflags = {0};
    struct outline_request request = {
        .path = path, .function = loop->routine, .cflags = &cflags};
    struct error ignored = {0};
    int line = 0;
    char *caller = flags_of(trees, TREE_ORIGINAL, path, &cflags, &ignored) == 0
                       ? source_caller(&request, &line)
                       : NULL;

    if (caller) {
        free(loop->routine);
        free(loop->function);
        loop->routine = caller;
        loop->function = xstrdup(caller);
        loop->line = line;
    }
    strvec_release(&cflags);
    free(path);
}

int trees_prepare(struct trees *trees, struct application_loop *loop, struct error *err)
{
    if (!loop->row->is_ours || !loop->file)
        return fail(err, STATUS_INPUT, "%s",
                    loop->row->why_not ? loop->row->why_not
                                       : "its source is not below the project's folder");
    char *path = path_join(trees->tree[TREE_PREPARED].root, loop->file);
    progress_say(trees->progress, "building the program to take inputs of %s",
                 loop->function);
    int status = write_prepared(trees, loop, path, err);

    if (!status)
        status = trees_record(trees, loop->file, loop->function, err);
    free(path);
    return status;
}

int trees_tuned_text(const char *written, struct buf *text, struct error *err)
{
    struct buf file = {0};
    int status = file_read(written, &file, err);

    if (!status)
        buf_add(text, emitted_body(buf_str(&file)));
    buf_release(&file);
    return status;
}

/* ---- options of our commands ---- */

void trees_add_flags(const struct trees *trees, struct strvec *words)
{
    const char *database = trees->tree[TREE_PREPARED].seen.database;

    if (database)
        strvec_pushf(words, "--compile-commands=%s", database);
}

/* What decides how fast the code is, and goes with a file that is compiled alone. */
static bool is_for_speed(const char *word)
{
    static const char *const whole[] = {"-flto",  "-fprofile", "-fsanitize", "-ftest",
                                        "-fdump", "-fplugin",  "-MD",        "-MM"};

    for (size_t i = 0; i < ARRAY_SIZE(whole); i++)
        if (text_begins(word, whole[i]))
            return false;
    return text_begins(word, "-O") || text_begins(word, "-m") || text_begins(word, "-f");
}

void trees_add_compiler(const struct trees *trees, const char *file, struct strvec *words)
{
    struct strvec command = {0}, flags = {0};
    bool optimised = false;

    find_command(trees, TREE_PREPARED, file, &command);
    for (size_t i = 1; i < command.nr; i++)
        if (is_for_speed(command.v[i])) {
            strvec_push(&flags, command.v[i]);
            optimised |= text_begins(command.v[i], "-O");
        }
    if (command.nr) {
        if (!optimised)
            strvec_push(&flags, "-O0");
        char *all = strvec_join(&flags, " ");
        strvec_pushf(words, "--compiler=%s", command.v[0]);
        strvec_pushf(words, "--flags=%s", all);
        free(all);
    }
    strvec_release(&flags);
    strvec_release(&command);
}
