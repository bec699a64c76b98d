/*
 * A loop that is called with several sizes: tuned for the one with most of the work,
 * tried at the others, and left as it was where the plan does not pay. Before anything is
 * timed the work of a size is taken for its calls times the iterations of its loops;
 * where the loop model does not know them, for the product of its numbers.
 */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "advisor/application/tuning.h"
#include "core/base.h"
#include "core/files/json.h"
#include "observe/in_app/inputs_capture.h"

/* Of the other sizes, those with that much of the work of the first are tried, and so
 * many of them. */
static const double work_min = 0.1;
enum { tried_max = 3 };
/* A comparison: as the shortest search. */
static const int compare_s = 4;

/* ---- the calls ---- */

static void add_value(struct loop_size *size, const char *name, const char *text,
                      struct buf *numbers)
{
    char *end;
    long long value;

    buf_addf(numbers, "%s%s = %s", numbers->length ? ", " : "", name, text);
    errno = 0;
    value = strtoll(text, &end, 10);
    if (errno || *end || size->value_nr == SIZE_VALUES_MAX)
        return;
    size->name[size->value_nr] = xstrdup(name);
    size->value[size->value_nr++] = value;
}

static double work_of(const struct loop_size *size, double iterations)
{
    double work = (double)size->calls;

    if (iterations > 0)
        return work * iterations;
    for (size_t i = 0; i < size->value_nr; i++)
        work *= fmax(fabs((double)size->value[i]), 1);
    return work;
}

static int by_work(const void *a, const void *b)
{
    const struct loop_size *first = a, *second = b;

    return (first->work < second->work) - (first->work > second->work);
}

static void take_size(struct application_loop *loop, const struct call_size *call,
                      bool counted)
{
    struct loop_size *size = &loop->size[loop->size_nr++];
    struct buf numbers = {0};

    *size = (struct loop_size){.calls = call->calls,
                               .captured_call = call->later_call,
                               .gain = quantity_unknown()};
    for (size_t i = 0; i < call->number_nr; i++)
        add_value(size, call->number[i].name, call->number[i].value, &numbers);
    size->numbers = buf_detach(&numbers);
    size->work = work_of(size, counted ? call->iterations : 0);
}

void loop_sizes_take(struct application_loop *loop, const struct call_sizes *sizes)
{
    double all = 0;
    bool counted = true; /* of all sizes: else they cannot be compared */

    loop->calls = sizes->calls;
    loop->sizes_are_some = sizes->looks < sizes->calls * sizes->every;
    loop->size = xcalloc(sizes->nr + 1, sizeof(*loop->size));
    for (size_t i = 0; i < sizes->nr; i++)
        counted = counted && sizes->item[i].iterations > 0;
    for (size_t i = 0; i < sizes->nr; i++)
        take_size(loop, &sizes->item[i], counted);
    for (size_t i = 0; i < loop->size_nr; i++)
        all += loop->size[i].work;
    for (size_t i = 0; i < loop->size_nr; i++)
        loop->size[i].work /= all;
    qsort(loop->size, loop->size_nr, sizeof(*loop->size), by_work);
}

void loop_sizes_release(struct application_loop *loop)
{
    for (size_t i = 0; i < loop->size_nr; i++) {
        free(loop->size[i].numbers);
        free(loop->size[i].why);
        for (size_t k = 0; k < loop->size[i].value_nr; k++)
            free(loop->size[i].name[k]);
    }
    free(loop->size);
    loop->size = NULL;
    loop->size_nr = 0;
}

int sizes_look(const struct tuning *tuning, struct application_loop *loop,
               const char *source, struct error *err)
{
    struct settings settings;
    struct call_sizes sizes = {.settings = &settings};
    struct error why = {0}; /* what a capture says of the first call, too */

    progress_say(tuning->progress, "finding the sizes that %s is called with",
                 loop->function);
    struct recording_request how = loop_recording(tuning, loop, source, &settings);
    if (inputs_record_sizes(how, &sizes, &why) == 0)
        loop_sizes_take(loop, &sizes);
    call_sizes_release(&sizes);
    return spawn_interrupted() ? fail(err, STATUS_FAILED, "interrupted") : 0;
}

/* ---- the plan ---- */

static int read_ratio(struct loop_size *size, const char *text, struct error *err)
{
    json_t *document = NULL;
    struct json_at top;
    int status = 0;

    if (json_read_text(text, "the report of inflight compare", "inflight.versus/1",
                       &document, err))
        return -1;
    top = json_top("the report of inflight compare", document);
    if (json_has(&top, "ratio"))
        status = json_quantity_at(&top, "ratio", &size->gain, err);
    json_decref(document);
    return status;
}

static void add_plan(const struct tuning *tuning, const struct application_loop *loop,
                     const char *plan, const char *inputs, struct strvec *words)
{
    trees_add_compiler(&tuning->trees, loop->file, words);
    if (tuning->settings->reassociate)
        strvec_push(words, "--reassociate");
    strvec_push(words, "--plan");
    strvec_push(words, plan);
    strvec_push(words, "--inputs");
    strvec_push(words, inputs);
}

static int compare_at(const struct tuning *tuning, const struct application_loop *loop,
                      struct loop_size *size, const char *source, struct error *err)
{
    char *inputs = xasprintf("%s/other.inputs", tuning->scratch);
    struct strvec words = {0};
    struct buf out = {0};
    int status =
        loop_capture(tuning, loop, source, size->captured_call, inputs, &size->why, err);

    if (!status && !size->why) {
        progress_say(tuning->progress, "comparing %s with %s", loop->function,
                     size->numbers);
        loop_begin_step(tuning, "compare", source, loop, &words);
        add_plan(tuning, loop, loop->plan, inputs, &words);
        strvec_pushf(&words, "--budget=%ds", compare_s);
        strvec_push(&words, "--json");
        status = loop_step(tuning, &words, &out, &size->why, err);
    }
    if (!status && !size->why)
        status = read_ratio(size, buf_str(&out), err);
    unlink(inputs);
    free(inputs);
    buf_release(&out);
    strvec_release(&words);
    return status;
}

static bool is_slower(const struct loop_size *size)
{
    return in_app_claim_of(size->gain) == IN_APP_SLOWER;
}

static long long loop_value(const struct loop_size *size, const char *name)
{
    for (size_t i = 0; i < size->value_nr; i++)
        if (!strcmp(size->name[i], name))
            return size->value[i];
    return LLONG_MAX;
}

bool loop_sizes_divide(const struct application_loop *loop, const char **name,
                       long long *least)
{
    const struct loop_size *first = &loop->size[0];

    for (size_t k = 0; k < first->value_nr; k++) {
        long long kept = first->value[k], lost = LLONG_MIN;

        for (size_t i = 1; i < loop->size_nr; i++) {
            const struct loop_size *size = &loop->size[i];

            if (size->value_nr != first->value_nr || !size->gain.known)
                continue;
            if (is_slower(size) && size->value[k] > lost)
                lost = size->value[k];
            if (!is_slower(size) && size->value[k] < kept)
                kept = size->value[k];
        }
        if (lost < kept) {
            *name = first->name[k];
            *least = kept;
            return lost > LLONG_MIN;
        }
    }
    return false;
}

/* Written again, with the original loop for what is smaller. */
static int leave_smaller(const struct tuning *tuning, struct application_loop *loop,
                         const char *source, const char *inputs, const char *written,
                         struct error *err)
{
    struct strvec words = {0};
    struct buf out = {0};
    const char *name = NULL;
    char *why = NULL;
    long long least = 0;

    if (!loop_sizes_divide(loop, &name, &least))
        return 0;
    char *plan = xasprintf("%s when(%s:%lld)", loop->plan, name, least);
    loop_begin_step(tuning, "apply", source, loop, &words);
    add_plan(tuning, loop, plan, inputs, &words);
    strvec_push(&words, "-o");
    strvec_push(&words, written);
    int status = loop_step(tuning, &words, &out, &why, err);
    if (!status && !why) {
        free(loop->plan);
        loop->plan = plan;
        for (size_t i = 1; i < loop->size_nr; i++)
            loop->size[i].original = loop_value(&loop->size[i], name) < least;
        plan = NULL;
    }
    free(plan);
    free(why); /* then the program as a whole decides */
    buf_release(&out);
    strvec_release(&words);
    return status;
}

int sizes_judge(const struct tuning *tuning, struct application_loop *loop,
                const char *source, const char *inputs, const char *written,
                struct error *err)
{
    /* For the program itself, which decides; a comparison captures and compiles, too. */
    double spared_s =
        tuning_pairs_s(tuning, 2 * IN_APP_PAIRS_MIN) + tuning->run_s + 3 * compare_s;
    size_t nr = 0;
    int status = 0;

    while (nr < loop->size_nr && loop->size[nr].work >= work_min * loop->size[0].work)
        nr++;
    size_t step = nr / (tried_max + 1) + (nr <= tried_max); /* from large to small */
    for (size_t i = step; i < nr && !status && clock_s() + spared_s <= tuning->until_s;
         i += step)
        status = compare_at(tuning, loop, &loop->size[i], source, err);
    if (!status && loop->size_nr > 1)
        status = leave_smaller(tuning, loop, source, inputs, written, err);
    return status;
}
