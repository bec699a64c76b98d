/* The loops of bench/causes: each has its expectation, can be run, and its remedies are
 * there. Nothing is measured. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "tests/check.h"
#include "variants/kernel/kernel_parts.h"
#include "variants/plan/plan.h"

SUITE(variants_causes);

#define CAUSES INFLIGHT_SOURCE_DIR "/bench/causes"

enum { LOOPS_MIN = 28 };

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

/* The file of a spelling has a function of its name, which can be run as it stands. */
static void judge_spelling(const char *name, struct buf *wrong)
{
    char *path = xasprintf("%s/%s.c", CAUSES, name);
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

static bool has_function(const char *spelling, const char *function)
{
    char *path = xasprintf("%s/%s.c", CAUSES, spelling);
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
    if (*function && first && !has_function(first, function))
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
        judge_spelling(json_string_value(spelling), wrong);
    judge_remedies(loop, wrong);
}

static json_t *read_causes(void)
{
    struct error err = {0};
    json_t *root = NULL;

    check_ok(json_read_file(CAUSES "/causes.json", "inflight.causes/1", &root, &err),
             &err);
    return root;
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

static bool expected(const json_t *loops, const char *name, int *times)
{
    const json_t *loop, *spelling;
    size_t i, k;

    *times = 0;
    json_array_foreach(loops, i, loop)
        json_array_foreach(json_object_get(loop, "spellings"), k, spelling)
            *times += !strcmp(json_string_value(spelling), name);
    return *times == 1;
}

TEST("each file is a spelling of one loop")
{
    json_t *root = read_causes();
    struct dirent **entry = NULL;
    int nr = scandir(CAUSES, &entry, NULL, alphasort), files = 0, times;
    struct buf wrong = {0};

    for (int i = 0; i < nr; i++) {
        char *end = strstr(entry[i]->d_name, ".c");

        if (end && !end[2]) {
            *end = '\0';
            files++;
            if (!expected(json_object_get(root, "loops"), entry[i]->d_name, &times))
                buf_addf(&wrong, "%s stands in causes.json %d times\n", entry[i]->d_name,
                         times);
        }
        free(entry[i]);
    }
    check_str(buf_str(&wrong), "");
    check(files >= LOOPS_MIN);
    free(entry);
    buf_release(&wrong);
    json_decref(root);
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
