/* The one table of metrics, and the values of one situation: a slot per metric. */
#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "core/cause/cause.h"
#include "rules/rule_set.h"
#include "rules/rules.h"

static const char *const yes_no[] = {"no", "yes", NULL};
static const char *const page_words[] = {"small", "huge", NULL};
static const char *const prefetch_words[] = {"none", "l1", "l2", NULL};
static const char *const unit_words[] = {"yes", "mixed", "no", NULL};
static const char *const reassociable_words[] = {"yes", "no", "reassociate", NULL};

/* Units: share 0..1, printed in percent; ratio; count; others as they are printed. */
static const struct rule_metric metrics[] = {
    /* occupancy: emitted by occupancy_metrics() under these names */
    {"cause", "word", "what limits the loop", cause_words},
    {"cause_kind", "word",
     "follows from the cause; memory: lines come late or too slowly; latency: operations "
     "wait for the one before; core: the core's own work",
     cause_kind_words},
    {"cause_gain", "ratio", "time of a call over that without the cause, by a model",
     NULL},
    {"slack", "ratio", "time of a call over the least time of its busiest resource",
     NULL},
    {"l1_utilization", "share", "of the L1 miss queue, in use", NULL},
    {"l2_utilization", "share", "of the L2 miss queue, in use", NULL},
    {"walker_utilization", "share", "of the page walks a core can do, done", NULL},
    {"memory_utilization", "share", "of the reachable memory bandwidth, used", NULL},
    {"l2_link_utilization", "share", "of the bandwidth from L2, used", NULL},
    {"l3_link_utilization", "share", "of the bandwidth from L3, used", NULL},
    {"arithmetic_utilization", "share", "of the vector arithmetic rate, used", NULL},
    {"queue_utilization", "share",
     "paper_occupancy over the L1 limit if accesses are random, else over the L2 limit",
     NULL},
    {"paper_occupancy", "lines", "in flight per core: bandwidth x latency / line / cores",
     NULL},
    {"l1_occupancy", "lines", "in the L1 miss queue of a core, on average", NULL},
    {"l2_occupancy", "lines", "in the L2 miss queue of a core, on average", NULL},
    {"in_flight", "lines", "misses under way per core, their translation included", NULL},
    {"l1_limit", "lines", "that the L1 miss queue of a core holds", NULL},
    {"l2_limit", "lines", "that the L2 miss queue of a core holds", NULL},
    {"l2_over_l1", "ratio", "l2_limit over l1_limit", NULL},
    {"prefetch_l2_gain", "ratio",
     "rate of independent random reads with prefetch to L2 over the best without, probed",
     NULL},
    {"l2_hold_ratio", "ratio",
     "time of an L2 hit over the time an L1 queue entry is held now", NULL},
    {"random_share", "share", "of the misses beyond L2 that no prefetcher covers", NULL},
    {"translation_share", "share", "of the time a miss takes, spent on its page walk",
     NULL},
    {"hugepages_walk_ratio", "ratio",
     "least time for random accesses on huge pages over that on small ones", NULL},
    {"bandwidth_gbs", "GB/s", "through the memory node, all cores, write-backs included",
     NULL},
    {"latency_ns", "ns", "of memory at this load", NULL},
    {"read_share", "share", "of the memory traffic that is reads", NULL},
    {"store_share", "share", "of the memory traffic that is write-backs and stores",
     NULL},

    /* the loop, from its source at the bound sizes */
    {"has_indirect", "word", "an access of the nest has a subscript loaded from memory",
     yes_no},
    {"inner_strided", "word",
     "an access strides by a line or more in the innermost loop, or around one of a few "
     "iterations",
     yes_no},
    {"unit_stride_loop", "word",
     "another loop of the nest would walk strided accesses with unit stride; mixed: but "
     "others with a line or more",
     unit_words},
    {"divides", "word", "what limits the loop is arithmetic, most of all divisions",
     yes_no},
    {"jammable", "word", "an unroll-and-jam of the nest is legal", yes_no},
    {"vectors_apart", "word",
     "parts of a loop that cannot be vectors can be in loops of their own", yes_no},
    {"vectors_outside", "word",
     "iterations of the loop around one that cannot be vectors can be, a block of them "
     "side by side",
     yes_no},
    {"interleavable", "word",
     "loops of unknown length, in iterations of a loop around, may run side by side",
     yes_no},
    {"address_chain", "word", "the address of a miss is loaded by the miss before it",
     yes_no},
    {"has_reuse", "word",
     "an outer loop comes back to lines that the cache has lost by then", yes_no},
    {"has_register_reuse", "word",
     "an outer loop uses elements again that registers could keep", yes_no},
    {"has_reduction", "word", "the innermost loop adds up into one element", yes_no},
    {"accumulable", "word",
     "several accumulators may share what the innermost loop makes from its last value; "
     "reassociate: only with that option",
     reassociable_words},
    {"store_forwarding", "word",
     "the innermost loop soon loads what it has stored, through memory", yes_no},
    {"stores_reused", "word", "stored lines are used again while a cache still has them",
     yes_no},
    {"shares_arrays", "word", "neighbouring nests use the same arrays", yes_no},
    {"fusion_forwards", "word",
     "neighbouring nests made one would soon load what they have stored", yes_no},
    {"row_conflicts", "word",
     "rows are a large power of two apart: lines of a column share few sets of a cache",
     yes_no},
    {"distributable", "word", "a distribute of one of the loops is legal", yes_no},
    {"fusable", "word", "a fuse of two neighbouring loops is legal", yes_no},
    {"inner_trips", "count", "mean trip count of the innermost loop", NULL},
    {"loop_depth", "count", "loops around the innermost statement, itself included",
     NULL},
    {"nests", "count", "loop nests, one after the other, in the function", NULL},
    {"statements", "count",
     "groups of statements that the innermost loop could be split in", NULL},
    {"flops_per_byte", "flop/byte", "arithmetic per byte of memory traffic", NULL},
    {"write_allocate_share", "share",
     "of the memory traffic that reads lines only to overwrite them", NULL},
    {"working_set_over_l2", "ratio", "data of one core over its share of L2", NULL},
    {"working_set_over_l3", "ratio", "data of one core over its share of L3", NULL},
    {"reuse_over_cache", "ratio",
     "data that one thread comes back to, over what its core has of the last cache",
     NULL},
    {"streams_per_thread", "count", "sequential streams of the innermost loop", NULL},
    {"stream_load", "ratio",
     "streams of all threads of a core over those the prefetcher follows", NULL},

    /* what was done already, and what the machine offers */
    {"vectorized", "word",
     "the innermost loop already is vector code: the plan marks it, or it runs fewer "
     "instructions than the scalar loop has accesses",
     yes_no},
    {"prefetch_used", "word", "software prefetches already there, by their target",
     prefetch_words},
    {"nontemporal_used", "word", "stores already go past the caches", yes_no},
    {"pages", "word", "pages of the buffers", page_words},
    {"hugepages_available", "word",
     "the system gives huge pages on request, and the buffers are not on them yet",
     yes_no},
    {"cache_contention", "word",
     "threads of a core push each other's lines out of the cache (seen, not foreseen)",
     yes_no},
    {"simd_lanes", "count", "elements in a vector register", NULL},
    {"threads_used", "count", "hardware threads of a core that run", NULL},
    {"free_threads", "count", "hardware threads of a core that idle", NULL},
    {"idle_cores", "count", "cores of the machine that idle and may take part", NULL},

    /* what a plan would change, for its bound: work after over work before */
    {"tile_traffic_ratio", "ratio", "lines left by tiling, at best", NULL},
    {"interchange_traffic_ratio", "ratio", "lines left by the best loop order", NULL},
    {"unroll_jam_traffic_ratio", "ratio", "lines left by unroll-and-jam", NULL},
    {"block_traffic_ratio", "ratio", "lines left by blocks of results in registers",
     NULL},
    {"fuse_traffic_ratio", "ratio", "lines left by fusing", NULL},
    {"nontemporal_traffic_ratio", "ratio", "bytes left when stores read no lines", NULL},
    {"nontemporal_lines_ratio", "ratio", "lines left to fetch when stores read none",
     NULL},
    {"parallel_memory_ratio", "ratio", "bytes left when all cores' caches are used",
     NULL},
    {"parallel_share", "ratio", "cores used now over cores there are", NULL},
    {"skew_traffic_ratio", "ratio", "lines left by blocks in time, at best", NULL},
    {"record_traffic_ratio", "ratio",
     "bytes left when each field of an array of structs has an array of its own", NULL},
    {"lookup_line_share", "share", "of a line that a look-up fetches, used", NULL},

    /* what is left whatever is done: each line that is touched moved once, less what
       caches may hold already */
    {"l1_least_ratio", "ratio", "of the L1 miss queue's work, left by any plan", NULL},
    {"l2_least_ratio", "ratio", "of the L2 miss queue's work, left by any plan", NULL},
    {"l2_link_least_ratio", "ratio", "of the lines from L2, left by any plan", NULL},
    {"memory_least_ratio", "ratio", "of the bytes through memory, left by any plan",
     NULL},
    {"walks_least_ratio", "ratio", "of the page walks, left by any plan", NULL},

    /* what no plan can change, for advice without code */
    {"time_loop", "word", "the outermost loop goes over the same data again and again",
     yes_no},
    {"contraction", "word",
     "loops that add up what others use again: a matrix product or its kin", yes_no},
    {"record_used_share", "share", "of the bytes of arrays of structs, used by the nests",
     NULL},
    {"record_names", "names", "arrays of structs with the fields used", NULL},
    {"lookup_names", "names", "arrays that are looked up, and what they are looked up by",
     NULL},
    {"local_temporaries", "word",
     "a local array holds what one iteration writes and reads", yes_no},
    {"local_names", "names", "these local arrays", NULL},
    {"denormals", "word",
     "an array of floating point holds numbers too small to be normal, one in a hundred "
     "or more",
     yes_no},
    {"denormal_names", "names", "that array", NULL},
    {"counts_narrow", "word",
     "comparisons of elements of one or two bytes are counted in wider variables",
     yes_no},
    {"counter_names", "names", "these variables, with their lines", NULL},
    {"divisor_stays", "word",
     "a divisor stays the same in a loop around the division; reassociate: its "
     "reciprocal "
     "rounds otherwise, which only that option permits",
     reassociable_words},
    {"divisor_names", "names", "these divisors, with their lines", NULL},
    {"asks_place", "word",
     "an index or a value is chosen by the place in a loop, or goes round by a remainder",
     yes_no},
    {"border_names", "names", "what is asked there, with its lines", NULL},
    {"met_by_store", "word",
     "an element stays the same in a loop that writes others of its array, perhaps it",
     yes_no},
    {"met_names", "names", "these elements, with their lines", NULL},
    {"keeps_place", "word",
     "the least or greatest so far is kept together with where it was found", yes_no},
    {"place_names", "names", "what keeps the place, with its line", NULL},
    {"prefix_sum", "word", "a sum is stored as it grows, in each iteration", yes_no},
    {"prefix_names", "names", "these sums, with their lines", NULL},
    {"fresh_memory", "word", "each call takes memory from the system anew", yes_no},
    {"fresh_names", "names", "the calls that do, with their lines", NULL},
    {"asks_length", "word", "a loop asks for the length of a string in its head", yes_no},
    {"length_names", "names", "these calls, with their lines", NULL},
    {"searches", "word", "a loop ends where its condition on an element says so", yes_no},
    {"search_names", "names", "these elements, with their lines", NULL},
    {"sets_errno", "word",
     "the loop takes square roots, and the flags let negative numbers set errno", yes_no},
    {"errno_names", "names", "these, with their lines", NULL},
    {"indirect_update", "word", "elements found by an index are changed in place",
     yes_no},
    {"update_names", "names", "the arrays changed so", NULL},

    /* what counters of the CPU say beside it (rules/metrics, "fact"); all are of the
       whole, also where the counters tell a share of the parent */
    {"frontend_bound", "share",
     "of the core's capacity (issue slots; cycles where the CPU counts those), lost "
     "because no instructions were delivered",
     NULL},
    {"bad_speculation", "share",
     "of the capacity, spent on work that was thrown away, and on starting over", NULL},
    {"backend_bound", "share",
     "of the capacity, lost because data or units were waited for", NULL},
    {"retiring", "share", "of the capacity, put to use: instructions that retired", NULL},
    {"memory_bound", "share", "of the capacity, lost waiting for memory and caches",
     NULL},
    {"core_bound", "share", "of the capacity, lost waiting for units of the core", NULL},
    {"store_bound", "share", "of the cycles, with the store queue full", NULL},
    {"division_bound", "share", "of the cycles, with the divider at work", NULL},
    {"counted_l1_occupancy", "lines",
     "in the L1 miss queue of a core, on average, counted", NULL},
    {"counted_l2_occupancy", "lines",
     "in the L2 miss queue of a core, on average, counted", NULL},
    {"l1_full_share", "share", "of the cycles, with the L1 miss queue full, counted",
     NULL},
    {"l2_full_share", "share", "of the cycles, with the L2 miss queue full, counted",
     NULL},
};

bool rule_metric_is_names(const struct rule_metric *metric)
{
    return strcmp(metric->unit, "names") == 0;
}

struct rule_facts {
    struct fact slot[ARRAY_SIZE(metrics)];
};

const struct rule_metric *rule_metrics(size_t *nr)
{
    *nr = ARRAY_SIZE(metrics);
    return metrics;
}

const struct rule_metric *rule_metric_find(const char *name)
{
    for (size_t i = 0; i < ARRAY_SIZE(metrics); i++)
        if (strcmp(metrics[i].name, name) == 0)
            return &metrics[i];
    return NULL;
}

/* The table's own copy of the word; NULL when the metric does not have it. */
static const char *rule_metric_word(const struct rule_metric *metric, const char *word)
{
    for (const char *const *known = metric->words; known && *known; known++)
        if (strcmp(*known, word) == 0)
            return *known;
    return NULL;
}

static void rule_metric_list_words(const struct rule_metric *metric, struct buf *out)
{
    for (const char *const *known = metric->words; *known; known++)
        buf_addf(out, "%s%s", known == metric->words ? "" : ", ", *known);
}

struct rule_facts *rule_facts_new(void)
{
    struct rule_facts *facts = xcalloc(1, sizeof(*facts));

    for (size_t i = 0; i < ARRAY_SIZE(facts->slot); i++)
        facts->slot[i].number = quantity_unknown();
    return facts;
}

void rule_facts_free(struct rule_facts *facts)
{
    for (size_t i = 0; facts && i < ARRAY_SIZE(facts->slot); i++)
        free(facts->slot[i].names);
    free(facts);
}

const struct fact *fact_of(const struct rule_facts *facts,
                           const struct rule_metric *metric)
{
    return &facts->slot[metric - metrics];
}

static const char *kind_of(const struct rule_metric *metric)
{
    return metric->words                  ? "word"
           : rule_metric_is_names(metric) ? "list of names"
                                          : "number";
}

static struct fact *slot_of(struct rule_facts *facts, const char *name, const char *kind,
                            struct error *err)
{
    const struct rule_metric *metric = rule_metric_find(name);

    if (!metric) {
        fail(err, STATUS_INPUT, "rules know no metric '%s'", name);
        return NULL;
    }
    if (strcmp(kind_of(metric), kind)) {
        fail(err, STATUS_INPUT, "the metric '%s' is a %s", name, kind_of(metric));
        return NULL;
    }
    return &facts->slot[metric - metrics];
}

int rule_facts_number(struct rule_facts *facts, const char *metric, struct quantity value,
                      struct error *err)
{
    struct fact *slot = slot_of(facts, metric, "number", err);

    if (!slot)
        return -1;
    slot->number = value;
    return 0;
}

int rule_facts_names(struct rule_facts *facts, const char *metric, const char *names,
                     struct error *err)
{
    struct fact *slot = slot_of(facts, metric, "list of names", err);

    if (!slot)
        return -1;
    free(slot->names);
    slot->names = xstrdup(names);
    return 0;
}

int rule_facts_word(struct rule_facts *facts, const char *metric, const char *word,
                    struct error *err)
{
    struct fact *slot = slot_of(facts, metric, "word", err);
    struct buf known = {0};

    if (!slot)
        return -1;
    slot->word = rule_metric_word(rule_metric_find(metric), word);
    if (slot->word && strcmp(metric, "cause") == 0)
        return rule_facts_word(facts, "cause_kind",
                               cause_kind_word(cause_kind(cause_from_word(word))), err);
    if (slot->word)
        return 0;
    rule_metric_list_words(rule_metric_find(metric), &known);
    fail(err, STATUS_INPUT, "the metric '%s' has no word '%s'; known are: %s", metric,
         word, buf_str(&known));
    buf_release(&known);
    return -1;
}

json_t *rule_facts_to_json(const struct rule_facts *facts)
{
    json_t *object = json_object();

    for (size_t i = 0; i < ARRAY_SIZE(metrics); i++) {
        const struct fact *fact = &facts->slot[i];

        if (fact->word)
            json_object_set_new(object, metrics[i].name, json_string(fact->word));
        else if (fact->names)
            json_object_set_new(object, metrics[i].name, json_string(fact->names));
        else if (fact->number.known)
            json_object_set_new(object, metrics[i].name, json_quantity(fact->number));
    }
    return object;
}

void fact_print(const struct rule_metric *metric, const struct fact *fact,
                struct buf *out)
{
    if (metric->words)
        buf_add(out, fact->word ? fact->word : "unknown");
    else if (rule_metric_is_names(metric))
        buf_add(out, fact->names ? fact->names : "unknown");
    else
        sentence_add_value(fact->number, metric->unit, out);
}
