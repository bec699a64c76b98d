/* Stretches of calls of built kernels: what was executed, on which lines, and which
 * addresses it touched. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "core/base.h"
#include "core/run/run.h"
#include "core/run/run_stretch.h"
#include "tests/check.h"
#include "tests/variants/harness_kernels.h"
#include "variants/kernel/kernel.h"

SUITE(variants_stretch);

/* False when there is nothing to check, after a reported failure or skip. */
static bool stretch(const char *path, const char *word, const struct toolchain *toolchain,
                    struct stretch_request request, struct stretches *got)
{
    struct kernel_request asked = {.path = path};
    struct kernel *kernel = NULL;
    struct run_opts opts = {.launch_limit_s = PATIENCE_S};
    struct strvec args = {0};
    struct error err = {0};
    char *program = NULL;
    int result = -1;

    request.limit_s = PATIENCE_S;
    if (word)
        strvec_push(&asked.words, word);
    if (check_ok(kernel_open(&asked, &kernel, &err), &err) &&
        check_ok(kernel_bind(kernel, &err), &err))
        program = fixture_build(kernel, path, toolchain, VARIANT_TIME);
    if (program) {
        variant_args(kernel, &args);
        result = run_stretches(&(struct run_program){.path = program, .args = &args},
                               &opts, &request, got, &err);
        if (result && strstr(err.text, "not allowed"))
            check_skip(err.text);
        else
            check_ok(result, &err);
    }
    check(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD);
    strvec_release(&asked.words);
    strvec_release(&args);
    kernel_free(kernel);
    free(program);
    return result == 0;
}

static const struct stretch_array *array_named(const struct stretches *got,
                                               const char *name)
{
    for (size_t i = 0; i < got->array_nr; i++)
        if (strcmp(got->array[i].name, name) == 0)
            return &got->array[i];
    return NULL;
}

static bool is_in_array(const struct stretches *got, uint64_t address)
{
    for (size_t i = 0; i < got->array_nr; i++)
        if (address >= got->array[i].from &&
            address < got->array[i].from + got->array[i].bytes)
            return true;
    return false;
}

/* How often each byte of an array was touched by the code on a line: by as many as all
 * of them is said, else -1. */
static int touched(const struct stretches *got, const struct stretch_array *array,
                   int line)
{
    uint8_t *times = xcalloc(array->bytes, 1);
    int result;

    for (size_t i = 0; i < got->step_nr; i++) {
        const struct stretch_step *step = &got->step[i];
        const struct stretch_place *place = &got->place[step->place];

        if (place->line != line || step->address_nr != 1)
            continue;
        uint64_t at = got->address[step->address];

        check(place->in_kernel);
        if (check(is_in_array(got, at)) && at >= array->from &&
            at + place->work.memory.bytes <= array->from + array->bytes)
            for (unsigned k = 0; k < place->work.memory.bytes; k++)
                times[at - array->from + k]++;
    }
    result = times[0];
    for (size_t k = 0; k < array->bytes; k++)
        result = times[k] == times[0] ? result : -1;
    free(times);
    return result;
}

static const char triad[] = "#pragma inflight kernel\n"
                            "#pragma inflight set n = 4096\n"
                            "#pragma inflight buffer a = zero\n"
                            "#pragma inflight buffer b = uniform(-1, 1)\n"
                            "void triad(long n, double a[n], const double b[n])\n"
                            "{\n"
                            "    for (long i = 0; i < n; i++)\n"
                            "        a[i] = 3 * b[i];\n"
                            "}\n";

static size_t taken_of(const struct stretches *got)
{
    size_t nr = 0;

    for (size_t i = 0; i < got->step_nr; i++) {
        check(!got->step[i].taken ||
              got->place[got->step[i].place].work.class == WORK_BRANCH);
        nr += got->step[i].taken;
    }
    return nr;
}

TEST("a whole call: lines, arrays, strides")
{
    char *path = fixture_file("triad_stretch.c", triad);
    const struct toolchain *toolchain;
    size_t nr = fixture_toolchains(&toolchain);

    for (size_t t = 0; t < nr; t++) {
        struct stretches got;

        if (!stretch(path, NULL, &toolchain[t],
                     (struct stretch_request){.instructions = 100000}, &got))
            break;
        check(got.whole);
        check_eq(got.begin_nr, 1);
        check_eq(got.array_nr, 2);
        check(array_named(&got, "b") && array_named(&got, "b")->bytes == 4096 * 8);
        if (array_named(&got, "a") && array_named(&got, "b")) {
            check_eq(touched(&got, array_named(&got, "a"), 8), 1);
            check_eq(touched(&got, array_named(&got, "b"), 8), 1);
        }
        check(taken_of(&got) >= 4096 / 64);
        check(got.place[got.step[0].place].line >= 5);
        check(got.place[got.step[0].place].file &&
              strstr(got.place[got.step[0].place].file, "triad_stretch.c"));
        stretches_release(&got);
    }
    free(path);
}

TEST("as many instructions as asked for")
{
    char *path = fixture_file("triad_stretch.c", triad);
    const struct toolchain *toolchain;
    struct stretches got;

    fixture_toolchains(&toolchain);
    if (stretch(path, NULL, toolchain, (struct stretch_request){.instructions = 300},
                &got)) {
        check(!got.whole);
        check(got.step_nr <= 300 && got.step_nr > 100);
        stretches_release(&got);
    }
    free(path);
}

/* A chain of multiply-adds: 4e7 of them take more than 20 ms on any core. */
static const char slow[] = "#pragma inflight kernel\n"
                           "#pragma inflight set n = 40000000\n"
                           "#pragma inflight buffer sum = zero\n"
                           "void slow(long n, double sum[1])\n"
                           "{\n"
                           "    double s = 1;\n"
                           "    for (long i = 0; i < n; i++)\n"
                           "        s = s * 0.5 + 1;\n"
                           "    sum[0] = s;\n"
                           "}\n";

TEST("stretches are spread over the call")
{
    char *path = fixture_file("slow.c", slow);
    const struct toolchain *toolchain;
    struct stretches got;

    fixture_toolchains(&toolchain);
    if (stretch(path, NULL, toolchain,
                (struct stretch_request){.call_s = 0.02, .nr = 4, .instructions = 200},
                &got)) {
        check_eq(got.begin_nr, 4);
        check(!got.whole);
        check_eq(got.step_nr, 800);
        for (size_t k = 0; k < got.begin_nr; k++)
            check_eq(got.begin[k], 200 * k);
        int line = got.place[got.step[400].place].line;

        check(line == 7 || line == 8); /* the loop */
        stretches_release(&got);
    }
    free(path);
}

TEST("a call that ends before the first stop is followed from its beginning")
{
    char *path = fixture_file("triad_stretch.c", triad);
    const struct toolchain *toolchain;
    struct stretches got;

    fixture_toolchains(&toolchain);
    if (stretch(path, NULL, toolchain,
                (struct stretch_request){.call_s = 5, .nr = 2, .instructions = 100000},
                &got)) {
        check_eq(got.begin_nr, 1);
        check(got.whole && got.step_nr > 500);
        stretches_release(&got);
    }
    free(path);
}

#define GATHERS(code)                                                                    \
    "#pragma inflight kernel\n"                                                          \
    "#pragma inflight set n = 64\n"                                                      \
    "#pragma inflight buffer a = uniform(-1, 1)\n"                                       \
    "#pragma inflight buffer s = zero\n"                                                 \
    "void gathers(long n, const double a[n], double s[n])\n"                             \
    "{\n"                                                                                \
    "    int index[8] = {9, 5, 3, 1, 2, 4, 6, 8};\n"                                     \
    "    long lanes[4] = {-1, 0, -1, -1};\n"                                             \
    "    for (long i = 0; i + 10 < n; i++)\n"                                            \
    "        __asm__ volatile(" code " : : \"r\"(a + i), \"m\"(index), \"m\"(lanes), "   \
    "\"r\"(0xa5) : \"xmm1\", \"xmm2\", \"xmm3\", \"memory\");\n"                         \
    "    s[0] = a[0];\n"                                                                 \
    "}\n"

static void check_lanes(const char *text, const long *element, size_t lanes)
{
    char *path = fixture_file("gathers.c", text);
    const struct toolchain *toolchain;
    struct stretches got;
    long gathers = 0;

    fixture_toolchains(&toolchain);
    if (stretch(path, NULL, toolchain, (struct stretch_request){.instructions = 100000},
                &got)) {
        const struct stretch_array *a = array_named(&got, "a");

        for (size_t i = 0; a && i < got.step_nr; i++) {
            const struct stretch_step *step = &got.step[i];

            if (got.place[step->place].work.memory.lanes == 1)
                continue;
            check_eq(step->address_nr, lanes);
            for (size_t k = 0; k < lanes && k < step->address_nr; k++)
                check_eq(got.address[step->address + k] - a->from,
                         8 * (element[k] + gathers));
            gathers++;
        }
        check_eq(gathers, 54);
        stretches_release(&got);
    }
    free(path);
}

TEST("gathers: the lanes that are on (AVX2)")
{
#if defined(__x86_64__)
    static const long element[] = {9, 3, 1};

    if (__builtin_cpu_supports("avx2"))
        check_lanes(GATHERS("\"vmovdqu %1, %%xmm1\\n vmovdqu %2, %%ymm2\\n "
                            "vgatherdpd %%ymm2, (%0,%%xmm1,8), %%ymm3\""),
                    element, 3);
    else
        check_skip("this processor has no AVX2");
#else
    check_skip("gathers of x86 only");
#endif
}

TEST("gathers: the lanes that are on (AVX-512)")
{
#if defined(__x86_64__)
    static const long element[] = {9, 3, 4, 8};

    if (__builtin_cpu_supports("avx512f"))
        check_lanes(GATHERS("\"vmovdqu %1, %%ymm1\\n kmovw %3, %%k1\\n "
                            "vgatherdpd (%0,%%ymm1,8), %%zmm3%{%%k1%}\""),
                    element, 4);
    else
        check_skip("this processor has no AVX-512");
#else
    check_skip("gathers of x86 only");
#endif
}

TEST("what is no program is refused")
{
    struct strvec none = {0};
    struct run_program program = {.path = "/nonexistent/program", .args = &none};
    struct stretch_request request = {.instructions = 100, .limit_s = PATIENCE_S};
    struct run_opts opts = {0};
    struct stretches got;
    struct error err = {0};

    check(run_stretches(&program, &opts, &request, &got, &err) == -1);
    check_contains(err.text, "/nonexistent/program");
    err = (struct error){0};
    program.path = "true"; /* ends at once */
    check_fails(run_stretches(&program, &opts, &request, &got, &err), &err, STATUS_FAILED,
                "before it could be followed");
    check_eq(got.step_nr, 0);
}
