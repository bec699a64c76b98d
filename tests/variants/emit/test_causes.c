/* The loops of bench/causes and bench/advice_loops: each has its expectation, can be run,
 * and its remedies are there. Nothing is measured. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "rules/rule_set.h"
#include "tests/check.h"
#include "variants/kernel/kernel_parts.h"
#include "variants/plan/plan.h"

SUITE(variants_causes);

#define CAUSES INFLIGHT_SOURCE_DIR "/bench/causes"
#define ADVICE INFLIGHT_SOURCE_DIR "/bench/advice_loops"

enum { LOOPS_MIN = 28, ADVICE_MIN = 100 };

/* What `inflight advise` may call the cause; "unknown" is never expected. */
static const char *const cause_words[] = {
    "dependent_loads",  "recurrence",  "scheduler",    "load_buffer",
    "reorder_buffer",   "branches",    "strided",      "page_walks",
    "l1_mshrs",         "l2_mshrs",    "l2_bandwidth", "l3_bandwidth",
    "memory_bandwidth", "issue_width", "arithmetic",   "stores",
    "front_end",        "prefetcher",  "l1_bandwidth"};

static const char *text_of(const json_t *entry, const char *key)
{
    const char *text = json_string_value(json_object_get(entry, key));

    return text ? text : "";
}

static bool is_cause(const char *word)
{
    for (size_t i = 0; i < ARRAY_SIZE(cause_words); i++)
        if (!strcmp(word, cause_words[i]))
            return true;
    return false;
}

/* A file of the folder has a function of its name, which can be run as it stands. */
static void judge_file(const char *folder, const char *name, struct buf *wrong)
{
    char *path = xasprintf("%s/%s.c", folder, name);
    struct kernel_request request = {.path = path};
    struct kernel *kernel = NULL;
    struct error err = {0};

    if (kernel_open(&request, &kernel, &err) || kernel_bind(kernel, &err))
        buf_addf(wrong, "%s: %s\n", name, err.text);
    else if (strcmp(kernel_name(kernel), name))
        buf_addf(wrong, "%s: the kernel of its file is %s\n", name, kernel_name(kernel));
    kernel_free(kernel);
    error_clear(&err);
    free(path);
}

static bool has_function(const char *folder, const char *name, const char *function)
{
    char *path = xasprintf("%s/%s.c", folder, name);
    char *begin = xasprintf(" %s(", function);
    struct buf text = {0};
    struct error err = {0};
    bool has = check_ok(file_read(path, &text, &err), &err) &&
               strstr(buf_str(&text), begin) != NULL;

    buf_release(&text);
    free(begin);
    free(path);
    return has;
}

/* One way to make the loop another one: a plan, pages, or a function of the first
 * spelling's file. */
static void judge_change(const json_t *loop, const json_t *change, struct buf *wrong)
{
    const char *name = text_of(loop, "name"), *plan_text = text_of(change, "plan");
    const char *function = text_of(change, "function"), *pages = text_of(change, "pages");
    const char *first =
        json_string_value(json_array_get(json_object_get(loop, "spellings"), 0));
    struct plan *plan = NULL;
    struct error err = {0};

    if (!!*plan_text + !!*function + !!*pages != 1)
        buf_addf(wrong, "%s: a remedy is a plan, a function or pages\n", name);
    if (*plan_text && plan_parse(plan_text, &plan, &err))
        buf_addf(wrong, "%s: %s\n", name, err.text);
    if (*function && first && !has_function(CAUSES, first, function))
        buf_addf(wrong, "%s: %s.c has no function '%s'\n", name, first, function);
    if (*pages && strcmp(pages, "huge"))
        buf_addf(wrong, "%s: pages '%s'\n", name, pages);
    plan_free(plan);
    error_clear(&err);
}

static void judge_remedies(const json_t *loop, struct buf *wrong)
{
    const json_t *remedy = json_object_get(loop, "remedy");
    const json_t *other = json_object_get(loop, "other");

    if (remedy) {
        judge_change(loop, remedy, wrong);
        if (!(json_number_value(json_object_get(remedy, "gain")) > 1))
            buf_addf(wrong, "%s: its remedy promises no gain\n", text_of(loop, "name"));
    }
    if (other) {
        judge_change(loop, other, wrong);
        if (!is_cause(text_of(other, "cause")))
            buf_addf(wrong, "%s: '%s' is no cause\n", text_of(loop, "name"),
                     text_of(other, "cause"));
    }
}

static void judge_loop(const json_t *loop, struct buf *wrong)
{
    const json_t *causes = json_object_get(loop, "cause"), *cause, *spelling;
    const char *name = text_of(loop, "name"), *set = text_of(loop, "set");
    size_t i;

    if (!*text_of(loop, "why"))
        buf_addf(wrong, "%s: why it follows is not said\n", name);
    if (strcmp(set, "first") && strcmp(set, "after"))
        buf_addf(wrong, "%s: set '%s'\n", name, set);
    if (!json_array_size(causes) || !json_array_size(json_object_get(loop, "spellings")))
        buf_addf(wrong, "%s: no cause, or no spelling\n", name);
    json_array_foreach(causes, i, cause)
        if (!is_cause(json_string_value(cause)))
            buf_addf(wrong, "%s: '%s' is no cause\n", name, json_string_value(cause));
    json_array_foreach(json_object_get(loop, "spellings"), i, spelling)
        judge_file(CAUSES, json_string_value(spelling), wrong);
    judge_remedies(loop, wrong);
}

static json_t *read_rows(const char *path, const char *schema)
{
    struct error err = {0};
    json_t *root = NULL;

    check_ok(json_read_file(path, schema, &root, &err), &err);
    return root;
}

static json_t *read_causes(void)
{
    return read_rows(CAUSES "/causes.json", "inflight.causes/1");
}

static json_t *read_advice(void)
{
    return read_rows(ADVICE "/loops.json", "inflight.advice_loops/1");
}

TEST("each loop has its cause, can be run, and its remedies are there")
{
    json_t *root = read_causes(), *loop;
    const json_t *loops = json_object_get(root, "loops");
    struct buf wrong = {0};
    size_t i;

    json_array_foreach(loops, i, loop)
        judge_loop(loop, &wrong);
    check_str(buf_str(&wrong), "");
    check(json_array_size(loops) >= LOOPS_MIN);
    buf_release(&wrong);
    json_decref(root);
}

/* How many loops the file belongs to. */
static int times_expected(const json_t *loops, const char *name)
{
    const json_t *loop, *spelling;
    int times = 0;
    size_t i, k;

    json_array_foreach(loops, i, loop) {
        times +=
            !json_object_get(loop, "spellings") && !strcmp(text_of(loop, "name"), name);
        json_array_foreach(json_object_get(loop, "spellings"), k, spelling)
            times += !strcmp(json_string_value(spelling), name);
    }
    return times;
}

static void judge_folder(const char *folder, json_t *root, int least)
{
    struct dirent **entry = NULL;
    int nr = scandir(folder, &entry, NULL, alphasort), files = 0, times;
    struct buf wrong = {0};

    for (int i = 0; i < nr; i++) {
        char *end = strstr(entry[i]->d_name, ".c");

        if (end && !end[2]) {
            *end = '\0';
            files++;
            times = times_expected(json_object_get(root, "loops"), entry[i]->d_name);
            if (times != 1)
                buf_addf(&wrong, "%s stands in the loops of its folder %d times\n",
                         entry[i]->d_name, times);
        }
        free(entry[i]);
    }
    check_str(buf_str(&wrong), "");
    check(files >= least);
    free(entry);
    buf_release(&wrong);
    json_decref(root);
}

TEST("each file is a spelling of one loop")
{
    judge_folder(CAUSES, read_causes(), LOOPS_MIN);
    judge_folder(ADVICE, read_advice(), ADVICE_MIN);
}

TEST("every word of the causes is expected of some loop")
{
    json_t *root = read_causes();
    const json_t *loops = json_object_get(root, "loops"), *loop, *cause;
    struct buf wrong = {0};
    size_t i, k;

    for (size_t w = 0; w < ARRAY_SIZE(cause_words); w++) {
        bool is = false;

        json_array_foreach(loops, i, loop)
            json_array_foreach(json_object_get(loop, "cause"), k, cause)
                is = is || !strcmp(json_string_value(cause), cause_words[w]);
        if (!is)
            buf_addf(&wrong, "%s\n", cause_words[w]);
    }
    check_str(buf_str(&wrong), "");
    buf_release(&wrong);
    json_decref(root);
}

/* The words for remedies are transformations of the rules, or explained above the loops;
 * where something helps there is a version by hand, or a setting of pages. */
static void judge_advice(const json_t *loop, const json_t *words, struct buf *wrong)
{
    const json_t *remedy = json_object_get(loop, "remedy"), *word;
    const char *name = text_of(loop, "name"), *set = text_of(loop, "set");
    const char *hand = text_of(loop, "hand"), *pages = text_of(loop, "pages");
    bool none = !strcmp(text_of(loop, "remedy"), "none");
    char *file = xasprintf("%s.c", name);
    size_t i;

    json_array_foreach(remedy, i, word)
        if (!transformation_find(json_string_value(word)) &&
            !json_object_get(words, json_string_value(word)))
            buf_addf(wrong, "%s: '%s' is no remedy\n", name, json_string_value(word));
    if (none ? *hand || *pages : !json_array_size(remedy) || !*hand == !*pages)
        buf_addf(wrong, "%s: a remedy has a version by hand or a setting\n", name);
    if (*hand && !has_function(ADVICE, name, hand))
        buf_addf(wrong, "%s has no function '%s'\n", name, hand);
    if (strcmp(set, "first") && strcmp(set, "after") && strcmp(set, "later"))
        buf_addf(wrong, "%s: set '%s'\n", name, set);
    if (!*text_of(loop, "source") || !*text_of(loop, none ? "why" : "known") ||
        strcmp(text_of(loop, "file"), file))
        buf_addf(wrong, "%s: source, file, or what is known is not said\n", name);
    judge_file(ADVICE, name, wrong);
    free(file);
}

TEST("each loop after a public report has its remedy and can be run")
{
    json_t *root = read_advice(), *loop;
    const json_t *loops = json_object_get(root, "loops");
    struct buf wrong = {0};
    size_t i;

    json_array_foreach(loops, i, loop)
        judge_advice(loop, json_object_get(root, "words"), &wrong);
    check_str(buf_str(&wrong), "");
    check(json_array_size(loops) >= ADVICE_MIN);
    buf_release(&wrong);
    json_decref(root);
}
