#include <stdlib.h>
#include <string.h>

#include "core/files/fs.h"
#include "tests/check.h"
#include "tests/whole/tree_rules.h"

SUITE(edges);

TEST("the tree keeps its rules")
{
    struct strvec breaches = {0};

    check(tree_check(INFLIGHT_SOURCE_DIR, &breaches) > 30);
    for (size_t i = 0; i < breaches.nr; i++)
        check_str(breaches.v[i], ""); /* prints it */
    strvec_release(&breaches);
}

struct file {
    const char *path, *text;
};

static void put(const char *root, const struct file *file)
{
    char *path = path_join(root, file->path), *dir = xstrdup(path);
    struct error err = {0};

    *strrchr(dir, '/') = '\0';
    check_ok(dir_make_all(dir, &err), &err);
    check_ok(file_write(path, file->text, strlen(file->text), &err), &err);
    free(path);
    free(dir);
}

/* Exactly one breach, and this one; none if want is NULL. */
static void check_breach(const struct file *files, size_t nr, const char *want)
{
    struct strvec breaches = {0};
    struct error err = {0};
    char *root;

    if (!check_ok(scratch_make(&root, &err), &err))
        return;
    for (size_t i = 0; i < nr; i++)
        put(root, &files[i]);
    check_eq(tree_check(root, &breaches), nr);
    for (size_t i = 0; i < (breaches.nr > 0 ? breaches.nr : 1); i++)
        check_str(breaches.nr ? breaches.v[i] : NULL, i == 0 ? want : NULL);
    strvec_release(&breaches);
    scratch_remove(root);
}

TEST("a good tree passes")
{
    static const struct file files[] = {
        {"core/files/json.h", "#include <jansson.h>\n"},
        {"core/base/buf.h", ""},
        {"core/machine/machine.h", "#include \"core/base/buf.h\"\n"},
        {"core/machine/topology/topology.h", ""},
        {"core/machine/topology/topology.c",
         "/* x */\n#include \"core/machine/topology/topology.h\"\n#include <hwloc.h>\n"
         "#include <hwloc/glibc-sched.h>\n"},
        {"core/occupancy/occupancy.h", "#include \"core/machine/machine.h\"\n"},
        {"core/traffic/tracer/cache_x.c", "#include \"cache_y.h\"\n"},
        {"variants/emit/loop.c",
         "#include <isl/map.h>\n#include \"variants/transform/packing.h\"\n"},
        {"variants/model/order.c",
         "#include <isl/map.h>\n/* #include \"advisor/x.h\"\n*/ "},
        {"observe/sample/near.c", "#include \"observe/timeline/ring.h\"\n"},
        {"advisor/report/loops.c", "#include \"variants/kernel/kernel_view.h\"\n"},
        {"search/session/session.h", "#include \"rules/rules.h\"\n"},
        {"advisor/program/main.c",
         "#include \"search/live/live.h\"\nchar *s = \"sprintf(x)\"; // gets(\n"
         "int my_system(void); int snprintf(char *);\n"},
        {"tests/test_x.c",
         "#include <CUnit/CUnit.h>\n#include \"core/machine/topology/topology.h\"\n"},
        {"templates/kernels/k.c", "#include <immintrin.h>\n#include \"mine.h\"\n"},
    };

    check_breach(files, ARRAY_SIZE(files), NULL);
}

TEST("bad includes are found")
{
    static const struct {
        struct file file;
        const char *want;
    } cases[] = {
        {{"core/base/a.c", "\n#include \"core/run/run.h\"\n"},
         "core/base/a.c:2: core/base may not include core/run"},
        {{"core/run/a.c", "#include \"core/machine/machine.h\"\n"},
         "core/run/a.c:1: core/run may not include core/machine"},
        {{"core/occupancy/a.h", "  # include \"core/traffic/traffic.h\"\n"},
         "core/occupancy/a.h:1: core/occupancy may not include core/traffic"},
        {{"rules/a.c", "#include \"core/occupancy/occupancy.h\"\n"},
         "rules/a.c:1: rules may not include core/occupancy"},
        {{"variants/build/a.c", "#include \"search/live/live.h\"\n"},
         "variants/build/a.c:1: variants/build may not include search/live"},
        {{"variants/model/a.c", "#include \"variants/emit/emit.h\"\n"},
         "variants/model/a.c:1: variants/model may not include variants/emit"},
        {{"variants/emit/a.c", "#include \"variants/transform/steps.h\"\n"},
         "variants/emit/a.c:1: \"variants/transform/steps.h\" is private to "
         "variants/transform"},
        {{"search/live/b.c", "#include \"variants/model/poly.h\"\n"},
         "search/live/b.c:1: \"variants/model/poly.h\" is private to variants/model"},
        {{"search/session/a.c", "#include \"search/finish/close.h\"\n"},
         "search/session/a.c:1: search/session may not include search/finish"},
        {{"search/strategy/a.c", "#include \"search/propose/propose_nests.h\"\n"},
         "search/strategy/a.c:1: \"search/propose/propose_nests.h\" is private to "
         "search/propose"},
        {{"advisor/b.c", "#include \"search/session/engine.h\"\n"},
         "advisor/b.c:1: \"search/session/engine.h\" is private to search/session"},
        {{"observe/sample/a.c", "#include \"observe/report/app.h\"\n"},
         "observe/sample/a.c:1: observe/sample may not include observe/report"},
        {{"advisor/a.c", "#include \"variants/emit/gen.h\"\n"},
         "advisor/a.c:1: \"variants/emit/gen.h\" is private to variants/emit"},
        {{"variants/plan/b.c", "#include \"plan.h\"\n"},
         "variants/plan/b.c:1: \"plan.h\" is not written from the root"},
        {{"core/traffic/other.c", "#include \"cache_y.h\"\n"},
         "core/traffic/other.c:1: \"cache_y.h\" is not written from the root"},
        {{"variants/ir/c.c", "#include <jansson.h>\n"},
         "variants/ir/c.c:1: <jansson.h> belongs to core/files/json.h only"},
        {{"search/space/a.c", "#include <isl/set.h>\n"},
         "search/space/a.c:1: <isl/set.h> belongs to variants/ only"},
        {{"other/a.c", ""}, "other/a.c:1: no place for source files"},
        {{"variants/a.c", ""}, "variants/a.c:1: no place for source files"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
        check_breach(&cases[i].file, 1, cases[i].want);
}

TEST("pairs of files are judged")
{
    static const struct file adapters[] = {{"core/store/a.c", "#include <sqlite3.h>\n"},
                                           {"core/store/b.c", "#include <sqlite3.h>\n"}};
    static const struct file names[] = {{"core/run/a.c", ""}, {"search/live/a.c", ""}};
    static const struct file own[] = {
        {"search/live/space.h", ""},
        {"search/live/space.c", "#include <stdio.h>\n#include \"search/live/space.h\"\n"},
    };

    check_breach(adapters, 2,
                 "core/store/b.c:1: <sqlite3.h> has its adapter in core/store/a.c "
                 "already");
    check_breach(names, 2, "search/live/a.c:1: has the name of core/run/a.c");
    check_breach(own, 2,
                 "search/live/space.c:1: includes \"search/live/space.h\" not first");
}

TEST("banned functions are found")
{
    static const struct file files[] = {
        {"search/live/a.c", "int f(void)\n{\n    strcpy(a, b);\n}\n"},
        {"search/live/b.c", "/* \" */ x = system (\"ls\");\n"},
        {"templates/harness/c.c", "char c = '\"'; gets(x);\n"},
    };
    static const char *const want[] = {
        "search/live/a.c:3: strcpy is banned",
        "search/live/b.c:1: system is banned",
        "templates/harness/c.c:1: gets is banned",
    };

    for (size_t i = 0; i < ARRAY_SIZE(files); i++)
        check_breach(&files[i], 1, want[i]);
}
