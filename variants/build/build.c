/* Which objects a program is made of. What does not depend on the plan is built once per
 * folder. */
#include "variants/build/build.h"

#include <stdlib.h>
#include <string.h>

#include "variants/build/compile.h"

/* name of the program, its file, the object of the kernel */
static const struct {
    const char *stem, *file;
} programs[] = {
    [VARIANT_TIME] = {"time", "program_time.c"},
    [VARIANT_TRACE] = {"trace", "program_trace.c"},
    [VARIANT_VERIFY] = {"verify", "program_verify.c"},
    [VARIANT_ADDRESS] = {"address", "program_verify.c"},
    [VARIANT_THREADS] = {"threads", "program_verify.c"},
};

/* ---- programs ---- */

static bool has_reference(enum variant_program what)
{
    return what == VARIANT_VERIFY || what == VARIANT_ADDRESS || what == VARIANT_THREADS;
}

static int make_library(struct building *building, const char *source, const char *name,
                        char **path, struct error *err)
{
    int result = dir_make_all(building->dir, err) == 0
                     ? build_library(building, source, name, HARNESS_VARIANT, err)
                     : -1;

    *path = result ? NULL : xstrdup(building->objects.v[0]);
    strvec_release(&building->objects);
    return result;
}

/* What compares results is made of the library that is timed in an arena. */
static int make_verifier(struct building *building, const char *source, const char *name,
                         char **path, struct error *err)
{
    char *library;
    int result = -1;

    if (make_library(building, source, name, &library, err) == 0)
        result = variant_build_verifier(building->kernel, library, building->toolchain,
                                        building->dir, path, err);
    free(library);
    return result;
}

static int make_program(struct building *building, const char *source, const char *name,
                        enum variant_program what, char **path, struct error *err)
{
    enum harness_role role = what == VARIANT_TRACE ? HARNESS_TRACED : HARNESS_VARIANT;
    int result = -1;

    *path = NULL;
    building->sanitize = sanitizer_flags(what);
    if (what == VARIANT_VERIFY)
        return make_verifier(building, source, name, path, err);
    building->own_threads = what == VARIANT_THREADS;
    if (dir_make_all(building->dir, err) ||
        shipped_path("templates/harness", &building->templates, err))
        return -1;
    /* The kernel first: it is what may be refused. Libraries last, as linkers want it. */
    if (build_kernel(building, source, name, role, err) == 0 &&
        (what == VARIANT_TRACE
             ? build_trace(building, programs[what].file, err)
             : build_harness(building, programs[what].file, NULL, "", err)) == 0 &&
        (what != VARIANT_THREADS || build_threads(building, err) == 0) &&
        (!has_reference(what) || build_reference(building, err) == 0))
        result = build_link(building, programs[what].stem, "", path, err);
    strvec_release(&building->objects);
    free(building->templates);
    return result;
}

int variant_build(struct kernel *kernel, const struct plan *plan,
                  const struct toolchain *toolchain, enum variant_program what,
                  const char *dir, char **path, struct error *err)
{
    struct building building = {.kernel = kernel, .toolchain = toolchain, .dir = dir};
    struct buf source = {0};
    int result = -1;

    *path = NULL;
    if (kernel_emit(kernel, plan, NULL, &source, err) == 0)
        result = make_program(&building, buf_str(&source), kernel->function->path, what,
                              path, err);
    buf_release(&source);
    return result;
}

int variant_build_file(struct kernel *kernel, const char *source,
                       const struct toolchain *toolchain, enum variant_program what,
                       const char *dir, char **path, struct error *err)
{
    struct building building = {
        .kernel = kernel, .toolchain = toolchain, .dir = dir, .beside = source};
    struct buf text = {0};
    int result = -1;

    *path = NULL;
    if (file_read(source, &text, err) == 0)
        result = make_program(&building, buf_str(&text), source, what, path, err);
    buf_release(&text);
    return result;
}

/* ---- what is made of a library ---- */

int variant_build_verifier(struct kernel *kernel, const char *library,
                           const struct toolchain *toolchain, const char *dir,
                           char **path, struct error *err)
{
    struct building building = {
        .kernel = kernel, .toolchain = toolchain, .dir = dir, .sanitize = ""};
    int result = -1;

    *path = NULL;
    if (shipped_path("templates/harness", &building.templates, err) == 0 &&
        build_harness(&building, programs[VARIANT_VERIFY].file, NULL, "", err) == 0) {
        strvec_push(&building.objects, library);
        if (build_reference(&building, err) == 0)
            result = build_link(&building, programs[VARIANT_VERIFY].stem, "", path, err);
    }
    strvec_release(&building.objects);
    free(building.templates);
    return result;
}

int variant_build_library(struct kernel *kernel, const struct variant_side *side,
                          const struct toolchain *toolchain, const char *dir, char **path,
                          struct error *err)
{
    struct building building = {
        .kernel = kernel, .toolchain = toolchain, .dir = dir, .sanitize = ""};
    const char *name = side->source ? side->source : kernel->function->path;
    struct buf text = {0};
    int result = -1;

    *path = NULL;
    building.beside = side->source;
    if ((side->source ? file_read(side->source, &text, err)
                      : kernel_emit(kernel, side->plan, NULL, &text, err)) == 0)
        result = make_library(&building, buf_str(&text), name, path, err);
    buf_release(&text);
    return result;
}

int variant_build_arena(struct kernel *kernel, const struct toolchain *toolchain,
                        const char *dir, char **path, struct error *err)
{
    struct building building = {
        .kernel = kernel, .toolchain = toolchain, .dir = dir, .sanitize = ""};
    int result = -1;

    *path = NULL;
    if (dir_make_all(dir, err) == 0 &&
        shipped_path("templates/harness", &building.templates, err) == 0 &&
        build_harness(&building, "program_arena.c", NULL, "", err) == 0)
        result = build_link(&building, "arena", "-ldl", path, err);
    strvec_release(&building.objects);
    free(building.templates);
    return result;
}
