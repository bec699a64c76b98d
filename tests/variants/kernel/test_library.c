/* Libraries for arenas. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "tests/check.h"
#include "tests/variants/harness_kernels.h"
#include "variants/kernel/kernel.h"
#include "variants/plan/plan.h"

SUITE(variants_library);

static size_t files_that_begin(const char *folder, const char *start)
{
    DIR *dir = opendir(folder);
    size_t nr = 0;

    for (struct dirent *entry; dir && (entry = readdir(dir));)
        nr += strncmp(entry->d_name, start, strlen(start)) == 0;
    if (dir)
        closedir(dir);
    return nr;
}

/* What is timed is what was compared. */
TEST("kernels are compiled once")
{
    const struct toolchain *toolchain;
    struct kernel *kernel = fixture_bound("plain", NULL);
    char *dir = path_join(fixture_dir(), "once"), *path = NULL;
    struct error err = {0};

    if (!kernel || fixture_toolchains(&toolchain) == 0)
        return;
    for (int i = 0; i < 4; i++) {
        struct plan *plan = NULL;

        check_ok(plan_parse(i % 2 ? "unroll(i:4)" : "", &plan, &err), &err);
        const struct variant_side side = {.plan = plan};
        if (i < 2)
            check_ok(
                variant_build_library(kernel, &side, &toolchain[0], dir, &path, &err),
                &err);
        else
            check_ok(variant_build(kernel, plan, &toolchain[0], VARIANT_VERIFY, dir,
                                   &path, &err),
                     &err);
        free(path);
        plan_free(plan);
    }
    check_eq(files_that_begin(dir, "variant-"), 6); /* two texts, objects, libraries */
    check_eq(files_that_begin(dir, "verify-"), 2);
    free(dir);
    kernel_free(kernel);
}

TEST("what a compiler refuses is told")
{
    char *bad = fixture_file("bad.c", "void scale(void)\n{ wrong }\n");
    char *other = fixture_file(
        "lost.c", "void outside(void);\n"
                  "double scale(int n, double s, const double *a, double *b)\n"
                  "{ outside(); return 0; }\n");
    char *missing = path_join(fixture_dir(), "no-such.c");
    const struct {
        const char *source, *text;
    } cases[] = {{bad, "a folder/bad.c:2:"},
                 {other, "it calls or uses 'outside', which is in another file"},
                 {missing, "no-such.c"}};
    const struct toolchain *toolchain;
    struct kernel *kernel = fixture_bound("plain", NULL);
    struct error err = {0};
    char *library = NULL;

    if (!kernel || fixture_toolchains(&toolchain) == 0)
        return;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        const struct variant_side side = {.source = cases[i].source};

        check(variant_build_library(kernel, &side, &toolchain[0], fixture_dir(), &library,
                                    &err) != 0);
        check_contains(err.text, cases[i].text);
        check(library == NULL);
        err = (struct error){0};
    }
    free(bad);
    free(other);
    free(missing);
    kernel_free(kernel);
}
