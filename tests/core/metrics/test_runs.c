/* Runs of the same work with different events, made one. */
#include <stdlib.h>

#include "core/metrics/metrics.h"
#include "core/traffic/traffic.h"
#include "tests/check.h"

SUITE(metrics_runs);

static void one_run(struct count_set *run, double seconds, const char *event,
                    double count, double cycles)
{
    *run = (struct count_set){.seconds = quantity_exact(seconds, PROVENANCE_CLOCK)};
    count_set_add(run, event, quantity_exact(count, PROVENANCE_PAPI), 1);
    count_set_add(run, "CYC", quantity_exact(cycles, PROVENANCE_PAPI), 1);
}

TEST("several runs")
{
    struct count_set run[2], all;
    struct error err = {0};
    double variation;

    one_run(&run[0], 1.0, "A", 10, 990);
    one_run(&run[1], 1.0, "B", 20, 1010);
    check_ok(metric_runs_combine(run, 2, &all, &variation, &err), &err);
    check_near(variation, 0.01, 1e-9);
    check_eq(all.count_nr, 3);
    check_near(count_set_value(&all, "CYC").value, 1000, 1e-12);
    /* Student's t of one degree of freedom times 10 */
    check_near(count_set_value(&all, "CYC").high, 1000 + 12.706 * 10, 1e-3);
    check_eq(count_set_value(&all, "CYC").runs, 2);
    check_near(count_set_value(&all, "A").low, 9.9, 1e-9); /* as sure as the runs agree */
    check_near(count_set_value(&all, "B").high, 20.2, 1e-9);
    check_eq(all.note.nr, 0);
    count_set_release(&all);

    count_set_release(&run[1]);
    one_run(&run[1], 1.0, "B", 20, 1200);
    check_ok(metric_runs_combine(run, 2, &all, &variation, &err), &err);
    check_eq(all.note.nr, 1);
    if (all.note.nr)
        check_contains(all.note.v[0], "differ by up to 9.6 % of their mean in 'CYC'");
    count_set_release(&all);

    run[0].cpu = xstrdup("one");
    run[1].cpu = xstrdup("two");
    check_fails(metric_runs_combine(run, 2, &all, &variation, &err), &err, STATUS_INPUT,
                "from two CPUs, 'one' and 'two'");
    check_fails(metric_runs_combine(run, 0, &all, &variation, &err), &err, STATUS_MISSING,
                "no run to take counts from");
    count_set_release(&run[0]);
    count_set_release(&run[1]);
}

/* What the first run does not tell, the others may. */
TEST("later runs are asked too")
{
    struct count_set run[3], all;
    struct error err = {0};
    double variation;

    one_run(&run[0], 1.0, "A", 10, 1000);
    one_run(&run[1], 1.5, "B", 20, 1001);
    one_run(&run[2], 1.0, "A", 10, 1000);
    run[0].count[1].share = 0; /* not told */
    run[1].count[1].share = 0.5;
    check_ok(metric_runs_combine(run, 3, &all, &variation, &err), &err);
    check_near(count_set_find(&all, "CYC")->share, 0.5, 0);
    /* the time differs more than cycles do */
    check_near(variation, 2 / 7.0, 1e-12);
    check_near(count_set_value(&all, "B").high, 20 * (1 + 2 / 7.0), 1e-9);
    count_set_release(&all);

    run[1].cpu = xstrdup("Intel Xeon Platinum 8160 (Skylake-SP)");
    run[2].cpu = xstrdup("Intel(R) Xeon(R) Platinum 8160 CPU @ 2.10GHz");
    check_ok(metric_runs_combine(run, 3, &all, &variation, &err), &err);
    count_set_release(&all);
    free(run[1].cpu);
    free(run[2].cpu);
    run[1].cpu = xstrdup("one");
    run[2].cpu = xstrdup("two");
    check_fails(metric_runs_combine(run, 3, &all, &variation, &err), &err, STATUS_INPUT,
                "from two CPUs, 'one' and 'two'");
    for (size_t i = 0; i < 3; i++)
        count_set_release(&run[i]);
}

/* Runs of different length are compared per call. */
TEST("runs are scaled by their calls")
{
    struct count_set run[2], all;
    struct error err = {0};
    double variation;

    one_run(&run[0], 1.0, "A", 10, 1000);
    one_run(&run[1], 2.0, "B", 40, 2000);
    for (size_t i = 0; i < 2; i++)
        count_set_add(&run[i], "sde:::inflight::LINE_BYTES",
                      quantity_exact(64, PROVENANCE_MODEL), 1);
    run[0].calls = 5;
    run[1].calls = 10;
    check_ok(metric_runs_combine(run, 2, &all, &variation, &err), &err);
    check_near(variation, 0, 0);
    check_near(count_set_value(&all, "B").value, 20, 1e-12);
    check_near(count_set_value(&all, "sde:::inflight::LINE_BYTES").value, 64, 0);
    check_near(all.seconds.value, 1, 1e-12);
    check_near(all.calls, 5, 0);
    count_set_release(&all);
    count_set_release(&run[0]);
    count_set_release(&run[1]);
}
