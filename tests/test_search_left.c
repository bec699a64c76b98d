/* The stop certificate: what a call cannot do without, and what is said at the end. */
#include <CUnit/CUnit.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "search/finish/left.h"
#include "tests/choices.h"
#include "tests/test_search_trial.h"

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
static void each_line_is_needed_once(void)
{
    static struct traffic_part part[3];
    struct space_kernel kernel;
    struct quantity bytes;

    space_transpose(&kernel, 2000); /* 32 MB each */
    tell_parts(&kernel, part, (double[]){4e6, 4e6}, (double[]){4e6, 0});
    bytes = left_needed_bytes(&kernel.view, &kernel.traffic, 0);
    check_near(bytes.value, 64e6, 1e-9);
    check_near(bytes.low, 64e6, 1e-9);
    bytes = left_needed_bytes(&kernel.view, &kernel.traffic, 8e6);
    check_near(bytes.low, 56e6, 1e-9); /* may stay from call to call */
    kernel.traffic.array_nr = 0;       /* nobody tells them apart */
    bytes = left_needed_bytes(&kernel.view, &kernel.traffic, 0);
    check_near(bytes.value, 64e6, 1e-9);
}

/* Not all of the table is met: what moves now is the most that can be needed. */
static void what_indices_meet_may_be_nothing(void)
{
    static struct traffic_part part[3];
    struct space_kernel kernel;
    struct quantity bytes;

    space_gather(&kernel, 1000000, 100000000); /* out 8 MB, table 800 MB, idx 4 MB */
    tell_parts(&kernel, part, (double[]){125000, 1e6, 62500}, (double[]){125000, 0, 0});
    bytes = left_needed_bytes(&kernel.view, &kernel.traffic, 0);
    check_near(bytes.value, 8e6 + 64e6 + 4e6, 1e-9);
    check_near(bytes.low, 8e6 + 4e6, 1e-9);
}

static void floats_have_their_own_ceiling(void)
{
    struct space_kernel kernel;
    struct machine machine;
    struct measurement of = {0};

    space_dgemm(&kernel, 100);
    space_machine(&machine);
    of.traffic = kernel.traffic;
    check_near(left_need(&kernel.view, &of, &machine, 2).flop_ratio, 1, 0);
    kernel.array[1].element_bytes = 4;
    check_near(left_need(&kernel.view, &of, &machine, 2).flop_ratio, 2, 0);
}

static struct quantity bound(double value, double low, double high)
{
    return quantity_between(value, low, high, 0, PROVENANCE_DERIVED);
}

static void verdicts_follow_from_the_interval(void)
{
    struct occupancy_left left = {.same = quantity_unknown(),
                                  .least = quantity_unknown(),
                                  .same_by = RESOURCE_NONE,
                                  .least_by = RESOURCE_NONE};

    check_eq(left_judge(&left), LEFT_UNKNOWN);
    left.least = bound(1.003, 1, 1.008);
    check_eq(left_judge(&left), LEFT_NOTHING);
    left.least.high = 1.02;
    check_eq(left_judge(&left), LEFT_SOME);
    left.same = bound(1.1, 1, 1.2);
    left.reached = true;
    check_eq(left_judge(&left), LEFT_REACHED);
}

static void check_text(struct search_left *left, const char *want)
{
    char *text = left_text(left);

    check_contains(text, want);
    free(text);
}

static void sentences_name_bound_interval_and_resource(void)
{
    struct search_left left = {.verdict = LEFT_REACHED,
                               .tries = 3,
                               .bound = {.same = bound(1.24, 1.03, 1.47),
                                         .least = bound(1.65, 1.4, INFINITY),
                                         .same_by = RESOURCE_MEMORY,
                                         .least_by = RESOURCE_ARITHMETIC}};

    check_text(&left, "at most 1.24x (1.03 to 1.47) more: memory bandwidth sets that");
    check_text(&left, "at most 1.65x (1.40 or more), set by arithmetic throughput.");
    left.helpless = true;
    check_text(&left,
               "Nothing here helps this kernel: 3 tries gained nothing, and memory "
               "bandwidth is at its limit as far as can be told.");
    left.bound.same_by_chains = left.bound.least_by_chains = true;
    check_text(&left, "and the chain of addresses (each must be loaded before the next "
                      "is known) is at its limit.");
    check_text(&left, "No plan takes the order of a chain apart.");
    left = (struct search_left){
        .bound = {.same = quantity_unknown(), .least = quantity_unknown()},
        .reason = (char *)(uintptr_t) "Nobody knows."};
    check_text(&left, "How much is left is not known. Nobody knows.");
}

/* As fast as memory allows for its data: the rules end after ten tries, and what is tried
 * after them helps no more. */
static void a_kernel_that_cannot_be_helped_is_said_to_be(void)
{
    static const struct space_entry entry[] = {{.plan = "*", .seconds = 0.0165},
                                               {.plan = NULL}};
    struct trial trial = {0};

    trial_start(&trial, entry); /* 576 MB of traffic at 35 GB/s, as memory allows */
    trial_run(&trial);
    check_eq(trial.result.best, 0);
    check_eq(trial.result.left.verdict, LEFT_REACHED);
    check(trial.result.left.helpless);
    check(trial.result.advised_nr <= 11);
    check_contains(trial.result.left.sentence, "Nothing here helps this kernel: ");
    check_contains(trial.result.left.sentence, " is at its limit as far as can be told");
    trial_release(&trial);
}

/* Nobody asked the rules whether something else could pay. */
static void a_blind_search_calls_nothing_helpless(void)
{
    static const struct space_entry entry[] = {{.plan = "*", .seconds = 0.0165},
                                               {.plan = NULL}};
    struct trial trial = {.opts = {.strategy = "random", .budget_variants = 9}};

    trial_start(&trial, entry);
    trial_run(&trial);
    check_eq(trial.result.left.verdict, LEFT_REACHED);
    check(!trial.result.left.helpless);
    trial_release(&trial);
}

static void what_may_still_help_is_not_given_up(void)
{
    static const struct space_entry entry[] = {{.plan = "*", .seconds = 0.1},
                                               {.plan = NULL}};
    struct trial trial = {0};

    trial_start(&trial, entry); /* far from every limit */
    trial_run(&trial);
    check(!trial.result.left.helpless);
    check_eq(trial.result.left.verdict, LEFT_SOME);
    check(!session_over(&(struct session){.subject = &trial.space.subject,
                                          .result = &trial.result,
                                          .opts = &trial.opts,
                                          .pace.end_s = INFINITY}));
    trial_release(&trial);
}

/* Its own traffic is not there: what every plan needs bounds it all the same. */
static void an_unexplained_winner_is_bounded_by_what_all_need(void)
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
    before = trial.result.left.bound.least.value;
    occupancy_release(&trial.result.measurement[trial.result.best].occupancy);
    trial.result.measurement[trial.result.best].has_occupancy = false;
    left_release(&trial.result.left);
    trial.opts.advise_only = true; /* nothing is measured anew */
    session.view = trial.space.kernel.view;
    session.choice = xcalloc(trial.result.measurement_nr, sizeof(*session.choice));
    check_ok(session_left(&session, &err), &err);
    check(!trial.result.left.bound.same.known);
    check_near(trial.result.left.bound.least.value, before, 0.02);
    check_contains(trial.result.left.sentence, "by the kernel as written");
    left_release(&trial.result.left);
    trial.opts.advise_only = false; /* now it can be explained */
    check_str(trial.result.measurement[trial.result.best].plan, "tile(i:32,j:32)");
    session.choice[trial.result.best] = choice_of("tile(i:32,j:32)");
    session.effort = xcalloc(trial.result.measurement_nr, sizeof(*session.effort));
    check_ok(session_left(&session, &err), &err);
    check(trial.result.measurement[trial.result.best].has_occupancy);
    check(trial.result.left.bound.same.known);
    free(session.effort);
    free(session.choice);
    evidence_release(&session.evidence);
    trial_release(&trial);
}

CU_TestInfo search_left_tests[] = {
    {"each line is needed once", each_line_is_needed_once},
    {"what indices meet may be nothing", what_indices_meet_may_be_nothing},
    {"floats have their own ceiling", floats_have_their_own_ceiling},
    {"verdicts follow from the interval", verdicts_follow_from_the_interval},
    {"sentences name bound, interval and resource",
     sentences_name_bound_interval_and_resource},
    {"a kernel that cannot be helped is said to be",
     a_kernel_that_cannot_be_helped_is_said_to_be},
    {"a blind search calls nothing helpless", a_blind_search_calls_nothing_helpless},
    {"what may still help is not given up", what_may_still_help_is_not_given_up},
    {"an unexplained winner is bounded by what all need",
     an_unexplained_winner_is_bounded_by_what_all_need},
    CU_TEST_INFO_NULL,
};
