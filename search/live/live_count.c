/*
 * Instructions, FLOP and mispredictions of a variant without counters: what was stepped
 * through in the middle of a call (core/run/run_stretch.h), as often as the bytes that
 * the call accesses in its arrays hold those that the steps accessed.
 */
#include <math.h>
#include <stdlib.h>

#include "core/base.h"
#include "search/live/live_parts.h"

/* All steps, and the halves of each stretch: how far these differ is how far the rest of
 * the call may. */
struct seen {
    struct stretch_counts all, *part;
    size_t part_nr;
};

static struct seen see(const struct stretches *stretches)
{
    struct seen seen = {.all = stretches_count(stretches, 0, stretches->step_nr)};

    seen.part = xcalloc(2 * stretches->begin_nr + 1, sizeof(*seen.part));
    for (size_t i = 0; i < stretches->begin_nr; i++) {
        bool last = i + 1 == stretches->begin_nr;
        size_t begin = stretches->begin[i],
               end = last ? stretches->step_nr : stretches->begin[i + 1],
               middle = begin + (end - begin) / 2;

        seen.part[seen.part_nr++] = stretches_count(stretches, begin, middle);
        seen.part[seen.part_nr++] = stretches_count(stretches, middle, end);
    }
    return seen;
}

/* `at`: of a count in struct stretch_counts. */
static double count_of(const struct stretch_counts *counts, size_t at)
{
    return *(const double *)(const void *)((const char *)counts + at);
}

/* Half of the lanes behind masks are taken to be on. */
static double bytes_of(const struct stretch_counts *counts)
{
    return counts->array_bytes - counts->masked_bytes / 2;
}

static double per_byte(const struct seen *seen, const struct stretch_counts *without,
                       size_t at)
{
    return (count_of(&seen->all, at) - count_of(without, at)) /
           (bytes_of(&seen->all) - bytes_of(without));
}

/* The interval is the jackknife's, of the ratios without one part each, with all lanes on
 * and with none. Unknown where no array was accessed for certain, or within one part
 * only. */
static struct quantity ratio_of(const struct seen *seen, size_t at)
{
    double value = per_byte(seen, &(struct stretch_counts){0}, at), mean = 0, squares = 0,
           nr = (double)seen->part_nr;

    for (size_t i = 0; i < seen->part_nr; i++)
        mean += per_byte(seen, &seen->part[i], at) / nr;
    for (size_t i = 0; i < seen->part_nr; i++)
        squares += pow(per_byte(seen, &seen->part[i], at) - mean, 2);
    if (!isfinite(value) || !isfinite(squares) || seen->part_nr < 2)
        return quantity_unknown();
    double half = student_95(seen->part_nr - 1) * sqrt((nr - 1) / nr * squares),
           bytes = bytes_of(&seen->all), all_on = bytes / seen->all.array_bytes,
           none_on = bytes / (seen->all.array_bytes - seen->all.masked_bytes);
    if (!isfinite(none_on))
        return quantity_unknown();
    return quantity_between(value, fmax(value - half, 0) * all_on,
                            (value + half) * none_on, 0, PROVENANCE_STEPPED);
}

static struct quantity of_call(const struct stretches *stretches, const struct seen *seen,
                               size_t at, struct quantity call_bytes)
{
    struct quantity all =
        stretches->whole ? quantity_exact(count_of(&seen->all, at), PROVENANCE_STEPPED)
                         : quantity_multiply(ratio_of(seen, at), call_bytes);

    all.provenance = PROVENANCE_STEPPED;
    return all;
}

/* Compilers replace a loop whose result has a formula, or that has none: a vector and its
 * unrolling take so many iterations at most for an instruction. */
static const double iterations_max = 64;

static void say(const struct stretches *stretches, const struct kernel_counts *counts,
                struct traffic *traffic)
{
    struct quantity all = traffic->instructions;
    char *text;

    if (!all.known)
        text = xstrdup("instructions not counted: too little is known of the bytes that "
                       "the call accesses");
    else if (stretches->whole)
        text = xstrdup("instructions counted by stepping through the call");
    else
        text =
            xasprintf("instructions counted in %zu stretch%s of the call and scaled, "
                      "%+.0f to %+.0f %%",
                      stretches->begin_nr, stretches->begin_nr == 1 ? "" : "es",
                      100 * (all.low / all.value - 1), 100 * (all.high / all.value - 1));
    live_add_note(traffic, text);
    free(text);
    if (all.known && counts->iterations.known &&
        counts->iterations.value > iterations_max * all.high)
        live_add_note(traffic,
                      "the compiler has replaced the loop by a formula, or removed it: a "
                      "call runs far fewer instructions than the loop has iterations");
}

static void count_call(const struct stretches *stretches, struct quantity call_bytes,
                       const struct kernel_counts *counts, struct traffic *traffic)
{
    struct seen seen = see(stretches);
    const struct {
        size_t from;
        struct quantity *to;
        bool wanted;
    } row[] = {
        {offsetof(struct stretch_counts, instructions), &traffic->instructions, true},
        {offsetof(struct stretch_counts, flops), &traffic->flops,
         !counts->flops.known && seen.all.undecoded <= 0},
        {offsetof(struct stretch_counts, divisions), &traffic->divisions, true},
        {offsetof(struct stretch_counts, branches_missed), &traffic->branches_missed,
         true},
    };

    for (size_t i = 0; i < ARRAY_SIZE(row); i++)
        if (row[i].wanted && !row[i].to->known)
            *row[i].to = of_call(stretches, &seen, row[i].from, call_bytes);
    traffic->code_bytes = quantity_exact(seen.all.code_bytes, PROVENANCE_STEPPED);
    say(stretches, counts, traffic);
    free(seen.part);
}

void live_count(const struct stretches *stretches, struct quantity call_bytes,
                const struct kernel_counts *counts, struct traffic *traffic)
{
    if (!traffic->instructions.known)
        count_call(stretches, call_bytes, counts, traffic);
}

void live_add_note(struct traffic *traffic, const char *text)
{
    char *note = traffic->note ? xasprintf("%s; %s", traffic->note, text) : xstrdup(text);

    free(traffic->note);
    traffic->note = note;
}
