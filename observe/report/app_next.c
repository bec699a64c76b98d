/* For each hot routine whose source is C: the commands that come next, or why not. */
#define _XOPEN_SOURCE 700 /* realpath */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "observe/report/app.h"
#include "variants/variants.h"

/* Reading a kernel takes some tenths of a second. */
enum { kernels_max = 5 };

/* As it is typed from our folder: relative where the file is below it. Caller frees. */
static char *typed_path(const char *path)
{
    char *whole = realpath(path, NULL), *here = realpath(".", NULL);
    size_t length = here ? strlen(here) : 0;
    char *typed = xstrdup(whole && here && length > 1 && !strncmp(whole, here, length) &&
                                  whole[length] == '/'
                              ? whole + length + 1
                          : whole ? whole
                                  : path);
    free(whole);
    free(here);
    return typed;
}

/* The one that the application's folder shows. NULL = none is known. */
static char *build_command(const struct samples *samples)
{
    static const char *const cmake[] = {".", "build", "..", "../build"};
    static const char *const made[][2] = {{"Makefile", "make"},
                                          {"makefile", "make"},
                                          {"GNUmakefile", "make"},
                                          {"build.ninja", "ninja"}};
    char *found = NULL;
    for (size_t i = 0; i < ARRAY_SIZE(cmake) && !found; i++) {
        char *cache = xasprintf("%s/%s/CMakeCache.txt", samples->dir, cmake[i]);
        if (file_exists(cache))
            found = xasprintf("cmake --build %s", cmake[i]);
        free(cache);
    }
    for (size_t i = 0; i < ARRAY_SIZE(made) && !found; i++) {
        char *file = path_join(samples->dir, made[i][0]);
        if (file_exists(file))
            found = xstrdup(made[i][1]);
        free(file);
    }
    return found;
}

/* "sweep.inputs", beside us; of a C++ name what may stand in a file's. */
static void add_inputs(const char *name, struct buf *out)
{
    const char *last = strrchr(name, ':');
    char *file = xasprintf("%s.inputs", last ? last + 1 : name);
    buf_add_shell_word(out, file);
    free(file);
}

static void write_commands(struct app *app, struct app_row *row, const char *build,
                           const struct strvec *folders)
{
    struct buf where = {0}, capture = {0}, tune = {0}, run = {0}, in_app = {0};
    char *place = xasprintf("%s:%d", row->source, row->line);
    buf_add_shell_word(&where, place);
    app_command(&app->samples, &run);
    for (size_t i = 0; i < folders->nr; i++) {
        buf_add(&where, " -I ");
        buf_add_shell_word(&where, folders->v[i]);
    }
    buf_addf(&capture, "inflight capture %s -o ", buf_str(&where));
    add_inputs(row->routine->name, &capture);
    buf_addf(&capture, " -- %s", buf_str(&run));
    buf_addf(&tune, "inflight tune %s --inputs ", buf_str(&where));
    add_inputs(row->routine->name, &tune);
    buf_addf(&in_app, "%s && %s", build ? build : "BUILD", buf_str(&run));
    buf_add(&tune, " --in-app ");
    buf_add_shell_word(&tune, buf_str(&in_app));
    row->capture = buf_detach(&capture);
    row->tune = buf_detach(&tune);
    app->unknown_build |= !build;
    free(place);
    buf_release(&where);
    buf_release(&run);
    buf_release(&in_app);
}

/* Does it read as a kernel? Measures nothing. */
static bool reads(struct app_row *row, const struct settings *settings,
                  const struct strvec *folders)
{
    struct kernel_request request = {.path = row->source, .line = row->line};
    struct kernel *kernel = NULL;
    struct error why = {0};
    for (size_t i = 0; i < folders->nr; i++) {
        strvec_push(&request.cflags, "-I");
        strvec_push(&request.cflags, folders->v[i]);
    }
    int status = compile_commands_flags(settings->compile_commands, row->source,
                                        &settings->cflags, &request.cflags, &why);
    if (!status)
        status = kernel_open(&request, &kernel, &why);
    if (status && strstr(why.text, "file not found"))
        row->why_not =
            xasprintf("%s (in a compile_commands.json, where all commands look "
                      "for it)",
                      why.text);
    else if (status)
        row->why_not = xstrdup(why.text);
    kernel_free(kernel);
    strvec_release(&request.cflags);
    return !status;
}

/* Part of the system: nobody's to tune here. */
static bool is_library(const char *path)
{
    static const char *const start[] = {"/usr/lib", "/usr/include/", "/usr/share/",
                                        "/lib"};
    for (size_t i = 0; i < ARRAY_SIZE(start); i++)
        if (!strncmp(path, start[i], strlen(start[i])))
            return true;
    return false;
}

static char *no_source(const struct hot_routine *routine)
{
    if (routine->kind != HOT_NO_FILE && is_library(routine->module))
        return xstrdup("code of a library: look at what calls it");
    if (routine->kind == HOT_NO_FILE)
        return xstrdup("code that was made at run time, or the kernel's own");
    if (routine->kind == HOT_MODULE && !file_exists(routine->module))
        return xstrdup("that file is not here, so nothing is known of its code");
    if (routine->kind == HOT_MODULE)
        return xstrdup("stripped, so which routine it is cannot be told: build it with "
                       "-g");
    if (routine->kind == HOT_SYMBOL)
        return xasprintf("'%s' has no debug information: build it with -g",
                         path_base(routine->module));
    return xasprintf("its source '%s' is not on this machine", routine->file);
}

static bool is_for_tuning(const struct hot_routine *routine)
{
    return routine->language &&
           (!strcmp(routine->language, "C") || !strcmp(routine->language, "C++"));
}

static void look_into(struct app *app, struct app_row *row,
                      const struct settings *settings, const char *build)
{
    struct strvec found = {0}, folders = {0};
    program_include_folders(row->routine->module, row->source, &found);
    for (size_t i = 0; i < found.nr; i++) {
        char *typed = typed_path(found.v[i]);
        strvec_push(&folders, typed);
        free(typed);
    }
    if (reads(row, settings, &folders))
        write_commands(app, row, build, &folders);
    strvec_release(&found);
    strvec_release(&folders);
}

static void look_at(struct app *app, struct app_row *row, const struct settings *settings,
                    const char *build)
{
    const struct hot_routine *routine = row->routine;
    if (!routine->source) {
        row->why_not = no_source(routine);
        return;
    }
    row->source = typed_path(routine->source);
    row->line =
        routine->loop_nr && routine->loop[0].line ? routine->loop[0].line : routine->line;
    if (is_library(row->source))
        row->why_not = xasprintf(
            "it is code of a library, in '%s': look at what calls it", row->source);
    else if (!is_for_tuning(routine))
        row->why_not = xasprintf("written in %s; kernels are read in C",
                                 routine->language ? routine->language
                                                   : "a language that is not known");
    else if (!routine->loop_nr)
        row->why_not = xstrdup("not in a loop of its own: look at what calls it");
    else
        look_into(app, row, settings, build);
}

void app_next(struct app *app, const struct settings *settings)
{
    char *build = build_command(&app->samples);
    for (size_t i = 0; i < app->row_nr && i < kernels_max; i++)
        look_at(app, &app->row[i], settings, build);
    free(build);
}
