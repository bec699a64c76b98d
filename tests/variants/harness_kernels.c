#include "tests/variants/harness_kernels.h"

#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "tests/check.h"
#include "variants/kernel/kernel.h"
#include "variants/plan/plan.h"

#define DATA INFLIGHT_SOURCE_DIR "/tests/data/harness"

char *fixture_data(const char *name)
{
    return path_join(DATA, name);
}

struct kernel *fixture_open(const char *name, const char *const *words)
{
    struct kernel_request request = {0};
    struct kernel *kernel = NULL;
    struct error err = {0};
    char *path = xasprintf(DATA "/%s.c", name);

    request.path = path;
    for (; words && *words; words++)
        strvec_push(&request.words, *words);
    check_ok(kernel_open(&request, &kernel, &err), &err);
    strvec_release(&request.words);
    free(path);
    return kernel;
}

struct kernel *fixture_bound(const char *name, const char *const *words)
{
    struct kernel *kernel = fixture_open(name, words);
    struct error err = {0};

    if (kernel && !check_ok(kernel_bind(kernel, &err), &err)) {
        kernel_free(kernel);
        return NULL;
    }
    return kernel;
}

size_t fixture_toolchains(const struct toolchain **toolchain)
{
    static struct toolchain found[2];
    static size_t nr;
    static const char *const compilers[] = {INFLIGHT_CC, "clang-19", "gcc"};
    struct strvec flags = {0};

    strvec_push(&flags, "-O2");
    for (size_t i = 0; i < ARRAY_SIZE(compilers) && nr < ARRAY_SIZE(found); i++) {
        struct error err = {0};

        if (toolchain_find(compilers[i], &flags, &found[nr], &err) == 0 &&
            (nr == 0 || found[nr].is_clang != found[0].is_clang))
            nr++;
    }
    check(nr > 0);
    strvec_release(&flags);
    *toolchain = found;
    return nr;
}

const char *fixture_dir(void)
{
    static char *dir;
    struct error err = {0};
    char *scratch;

    if (!dir && check_ok(scratch_make(&scratch, &err), &err)) {
        dir = path_join(scratch, "a folder");
        check_ok(dir_make_all(dir, &err), &err);
        free(scratch);
    }
    return dir;
}

char *fixture_file(const char *name, const char *text)
{
    struct error err = {0};
    char *path = path_join(fixture_dir(), name);

    check_ok(file_write(path, text, strlen(text), &err), &err);
    return path;
}

char *fixture_build(struct kernel *kernel, const char *source,
                    const struct toolchain *toolchain, enum variant_program what)
{
    struct error err = {0};
    struct plan *plan = NULL;
    char *path = NULL;

    if (source) {
        check_ok(variant_build_file(kernel, source, toolchain, what, fixture_dir(), &path,
                                    &err),
                 &err);
        return path;
    }
    if (check_ok(plan_parse("", &plan, &err), &err))
        check_ok(variant_build(kernel, plan, toolchain, what, fixture_dir(), &path, &err),
                 &err);
    plan_free(plan);
    return path;
}
