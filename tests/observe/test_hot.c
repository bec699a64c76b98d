/* From samples to routines and loops: made-up samples on a program that is built here,
 * and real ones of it where the kernel lets us. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/code/code.h"
#include "core/files/fs.h"
#include "observe/observe.h"
#include "tests/check.h"

SUITE(observe_hot);

static const char program[] =
    "#include <pthread.h>\n"                              /* 1 */
    "#include <stdlib.h>\n"                               /* 2 */
    "static double half(double x) { return x * 0.5; }\n"  /* 3 */
    "static double a[4096];\n"                            /* 4 */
    "__attribute__((noinline)) double walk(long turns)\n" /* 5 */
    "{\n"                                                 /* 6 */
    "    double s = 0;\n"                                 /* 7 */
    "    for (long t = 0; t < turns; t++)\n"              /* 8 */
    "        for (int i = 0; i < 4096; i++)\n"            /* 9 */
    "            s += half(a[i]) / 3;\n"                  /* 10 */
    "    return s;\n"                                     /* 11 */
    "}\n"                                                 /* 12 */
    "static long turns;\n"                                /* 13 */
    "static void *work(void *none)\n"                     /* 14 */
    "{\n"                                                 /* 15 */
    "    a[0] += walk(turns);\n"                          /* 16 */
    "    return none;\n"                                  /* 17 */
    "}\n"                                                 /* 18 */
    "int main(int argc, char **argv)\n"                   /* 19 */
    "{\n"                                                 /* 20 */
    "    pthread_t other;\n"                              /* 21 */
    "    turns = argc > 1 ? atol(argv[1]) : 1;\n"         /* 22 */
    "    pthread_create(&other, 0, work, 0);\n"           /* 23 */
    "    work(0);\n"                                      /* 24 */
    "    pthread_join(other, 0);\n"                       /* 25 */
    "    return argc > 2 ? atoi(argv[2]) : 0;\n"          /* 26 */
    "}\n";                                                /* 27 */

struct built {
    char *folder, *source, *program;
};

static bool set_up(struct built *built)
{
    struct error err = {0};
    char *dir;

    check_ok(scratch_make(&built->folder, &err), &err);
    dir = path_join(built->folder, "a folder");
    check_ok(dir_make_all(dir, &err), &err);
    built->source = path_join(dir, "walk.c");
    built->program = path_join(dir, "walk it");
    free(dir);
    check_ok(file_write(built->source, program, sizeof(program) - 1, &err), &err);

    const char *const argv[] = {"gcc", "-O2",          "-g",       built->source,
                                "-o",  built->program, "-pthread", NULL};
    struct spawn_request request = {.argv = argv, .timeout_s = PATIENCE_S};
    struct spawn_outcome outcome = {0};
    bool works = check_ok(spawn_run(&request, &outcome, &err), &err) &&
                 check_str(buf_str(&outcome.err), "") && check_eq(outcome.code, 0);

    spawn_outcome_release(&outcome);
    return works;
}

static void tear_down(struct built *built)
{
    free(built->source);
    free(built->program);
    scratch_remove(built->folder);
}

/* Of code of the line in the inner loop. */
static uint64_t offset_of(const struct built *built, int line)
{
    struct image *image;
    struct image_place place;
    struct error err = {0};
    uint64_t found = 0;

    if (!check_ok(image_open(built->program, &image, &err), &err))
        return 0;
    for (uint64_t offset = 1; offset < 1 << 16 && !found; offset++) {
        uint64_t address = image_address(image, offset);

        if (address == UINT64_MAX)
            continue;
        image_find(image, address, &place);
        if (place.line == line && place.loop && place.loop->line_nr &&
            place.loop->line[0] == 9)
            found = offset;
    }
    check(found > 0);
    image_free(image);
    return found;
}

/* Two threads in the loop, 300 and 200 samples; 30 in code without a file; 20 in a
 * program that is not there. */
static void make_samples(const struct built *built, struct samples *samples)
{
    static const struct sample_thread thread[] = {
        {7, 7, 0, 0, 0.5}, {7, 8, 0, 0, 0.4}, {9, 9, 2, 0.6, 0.7}};
    const char *const module[] = {built->program, "[vdso]", "/nowhere/tool"};
    const struct sample_hit hit[] = {{0, 0, offset_of(built, 10), 200, 7},
                                     {0, 0, offset_of(built, 9), 100, 0},
                                     {1, 0, offset_of(built, 10), 200, 3},
                                     {1, 1, 64, 30, 0},
                                     {2, 2, 4096, 20, 0}};

    *samples = (struct samples){
        .frequency_hz = 1000, .total = 550, .wall_s = 0.5, .dir = xstrdup("/")};
    for (size_t i = 0; i < ARRAY_SIZE(module); i++) {
        GROW(samples->module, i + 1, samples->module_alloc);
        samples->module[samples->module_nr++].path = xstrdup(module[i]);
    }
    for (size_t i = 0; i < ARRAY_SIZE(thread); i++) {
        GROW(samples->thread, i + 1, samples->thread_alloc);
        samples->thread[samples->thread_nr++] = thread[i];
    }
    for (size_t i = 0; i < ARRAY_SIZE(hit); i++) {
        GROW(samples->hit, i + 1, samples->hit_alloc);
        samples->hit[samples->hit_nr++] = hit[i];
    }
}

static void check_walk(const struct built *built, const struct hot_routine *walk)
{
    check_str(walk->name, "walk");
    check_eq(walk->kind, HOT_SOURCE);
    check_eq(walk->line, 5);
    check_str(walk->source, built->source);
    check_str(walk->language, "C");
    check(!walk->inlined_into);
    check_eq(walk->samples, 500);
    check_eq(walk->misses, 10);
    check_eq(walk->threads, 2);
    check_eq(walk->processes, 1);
    check_near(walk->share.value, 500.0 / 550, 1e-9);
    check_near(walk->cpu_s.value, 0.5, 1e-9);
    check_near(walk->busiest_s.value, 0.3, 1e-9);
    if (!check_eq(walk->loop_nr, 1))
        return;
    check_eq(walk->loop[0].line, 9);
    check_eq(walk->loop[0].samples, 500);
    check_eq(walk->loop[0].last_line, 10);
}

TEST("routines and loops")
{
    struct built built;
    struct samples samples;
    struct hot hot = {0};

    if (set_up(&built)) {
        make_samples(&built, &samples);
        hot_find(&samples, &hot);
        check_eq(hot.threads, 3);
        check_eq(hot.processes, 2);
        check_eq(hot.unresolved, 50);
        check_near(hot.busiest_s, 0.32, 1e-9); /* one process after the other */
        check_near(hot_running_s(&hot, &samples), 0.32, 1e-9);
        samples.user_s = 0.5;
        samples.system_s = 0.25;
        check_near(hot_running_s(&hot, &samples), 0.48, 1e-9);
        samples.system_s = 1;
        check_near(hot_running_s(&hot, &samples), 0.5, 1e-9); /* not above wall time */
        if (check_eq(hot.nr, 3)) {
            check_walk(&built, &hot.routine[0]);
            check_eq(hot.routine[1].kind, HOT_NO_FILE);
            check_str(hot.routine[1].name, "[vdso]");
            check_eq(hot.routine[2].kind, HOT_MODULE);
            check_str(hot.routine[2].name, "tool");
        }
        hot_release(&hot);
        samples_release(&samples);
    }
    tear_down(&built);
}

static void check_seconds(const struct samples *samples, struct sample_routine routine,
                          uint64_t want)
{
    struct sample_seconds got = samples_in_routine(samples, &routine);

    check_eq(got.samples, want);
    check_near(got.cpu_s.value, (double)want / 1000, 1e-9);
    check_near(got.resolved, 500.0 / 550, 1e-9);
    check(got.cpu_s.low <= got.cpu_s.value && got.cpu_s.high > got.cpu_s.value);
}

TEST("seconds in a routine")
{
    struct built built;
    struct samples samples;

    if (set_up(&built)) {
        make_samples(&built, &samples);
        check_seconds(&samples, (struct sample_routine){.function = "walk"}, 500);
        check_seconds(&samples,
                      (struct sample_routine){.function = "walk", .file = "walk.c"}, 500);
        check_seconds(&samples,
                      (struct sample_routine){.function = "walk", .file = "other.c"}, 0);
        check_seconds(&samples, (struct sample_routine){.function = "wal"}, 0);
        check_seconds(
            &samples,
            (struct sample_routine){.file = "walk.c", .first_line = 10, .last_line = 12},
            400);
        check_seconds(&samples,
                      (struct sample_routine){.function = "half",
                                              .file = built.source,
                                              .first_line = 9,
                                              .last_line = 9},
                      100);
        samples_release(&samples);
    }
    tear_down(&built);
}

TEST("gains of the whole")
{
    struct hot_routine routine = {
        .busiest_s = quantity_between(0.5, 0.4, 0.6, 500, PROVENANCE_SAMPLED)};

    check_near(hot_whole_gain(&routine, 1, 2).value, 4.0 / 3, 1e-9);
    check_near(hot_whole_gain(&routine, 1, 2).low, 1.25, 1e-9);
    check_near(hot_whole_gain(&routine, 1, 2).high, 1 / 0.7, 1e-9);
    check_near(hot_whole_gain(&routine, 0.2, 2).value, 2, 1e-9); /* never above it */
    check(!hot_whole_gain(&routine, NAN, 2).known);
    check(!hot_matters(9, sample_share(9, 10)));
    check(!hot_matters(12, sample_share(12, 1000)));
    check(hot_matters(30, sample_share(30, 1000)));
}

TEST("sources that moved")
{
    struct built built;
    char *found, *dir;

    if (set_up(&built)) {
        found = hot_source(built.source, "/");
        check_str(found, built.source);
        free(found);
        found = hot_source("/gone/a folder/walk.c", built.folder);
        check_str(found, built.source);
        free(found);
        dir = path_join(built.folder, "a folder");
        found = hot_source("walk.c", dir);
        check_str(found, built.source);
        free(found);
        check(!hot_source("/gone/other.c", built.folder));
        check(!hot_source(NULL, "/"));
        free(dir);
    }
    tear_down(&built);
}

/* ---- for real ---- */

static bool cannot_sample(void)
{
    struct error err = {0};

    if (sample_possible(&err) == 0)
        return false;
    check_skip(err.text);
    return true;
}

/* A shell that starts it twice: the second time it fails. */
TEST("a program is sampled")
{
    struct built built;
    struct samples samples = {0};
    struct spawn_outcome outcome = {0};
    struct error err = {0};

    if (cannot_sample())
        return;
    if (set_up(&built)) {
        char *script =
            xasprintf("'%s' 20000; '%s' 20000 5", built.program, built.program);
        const char *const argv[] = {"sh", "-c", script, NULL};
        struct spawn_request request = {.argv = argv, .timeout_s = PATIENCE_S};

        if (check_ok(sample_run(&request, &(struct sample_options){.misses = true},
                                &samples, &outcome, &err),
                     &err)) {
            struct sample_seconds got = samples_in_routine(
                &samples, &(struct sample_routine){.function = "walk"});

            check_eq(outcome.code, 5);
            check_eq(samples.code, 5);
            check(samples.total > 20 && got.samples > samples.total / 2);
            check_eq(got.threads, 4);
            check_str(samples.argv.v[0], "sh");
            check((samples.miss_event != NULL) != (samples.miss_why != NULL));
        }
        free(script);
    }
    samples_release(&samples);
    spawn_outcome_release(&outcome);
    tear_down(&built);
}

TEST("a program that is not there")
{
    static const char *const argv[] = {"/nowhere/program", NULL};
    struct spawn_request request = {.argv = argv};
    struct samples samples = {0};
    struct spawn_outcome outcome = {0};
    struct error err = {0};

    if (cannot_sample())
        return;
    check_ok(sample_run(&request, &(struct sample_options){0}, &samples, &outcome, &err),
             &err);
    check_eq(outcome.end, SPAWN_NOT_STARTED);
    check_eq(samples.total, 0);
    samples_release(&samples);
    spawn_outcome_release(&outcome);
}
