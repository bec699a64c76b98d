#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

#include "core/machine/arch.h"
#include "core/machine/probe.h"
#include "core/machine/team.h"

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
    progress_say(probe->progress, "%3.0f %%  %s; at most %.0f s left",
                 100 * (1 - left_s / probe->seconds), buf_str(&text), left_s);
    buf_release(&text);
}

double probe_until(const struct probe *probe, double share)
{
    double until = clock_s() + share * probe->seconds;

    return until < probe->end_s ? until : probe->end_s;
}

struct stage {
    struct probe *probe;
    void (*run)(struct probe *probe);
};

static void run_stage(struct team_member *member)
{
    struct stage *stage = member->task;
    struct watch start = watch_now(), end;

    stage->run(stage->probe);
    end = watch_now();
    stage->probe->stage_wall_s += end.wall_s - start.wall_s;
    stage->probe->stage_cpu_s += end.cpu_s - start.cpu_s;
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

size_t add_chase(struct trials *trials, struct chase *chase, int lanes, bool warm,
                 double target_s)
{
    return trials_add(trials, &(struct trial){.run = run_chase,
                                              .warm = warm ? warm_chase : NULL,
                                              .subject = chase,
                                              .variant = lanes,
                                              .target_s = target_s});
}

/* Keeps the sums alive. */
static volatile uint64_t read_sink;

/* Pieces of up to 1 MiB, going on where the last unit ended. */
static void run_read(void *subject, int variant, size_t work)
{
    struct piece *piece = subject;
    const struct arch_kernels *kernels = arch_kernels();
    size_t unit = (size_t)variant;

    while (work--) {
        if (piece->at + unit > piece->bytes)
            piece->at = 0;
        read_sink += kernels->read(piece->base + piece->at, unit);
        piece->at += unit;
    }
}

size_t add_read(struct trials *trials, struct piece *piece, double target_s)
{
    size_t unit = piece->bytes < (1 << 20) ? piece->bytes : 1 << 20;

    return trials_add(trials, &(struct trial){.run = run_read,
                                              .subject = piece,
                                              .variant = (int)unit,
                                              .target_s = target_s});
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
