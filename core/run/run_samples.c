#include "core/run/run_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Shares of a sample from which something is worth saying: what reading the clock takes
 * (it is subtracted, but varies by as much), and what the call itself takes. */
static const double clock_share_reported = 1e-3, call_share_reported = 0.05;
/* After a flush the probe's walk shall take this times as long: see program_caches.c. */
static const double flushed_is_slower = 3;

static bool has_undisturbed(const struct run_sample *sample, size_t nr)
{
    for (size_t i = 0; i < nr; i++)
        if (!sample[i].disturbed)
            return true;
    return false;
}

void samples_take_least(struct run_result *result, size_t from, size_t minimum_of)
{
    size_t nr = result->sample_nr - from, kept = 0, group = 0, groups = 0;
    struct run_sample *sample = nr ? result->sample + from : NULL, min = {0};
    bool all_count = !has_undisturbed(sample, nr);

    for (size_t i = 0; i < nr; i++) {
        struct run_sample one = sample[i];

        result->disturbed_nr += one.disturbed != 0;
        if (one.disturbed && !all_count) {
            sample[kept++] = one;
            continue;
        }
        if (group == 0 || one.seconds < min.seconds)
            min = one;
        if (++group < minimum_of)
            continue;
        sample[kept++] = min;
        group = 0;
        groups++;
    }
    if (group > 0 && groups == 0)
        sample[kept++] = min;
    result->sample_nr = from + kept;
}

static bool launch_has_undisturbed(const struct run_result *result, unsigned launch)
{
    for (size_t i = 0; i < result->sample_nr; i++)
        if (result->sample[i].launch == launch && !result->sample[i].disturbed)
            return true;
    return false;
}

size_t samples_that_count(const struct run_result *result, struct run_sample *out)
{
    size_t nr = 0;

    for (size_t i = 0; i < result->sample_nr; i++)
        if (!result->sample[i].disturbed ||
            !launch_has_undisturbed(result, result->sample[i].launch))
            out[nr++] = result->sample[i];
    return nr;
}

/* ---- what was taken from them ---- */

/*
 * Another process on the core takes time that is measured and taken out. What cannot be
 * taken out: threads that wait for one another while one of them waits for a processor,
 * what the hypervisor takes, another clock, a disk.
 */
static bool is_blurred(const struct run_sample *sample)
{
    static const double tolerated = 0.02;

    if (sample->disturbed & ~(unsigned)RUN_DISTURBED_SWITCHED)
        return true;
    return sample->waits_inside &&
           (sample->disturbed || sample->waited_s > tolerated * sample->seconds);
}

void witness_add(struct witness *witness, const struct run_sample *sample)
{
    witness->waited_s += sample->waited_s;
    witness->wall_s += sample->seconds + (sample->waits_inside ? 0 : sample->waited_s);
    witness->nr++;
    witness->blurred += is_blurred(sample);
}

void witness_judge(const struct witness *witness, struct quantity *ratio)
{
    ratio->doubted |= 2 * witness->blurred > witness->nr;
}

/*
 * Who comes back to his core finds the caches of somebody else. To fill what a core has
 * for itself, 2 MiB, takes 0.1 ms; time is given in slices of 3 ms and more: so much of
 * what it ran may have gone into that, on one side and not on the other.
 */
const double witness_room = 1.03;

void witness_widen(const struct witness *witness, struct quantity *ratio)
{
    double ran_s = witness->wall_s - witness->waited_s, room;

    if (!ratio->known || !(witness->wall_s > 0))
        return;
    ratio->disturbed = fmin(1, witness->waited_s / witness->wall_s);
    room = 1 + (witness_room - 1) * (ran_s > 0 ? fmin(1, witness->waited_s / ran_s) : 1);
    ratio->low /= room;
    ratio->high *= room;
}

/* ---- what is told beside ---- */

static void add_note(struct run_result *result, const char *text)
{
    char *both;

    if (result->note && strstr(result->note, text))
        return;
    both = result->note ? xasprintf("%s; %s", result->note, text) : xstrdup(text);
    free(result->note);
    result->note = both;
}

static void add_clock(struct run_result *result, const struct copy_results *copy)
{
    result->clock_step_s = fmax(result->clock_step_s, copy->clock_step_s);
    result->call_overhead_s = fmax(result->call_overhead_s, copy->call_overhead_s);
    result->empty_call_s = fmax(result->empty_call_s, copy->empty_call_s);
}

static void add_flush(struct run_result *result, const struct copy_results *copy)
{
    if (!copy->flush)
        return;
    if (copy->flush_cold_s < flushed_is_slower * copy->flush_warm_s)
        add_note(result, "caches could not be emptied here: cold starts are not cold");
    else if (strcmp(copy->flush, "by-sweep") == 0)
        add_note(result, "caches were emptied by reading a large buffer, which pushes "
                         "out data and code alike");
}

void samples_add_facts(struct run_result *result, const struct launch *launch)
{
    for (size_t i = 0; i < launch->copies; i++) {
        add_clock(result, &launch->copy[i]);
        add_flush(result, &launch->copy[i]);
    }
    if (launch->background_note)
        add_note(result, launch->background_note);
    if (launch->left_behind)
        add_note(result, "processes that it left behind were ended");
}

static void note_shares(struct run_result *result, const struct run_opts *opts)
{
    struct quantity time = run_time_s(result);
    double call = time.known ? time.value : 0;
    double with_clock = result->call_overhead_s + call;
    double clock_share = with_clock > 0 ? result->call_overhead_s / with_clock : 0;
    double call_share = call > 0 ? result->empty_call_s / call : 0;
    char *text;

    if (opts->start != RUN_START_WARM && clock_share > clock_share_reported) {
        text = xasprintf("reading the clock took %.2g %% of a sample and was subtracted",
                         100 * clock_share);
        add_note(result, text);
        free(text);
    }
    if (call_share > call_share_reported) {
        text = xasprintf("of %.2g ns a call, about %.2g ns are the call itself, which "
                         "its callers pay too",
                         call * 1e9, result->empty_call_s * 1e9);
        add_note(result, text);
        free(text);
    }
}

static void note_disturbed(struct run_result *result)
{
    struct buf causes = {0};
    unsigned all = 0;
    char *text;

    if (result->disturbed_nr == 0 || has_undisturbed(result->sample, result->sample_nr))
        return;
    for (size_t i = 0; i < result->sample_nr; i++)
        all |= result->sample[i].disturbed;
    run_disturbance_text(all, &causes);
    text = xasprintf("every sample was disturbed (%s), so all count", buf_str(&causes));
    add_note(result, text);
    free(text);
    buf_release(&causes);
}

void samples_note(struct run_result *result, const struct run_opts *opts)
{
    if (result->sample_nr == 0)
        return;
    note_shares(result, opts);
    note_disturbed(result);
}
