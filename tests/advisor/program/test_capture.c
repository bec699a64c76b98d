/*
 * inflight capture and --inputs on the application of tests/data/capture, built in
 * several ways, in a folder with a blank in its name.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "observe/observe.h"
#include "tests/advisor/place.h"

SUITE(advisor_capture);

static void copy_source(struct place *place, const char *name)
{
    place_copy(place, INFLIGHT_SOURCE_DIR "/tests/data/capture", name);
}

static bool run_line(const struct place *place, const char *line)
{
    struct strvec argv = {0};
    struct spawn_outcome outcome = {0};

    strvec_split(&argv, line);
    int status = spawn_run(&(struct spawn_request){.argv = (const char *const *)argv.v,
                                                   .dir = place->work,
                                                   .timeout_s = PATIENCE_S},
                           &outcome, NULL);
    bool good = !status && outcome.end == SPAWN_EXITED && !outcome.code;
    spawn_outcome_release(&outcome);
    strvec_release(&argv);
    return good;
}

/* Its makefile is what capture builds it with, in its copy. */
static void write_build(struct place *place, const char *command)
{
    char *text = xasprintf("all:\n\t%s\n", command),
         *path = path_join(place->work, "Makefile");

    check_ok(file_write(path, text, strlen(text), &place->err), &place->err);
    free(path);
    free(text);
}

static bool build(struct place *place, const char *flags)
{
    char *command = xasprintf("gcc %s kernels.c app.c -pthread -o app", flags);

    write_build(place, command);
    bool good = run_line(place, command);
    free(command);
    return good;
}

static void start(struct place *place)
{
    *place = (struct place){0};
    place_make(place);
    free(place->work);
    place->work = path_join(place->home, "a folder");
    check_ok(dir_make_all(place->work, &place->err), &place->err);
    copy_source(place, "kernels.h");
    copy_source(place, "kernels.c");
    copy_source(place, "app.c");
    check(build(place, "-O2"));
}

/* ---- what is captured ---- */

static const struct {
    const char *function, *output[6];
} captured[] = {
    {"gather",
     {"n            6000\n", "alpha        1.10000", "index        6000 x 4 bytes",
      "x            500 x 8 bytes", "y            6000 x 8 bytes"}},
    {"two", {"n            60\n", "m            100\n", "a            6000 x 8 bytes"}},
    {"bodies",
     {"n            1000\n", "p            1000 x 32 bytes",
      "force        500 x 8 bytes"}},
    {"globals", {"level        3\n", "table        64 x 8 bytes"}},
    {"gone", {"n            300\n", "a            300 x 8 bytes"}},
    {"coarse", {"n            3\n", "rows 5 x 6001"}},
    {"many",
     {"g            7\n", "x            0.125\n", "n            500\n",
      "out          500 x 8 bytes"}},
};

static void check_captured(struct place *place, size_t i, const char *how)
{
    char *args =
        xasprintf("capture kernels.c --function %s -- ./app", captured[i].function);
    struct spawn_outcome outcome = {0};

    place_run(place, args, &outcome);
    if (!check_eq(outcome.code, 0))
        check_str(buf_str(&outcome.err), how);
    for (size_t k = 0; k < ARRAY_SIZE(captured[i].output) && captured[i].output[k]; k++)
        check_contains(buf_str(&outcome.out), captured[i].output[k]);
    spawn_outcome_release(&outcome);
    free(args);
}

TEST("functions of many kinds")
{
    struct place place;

    start(&place);
    for (size_t i = 0; i < ARRAY_SIZE(captured); i++)
        check_captured(&place, i, "-O2");
    place_drop(&place);
}

TEST("programs built in many ways")
{
    static const char *const flags[] = {"-O0", "-O3 -flto", "-O2 -static",
                                        "-O2 -no-pie -s", "-std=gnu99 -Wextra -Werror"};
    struct place place;

    start(&place);
    for (size_t i = 0; i < ARRAY_SIZE(flags); i++)
        if (build(&place, flags[i]))
            check_captured(&place, 0, flags[i]);
    place_drop(&place);
}

TEST("fields of structs")
{
    struct place place;

    start(&place);
    check_run(&place, "capture kernels.c --function fields -q -- ./app", 0,
              "*g->nx        50\n*g->ny        40\n*g->w         1.25\n*g->box.b     "
              "2.5\n*g->u         2000 x 8 bytes*",
              "");
    place_drop(&place);
}

/* The loop of a method that its accessors hide, with vectors that may be empty. */
TEST("a loop of C++ that was taken out")
{
    struct place place;

    start(&place);
    copy_source(&place, "mesh.cc");
    check_run(&place, "outline mesh.cc:59 -o taken.cc", 0, "", "*are now the function*");
    write_build(&place, "g++ -O2 -Wall -D_GLIBCXX_ASSERTIONS taken.cc -o taken");
    check_run(&place, "capture taken.cc --function step_loop_59 -- ./taken", 0,
              "1164.0711137586109\n*dt           0.25\n*mesh_size    500\n"
              "*force        500 x 8 bytes*nodes        2000 x 4 bytes"
              "*weight       500 x 8 bytes*x            503 x 8 bytes*",
              "*");
    check_run(&place, "outline mesh.cc:74 -o relaxed.cc", 0, "",
              "*are now the function*");
    write_build(&place, "g++ -O2 relaxed.cc -o relaxed");
    check_run(&place, "capture relaxed.cc --function relax_loop_74 -q -- ./relaxed", 0,
              "1164.0711137586109\n*n            500\n*x            500 x 8 bytes*", "");
    write_build(&place, "g++ -O2 taken.cc -o taken");
    check_run(&place, "capture taken.cc --function Mesh::halve -q -- ./taken", 0,
              "*this->size_  500\n*this->weight_ 500 x 8 bytes*", "");
    check_run(&place,
              "compare taken.cc --function step_loop_59 --inputs step_loop_59.inputs "
              "--plan unroll(i:4) --budget 1s -q",
              0, "*", "*");
    place_drop(&place);
}

TEST("copies of a function, and threads")
{
    struct place place;

    start(&place);
    check_run(&place, "capture kernels.c --function stepped --call 2 -- ./app", 0,
              "*n            1000\n*step         2\n*a            1999 x 8 bytes*", "*");
    check_run(&place, "capture kernels.c --function work --call 150 -- ./app", 0,
              "*call 150 of ./app*n            100\n*y            100 x 8*",
              "inputs written to 'work.inputs'\n");
    check_run(&place, "capture kernels.c --function work --call 60 --stop -- ./app", 0,
              "*call 60 of ./app*", "inputs written to 'work.inputs'\n");
    place_drop(&place);
}

TEST("programs below others, and libraries")
{
    static const char makefile[] = "all:\n\tgcc -O2 kernels.c app.c -pthread -o app\n"
                                   "run:\n\t@echo below; ./app fail\n";
    struct place place;

    start(&place);
    char *path = path_join(place.work, "Makefile");
    check_ok(file_write(path, makefile, strlen(makefile), &place.err), &place.err);
    free(path);
    check_run(&place, "capture kernels.c --function two -- make run", 0,
              "below\nvoid two(*call 1 of make run*/kernels.c\n*",
              "*the application ended with status 2\ninputs written to "
              "'two.inputs'\n");
    check_run(&place,
              "capture kernels.c --function two --stop -- sh -c './app; echo behind'", 0,
              "*void two(*", "*inputs written to 'two.inputs'\n");
    write_build(&place, "gcc -O2 -shared -fPIC kernels.c -o libkernels.so && gcc -O2 "
                        "app.c -o app ./libkernels.so -pthread");
    check_run(&place, "capture kernels.c --function two -- ./app", 0,
              "*program   *libkernels.so\n*n            60\n*", "*");
    place_drop(&place);
}

/* ---- what cannot be ---- */

static const struct {
    const char *args;
    int code;
    const char *err;
} refused[] = {
    {"capture kernels.c --function calls -- ./app", 3, "*'function' of type*"},
    {"capture kernels.c --function coarse --call 2 -- ./app", 3,
     "*array 'fine' cannot be captured: how many rows it has and how long they are "
     "follows neither from the sizes nor from where they lie *"},
    {"capture kernels.c --function gather --call 9 -- ./app", 3,
     "*'gather' was called 3 times, so that there is no call 9: the application ended "
     "well\n"},
    {"capture kernels.c --function gather -- ./app never", 3,
     "*'gather' was never called by what was built from 'kernels.c': the application "
     "ended well\n"},
    {"capture kernels.c --function gather -- true", 3, "*'gather' was never called*"},
    {"capture kernels.c --function two --call 7 -- ./app abort", 3,
     "*was called*times*ended by signal 6*"},
    {"capture kernels.c --function two -- ./nothing", 3,
     "*there is no program './nothing' that could be run\n"},
    {"capture kernels.c --function two --build false -- ./app", 1,
     "*'false' does not build the program in a copy of '*'*"},
    {"capture kernels.c --function two --build true -- ./app", 3,
     "*'two' was never called by what was built from 'kernels.c'*"},
    {"capture kernels.c --function two", 2, "*name the application after --*"},
    {"capture --function two -- ./app", 2, "*name the file that defines it*"},
    {"capture kernels.c --function two -o . -- ./app", 2, "*'.'*"},
    {"capture kernels.c --function two -o no/where -- ./app", 2,
     "*the folder 'no' of the output does not exist*"},
    {"capture --show kernels.c", 3, "*'kernels.c' holds no inputs*"},
};

TEST("what cannot be captured is said")
{
    struct place place;

    start(&place);
    for (size_t i = 0; i < ARRAY_SIZE(refused); i++)
        check_run(&place, refused[i].args, refused[i].code, "*", refused[i].err);
    char *left = path_join(place.work, "two.inputs");
    check(!file_exists(left)); /* no refusal leaves a file */
    free(left);
    place_drop(&place);
}

TEST("a limit leaves arrays out")
{
    struct place place;

    start(&place);
    check_run(&place,
              "capture kernels.c --function gather --limit 30KiB -o g.inputs -- "
              "./app",
              0, "*y            left out, 46.9 KiB: more than --limit allows\n*",
              "*warning: 'y' was left out: more than --limit allows\n*");
    check_run(&place, "show kernels.c --function gather --inputs g.inputs", 0, "*",
              "*warning: 'y' is not in the inputs (more than --limit allows): its "
              "contents are made up\n");
    place_drop(&place);
}

TEST("arrays in the same memory are said")
{
    struct place place;

    start(&place);
    check_run(&place, "capture kernels.c --function two --call 2 -- ./app", 0,
              "*Note: 'a' and 'b' share memory in the application, and one of them "
              "is written: `assume noalias` does not hold there*",
              "*");
    place_drop(&place);
}

/* ---- what is made of it ---- */

TEST("inputs take the place of made-up contents")
{
    struct place place;

    start(&place);
    check_run(&place, "capture kernels.c --function gather -o g.inputs -- ./app", 0, "*",
              "*");
    check_run(&place, "show kernels.c --inputs g.inputs", 0,
              "*x *double, extent not known, 3.91 KiB, read\n*", "");
    check_run(&place, "show kernels.c --inputs g.inputs --set n=10", 0,
              "gather in kernels.c, line *, captured from ./app, call 1\n*",
              "*--set 'n' is used instead of 6000, which was captured\n");
    check_run(&place,
              "measure kernels.c --machine skl --cores 1 -q --inputs g.inputs --set "
              "n=6001",
              3, "",
              "*6000 elements of 'index' were captured and these sizes need 6001*");
    check_run(&place, "show kernels.c --function two --inputs g.inputs", 3, "",
              "*'g.inputs' was captured of 'void gather(*', and the source has 'void "
              "two(*'; capture it again\n");
    place_drop(&place);
}

TEST("a damaged file is refused")
{
    struct place place;

    start(&place);
    char *path = path_join(place.work, "two.inputs");
    struct stat whole = {0};

    check_run(&place, "capture kernels.c --function two -q -- ./app", 0, "*", "");
    check_eq(stat(path, &whole), 0);
    check_eq(truncate(path, whole.st_size - 4096), 0);
    check_run(&place, "show kernels.c --inputs two.inputs", 3, "",
              "*it is not complete; copy or capture it again\n");
    check_eq(truncate(path, whole.st_size), 0); /* zeros in place of the end */
    check_run(&place, "capture --show two.inputs", 3, "void two(*",
              "*the bytes of '*' are not those that were captured*");
    free(path);
    place_drop(&place);
}

/* ---- rows that pointers lead to ---- */

static const char dumping_rows[] =
    "#include <stdio.h>\n"
    "double smooth(int n, int m, int l, double **a, double ***b, const double *part)\n"
    "{\n"
    "    double sum = 0;\n"
    "    for (int i = 1; i < n - 1; i++)\n"
    "        for (int j = 1; j < m - 1; j++)\n"
    "            for (int k = 0; k < l; k++)\n"
    "                a[i][j] += b[i - 1][j][k] + b[i + 1][j][k] - b[i][j - 1][k] - "
    "b[i][j + 1][k];\n"
    "    for (int i = 0; i < n; i++)\n"
    "        sum += part[i ^ 5];\n"
    "    FILE *file = n == 30 && m == 20 && l == 25 ? fopen(\"replayed.bin\", \"wbx\") : "
    "NULL;\n"
    "    for (int i = 1; file && i < n - 1; i++)\n"
    "        fwrite(a[i] + 1, sizeof(*a[i]), m - 2, file);\n"
    "    if (file)\n"
    "        fclose(file);\n"
    "    return sum;\n"
    "}\n";

static void check_same_files(const struct place *place, const char *a, const char *b,
                             size_t length);

static void replay_rows(struct place *place, const char *how, const char *out)
{
    char *args =
        xasprintf("capture rows.c --function smooth -o r.inputs -- ./rows %s", how);
    char *old = path_join(place->work, "replayed.bin");

    char *line = xasprintf("./rows %s", how);

    unlink(old);
    check(run_line(place, "make") && run_line(place, line));
    free(line);
    check_run(place, args, 0, out, "*");
    check_run(place, "capture --show r.inputs", 0, "*", "");
    check_run(place, "measure dumping.c --inputs r.inputs --machine skl --cores 1 -q", 0,
              "*", "*");
    check_same_files(place, "after.bin", "replayed.bin", 28 * 18 * sizeof(double));
    free(args);
    free(old);
}

#define JAMMED                                                                           \
    "measure rows.c --function smooth --inputs r.inputs --plan 'nest(1) "                \
    "unroll_jam(i:2)' --machine skl --cores 1 -q"

TEST("rows are found, and replayed as they were")
{
    struct place place;

    start(&place);
    char *path = path_join(place.work, "dumping.c");

    check_ok(file_write(path, dumping_rows, strlen(dumping_rows), &place.err),
             &place.err);
    copy_source(&place, "rows.c");
    write_build(&place, "gcc -O2 rows.c -o rows");
    replay_rows(&place, "together",
                "*a            579 x 8 bytes*rows 29 x 19*\n"
                "*b *rows 30 x 20 x 25*\n*part         48 x 8 bytes*to the end of its "
                "variable\n");
    replay_rows(&place, "turned", "*rows 29 x 19*");
    replay_rows(&place, "apart", "*rows 29 x 19*rows 30 x 20 x 25*");
    check_run(&place, "capture rows.c --function smooth -o r.inputs -- ./rows shared", 0,
              "*'a' and 'b' share memory in the application, and one of them is "
              "written*",
              "*");
    check_run(&place, JAMMED, 4, "*",
              "*its run-time test does not hold in the captured call: rows of 'b' "
              "and 'a' share memory*");
    check_run(&place, "capture rows.c --function smooth -o r.inputs -- ./rows apart", 0,
              "*", "*");
    check_run(&place, JAMMED, 0, "*", "*");
    free(path);
    place_drop(&place);
}

/* What it is given of structs that pointers lead to, and what a helper takes of one that
 * is handed to it. */
TEST("structs behind pointers are replayed as they were")
{
    struct place place;

    start(&place);
    copy_source(&place, "forces.c");
    write_build(&place, "gcc -O2 -ffp-contract=off forces.c -lm -o forces");
    check(run_line(&place, "make") && run_line(&place, "./forces"));
    check_run(&place,
              "capture forces.c --function forces --call 3 -o f.inputs -- ./forces", 0,
              "*here *2\n*pot->cutoff *9\n*s->boxes->nr *6\n*pot->phi->per_step "
              "*50\n*pot->phi->n *200\n*s->boxes->count *x 4 bytes*s->atoms->r *x 8 "
              "bytes*s->atoms->f *x 8 bytes*",
              "*");
    check_run(&place,
              "measure forces.c --function forces --inputs f.inputs --machine skl "
              "--cores 1 -q --cflags -DALONE --flags '-O2 "
              "-ffp-contract=off'",
              0, "*captured from ./forces, call 3*", "*");
    check_same_files(&place, "forces.bin", "replayed.bin",
                     (1 + 4 * 16 * 3) * sizeof(double));
    place_drop(&place);
}

/* A function of the same signature may take the kernel's place: this one leaves what it
 * was given and what the kernel makes of it in a file. */
static const char dumping[] =
    "#include <stdio.h>\n"
    "void gather(int n, double alpha, const int *index, const double *x, double *y)\n"
    "{\n"
    "    for (int i = 0; i < n; i++)\n"
    "        y[i] += alpha * x[index[i]];\n"
    "    FILE *file = n == 6000 ? fopen(\"replayed.bin\", \"wbx\") : NULL;\n"
    "    if (file) {\n"
    "        fwrite(y, sizeof(*y), n, file);\n"
    "        fclose(file);\n"
    "    }\n"
    "}\n";

static void check_same_files(const struct place *place, const char *a, const char *b,
                             size_t length)
{
    char *one = path_join(place->work, a), *other = path_join(place->work, b);
    struct buf first = {0}, second = {0};

    check(file_read(one, &first, NULL) == 0);
    check(file_read(other, &second, NULL) == 0);
    check_eq(first.length, length);
    check_eq(second.length, first.length);
    check(first.length == second.length &&
          !memcmp(buf_str(&first), buf_str(&second), first.length));
    buf_release(&first);
    buf_release(&second);
    free(one);
    free(other);
}

TEST("results are bit-identical")
{
    struct place place;

    start(&place);
    char *path = path_join(place.work, "dumping.c");

    check_ok(file_write(path, dumping, strlen(dumping), &place.err), &place.err);
    free(path);
    check(build(&place, "-O2 -ffp-contract=off") && run_line(&place, "./app"));
    check_run(&place, "capture kernels.c --function gather --call 2 -o g.inputs -- ./app",
              0, "*", "*");
    check_run(&place,
              "measure dumping.c --inputs g.inputs --machine skl --cores 1 -q "
              "--flags '-O2 -ffp-contract=off'",
              0, "*captured from ./app, call 2*", "*");
    check_same_files(&place, "after.bin", "replayed.bin", 6000 * sizeof(double));
    place_drop(&place);
}

TEST("calls are counted by their sizes")
{
    struct place place;

    start(&place);
    check_run(&place, "capture kernels.c --function gather --sizes -- ./app", 0,
              "gather: * calls, * size*n = *", "*");
    check_run(&place, "capture kernels.c --function gather --sizes --json -- ./app", 0,
              "*inflight.call-sizes/1*\"first_call\": 1*", "*");
    check_run(&place, "capture kernels.c --function gather --sizes --call 2 -- ./app", 2,
              "*", "*--sizes writes no file and looks at all calls*");
    place_drop(&place);
}

/* At the first call y is zero, which would hide that a version forgets to add to it. */
TEST("captured zeros hide nothing")
{
    static const char wrong[] =
        "void gather(int n, double alpha, const int *index, const double *x, double *y)\n"
        "{\n"
        "    for (int i = 0; i < n; i++)\n"
        "        y[i] = alpha * x[index[i]];\n"
        "}\n";
    struct place place;

    start(&place);
    char *path = path_join(place.work, "wrong.c");

    check_ok(file_write(path, wrong, strlen(wrong), &place.err), &place.err);
    free(path);
    check_run(&place, "capture kernels.c --function gather -o g.inputs -- ./app", 0, "*",
              "*");
    check_run(&place,
              "compare kernels.c:gather wrong.c --inputs g.inputs --machine skl "
              "--cores 1 -q --budget 1s",
              1, "*", "*y[0] is *");
    place_drop(&place);
}

/* Made-up contents would be refused. */
TEST("a program that computes with denormal numbers is replayed with them")
{
    static const char tiny[] =
        "#include <stdio.h>\n"
        "#include <stdlib.h>\n"
        "__attribute__((noinline)) void shrink(int n, const float *a, float *b)\n"
        "{\n"
        "    for (int i = 0; i < n; i++)\n"
        "        b[i] = a[i] * 1e-40f;\n"
        "}\n"
        "int main(void)\n"
        "{\n"
        "    float *a = malloc(100 * sizeof(*a)), *b = malloc(100 * sizeof(*b));\n"
        "    for (int i = 0; i < 100; i++)\n"
        "        a[i] = (float)(1 + i);\n"
        "    shrink(100, a, b);\n"
        "    printf(\"%g\\n\", (double)b[99]);\n"
        "    return 0;\n"
        "}\n";
    struct place place;

    start(&place);
    char *path = path_join(place.work, "app.c");

    check_ok(file_write(path, tiny, strlen(tiny), &place.err), &place.err);
    free(path);
    write_build(&place, "gcc -O2 app.c -o app");
    check_run(&place, "capture app.c --function shrink -o s.inputs -- ./app", 0, "*",
              "*");
    check_run(&place,
              "measure app.c --function shrink --inputs s.inputs --machine skl "
              "--cores 1 -q",
              0, "*", "*");
    place_drop(&place);
}
