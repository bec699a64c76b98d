/* tune -- PROGRAM: what is said of each end, and a project of which nothing is known. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/application/application.h"
#include "advisor/application/tuning.h"
#include "advisor/cli/settings.h"
#include "core/base.h"
#include "core/machine/machine.h"
#include "observe/in_app/inputs_capture.h"
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
                                                  .module = (char *)"app",
                                                  .line = 10 + i,
                                                  .routine = made->routine[i].name,
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
                               .pair_nr = 7,
                               .program_s = {quantity_exact(5, PROVENANCE_CLOCK),
                                             quantity_exact(4, PROVENANCE_CLOCK)}};
    char *text = said(&made.application);
    check_eq(strncmp(text,
                     "The program now takes 0.80 of its former time (0.78 to 0.82, 95 %)",
                     59),
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
    check_said(
        &made.application,
        "2 changes help one by one, but no gain is claimed for all of them together",
        "it ended with status 1. Confirmed one by one:");
    made.application.whole.sentence = NULL;
    made.application.whole.end = IN_APP_MEASURED;
    made.application.whole.program = about(1.5);
    made.application.whole.output = (char *)"the outputs of the two differ in 1 line";
    check_said(
        &made.application,
        "no gain is claimed for all of them together: the outputs of the two differ",
        "tile(i:32)");
    made.application.whole.output = NULL;
    made.application.whole.program = quantity_unknown();
    made.application.interrupted = true;
    check_said(&made.application, "2 changes are confirmed, not yet all together",
               "Interrupted");
}

TEST("what was not decided when it was interrupted says so")
{
    struct made made;

    make(&made);
    struct application_memory *memory = made.application.memory;
    memory[MEMORY_MALLOC_HUGE].end = LOOP_UNCONFIRMED;
    memory[MEMORY_MALLOC_HUGE].why = (char *)"the program as a whole: no change";
    memory[MEMORY_MALLOC_KEPT].end = LOOP_READY;
    memory[MEMORY_STATIC_HUGE].why = (char *)"they are 0.1 MiB in all";
    made.loop[0].end = LOOP_READY;
    application_interrupt(&made.application);
    check(made.application.interrupted);
    check_said(
        &made.application, "malloc: huge pages the program as a whole: no change",
        "malloc: keeps memory interrupted before anything was known about it static: "
        "huge pages not tried: they are 0.1 MiB in all");
    check_said(&made.application, "sweep, src/a.c:10: interrupted before anything was",
               "spread, src/a.c:11: interrupted before anything was known about it");
    json_t *json = application_json(&made.application);
    check_str(json_string_value(json_object_get(
                  json_array_get(json_object_get(json, "loops"), 1), "end")),
              "undecided");
    json_decref(json);
}

TEST("a setting is told with what it costs, and where it was not tried why")
{
    struct made made;

    make(&made);
    struct application_memory *memory = made.application.memory;
    memory[MEMORY_MALLOC_HUGE].end = LOOP_CONFIRMED;
    memory[MEMORY_MALLOC_HUGE].in_app = (struct in_app_result){
        .end = IN_APP_MEASURED, .program = about(1.5), .peak_kib = {2048, 4096}};
    memory[MEMORY_MALLOC_KEPT].end = LOOP_UNCONFIRMED;
    memory[MEMORY_MALLOC_KEPT].why = (char *)"the program as a whole: no change";
    memory[MEMORY_STATIC_HUGE].why = (char *)"they are 0.1 MiB in all";
    made.application.environment = (char *)"GLIBC_TUNABLES=glibc.malloc.hugetlb=1";
    made.application.whole =
        (struct in_app_result){.end = IN_APP_MEASURED,
                               .program = about(1.5),
                               .pair_nr = 7,
                               .program_s = {quantity_exact(3, PROVENANCE_CLOCK),
                                             quantity_exact(2, PROVENANCE_CLOCK)}};
    made.application.page_faults = 1000;
    made.application.app.samples.user_s = 3;
    made.application.app.samples.system_s = 1;
    check_said(&made.application,
               "Run it with this, or set it where it is started: "
               "GLIBC_TUNABLES=glibc.malloc.hugetlb=1",
               "malloc: huge pages kept; the program 1.50x as fast (1.47 to 1.53); "
               "memory: 4 MiB at most, instead of 2 MiB");
    check_said(&made.application,
               "1000 page faults; 25 % of its CPU time is in the kernel: without that it "
               "would be 1.33x as fast; page walks",
               "static: huge pages not tried: they are 0.1 MiB in all");
}

/* ---- sizes ---- */

/* Work: 12 * 258 * 3, 5 * 130 * 3, 20 * 10 * 3. */
static struct inputs_number numbers[][2] = {
    {{(char *)"n", (char *)"10"}, {(char *)"m", (char *)"3"}},
    {{(char *)"n", (char *)"258"}, {(char *)"m", (char *)"3"}},
    {{(char *)"n", (char *)"130"}, {(char *)"m", (char *)"3"}},
};
static struct call_size three[] = {
    {numbers[0], 2, .first_call = 1, .later_call = 30, .calls = 20},
    {numbers[1], 2, .first_call = 2, .later_call = 17, .calls = 12},
    {numbers[2], 2, .first_call = 3, .later_call = 9, .calls = 5},
};
static const struct call_sizes three_sizes = {.item = three, .nr = 3, .calls = 37};

TEST("the size with most of the work comes first")
{
    struct application_loop loop = {0};

    loop_sizes_take(&loop, &three_sizes);
    check_eq(loop.size_nr, 3);
    check_eq(loop.calls, 37);
    check_str(loop.size[0].numbers, "n = 258, m = 3");
    check_eq(loop.size[0].captured_call, 17);
    check_near(loop.size[0].work, 3096.0 / (3096 + 650 + 200), 1e-12);
    check_str(loop.size[2].numbers, "n = 10, m = 3");
    loop_sizes_release(&loop);
}

TEST("an interval from noise is no figure")
{
    struct made made;

    make(&made);
    confirmed(&made.loop[0], 1.25);
    made.loop[0].alone = quantity_between(40, 0.15, 10744, 9, PROVENANCE_CLOCK);
    char *text = said(&made.application);
    check(!strstr(text, "alone"));
    check_contains(text, "the program 1.25x as fast");
    free(text);
}

/* `n` may be the length of a row: long rows are no more rounds. */
TEST("rounds that the loop model counts go before the product of the numbers")
{
    struct call_size counted[3];
    struct call_sizes sizes = {.item = counted, .nr = 3, .calls = 37};
    struct application_loop loop = {0};

    memcpy(counted, three, sizeof(counted));
    for (size_t i = 0; i < 3; i++)
        counted[i].iterations = 1000;
    loop_sizes_take(&loop, &sizes);
    check_str(loop.size[0].numbers, "n = 10, m = 3");
    check_near(loop.size[0].work, 20.0 / 37, 1e-12);
    loop_sizes_release(&loop);
    counted[1].iterations = 0; /* of one it does not know them: of none then */
    loop = (struct application_loop){0};
    loop_sizes_take(&loop, &sizes);
    check_str(loop.size[0].numbers, "n = 258, m = 3");
    loop_sizes_release(&loop);
}

TEST("sizes at which a plan is slower part from the others by one number, or not at all")
{
    static const struct {
        double middle, small; /* gains; 0 = not known */
        const char *name;     /* NULL = there is none */
        long long least;
    } cases[] = {
        {1.3, 0.8, "n", 130}, {1.3, 1.2, NULL, 0}, {0.8, 0.8, "n", 258},
        {0.8, 1.3, NULL, 0},  {0, 0.8, "n", 258},  {1, 0.8, "n", 130},
        {0, 0, NULL, 0},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct application_loop loop = {0};
        const char *name = NULL;
        long long least = 0;

        loop_sizes_take(&loop, &three_sizes);
        if (cases[i].middle > 0)
            loop.size[1].gain = about(cases[i].middle);
        if (cases[i].small > 0)
            loop.size[2].gain = about(cases[i].small);
        check_eq(loop_sizes_divide(&loop, &name, &least), cases[i].name != NULL);
        if (cases[i].name) {
            check_str(name, cases[i].name);
            check_eq(least, cases[i].least);
        }
        loop_sizes_release(&loop);
    }
}

TEST("the report says for which sizes a gain holds")
{
    struct made made;

    make(&made);
    confirmed(&made.loop[0], 1.25);
    loop_sizes_take(&made.loop[0], &three_sizes);
    made.loop[0].sizes_are_some = true;
    check_said(&made.application,
               "called with at least 3 sizes, tuned for n = 258, m = 3 (call 17 of 37)",
               "");
    made.loop[0].sizes_are_some = false;
    made.loop[0].size[1].gain = about(1.3);
    made.loop[0].size[2].gain = about(0.8);
    made.loop[0].size[2].original = true;
    check_said(&made.application,
               "called with 3 sizes, tuned for n = 258, m = 3 (12 of 37 calls); with n = "
               "130, m = 3 (5 calls): 1.3x as fast",
               "with n = 10, m = 3 (20 calls): 0.8x as fast (95 % interval 0.784 to "
               "0.816), that is slower, so that the original loop runs there");
    loop_sizes_release(&made.loop[0]);
}

/* ---- the budget ---- */

TEST("nothing is begun that cannot be confirmed in time")
{
    struct tuning tuning = {.build_s = 2, .run_s = 10};
    const struct tuning brief = {.build_s = 2, .run_s = 0.5},
                        slow_build = {.build_s = 20, .run_s = 10};
    const double pairs_s = tuning_pairs_s(&tuning, 3); /* two builds, 6 runs */
    char *late;

    check_near(pairs_s, 2 * 2 + 6 * 10, 1e-9);
    check_near(tuning_pairs_s(&brief, 3), 2 * 2 + 8 * 0.5, 1e-9); /* the first are cold */
    check_near(tuning_pairs_s(&slow_build, 3), 2 * 20 + 8 * 10, 1e-9); /* not in turn */
    tuning.end_s = tuning.budget_end_s = tuning.until_s = INFINITY;
    check(!tuning_too_late(&tuning, pairs_s));
    check_near(tuning_left_s(&tuning, 5), 0, 0); /* no budget: as the settings say */
    tuning_share(&tuning, 0.5);
    check(isinf(tuning.until_s));
    tuning.end_s = clock_s() + 200;
    check(!tuning_too_late(&tuning, pairs_s));
    tuning_share(&tuning, 0.25);
    check_near(tuning.until_s - clock_s(), 50, 5);
    check_near(tuning_left_s(&tuning, 30), 20, 5);
    tuning.end_s = clock_s() + 60;
    late = tuning_too_late(&tuning, pairs_s);
    if (check(late != NULL))
        check_contains(late, "the budget is used up: ");
    free(late);
}

TEST("the memory comes first where the kernel costs, if its share is enough")
{
    static const struct {
        double system_s, left_s, share;
        bool first;
    } cases[] = {{0.02, 1000, 0.5, false},
                 {0.2, 1000, 0.5, true},
                 {0.2, 100, 0.5, false},
                 {0.2, INFINITY, 0.1, true}};

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct application app = {.app.samples = {.user_s = 1 - cases[i].system_s,
                                                  .system_s = cases[i].system_s}};
        struct tuning tuning = {.app = &app, .build_s = 2, .run_s = 10};

        tuning.end_s = clock_s() + cases[i].left_s;
        check_eq(memory_is_first(&tuning, cases[i].share), cases[i].first);
    }
}

/* As make writes them: "lud.c" in the folder that it was compiled in. */
TEST("the flags of a file are found by its relative name")
{
    static const char entry[] = "[{\"directory\": \"%s/src\", \"file\": \"../src/%s\", "
                                "\"arguments\": [\"/usr/bin/cc\", \"-c\", \"-O2\", "
                                "\"-Wall\", \"k.c\"]}]";
    static const char *const names[] = {"k.c", "other.c"};
    struct error err = {0};
    char *dir = NULL;

    check_ok(scratch_make(&dir, &err), &err);
    char *src = path_join(dir, "src"), *source = path_join(src, "k.c"),
         *other = path_join(src, "other.c"), *database = path_join(dir, "all.json");
    check_ok(dir_make_all(src, &err), &err);
    check_ok(file_write(source, "", 0, &err), &err);
    check_ok(file_write(other, "", 0, &err), &err);
    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        struct trees trees = {0};
        struct strvec words = {0};
        struct buf text = {0};

        buf_addf(&text, entry, dir, names[i]);
        check_ok(file_write(database, buf_str(&text), text.length, &err), &err);
        trees.tree[TREE_PREPARED].root = dir;
        trees.tree[TREE_PREPARED].seen.database = database;
        trees_add_compiler(&trees, "src/k.c", &words);
        check_eq(words.nr, i == 0 ? 2 : 0);
        if (words.nr == 2) {
            check_str(words.v[0], "--compiler=/usr/bin/cc");
            check_str(words.v[1], "--flags=-O2");
        }
        strvec_release(&words);
        buf_release(&text);
    }
    free(src);
    free(source);
    free(other);
    free(database);
    scratch_remove(dir);
}

TEST("no sentence names a folder of ours")
{
    static const struct {
        const char *ours, *users;
    } cases[] = {
        {"/s/r/tuned/app/src/a.c:3: error", "src/a.c:3: error"},
        {"in '/s/r/confirm/app-tuned/app/src/a.c', line 3", "in 'src/a.c', line 3"},
        {"a copy of '/s/r/as-is/app': no", "a copy of '/home/me/app': no"},
        {"'/s/r/turn.inputs' is empty", "'turn.inputs' is empty"},
        {"/s/other/a.c and app", "/s/other/a.c and app"},
        {"/s/r/as is/my app/src/a.c:3", "src/a.c:3"},
    };
    struct trees trees = {
        .scratch = "/s/r",
        .project.root = (char *)"/home/me/app",
        .tree[TREE_ORIGINAL].root = (char *)"/s/r/as is/my app",
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        char *says = trees_in_project(&trees, cases[i].ours);

        check_str(says, cases[i].users);
        free(says);
    }
}

/* ---- all texts, to be read aloud ---- */

static void add_said(struct buf *out, const char *what, const struct made *made)
{
    buf_addf(out, "== %s\n", what);
    application_text(&made->application, false, 79, out);
    buf_add(out, "\n");
}

static void is_faster(struct made *made, size_t compared, size_t varies, int digits)
{
    made->application.whole =
        (struct in_app_result){.end = IN_APP_MEASURED,
                               .program = about(1.25),
                               .pair_nr = 7,
                               .shown = {0, varies, compared, digits},
                               .program_s = {quantity_exact(5, PROVENANCE_CLOCK),
                                             quantity_exact(4, PROVENANCE_CLOCK)}};
}

static void say_verdicts(struct buf *out)
{
    static const struct {
        const char *what;
        size_t compared, varies;
        int digits;
    } shown[] = {{"all is the same", 9, 0, APP_OUTPUT_SAME},
                 {"some varies", 9, 2, APP_OUTPUT_SAME},
                 {"numbers agree", 9, 0, 9},
                 {"numbers agree, some varies", 9, 1, 9},
                 {"it prints no result", 0, 1, APP_OUTPUT_SAME}};
    struct made made;

    for (size_t i = 0; i < ARRAY_SIZE(shown); i++)
        for (int memory = 0; memory < 2; memory++) {
            make(&made);
            if (memory)
                made.application.memory[0].end = LOOP_CONFIRMED;
            else
                confirmed(&made.loop[0], 1.25);
            made.settings.in_app_check = memory && i == 0 ? "./check" : NULL;
            is_faster(&made, shown[i].compared, shown[i].varies, shown[i].digits);
            add_said(out, shown[i].what, &made);
        }
    make(&made);
    add_said(out, "nothing was tried", &made);
    made.loop[0].end = LOOP_NOTHING;
    made.application.interrupted = true;
    add_said(out, "nothing is faster", &made);
    confirmed(&made.loop[0], 1.25);
    confirmed(&made.loop[1], 1.25);
    made.application.interrupted = false;
    made.application.late = (char *)"the budget is used up";
    add_said(out, "late", &made);
    made.application.late = NULL;
    is_faster(&made, 9, 0, APP_OUTPUT_SAME);
    made.application.whole.output = (char *)"the outputs of the two differ in 1 line";
    add_said(out, "not together", &made);
}

static void say_loops(struct buf *out)
{
    static const char *const why[] = {NULL, "there is a reason"};
    struct made made;

    for (int end = LOOP_REFUSED; end <= LOOP_CONFIRMED; end++)
        for (int plan = end == LOOP_CONFIRMED; plan < 2; plan++) {
            make(&made);
            made.loop[0].end = made.loop[1].end = (enum loop_end)end;
            made.application.memory[0].end = made.application.memory[1].end =
                (enum loop_end)end;
            for (int i = 0; i < 2; i++) {
                made.loop[i].plan = (char *)(plan ? "tile(i:32)" : NULL);
                made.loop[i].why = (char *)why[!i || !plan];
                made.application.memory[i].why = (char *)why[!i || !plan];
                made.loop[i].prepared = (char *)(i ? "lines 3 to 5 become f" : NULL);
            }
            made.loop[0].alone = plan ? about(1.5) : quantity_unknown();
            add_said(out, plan ? "an end with a plan" : "an end without", &made);
        }
}

static void say_questions(struct buf *out)
{
    static const struct {
        const char *plan, *why, *sentence;
        double program;
        size_t compared;
        int digits;
    } asked[] = {
        {NULL, NULL, NULL, 0, 0, 0},
        {NULL, "the budget is used up", NULL, 0, 0, 0},
        {"accumulators(j:4)", NULL, NULL, 2.2, 9, 9},
        {"accumulators(j:4)", NULL, NULL, 2.2, 9, 1},
        {"accumulators(j:4)", NULL, NULL, 2.2, 9, 0},
        {"accumulators(j:4)", NULL, NULL, 1.001, 9, APP_OUTPUT_SAME},
        {"accumulators(j:4)", NULL, NULL, 2.2, 0, APP_OUTPUT_SAME},
        {"accumulators(j:4)", NULL, "it ended with status 1", 0, 0, 0},
        {"accumulators(j:4)", "it could not be built", NULL, 0, 0, 0},
    };
    struct made made;

    for (size_t i = 0; i < ARRAY_SIZE(asked); i++) {
        make(&made);
        made.loop[0].end = LOOP_NOTHING;
        made.loop[0].why = (char *)"no plan was faster beyond the noise";
        made.loop[0].parallel = i ? 0 : 3.5;
        made.loop[0].threads = 1;
        made.loop[0].question = (struct application_question){
            .expected = 2.9,
            .plan = (char *)asked[i].plan,
            .why = (char *)asked[i].why,
            .alone = asked[i].plan ? about(2.9) : quantity_unknown(),
            .in_app = {.sentence = (char *)asked[i].sentence,
                       .program = asked[i].program > 0 ? about(asked[i].program)
                                                       : quantity_unknown(),
                       .shown = {0, 0, asked[i].compared, asked[i].digits}}};
        add_said(out, "a question", &made);
    }
}

TEST("every text of the report is a sentence")
{
    struct buf out = {0};

    say_verdicts(&out);
    say_loops(&out);
    say_questions(&out);
    check(!strstr(buf_str(&out), "(null)"));
    check_golden(INFLIGHT_SOURCE_DIR "/tests/data/advisor/program_texts.txt",
                 buf_str(&out));
    buf_release(&out);
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

/* ---- static arrays ---- */

/* Prints how its static arrays are mapped. */
static const char mapped_c[] = "%s#include <stdio.h>\n"
                               "#include <string.h>\n"
                               "static char room[16 << 20];\n"
                               "int main(void)\n"
                               "{\n"
                               "    FILE *maps = fopen(\"/proc/self/smaps\", \"r\");\n"
                               "    unsigned long at = (unsigned long)room + (8 << 20);\n"
                               "    unsigned long low = 0, high = 0, a, b;\n"
                               "    char line[4096];\n"
                               "    while (maps && fgets(line, sizeof(line), maps)) {\n"
                               "        if (sscanf(line, \"%%lx-%%lx \", &a, &b) == 2)\n"
                               "            low = a, high = b;\n"
                               "        if (low <= at && at < high &&\n"
                               "            !strncmp(line, \"VmFlags:\", 8))\n"
                               "            fputs(strstr(line, \" hg\") ? \"huge\" : "
                               "\"small\", stdout);\n"
                               "    }\n"
                               "    return 0;\n"
                               "}\n%s";

/* Caller frees. */
static char *mapped(const char *compile, const char *first, const char *last)
{
    struct spawn_outcome outcome;
    struct error err = {0};
    char *folder = NULL, *words, *says;
    struct buf text = {0};

    check_eq(scratch_make(&folder, &err), 0);
    char *source = path_join(folder, "room.c");
    buf_addf(&text, mapped_c, first, last);
    check_eq(file_write(source, buf_str(&text), text.length, &err), 0);
    words =
        xasprintf("%s -Wall -Wextra -pedantic -Werror room.c -o room && ./room", compile);
    const char *const argv[] = {"sh", "-c", words, NULL};
    const struct spawn_request request = {.argv = argv, .dir = folder, .timeout_s = 60};
    check_eq(spawn_run(&request, &outcome, &err), 0);
    check_str(buf_str(&outcome.err), "");
    says = xstrdup(buf_str(&outcome.out));
    spawn_outcome_release(&outcome);
    scratch_remove(folder);
    buf_release(&text);
    free(source);
    free(words);
    return says;
}

TEST("what is added to a source compiles as C and C++, and maps static arrays")
{
    static const char *const compile[] = {"gcc", "gcc -std=c99", "gcc -O2 -pie -fPIE",
                                          "clang-19 -std=c11", "g++ -x c++"};
    static const char *const first[] = {"", "#include <sys/mman.h>\n"};
    char *plain = mapped("gcc", "", "");
    bool tells = strcmp(memory_thp_mode(), "none") && !strcmp(plain, "small");

    for (size_t i = 0; i < ARRAY_SIZE(compile); i++)
        for (size_t k = 0; k < ARRAY_SIZE(first); k++) {
            char *says = mapped(compile[i], first[k], memory_constructor);

            check_str(says, tells ? "huge" : plain);
            free(says);
        }
    free(plain);
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

/* The words are split as a shell does: its path may hold a blank. */
#define OURS "'" INFLIGHT_PROGRAM "'"

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
    check_eq(run(&made, OURS " tune --dry-run --json --quiet -- ./app 300", &outcome), 0);
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
                 OURS " tune --dry-run --quiet --top 1 --build 'gcc -O2 -g "
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
    check_eq(run(&made, OURS " tune --budget 20s --quiet --top 2 -- ./app 50", &outcome),
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
        char *words = xasprintf("%s%s", OURS, wrong[i].words);

        check_eq(run(&made, words, &outcome), wrong[i].code);
        check_contains(buf_str(&outcome.err), wrong[i].says);
        spawn_outcome_release(&outcome);
        free(words);
    }
    scratch_remove(made.root);
}
