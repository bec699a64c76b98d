/* The stop certificate: what a call cannot do without, and what is said at the end. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "search/finish/headroom.h"
#include "tests/search/choices.h"
#include "tests/search/scripted_trial.h"

SUITE(search_headroom);

static struct quantity modelled(double value)
{
    return quantity_exact(value, PROVENANCE_MODEL);
}

/* As the cache model tells it by array. */
static void tell_parts(struct space_kernel *kernel, struct traffic_part *part,
                       const double *fills, const double *writebacks)
{
    for (size_t i = 0; i < kernel->view.array_nr; i++) {
        part[i] = (struct traffic_part){.name = (char *)(uintptr_t)kernel->array[i].name,
                                        .nontemporal_lines = modelled(0)};
        part[i].fills[2] = modelled(fills[i]);
        part[i].writebacks[2] = modelled(writebacks[i]);
    }
    kernel->traffic.array = part;
    kernel->traffic.array_nr = kernel->view.array_nr;
}

/* B is written only: its lines need not be read. A is fetched many times, needed once. */
TEST("each line is needed once")
{
    static struct traffic_part part[3];
    struct space_kernel kernel;
    struct quantity bytes;

    space_transpose(&kernel, 2000); /* 32 MB each */
    tell_parts(&kernel, part, (double[]){4e6, 4e6}, (double[]){4e6, 0});
    bytes = headroom_needed_bytes(&kernel.view, &kernel.traffic, 0);
    check_near(bytes.value, 64e6, 1e-9);
    check_near(bytes.low, 64e6, 1e-9);
    bytes = headroom_needed_bytes(&kernel.view, &kernel.traffic, 8e6);
    check_near(bytes.low, 56e6, 1e-9); /* may stay from call to call */
    kernel.traffic.array_nr = 0;       /* nobody tells them apart */
    bytes = headroom_needed_bytes(&kernel.view, &kernel.traffic, 0);
    check_near(bytes.value, 64e6, 1e-9);
}

/* Not all of the table is met: what moves now is the most that can be needed. */
TEST("what indices meet may be nothing")
{
    static struct traffic_part part[3];
    struct space_kernel kernel;
    struct quantity bytes;

    space_gather(&kernel, 1000000, 100000000); /* out 8 MB, table 800 MB, idx 4 MB */
    tell_parts(&kernel, part, (double[]){125000, 1e6, 62500}, (double[]){125000, 0, 0});
    bytes = headroom_needed_bytes(&kernel.view, &kernel.traffic, 0);
    check_near(bytes.value, 8e6 + 64e6 + 4e6, 1e-9);
    check_near(bytes.low, 8e6 + 4e6, 1e-9);
}

TEST("floats have their own ceiling")
{
    struct space_kernel kernel;
    struct machine machine;
    struct measurement of = {0};

    space_dgemm(&kernel, 100);
    space_machine(&machine);
    of.traffic = kernel.traffic;
    check_near(headroom_need(&kernel.view, &of, &machine, 2).flop_ratio, 1, 0);
    kernel.array[1].element_bytes = 4;
    check_near(headroom_need(&kernel.view, &of, &machine, 2).flop_ratio, 2, 0);
}

static struct quantity bound(double value, double low, double high)
{
    return quantity_between(value, low, high, 0, PROVENANCE_DERIVED);
}

TEST("verdicts follow from the interval")
{
    struct occupancy_headroom left = {.same = quantity_unknown(),
                                      .min = quantity_unknown(),
                                      .same_by = RESOURCE_NONE,
                                      .min_by = RESOURCE_NONE};

    check_eq(headroom_judge(&left), HEADROOM_UNKNOWN);
    left.min = bound(1.003, 1, 1.008);
    check_eq(headroom_judge(&left), HEADROOM_NOTHING);
    left.min.high = 1.02;
    check_eq(headroom_judge(&left), HEADROOM_SOME);
    left.same = bound(1.1, 1, 1.2);
    left.reached = true;
    check_eq(headroom_judge(&left), HEADROOM_REACHED);
}

/* Blocks in time make bandwidth enough that no order within a step can. */
TEST("a limit is firm where less work is excluded, too")
{
    struct occupancy_headroom left = {.same = bound(1.1, 1, 1.2), .reached = true};

    left.min = bound(9.6, 6.1, 12.2);
    check(!headroom_is_firm(&left));
    left.min = quantity_unknown();
    check(!headroom_is_firm(&left));
    left.min = bound(1.02, 1, 1.04);
    check(headroom_is_firm(&left));
    left.min = bound(9.6, 6.1, 12.2);
    left.same_by_chains = true;
    check(!headroom_is_firm(&left));
    left.min_by_chains = true;
    check(headroom_is_firm(&left));
}

static void check_text(struct search_headroom *left, const char *want)
{
    char *text = headroom_text(left);

    check_contains(text, want);
    free(text);
}

TEST("sentences name bound, interval and resource")
{
    struct search_headroom left = {.verdict = HEADROOM_REACHED,
                                   .tries = 3,
                                   .bound = {.same = bound(1.24, 1.03, 1.47),
                                             .min = bound(1.65, 1.4, INFINITY),
                                             .same_by = RESOURCE_MEMORY,
                                             .min_by = RESOURCE_ARITHMETIC}};

    check_text(&left, "at most 1.24x (1.03 to 1.47) more: memory bandwidth sets that");
    check_text(&left, "at most 1.65x (1.40 or more), set by arithmetic throughput.");
    left.helpless = true;
    check_text(&left,
               "Nothing here helps this kernel: 3 tries gained nothing, and memory "
               "bandwidth is at its limit as far as can be told.");
    left.bound.same_by_chains = left.bound.min_by_chains = true;
    check_text(&left, "and the chain of addresses (each must be loaded before the next "
                      "is known) is at its limit.");
    check_text(&left, "No plan breaks the order of a chain.");
    left = (struct search_headroom){
        .bound = {.same = quantity_unknown(), .min = quantity_unknown()},
        .reason = (char *)(uintptr_t) "Nobody knows."};
    check_text(&left, "How much is left is not known. Nobody knows.");
}

/* As fast as memory allows for its traffic: the rules end after ten tries. That less
 * traffic could not help is not said. */
TEST("what less work may help is not called helpless")
{
    static const struct space_entry entry[] = {{.plan = "*", .seconds = 0.0165},
                                               {.plan = NULL}};
    struct trial trial = {0};

    trial_start(&trial, entry); /* 576 MB of traffic at 35 GB/s, as memory allows */
    trial_run(&trial);
    check_eq(trial.result.best, 0);
    check_eq(trial.result.left.verdict, HEADROOM_REACHED);
    check(!trial.result.left.helpless);
    check(trial.result.advised_nr <= 11);
    check_contains(trial.result.left.sentence,
                   "With every cache line moved once and all arithmetic in full vectors "
                   "at most 4.45x (3.99 to 6.06)");
    trial_release(&trial);
}

/* Nobody asked the rules whether something else could pay. */
TEST("a blind search calls nothing helpless")
{
    static const struct space_entry entry[] = {{.plan = "*", .seconds = 0.0165},
                                               {.plan = NULL}};
    struct trial trial = {.opts = {.strategy = "random", .budget_variants = 9}};

    trial_start(&trial, entry);
    trial_run(&trial);
    check_eq(trial.result.left.verdict, HEADROOM_REACHED);
    check(!trial.result.left.helpless);
    trial_release(&trial);
}

TEST("what may still help is not given up")
{
    static const struct space_entry entry[] = {{.plan = "*", .seconds = 0.1},
                                               {.plan = NULL}};
    struct trial trial = {0};

    trial_start(&trial, entry); /* far from every limit */
    trial_run(&trial);
    check(!trial.result.left.helpless);
    check_eq(trial.result.left.verdict, HEADROOM_SOME);
    check(!session_over(&(struct session){.subject = &trial.space.subject,
                                          .result = &trial.result,
                                          .opts = &trial.opts,
                                          .pace.end_s = INFINITY}));
    trial_release(&trial);
}

/* Its own traffic is not there: what every plan needs bounds it all the same. */
TEST("an unexplained winner is bounded by what all need")
{
    static const struct space_entry entry[] = {
        {.plan = "tile(i:32,j:32)", .seconds = 0.07},
        {.plan = "*", .seconds = 0.1},
        {.plan = NULL}};
    struct trial trial = {0};
    struct session session = {.subject = &trial.space.subject,
                              .runner = &trial.space.runner,
                              .opts = &trial.opts,
                              .result = &trial.result,
                              .pace.end_s = INFINITY};
    struct error err = {0};
    double before;

    trial_start(&trial, entry);
    trial_run(&trial);
    check(trial.result.best > 0);
    before = trial.result.left.bound.min.value;
    occupancy_release(&trial.result.measurement[trial.result.best].occupancy);
    trial.result.measurement[trial.result.best].has_occupancy = false;
    headroom_release(&trial.result.left);
    trial.opts.advise_only = true; /* nothing is measured anew */
    session.view = trial.space.kernel.view;
    session.choice = xcalloc(trial.result.measurement_nr, sizeof(*session.choice));
    check_ok(session_headroom(&session, &err), &err);
    check(!trial.result.left.bound.same.known);
    check_near(trial.result.left.bound.min.value, before, 0.02);
    check_contains(trial.result.left.sentence, "by the kernel as written");
    headroom_release(&trial.result.left);
    trial.opts.advise_only = false; /* now it can be explained */
    check_str(trial.result.measurement[trial.result.best].plan, "tile(i:32,j:32)");
    session.choice[trial.result.best] = choice_of("tile(i:32,j:32)");
    session.effort = xcalloc(trial.result.measurement_nr, sizeof(*session.effort));
    session_add_place(&session);
    check_ok(session_headroom(&session, &err), &err);
    check(trial.result.measurement[trial.result.best].has_occupancy);
    check(trial.result.left.bound.same.known);
    free(session.places.slot);
    free(session.effort);
    free(session.choice);
    evidence_release(&session.evidence);
    trial_release(&trial);
}
