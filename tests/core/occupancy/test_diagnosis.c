/* What is said to set the pace, from an account of the core and from what was measured.
 */
#include <math.h>

#include "core/pipeline/pipeline_account.h"
#include "tests/core/occupancy/loop_by_hand.h"

SUITE(occupancy_diagnosis);

static struct pipeline_account account_of(enum cause cause, double share, double saved)
{
    struct pipeline_account account = {
        .cycles = 1e4, .instructions = 1e4, .ghz = 3, .call_s = 0.1, .documented = true};

    account.recurrence_alone = account.core_alone = 1;

    for (int c = 0; c < CAUSE_NR; c++)
        account.blame[c].stride = NAN;
    account.share[cause] = share;
    account.saved[cause] = saved;
    return account;
}

static struct occupancy diagnosed(const struct machine *machine,
                                  const struct pipeline_account *account, double time_s)
{
    struct occupancy_case input = case_of(machine, memory_work(1e5, 0), time_s, 1);

    input.account = account;
    return computed(&input);
}

static void check_diagnosis(const struct pipeline_account *account, double time_s,
                            enum cause cause, enum confidence confidence)
{
    struct machine machine = machine_made();
    struct occupancy now = diagnosed(&machine, account, time_s);

    check_str(cause_word(now.diagnosis.cause), cause_word(cause));
    check_str(confidence_word(now.diagnosis.confidence), confidence_word(confidence));
    check(now.diagnosis.sentence.length > 20);
    occupancy_release(&now);
}

TEST("the cause that costs most, as sure as the model agrees with the clock")
{
    struct pipeline_account account = account_of(CAUSE_RECURRENCE, 0.9, 0.6);

    check_diagnosis(&account, 0.1, CAUSE_RECURRENCE, CONFIDENCE_HIGH);
    check_diagnosis(&account, 0.14, CAUSE_RECURRENCE, CONFIDENCE_MEDIUM);
    check_diagnosis(&account, 0.17, CAUSE_RECURRENCE, CONFIDENCE_LOW);
    check_diagnosis(&account, 0.03, CAUSE_RECURRENCE, CONFIDENCE_LOW);
    account.documented = false;
    check_diagnosis(&account, 0.1, CAUSE_RECURRENCE, CONFIDENCE_MEDIUM);
    account.documented = true;
    account.share[CAUSE_ARITHMETIC] = 0.1;
    account.saved[CAUSE_ARITHMETIC] = 0.55; /* nearly as much */
    check_diagnosis(&account, 0.1, CAUSE_RECURRENCE, CONFIDENCE_MEDIUM);
}

TEST("what explains less than a quarter of the time is not the cause")
{
    struct pipeline_account account = account_of(CAUSE_RECURRENCE, 0.2, 0.2);
    struct machine machine = machine_made();
    struct occupancy now = diagnosed(&machine, &account, 0.1);

    check_eq(now.diagnosis.cause, CAUSE_CORE); /* by the queues alone */
    check_eq(now.diagnosis.confidence, CONFIDENCE_LOW);
    check_eq(now.diagnosis.other[0].cause, CAUSE_RECURRENCE);
    check_contains(buf_str(&now.diagnosis.reason), "explains a quarter of the time");
    occupancy_release(&now);
    account.share[CAUSE_RECURRENCE] = 0.3;
    check_diagnosis(&account, 0.1, CAUSE_RECURRENCE, CONFIDENCE_HIGH);
}

TEST("a model that the clock refutes is said to guess")
{
    struct pipeline_account account = account_of(CAUSE_RECURRENCE, 0.9, 0.6);
    struct machine machine = machine_made();
    struct occupancy now = diagnosed(&machine, &account, 0.01);

    check_contains(buf_str(&now.diagnosis.reason), "predicts a longer time");
    check(!strstr(buf_str(&now.diagnosis.reason), "of the measured time"));
    occupancy_release(&now);
}

TEST("a run without the cause counts more than the path")
{
    struct pipeline_account account = account_of(CAUSE_RECURRENCE, 0.7, 0);

    account.share[CAUSE_ARITHMETIC] = 0.3;
    account.saved[CAUSE_ARITHMETIC] = 0.33;
    check_diagnosis(&account, 0.1, CAUSE_ARITHMETIC, CONFIDENCE_MEDIUM);
}

TEST("on the path beside others counts what it takes alone")
{
    struct pipeline_account account = account_of(CAUSE_RECURRENCE, 0.55, 0);

    account.share[CAUSE_ARITHMETIC] = 0.45;
    check_diagnosis(&account, 0.1, CAUSE_RECURRENCE, CONFIDENCE_MEDIUM);
    account.recurrence_alone = 0.5;
    check_diagnosis(&account, 0.1, CAUSE_ARITHMETIC, CONFIDENCE_MEDIUM);
}

TEST("page walks and arithmetic of a chain of loads count to the chain")
{
    struct pipeline_account account = account_of(CAUSE_DEPENDENT_LOADS, 0.1, 0.8);

    account.share[CAUSE_PAGE_WALKS] = account.saved[CAUSE_PAGE_WALKS] = 0.85;
    check_diagnosis(&account, 0.1, CAUSE_DEPENDENT_LOADS, CONFIDENCE_MEDIUM);
    account.saved[CAUSE_DEPENDENT_LOADS] = 0.1; /* the walks are elsewhere */
    check_diagnosis(&account, 0.1, CAUSE_PAGE_WALKS, CONFIDENCE_HIGH);

    account = account_of(CAUSE_DEPENDENT_LOADS, 0.45, 0.45);
    account.share[CAUSE_RECURRENCE] = account.saved[CAUSE_RECURRENCE] = 0.55;
    check_diagnosis(&account, 0.1, CAUSE_DEPENDENT_LOADS, CONFIDENCE_HIGH);
    account.share[CAUSE_DEPENDENT_LOADS] = 0.2;
    account.saved[CAUSE_DEPENDENT_LOADS] = 0.2;
    check_diagnosis(&account, 0.1, CAUSE_RECURRENCE, CONFIDENCE_HIGH);
}

TEST("what was measured to be full goes before the model")
{
    struct machine machine = machine_made();
    struct pipeline_account account = account_of(CAUSE_REORDER_BUFFER, 0.9, 0.5);
    struct occupancy_case input =
        case_of(&machine, memory_work(1e6, 0), 1e6 * 101e-9 / 16, 1);
    account.call_s = input.time_s.value;
    input.account = &account;
    struct occupancy now = computed(&input);

    check_eq(now.diagnosis.cause, CAUSE_L1_MSHRS);
    check_str(cause_word(now.diagnosis.cause), "l1_mshrs");
    check_eq(now.diagnosis.confidence, CONFIDENCE_HIGH);
    check_eq(now.diagnosis.other[0].cause, CAUSE_REORDER_BUFFER);
    occupancy_release(&now);
}

TEST("regular steps that leave most of each line unused")
{
    struct machine machine = machine_made();
    struct pipeline_account account = account_of(CAUSE_REORDER_BUFFER, 0.9, 0.5);
    struct pipeline_blame *blame = &account.blame[CAUSE_REORDER_BUFFER];
    char array[] = "a";
    struct occupancy now;

    blame->array = array;
    blame->line = 12;
    blame->line_use = 0.125;
    blame->stride = 4096;
    now = diagnosed(&machine, &account, 0.1);
    check_str(cause_word(now.diagnosis.cause), "strided");
    check_str(now.diagnosis.array, "a");
    check_eq(now.diagnosis.line, 12);
    check_contains(buf_str(&now.diagnosis.sentence),
                   "of 'a' in line 12 go in regular steps, but use only 8 of the 64");
    check_contains(buf_str(&now.diagnosis.sentence), "Strided access");
    occupancy_release(&now);
    blame->line_use = 1; /* a row */
    check_diagnosis(&account, 0.1, CAUSE_PREFETCHER, CONFIDENCE_HIGH);
    account.covered_share = 0.9; /* and its lines come ahead */
    check_diagnosis(&account, 0.1, CAUSE_REORDER_BUFFER, CONFIDENCE_HIGH);
    blame->line_use = 0.125;
    blame->stride = NAN; /* at random */
    check_diagnosis(&account, 0.1, CAUSE_REORDER_BUFFER, CONFIDENCE_HIGH);
    account = account_of(CAUSE_RECURRENCE, 0.9, 0.5); /* not about lines */
    account.blame[CAUSE_RECURRENCE] = (struct pipeline_blame){array, 12, 0.125, 4096};
    check_diagnosis(&account, 0.1, CAUSE_RECURRENCE, CONFIDENCE_HIGH);
}

TEST("time that the model does not explain, where lines should come ahead of it")
{
    struct pipeline_account account = account_of(CAUSE_MEMORY_BANDWIDTH, 0.9, 0.1);

    account.covered_share = 1;
    account.call_s = 0.0005;
    check_diagnosis(&account, 0.00125, CAUSE_PAGE_WALKS,
                    CONFIDENCE_LOW); /* small pages */
    account.call_s = 0.1;            /* few lines: they cannot be what takes the time */
    check_diagnosis(&account, 0.25, CAUSE_CORE, CONFIDENCE_LOW);
    account.covered_share =
        0; /* nothing else is known of it, and little bandwidth used */
    check_diagnosis(&account, 0.25, CAUSE_CORE, CONFIDENCE_LOW);
}

/* What is on the path for much of it, but is used little by what was measured, explains
 * no more than that: the headline is the next one's. */
TEST("a cause explains no more than its resource is in use")
{
    struct pipeline_account account = account_of(CAUSE_MEMORY_BANDWIDTH, 0.4, 0.2);

    account.share[CAUSE_ISSUE_WIDTH] = 0.5;
    account.core_alone = 0.3;
    account.call_s = 0.0025; /* 2.6 GB/s: a fifth of what there is */
    check_diagnosis(&account, 0.0025, CAUSE_ISSUE_WIDTH, CONFIDENCE_LOW);
}

TEST("without an account it is what was measured, or the cap that explains n")
{
    struct machine machine = machine_made();
    struct occupancy_case input = case_of(&machine, memory_work(1e6, 0), 0.1 / 4, 1);

    input.chains = exact(4);
    struct occupancy now = computed(&input);
    check_str(cause_word(now.diagnosis.cause), "dependent_loads");
    check_eq(now.diagnosis.confidence, CONFIDENCE_LOW);
    check_contains(buf_str(&now.diagnosis.reason), "were not analyzed");
    occupancy_release(&now);
}

TEST("an experiment goes before the model")
{
    struct machine machine = machine_made();
    struct pipeline_account account =
        account_of(CAUSE_PAGE_WALKS, 0.5, 0.4); /* not far ahead */
    struct occupancy_case input = case_of(&machine, memory_work(1e5, 0), 0.1, 1);
    struct occupancy now;

    for (int e = 0; e < EXPERIMENT_NR; e++)
        account.tried[e] = quantity_unknown();
    account.share[CAUSE_RECURRENCE] = 0.5;
    account.saved[CAUSE_RECURRENCE] = 0.3;
    account.fp_recurrence = true;
    input.account = &account;
    machine.huge_pages_available = true;
    now = computed(&input);
    check_str(cause_word(now.diagnosis.cause), "page_walks");
    check(diagnosis_wants(&input, &now.diagnosis, EXPERIMENT_HUGE_PAGES));
    check(diagnosis_wants(&input, &now.diagnosis, EXPERIMENT_REASSOCIATED));
    occupancy_release(&now);

    account.tried[EXPERIMENT_HUGE_PAGES] =
        quantity_between(1.01, 0.98, 1.05, 4, PROVENANCE_CLOCK);
    now = computed(&input);
    check_str(cause_word(now.diagnosis.cause), "recurrence");
    check_contains(buf_str(&now.diagnosis.reason), "on huge pages");
    check(!diagnosis_wants(&input, &now.diagnosis, EXPERIMENT_HUGE_PAGES));
    occupancy_release(&now);

    account.tried[EXPERIMENT_HUGE_PAGES] =
        quantity_between(2, 1.9, 2.1, 4, PROVENANCE_CLOCK);
    now = computed(&input);
    check_str(cause_word(now.diagnosis.cause), "page_walks");
    occupancy_release(&now);
}

static void set_walks(struct machine *machine, double small_ns, double huge_ns)
{
    machine->small_pages.translation_ns = exact(small_ns);
    machine->huge_pages.translation_ns = exact(huge_ns);
}

TEST("huge pages tell of walks as much as they cost less there")
{
    struct machine machine = machine_made();
    struct pipeline_account account = account_of(CAUSE_PAGE_WALKS, 0.8, 0.8);
    struct occupancy_case input = case_of(&machine, memory_work(1e5, 0), 0.1, 1);
    struct occupancy now;

    machine.huge_pages_available = true;
    input.account = &account;
    account.tried[EXPERIMENT_HUGE_PAGES] =
        quantity_between(1.2, 1.15, 1.25, 4, PROVENANCE_CLOCK);
    set_walks(&machine, 40, 32); /* a fifth is gone, so they cost five times the gain */
    now = computed(&input);
    check_near(diagnosis_walks_gone(&input, &now), 0.2, 1e-9);
    check_near(now.diagnosis.share, (1 - 1 / 1.2) / 0.2, 1e-9);
    occupancy_release(&now);
    set_walks(&machine, 40, 39);
    now = computed(&input);
    check_near(diagnosis_walks_gone(&input, &now), 0, 0);
    check_near(now.diagnosis.share, 0.8, 1e-9); /* the model's */
    occupancy_release(&now);
}

TEST("of chains the structure says how many misses are under way, whatever one takes")
{
    struct machine machine = machine_made();
    struct pipeline_account account = account_of(CAUSE_DEPENDENT_LOADS, 0.95, 0.9);
    struct occupancy_case input = case_of(&machine, memory_work(1e6, 0), 0.16 / 8, 1);
    struct occupancy now;

    account.n_in_flight = 8; /* and a miss took 160 ns, not the profile's 100 */
    account.call_s = 0.0125;
    input.account = &account;
    now = computed(&input);
    check_near(now.in_flight.value, 8, 1e-9);
    check(now.in_flight.low <= 5.1 && now.in_flight.high >= 8.4);
    occupancy_release(&now);
    account = account_of(CAUSE_REORDER_BUFFER, 0.95, 0.9);
    account.n_in_flight = 8;
    now = computed(&input);
    check_near(now.in_flight.value, 5, 0.05);
    occupancy_release(&now);
}

TEST("counters confirm a cause, replace a guess and cast doubt on another")
{
    static const struct {
        const char *fact;
        double share;
        enum cause modelled;
        double time_s; /* 0.1: as the model says */
        enum cause want;
        enum confidence sure;
    } cases[] = {
        {"bad_speculation", 0.3, CAUSE_BRANCHES, 0.14, CAUSE_BRANCHES, CONFIDENCE_HIGH},
        {"bad_speculation", 0.1, CAUSE_BRANCHES, 0.14, CAUSE_BRANCHES, CONFIDENCE_MEDIUM},
        {"bad_speculation", 0.3, CAUSE_RECURRENCE, 0.17, CAUSE_BRANCHES,
         CONFIDENCE_MEDIUM},
        {"bad_speculation", 0.3, CAUSE_RECURRENCE, 0.1, CAUSE_RECURRENCE, CONFIDENCE_LOW},
        {"division_bound", 0.8, CAUSE_RECURRENCE, 0.17, CAUSE_ARITHMETIC,
         CONFIDENCE_MEDIUM},
        {"store_bound", 0.25, CAUSE_RECURRENCE, 0.17, CAUSE_STORES, CONFIDENCE_MEDIUM},
        {"retiring", 0.75, CAUSE_RECURRENCE, 0.17, CAUSE_ISSUE_WIDTH, CONFIDENCE_MEDIUM},
        /* empty slots while nobody says what the back end does */
        {"frontend_bound", 0.5, CAUSE_RECURRENCE, 0.17, CAUSE_RECURRENCE, CONFIDENCE_LOW},
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct pipeline_account account = account_of(cases[i].modelled, 0.9, 0.6);
        struct machine machine = machine_made();
        struct occupancy now = diagnosed(&machine, &account, cases[i].time_s);
        struct counted counted = {0};

        check(counted_put(&counted, cases[i].fact,
                          quantity_exact(cases[i].share, PROVENANCE_PAPI)));
        diagnosis_count(&now.diagnosis, &now, &counted);
        diagnosis_count(&now.diagnosis, &now, &counted); /* once is enough */
        if (!check_eq(now.diagnosis.cause, cases[i].want) ||
            !check_eq(now.diagnosis.confidence, cases[i].sure))
            check_str(cases[i].fact, cause_word(cases[i].modelled));
        occupancy_release(&now);
    }
}

/* Units that wait for misses look busy: the queue decides. */
TEST("counters do not overrule a queue in use")
{
    struct machine machine = machine_made();
    struct occupancy_case input = case_of(&machine, memory_work(1e6, 0), 0.1 / 8, 1);
    struct occupancy now = computed(&input);
    struct counted counted = {0};
    enum cause cause = now.diagnosis.cause;

    counted_put(&counted, "core_bound", quantity_exact(0.6, PROVENANCE_PAPI));
    counted_put(&counted, "memory_bound", quantity_exact(0.1, PROVENANCE_PAPI));
    diagnosis_count(&now.diagnosis, &now, &counted);
    check_eq(now.diagnosis.cause, cause);
    check(!now.diagnosis.is_counted);
    check(!counted_put(&counted, "l1_full_share", quantity_exact(0.6, PROVENANCE_PAPI)));
    occupancy_release(&now);
}
