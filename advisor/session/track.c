#include "advisor/session/track.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/report/track_show.h"
#include "core/base.h"
#include "core/store/store.h"
#include "search/session/advice.h"
#include "search/session/result.h"
#include "search/session/session.h"

/* As SESSION_MIN_GAIN of the search: nothing closer to 1 is called a gain. */
static const double min_gain = 1.01;

void track_release(struct track *track)
{
    for (size_t i = 0; i < track->nr; i++) {
        free(track->item[i].machine);
        free(track->item[i].rule);
    }
    free(track->item);
    free(track->record);
    *track = (struct track){0};
}

double track_factor(size_t hits, size_t misses)
{
    return fmin(1, ((double)hits + 2) / ((double)(hits + misses) + 2));
}

/* ---- judging ---- */

static bool was_measured(const struct advice *advice)
{
    return advice->rule && advice->tried_plan && advice->measured_speedup.known;
}

const char *track_outcome(const struct advice *advice)
{
    struct quantity gain = advice->measured_speedup;
    if (!was_measured(advice))
        return "open";
    bool gained = gain.low > 1 && gain.value >= min_gain;
    return gained == (advice->verdict <= VERDICT_ALLOW) ? "hit" : "miss";
}

bool track_is_broken(const struct advice *advice)
{
    return was_measured(advice) && advice->bound_speedup.known &&
           advice->measured_speedup.low > advice->bound_speedup.high;
}

static int save_one(struct store *store, struct store_track *row,
                    const struct advice *advice, struct error *err)
{
    json_t *found = json_pack("{s:o, s:o}", "bound", json_quantity(advice->bound_speedup),
                              "gain", json_quantity(advice->measured_speedup));
    char *text = json_text(found);
    row->rule = advice->rule;
    row->transformation = advice->transformation;
    row->verdict = verdict_word(advice->verdict);
    row->outcome = track_outcome(advice);
    row->broken = track_is_broken(advice);
    row->json = text;
    int status = store_track_add(store, row, err);
    free(text);
    json_decref(found);
    return status;
}

int track_save(struct store *store, long long session, const char *machine,
               const char *kernel, const struct search_result *result, struct error *err)
{
    struct store_track row = {.session = session, .machine = machine, .kernel = kernel};
    int status = 0;
    for (size_t i = 0; !status && i < result->advice_nr; i++)
        if (result->advice[i].rule)
            status = save_one(store, &row, &result->advice[i], err);
    return status;
}

/* ---- reading ---- */

struct reading {
    struct track *track;
    bool by_machine;
};

static struct track_rule *rule_of(const struct reading *reading,
                                  const struct store_track *row)
{
    struct track *track = reading->track;
    for (size_t i = 0; i < track->nr; i++)
        if (!strcmp(track->item[i].rule, row->rule) &&
            (!reading->by_machine || !strcmp(track->item[i].machine, row->machine)))
            return &track->item[i];
    GROW(track->item, track->nr + 1, track->alloc);
    struct track_rule *rule = &track->item[track->nr++];
    *rule =
        (struct track_rule){.machine = xstrdup(row->machine), .rule = xstrdup(row->rule)};
    return rule;
}

static bool has_bound(const char *text)
{
    json_t *found = NULL;
    bool has = json_read_text(text, "track record", NULL, &found, NULL) == 0 &&
               json_is_object(json_object_get(found, "bound"));
    json_decref(found);
    return has;
}

static int add_row(void *data, const struct store_track *row)
{
    const struct reading *reading = data;
    struct track_rule *rule = rule_of(reading, row);
    rule->hits += !strcmp(row->outcome, "hit");
    rule->misses += !strcmp(row->outcome, "miss");
    rule->bounds += has_bound(row->json);
    rule->broken += row->broken;
    return 0;
}

int track_read(struct store *store, const char *machine, const char *until,
               struct track *track, struct error *err)
{
    struct reading reading = {track, machine == NULL};
    *track = (struct track){0};
    if (store_track_each(store, machine, until, add_row, &reading, err))
        return -1;
    track->record = xcalloc(track->nr + 1, sizeof(*track->record));
    for (size_t i = 0; i < track->nr; i++)
        track->record[i] = (struct rule_record){
            track->item[i].rule,
            track_factor(track->item[i].hits, track->item[i].misses)};
    return 0;
}

/* ---- as JSON ---- */

static json_t *rule_json(const struct track_rule *rule)
{
    return json_pack("{s:s, s:I, s:I, s:I, s:I, s:o}", "rule", rule->rule, "right",
                     (json_int_t)rule->hits, "judged",
                     (json_int_t)(rule->hits + rule->misses), "bounds",
                     (json_int_t)rule->bounds, "broken", (json_int_t)rule->broken,
                     "factor", json_real(track_factor(rule->hits, rule->misses)));
}

static bool is_advised(const struct search_result *result, const char *rule)
{
    bool found = false;
    for (size_t i = 0; !found && i < result->advice_nr; i++)
        found = result->advice[i].rule && !strcmp(result->advice[i].rule, rule);
    return found;
}

json_t *track_json(const struct track *track, const struct search_result *result)
{
    json_t *list = NULL;
    for (size_t i = 0; i < track->nr; i++) {
        if (!is_advised(result, track->item[i].rule))
            continue;
        list = list ? list : json_array();
        json_array_append_new(list, rule_json(&track->item[i]));
    }
    return list;
}

json_t *track_all_json(const struct track *track)
{
    json_t *list = json_array();
    for (size_t i = 0; i < track->nr; i++) {
        json_t *rule = rule_json(&track->item[i]);
        json_object_set_new(rule, "machine", text_json(track->item[i].machine));
        json_array_append_new(list, rule);
    }
    return list;
}
