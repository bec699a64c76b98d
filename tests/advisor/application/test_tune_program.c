/* tune -- PROGRAM: what is said of each end, and a project of which nothing is known. */
#include <stdlib.h>
#include <string.h>

#include "advisor/application/application.h"
#include "advisor/cli/settings.h"
#include "core/base.h"
#include "tests/check.h"

SUITE(advisor_tune_program);

/* ---- what is said ---- */

static struct quantity about(double value)
{
    return quantity_between(value, 0.98 * value, 1.02 * value, 9, PROVENANCE_CLOCK);
}

struct made {
    struct settings settings;
    struct hot_routine routine[2];
    struct app_row row[2];
    struct application_loop loop[2];
    struct application application;
};

static void make(struct made *made)
{
    *made = (struct made){0};
    for (int i = 0; i < 2; i++) {
        made->routine[i] =
            (struct hot_routine){.name = i ? (char *)"spread" : (char *)"sweep",
                                 .module = (char *)"/p/app",
                                 .share = about(i ? 0.2 : 0.7)};
        made->row[i] = (struct app_row){.routine = &made->routine[i]};
        made->loop[i] = (struct application_loop){.row = &made->row[i],
                                                  .file = (char *)"src/a.c",
                                                  .line = 10 + i,
                                                  .function = made->routine[i].name,
                                                  .alone = quantity_unknown()};
    }
    made->application = (struct application){.settings = &made->settings,
                                             .command = (char *)"./app 3",
                                             .root = (char *)"/p",
                                             .build = (char *)"make",
                                             .output = (char *)"app.patch",
                                             .loop = made->loop,
                                             .loop_nr = 2,
                                             .whole = {.program = quantity_unknown()}};
}

static void confirmed(struct application_loop *loop, double gain)
{
    loop->end = LOOP_CONFIRMED;
    loop->plan = (char *)"tile(i:32)";
    loop->alone = about(2 * gain);
    loop->in_app.end = IN_APP_MEASURED;
    loop->in_app.program = about(gain);
    loop->in_app.pair_nr = 7;
}

/* In one line. */
static char *said(const struct application *application)
{
    struct buf out = {0};
    char *text;

    application_text(application, false, 79, &out);
    text = buf_detach(&out);
    for (char *at = text, *to = text;; at++) {
        bool blank = *at == ' ' || *at == '\n';

        if (!blank || (to > text && to[-1] != ' '))
            *to++ = blank ? ' ' : *at;
        if (!*at)
            return text;
    }
}

static void check_said(const struct application *application, const char *first,
                       const char *second)
{
    char *text = said(application);

    check_contains(text, first);
    check_contains(text, second);
    free(text);
}

TEST("the report begins with how much of its time the program takes")
{
    struct made made;

    make(&made);
    confirmed(&made.loop[0], 1.25);
    made.loop[1].why = (char *)"its source is not here";
    made.application.whole =
        (struct in_app_result){.end = IN_APP_MEASURED,
                               .program = about(1.25),
                               .program_s = {quantity_exact(5, PROVENANCE_CLOCK),
                                             quantity_exact(4, PROVENANCE_CLOCK)}};
    char *text = said(&made.application);
    check_eq(
        strncmp(text, "The program now takes 0.80 of its time (0.78 to 0.82, 95 %)", 59),
        0);
    check_contains(text, "4 s instead of 5 s, by 7 pairs");
    check_contains(text, "sweep, src/a.c:10: tile(i:32)");
    check_contains(text, "alone 2.50x as fast");
    check_contains(text, "spread, src/a.c:11: not tuned: its source is not here");
    free(text);
}

TEST("nothing is claimed of what is not faster, or not together")
{
    struct made made;

    make(&made);
    made.loop[0].end = LOOP_NOTHING;
    made.loop[0].why = (char *)"no plan was faster beyond the noise";
    made.loop[1].end = LOOP_UNCONFIRMED;
    made.loop[1].plan = (char *)"vec(i:8)";
    made.loop[1].why = (char *)"the program as a whole: no change";
    check_said(&made.application, "The program stays as it is",
               "vec(i:8): the program as a");

    confirmed(&made.loop[0], 1.2);
    confirmed(&made.loop[1], 1.3);
    made.application.whole.sentence = (char *)"it ended with status 1";
    check_said(&made.application, "together nothing is claimed: it ended with status 1",
               "'app.patch'");
    made.application.whole.sentence = NULL;
    made.application.whole.end = IN_APP_MEASURED;
    made.application.whole.program = about(1.5);
    made.application.whole.output = (char *)"what the two print differs in 1 line";
    check_said(&made.application,
               "together nothing is claimed: what the two print differs", "'app.patch'");
    made.application.whole.output = NULL;
    made.application.whole.program = quantity_unknown();
    made.application.interrupted = true;
    check_said(&made.application, "2 loops are confirmed, not yet all together",
               "Interrupted");
}

TEST("a dry run says what would be done")
{
    struct made made;

    make(&made);
    made.settings.dry_run = true;
    made.loop[0].end = LOOP_READY;
    made.loop[0].prepared = (char *)"lines 9 to 14 become the function sweep_loop_9";
    made.loop[1].why = (char *)"written in Fortran";
    check_said(&made.application, "Of 2 hot loops 1 would be tuned",
               "become the function");
}

/* ---- a project ---- */

static const char app_c[] = "#include <stdio.h>\n"
                            "#include <stdlib.h>\n"
                            "#include \"grid.h\"\n"
                            "int main(int argc, char **argv)\n"
                            "{\n"
                            "    int rounds = argc > 1 ? atoi(argv[1]) : 1;\n"
                            "    double *a = calloc(SIZE * SIZE, sizeof(*a)), *b = "
                            "calloc(SIZE * SIZE, sizeof(*b));\n"
                            "    for (int round = 0; round < rounds; round++)\n"
                            "        turn(SIZE, a, b);\n"
                            "    printf(\"%g\\n\", sum(SIZE, b));\n"
                            "    return 0;\n"
                            "}\n";

/* A loop that is all of its function, and one between others, with a variable that lives
 * on. */
static const char grid_c[] = "#include <math.h>\n"
                             "#include <stdio.h>\n"
                             "#include \"grid.h\"\n"
                             "void turn(int n, double *restrict a, double *restrict b)\n"
                             "{\n"
                             "    for (int i = 0; i < n; i++)\n"
                             "        for (int j = 0; j < n; j++)\n"
                             "            b[j * n + i] += a[i * n + j] + 1;\n"
                             "}\n"
                             "double sum(int n, const double *b)\n"
                             "{\n"
                             "    double all = 0;\n"
                             "    if (n < 1)\n"
                             "        fprintf(stderr, \"empty\\n\");\n"
                             "    for (int i = 0; i < 40 * n; i++)\n"
                             "        for (int j = 0; j < n; j++)\n"
                             "            all += b[(i % n) * n + j] / 3;\n"
                             "    return sqrt(all);\n"
                             "}\n";

struct project_made {
    char *root;
    struct error err;
};

static void write_text(struct project_made *made, const char *name, const char *text)
{
    char *path = path_join(made->root, name);

    check_ok(file_write(path, text, strlen(text), &made->err), &made->err);
    free(path);
}

/* SIZE is known to the build alone, and there is no -g. */
static bool project_begin(struct project_made *made)
{
    *made = (struct project_made){0};
    if (!check_ok(scratch_make(&made->root, &made->err), &made->err))
        return false;
    write_text(made, "app.c", app_c);
    write_text(made, "grid.c", grid_c);
    write_text(made, "grid.h",
               "void turn(int n, double *restrict a, double *restrict b);\n"
               "double sum(int n, const double *b);\n");
    write_text(made, "Makefile",
               "CC = gcc\n"
               "app: app.o grid.o\n\t$(CC) -o $@ app.o grid.o -lm\n"
               "%.o: %.c\n\t$(CC) -O2 -DSIZE=900 -c $<\n");
    return true;
}

static int run(const struct project_made *made, const char *words,
               struct spawn_outcome *outcome)
{
    struct strvec argv = {0};
    struct error err = {0};

    strvec_split(&argv, words);
    check_ok(spawn_run(&(struct spawn_request){.argv = (const char *const *)argv.v,
                                               .dir = made->root,
                                               .timeout_s = PATIENCE_S},
                       outcome, &err),
             &err);
    strvec_release(&argv);
    return outcome->end == SPAWN_EXITED ? outcome->code : -1;
}

static bool can_sample(void)
{
    struct error err = {0};

    if (sample_possible(&err) == 0)
        return true;
    check_skip("this kernel does not let us sample");
    return false;
}

TEST("a dry run names the loops of a project and how each is taken")
{
    struct project_made made;
    struct spawn_outcome outcome;
    json_t *document = NULL;

    if (!can_sample() || !project_begin(&made))
        return;
    check_eq(run(&made, INFLIGHT_PROGRAM " tune --dry-run --json --quiet -- ./app 300",
                 &outcome),
             0);
    check_str(buf_str(&outcome.err), "");
    if (check_ok(json_read_text(buf_str(&outcome.out), "out",
                                "inflight.application-tuning/1", &document, &made.err),
                 &made.err)) {
        json_t *loop = json_array_get(json_object_get(document, "loops"), 0);

        check_str(json_string_value(json_object_get(loop, "routine")), "turn");
        check_str(json_string_value(json_object_get(loop, "end")), "ready");
        check_str(json_string_value(json_object_get(document, "build")), "make");
    }
    json_decref(document);
    spawn_outcome_release(&outcome);
    check_eq(run(&made, "ls", &outcome), 0);
    check_str(buf_str(&outcome.out), "Makefile\napp.c\ngrid.c\ngrid.h\n");
    spawn_outcome_release(&outcome);
    scratch_remove(made.root);
}

/* Its innermost loops are part of one statement; what stands around it cannot be read. */
static const char pairs_c[] =
    "#include <stdio.h>\n"
    "typedef double triple[3];\n"
    "struct cells {\n"
    "    int nr;\n"
    "    triple *at;\n"
    "};\n"
    "static triple all[1000];\n"
    "static void nearer(const double *a, const double *b, double *least)\n"
    "{\n"
    "    double d = 0;\n"
    "    d += (a[0] - b[0]) * (a[0] - b[0]);\n"
    "    d += (a[1] - b[1]) * (a[1] - b[1]);\n"
    "    if (d < *least)\n"
    "        *least = d;\n"
    "}\n"
    "static void steps(struct cells *c, FILE *out)\n"
    "{\n"
    "    for (int step = 0; step < 150; step++) {\n"
    "        double sum = 0;\n"
    "        for (int i = 0; i < c->nr; i++) {\n"
    "            if (i == step)\n"
    "                continue;\n"
    "            for (int j = 0; j < c->nr; j++) {\n"
    "                double least = 9;\n"
    "                if (c->at[j][2] > step)\n"
    "                    continue;\n"
    "                nearer(c->at[i], c->at[j], &least);\n"
    "                sum += least;\n"
    "            }\n"
    "        }\n"
    "        fprintf(out, \"%g\\n\", sum);\n"
    "    }\n"
    "}\n"
    "int main(void)\n"
    "{\n"
    "    struct cells cells = {1000, all};\n"
    "    for (int i = 0; i < 1000; i++)\n"
    "        for (int k = 0; k < 3; k++)\n"
    "            all[i][k] = i * (k + 3) % 101;\n"
    "    steps(&cells, stdout);\n"
    "    return 0;\n"
    "}\n";

TEST("a nest that is read from outside is taken")
{
    struct project_made made;
    struct spawn_outcome outcome;

    if (!can_sample() || !project_begin(&made))
        return;
    write_text(&made, "pairs.c", pairs_c);
    check_eq(run(&made,
                 INFLIGHT_PROGRAM " tune --dry-run --quiet --top 1 --build 'gcc -O2 -g "
                                  "pairs.c -o pairs' -- ./pairs",
                 &outcome),
             0);
    check_contains(buf_str(&outcome.out), "steps_loop_20");
    check_str(buf_str(&outcome.err), "");
    spawn_outcome_release(&outcome);
    scratch_remove(made.root);
}

/* What is found depends on the machine; that it is right does not. */
TEST("the patch, if there is one, fits, and the program prints the same")
{
    struct project_made made;
    struct spawn_outcome outcome, before;

    if (ONLY_OWN_CODE || !can_sample() || !project_begin(&made))
        return;
    check_eq(run(&made, "make", &before), 0);
    spawn_outcome_release(&before);
    check_eq(run(&made, "./app 50", &before), 0);
    check_eq(run(&made, INFLIGHT_PROGRAM " tune --budget 20s --quiet --top 2 -- ./app 50",
                 &outcome),
             0);
    check_contains(buf_str(&outcome.out), "turn, grid.c:");
    check_str(buf_str(&outcome.err), "");
    spawn_outcome_release(&outcome);
    char *patch = path_join(made.root, "app.patch");
    if (file_exists(patch)) {
        check_eq(run(&made, "patch -p1 -i app.patch", &outcome), 0);
        spawn_outcome_release(&outcome);
        check_eq(run(&made, "make", &outcome), 0);
        spawn_outcome_release(&outcome);
        check_eq(run(&made, "./app 50", &outcome), 0);
        check_str(buf_str(&outcome.out), buf_str(&before.out));
        spawn_outcome_release(&outcome);
    }
    free(patch);
    spawn_outcome_release(&before);
    scratch_remove(made.root);
}

TEST("what stands in the way is said before anything is built")
{
    static const struct {
        const char *words, *says;
        int code;
    } wrong[] = {
        {" tune -f turn -- ./app", "--function does not go with a program", 2},
        {" tune --top 2 grid.c", "--top, --dry-run and --frequency are for a program", 2},
        {" tune --build false -- ./app", "'false' does not build the program", 1},
        {" tune --build true -- ./app", "./app", 1},
        {" tune --in-app-dir nowhere -- ./app", "there is no folder 'nowhere'", 2},
    };
    struct project_made made;

    if (!can_sample() || !project_begin(&made))
        return;
    for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
        struct spawn_outcome outcome;
        char *words = xasprintf("%s%s", INFLIGHT_PROGRAM, wrong[i].words);

        check_eq(run(&made, words, &outcome), wrong[i].code);
        check_contains(buf_str(&outcome.err), wrong[i].says);
        spawn_outcome_release(&outcome);
        free(words);
    }
    scratch_remove(made.root);
}
