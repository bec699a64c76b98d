#define _DEFAULT_SOURCE /* usleep */
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/run/run_parts.h"
#include "tests/core/run/fake_runs.h"

SUITE(run_samples);

/* ---- which samples count ---- */

/* "3 1* 2" in microseconds; * is a disturbed one, | begins the next launch. */
static struct run_result result_of(const char *text)
{
    struct run_result result = {0};
    unsigned launch = 0;

    for (char *end; *text; text = end) {
        struct run_sample sample = {.seconds = strtod(text, &end) * 1e-6};

        sample.slowest_s = sample.seconds;
        sample.launch = launch;
        for (; *end && !(*end >= '0' && *end <= '9'); end++) {
            sample.disturbed |= *end == '*' ? RUN_DISTURBED_SWITCHED : 0;
            launch += *end == '|';
        }
        GROW(result.sample, result.sample_nr + 1, result.sample_alloc);
        result.sample[result.sample_nr++] = sample;
    }
    result.launches = launch + 1;
    return result;
}

static char *text_of(const struct run_sample *sample, size_t nr)
{
    struct buf out = {0};

    for (size_t i = 0; i < nr; i++)
        buf_addf(&out, "%s%.0f%s", i ? " " : "", sample[i].seconds * 1e6,
                 sample[i].disturbed ? "*" : "");
    buf_add(&out, "");
    return buf_detach(&out);
}

TEST("the least of every K is taken")
{
    static const struct {
        const char *all, *kept;
        size_t minimum_of, disturbed;
    } cases[] = {
        {"3 1 2", "3 1 2", 1, 0},
        {"3 1 2 5 4 6", "1 4", 3, 0},
        {"3 1* 2 5 4 6 7", "1* 2 4", 3, 1}, /* the last begins a group and is left out */
        {"3* 1* 2*", "1*", 3, 3},
        {"3* 1* 2* 4*", "3* 1* 2* 4*", 1, 4},
        {"3 2", "2", 5, 0}, /* no group is finished */
        {"9* 3 2", "9* 2", 2, 1},
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct run_result result = result_of(cases[i].all);
        char *kept;

        samples_take_least(&result, 0, cases[i].minimum_of);
        kept = text_of(result.sample, result.sample_nr);
        check_str(kept, cases[i].kept);
        check_eq(result.disturbed_nr, cases[i].disturbed);
        free(kept);
        run_result_release(&result);
    }
}

TEST("disturbed samples do not count")
{
    static const struct {
        const char *all, *count;
        double median_us;
    } cases[] = {
        {"1 9* 1 | 2 2 | 3 8* 3", "1 1 2 2 3 3", 2},
        {"1 1 | 9* 9* | 2 2", "1 1 9* 9* 2 2", 2}, /* that launch has nothing better */
        {"7* 7*", "7* 7*", 7},
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct run_result result = result_of(cases[i].all);
        struct run_sample *count = xcalloc(result.sample_nr, sizeof(*count));
        char *text = text_of(count, samples_that_count(&result, count));

        check_str(text, cases[i].count);
        check_near(run_time_s(&result).value, cases[i].median_us * 1e-6, 1e-9);
        free(text);
        free(count);
        run_result_release(&result);
    }
}

/* ---- through a launch ---- */

TEST("disturbances are kept and told")
{
    struct fixture fixture = fixture_make();
    struct run_result result;

    result = measure_fake(&fixture, "--times 1e-6,5e-6 --disturbed 0,12");
    check_eq(result.sample_nr, 2);
    check_eq(result.sample[1].disturbed, RUN_DISTURBED_STOLEN | RUN_DISTURBED_SLOWED);
    check_eq(result.disturbed_nr, 1);
    check_near(run_time_s(&result).value, 1e-6, 1e-9);
    check(result.note == NULL);
    run_result_release(&result);
    result = measure_fake(&fixture, "--times 1e-6 --disturbed 1,2");
    check_str(result.note,
              "every sample was disturbed (switched away, page faults), so all count");
    run_result_release(&result);
    fixture_drop(&fixture);
}

TEST("programs are told start and batches")
{
    struct fixture fixture = fixture_make();
    char *log = path_join(fixture.side, "log");
    char *args = xasprintf("--log %s", log);
    struct run_result result;
    struct buf text = {0};

    fixture.opts.start = RUN_START_COLD_CODE;
    fixture.opts.minimum_of = 3;
    result = measure_fake(&fixture, args);
    check_eq(result.sample_nr, 2); /* of six batches */
    check_ok(file_read(log, &text, &fixture.err), &fixture.err);
    check_contains(buf_str(&text), " --start cold-code --samples 6 ");
    buf_release(&text);
    run_result_release(&result);
    free(args);
    free(log);
    fixture_drop(&fixture);
}

TEST("words are their own inverse")
{
    enum run_start start;
    enum run_background background;

    for (int i = 0; i < RUN_START_NR; i++)
        check(run_start_from_word(run_start_word((enum run_start)i), &start) &&
              start == (enum run_start)i);
    for (int i = 0; i < RUN_BACKGROUND_NR; i++)
        check(run_background_from_word(run_background_word((enum run_background)i),
                                       &background) &&
              background == (enum run_background)i);
    check(!run_start_from_word("hot", &start));
    check(!run_background_from_word("", &background));
}

/* ---- background ---- */

static bool neighbours(int a, int b) /* 0 and 1 are one core, 2 and 3 ... */
{
    return a / 2 == b / 2;
}

TEST("helpers go where no copy is")
{
    static const struct {
        int allowed[8], used[8];
        size_t allowed_nr, used_nr;
        const char *want;
        bool on_siblings;
    } cases[] = {
        {{0, 1, 2, 3, 4, 5}, {0}, 6, 1, "2 4", false},
        {{0, 1, 2, 3}, {0, 2}, 4, 2, "1 3", true},
        {{0, 2, 4}, {0}, 3, 1, "2 4", false},
        {{0, 1}, {0, 1}, 2, 2, "", false},
        {{3}, {3}, 1, 1, "", false},
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        int cpu[8];
        bool on_siblings;
        size_t nr = background_cpus(cases[i].allowed, cases[i].allowed_nr, cases[i].used,
                                    cases[i].used_nr, neighbours, cpu, &on_siblings);
        struct buf text = {0};

        for (size_t k = 0; k < nr; k++)
            buf_addf(&text, "%s%d", k ? " " : "", cpu[k]);
        check_str(buf_str(&text), cases[i].want);
        check_eq(on_siblings, cases[i].on_siblings);
        buf_release(&text);
    }
}

/* As many copies as cpus leave none; more than this machine has need not be had. */
TEST("background says what it could not")
{
    struct fixture fixture = fixture_make();
    struct run_result result;

    fixture.opts.background = RUN_BACKGROUND_MEMORY;
    fixture.opts.threads = (int)sysconf(_SC_NPROCESSORS_CONF);
    result = measure_fake(&fixture, "--times 1e-6");
    check_eq(result.outcome, RUN_OUTCOME_OK);
    check_str(result.note, "no background load: the copies use every core; ask for fewer "
                           "copies");
    run_result_release(&result);
    fixture_drop(&fixture);
}

TEST("background runs beside and ends")
{
    struct fixture fixture = fixture_make();
    struct run_program program = {.path = FAKE_HARNESS};
    struct run_opts opts = launch_defaults(&fixture.opts);
    struct background background = {0};

    if (sysconf(_SC_NPROCESSORS_ONLN) < 2) {
        check_skip("one processor: none is left for a background load");
        fixture_drop(&fixture);
        return;
    }
    opts.background = RUN_BACKGROUND_MEMORY;
    check_ok(
        background_start(&program, &opts, fixture.scratch, &background, &fixture.err),
        &fixture.err);
    if (background.nr > 0) { /* none when we are bound to one processor */
        pid_t pid = spawn_pid(background.child[0]);

        check_eq(entries_in(fixture.scratch), background.nr);
        check_eq(kill(pid, 0), 0);
        background_stop(&background);
        check(background.note == NULL);
        check(kill(pid, 0) != 0);
    }
    background_release(&background);
    opts.background = RUN_BACKGROUND_DISK; /* the stand-in ends at once */
    check_ok(
        background_start(&program, &opts, fixture.scratch, &background, &fixture.err),
        &fixture.err);
    if (background.nr > 0) {
        siginfo_t ended; /* and is left there */
        check_eq(waitid(P_PID, (id_t)spawn_pid(background.child[0]), &ended,
                        WEXITED | WNOWAIT),
                 0);
    }
    if (background.nr > 0) {
        background_stop(&background);
        check_str(background.note, "the background load ended before the samples did");
    }
    background_release(&background);
    dir_remove_all(fixture.scratch);
    scratch_remove(fixture.side);
    free(fixture.scratch);
}
