#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/random.h"
#include "core/machine/curves/burst_step.h"
#include "core/machine/curves/knee.h"
#include "core/machine/probe/probe_pages.h"
#include "core/machine/sampling/bursts.h"
#include "core/machine/sampling/pointer_chase.h"
#include "core/machine/sampling/prefetch_reads.h"
#include "core/machine/sampling/trial.h"
#include "core/process/term.h"
#include "tests/check.h"

SUITE(machine_knee);

enum { LANES = 52, ROUNDS = 60 };

/* t(k) by hand, and what disturbs it: all deterministic. */
struct shape {
    double flat_ns, slope_ns; /* up to the knee: flat + slope k */
    double falls;             /* of flat_ns: overlapping translations, gone by some 10 */
    double beyond_ns;         /* slope beyond the knee; 0 = pure queueing, c k */
    double knee, sharpness;   /* exponent of the rounding; 0 = a corner */
    double noise;             /* standard deviation of a sample, relative */
    double outliers;          /* share of samples that take half as long again */
    double drift;             /* the last round is that much slower than the first */
    size_t rounds;
};

static double uniform(uint64_t *state)
{
    return (double)(random_next(state) >> 11) * 0x1p-53;
}

static double normal(uint64_t *state)
{
    double radius = sqrt(-2 * log(uniform(state) + 1e-300));

    return radius * cos(2 * 3.14159265358979 * uniform(state));
}

static double shape_ns(const struct shape *shape, double k)
{
    double flat = shape->flat_ns * (1 + shape->falls * exp(-k / 3)) + shape->slope_ns * k;
    double corner = shape->flat_ns + shape->slope_ns * shape->knee;
    double queued = shape->beyond_ns > 0 ? corner + shape->beyond_ns * (k - shape->knee)
                                         : corner * k / shape->knee;

    if (shape->sharpness <= 0)
        return k < shape->knee ? flat : fmax(flat, queued);
    return flat *
           pow(1 + pow(fmax(queued, 0) / flat, shape->sharpness), 1 / shape->sharpness);
}

static int chains_of(size_t i)
{
    return i < 40 ? (int)i + 1 : 42 + 2 * (int)(i - 40);
}

static double sample_store[LANES][ROUNDS];

static struct knee_series series_of(const struct shape *shape, uint64_t seed)
{
    struct knee_series series = {
        .nr = LANES, .rounds = shape->rounds, .residency_ns = shape->flat_ns};

    for (size_t i = 0; i < LANES; i++) {
        series.chains[i] = chains_of(i);
        series.step_ns[i] = sample_store[i];
    }
    for (size_t round = 0; round < shape->rounds; round++) {
        double scale = 1 + shape->drift * (double)round / (double)shape->rounds;

        for (size_t i = 0; i < LANES; i++)
            sample_store[i][round] = shape_ns(shape, chains_of(i)) * scale *
                                     (1 + shape->noise * normal(&seed)) *
                                     (uniform(&seed) < shape->outliers ? 1.5 : 1);
    }
    return series;
}

static void check_knee(const struct shape *shape, double within)
{
    for (uint64_t seed = 1; seed <= 3; seed++) {
        struct knee_series series = series_of(shape, seed);
        struct knee knee = knee_find(&series);

        check(knee.found);
        check_near(knee.chains, shape->knee, within / shape->knee);
        check(knee.low <= knee.chains && knee.chains <= knee.high);
        check(knee.high - knee.low <= 6);
    }
}

TEST("a knee is found, clean and noisy")
{
    static const double knees[] = {8, 10, 12, 16, 20, 24, 32, 40, 48};

    for (size_t i = 0; i < ARRAY_SIZE(knees); i++) {
        struct shape shape = {
            .flat_ns = 100, .slope_ns = 0.4, .knee = knees[i], .rounds = 20};

        check_knee(&shape, 0.3);
        shape.noise = 0.03;
        shape.drift = 0.5;
        shape.outliers = 0.05;
        check_knee(&shape, 1);
    }
}

TEST("few rounds suffice")
{
    static const double knees[] = {10, 16, 24, 32};

    for (size_t i = 0; i < ARRAY_SIZE(knees); i++) {
        struct shape shape = {.flat_ns = 100,
                              .slope_ns = 0.4,
                              .knee = knees[i],
                              .noise = 0.02,
                              .drift = 0.3,
                              .rounds = 8};

        check_knee(&shape, 1);
    }
}

TEST("a rounded knee is where the lines meet")
{
    static const double knees[] = {10, 16, 24, 32};

    for (size_t i = 0; i < ARRAY_SIZE(knees); i++) {
        struct shape shape = {.flat_ns = 100,
                              .knee = knees[i],
                              .sharpness = 16,
                              .noise = 0.03,
                              .outliers = 0.05,
                              .rounds = 40};

        check_knee(&shape, 1);
    }
}

/* In L3 of a Granite Rapids guest: some 2 ns for each chain up to the knee, 3.6 ns
 * beyond it; nowhere flat, and the line beyond misses the origin. */
TEST("a rising start has its knee")
{
    struct shape shape = {.flat_ns = 40,
                          .slope_ns = 2,
                          .beyond_ns = 3.6,
                          .knee = 16,
                          .noise = 0.03,
                          .rounds = 60};

    check_knee(&shape, 1);
}

TEST("a falling start is no knee")
{
    static const double knees[] = {16, 24, 40};

    for (size_t i = 0; i < ARRAY_SIZE(knees); i++) {
        struct shape shape = {.flat_ns = 150,
                              .falls = 0.6,
                              .knee = knees[i],
                              .noise = 0.03,
                              .drift = 0.3,
                              .rounds = 20};

        check_knee(&shape, 1);
    }
}

/* As measured on a Zen 4 guest, 1 GiB fully random on huge pages: the flat part falls,
 * the end rises a little. */
TEST("a measured series has its knee")
{
    static const double per_chain[40] = {
        267.4, 122.8, 79.6, 58.3, 44.8, 36.0, 29.9, 24.8, 21.2, 18.7,
        16.5,  14.8,  13.4, 12.4, 11.3, 10.5, 9.87, 9.22, 8.80, 8.41,
        8.26,  7.92,  7.87, 7.83, 7.90, 7.81, 7.94, 7.94, 7.89, 7.83,
        7.94,  8.00,  8.05, 8.02, 8.13, 8.19, 8.32, 8.25, 8.08, 8.19};
    struct knee_series series = {.nr = 40, .rounds = 3, .residency_ns = 138};
    struct knee knee;

    for (size_t i = 0; i < 40; i++) {
        series.chains[i] = (int)i + 1;
        series.step_ns[i] = sample_store[i];
        for (size_t round = 0; round < 3; round++)
            sample_store[i][round] = per_chain[i] * (double)(i + 1);
    }
    knee = knee_find(&series);
    check(knee.found);
    check(knee.chains >= 20 && knee.chains <= 22);
    check_near(knee.floor, 17.6, 0.02);
}

TEST("no plateau is no knee")
{
    struct shape shape = {.flat_ns = 100, .knee = 124, .noise = 0.03, .rounds = 20};
    struct knee_series series = series_of(&shape, 1);
    struct knee knee = knee_find(&series);

    check(!knee.found);
    check(knee.floor > 50 && knee.floor < 70);
    series.nr = 10;
    check(!knee_find(&series).found);
    shape.knee = 60; /* too few lanes beyond it */
    series = series_of(&shape, 1);
    check(!knee_find(&series).found);
}

/* The flat part falls, and then nothing queues. */
TEST("falling alone is no knee")
{
    struct shape shape = {
        .flat_ns = 150, .falls = 0.6, .knee = 1000, .noise = 0.01, .rounds = 20};
    struct knee_series series = series_of(&shape, 1);

    check(!knee_find(&series).found);
}

/* Numbers of lanes that meet a conflict of their own, in every round. */
TEST("odd lanes do not move the knee")
{
    static const size_t odd[] = {9, 13, 14, 22};
    struct shape shape = {.flat_ns = 100, .knee = 16, .noise = 0.01, .rounds = 20};
    struct knee_series series = series_of(&shape, 1);
    struct knee knee;

    for (size_t i = 0; i < ARRAY_SIZE(odd); i++)
        for (size_t round = 0; round < shape.rounds; round++)
            sample_store[odd[i]][round] *= 1.3;
    knee = knee_find(&series);
    check(knee.found);
    check_near(knee.chains, 16, 0.5 / 16);
}

TEST("noise is no knee")
{
    struct shape shape = {.flat_ns = 100, .knee = 16, .noise = 0.3, .rounds = 20};
    struct knee_series series = series_of(&shape, 1);

    check(!knee_find(&series).found);
    shape.noise = 0;
    series = series_of(&shape, 1);
    sample_store[3][1] = NAN;
    check(!knee_find(&series).found);
}

/* With very many lanes each becomes slower again, more than the knee is a bend. */
TEST("a slow end does not move the knee")
{
    enum { END = 32 };
    struct shape shape = {
        .flat_ns = 100, .slope_ns = 0.4, .knee = 12, .noise = 0.01, .rounds = 12};
    struct knee_series series = series_of(&shape, 1);

    for (size_t i = 0; i < LANES; i++)
        for (size_t round = 0; chains_of(i) > END && round < shape.rounds; round++)
            sample_store[i][round] *= 1 + 0.06 * (chains_of(i) - END);
    struct knee knee = knee_find(&series);
    check(knee.found);
    check_near(knee.chains, 12, 0.5 / 12);
}

/* Lanes queue a little more from the sixteenth on, but noise alone would bend the line
 * nearly as much. */
TEST("a bend is no knee")
{
    struct shape shape = {.flat_ns = 40,
                          .slope_ns = 3,
                          .beyond_ns = 4,
                          .knee = 16,
                          .noise = 0.1,
                          .rounds = 8};

    for (uint64_t seed = 1; seed <= 8; seed++) {
        struct knee_series series = series_of(&shape, seed);

        check(!knee_find(&series).found);
    }
}

/* 90 % of the intervals hold the place: of 40, at least 32. */
TEST("the interval holds the knee")
{
    struct shape shape = {
        .flat_ns = 100, .slope_ns = 0.4, .knee = 16, .noise = 0.1, .rounds = 20};
    size_t held = 0;

    for (uint64_t seed = 1; seed <= 40; seed++) {
        struct knee_series series = series_of(&shape, seed);
        struct knee knee = knee_find(&series);

        held += knee.found && knee.low <= shape.knee && shape.knee <= knee.high;
    }
    check(held >= 32);
}

static void count_runs(void *subject, int variant, size_t work)
{
    double until = clock_s() + 1e-6 * (double)work;

    (void)variant;
    ++*(int *)subject;
    while (clock_s() < until)
        ;
}

static int warmed;

static void count_warmth(void *subject)
{
    (void)subject;
    warmed++;
}

/* Every trial gets one sample a round, and what the one before left warm is not warmed.
 */
/* Bursts of n misses, at most `entries` of them under way at once, each after 140 ns that
 * differ by 8 %, and 8 % more. */
static double burst_of(size_t n, size_t entries, uint64_t *seed)
{
    double free_s[BURSTS_MAX] = {0}, last = 0;

    for (size_t i = 0; i < n; i++) {
        size_t first = 0;

        for (size_t j = 1; j < entries && j < BURSTS_MAX; j++)
            if (free_s[j] < free_s[first])
                first = j;
        free_s[first] =
            fmax(free_s[first], 0.3 * (double)i) + 130 * (1 + 0.08 * fabs(normal(seed)));
        last = fmax(last, free_s[first]);
    }
    return last;
}

static struct quantity step_of(size_t entries, size_t rounds, double outliers,
                               uint64_t seed)
{
    static double sample[BURSTS_MAX][ROUNDS];
    double *burst_ns[BURSTS_MAX];

    for (size_t i = 0; i < BURSTS_MAX; i++) {
        burst_ns[i] = sample[i];
        for (size_t round = 0; round < rounds; round++) {
            sample[i][round] = 0;
            for (int j = 0; j < 40; j++)
                sample[i][round] += burst_of(i + 1, entries, &seed) / 40;
            sample[i][round] *=
                (1 + 0.02 * normal(&seed)) * (uniform(&seed) < outliers ? 1.5 : 1);
        }
    }
    return burst_step(burst_ns, BURSTS_MAX, rounds);
}

TEST("bursts have a step where the queue is full")
{
    static const size_t entries[] = {8, 10, 12, 16, 20, 24, 32, 44, 60};

    for (size_t i = 0; i < ARRAY_SIZE(entries); i++)
        for (size_t rounds = 5; rounds <= 30; rounds += 25) {
            struct quantity step = step_of(entries[i], rounds, 0.05, i + rounds);

            if (!check(step.known && step.low <= (double)entries[i] &&
                       step.high >= (double)entries[i] && step.high - step.low <= 8))
                fprintf(stderr, "%zu entries, %zu rounds: %g [%g, %g]\n", entries[i],
                        rounds, step.value, step.low, step.high);
        }
    check(!step_of(1000, 10, 0, 1).known); /* never full */
    check(!step_of(16, 2, 0, 1).known);
}

TEST("trials come in rounds")
{
    struct trials trials = {0};
    int runs[2] = {0};

    for (int i = 0; i < 4; i++)
        trials_add(&trials, &(struct trial){.run = count_runs,
                                            .warm = count_warmth,
                                            .subject = &runs[i / 2],
                                            .target_s = 1e-4});
    warmed = 0;
    trials_run(&trials, 5, clock_s() + 60);
    for (size_t i = 0; i < 4; i++)
        check_eq(trials.trial[i].sample_nr, 5);
    check(warmed >= 4 + 2 * 5);
    check(runs[0] >= 10 && runs[1] >= 10);
    trials_release(&trials);
}

/* Every line of the order is read, and the order is of all nodes. */
TEST("a round of bursts has every size")
{
    enum { BLOCKS = 3 };
    static _Alignas(4096) char memory[BLOCKS * BURSTS_BLOCK_BYTES];
    struct bursts bursts = {
        .base = memory, .bytes = sizeof(memory), .node_bytes = 128, .random = 1};

    for (int tries = 0; tries < 100 && !bursts_round(&bursts);)
        tries++;
    if (!bursts.rounds) {
        check_skip("other processes disturb every round");
        return;
    }
    for (size_t i = 0; i < BURSTS_MAX; i++)
        check(bursts.burst_ns[i][0] > 0);
    bursts_release(&bursts);
}

TEST("a random order has all nodes")
{
    enum { NODES = 1000, BLOCK = 64 };
    uint32_t order[NODES];
    bool seen[NODES] = {false};
    uint64_t state = 1;

    random_order(order, NODES, BLOCK, &state);
    for (size_t i = 0; i < NODES; i++) {
        check(order[i] < NODES && !seen[order[i]]);
        seen[order[i]] = true;
    }
    /* Neighbours of one block stay together. */
    for (size_t i = 1, changes = 0; i < NODES; i++) {
        changes += order[i] / BLOCK != order[i - 1] / BLOCK;
        check(changes <= NODES / BLOCK);
    }
}

TEST("prefetched reads wrap")
{
    enum { NODES = 200 };
    static char memory[NODES * 128];
    struct prefetch_reads reads;

    prefetch_reads_init(&reads, memory, sizeof(memory), 128, 0);
    for (int to = 0; to < PREFETCH_KINDS; to++)
        prefetch_reads_run(&reads, (enum prefetch_to)to, PREFETCH_DISTANCE_MAX, 150);
    check_eq(reads.at, 3 * 150 % (NODES - PREFETCH_DISTANCE_MAX));
    prefetch_reads_release(&reads);
}

TEST("the TLBs reach as far as the step")
{
    static const size_t pages[] = {128, 256, 512, 1024, 2048, 4096, 8192, 16384};
    static const double step[] = {1.5, 1.6, 1.5, 1.7, 2.0, 9.0, 11.0, 11.5};
    static const double flat[] = {1.5, 1.6, 1.5, 1.7, 2.0, 2.1, 2.0, 2.1};

    check(tlb_reach(pages, step, ARRAY_SIZE(pages)) > 2048);
    check(tlb_reach(pages, step, ARRAY_SIZE(pages)) < 4096);
    check_near(tlb_reach(pages, flat, ARRAY_SIZE(pages)), 0, 0);
}

/* Steps until the lane is back where it started, at most `most`. */
static size_t cycle_length(struct chase *chase, size_t max)
{
    void *start = chase->at[0];
    size_t steps = 0;

    do {
        chase_run(chase, 1, 1);
        steps++;
    } while (chase->at[0] != start && steps <= max);
    return steps;
}

TEST("a chase is one cycle through all nodes")
{
    const size_t line = 64,
                 nodes = 3 * 16384 + 17; /* blocks of 16384 nodes, the last one short */
    char *memory = aligned_alloc(4096, (nodes * 128 + 4095) / 4096 * 4096);
    struct chase_plan plan = {
        .base = memory, .bytes = nodes * 128, .spacing = 128, .seed = 3};
    struct chase chase;

    for (enum chase_order order = CHASE_BLOCK_LOCAL; order <= CHASE_RANDOM; order++) {
        plan.order = order;
        chase_build(&chase, &plan);
        check_eq(chase.node_nr, nodes);
        check_eq(cycle_length(&chase, nodes), nodes);
    }
    plan = (struct chase_plan){.base = memory,
                               .bytes = 1024 * 4096,
                               .spacing = 4096,
                               .offset = 16,
                               .line = line,
                               .order = CHASE_PAGES,
                               .seed = 3};
    chase_build(&chase, &plan);
    check_eq(cycle_length(&chase, 1024), 1024);
    for (int i = 0; i < CHASE_CHAINS_MAX; i++)
        check_eq((size_t)((char *)chase.at[i] - memory) % line, 16);
    free(memory);
}

TEST("all lanes of a chase step alike")
{
    enum { NODES = 1000 };
    static char memory[NODES * 128] __attribute__((aligned(128)));
    struct chase chase;
    void *want[CHASE_CHAINS_MAX];

    for (int chains = 1; chains <= CHASE_CHAINS_MAX; chains++) {
        chase_build(&chase, &(struct chase_plan){.base = memory,
                                                 .bytes = sizeof(memory),
                                                 .spacing = 128,
                                                 .order = CHASE_RANDOM,
                                                 .seed = 9});
        for (int i = 0; i < CHASE_CHAINS_MAX; i++)
            want[i] = chase.at[i];
        for (int i = 0; i < chains; i++)
            for (int step = 0; step < 3; step++)
                want[i * CHASE_CHAINS_MAX / chains] =
                    *(void **)want[i * CHASE_CHAINS_MAX / chains];
        chase_run(&chase, chains, 3);
        for (int i = 0; i < CHASE_CHAINS_MAX; i++)
            check(chase.at[i] == want[i]);
    }
}
