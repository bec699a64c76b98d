/* What each transformation would do on a kernel: its typical plans, each checked. */
#include "advisor/commands/show_plans.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/report/kernel_json.h"
#include "variants/kernel/kernel.h"
#include "variants/model/model.h"
#include "variants/plan/plan.h"

/* Some seconds of a slow machine, for all plans together. */
enum { EFFORT = 8000000 };

/* "plan '...' is not legal: " says again what stands beside it. */
static const char *without_plan(const char *text)
{
    const char *behind =
        !strncmp(text, "plan '", 6) ? strstr(text, "' is not legal: ") : NULL;
    return behind ? behind + strlen("' is not legal: ") : text;
}

/* "legal", "legal under assumptions", "illegal", "not decided", "not applicable" */
static json_t *verdict_json(const char *verdict, const struct typical_plan *plan,
                            const char *reason)
{
    return json_pack("{s:s, s:s?, s:b, s:s, s:s?, s:[]}", "transformation",
                     plan->transformation, "plan", plan->plan, "legal",
                     !strncmp(verdict, "legal", 5), "verdict", verdict, "reason", reason,
                     "assumptions");
}

static void add_lines(json_t *list, const char *text)
{
    while (*text) {
        size_t length = strcspn(text, "\n");
        if (length)
            json_array_append_new(list, json_stringn(text, length));
        text += length + (text[length] == '\n');
    }
}

static const char *verdict_of(const struct error *why)
{
    if (why->status != STATUS_ILLEGAL)
        return "not applicable";
    return strstr(why->text, ANALYSIS_RAN_OUT) ? "not decided" : "illegal";
}

static json_t *probe(struct kernel *kernel, const struct typical_plan *typical)
{
    struct plan *plan = NULL;
    struct error why = {0};
    struct buf assumptions = {0};
    json_t *result;
    int status = plan_parse(typical->plan, &plan, &why) ||
                 kernel_check(kernel, plan, &assumptions, &why);
    if (status)
        result = verdict_json(verdict_of(&why), typical, without_plan(why.text));
    else {
        result = verdict_json(assumptions.length ? "legal under assumptions" : "legal",
                              typical, NULL);
        add_lines(json_object_get(result, "assumptions"), buf_str(&assumptions));
    }
    plan_free(plan);
    buf_release(&assumptions);
    return result;
}

static json_t *judge(struct kernel *kernel, const struct typical_plan *typical,
                     unsigned long begin)
{
    if (!typical->plan)
        return verdict_json("not applicable", typical, typical->why);
    if (analysis_effort() - begin < EFFORT)
        return probe(kernel, typical);
    return verdict_json(
        "not decided", typical,
        "not tried: the plans of this function before it took all the "
        "work that `show` does; `inflight apply` with the plan decides it");
}

/* The first plan of each transformation, then the second ones: each has had its turn when
 * the effort is spent. */
json_t *show_plans_json(struct kernel *kernel, const struct kernel_view *view)
{
    struct typical_plan *plans;
    size_t nr = typical_plans(view, &plans);
    unsigned long begin = analysis_effort();
    json_t **judged = xcalloc(nr + 1, sizeof(*judged)), *list = json_array();
    for (size_t round = 0, left = nr; left; round++)
        for (size_t i = 0, rank = 0; i < nr; i++) {
            bool again =
                i && !strcmp(plans[i].transformation, plans[i - 1].transformation);
            rank = again ? rank + 1 : 0;
            if (rank != round)
                continue;
            judged[i] = judge(kernel, &plans[i], begin);
            left--;
        }
    for (size_t i = 0; i < nr; i++)
        json_array_append_new(list, judged[i]);
    free(judged);
    typical_plans_free(plans, nr);
    return list;
}

/* ---- for people ---- */

/* The number under which the sentence is listed, from 1; a new one is added. */
static size_t number_of(struct strvec *seen, const char *sentence)
{
    for (size_t i = 0; i < seen->nr; i++)
        if (!strcmp(seen->v[i], sentence))
            return i + 1;
    strvec_push(seen, sentence);
    return seen->nr;
}

static void add_numbers(const json_t *sentences, struct strvec *seen, struct buf *out)
{
    const json_t *sentence;
    size_t i;
    json_array_foreach(sentences, i, sentence)
    {
        size_t number = number_of(seen, json_string_value(sentence));
        buf_addf(out, "%s[%zu]", i ? " " : " if ", number);
    }
}

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

static void show_one(const json_t *plan, bool first, struct strvec *seen, struct buf *out)
{
    struct buf line = {0};
    const char *verdict = text_of(plan, "verdict"), *text = text_of(plan, "plan");
    buf_addf(out, "  %-12s", first ? text_of(plan, "transformation") : "");
    if (*text)
        buf_addf(&line, "%s: ", text);
    if (json_is_true(json_object_get(plan, "legal"))) {
        buf_add(&line, "legal");
        add_numbers(json_object_get(plan, "assumptions"), seen, &line);
    } else
        buf_addf(&line, "%s: %s",
                 !strcmp(verdict, "illegal")       ? "not legal"
                 : !strcmp(verdict, "not decided") ? verdict
                                                   : "does not apply",
                 text_of(plan, "reason"));
    buf_add_wrapped(out, buf_str(&line), 16, 79);
    buf_add(out, "\n");
    buf_release(&line);
}

void show_plans_text(const json_t *plans, struct buf *out)
{
    struct strvec seen = {0};
    const char *before = "";
    const json_t *plan;
    size_t i;
    buf_add(out, "\ntransformations\n");
    json_array_foreach(plans, i, plan)
    {
        const char *name = text_of(plan, "transformation");
        show_one(plan, strcmp(name, before) != 0, &seen, out);
        before = name;
    }
    for (size_t k = 0; k < seen.nr; k++) {
        buf_addf(out, "%s  [%zu] ", k ? "" : "\n", k + 1);
        buf_add_wrapped(out, seen.v[k], 6, 79);
        buf_add(out, "\n");
    }
    strvec_release(&seen);
}
