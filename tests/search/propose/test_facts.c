/* What the rules are told of three kernels. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "search/propose/reuse.h"
#include "search/strategy/facts.h"
#include "tests/search/choices.h"
#include "tests/search/scripted_space.h"

SUITE(search_facts);

/* A session with the kernel measured under one choice. */
struct bench {
    struct space space;
    struct search_opts opts;
    struct search_result result;
    struct session session;
    json_t *facts;
};

static void bench_start(struct bench *bench)
{
    struct error err = {0};

    space_init(&bench->space, NULL);
    bench->space.noise = 0;
    bench->space.subject.cores = 2;
    bench->opts.rules = space_rules();
    bench->session = (struct session){.subject = &bench->space.subject,
                                      .runner = &bench->space.runner,
                                      .opts = &bench->opts,
                                      .result = &bench->result};
    check_ok(session_start(&bench->session, &err), &err);
}

static void look(struct bench *bench, const struct choice *choice, bool huge_pages)
{
    struct rule_facts *facts = rule_facts_new();
    struct error err = {0};
    size_t i = 0;

    check_ok(session_measure(&bench->session, choice, huge_pages, MEASURE_EXPLAIN, 0, &i,
                             &err),
             &err);
    check_ok(session_facts(&bench->session, i, i, facts, &err), &err);
    json_decref(bench->facts);
    bench->facts = rule_facts_to_json(facts);
    rule_facts_free(facts);
}

static void bench_release(struct bench *bench)
{
    json_decref(bench->facts);
    rule_set_free((struct rule_set *)(uintptr_t)bench->opts.rules);
    session_release(&bench->session);
    search_result_release(&bench->result);
    space_release(&bench->space);
}

static double number(const struct bench *bench, const char *metric)
{
    const json_t *fact = json_object_get(bench->facts, metric);

    return fact ? json_number_value(json_object_get(fact, "value")) : -1;
}

static double low_end(const struct bench *bench, const char *metric)
{
    const json_t *fact = json_object_get(bench->facts, metric);

    return fact ? json_number_value(json_object_get(fact, "low")) : -1;
}

/* "metric=word" for each, in the order of the rules' table. */
static void check_words(const struct bench *bench, const char *const *want, size_t nr)
{
    for (size_t i = 0; i < nr; i++) {
        const char *equal = strchr(want[i], '=');
        char *metric = xstrndup(want[i], (size_t)(equal - want[i]));
        const char *word = json_string_value(json_object_get(bench->facts, metric));
        char *got = xasprintf("%s=%s", metric, word ? word : "(unset)");

        check_str(got, want[i]);
        free(got);
        free(metric);
    }
}

TEST("a matrix product")
{
    static const char *const words[] = {
        "has_indirect=no",        "inner_strided=yes",       "has_reduction=yes",
        "has_register_reuse=yes", "unit_stride_loop=yes",    "pages=small",
        "has_reuse=yes",          "prefetch_used=none",      "nontemporal_used=no",
        "hugepages_available=no", "stores_reused=yes",       "address_chain=(unset)",
        "shares_arrays=(unset)",  "store_forwarding=(unset)"};
    struct bench bench = {0};
    struct choice none = {0};
    double cube = 200.0 * 200 * 200;

    space_dgemm(&bench.space.kernel, 200);
    bench_start(&bench);
    look(&bench, &none, false);
    check_words(&bench, words, ARRAY_SIZE(words));
    check_near(number(&bench, "nests"), 1, 0);
    check_near(number(&bench, "loop_depth"), 3, 0);
    check_near(number(&bench, "inner_trips"), 200, 0);
    check_near(number(&bench, "streams_per_thread"), 1, 0);
    check_near(number(&bench, "working_set_over_l2"), 960000 / 1048576.0, 1e-9);
    check_near(number(&bench, "flops_per_byte"), 2 * cube / (64 * (cube / 4 + 5000)),
               1e-9);
    check_near(number(&bench, "simd_lanes"), 4, 0);
    check_near(number(&bench, "free_threads"), 0, 0);
    check_near(number(&bench, "idle_cores"), 0, 0);
    check(number(&bench, "interchange_traffic_ratio") < 0.5);
    check(number(&bench, "interchange_traffic_ratio") > 0);
    check(number(&bench, "tile_traffic_ratio") < 0.5);
    check_near(number(&bench, "write_allocate_share"), 0, 0); /* C is read */
    check_near(number(&bench, "stream_load"), 1 / 16.0, 0);
    check_near(number(&bench, "statements"), 1, 0);
    /* i comes back to all of B, j to a row of A; k leaves C where it is */
    check_near(number(&bench, "reuse_over_cache"), (320000 + 1600) / 8388608.0, 1e-9);
    check(!json_object_get(bench.facts, "vectorized"));
    bench_release(&bench);
}

TEST("facts follow the plan")
{
    static const char *const words[] = {"inner_strided=no", "has_reduction=no",
                                        "vectorized=yes", "prefetch_used=l2"};
    struct bench bench = {0};
    struct choice choice = choice_of("interchange(i,k,j) simd prefetch(B:8,to:L2)");

    space_dgemm(&bench.space.kernel, 200);
    bench_start(&bench);
    look(&bench, &choice, false);
    check_words(&bench, words, ARRAY_SIZE(words));
    check_near(number(&bench, "streams_per_thread"), 2, 0);
    check(!json_object_get(bench.facts, "interchange_traffic_ratio"));
    bench_release(&bench);
}

TEST("a transposition")
{
    static const char *const words[] = {"has_indirect=no",       "inner_strided=yes",
                                        "has_reduction=no",      "unit_stride_loop=mixed",
                                        "has_register_reuse=no", "has_reuse=yes",
                                        "stores_reused=no",      "store_forwarding=no"};
    struct bench bench = {0};
    struct choice none = {0};

    space_transpose(&bench.space.kernel, 2000);
    bench_start(&bench);
    look(&bench, &none, false);
    check_words(&bench, words, ARRAY_SIZE(words));
    check_near(number(&bench, "loop_depth"), 2, 0);
    check_near(number(&bench, "streams_per_thread"), 1, 0);
    check_near(number(&bench, "flops_per_byte"), 0, 0);
    check_near(number(&bench, "write_allocate_share"), 1 / 2.125, 1e-9);
    check_near(number(&bench, "nontemporal_traffic_ratio"), 1 - 1 / 2.125, 1e-9);
    check_near(number(&bench, "working_set_over_l3"), 64e6 / 8388608, 1e-9);
    check(number(&bench, "tile_traffic_ratio") < 0.5);
    check(number(&bench, "unroll_jam_traffic_ratio") < 1);
    /* 1e6 lines are touched, 4.5e6 came in; caches hold 512, 16384 and 131072 */
    check_near(number(&bench, "l2_link_least_ratio"), 1e6 / 4.5e6, 1e-9);
    check_near(low_end(&bench, "l2_link_least_ratio"), (1e6 - 512) / 4.5e6, 1e-9);
    check_near(number(&bench, "memory_least_ratio"), 1e6 / 8.5e6, 1e-9);
    check_near(low_end(&bench, "memory_least_ratio"), 2 * (5e5 - 147968) / 8.5e6, 1e-9);
    check(low_end(&bench, "l2_least_ratio") >= (1e6 - 147968) / 4.5e6 - 1e-9);
    check(number(&bench, "l1_least_ratio") > 0);
    check(number(&bench, "l1_least_ratio") <= number(&bench, "l2_link_least_ratio"));
    check_near(number(&bench, "nontemporal_lines_ratio"), 1 - 4e6 / 4.5e6, 1e-9);
    bench_release(&bench);
}

/* Rows of a power of two lie on one set of L1. */
TEST("rows that collide")
{
    static const struct {
        int n;
        const char *word;
    } cases[] = {{2048, "row_conflicts=yes"},
                 {2000, "row_conflicts=no"},
                 {2056, "row_conflicts=no"},
                 {16, "row_conflicts=no"}};
    struct choice none = {0};

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct bench bench = {0};

        space_transpose(&bench.space.kernel, cases[i].n);
        bench_start(&bench);
        look(&bench, &none, false);
        check_words(&bench, &cases[i].word, 1);
        bench_release(&bench);
    }
}

TEST("a gather")
{
    static const char *const words[] = {
        "has_indirect=yes",    "inner_strided=no",       "has_reduction=no",
        "unit_stride_loop=no", "has_register_reuse=no",  "has_reuse=no",
        "pages=huge",          "hugepages_available=no", "address_chain=yes",
        "stores_reused=no",
    };
    struct bench bench = {0};
    struct choice none = {0};

    space_gather(&bench.space.kernel, 10000000, 100000000);
    bench.space.kernel.counts.chains = quantity_exact(2, PROVENANCE_SOURCE);
    bench_start(&bench);
    bench.space.subject.huge_pages_available = true;
    bench.space.machine.prefetch_l2_gain = quantity_exact(1.2, PROVENANCE_PROBE);
    look(&bench, &none, true);
    check_words(&bench, words, ARRAY_SIZE(words));
    check_near(number(&bench, "prefetch_l2_gain"), 1.2, 0);
    check_near(number(&bench, "loop_depth"), 1, 0);
    check_near(number(&bench, "streams_per_thread"), 2, 0); /* idx and out */
    check_near(number(&bench, "random_share"), 0.85, 0.01);
    check(number(&bench, "l1_occupancy") > 0.5);
    check_near(number(&bench, "l1_limit"), 10, 0);
    check_near(number(&bench, "l2_over_l1"), 4.8, 1e-9);
    check(!json_object_get(bench.facts, "tile_traffic_ratio"));
    bench_release(&bench);
}

/* Little's law by hand: 1.2e7 lines from memory, 85 % of them random, in a second on each
 * of two cores. */
TEST("the number in flight is Little's law")
{
    struct bench bench = {0};
    struct choice none = {0};
    double gbs = 2 * (1.2e7 + 1.25e6) * 64 / 1e9;

    space_gather(&bench.space.kernel, 10000000, 100000000);
    bench_start(&bench);
    look(&bench, &none, false);
    check_near(number(&bench, "bandwidth_gbs"), gbs, 1e-6);
    check_near(number(&bench, "paper_occupancy"),
               gbs * number(&bench, "latency_ns") / 64 / 2, 1e-6);
    check(number(&bench, "latency_ns") >= 80 && number(&bench, "latency_ns") < 82);
    check_near(number(&bench, "l1_occupancy"), 1.2e7 * (0.85 * 80 + 0.15 * 5) * 1e-9,
               0.03);
    bench_release(&bench);
}

/* What the tracer counted by source goes before differences of edges. */
TEST("counted fills go before differences")
{
    struct bench bench = {0};
    struct choice none = {0};
    struct traffic *traffic = &bench.space.kernel.traffic;

    space_gather(&bench.space.kernel, 10000000, 100000000);
    for (int k = 0; k < 3; k++)
        traffic->l1_from[k] = traffic->l1_covered_from[k] =
            quantity_exact(0, PROVENANCE_MODEL);
    traffic->l1_from[2] = quantity_exact(1e6, PROVENANCE_MODEL);
    bench_start(&bench);
    look(&bench, &none, false);
    check_near(number(&bench, "l1_occupancy"), 1e6 * 80 * 1e-9, 0.03);
    bench_release(&bench);
}

/* Without traffic the source still says what it says. */
TEST("what is not known is not said")
{
    struct bench bench = {0};
    struct choice none = {0};

    space_transpose(&bench.space.kernel, 2000);
    bench_start(&bench);
    bench.space.without_traffic = true;
    bench.space.machine.simd_bytes = 0;
    bench.space.subject.cores = 0;
    look(&bench, &none, false);
    check_near(number(&bench, "loop_depth"), 2, 0);
    check(!json_object_get(bench.facts, "has_reuse"));
    check(!json_object_get(bench.facts, "cause"));
    check(!json_object_get(bench.facts, "flops_per_byte"));
    check(!json_object_get(bench.facts, "simd_lanes"));
    check(!json_object_get(bench.facts, "idle_cores"));
    bench_release(&bench);
}

TEST("a kernel without modelled loops has few facts")
{
    struct bench bench = {0};
    struct choice none = {0};

    space_gather(&bench.space.kernel, 1000000, 100000000);
    bench.space.kernel.loop[0].modelled = false;
    bench_start(&bench);
    look(&bench, &none, false);
    check_near(number(&bench, "nests"), 1, 0);
    check(!json_object_get(bench.facts, "loop_depth"));
    check(!json_object_get(bench.facts, "has_indirect"));
    check(json_object_get(bench.facts, "bandwidth_gbs"));
    bench_release(&bench);
}

/* Two loops over n elements, one behind the other: a -> b, then b -> c. */
TEST("neighbouring nests")
{
    struct kernel_array array[] = {{.name = "a", .bytes = 8e6, .element_bytes = 8},
                                   {.name = "b", .bytes = 8e6, .element_bytes = 8},
                                   {.name = "c", .bytes = 8e6, .element_bytes = 8}};
    struct kernel_loop loop[] = {{.name = "i",
                                  .nest = 0,
                                  .parent = -1,
                                  .trips = 1e6,
                                  .innermost = true,
                                  .modelled = true},
                                 {.name = "i",
                                  .nest = 1,
                                  .parent = -1,
                                  .trips = 1e6,
                                  .innermost = true,
                                  .modelled = true}};
    struct kernel_access access[] = {
        {.array = 0, .loop = 0, .stride_at = {8}, .text = "a[i]"},
        {.array = 1, .loop = 0, .stride_at = {8}, .text = "b[i]", .write = true},
        {.array = 1, .loop = 1, .stride_at = {8}, .text = "b[i]"},
        {.array = 2, .loop = 1, .stride_at = {8}, .text = "c[i]", .write = true}};
    struct kernel_view view = {.array = array,
                               .array_nr = 3,
                               .loop = loop,
                               .loop_nr = 2,
                               .access = access,
                               .access_nr = 4};
    struct nest nest;

    nest_find(&view, &nest);
    check_eq(shares_arrays(&view), ANSWER_YES);
    check_near(fuse_ratio(&view), 0.75, 1e-9); /* b once instead of twice */
    check_eq(stores_reused(&nest, quantity_exact(1e6, PROVENANCE_PROBE)), ANSWER_NO);
    check_eq(stores_reused(&nest, quantity_exact(1e8, PROVENANCE_PROBE)), ANSWER_YES);
    check_eq(stores_reused(&nest, quantity_unknown()), ANSWER_UNKNOWN);
    check_eq(
        stores_reused(&nest, quantity_between(1e6, 1e6, INFINITY, 0, PROVENANCE_PROBE)),
        ANSWER_UNKNOWN); /* at least 1 MB */
    access[2].array = 0; /* a -> b, a -> c */
    check_eq(shares_arrays(&view), ANSWER_YES);
    check_eq(stores_reused(&nest, quantity_exact(1e8, PROVENANCE_PROBE)), ANSWER_NO);
    access[0].array = 2; /* c -> b, a -> c */
    access[3].array = 0;
    check_eq(shares_arrays(&view), ANSWER_NO);
    array[0].bytes = -1;
    check(isnan(fuse_ratio(&view)));
    view.loop_nr = 1;
    check_eq(shares_arrays(&view), ANSWER_UNKNOWN);
}

/* b[i] stored in one nest; the next one, whose iterator has another name, loads it there
 * or beside. */
TEST("fusion that forwards")
{
    struct kernel_loop loop[] = {{.name = "i", .nest = 0, .parent = -1},
                                 {.name = "k", .nest = 1, .parent = -1}};
    struct kernel_access access[] = {
        {.array = 0, .loop = 0, .stride_at = {8}, .text = "b[i]", .write = true},
        {.array = 0, .loop = 1, .stride_at = {8}, .text = "b[k]"}};
    struct kernel_view view = {
        .loop = loop, .loop_nr = 2, .access = access, .access_nr = 2};

    check_eq(fusion_forwards(&view), ANSWER_NO);
    access[1].text = "b[k - 1]";
    check_eq(fusion_forwards(&view), ANSWER_YES);
    access[1].array = 1;
    check_eq(fusion_forwards(&view), ANSWER_NO);
    view.loop_nr = 1;
    view.access_nr = 1;
    check_eq(fusion_forwards(&view), ANSWER_UNKNOWN);
}

/* x[j][i] stored, x[j][i - 1] loaded; what the dependence says decides. */
TEST("dependences tell how soon")
{
    static const struct {
        const char *dependence;
        enum answer answer;
    } cases[] = {
        {"x[j][i] written at line 4, x[j][i - 1] read at line 5: flow, distance [0, 1]",
         ANSWER_YES},
        {"x[j][i] written at line 4, x[j][i - 1] read at line 5: flow, distance [0, 9]",
         ANSWER_UNKNOWN},
        {"x[j][i] written at line 4, x[j][i - 1] read at line 5: flow, distance [1, 0]",
         ANSWER_UNKNOWN},
        {"x[j][i] written at line 4, x[j][i - 1] read at line 5: flow, distance [0, "
         "1..3]",
         ANSWER_UNKNOWN},
        {"x[j][i - 1] read at line 4, x[j][i] written at line 5: anti, distance [0, 1]",
         ANSWER_UNKNOWN},
    };
    struct kernel_array array = {.name = "x", .bytes = 8e6, .element_bytes = 8};
    struct kernel_loop loop[] = {
        {.name = "j", .parent = -1, .trips = 1e3, .modelled = true},
        {.name = "i", .depth = 1, .trips = 1e3, .innermost = true, .modelled = true}};
    struct kernel_access access[] = {
        {.loop = 1, .stride_at = {8000, 8}, .text = "x[j][i]", .write = true},
        {.loop = 1, .stride_at = {8000, 8}, .text = "x[j][i - 1]"}};

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct kernel_view view = {.array = &array,
                                   .array_nr = 1,
                                   .loop = loop,
                                   .loop_nr = 2,
                                   .access = access,
                                   .access_nr = 2,
                                   .dependence = &cases[i].dependence,
                                   .dependence_nr = 1};
        struct nest nest;

        nest_find(&view, &nest);
        check_eq(store_forwarding(&nest), cases[i].answer);
    }
}

/* One loop: b[i] stored, and what is loaded. */
TEST("stores that are loaded soon")
{
    struct kernel_array array[] = {{.name = "a", .bytes = 8e6, .element_bytes = 8},
                                   {.name = "b", .bytes = 8e6, .element_bytes = 8}};
    struct kernel_loop loop = {
        .name = "i", .parent = -1, .trips = 1e6, .innermost = true, .modelled = true};
    struct kernel_access access[] = {
        {.array = 1, .stride_at = {8}, .text = "b[i]", .write = true},
        {.array = 0, .stride_at = {8}, .text = "a[i]"}};
    struct kernel_view view = {.array = array,
                               .array_nr = 2,
                               .loop = &loop,
                               .loop_nr = 1,
                               .access = access,
                               .access_nr = 2};
    struct nest nest;

    nest_find(&view, &nest);
    check_eq(store_forwarding(&nest), ANSWER_NO);
    access[1] = (struct kernel_access){.array = 1, .stride_at = {8}, .text = "b[i]"};
    check_eq(store_forwarding(&nest), ANSWER_NO); /* b[i] += ... */
    access[1].text = "b[i - 1]";
    check_eq(store_forwarding(&nest), ANSWER_UNKNOWN);
    check_near(statement_groups(&nest), 1, 0);
    access[1] = (struct kernel_access){
        .array = 0, .stride_at = {8}, .text = "a[i]", .write = true};
    check(isnan(statement_groups(&nest)));
    check_near(reused_bytes(&nest, 64), 0, 0);
    access[1].stride_at[0] = NAN;
    check(isnan(reused_bytes(&nest, 64)));
}

/* What counters said of the kernel as written holds for no variant of it. */
TEST("counted facts are of the kernel as written")
{
    static const struct search_fact counted[] = {
        {"core_bound", {true, 0.4, 0.3, 0.5, 3, PROVENANCE_PAPI, 0, false}}};
    struct bench bench = {0};
    struct choice none = {0}, simd = choice_of("simd");

    space_dgemm(&bench.space.kernel, 200);
    bench_start(&bench);
    bench.opts.fact = counted;
    bench.opts.fact_nr = ARRAY_SIZE(counted);
    look(&bench, &none, false);
    check_near(number(&bench, "core_bound"), 0.4, 0);
    check_near(low_end(&bench, "core_bound"), 0.3, 0);
    look(&bench, &simd, false);
    check(!json_object_get(bench.facts, "core_bound"));
    bench.opts.hide_occupancy = true;
    look(&bench, &none, false);
    check(!json_object_get(bench.facts, "core_bound"));
    bench_release(&bench);
}
