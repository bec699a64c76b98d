#include "core/machine/sampling/trial.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "core/base.h"
#include "core/machine/sampling/looks.h"

struct watch watch_now(void)
{
    struct timespec cpu;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu);
    return (struct watch){.wall_s = clock_s(),
                          .cpu_s = (double)cpu.tv_sec + 1e-9 * (double)cpu.tv_nsec};
}

bool watch_was_disturbed(const struct watch *start, const struct watch *end)
{
    const double slack_s = 2e-6; /* the clocks are not read at the same instant */

    return end->cpu_s - start->cpu_s < 0.98 * (end->wall_s - start->wall_s) - slack_s;
}

size_t trials_add(struct trials *trials, const struct trial *trial)
{
    GROW(trials->trial, trials->trial_nr + 1, trials->trial_alloc);
    trials->trial[trials->trial_nr] = *trial;
    return trials->trial_nr++;
}

double watch_s(const struct watch *start, const struct watch *end)
{
    return watch_was_disturbed(start, end) ? end->cpu_s - start->cpu_s
                                           : end->wall_s - start->wall_s;
}

static double run_once(const struct trial *trial, size_t work, bool *disturbed)
{
    struct watch start, end;

    start = watch_now();
    trial->run(trial->subject, trial->variant, work);
    end = watch_now();
    *disturbed = watch_was_disturbed(&start, &end);
    return watch_s(&start, &end);
}

/* Grows the work to a run long enough to scale from: the first short ones meet cold
 * caches and page tables. Warms them as a side effect. */
static void find_work(struct trial *trial)
{
    size_t work = 64;
    bool disturbed;
    double took;

    if (trial->warm)
        trial->warm(trial->subject);
    took = run_once(trial, work, &disturbed);

    while (took < trial->target_s / 3 && work < (size_t)1 << 40) {
        work *= 2;
        took = run_once(trial, work, &disturbed);
    }
    trial->work = (size_t)(trial->target_s / took * (double)work) + 1;
}

/* Where others keep running on this core, the last try counts: the sample stays in its
 * round. Nothing is tried again when the time is up. What the trial before has left warm
 * is warm still. */
static void add_sample(struct trial *trial, const struct trial *before, double end_s)
{
    bool disturbed = true, warm = before && before->warm == trial->warm &&
                                  before->subject == trial->subject;
    double took = 0;

    for (int tries = 0; disturbed && (!tries || (tries < 8 && clock_s() < end_s));
         tries++) {
        if (trial->warm && !warm)
            trial->warm(trial->subject);
        warm = false; /* who took the core took the cache with it */
        took = run_once(trial, trial->work, &disturbed);
    }
    GROW(trial->sample_ns, trial->sample_nr + 1, trial->sample_alloc);
    trial->sample_ns[trial->sample_nr++] = took / (double)trial->work * 1e9;
}

/* Every other round backwards: a drift within the round then leans to neither end. */
static void one_round(struct trials *trials, bool backwards, double end_s)
{
    const struct trial *before = NULL;

    for (size_t i = 0; i < trials->trial_nr; i++) {
        struct trial *trial = &trials->trial[backwards ? trials->trial_nr - 1 - i : i];

        add_sample(trial, before, end_s);
        before = trial;
    }
}

void trials_run(struct trials *trials, size_t rounds, double end_s)
{
    const size_t min = 3;

    for (size_t i = 0; i < trials->trial_nr; i++)
        find_work(&trials->trial[i]);
    for (size_t round = 0; round < rounds; round++) {
        double now_s = clock_s();

        if ((round >= min && now_s >= end_s) ||
            (round && trials->stop_s > 0 && now_s >= trials->stop_s))
            break;
        one_round(trials, round % 2, end_s);
    }
}

void trials_release(struct trials *trials)
{
    for (size_t i = 0; i < trials->trial_nr; i++)
        free(trials->trial[i].sample_ns);
    free(trials->trial);
    *trials = (struct trials){0};
}

static double at_share(const double *sorted, size_t nr, double share)
{
    double place = share * (double)(nr - 1);
    size_t below = (size_t)place;
    double rest = place - (double)below;

    return below + 1 < nr ? sorted[below] * (1 - rest) + sorted[below + 1] * rest
                          : sorted[nr - 1];
}

double samples_at(const double *sample, size_t nr, double share)
{
    double *sorted = sorted_copy(sample, nr), result = at_share(sorted, nr, share);

    free(sorted);
    return result;
}

/* Student's t, two-sided 95 %, within 1 % from two degrees of freedom on. */
static double student(double freedom)
{
    return 1.96 + 2.4 / freedom + 4.6 / (freedom * freedom);
}

double samples_error(double value, double scatter, size_t nr,
                     const struct repeatability *usual)
{
    const double median_of_mean =
        1.2533; /* its error over that of a mean, sqrt(pi / 2) */
    double n = (double)nr, prior = usual->look * fabs(value),
           freedom = SAMPLES_PRIOR + n - 1,
           one = sqrt((SAMPLES_PRIOR * prior * prior + (n - 1) * scatter * scatter) /
                      freedom);

    return hypot(student(freedom) * median_of_mean * one / sqrt(n), usual->run * value);
}

struct quantity samples_widen(struct quantity quantity, double scatter, size_t nr)
{
    static const struct repeatability usual = {.look = SAMPLES_SCATTER,
                                               .run = SAMPLES_DRIFT};
    double error = samples_error(quantity.value, scatter, nr, &usual);

    quantity.low = fmin(quantity.low, quantity.value - error);
    quantity.high = fmax(quantity.high, quantity.value + error);
    return quantity;
}

struct quantity samples_quantity(const double *sample, size_t nr)
{
    const double quartiles = 1.349; /* apart, in standard deviations of a normal */
    struct quantity quantity;
    double *sorted;

    if (!nr)
        return quantity_unknown();
    sorted = sorted_copy(sample, nr);
    quantity = quantity_between(at_share(sorted, nr, 0.5), at_share(sorted, nr, 0.25),
                                at_share(sorted, nr, 0.75), nr, PROVENANCE_PROBE);
    quantity = samples_widen(quantity, (quantity.high - quantity.low) / quartiles, nr);
    free(sorted);
    return quantity;
}

struct quantity trial_ns(const struct trials *trials, size_t index)
{
    const struct trial *trial = &trials->trial[index];

    return samples_quantity(trial->sample_ns, trial->sample_nr);
}
