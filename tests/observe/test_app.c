/* The pieces of --in-app: shell text, marks, outputs, copies of a project. */
#define _XOPEN_SOURCE 700 /* realpath */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/files/fs.h"
#include "observe/observe.h"
#include "tests/check.h"

SUITE(observe_app);

/* ---- shell text ---- */

TEST("the last && at top level divides")
{
    static const struct {
        const char *text, *build, *run;
    } cases[] = {
        {"make && ./app 3", "make", "./app 3"},
        {"cd b && cmake .. && make -j2 && ./app", "cd b && cmake .. && make -j2",
         "./app"},
        {"make && ./app 'a && b'", "make", "./app 'a && b'"},
        {"make && ./app \"a && \\\" && b\"", "make", "./app \"a && \\\" && b\""},
        {"make && (cd x && ./app)", "make", "(cd x && ./app)"},
        {"make && { cd x && ./app; }", "make", "{ cd x && ./app; }"},
        {"make && ./app $(cat n && cat m)", "make", "./app $(cat n && cat m)"},
        {"make && ./app `cat n && cat m`", "make", "./app `cat n && cat m`"},
        {"make && X={a} ./app", "make", "X={a} ./app"},
        {"make \\&& && ./app", "make \\&&", "./app"},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        char *build, *run;
        struct error err = {0};
        if (!check_ok(shell_text_split(cases[i].text, &build, &run, &err), &err))
            continue;
        check_str(build, cases[i].build);
        check_str(run, cases[i].run);
        free(build);
        free(run);
    }
}

TEST("without build or run it is refused")
{
    char *build, *run;
    struct error err = {0};
    check_fails(shell_text_split("./app", &build, &run, &err), &err, STATUS_USAGE,
                "a build is needed");
    check_fails(shell_text_split("make && ", &build, &run, &err), &err, STATUS_USAGE,
                "behind the last");
    check_fails(shell_text_split(" && ./app", &build, &run, &err), &err, STATUS_USAGE,
                "before the last");
    check_fails(shell_text_split("(make && ./app)", &build, &run, &err), &err,
                STATUS_USAGE, "no '&&'");
}

TEST("the first error is the complaint")
{
    static const struct {
        const char *out, *err, *want;
    } cases[] = {
        {"", "cc -c a.c\na.c:3:1: error: no\na.c:9: error: two\nmake: *** [a.o] 1\n",
         "a.c:3:1: error: no"},
        {"", "make: *** No rule to make target 'x'. Stop.\n",
         "make: *** No rule to make target 'x'. Stop."},
        {"FAILED: a.o\na.c:3: error: no\n", "", "a.c:3: error: no"},
        {"one\ntwo\n\n", "", "two"},
        /* what made make give up, not that it did */
        {"cc x.c\nsetparams: class ? is unknown\nmake[1]: Leaving\n",
         "make[1]: *** [Makefile:3: config] Error 1\nmake: *** [all] Error 2\n",
         "setparams: class ? is unknown (make[1]: *** [Makefile:3: config] Error 1)"},
        {"echo one\n", "no class\nmake: *** [Makefile:3: config] Error 1\n",
         "no class (make: *** [Makefile:3: config] Error 1)"},
        {"checking for x... not found\n",
         "sh: 1: gcx: not found\nmake: *** [a] Error 127\n", "sh: 1: gcx: not found"},
        {"checking for x... not found\nthe end\n", "", "the end"},
        /* the linker's own sentence, not that of the compiler behind it */
        {"",
         "/usr/bin/ld: a.o: in function `main':\na.c:(.text+0x5): undefined reference to "
         "`solve'\ncollect2: error: ld returned 1 exit status\nmake: *** [app] Error 1\n",
         "a.c:(.text+0x5): undefined reference to `solve'"},
        {"",
         "/usr/bin/ld: b.o:(.bss+0x0): multiple definition of `n'; a.o:(.bss+0x0): first "
         "defined here\ncollect2: error: ld returned 1 exit status\n",
         "/usr/bin/ld: b.o:(.bss+0x0): multiple definition of `n'; a.o:(.bss+0x0): first "
         "defined here"},
        {"",
         "/usr/bin/ld: cannot find -lfast\ncollect2: error: ld returned 1 exit status\n",
         "/usr/bin/ld: cannot find -lfast"},
        {"",
         "/usr/bin/ld: a.o: file not recognized\nclang: error: linker command failed "
         "with "
         "exit code 1 (use -v to see invocation)\n",
         "/usr/bin/ld: a.o: file not recognized"},
        {"",
         "ld.lld: error: undefined symbol: solve\nclang: error: linker command failed\n",
         "ld.lld: error: undefined symbol: solve"},
        {"", "collect2: error: ld returned 1 exit status\n",
         "collect2: error: ld returned 1 exit status"},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        char *got = shell_text_complaint(cases[i].out, cases[i].err);
        check_str(got, cases[i].want);
        free(got);
    }
    check(!shell_text_complaint("", "\n"));
}

/* ---- outputs ---- */

static size_t differing(const struct app_output *output)
{
    return app_output_state(output).differs;
}

TEST("only lines that a program repeats are compared, in whatever order the runs came")
{
    struct app_output output = {0};
    app_output_add(&output, "sum 3\ntime 1.212\nend\n", 1.2);
    app_output_add_other(&output, "sum 3\ntime 1.313\nend\n", 1.3);
    check_eq(differing(&output), 1);
    app_output_add(&output, "sum 3\ntime 1.414\nend\n", 1.4);
    check_eq(app_output_state(&output).varies, 1);
    check_eq(differing(&output), 0);
    app_output_add_other(&output, "sum 4\ntime 1.3\nend\nmore\n", 1.3);
    check_eq(differing(&output), 2);
    app_output_add_other(&output, "", 1.3);
    check_eq(differing(&output), 4);
    app_output_add(&output, "sum 3\n", 1.3);
    check_eq(differing(&output), 1);
    app_output_forget_other(&output);
    check_eq(differing(&output), 0);
    app_output_release(&output);
}

/* Its runs print the same time, those of a faster one another. */
TEST("a time of few digits may differ, a result may not")
{
    static const struct {
        const char *was, *is;
        double seconds; /* of 8 */
        size_t differs;
    } cases[] = {
        {"Elapsed time = 6.4 (s)\n", "Elapsed time = 3.3 (s)\n", 4.1, 0},
        {"rate 1.2 it/s\n", "rate 2.4 it/s\n", 4.1, 0},
        {"12 steps took 6.4 s\n", "12 steps took 3.2 s\n", 4, 0},
        {"12 steps took 6.4 s\n", "6 steps took 3.2 s\n", 4, 1},
        {"Elapsed time = 6.4 (s)\n", "Elapsed time = 6.1 (s)\n", 2, 1},
        {"energy 6.4\n", "energy 3.2\n", 4, 1},
        {"energy at this time 6.412\n", "energy at this time 3.206\n", 4, 1},
        {"Elapsed time = 6.4 (s)\n", "Elapsed time 3.3 (s)\n", 4, 1},
        {"time 6.4 s\n", "time s\n", 4, 1},
        {"time 0.0 s\n", "time 0.1 s\n", 4, 0},
        /* what no clock can tell, and what one tells in steps */
        {"Elapsed system CPU time: 0.000000 (s)\n",
         "Elapsed system CPU time: 0.000001 (s)\n", 4, 0},
        {"t = 0.120000 sec\n", "t = 0.060000 sec\n", 4, 0},
        {"t = 0.121234 sec\n", "t = 0.064321 sec\n", 4, 1},
        /* units, beside the number */
        {"12.3 GFLOP/s\n", "24.6 GFLOP/s\n", 4, 0},
        {"copy: 12 MB/s\n", "copy: 24 MB/s\n", 4, 0},
        {"Mop/s total = 1.23\n", "Mop/s total = 2.46\n", 4, 0},
        {"GFLOPS: 1.2\n", "GFLOPS: 2.5\n", 4, 0},
        {"Time (ms): 6400\n", "Time (ms): 3200\n", 4, 0},
        {"Time (ms): 6400\n", "Time (ms): 6300\n", 4, 1},
        {"phases [ms]: 64 32\n", "phases [ms]: 32 32\n", 4, 0},
        {"flow 3.2 m/s\n", "flow 1.6 m/s\n", 4, 1},
        {"6.4 s, energy 3.2\n", "3.2 s, energy 3.1\n", 4, 1},
        {"energy 3.2 after 6.4 s\n", "energy 3.1 after 3.2 s\n", 4, 1},
        {"growth rate 0.12\n", "growth rate 0.11\n", 4, 1},
        {"time steps: 12\n", "time steps: 13\n", 4, 1},
        /* results */
        {"sum = -0.5\n", "sum = 0.5\n", 4, 1},
        {"sum 5\n", "sum nan\n", 4, 1},
        {"checksum 0x1f\n", "checksum 0x2f\n", 4, 1},
        {"##  ##\n", "# ##\n", 4, 1},
        {"2 3 5\n", "23 5\n", 4, 1},
        {"x 1e-05\n", "x 1e-06\n", 4, 1},
        {"PASSED\n", "FAILED\n", 4, 1},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct app_output output = {0};

        app_output_add(&output, cases[i].was, 8);
        app_output_add(&output, cases[i].was, 8.1);
        app_output_add_other(&output, cases[i].is, cases[i].seconds);
        if (differing(&output) != cases[i].differs)
            fprintf(stderr, "of %s", cases[i].was);
        check_eq(differing(&output), cases[i].differs);
        app_output_release(&output);
    }
}

TEST("beside what varies from run to run, results of the same line are compared")
{
    static const struct {
        const char *first, *second, *other;
        size_t differs, varies;
    } cases[] = {
        {"e 5.25 in 1.2345\n", "e 5.25 in 1.3456\n", "e 5.25 in 1.4567\n", 0, 1},
        {"e 5.25 in 1.2345\n", "e 5.25 in 1.3456\n", "e 5.35 in 1.4567\n", 1, 1},
        {"pid 99 at 0x7ffd12 x 1\n", "pid 100 at 0x7ffe3 x 1\n",
         "pid 101 at 0x7fab x 1\n", 0, 1},
        {"pid 99 at 0x7ffd12 x 1\n", "pid 100 at 0x7ffe3 x 1\n",
         "pid 101 at 0x7fab x 2\n", 1, 1},
        {"Sat Jan 31 12:59:59 2026\n", "Sat Jan 31 13:00:01 2026\n",
         "Sat Jan 31 13:00:07 2026\n", 0, 1},
        {"2026-01-31 12:59 n 4\n", "2026-01-31 13:00 n 4\n", "2026-01-31 13:01 n 5\n", 1,
         1},
        /* columns that are filled up with blanks */
        {"  9.5 s | 3\n", " 10.1 s | 3\n", "  8.7 s | 3\n", 0, 1},
        {"drift -1e-09 e 2\n", "drift 2.5e-10 e 2\n", "drift -3e-09 e 2\n", 0, 1},
        {"took 59 s\n", "took 1 min 2 s\n", "took 1 min 7 s\n", 0, 1},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct app_output output = {0};

        app_output_add(&output, cases[i].first, 8);
        app_output_add_other(&output, cases[i].other, 8);
        app_output_add(&output, cases[i].second, 8);
        check_eq(differing(&output), cases[i].differs);
        check_eq(app_output_state(&output).varies, cases[i].varies);
        app_output_release(&output);
    }
}

TEST("a tolerance is of numbers, and it is told to how many digits they agree")
{
    static const struct {
        double tolerance;
        const char *was, *is;
        size_t differs;
        int digits;
    } cases[] = {
        {0, "e 1.2345678901\n", "e 1.2345678903\n", 1, 9},
        {1e-9, "e 1.2345678901\n", "e 1.2345678903\n", 0, 9},
        {1e-9, "e 1.2345678901\n", "e 1.2345678001\n", 1, 7},
        {1e-9, "e 1.5\n", "e 1.5\n", 0, APP_OUTPUT_SAME},
        {1e-9, "n 1000 e 1.5\n", "n 1001 e 1.5\n", 1, 3},
        {1e-9, "e 1.5\n", "e -1.5\n", 1, 0},
        {1e-9, "e 1.5\n", "e nan\n", 1, 0},
        {1e-9, "e 1.50\n", "e 1.5\n", 0, 16},
        {1e-9, "done\n", "failed\n", 1, 0},
        {1e-9, "e 0\n", "e 1e-30\n", 1, 0},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct app_output output = {.tolerance = cases[i].tolerance};

        app_output_add(&output, cases[i].was, 8);
        app_output_add(&output, cases[i].was, 8.1);
        app_output_add_other(&output, cases[i].is, 8);
        check_eq(differing(&output), cases[i].differs);
        check_eq(app_output_state(&output).digits, cases[i].digits);
        app_output_release(&output);
    }
}

TEST("an output of which nothing is repeated shows no result")
{
    static const struct {
        const char *first, *second;
        size_t compared;
    } cases[] = {{"", "", 0},
                 {"1.2345\n", "1.2346\n", 0},
                 {"e 1.2345\n", "e 1.23\n", 0},
                 {"done\n", "done\n", 0},
                 {"sum 5.5\n", "sum 5.5\n", 1},
                 {"took 1.5 s\n", "took 1.5 s\n", 0},
                 {"n 2000 sum 5\n", "n 2000 sum 5\n", 1}};

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct app_output output = {.known = "./app 2000"};

        app_output_add(&output, cases[i].first, 8);
        app_output_add(&output, cases[i].second, 8);
        check_eq(app_output_state(&output).compared, cases[i].compared);
        app_output_release(&output);
    }
}

TEST("numbers that are drawn anew in each run say nothing by being alike")
{
    static const char *const runs[] = {"1 2 3 4\n5 6 7 8\n9 1 2 n\n",
                                       "1 4 2 4\n6 3 9 1\n8 5 1 n\n"},
                             *const other = "7 8 1 9\n4 6 2 3\n5 9 9 n\n",
                             *const wrong = "7 8 1 9\n4 6 2 3\n5 9 9\n";
    struct app_output output = {0};

    app_output_add(&output, runs[0], 8);
    app_output_add(&output, runs[1], 8);
    app_output_add_other(&output, other, 8);
    check_eq(app_output_state(&output).differs, 0);
    check_eq(app_output_state(&output).compared, 0);
    check_eq(app_output_state(&output).varies, 3);
    app_output_add_other(&output, wrong, 8);
    check_eq(app_output_state(&output).differs, 1);
    app_output_release(&output);
    output = (struct app_output){0}; /* few of them vary */
    app_output_add(&output, "1 2 3 4 5 6 7 8 9 10\n", 8);
    app_output_add(&output, "1 2 3 4 5 6 7 8 9 11\n", 8);
    app_output_add_other(&output, "1 2 3 4 5 6 7 9 9 12\n", 8);
    check_eq(app_output_state(&output).differs, 1);
    app_output_release(&output);
}

/* ---- marks ---- */

static int run(const char *dir, const char *const *argv)
{
    struct spawn_request request = {.argv = argv, .dir = dir};
    struct spawn_outcome outcome;
    struct error err = {0};
    if (!check_ok(spawn_run(&request, &outcome, &err), &err))
        return -1;
    int code = outcome.end == SPAWN_EXITED ? outcome.code : -1;
    if (code)
        fprintf(stderr, "%s", buf_str(&outcome.err));
    spawn_outcome_release(&outcome);
    return code;
}

/* In a folder with a space, and a quote, in its name. */
TEST("a mark tells what ran, and its flags")
{
    static const char *const strict[] = {"gcc",
                                         "-std=c99",
                                         "-pedantic",
                                         "-Wall",
                                         "-Wextra",
                                         "-O2",
                                         "-Wmissing-prototypes",
                                         "-Werror",
                                         "-fopenmp",
                                         "t.c",
                                         "-o",
                                         "t",
                                         NULL},
                             *const start[] = {"./t", NULL},
                             *const plus[] = {"g++", "-Wall", "-Werror", "-x", "c++",
                                              "t.c", "-o",    "t",       NULL};
    struct error err = {0};
    struct buf text = {0};
    struct strvec facts = {0};
    char *scratch;
    if (!check_ok(scratch_make(&scratch, &err), &err))
        return;
    char *dir = path_join(scratch, "my \"own\" ?\?/x"), *mark = path_join(dir, "mark"),
         *source = path_join(dir, "t.c");
    check_ok(dir_make_all(dir, &err), &err);
    buf_add(&text, "int main(void) { return 0; }");
    app_mark_text(mark, &text);
    check_ok(file_write(source, buf_str(&text), text.length, &err), &err);
    check_eq(run(dir, strict), 0);
    check_ok(app_mark_reset(mark, &err), &err);
    check(!app_mark_read(mark, NULL));
    check_eq(run(dir, start), 0);
    check(app_mark_read(mark, &facts));
    check(strvec_has(&facts, "__OPTIMIZE__") && strvec_has(&facts, "_OPENMP"));
    check(!strvec_has(&facts, "__FAST_MATH__"));
    check_ok(app_mark_reset(mark, &err), &err);
    check(!app_mark_read(mark, NULL));
    check_eq(run(dir, plus), 0);
    check_eq(run(dir, start), 0);
    check(app_mark_read(mark, NULL));
    strvec_release(&facts);
    buf_release(&text);
    free(dir);
    free(mark);
    free(source);
    scratch_remove(scratch);
}

/* ---- copies ---- */

static void put(const char *dir, const char *name, const char *text)
{
    struct error err = {0};
    char *path = path_join(dir, name), *above = xstrdup(path);
    above[strlen(path) - strlen(path_base(path))] = 0;
    check_ok(dir_make_all(above, &err), &err);
    check_ok(file_write(path, text, strlen(text), &err), &err);
    free(path);
    free(above);
}

static bool is_there(const char *dir, const char *name)
{
    struct stat about;
    char *path = path_join(dir, name);
    bool found = lstat(path, &about) == 0;
    free(path);
    return found;
}

static char *make_project(const char *scratch)
{
    char *root = path_join(scratch, "the project"), *link = path_join(root, "a link");
    put(root, "src/a b.c", "int a;\n");
    put(root, "src/deep/er/c.c", "int c;\n");
    put(root, "-odd", "x");
    put(root, "build/CMakeCache.txt", "x");
    put(root, "build/x.o", "x");
    put(root, "src/deep/out/CMakeCache.txt", "x");
    put(root, ".git/HEAD", "x");
    check_eq(symlink("src/a b.c", link), 0);
    free(link);
    return root;
}

/* `app:` without a source: make says that it is up to date. */
TEST("a program is made anew by its build, or is there as it was")
{
    static const char program[] = "\177ELF, and more", script[] = "#!/bin/sh\n";
    struct error err = {0};
    char *dir = NULL;

    check_ok(scratch_make(&dir, &err), &err);
    char *path = path_join(dir, "app"), *beside = path_join(dir, "app.aside");
    for (int builds = 0; builds < 2; builds++) {
        struct buf text = {0};

        check_ok(file_write(path, program, strlen(program), &err), &err);
        char *aside = program_aside(dir, "./app");
        check(aside && !file_exists(path));
        if (builds)
            check_ok(file_write(path, "new", 3, &err), &err);
        program_back(aside);
        check_ok(file_read(path, &text, &err), &err);
        check_str(buf_str(&text), builds ? "new" : program);
        check(!file_exists(beside));
        buf_release(&text);
    }
    check_ok(file_write(path, script, strlen(script), &err), &err);
    check(!program_aside(dir, "app") && file_exists(path)); /* nobody builds it */
    check(!program_aside(dir, "none"));
    check(!program_aside(dir, path)); /* perhaps of the user's own folder */
    free(path);
    free(beside);
    scratch_remove(dir);
}

TEST("a project is copied without what was built")
{
    struct project project = {0};
    struct project_list list = {0};
    struct error err = {0};
    char *scratch;
    if (!check_ok(scratch_make(&scratch, &err), &err))
        return;
    char *root = make_project(scratch), *file = path_join(root, "src/a b.c"),
         *to = path_join(scratch, "to/copy");
    if (check_ok(project_find(file, NULL, &project, &err), &err)) {
        check_str(project.file, "src/a b.c");
        check_str(project.cwd, "");
        check_ok(project_list_make(&project, NULL, &list, &err), &err);
        check_eq(list.left_out, 3);
        check(list.build &&
              (!strcmp(list.build, "build") || !strcmp(list.build, "src/deep/out")));
        check(list.bytes > 0);
        check_ok(project_check_room(&project, &list, scratch, 2, &err), &err);
        list.bytes = 1e18;
        check_fails(project_check_room(&project, &list, scratch, 2, &err), &err,
                    STATUS_MISSING, "set TMPDIR");
        check_ok(project_copy(&project, &list, to, &err), &err);
        check(is_there(to, "src/a b.c") && is_there(to, "src/deep/er/c.c"));
        check(is_there(to, "-odd") && is_there(to, "a link"));
        check(!is_there(to, "build") && !is_there(to, ".git"));
        check(is_there(to, "src/deep") && !is_there(to, "src/deep/out"));
    }
    project_list_release(&list);
    project_release(&project);
    free(root);
    free(file);
    free(to);
    scratch_remove(scratch);
}

TEST("a file elsewhere is refused")
{
    struct project project;
    struct error err = {0};
    char *scratch;
    if (!check_ok(scratch_make(&scratch, &err), &err))
        return;
    char *root = make_project(scratch), *file = path_join(root, "src/a b.c"),
         *deep = path_join(root, "src/deep");
    check_fails(project_find(file, deep, &project, &err), &err, STATUS_INPUT,
                "is not in the project folder");
    check_fails(project_find(file, "/no/such", &project, &err), &err, STATUS_USAGE,
                "--in-app-dir: there is no folder");
    check_fails(project_find("/no/such.c", NULL, &project, &err), &err, STATUS_INPUT,
                "cannot find");
    free(root);
    free(file);
    free(deep);
    scratch_remove(scratch);
}

/* The copies may lie inside of what is copied. */
TEST("copies are not copied")
{
    struct project project = {0};
    struct project_list list = {0};
    struct error err = {0};
    char *scratch;
    if (!check_ok(scratch_make(&scratch, &err), &err))
        return;
    char *root = make_project(scratch), *file = path_join(root, "src/a b.c"),
         *inside = path_join(root, "src");
    if (check_ok(project_find(file, root, &project, &err), &err)) {
        check_ok(project_list_make(&project, inside, &list, &err), &err);
        check(!strvec_has(&list.item, "src"));
        check(strvec_has(&list.item, "-odd"));
    }
    project_list_release(&list);
    project_release(&project);
    free(root);
    free(file);
    free(inside);
    scratch_remove(scratch);
}
