/* Which objects a program is made of. What does not depend on the plan is built once per
 * folder. */
#include "variants/build/build.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "core/files/hash.h"
#include "core/traffic/traffic.h"
#include "variants/build/compile.h"
#include "variants/build/harness.h"
#include "variants/kernel/kernel_parts.h"
#include "variants/plan/plan.h"

/* What a program is made of. */
struct building {
    struct kernel *kernel;
    const struct toolchain *toolchain;
    const char *dir;
    const char *beside;   /* a file whose neighbours the variant may include; or NULL */
    const char *sanitize; /* flags */
    bool own_threads;     /* OpenMP by program_threads.c instead of the compiler's */
    bool in_library;      /* the kernel becomes a shared object of its own */
    bool is_parallel;     /* the kernel's file needs OpenMP */
    bool is_shared;       /* `dir` is that of all runs */
    char *templates;      /* the folder */
    struct strvec objects;
};

static bool needs_openmp(const struct kernel *kernel, const char *source);

/* ---- parts ---- */

/* The parts of programs: the kernel in each of its shapes, the harness, the tracer. */

/*
 * Scalar code with a callback for every load and store, and no calls that stand for
 * loops. gcc's thread sanitizer reports any width. clang's leaves out what is wider than
 * 16 bytes, as its coverage callbacks do; its address sanitizer reports everything once
 * it is told to call for every access and to leave none out as safe. -g1: lines, so that
 * an access can be told where it is written.
 */
static const char trace_flags_clang[] =
    "-O2 -g1 -U_FORTIFY_SOURCE -fno-vectorize -fno-slp-vectorize -fno-builtin-memset "
    "-fno-builtin-memcpy -fno-builtin-memmove -fsanitize=address "
    "-fno-sanitize-address-use-after-scope -mllvm "
    "-asan-instrumentation-with-call-threshold=0 -mllvm -asan-stack=0 -mllvm "
    "-asan-globals=0 -mllvm -asan-opt=0 -mllvm -asan-instrument-dynamic-allocas=0";
static const char trace_flags_gcc[] =
    "-O2 -g1 -U_FORTIFY_SOURCE -fno-tree-vectorize -fno-tree-slp-vectorize "
    "-fno-tree-loop-distribute-patterns "
    "-fsanitize=thread";

static int add_object_of(struct building *building, bool cplusplus, const char *stem,
                         const char *text, const char *what, const struct strvec *flags,
                         struct error *err)
{
    char *object;

    if (compile_object(&(struct compile_request){.toolchain = building->toolchain,
                                                 .dir = building->dir,
                                                 .stem = stem,
                                                 .text = text,
                                                 .what = what,
                                                 .flags = flags,
                                                 .lasting = building->is_shared,
                                                 .is_cplusplus = cplusplus},
                       &object, err))
        return -1;
    strvec_push(&building->objects, object);
    free(object);
    return 0;
}

static int add_object(struct building *building, const char *stem, const char *text,
                      const char *what, const struct strvec *flags, struct error *err)
{
    return add_object_of(building, false, stem, text, what, flags, err);
}

static bool is_cplusplus(const struct building *building)
{
    return building->kernel->function->is_cplusplus;
}

/* The program or library of all objects. Caller frees *path. */
static int build_link(const struct building *building, const char *stem,
                      const char *more_flags, char **path, struct error *err)
{
    struct strvec flags = {0};
    int result;

    strvec_push_all(&flags, &building->toolchain->flags);
    strvec_split(&flags, building->sanitize);
    if (building->is_parallel && !building->own_threads)
        strvec_push(&flags, "-fopenmp");
    strvec_split(&flags, more_flags);
    strvec_push(&flags, "-Wl,--gc-sections");
    result = link_program(&(struct link_request){.toolchain = building->toolchain,
                                                 .dir = building->dir,
                                                 .stem = stem,
                                                 .objects = &building->objects,
                                                 .flags = &flags,
                                                 .is_cplusplus = is_cplusplus(building)},
                          path, err);
    strvec_release(&flags);
    return result;
}

/* ---- the kernel ---- */

static void add_neighbours(const char *file, struct strvec *flags)
{
    const char *base = path_base(file);

    strvec_push(flags, "-iquote");
    if (base == file)
        strvec_push(flags, ".");
    else
        strvec_pushf(flags, "%.*s", (int)(base - file), file);
}

/* -march=native and the like: intrinsics need them, and a file that asks what there is
 * (#ifdef __AVX2__) must get the answer that the timed program gets. */
static void add_instruction_set(const struct strvec *from, struct strvec *flags)
{
    for (size_t i = 0; i < from->nr; i++)
        if (strncmp(from->v[i], "-m", 2) == 0 && strcmp(from->v[i], "-mllvm"))
            strvec_push(flags, from->v[i]);
}

/* Without the second (gcc 8 and later) code of a loop's body counts to the line before
 * it. */
static const char lines_gcc[] = "-g1 -gstatement-frontiers";

static void kernel_flags(const struct building *building, enum harness_role role,
                         struct strvec *flags)
{
    /* lines of what is stepped through, which has no other form than the program */
    if (role == HARNESS_VARIANT && !building->in_library && !*building->sanitize)
        strvec_split(flags, building->toolchain->is_clang ? "-g1" : lines_gcc);
    strvec_push_all(flags, &building->kernel->cflags);
    if (role == HARNESS_TRACED) {
        add_instruction_set(&building->toolchain->flags, flags);
        strvec_split(flags,
                     building->toolchain->is_clang ? trace_flags_clang : trace_flags_gcc);
    } else {
        strvec_push_all(flags, &building->toolchain->flags);
        strvec_push(flags, building->is_parallel ? "-fopenmp" : "-fopenmp-simd");
        strvec_split(flags, building->sanitize);
    }
    /* What the kernel does not reach is left out, and with it what that calls: the file's
     * main and all that stands in other files. */
    strvec_split(flags, "-ffunction-sections -fdata-sections");
    if (building->in_library)
        strvec_split(flags, "-fPIC -fvisibility=hidden");
    if (is_cplusplus(building))
        cxx_add_flags(flags);
    if (building->beside)
        add_neighbours(building->beside, flags);
    add_neighbours(building->kernel->function->path, flags);
    strvec_push(flags, "-w");
}

static const char *const stems[] = {[HARNESS_REFERENCE] = "reference",
                                    [HARNESS_VARIANT] = "variant",
                                    [HARNESS_TRACED] = "traced"};

/* The kernel of a text that stands in the file `path`. */
static int build_kernel(struct building *building, const char *source, const char *path,
                        enum harness_role role, struct error *err)
{
    struct strvec flags = {0};
    struct buf text = {0};
    int result;

    building->is_parallel = needs_openmp(building->kernel, source);
    kernel_flags(building, role, &flags);
    harness_unit(building->kernel, source, path, role, &text);
    result = add_object_of(building, is_cplusplus(building), stems[role], buf_str(&text),
                           "the kernel", &flags, err);
    strvec_release(&flags);
    buf_release(&text);
    return result;
}

/* A library of its own: what the user's file defines beside the kernel is there twice,
 * and each kernel must get its own. */
static int library_of(const struct building *alone, const char *stem,
                      struct strvec *objects, struct error *err)
{
    /* Sanitizers leave what they need to the program. */
    const char *flags = *alone->sanitize ? "-shared -Wl,-Bsymbolic"
                                         : "-shared -Wl,-Bsymbolic -Wl,-z,defs";
    char *library = NULL;
    int result = build_link(alone, stem, flags, &library, err);

    if (result == 0)
        strvec_push(objects, library);
    free(library);
    return result;
}

/* The same building with no objects, whose libraries a program finds by their names. */
static struct building building_alone(const struct building *building, char *dir)
{
    struct building alone = *building;

    alone.objects = (struct strvec){0};
    alone.dir = dir;
    alone.in_library = true;
    return alone;
}

/* The same as a library of its own: what the user's file defines beside the kernel is
 * there as often as there are variants, and each must get its own. */
static int build_library(struct building *building, const char *source, const char *path,
                         enum harness_role role, struct error *err)
{
    char *dir = path_absolute(building->dir);
    struct building alone = building_alone(building, dir);
    int result;

    if (role == HARNESS_REFERENCE)
        alone.beside = NULL;
    result = build_kernel(&alone, source, path, role, err);
    if (result == 0)
        result = library_of(&alone, stems[role], &building->objects, err);
    strvec_release(&alone.objects);
    free(dir);
    return result;
}

static int build_reference(struct building *building, struct error *err)
{
    const struct ir_function *function = building->kernel->function;

    return build_library(building, function->source, function->path, HARNESS_REFERENCE,
                         err);
}

/* ---- the harness ---- */

/* What no kernel has a part in is kept for later runs. */
static int add_shared(struct building *building, const char *stem, const char *text,
                      const char *what, const struct strvec *flags, struct error *err)
{
    struct building shared = *building;
    char *dir = compile_shared_dir(building->dir);

    shared.dir = dir;
    shared.is_shared = true;
    int result = add_object(&shared, stem, text, what, flags, err);
    building->objects = shared.objects;
    free(dir);
    return result;
}

/* Another version of the templates gives another text. */
static void harness_text(const struct building *building, const char *file,
                         struct buf *text)
{
    char *hex = hash_folder(building->templates, "ch");

    buf_addf(text, "/* %s */\n#include \"%s\"\n", hex, file);
    free(hex);
}

static void harness_flags(const struct building *building, const char *root,
                          struct strvec *flags)
{
    strvec_split(flags, "-O2 -w");
    strvec_split(flags, building->sanitize);
    strvec_push(flags, "-I");
    strvec_push(flags, building->templates);
    if (root) {
        strvec_push(flags, "-I");
        strvec_push(flags, root);
    }
}

static int add_table(struct building *building, struct error *err)
{
    struct strvec flags = {0};
    struct buf text = {0};
    int result;

    harness_flags(building, NULL, &flags);
    harness_table(building->kernel, &text);
    result = add_object(building, "table", buf_str(&text), "the table of parameters",
                        &flags, err);
    buf_release(&text);
    strvec_release(&flags);
    return result;
}

/* `headers`: what tells versions of the headers below `root` apart. */
static int build_harness(struct building *building, const char *file, const char *root,
                         const char *headers, struct error *err)
{
    struct strvec flags = {0};
    struct buf text = {0};
    int result = -1;

    harness_flags(building, root, &flags);
    buf_add(&text, headers);
    harness_text(building, file, &text);
    if (add_shared(building, "harness", buf_str(&text), "the harness", &flags, err) == 0)
        result = add_table(building, err);
    buf_release(&text);
    strvec_release(&flags);
    return result;
}

static int build_threads(struct building *building, struct error *err)
{
    struct strvec flags = {0};
    struct buf text = {0};
    int result;

    harness_flags(building, NULL, &flags);
    harness_text(building, "program_threads.c", &text);
    result = add_shared(building, "threads", buf_str(&text), "the threads", &flags, err);
    buf_release(&text);
    strvec_release(&flags);
    return result;
}

/* ---- the tracer ---- */

/* The folder that the tracer's own #include lines start from; NULL if the path is none of
 * ours. Caller frees. */
static char *tracer_root(const char *path)
{
    const char *at = strstr(path, "/core/traffic/"), *last = at;

    while (at && (at = strstr(at + 1, "/core/traffic/")))
        last = at;
    return last ? xstrndup(path, (size_t)(last - path)) : NULL;
}

/* program_trace.c includes some of them too. */
static char *tracer_headers(const char *root)
{
    char *dir = path_join(root ? root : ".", "core/traffic/tracer"),
         *note = compile_headers_note(dir);

    free(dir);
    return note;
}

static int add_tracer_file(struct building *building, const char *path, const char *root,
                           const char *headers, struct error *err)
{
    struct strvec flags = {0};
    struct buf text = {0};
    int result = -1;

    harness_flags(building, root, &flags);
    if (file_read(path, &text, err) == 0) {
        buf_add(&text, headers);
        result =
            add_shared(building, "tracer", buf_str(&text), "the tracer", &flags, err);
    }
    strvec_release(&flags);
    buf_release(&text);
    return result;
}

static int build_trace(struct building *building, const char *file, struct error *err)
{
    struct strvec paths = {0};
    char *root = NULL, *headers = NULL;
    int result = -1;

    if (traffic_tracer_sources(&paths, err))
        goto out;
    root = paths.nr ? tracer_root(paths.v[0]) : NULL;
    headers = tracer_headers(root);
    result = build_harness(building, file, root, headers, err);
    for (size_t i = 0; result == 0 && i < paths.nr; i++)
        result = add_tracer_file(building, paths.v[i], root, headers, err);
out:
    strvec_release(&paths);
    free(root);
    free(headers);
    return result;
}

/* ---- openmp ---- */

/* Does a kernel's file need OpenMP? */

static const char *skip_word(const char *at, const char *word)
{
    size_t length = strlen(word);

    at += strspn(at, " \t");
    return strncmp(at, word, length) == 0 ? at + length : NULL;
}

static bool is_parallel_line(const char *line)
{
    static const char *const words[] = {"#", "pragma", "omp", "parallel"};

    for (size_t i = 0; line && i < ARRAY_SIZE(words); i++)
        line = skip_word(line, words[i]);
    return line && !isalnum((unsigned char)*line) && *line != '_';
}

static size_t parallel_lines(const char *source)
{
    size_t nr = 0;

    while (source) {
        nr += is_parallel_line(source);
        source = strchr(source, '\n');
        source += source != NULL;
    }
    return nr;
}

/* build_openmp.c: is `source` to be compiled with -fopenmp? So it is when the user's
 * flags say so, and when it has more parallel regions than the user's file: without the
 * flag that file's own are no threads, and remain none. */
static bool needs_openmp(const struct kernel *kernel, const char *source)
{
    for (size_t i = 0; i < kernel->cflags.nr; i++)
        if (strncmp(kernel->cflags.v[i], "-fopenmp", 8) == 0 &&
            strcmp(kernel->cflags.v[i], "-fopenmp-simd") != 0)
            return true;
    return parallel_lines(source) > parallel_lines(kernel->function->source);
}

/* ---- build ---- */

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

/* Without a plan the user's own text, whose lines are those that he sees: what is emitted
 * leaves out pragmas, and the comments above them. */
static int written(struct kernel *kernel, const struct plan *plan, struct buf *source,
                   struct error *err)
{
    if (plan->step_nr)
        return kernel_emit_marked(kernel, plan, source, err);
    buf_add(source, kernel->function->source);
    return 0;
}

int variant_build(struct kernel *kernel, const struct plan *plan,
                  const struct toolchain *toolchain, enum variant_program what,
                  const char *dir, char **path, struct error *err)
{
    struct building building = {.kernel = kernel, .toolchain = toolchain, .dir = dir};
    struct buf source = {0};
    int result = -1;

    *path = NULL;
    if (written(kernel, plan, &source, err) == 0)
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
                      : written(kernel, side->plan, &text, err)) == 0)
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
