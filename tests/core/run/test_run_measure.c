#include <signal.h>
#include <stdio.h>

#include "tests/core/run/fake_runs.h"

SUITE(run_measure);

TEST("results are what the program said")
{
    struct fixture fixture = fixture_make();
    struct run_result result = measure_fake(&fixture, "--times 1e-6,3e-6");

    check_eq(result.outcome, RUN_OUTCOME_OK);
    check_eq(result.launches, 1);
    if (check_eq(result.sample_nr, 2)) {
        check_near(result.sample[0].seconds, 1e-6, 1e-9);
        check_near(result.sample[1].seconds, 3e-6, 1e-9);
        check_near(result.sample[1].slowest_s, 3e-6, 1e-9);
        check_eq(result.sample[1].launch, 0);
    }
    check_near(result.calls, 20, 0);
    check_near(result.warm_s, 1e-6, 1e-9);
    check_near(result.buffer_bytes, 4096, 0);
    check_near(result.huge_bytes, 2097152, 0);
    check(result.denormal == NULL && result.detail == NULL);
    check(result.max_rss_kib > 0 && result.wall_s > 0);
    run_result_release(&result);
    fixture_drop(&fixture);
}

/* Nor is it what one launch out of two told. */
TEST("absent is not zero")
{
    struct fixture fixture = fixture_make();
    char *last = xasprintf("--from 1 --counter %s/counter "
                           "--do 'text:huge -1;sample 1e-6 1;done;'",
                           fixture.side);
    struct run_result result = measure_fake(&fixture, "--do 'text:sample 1e-6 1;done;'");

    check_eq(result.outcome, RUN_OUTCOME_OK);
    check(result.huge_bytes < 0);
    run_result_release(&result);
    fixture.opts.launches_min = 2;
    result = measure_fake(&fixture, last);
    check_eq(result.launches, 2);
    check(result.huge_bytes < 0);
    run_result_release(&result);
    free(last);
    fixture_drop(&fixture);
}

static struct buf read_side(struct fixture *fixture, const char *name)
{
    char *path = path_join(fixture->side, name);
    struct buf text = {0};

    check_ok(file_read(path, &text, &fixture->err), &fixture->err);
    free(path);
    return text;
}

TEST("programs are told what the protocol says")
{
    struct fixture fixture = fixture_make();
    char *log = path_join(fixture.side, "log");
    char *text = xasprintf("--set n=5 --log %s", log);
    struct strvec args = {0};
    struct run_program program = fake(&args, text);
    struct run_result result;
    struct buf given;

    program.huge_pages = true;
    fixture.opts.copies = 2;
    fixture.opts.threads = 2;
    fixture.opts.cpu = (const int[]){4, 5, 6, 7};
    fixture.opts.memory_limit_bytes = 1e9;
    fixture.opts.sample_min_s = 2e-3;
    fixture.opts.budget_s = 6;
    check_ok(run_measure(&program, &fixture.opts, &result, &fixture.err), &fixture.err);
    given = read_side(&fixture, "log");
    check_contains(buf_str(&given), "--set n=5 --log ");
    check_contains(buf_str(&given), " --pages huge --cpu 4,5 --memory 1000000000 --out ");
    check_contains(buf_str(&given), " --pages huge --cpu 6,7 --memory 1000000000 --out ");
    check_contains(buf_str(&given), " --copies 2 --index 1 --barrier ");
    check_contains(buf_str(&given),
                   " --samples 2 --sample-min-ns 2000000 --limit-ns 6000000000\n");
    check(strstr(buf_str(&given), "--gate") == NULL);
    buf_release(&given);
    run_result_release(&result);
    strvec_release(&args);
    free(text);
    free(log);
    fixture_drop(&fixture);
}

TEST("copies are averaged")
{
    struct fixture fixture = fixture_make();
    struct run_result result;

    fixture.opts.copies = 3;
    result = measure_fake(&fixture, "--times 2e-6 --skew -30");
    check_eq(result.sample_nr, 2);
    check_near(result.sample[0].seconds, 1.4e-6, 1e-6);
    check_near(result.sample[0].slowest_s, 2e-6, 1e-6);
    check_near(result.calls, 20, 1e-9);
    check_near(result.warm_s, 1e-6, 1e-6);
    run_result_release(&result);
    fixture_drop(&fixture);
}

TEST("launches stop when steady")
{
    struct fixture fixture = fixture_make();
    struct run_result result;

    fixture.opts.launches_min = 0;
    fixture.opts.launches_max = 0;
    result = measure_fake(&fixture, "--times 1e-6,1.001e-6");
    check_eq(result.launches, 3);
    check_eq(result.sample_nr, 6);
    check_eq(result.sample[5].launch, 2);
    check_near(result.calls, 60, 0);
    run_result_release(&result);

    fixture.opts.launches_min = 5;
    result = measure_fake(&fixture, "--times 1e-6");
    check_eq(result.launches, 5);
    run_result_release(&result);
    fixture_drop(&fixture);
}

static struct run_result measure_unsteady(struct fixture *fixture)
{
    char *text = xasprintf("--times 1e-6 --step 30 --counter %s/counter", fixture->side);
    struct run_result result = measure_fake(fixture, text);

    free(text);
    return result;
}

TEST("launches stop at their limits")
{
    struct fixture fixture = fixture_make();
    struct run_result result;

    fixture.opts.launches_min = 2;
    fixture.opts.launches_max = 6;
    result = measure_unsteady(&fixture);
    check_eq(result.launches, 6);
    check_near(result.sample[11].seconds, 2.5e-6, 1e-6); /* the step really came */
    run_result_release(&result);

    fixture.opts.budget_s = 1e-9; /* over after the first launch, but two there must be */
    result = measure_unsteady(&fixture);
    check_eq(result.launches, 2);
    run_result_release(&result);
    fixture_drop(&fixture);
}

/* The launch that fails adds nothing; what was before stays; no further launch. */
TEST("a failed launch ends it")
{
    struct fixture fixture = fixture_make();
    struct run_result result;
    char *text = xasprintf("--do crash --from 2 --counter %s/counter", fixture.side);

    fixture.opts.launches_min = 5;
    result = measure_fake(&fixture, text);
    check_eq(result.outcome, RUN_OUTCOME_CRASHED);
    check_eq(result.launches, 2);
    check_eq(result.sample_nr, 4);
    check(!run_time_s(&result).known);
    result.outcome = RUN_OUTCOME_INTERRUPTED; /* would be no fault of the program's */
    check(run_time_s(&result).known);
    run_result_release(&result);
    free(text);
    fixture_drop(&fixture);
}

struct pair {
    struct strvec args[2];
    struct run_program program[2];
    struct run_result result[2];
};

static void measure_pair(struct fixture *fixture, struct pair *pair, const char *more_a,
                         const char *more_b)
{
    const char *more[] = {more_a, more_b};

    for (int i = 0; i < 2; i++) {
        char *text =
            xasprintf("--log %s/log --name %c %s", fixture->side, 'A' + i, more[i]);

        pair->args[i] = (struct strvec){0};
        pair->program[i] = fake(&pair->args[i], text);
        free(text);
    }
    check_ok(run_measure_pair(pair->program, &fixture->opts, pair->result, &fixture->err),
             &fixture->err);
}

static void pair_release(struct pair *pair)
{
    for (int i = 0; i < 2; i++) {
        run_result_release(&pair->result[i]);
        strvec_release(&pair->args[i]);
    }
}

TEST("pairs are launched alternately")
{
    struct fixture fixture = fixture_make();
    struct quantity ratio;
    struct pair pair;
    struct buf log;

    fixture.opts.launches_min = 4;
    fixture.opts.launches_max = 8;
    measure_pair(&fixture, &pair, "--times 3e-6", "--times 2e-6");
    log = read_side(&fixture, "log");
    check_str(buf_str(&log), "A\nB\nB\nA\nA\nB\nB\nA\n");
    ratio = run_ratio(&pair.result[0], &pair.result[1]);
    check_near(ratio.value, 1.5, 1e-9);
    check_eq(ratio.runs, 4);
    pair_release(&pair);
    buf_release(&log);
    fixture_drop(&fixture);
}

/* Both get slower from launch to launch alike: the ratio is steady though neither time
 * is. */
TEST("pairs stop by their ratio")
{
    struct fixture fixture = fixture_make();
    char *step = xasprintf("--times 1e-6 --step 0.5 --counter %s/counter", fixture.side);
    struct pair pair;

    fixture.opts.launches_min = 4;
    fixture.opts.launches_max = 9;
    fixture.opts.target_spread = 0.02;
    measure_pair(&fixture, &pair, step, step);
    check_eq(pair.result[0].launches, 4);
    check_eq(pair.result[1].launches, 4);
    pair_release(&pair);
    free(step);
    fixture_drop(&fixture);
}

TEST("a pair ends with either")
{
    struct fixture fixture = fixture_make();
    struct pair pair;

    fixture.opts.launches_min = 3;
    measure_pair(&fixture, &pair, "--do crash", "--times 1e-6");
    check_eq(pair.result[0].outcome, RUN_OUTCOME_CRASHED);
    check_eq(pair.result[1].outcome, RUN_OUTCOME_OK);
    check_eq(pair.result[1].launches, 1);
    check(!run_ratio(&pair.result[0], &pair.result[1]).known);
    pair_release(&pair);
    fixture_drop(&fixture);
}

/* What the gate saw, as letters: b(egin), e(nd). */
struct gate_log {
    char text[16];
    size_t nr, pids;
    bool alive, refuse_begin, refuse_end;
    const char *trace; /* a file that the samples write; there at the end only */
    bool trace_early, trace_late;
};

static int log_gate(void *data, bool begin, const pid_t *pids, size_t nr,
                    struct error *err)
{
    struct gate_log *log = data;

    log->text[log->nr++] = begin ? 'b' : 'e';
    log->pids = nr;
    if (log->trace)
        *(begin ? &log->trace_early : &log->trace_late) = file_exists(log->trace);
    if (begin)
        log->alive = kill(pids[0], 0) == 0 && kill(pids[nr - 1], 0) == 0;
    if (begin ? log->refuse_begin : log->refuse_end)
        return fail(err, STATUS_MISSING, "no counters");
    return 0;
}

TEST("the gate surrounds the samples")
{
    struct fixture fixture = fixture_make();
    char *trace = path_join(fixture.side, "trace");
    char *args = xasprintf("--do print --step 1 --counter %s", trace);
    struct gate_log log = {.trace = trace};
    struct run_result result;

    fixture.opts.copies = 3;
    fixture.opts.at_gate = log_gate;
    fixture.opts.gate_data = &log;
    result = measure_fake(&fixture, args); /* its output must be drained meanwhile */
    check_eq(result.outcome, RUN_OUTCOME_OK);
    check_str(log.text, "be");
    check_eq(log.pids, 3);
    check(log.alive);
    check(!log.trace_early && log.trace_late);
    run_result_release(&result);
    free(args);
    free(trace);
    fixture_drop(&fixture);
}

TEST("the gate survives its copies")
{
    static const struct {
        const char *args;
        double limit_s;
        enum run_outcome outcome;
    } cases[] = {
        {"--do crash", 30, RUN_OUTCOME_CRASHED},
        {"--do crash --who 1", 30, RUN_OUTCOME_CRASHED},
        {"--do hang --who 1", 10, RUN_OUTCOME_TIMED_OUT},
        {"--do exit", 30, RUN_OUTCOME_BAD_EXIT},
    };
    struct fixture fixture = fixture_make();

    fixture.opts.copies = 2;
    fixture.opts.at_gate = log_gate;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct gate_log log = {0};
        struct run_result result;

        fixture.opts.launch_limit_s = cases[i].limit_s;
        fixture.opts.gate_data = &log;
        result = measure_fake(&fixture, cases[i].args);
        check_eq(result.outcome, cases[i].outcome);
        check_str(log.text, "be"); /* every begin has its end */
        run_result_release(&result);
    }
    fixture_drop(&fixture);
}

TEST("programs that never reach the gate")
{
    struct fixture fixture = fixture_make();
    struct gate_log log = {0};
    struct run_result result;

    fixture.opts.at_gate = log_gate;
    fixture.opts.gate_data = &log;
    result = measure_fake(&fixture, "--unknown 1");
    check_eq(result.outcome, RUN_OUTCOME_BAD_EXIT);
    check_contains(result.detail, "exit status 2: unknown argument '--unknown'");
    check_str(log.text, "");
    run_result_release(&result);
    fixture_drop(&fixture);
}

TEST("a gate that refuses is an error")
{
    struct fixture fixture = fixture_make();
    struct strvec args = {0};
    struct run_program program = fake(&args, "--times 1e-6");
    struct gate_log log[] = {{.refuse_begin = true}, {.refuse_end = true}};
    struct run_result result;

    fixture.opts.at_gate = log_gate;
    for (size_t i = 0; i < ARRAY_SIZE(log); i++) {
        fixture.opts.gate_data = &log[i];
        check_fails(run_measure(&program, &fixture.opts, &result, &fixture.err),
                    &fixture.err, STATUS_MISSING, "no counters");
        check_str(log[i].text, i == 0 ? "b" : "be");
        check_eq(result.sample_nr, 0);
    }
    strvec_release(&args);
    fixture_drop(&fixture);
}

TEST("scratch may be left out")
{
    struct fixture fixture = fixture_make();
    struct run_result result;

    fixture.opts.scratch = NULL;
    result = measure_fake(&fixture, "--times 1e-6");
    check_eq(result.outcome, RUN_OUTCOME_OK);
    run_result_release(&result);
    fixture_drop(&fixture);
}
