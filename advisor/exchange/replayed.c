#include "advisor/exchange/exchanged.h"

#include <stdlib.h>
#include <string.h>

#include "advisor/cli/cli.h"
#include "core/base.h"
#include "search/records/replay.h"

/* "gather in gather.c, simd: 12.3 ms (12.1 ms to 12.4 ms) a call" */
static char *title_of(const struct measurement_replay *replay)
{
    const struct measurement *measurement = &replay->measurement;
    const struct measurement_origin *origin = &replay->origin;
    struct candidate candidate = {measurement->plan, measurement->environment};
    char *variant = candidate_text(&candidate);
    struct buf text = {0};
    if (origin->kernel)
        buf_addf(&text, "%s%s%s, ", origin->kernel, origin->file ? " in " : "",
                 origin->file ? path_base(origin->file) : "");
    buf_addf(&text, "%s: ", variant);
    buf_add_time(&text, measurement->time_s.value);
    buf_add(&text, " (");
    buf_add_time(&text, measurement->time_s.low);
    buf_add(&text, " to ");
    buf_add_time(&text, measurement->time_s.high);
    buf_add(&text, ") a call");
    free(variant);
    return buf_detach(&text);
}

static char *source_of(const char *path, const struct measurement_replay *replay)
{
    const struct measurement_origin *origin = &replay->origin;
    struct buf text = {0};
    buf_addf(&text, "saved in '%s'", path);
    if (origin->date)
        buf_addf(&text, ", measured %.10s", origin->date);
    if (replay->measured_on)
        buf_addf(&text, " on %s", replay->measured_on);
    if (origin->compiler)
        buf_addf(&text, " with %s", origin->compiler);
    buf_addf(&text, "; traffic: %s",
             provenance_word(replay->measurement.traffic.provenance));
    return buf_detach(&text);
}

static void tell(const struct settings *settings, const struct measurement_replay *replay,
                 struct given *given)
{
    *given = (struct given){.title = title_of(replay),
                            .source = source_of(settings->measurement, replay),
                            .document = measurement_to_json(&replay->measurement),
                            .key = "measurement"};
    if (replay->elsewhere)
        strvec_pushf(&given->note,
                     "time and traffic are those of %s, limits and latency those of "
                     "%s, as you asked",
                     replay->measured_on, replay->machine.name);
    else if (!replay->measured_on)
        strvec_pushf(&given->note,
                     "the file does not say which machine it is of: explained with the "
                     "profile '%s'",
                     settings->machine);
    if (replay->measurement.traffic.note)
        strvec_push(&given->note, replay->measurement.traffic.note);
}

/* Moves machine and occupancy. */
static void take(struct measurement_replay *replay, const struct given *given,
                 struct answer *answer)
{
    struct measurement *measurement = &replay->measurement;
    struct occupancy *occupancy = &measurement->occupancy;
    struct quantity rest = quantity_subtract(
        quantity_exact(1, occupancy->read_share.provenance), occupancy->read_share);
    *answer = (struct answer){
        .machine = replay->machine,
        .gbs = occupancy->bandwidth_gbs.value,
        .read_gbs = quantity_multiply(occupancy->bandwidth_gbs, occupancy->read_share),
        .write_gbs = quantity_multiply(occupancy->bandwidth_gbs, rest),
        .cores = replay->origin.cores,
        .random_share = occupancy->random_share,
        .time_s = measurement->time_s,
        .pages = measurement->environment.huge_pages ? "huge" : "small",
        .given = given,
        .occupancy = *occupancy};
    replay->machine = (struct machine){0};
    measurement->has_occupancy = false;
    answer_find_end(answer);
}

int replayed_answer(const struct settings *settings, const struct rule_set *rules,
                    struct given *given, struct answer *answer, struct error *err)
{
    struct measurement_replay replay = {0};
    struct machine other = {0};
    int cores = settings->cores > 0 ? (int)settings->cores : 0;
    *given = (struct given){0};
    *answer = (struct answer){0};
    if (settings->machine &&
        profile_load(settings->machine, settings->memory, &other, err))
        return -1;
    int status = measurement_replay(
        settings->measurement, settings->machine ? &other : NULL, cores, &replay, err);
    machine_release(&other);
    if (status)
        return -1;
    tell(settings, &replay, given);
    take(&replay, given, answer);
    measurement_replay_release(&replay);
    return answer_judge(answer, rules, err);
}
