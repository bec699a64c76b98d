#include "core/machine/sampling/pointer_chase.h"

#include <assert.h>
#include <stdlib.h>

#include "core/base/array.h"
#include "core/base/random.h"
#include "core/machine/topology/memory.h"
#include "core/process/term.h"

/* One function per number of lanes: a loop over lanes would serialize what is to be
 * measured. Beyond some 14 lanes the compiler keeps them on the stack, which costs L1
 * hits and does no harm. */
#define CHAIN_LOAD(i) void **chain##i = at[i];
#define CHAIN_STEP(i) chain##i = *chain##i;
#define CHAIN_SAVE(i) at[i] = chain##i;
#define DEFINE_CHASE(n)                                                                  \
    static void chase_##n(void **at, size_t steps)                                       \
    {                                                                                    \
        REP_##n(CHAIN_LOAD) while (steps--){REP_##n(CHAIN_STEP)} REP_##n(CHAIN_SAVE)     \
    }
EACH_1_TO_64(DEFINE_CHASE)

#define CHASE_ENTRY(n) chase_##n,
static void (*const chase_of[])(void **at, size_t steps) = {EACH_1_TO_64(CHASE_ENTRY)};

void chase_run(struct chase *chase, int chain_nr, size_t steps)
{
    void *at[CHASE_CHAINS_MAX];

    assert(chain_nr >= 1 && chain_nr <= CHASE_CHAINS_MAX);
    for (int i = 0; i < chain_nr; i++)
        at[i] = chase->at[i * CHASE_CHAINS_MAX / chain_nr];
    chase_of[chain_nr - 1](at, steps);
    for (int i = 0; i < chain_nr; i++)
        chase->at[i * CHASE_CHAINS_MAX / chain_nr] = at[i];
}

static double pass_s(struct chase *chase)
{
    double start = clock_s();

    chase_run(chase, CHASE_CHAINS_MAX, chase->node_nr / CHASE_CHAINS_MAX + 1);
    return clock_s() - start;
}

/* A shared victim cache takes many passes to learn lines that neighbours have evicted:
 * until three passes in a row bring nothing. */
void chase_warm(struct chase *chase)
{
    const int passes_max = 40;
    double best = pass_s(chase);

    for (int i = 0, vain = 0; i < passes_max && vain < 3; i++) {
        double took = pass_s(chase);

        vain = took > 0.97 * best ? vain + 1 : 0;
        best = took < best ? took : best;
    }
}

/* Fisher-Yates. The multiplication maps 32 random bits to [0, i]; the bias is below 1e-9
 * here. */
static void shuffle(uint32_t *item, size_t nr, uint64_t *state)
{
    for (size_t i = nr; i-- > 1;) {
        size_t j = (size_t)(((random_next(state) >> 32) * (i + 1)) >> 32);
        uint32_t kept = item[i];

        item[i] = item[j];
        item[j] = kept;
    }
}

/* Visiting the nodes in a shuffled order and coming back to the first gives one cycle
 * through all, as Sattolo's algorithm does, and takes a shuffle of 4 byte items instead
 * of one of the nodes. */
void random_order(uint32_t *order, size_t nr, size_t block_nodes, uint64_t *state)
{
    size_t block_nr = (nr + block_nodes - 1) / block_nodes, filled = 0;
    uint32_t *block = xcalloc(block_nr, sizeof(*block));

    for (size_t i = 0; i < block_nr; i++)
        block[i] = (uint32_t)i;
    shuffle(block, block_nr, state);
    for (size_t i = 0; i < block_nr; i++) {
        size_t first = block[i] * block_nodes;
        size_t in_block = nr - first < block_nodes ? nr - first : block_nodes;

        for (size_t j = 0; j < in_block; j++)
            order[filled + j] = (uint32_t)(first + j);
        shuffle(order + filled, in_block, state);
        filled += in_block;
    }
    free(block);
}

/* A node's line in its page must not change while the cycle is linked: derived from the
 * node's number. */
static char *node_at(const struct chase_plan *plan, size_t node)
{
    char *address = plan->base + node * plan->spacing + plan->offset;

    if (plan->order == CHASE_PAGES) {
        uint64_t state = plan->seed + node;

        address += random_next(&state) % (plan->spacing / plan->line) * plan->line;
    }
    return address;
}

static void link_nodes(const struct chase_plan *plan, const uint32_t *order, size_t nr)
{
    char *first = node_at(plan, order[0]), *here = first;

    for (size_t i = 1; i < nr; i++) {
        char *next = node_at(plan, order[i]);

        *(void **)(void *)here = next;
        here = next;
    }
    *(void **)(void *)here = first;
}

void chase_build(struct chase *chase, const struct chase_plan *plan)
{
    uint64_t state = plan->seed;
    size_t nr = plan->bytes / plan->spacing,
           block_nodes = HUGE_PAGE_BYTES / plan->spacing;
    uint32_t *order;

    assert(nr >= 1 && nr < UINT32_MAX);
    order = xcalloc(nr, sizeof(*order));
    random_order(order, nr, plan->order == CHASE_BLOCK_LOCAL ? block_nodes : nr, &state);
    link_nodes(plan, order, nr);
    for (size_t i = 0; i < CHASE_CHAINS_MAX; i++)
        chase->at[i] = node_at(plan, order[i * nr / CHASE_CHAINS_MAX]);
    chase->node_nr = nr;
    free(order);
}
