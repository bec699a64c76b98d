/* Arrays of structs, and structs: what is supplied, how it is compared. */
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/files/fs.h"
#include "tests/check.h"
#include "tests/variants/harness_kernels.h"
#include "variants/kernel/kernel.h"
#include "variants/kernel/kernel_view.h"
#include "variants/verify/verify.h"

SUITE(variants_records);

static const char *text_of(const char *text)
{
    return text ? text : "";
}

static const struct kernel_array *array_named(const struct kernel_view *view,
                                              const char *name)
{
    for (size_t i = 0; i < view->array_nr; i++)
        if (strcmp(view->array[i].name, name) == 0)
            return &view->array[i];
    return NULL;
}

/* ---- arrays of structs ---- */

TEST("fields of records are arrays of one memory")
{
    static const struct {
        const char *name, *type, *contents;
        double bytes;
        bool written;
    } wanted[] = {
        {"p.pos.x", "double", "uniform(-1, 1)", 8 * 300, true},
        {"p.vel.x", "double", "uniform(0.5,1.5)", 8 * 300, false},
        {"p.cell", "int", "index(m)", 4 * 300, false},
        {"p.alive", "_Bool", "uniform(0,1)", 300, true},
        {"p.mass", "float", "uniform(0.5,1.5)", 4 * 300, false},
        {"p.tag", "short", "uniform(0,9)", 2 * 3 * 300, true},
    };
    struct kernel *kernel = fixture_bound("particles", NULL);
    struct kernel_view view;

    if (!kernel)
        return;
    view = kernel_view(kernel);
    for (size_t i = 0; i < ARRAY_SIZE(wanted); i++) {
        const struct kernel_array *array = array_named(&view, wanted[i].name);

        if (!check(array != NULL))
            continue;
        check_str(array->contents, wanted[i].contents);
        check_near(array->bytes, wanted[i].bytes, 0);
        check_eq(array->written, wanted[i].written);
        check_eq(array->record_bytes, 72);
    }
    check_near(kernel_counts(kernel).footprint_bytes, 300 * 72 + 17 * 8, 0);
    kernel_free(kernel);
}

static void verify(const char *name, const char *source, struct verify_report *report)
{
    const struct toolchain *toolchain;
    struct kernel *kernel = fixture_bound(name, NULL);
    struct verify_opts opts = {.scratch = fixture_dir()};
    char *path = source ? fixture_file("records_variant.c", source) : NULL, *program;
    struct error err = {0};

    *report = (struct verify_report){.outcome = RUN_OUTCOME_NOT_BUILT};
    if (!kernel || fixture_toolchains(&toolchain) == 0)
        return;
    program = fixture_build(kernel, path, toolchain, VARIANT_VERIFY);
    if (program)
        check_ok(variant_verify(kernel, program, &opts, report, &err), &err);
    free(program);
    free(path);
    kernel_free(kernel);
}

/* The fixture's text with `from` replaced. Caller frees. */
static char *changed(const char *name, const char *from, const char *to)
{
    char *file = xasprintf("%s.c", name), *path = fixture_data(file);
    struct buf text = {0}, out = {0};
    struct error err = {0};

    check_ok(file_read(path, &text, &err), &err);
    const char *at = strstr(buf_str(&text), from);

    if (check(at != NULL))
        buf_addf(&out, "%.*s%s%s", (int)(at - buf_str(&text)), buf_str(&text), to,
                 at + strlen(from));
    buf_release(&text);
    free(path);
    free(file);
    return buf_detach(&out);
}

static const struct {
    const char *file, *from, *to, *detail;
} changes[] = {
    {"particles", "p[i].tag[2] + i % m", "p[i].tag[2] + i % (m + 1)",
     "p.tag[52] is 25 instead of 8 at n=31"},
    {"particles", "p[i].alive = p[i].pos.x > 0", "p[i].alive = p[i].pos.x >= -9",
     "p.alive["},
    {"grids", "g->sum += x", "g->sum += x * (1 + (i == 7))", "g->sum is "},
    {"grids", "counter += g->nx", "counter += 1",
     "counter is 1 instead of 37 at g->ny=3 g->nx=37"},
    {"grids", "(unsigned char)j;", "(unsigned char)(j + 1);",
     "g->mark[16] is 33 instead of 32 at "},
    {"grids", "x = limits.most - ", "x = limits.most + ", "g->v["},
    {"grids", "(float)g->sum", "(float)(g->sum * (1 + 1e-5))", NULL},
    {"grids", "(float)g->sum", "(float)(g->sum * (1 + 1e-3))", "it returns "},
    {"particles", "energy += p[i].mass", "p[i].vel.y = 1; energy += p[i].mass",
     "p.vel.y[0] is 1 instead of"},
    {"particles", "p[i].pos.y += dt", "p[i].pos.y -= dt", "p.pos.y[0] is "},
    {"particles", "double energy = 0;", "double energy = 0; p[n].mass = 0;", "at n="},
    {"particles", "double energy = 0;", "double energy = 1;", "it returns "},
    {"particles", "p[i].alive = p[i].pos.x > 0",
     "((char *)&p[i])[1] = (char)i, p[i].alive = p[i].pos.x > 0", NULL},
};

TEST("fields are compared one by one")
{
    for (size_t i = 0; i < ARRAY_SIZE(changes); i++) {
        char *source = changed(changes[i].file, changes[i].from, changes[i].to);
        struct verify_report report;

        verify(changes[i].file, source, &report);
        if (changes[i].detail)
            check_contains(text_of(report.detail), changes[i].detail);
        else
            check_eq(report.outcome, RUN_OUTCOME_OK); /* padding is nobody's */
        verify_report_release(&report);
        free(source);
    }
}

TEST("kernels equal themselves")
{
    static const char *const files[] = {"particles", "global_pointer", "grids"};

    for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
        struct verify_report report;

        verify(files[i], NULL, &report);
        check_eq(report.outcome, RUN_OUTCOME_OK);
        check_str(text_of(report.detail), "");
        verify_report_release(&report);
    }
}
