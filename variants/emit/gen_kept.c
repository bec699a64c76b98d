/* Plans that were asked for already: a search checks a plan, then needs its text for
 * several programs, and that of the plan it is compared with again and again. */
#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "variants/emit/emit.h"
#include "variants/model/poly.h"
#include "variants/plan/plan.h"

/* A batch of plans that are built ahead, and what they are compared with, several times
 * over; texts have some kilobytes each. */
enum { KEPT_MAX = 64 };

struct kept_plan {
    char *plan; /* NULL = free */
    bool forced;
    int status;
    struct error err;
    struct buf assumptions, text;
    unsigned long used; /* larger = later */
};

struct kept_plans {
    struct kept_plan item[KEPT_MAX];
    unsigned long clock;
};

static void kept_release(struct kept_plan *kept)
{
    free(kept->plan);
    buf_release(&kept->assumptions);
    buf_release(&kept->text);
    *kept = (struct kept_plan){0};
}

static void kept_free(struct kept_plans *plans)
{
    for (size_t i = 0; plans && i < KEPT_MAX; i++)
        kept_release(&plans->item[i]);
    free(plans);
}

static struct kept_plan *find(struct kept_plans *plans, const char *plan, bool forced)
{
    for (size_t i = 0; i < KEPT_MAX; i++) {
        struct kept_plan *kept = &plans->item[i];
        if (kept->plan && kept->forced == forced && !strcmp(kept->plan, plan))
            return kept;
    }
    return NULL;
}

static struct kept_plan *longest_unused(struct kept_plans *plans)
{
    struct kept_plan *oldest = &plans->item[0];
    for (size_t i = 1; i < KEPT_MAX; i++)
        if (plans->item[i].used < oldest->used)
            oldest = &plans->item[i];
    return oldest;
}

/* What model_prepare gave for this plan, now or before. */
static const struct kept_plan *ask(struct model *model, const struct plan *plan)
{
    if (!model->kept) {
        model->kept = xcalloc(1, sizeof(*model->kept));
        model->kept_free = kept_free;
    }
    char *name = plan_text(plan);
    struct kept_plan *kept = find(model->kept, name, model->forced);
    if (kept) {
        free(name);
    } else {
        enum account before = account_switch(ACCOUNT_ANALYSIS);
        kept = longest_unused(model->kept);
        kept_release(kept);
        kept->plan = name;
        kept->forced = model->forced;
        kept->status =
            model_prepare(model, plan, &kept->assumptions, &kept->text, &kept->err);
        account_switch(before);
    }
    kept->used = ++model->kept->clock;
    return kept;
}

static int answer(const struct kept_plan *kept, struct error *err)
{
    return kept->status ? fail_as(err, &kept->err) : 0;
}

int model_check(struct model *model, const struct plan *plan, struct buf *assumptions,
                struct error *err)
{
    const struct kept_plan *kept = ask(model, plan);
    if (assumptions)
        buf_add(assumptions, buf_str(&kept->assumptions));
    return answer(kept, err);
}

int model_emit(struct model *model, const struct plan *plan, struct buf *out,
               struct error *err)
{
    model->forced = model->request.force;
    const struct kept_plan *kept = ask(model, plan);
    model->forced = false;
    if (kept->status == 0)
        buf_add_n(out, kept->text.data, kept->text.length);
    return answer(kept, err);
}
