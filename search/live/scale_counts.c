#include "search/live/scale_counts.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "core/base/array.h"

enum { TERMS_MAX = 4 };

static double count_of(const struct run_steps *steps, size_t at)
{
    return *(const double *)(const void *)((const char *)steps + at);
}

/* ---- terms ---- */

/* Which bases to fit with: by size in the full call, none a multiple of another. */
struct terms {
    size_t basis[TERMS_MAX], nr;
};

static bool is_multiple(const struct scale_points *points, const struct scale_basis *full,
                        size_t a, size_t b)
{
    double ratio = full->value[a] / full->value[b];

    for (size_t i = 0; i < points->nr; i++) {
        const double *value = points->point[i].basis.value;

        if (fabs(value[a] - ratio * value[b]) > 1e-9 * fabs(value[a]))
            return false;
    }
    return true;
}

static bool is_chosen(const struct terms *terms, const struct scale_points *points,
                      const struct scale_basis *full, size_t basis)
{
    for (size_t i = 0; i < terms->nr; i++)
        if (terms->basis[i] == basis || is_multiple(points, full, terms->basis[i], basis))
            return true;
    return false;
}

static struct terms choose_terms(const struct scale_points *points,
                                 const struct scale_basis *full, size_t max)
{
    struct terms terms = {.nr = 0};

    while (terms.nr < max && terms.nr < TERMS_MAX) {
        size_t best = full->nr;

        for (size_t i = 0; i < full->nr; i++)
            if (full->value[i] > 0 && !is_chosen(&terms, points, full, i) &&
                (best == full->nr || full->value[i] > full->value[best]))
                best = i;
        if (best == full->nr)
            break;
        terms.basis[terms.nr++] = best;
    }
    return terms;
}

/* ---- least squares ---- */

struct system {
    double a[TERMS_MAX][TERMS_MAX + 1]; /* the last column: the right-hand side */
    size_t nr;
};

static void swap_rows(struct system *system, size_t i, size_t k)
{
    double row[TERMS_MAX + 1];

    memcpy(row, system->a[i], sizeof(row));
    memcpy(system->a[i], system->a[k], sizeof(row));
    memcpy(system->a[k], row, sizeof(row));
}

/* Gauss-Jordan with pivots; the last column then is the solution. */
static bool solve(struct system *system)
{
    for (size_t i = 0; i < system->nr; i++) {
        size_t pivot = i;

        for (size_t k = i + 1; k < system->nr; k++)
            if (fabs(system->a[k][i]) > fabs(system->a[pivot][i]))
                pivot = k;
        if (!(fabs(system->a[pivot][i]) > 1e-12))
            return false;
        swap_rows(system, i, pivot);
        for (size_t k = 0; k < system->nr; k++) {
            double factor = system->a[k][i] / system->a[i][i];

            for (size_t j = i; k != i && j <= TERMS_MAX; j++)
                system->a[k][j] -= factor * system->a[i][j];
        }
    }
    return true;
}

/* Terms are scaled to 1 at the last point, to keep the numbers in range. */
struct fit {
    const struct scale_points *points;
    const struct scale_basis *full;
    const struct terms *terms;
    size_t count; /* offset in struct run_steps */
    size_t first; /* point */
};

static double basis_of(const struct fit *fit, size_t point, size_t term)
{
    return fit->points->point[point].basis.value[fit->terms->basis[term]];
}

static double term_at(const struct fit *fit, size_t point, size_t term)
{
    return basis_of(fit, point, term) / basis_of(fit, fit->points->nr - 1, term);
}

static double full_term(const struct fit *fit, size_t term)
{
    return fit->full->value[fit->terms->basis[term]] /
           basis_of(fit, fit->points->nr - 1, term);
}

static double observed(const struct fit *fit, size_t point)
{
    return count_of(&fit->points->point[point].steps, fit->count);
}

/* What counts is the relative error. */
static void add_point(const struct fit *fit, size_t point, struct system *system)
{
    double y = observed(fit, point), weight = 1 / fmax(y, 1);

    for (size_t i = 0; i < system->nr; i++) {
        double term = term_at(fit, point, i) * weight;

        for (size_t k = 0; k < system->nr; k++)
            system->a[i][k] += term * term_at(fit, point, k) * weight;
        system->a[i][TERMS_MAX] += term * y * weight;
    }
}

static double residual_of(const struct fit *fit, const double *multiple)
{
    double worst = 0;

    for (size_t p = fit->first; p < fit->points->nr; p++) {
        double y = observed(fit, p), reported = 0;

        for (size_t i = 0; i < fit->terms->nr; i++)
            reported += multiple[i] * term_at(fit, p, i);
        worst = fmax(worst, fabs(reported - y) / fmax(y, 1));
    }
    return worst;
}

/* The count in the full call, and the largest relative residual. NaN if the points do not
 * determine it. */
static double extrapolate(const struct fit *fit, double *residual)
{
    struct system system = {.nr = fit->terms->nr};
    double multiple[TERMS_MAX], sum = 0,
                                unit = fmax(observed(fit, fit->points->nr - 1), 1);

    for (size_t p = fit->first; p < fit->points->nr; p++)
        add_point(fit, p, &system);
    for (size_t i = 0; i < system.nr; i++)
        for (size_t k = 0; k <= TERMS_MAX; k++)
            system.a[i][k] *= unit * unit;
    *residual = 0;
    if (!solve(&system))
        return NAN;
    for (size_t i = 0; i < system.nr; i++) {
        multiple[i] = system.a[i][TERMS_MAX] / system.a[i][i];
        sum += multiple[i] * full_term(fit, i);
    }
    *residual = residual_of(fit, multiple);
    return sum;
}

/* ---- one count ---- */

/* Terms that the points are too few for pull all fits the same way: the truth lies that
 * many times as far beyond the last one as it is from the first. */
static const double left_out = 4;

/* Counts that a fit makes negative were hardly there: at most as many as it is off. */
static struct quantity scale_one(const struct scale_points *points,
                                 const struct scale_basis *full, size_t count)
{
    struct terms terms = choose_terms(points, full, points->nr - 1);
    struct fit all = {points, full, &terms, count, 0};
    struct fit last = {points, full, &terms, count, points->nr - terms.nr};
    double rest, unused, value, other, min, max, more = 0;

    if (terms.nr == 0)
        return quantity_unknown();
    value = extrapolate(&all, &rest);
    other = extrapolate(&last, &unused);
    if (isnan(value) || isnan(other))
        return quantity_unknown();
    if (choose_terms(points, full, TERMS_MAX).nr > terms.nr)
        more = left_out * fabs(value - other);
    min = fmax((fmin(value, other) - more) * (1 - fmin(rest, 1)), 0);
    max = (fmax(fabs(value), fabs(other)) + more) * (1 + rest);
    return quantity_between(fmax(value, 0), min, max, points->nr, PROVENANCE_STEPPED);
}

static bool is_full(const struct scale_point *point, const struct scale_basis *full)
{
    for (size_t i = 0; i < full->nr; i++)
        if (point->basis.value[i] != full->value[i])
            return false;
    return true;
}

/* FLOP of instructions that could not be decoded: from none to a vector's worth. */
static void open_for_undecoded(struct quantity undecoded, struct quantity *flops)
{
    const double flops_max = 16;

    if (flops->known && undecoded.known)
        flops->high += flops_max * undecoded.high;
}

/* The longest of the calls ran through all that there is, or nearly. */
static struct quantity code_of(const struct scale_points *points)
{
    double max = 0;

    for (size_t i = 0; i < points->nr; i++)
        max = fmax(max, points->point[i].steps.code_bytes);
    return quantity_exact(max, PROVENANCE_STEPPED);
}

static struct scaled nothing_scaled(void)
{
    struct quantity unknown = quantity_unknown();

    return (struct scaled){unknown, unknown, unknown, unknown, unknown};
}

/* The counts of struct run_steps that grow with the call, and where they go. */
static const struct {
    size_t from, to;
} counts[] = {
#define COUNT(name)                                                                      \
    {                                                                                    \
        offsetof(struct run_steps, name), offsetof(struct scaled, name)                  \
    }
    COUNT(instructions),
    COUNT(flops),
    COUNT(divisions),
    COUNT(branches_missed),
#undef COUNT
};

static struct quantity *count_in(struct scaled *scaled, size_t i)
{
    return (struct quantity *)(void *)((char *)scaled + counts[i].to);
}

/* From the full call itself, or from smaller ones. */
static struct quantity scale_count(const struct scale_points *points,
                                   const struct scale_basis *full, size_t count)
{
    const struct scale_point *last = &points->point[points->nr - 1];

    return is_full(last, full)
               ? quantity_exact(count_of(&last->steps, count), PROVENANCE_STEPPED)
               : scale_one(points, full, count);
}

struct scaled scale_counts(const struct scale_points *points,
                           const struct scale_basis *full)
{
    struct scaled out = nothing_scaled();
    bool whole = points->nr > 0 && is_full(&points->point[points->nr - 1], full);

    if (!whole && points->nr < 2)
        return out;
    for (size_t i = 0; i < ARRAY_SIZE(counts); i++)
        *count_in(&out, i) = scale_count(points, full, counts[i].from);
    out.code_bytes = code_of(points);
    open_for_undecoded(scale_count(points, full, offsetof(struct run_steps, undecoded)),
                       &out.flops);
    return out;
}

/* ---- the beginning of a call ---- */

static const double halves_apart = 4.0 / 3;

/* From nothing to half, from half to the end, all of it: count x full / FLOP seen. */
static struct quantity scale_part(const struct run_count *count, size_t at, double full)
{
    const struct run_steps *all = &count->all, *half = &count->half;
    double first = count_of(half, at) * full / half->flops;
    double second =
        (count_of(all, at) - count_of(half, at)) * full / (all->flops - half->flops);
    double whole = count_of(all, at) * full / all->flops;

    return quantity_between(whole, fmin(first, second), fmax(first, second), 1,
                            PROVENANCE_STEPPED);
}

struct scaled scale_beginning(const struct run_count *count, double full_flops)
{
    struct scaled out = nothing_scaled();

    if (!(count->half.flops > 0) || !(count->all.flops > count->half.flops))
        return out;
    for (size_t i = 0; i < ARRAY_SIZE(counts); i++)
        *count_in(&out, i) = scale_part(count, counts[i].from, full_flops);
    if (!out.instructions.known ||
        out.instructions.high > halves_apart * out.instructions.low)
        return nothing_scaled();
    out.code_bytes = quantity_exact(count->all.code_bytes, PROVENANCE_STEPPED);
    return out;
}
