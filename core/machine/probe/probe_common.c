#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

#include "core/base.h"
#include "core/machine/probe/probe.h"
#include "core/machine/sampling/trial.h"
#include "core/machine/topology/team.h"

void probe_say(struct probe *probe, const char *format, ...)
{
    struct buf text = {0};
    double left_s = fmax(probe->end_s - clock_s(), 0);
    va_list args;

    if (!probe->progress)
        return;
    va_start(args, format);
    buf_addf_va(&text, format, args);
    va_end(args);
    progress_show(probe->progress,
                  &(struct progress_status){.doing = buf_str(&text), .left_s = left_s});
    buf_release(&text);
}

void probe_note(struct probe *probe, const char *format, ...)
{
    struct buf text = {0};
    va_list args;

    va_start(args, format);
    buf_addf_va(&text, format, args);
    va_end(args);
    strvec_push(&probe->machine->note, buf_str(&text));
    buf_release(&text);
}

double probe_until(const struct probe *probe, double share)
{
    double until = clock_s() + share * probe->seconds;

    return until < probe->end_s ? until : probe->end_s;
}

double probe_stop(const struct probe *probe, double share)
{
    return probe_until(probe, 2 * share);
}

struct stage {
    struct probe *probe;
    void (*run)(struct probe *probe);
};

static void run_stage(struct team_member *member)
{
    struct stage *stage = member->task;

    stage->run(stage->probe);
}

int probe_on_first_core(struct probe *probe, void (*stage)(struct probe *),
                        struct error *err)
{
    struct stage task = {.probe = probe, .run = stage};

    if (team_run(&probe->topology, 1, run_stage, &task, err))
        return -1;
    if (probe->err.text[0])
        return fail(err, probe->err.status, "%s", probe->err.text);
    return 0;
}

static void run_chase(void *subject, int variant, size_t work)
{
    chase_run(subject, variant, work);
}

static void warm_chase(void *subject)
{
    chase_warm(subject);
}

size_t add_chase(struct trials *trials, struct chase *chase, int chains, bool warm,
                 double target_s)
{
    return trials_add(trials, &(struct trial){.run = run_chase,
                                              .warm = warm ? warm_chase : NULL,
                                              .subject = chase,
                                              .variant = chains,
                                              .target_s = target_s});
}

bool knee_chains(int chains)
{
    return chains <= 40 || chains % 2 == 0;
}

struct knee trials_knee(const struct trials *trials, const size_t *index, size_t nr,
                        double residency_ns)
{
    struct knee_series series = {.residency_ns = residency_ns};

    for (size_t i = 0; i < nr; i++) {
        const struct trial *trial = &trials->trial[index[i]];

        series.chains[series.nr] = trial->variant;
        series.step_ns[series.nr++] = trial->sample_ns;
        series.rounds = trial->sample_nr;
    }
    return knee_find(&series);
}

struct quantity chase_latency(struct chase *chase, double seconds)
{
    enum { WINDOWS = 500 };
    const double window_s = 2e-3, end_s = clock_s() + seconds;
    double quiet[WINDOWS], any[WINDOWS];
    size_t quiet_nr = 0, any_nr = 0;

    while (any_nr < WINDOWS && (any_nr < 3 || clock_s() < end_s)) {
        struct watch start = watch_now(), now;
        size_t steps = 0;

        do {
            chase_run(chase, 1, 1024);
            steps += 1024;
            now = watch_now();
        } while (now.wall_s - start.wall_s < window_s);
        any[any_nr] = watch_s(&start, &now) / (double)steps * 1e9;
        if (!watch_was_disturbed(&start, &now))
            quiet[quiet_nr++] = any[any_nr];
        any_nr++;
    }
    return quiet_nr >= 3 ? samples_quantity(quiet, quiet_nr)
                         : samples_quantity(any, any_nr);
}

struct quantity best_rate(const struct trials *trials, const size_t *index, size_t nr)
{
    struct quantity best = quantity_unknown();

    for (size_t i = 0; i < nr; i++) {
        struct quantity ns = trial_ns(trials, index[i]);
        double steps = trials->trial[index[i]].variant * 1e9;

        if (ns.known && ns.low > 0 && (!best.known || steps / ns.value > best.value))
            best = quantity_between(steps / ns.value, steps / ns.high, steps / ns.low,
                                    ns.runs, ns.provenance);
    }
    return best;
}
