/* The shipped recipe: well-formed, and of the right opinion in situations one can tell.
 */
#include <CUnit/CUnit.h>
#include <stdlib.h>
#include <string.h>

#include "rules/rules.h"
#include "tests/check.h"

static struct rule_set *recipe(void)
{
    struct rule_set *set = NULL;
    struct error err = {0};

    check_ok(rule_set_load(NULL, &set, &err), &err);
    return set;
}

static json_t *recipe_json(struct json_at *rules, size_t *nr)
{
    static const char path[] = INFLIGHT_SOURCE_DIR "/rules/recipe.json";
    struct error err = {0};
    struct json_at top;
    json_t *root = NULL;

    *nr = 0;
    if (!check_ok(json_read_file(path, NULL, &root, &err), &err))
        return NULL;
    top = json_top(path, root);
    check_ok(json_array_at(&top, "rules", rules, nr, &err), &err);
    rules->parent = NULL;
    return root;
}

/* The id is "transformation.reason"; a sentence is one, and says nothing of MSHRs
 * unexplained. */
static void rules_are_written_alike(void)
{
    struct json_at rules;
    size_t nr;
    json_t *root = recipe_json(&rules, &nr);

    for (size_t i = 0; i < nr; i++) {
        struct json_at rule = json_element(&rules, i);
        const char *id = "", *transformation = "", *sentence = "", *source = "";

        json_string_at(&rule, "id", &id, NULL);
        json_string_at(&rule, "transformation", &transformation, NULL);
        json_string_at(&rule, "sentence", &sentence, NULL);
        json_string_at(&rule, "source", &source, NULL);
        if (!check(strncmp(id, transformation, strlen(transformation)) == 0 &&
                   id[strlen(transformation)] == '.'))
            check_str(id, transformation);
        check(sentence[0] != '\0' && sentence[strlen(sentence) - 1] == '.');
        check(strstr(sentence, "MSHR") == NULL);
        check(source[0] != '\0');
    }
    json_decref(root);
}

static void every_metric_is_told_once(void)
{
    size_t nr;
    const struct rule_metric *metric = rule_metrics(&nr);

    for (size_t i = 0; i < nr; i++) {
        check(metric[i].unit[0] != '\0' && metric[i].meaning[0] != '\0');
        check_eq(strcmp(metric[i].unit, "word") == 0, metric[i].words != NULL);
        for (size_t k = 0; k < i; k++)
            check(strcmp(metric[i].name, metric[k].name) != 0);
    }
}

/* Facts as text: "l1_utilization=0.97 limiter=l1_mshrs". */
static struct rule_facts *facts_of(const char *text)
{
    struct rule_facts *facts = rule_facts_new();
    struct strvec item = {0};
    struct error err = {0};

    strvec_split(&item, text);
    for (size_t i = 0; i < item.nr; i++) {
        char *value = strchr(item.v[i], '=');
        double number;

        *value++ = '\0';
        if (strstr(item.v[i], "_names"))
            check_ok(rule_facts_names(facts, item.v[i], value, &err), &err);
        else if (parse_number(value, "fact", &number, NULL) == 0)
            check_ok(rule_facts_number(facts, item.v[i],
                                       quantity_exact(number, PROVENANCE_MODEL), &err),
                     &err);
        else
            check_ok(rule_facts_word(facts, item.v[i], value, &err), &err);
    }
    strvec_release(&item);
    return facts;
}

/* `want`: "transformation=verdict ..."; "none" = no rule has an opinion. */
static void check_opinions(const struct rule_set *set, const char *situation,
                           const char *want)
{
    struct rule_facts *facts = facts_of(situation);
    struct rule_verdicts verdicts = {0};
    struct strvec item = {0};
    struct error err = {0};

    check_ok(rule_set_judge(set, facts, &verdicts, &err), &err);
    strvec_split(&item, want);
    for (size_t i = 0; i < item.nr; i++) {
        char *word = strchr(item.v[i], '=');
        const struct rule_verdict *verdict;

        *word++ = '\0';
        verdict = rule_verdicts_deciding(&verdicts, item.v[i]);
        if (!check_str(verdict ? verdict_word(verdict->verdict) : "none", word))
            check_str(item.v[i], situation);
        if (verdict) /* a sentence rests on what is known */
            check(strstr(verdict->reason, "unknown") == NULL);
    }
    strvec_release(&item);
    rule_verdicts_release(&verdicts);
    rule_facts_free(facts);
}

static const struct {
    const char *what, *facts, *want;
} situations[] = {
    {"random accesses, L1 queue full",
     "random_share=1 l1_utilization=0.97 l1_occupancy=9.7 l1_limit=10 l2_utilization=0.4 "
     "l2_limit=24 l2_over_l1=2.4 queue_utilization=0.97 memory_utilization=0.3 "
     "walker_utilization=0.2 limiter=l1_mshrs why=full has_indirect=yes free_threads=1 "
     "pages=small translation_share=0.03 hugepages_available=yes",
     "simd=stop smt=stop prefetch_l1=stop prefetch_l2=try hugepages=avoid tile=none"},
    {"the same with an L2 queue that holds no more",
     "random_share=1 l1_utilization=0.97 l1_occupancy=9.7 l1_limit=10 l2_utilization=0.8 "
     "l2_limit=10 l2_over_l1=1 queue_utilization=0.97 memory_utilization=0.3 why=full",
     "prefetch_l2=avoid"},
    {"the same where the probe saw no gain",
     "random_share=1 l1_utilization=0.97 l1_occupancy=9.7 l1_limit=10 l2_utilization=0.4 "
     "l2_limit=24 l2_over_l1=2.4 queue_utilization=0.97 memory_utilization=0.3 why=full "
     "prefetch_l2_gain=1.01 store_share=0",
     "prefetch_l2=avoid"},
    {"a gain that the profile calls none, MACHINE_PREFETCH_GAINS",
     "random_share=1 l1_utilization=0.97 l1_occupancy=9.7 l1_limit=10 l2_utilization=0.4 "
     "l2_limit=24 l2_over_l1=2.4 queue_utilization=0.97 memory_utilization=0.3 why=full "
     "prefetch_l2_gain=1.1 store_share=0",
     "prefetch_l2=avoid"},
    {"the probe saw none for loads, but here are stores",
     "random_share=1 l1_utilization=0.97 l1_occupancy=9.7 l1_limit=10 l2_utilization=0.4 "
     "l2_limit=24 l2_over_l1=2.4 queue_utilization=0.97 memory_utilization=0.3 why=full "
     "prefetch_l2_gain=1.01 store_share=0.5",
     "prefetch_l2=try"},
    {"the same where the probe saw one",
     "random_share=1 l1_utilization=0.97 l1_occupancy=9.7 l1_limit=10 l2_utilization=0.4 "
     "l2_limit=24 l2_over_l1=2.4 queue_utilization=0.97 memory_utilization=0.3 why=full "
     "prefetch_l2_gain=1.6 store_share=0",
     "prefetch_l2=try"},
    {"a histogram on small pages",
     "random_share=1 l1_utilization=0.41 l1_occupancy=4.1 l1_limit=10 l2_limit=24 "
     "l2_utilization=0.2 queue_utilization=0.41 memory_utilization=0.4 l2_over_l1=2.4 "
     "walker_utilization=1 limiter=page_walkers why=translation pages=small "
     "hugepages_available=yes translation_share=0.4 has_indirect=yes free_threads=1",
     "hugepages=try simd=stop smt=stop prefetch_l1=stop prefetch_l2=stop"},
    {"a histogram where there are no huge pages",
     "walker_utilization=1 limiter=page_walkers pages=small hugepages_available=no",
     "hugepages=avoid"},
    {"a stream at the limit of memory",
     "random_share=0 l2_utilization=0.6 queue_utilization=0.6 memory_utilization=0.97 "
     "limiter=memory why=full inner_trips=1e8 write_allocate_share=0.25 free_threads=1 "
     "working_set_over_l3=100 stores_reused=no has_reuse=no idle_cores=0 loop_depth=1",
     "simd=stop smt=stop prefetch_l1=stop prefetch_l2=stop nontemporal=try tile=avoid "
     "unroll_jam=avoid parallel=avoid"},
    {"the same where stores read no lines",
     "memory_utilization=0.97 write_allocate_share=0 stores_reused=no",
     "nontemporal=avoid"},
    {"a stencil at the limit of memory",
     "random_share=0 memory_utilization=0.95 queue_utilization=0.5 has_reuse=yes "
     "limiter=memory why=full",
     "tile=try"},
    {"a stencil in time, larger than L2",
     "time_loop=yes working_set_over_l2=4 contraction=no", "skew=try pack=avoid"},
    {"a stencil in time that stays in L2", "time_loop=yes working_set_over_l2=0.5",
     "skew=avoid"},
    {"a product of matrices", "time_loop=no contraction=yes arithmetic_utilization=0.1",
     "skew=avoid pack=try"},
    {"a product of matrices at its end", "contraction=yes arithmetic_utilization=0.95",
     "pack=stop"},
    {"structs of which a field is used",
     "record_used_share=0.25 record_names=p(x) why=cache", "soa=try"},
    {"the same where it is not fetching that takes the time",
     "record_used_share=0.25 record_names=p(x) why=compute", "soa=avoid"},
    {"structs used whole", "record_used_share=1 record_names=p(x,y)", "soa=avoid"},
    {"look-ups in no order",
     "has_indirect=yes random_share=1 lookup_line_share=0.125 lookup_names=table "
     "address_chain=no indirect_update=no",
     "sort=try privatize=avoid"},
    {"look-ups one after another",
     "has_indirect=yes random_share=1 lookup_line_share=0.125 lookup_names=next "
     "address_chain=yes",
     "sort=avoid"},
    {"a small histogram",
     "indirect_update=yes update_names=count limiter=none working_set_over_l2=0.1 "
     "why=compute",
     "privatize=try"},
    {"a large histogram",
     "indirect_update=yes update_names=count limiter=l1_mshrs working_set_over_l2=90 ",
     "privatize=avoid"},
    {"short inner loops", "inner_trips=5 loop_depth=2 has_indirect=no", "collapse=try"},
    {"long inner loops", "inner_trips=500 loop_depth=2 has_indirect=no",
     "collapse=avoid"},
    {"temporaries of an iteration", "local_temporaries=yes local_names=t",
     "scalar_temporaries=try"},
    {"matrix product, textbook order",
     "inner_strided=yes unit_stride_loop=yes has_reuse=yes has_register_reuse=yes "
     "has_reduction=yes loop_depth=3 random_share=0.6 queue_utilization=0.3 "
     "memory_utilization=0.1 l1_utilization=0.5 l2_utilization=0.2 why=unknown "
     "limiter=none",
     "interchange=try tile=try unroll_jam=try simd=try"},
    {"cache-resident",
     "why=cache limiter=none in_flight=0.1 memory_utilization=0.01 inner_strided=no "
     "has_register_reuse=yes loop_depth=2 free_threads=1 has_reuse=no",
     "simd=try unroll_jam=try prefetch_l1=avoid prefetch_l2=avoid smt=try tile=avoid "
     "interchange=avoid"},
    {"a gather behind long arithmetic",
     "random_share=1 l1_utilization=0.2 l1_limit=16 l2_limit=48 l2_over_l1=3 "
     "queue_utilization=0.2 memory_utilization=0.2 in_flight=3.2 why=window limiter=none "
     "has_indirect=yes loop_depth=2 address_chain=no l2_utilization=0.1",
     "prefetch_l1=try prefetch_l2=try unroll_jam=try unroll=try"},
    {"a pointer chase",
     "random_share=1 l1_utilization=0.06 queue_utilization=0.06 memory_utilization=0.01 "
     "in_flight=1 why=chains limiter=none address_chain=yes free_threads=1",
     "prefetch_l1=avoid prefetch_l2=avoid smt=try"},
    {"random accesses between mispredicted branches",
     "random_share=1 l1_utilization=0.1 queue_utilization=0.1 memory_utilization=0.05 "
     "in_flight=1.5 why=branches limiter=none has_indirect=yes address_chain=no "
     "l2_utilization=0.1 free_threads=1 translation_share=0.02 walker_utilization=0.1",
     "prefetch_l1=try prefetch_l2=try simd=try smt=try hugepages=avoid"},
    {"more code than the instruction cache holds",
     "random_share=1 l1_utilization=0.1 queue_utilization=0.1 memory_utilization=0.05 "
     "in_flight=1.5 why=front-end limiter=none loop_depth=3 has_register_reuse=yes",
     "unroll=avoid unroll_jam=avoid"},
    {"short inner loops",
     "random_share=0.1 inner_trips=48 queue_utilization=0.3 memory_utilization=0.4",
     "prefetch_l1=try prefetch_l2=try"},
    {"long inner loops",
     "random_share=0.1 inner_trips=4096 queue_utilization=0.3 memory_utilization=0.4",
     "prefetch_l1=avoid prefetch_l2=avoid"},
    {"look-ups among streams",
     "random_share=0.34 has_indirect=yes inner_trips=4096 queue_utilization=0.26 "
     "memory_utilization=0.35",
     "prefetch_l1=try prefetch_l2=avoid"},
    {"more streams than the prefetcher follows",
     "random_share=0 stream_load=1.5 queue_utilization=0.3 memory_utilization=0.4 "
     "inner_trips=4096 free_threads=1 statements=3 shares_arrays=yes nests=2",
     "smt=avoid distribute=try fuse=avoid prefetch_l1=try"},
    {"threads that would not fit into the cache",
     "random_share=0 queue_utilization=0.3 memory_utilization=0.4 free_threads=1 "
     "reuse_over_cache=0.8",
     "smt=avoid"},
    {"neighbouring loops over the same arrays",
     "nests=2 shares_arrays=yes working_set_over_l2=8 queue_utilization=0.3 "
     "memory_utilization=0.95 store_forwarding=no",
     "fuse=try"},
    {"loops that share data in L2, shifted",
     "nests=2 shares_arrays=yes fusion_forwards=yes working_set_over_l2=0.5 "
     "memory_utilization=0.2 queue_utilization=0.2 store_forwarding=no",
     "fuse=avoid"},
    {"the same through memory",
     "nests=2 shares_arrays=yes fusion_forwards=yes working_set_over_l2=50 "
     "memory_utilization=0.95 queue_utilization=0.6 store_forwarding=no",
     "fuse=try"},
    {"columns of rows of 4 KiB", "row_conflicts=yes inner_strided=yes why=window",
     "pad=try"},
    {"the same, bound by arithmetic", "row_conflicts=yes inner_strided=yes why=compute",
     "pad=avoid"},
    {"rows of no power of two", "row_conflicts=no inner_strided=yes why=window",
     "pad=avoid"},
    {"threads that contend, memory idle",
     "cache_contention=yes memory_utilization=0.3 free_threads=1 queue_utilization=0.2",
     "smt=try"},
    {"threads that contend, memory busy",
     "cache_contention=yes memory_utilization=0.7 free_threads=1 queue_utilization=0.4",
     "smt=avoid"},
    {"one thread, other cores idle", "idle_cores=7 memory_utilization=0.15",
     "parallel=try"},
};

static void situations_get_the_right_opinion(void)
{
    struct rule_set *set = recipe();

    for (size_t i = 0; set && i < ARRAY_SIZE(situations); i++)
        check_opinions(set, situations[i].facts, situations[i].want);
    rule_set_free(set);
}

static void nothing_known_means_no_opinion(void)
{
    struct rule_set *set = recipe();
    struct rule_facts *facts = rule_facts_new();
    struct rule_verdicts verdicts = {0};

    check_eq(rule_set_judge(set, facts, &verdicts, NULL), 0);
    check_eq(verdicts.nr, 0);
    rule_facts_free(facts);
    rule_set_free(set);
}

static bool has_verdict(const json_t *rules, const char *transformation,
                        const char *verdict)
{
    for (size_t i = 0; i < json_array_size(rules); i++) {
        const json_t *rule = json_array_get(rules, i);
        const char *of = json_string_value(json_object_get(rule, "transformation"));
        const char *says = json_string_value(json_object_get(rule, "verdict"));

        if (strcmp(of, transformation) == 0 && strcmp(says, verdict) == 0)
            return true;
    }
    return false;
}

/* Each transformation the recipe speaks of is both advised and advised against somewhere.
 */
static void the_recipe_knows_both_sides(void)
{
    static const char *const wanted[] = {
        "simd",        "interchange", "tile",      "unroll_jam", "prefetch_l1",
        "prefetch_l2", "smt",         "hugepages", "fuse",       "distribute",
        "nontemporal", "parallel",    "unroll",
    };
    struct rule_set *set = recipe();
    json_t *rules = rule_set_to_json(set);

    for (size_t i = 0; i < ARRAY_SIZE(wanted); i++)
        if (!check(has_verdict(rules, wanted[i], "try") &&
                   has_verdict(rules, wanted[i], "avoid")))
            check_str(wanted[i], "advised and advised against");
    json_decref(rules);
    rule_set_free(set);
}

/* What a number is measured in stands beside it. */
static void numbers_carry_their_unit(void)
{
    struct json_at rules, when;
    size_t nr, when_nr = 0, seen = 0;
    json_t *root = recipe_json(&rules, &nr);

    for (size_t i = 0; i < nr; i++) {
        struct json_at rule = json_element(&rules, i);

        json_array_at(&rule, "when", &when, &when_nr, NULL);
        for (size_t k = 0; k < when_nr; k++) {
            const json_t *one = json_array_get(when.node, k);
            bool number = json_is_number(json_object_get(one, "value"));

            seen += number;
            check_eq(json_is_string(json_object_get(one, "unit")), number);
        }
    }
    check(seen > 50);
    json_decref(root);
}

CU_TestInfo rules_recipe_tests[] = {
    {"rules are written alike", rules_are_written_alike},
    {"every metric is told once", every_metric_is_told_once},
    {"situations get the right opinion", situations_get_the_right_opinion},
    {"nothing known means no opinion", nothing_known_means_no_opinion},
    {"the recipe knows both sides", the_recipe_knows_both_sides},
    {"numbers carry their unit", numbers_carry_their_unit},
    CU_TEST_INFO_NULL,
};
