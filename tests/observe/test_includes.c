/* Which folders the compiler looked for headers in: from texts, and from a program. */
#define _XOPEN_SOURCE 700 /* realpath */
#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "observe/observe.h"
#include "tests/check.h"

SUITE(observe_includes);

static char *put(const char *root, const char *name, const char *text)
{
    char *path = path_join(root, name), *dir = xstrdup(path);
    struct error err = {0};

    *strrchr(dir, '/') = 0;
    check_ok(dir_make_all(dir, &err), &err);
    check_ok(file_write(path, text, strlen(text), &err), &err);
    free(dir);
    return path;
}

static char *make_tree(void)
{
    static const char *const file[][2] = {
        {"src dir/main.c", "#include <stdlib.h>\n# include \"beside.h\"\n"
                           "  #include \"sub/shape.h\" // of ours\nint main(void)\n"
                           "{\n    return shape(0) + beside(0);\n}\n"},
        {"src dir/beside.h", "#include <deep.h>\nstatic inline int beside(int x)\n"
                             "{\n    return deep(x);\n}\n"},
        {"headers/sub/shape.h", "static inline int shape(int x)\n{\n    return x;\n}\n"},
        {"other/deep.h", "static inline int deep(int x)\n{\n    return x;\n}\n"},
    };
    struct error err = {0};
    char *root = NULL, *real;

    check_ok(scratch_make(&root, &err), &err);
    for (size_t i = 0; i < ARRAY_SIZE(file); i++)
        free(put(root, file[i][0], file[i][1]));
    real = realpath(root, NULL);
    free(root);
    return real;
}

static void check_folders(const char *root, const struct strvec *folders)
{
    char *deep = path_join(root, "other"), *shape = path_join(root, "headers");

    check_eq(folders->nr, 2);
    check_str(folders->nr > 0 ? folders->v[0] : "", deep);
    check_str(folders->nr > 1 ? folders->v[1] : "", shape);
    free(deep);
    free(shape);
}

TEST("folders follow from what was read")
{
    static const char *const header[] = {"src dir/beside.h", "headers/sub/shape.h",
                                         "other/deep.h"};
    char *root = make_tree(), *source = path_join(root, "src dir/main.c");
    struct strvec headers = {0}, folders = {0};

    strvec_push(&headers, "/usr/include/stdlib.h");
    for (size_t i = 0; i < ARRAY_SIZE(header); i++)
        strvec_pushf(&headers, "%s/%s", root, header[i]);
    included_folders(source, &headers, &folders);
    check_folders(root, &folders);
    strvec_release(&headers);
    strvec_release(&folders);
    free(source);
    scratch_remove(root);
}

TEST("programs tell what was read")
{
    char *root = make_tree();
    const char *const argv[] = {"gcc",          "-g",         "-O0",
                                "-I../headers", "-I../other", "-o",
                                "../main",      "main.c",     NULL};
    char *dir = path_join(root, "src dir"), *source = path_join(dir, "main.c"),
         *program = path_join(root, "main");
    struct spawn_request request = {.argv = argv, .dir = dir};
    struct spawn_outcome outcome;
    struct strvec folders = {0};
    struct error err = {0};

    check_ok(spawn_run(&request, &outcome, &err), &err);
    check_eq(outcome.code, 0);
    spawn_outcome_release(&outcome);
    program_include_folders(program, source, &folders);
    check_folders(root, &folders);
    strvec_release(&folders);
    program_include_folders(source, source, &folders); /* not a program */
    check_eq(folders.nr, 0);
    strvec_release(&folders);
    free(dir);
    free(source);
    free(program);
    scratch_remove(root);
}
