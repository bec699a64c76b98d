/*
 * Reports do not contradict themselves: documents from random measurements, impossible
 * ones among them, and those of recorded sessions, through every face. How many random
 * ones: INFLIGHT_DOCUMENTS of the environment; INFLIGHT_DOCUMENT is the number of one to
 * look at.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/html/html_page.h"
#include "advisor/report/report.h"
#include "advisor/report/report_read.h"
#include "bench/search_trial.h"
#include "core/base/text.h"
#include "search/records/records.h"
#include "tests/advisor/place.h"
#include "tests/advisor/report/contradictions.h"
#include "tests/advisor/report/random_answer.h"
#include "tests/advisor/report/random_document.h"

SUITE(advisor_consistent);

/* ---- the faces ---- */

static void check_sarif(const json_t *report, struct strvec *found)
{
    json_t *sarif = report_sarif(report);
    char *text = json_text(sarif);

    contradictions_of_text(text, found);
    free(text);
    json_decref(sarif);
}

enum { UNBROKEN = 1000 }; /* columns: no sentence is longer */

static char *text_of(const json_t *report)
{
    struct buf out = {0};

    report_text(report, false, true, 80, &out);
    report_text(report, false, false, 80, &out);
    report_text(report, false, true, UNBROKEN, &out);
    report_diagnostics(report, &out);
    return buf_detach(&out);
}

/* What added nothing to a plan that gained. */
static bool any_gain_of_none(const json_t *report)
{
    const json_t *advice;
    size_t i;

    json_array_foreach(json_object_get(report, "advice"), i, advice)
        if (!strcmp(report_word(advice, "verdict_text"), "no gain") &&
            report_figure(report_quantity(advice, "gain"), "low") > 1)
            return true;
    return false;
}

/* Settled once more, as what is stored is before it is printed, it says the same. */
static void check_texts(const json_t *report, struct strvec *found)
{
    json_t *again = json_deep_copy(report);
    char *text = text_of(report), *later;

    report_settle(again);
    later = text_of(again);
    contradictions_of_text(text, found);
    if (any_gain_of_none(report) && !strstr(text, " by the steps beside it"))
        strvec_push(found, "kept: no gain is printed beside a gain");
    if (strcmp(text, later))
        strvec_push(found, "again: what is stored does not print as what is new");
    free(text);
    free(later);
    json_decref(again);
}

static void find_all(const json_t *report, const struct strvec *loops,
                     struct strvec *found)
{
    contradictions_of_values(report, loops, found);
    check_texts(report, found);
    check_sarif(report, found);
}

/* ---- what was found ---- */

static const char *const kinds[] = {"figure", "share",   "doubted", "full",  "least",
                                    "twice",  "kept",    "tried",   "bound", "expected",
                                    "name",   "nothing", "again"};

/* Documents that have it, by kind. */
struct tally {
    size_t documents[ARRAY_SIZE(kinds)], found_nr, document_nr;
};

static bool has_kind(const struct strvec *found, const char *kind)
{
    for (size_t i = 0; i < found->nr; i++)
        if (text_begins(found->v[i], kind))
            return true;
    return false;
}

/* The first few are told. */
static void count(const char *what, uint64_t seed, struct strvec *found,
                  struct tally *tally)
{
    const size_t told = 40;

    tally->document_nr++;
    for (size_t i = 0; i < found->nr; i++)
        if (tally->found_nr++ < told)
            printf("\n    %s %llu: %s", what, (unsigned long long)seed, found->v[i]);
    for (size_t k = 0; k < ARRAY_SIZE(kinds); k++)
        tally->documents[k] += has_kind(found, kinds[k]);
    strvec_release(found);
}

static void check_none(const struct tally *tally)
{
    for (size_t k = 0; k < ARRAY_SIZE(kinds); k++)
        if (tally->documents[k])
            printf("\n    %s: in %zu of %zu documents", kinds[k], tally->documents[k],
                   tally->document_nr);
    check_eq(tally->found_nr, 0);
}

/* ---- random ones ---- */

static uint64_t number_of(const char *variable, uint64_t usual)
{
    const char *asked = getenv(variable);

    return asked ? strtoull(asked, NULL, 10) : usual;
}

static uint64_t documents(void)
{
    const uint64_t usual = 200;

    return number_of("INFLIGHT_DOCUMENTS", usual);
}

static void show(const json_t *report)
{
    char *text = text_of(report);

    puts(text);
    free(text);
}

static const char *const loop_names[] = {"i", "j", "k"};

TEST("random searches")
{
    struct random_maker maker;
    struct strvec loops = {0}, found = {0};
    struct tally tally = {0};

    random_maker_start(&maker);
    for (size_t i = 0; i < ARRAY_SIZE(loop_names); i++)
        strvec_push(&loops, loop_names[i]);
    uint64_t one = number_of("INFLIGHT_DOCUMENT", 0), last = one ? one : documents();
    for (uint64_t seed = one ? one : 1; seed <= last; seed++) {
        json_t *report = random_search(&maker, seed);
        find_all(report, &loops, &found);
        if (one)
            show(report);
        count("search", seed, &found, &tally);
        json_decref(report);
    }
    check_none(&tally);
    strvec_release(&loops);
    random_maker_release(&maker);
}

TEST("random numbers")
{
    struct random_maker maker;
    struct strvec found = {0};
    struct tally tally = {0};

    random_maker_start(&maker);
    for (uint64_t seed = 1; seed <= documents(); seed++) {
        struct buf text = {0};
        json_t *report = random_numbers(maker.rules, seed, &text);
        if (report)
            contradictions_of_values(report, NULL, &found);
        contradictions_of_text(buf_str(&text), &found);
        count("numbers", seed, &found, &tally);
        buf_release(&text);
        json_decref(report);
    }
    check_none(&tally);
    random_maker_release(&maker);
}

/* ---- recorded ones ---- */

TEST("recorded documents")
{
    static const char *const files[] = {"advisor/html/report.json",
                                        "advisor/report_tune.json"};
    struct strvec found = {0};
    struct error err = {0};
    struct tally tally = {0};

    for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
        char *path = path_join(INFLIGHT_SOURCE_DIR "/tests/data", files[i]);
        json_t *report = NULL;
        if (check_ok(json_read_file(path, "inflight.report/1", &report, &err), &err)) {
            report_settle(report);
            find_all(report, NULL, &found);
            count(files[i], i, &found, &tally);
        }
        json_decref(report);
        free(path);
    }
    check_none(&tally);
}

/* A search of what was measured, and advice of it. */
static void check_space(struct random_maker *maker, const char *path, struct tally *tally)
{
    struct dataset *dataset = NULL;
    struct trial_space space = {0};
    struct strvec found = {0};
    struct error err = {0};

    if (!check_ok(dataset_load(path, &dataset, &err), &err))
        return;
    struct trial_source source = trial_source_of(dataset);
    if (check_ok(trial_space_open(&source, &space, &err), &err)) {
        struct kernel_view view = source.subject.view(source.subject.data);
        for (uint64_t seed = 0; seed < 2; seed++) {
            struct trial_run run = {0};
            bool advise = seed == 1;
            check_ok(advise ? trial_advise(&space, maker->rules, 0, &run.result, &err)
                            : trial_search(&space, &trial_strategies[TRIAL_GUIDED],
                                           maker->rules, seed, true, &run, &err),
                     &err);
            json_t *report = document_of_search(maker, source.subject.machine, &view,
                                                advise ? "advise" : "tune", &run.result);
            find_all(report, NULL, &found);
            count(path, seed, &found, tally);
            json_decref(report);
            trial_run_release(&run);
        }
    }
    trial_space_release(&space);
    dataset_free(dataset);
}

TEST("recorded spaces")
{
    static const char *const folders[] = {"bench/data/spaces", "bench/data/unseen"};
    struct random_maker maker;
    struct tally tally = {0};

    random_maker_start(&maker);
    for (size_t i = 0; i < ARRAY_SIZE(folders); i++) {
        char *folder = path_join(INFLIGHT_SOURCE_DIR, folders[i]);
        struct dirent **entry = NULL;
        int nr = place_list(folder, &entry);
        check(nr > 0);
        for (int k = 0; k < nr; k++) {
            char *path = path_join(folder, entry[k]->d_name);
            check_space(&maker, path, &tally);
            free(path);
            free(entry[k]);
        }
        free(entry);
        free(folder);
    }
    check_none(&tally);
    random_maker_release(&maker);
}

/* ---- each check can fail ---- */

static json_t *advice_of(json_t *report)
{
    return json_array_get(json_object_get(report, "advice"), 0);
}

static json_t *analysis_of(json_t *report)
{
    return json_object_get(json_array_get(json_object_get(report, "variants"), 0),
                           "analysis");
}

/* Of the L1 miss queue. */
static json_t *queue_of(json_t *report)
{
    return json_array_get(json_object_get(analysis_of(report), "resources"), 0);
}

static void set_word(json_t *object, const char *key, const char *word)
{
    json_object_set_new(object, key, json_string(word));
}

static void set_figure(json_t *object, const char *key, double value)
{
    json_object_set_new(
        object, key,
        json_pack("{s:f, s:f, s:f}", "value", value, "low", value, "high", value));
}

static void negative(json_t *report)
{
    set_figure(report, "environment_gain", -1);
}

static void overfull(json_t *report)
{
    set_word(queue_of(report), "fullness", "full");
    set_figure(queue_of(report), "utilization", 1.5);
}

static void impossible_busiest(json_t *report)
{
    set_word(queue_of(report), "fullness", "impossible");
    set_word(analysis_of(report), "busiest", "l1_mshrs");
}

static void full_with_room(json_t *report)
{
    set_word(queue_of(report), "fullness", "not full");
    json_object_set_new(analysis_of(report), "cause",
                        json_pack("{s:s, s:f, s:s}", "cause", "l1_mshrs", "share", 0.1,
                                  "sentence", "It is full."));
}

static void least_above_time(json_t *report)
{
    set_figure(queue_of(report), "least_s", 1e9);
}

static void advised_twice(json_t *report)
{
    json_array_append(json_object_get(report, "advice"), advice_of(report));
}

static void kept_and_avoided(json_t *report)
{
    set_word(advice_of(report), "verdict_text", "not recommended");
    set_word(advice_of(report), "outcome", "kept: faster beyond the noise");
}

static void tried_and_to_try(json_t *report)
{
    set_word(advice_of(report), "verdict_text", "try");
}

static void above_bound(json_t *report)
{
    set_figure(advice_of(report), "most", 1.001);
}

static void for_nothing(json_t *report)
{
    set_word(advice_of(report), "verdict_text", "try");
    set_figure(advice_of(report), "expected", 1);
}

static void elsewhere(json_t *report)
{
    json_object_set_new(report, "cause", json_pack("{s:s}", "array", "nowhere"));
}

static void nothing_beside_a_gain(json_t *report)
{
    set_word(json_object_get(report, "verdict"), "headline", "nothing to gain");
}

TEST("each contradiction is seen")
{
    static const struct {
        const char *kind;
        void (*make)(json_t *report);
    } cases[] = {{"figure", negative},
                 {"share", overfull},
                 {"doubted", impossible_busiest},
                 {"full", full_with_room},
                 {"least", least_above_time},
                 {"twice", advised_twice},
                 {"kept", kept_and_avoided},
                 {"tried", tried_and_to_try},
                 {"bound", above_bound},
                 {"expected", for_nothing},
                 {"name", elsewhere},
                 {"nothing", nothing_beside_a_gain}};
    const uint64_t with_winner = 71;
    struct random_maker maker;

    random_maker_start(&maker);
    json_t *report = random_search(&maker, with_winner);
    check(report_has(json_object_get(report, "best"), "plan"));
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        json_t *spoiled = json_deep_copy(report);
        struct strvec found = {0};
        cases[i].make(spoiled);
        contradictions_of_values(spoiled, NULL, &found);
        if (!check(has_kind(&found, cases[i].kind)))
            printf("    not seen: %s\n", cases[i].kind);
        strvec_release(&found);
        json_decref(spoiled);
    }
    json_decref(report);
    random_maker_release(&maker);
}

TEST("each contradiction in print is seen")
{
    static const char *const bad[] = {"it is 123 % used", "at nan GB/s", "a gain of infx",
                                      "by -3 % of it"},
                             *const good[] = {"it is 100 % used", "uniform(-1, 1)",
                                              "information", "tile(i:8) 99.5 %"};

    for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
        struct strvec found = {0}, none = {0};
        contradictions_of_text(bad[i], &found);
        contradictions_of_text(good[i], &none);
        check_eq(found.nr, 1);
        check_eq(none.nr, 0);
        strvec_release(&found);
        strvec_release(&none);
    }
}
