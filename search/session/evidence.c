#include "search/session/evidence.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Half a 95 % interval in standard deviations. */
static const double normal_95 = 1.96;
/* One launch tells of itself: where its pages lie changes others by some per cent, beyond
 * the interval of its own samples (remeasure.c). */
static const double launch_scatter = 0.05;
/* No comparison is surer than this: drift that interleaving leaves. */
static const double ratio_scatter = 0.002;

void evidence_release(struct evidence *evidence)
{
    free(evidence->time);
    free(evidence->pair);
    free(evidence->node);
    free(evidence->factor);
    free(evidence->log_s);
    *evidence = (struct evidence){0};
}

/* Of the logarithm. */
static double half_width(struct quantity q)
{
    return q.low > 0 && q.high > q.low ? log(q.high / q.low) / 2 : 0;
}

static double weight_of(double half)
{
    double deviation = half / normal_95;
    return 1 / (deviation * deviation);
}

static void make_room(struct evidence *evidence, size_t i)
{
    GROW(evidence->time, i + 1, evidence->time_alloc);
    while (evidence->time_nr <= i)
        evidence->time[evidence->time_nr++] = (struct evidence_time){0};
}

void evidence_add_time(struct evidence *evidence, size_t i, struct quantity time_s,
                       unsigned launches, bool whole)
{
    make_room(evidence, i);
    evidence->is_solved = false;
    struct evidence_time *time = &evidence->time[i];
    double scatter = launch_scatter / sqrt(launches ? launches : 1);
    double weight = weight_of(hypot(half_width(time_s), scatter));
    if (whole)
        time->weight = time->sum = 0;
    time->weight += weight;
    time->sum += weight * log(time_s.value);
    time->runs++;
}

void evidence_drop(struct evidence *evidence, size_t i)
{
    make_room(evidence, i);
    evidence->time[i] = (struct evidence_time){0};
    evidence->is_solved = false;
}

void evidence_add_ratio(struct evidence *evidence, size_t a, size_t b,
                        struct quantity ratio)
{
    if (!ratio.known || !(ratio.value > 0) || a == b)
        return;
    GROW(evidence->pair, evidence->pair_nr + 1, evidence->pair_alloc);
    evidence->pair[evidence->pair_nr++] = (struct evidence_pair){
        a, b, log(ratio.value), weight_of(hypot(half_width(ratio), ratio_scatter))};
    evidence->is_solved = false;
}

bool evidence_has(const struct evidence *evidence, size_t i)
{
    return i < evidence->time_nr && evidence->time[i].weight > 0;
}

/* ---- least squares over those that were compared ---- */

static bool counts(const struct evidence *evidence, const struct evidence_pair *pair)
{
    return evidence_has(evidence, pair->a) && evidence_has(evidence, pair->b);
}

static void number_node(struct evidence *evidence, size_t i)
{
    if (evidence->node[i] == SIZE_MAX)
        evidence->node[i] = evidence->node_nr++;
}

static void number_nodes(struct evidence *evidence)
{
    evidence->node_nr = 0;
    evidence->node_of_nr = evidence->time_nr;
    evidence->node =
        xrealloc(evidence->node, evidence->time_nr + 1, sizeof(*evidence->node));
    for (size_t i = 0; i < evidence->time_nr; i++)
        evidence->node[i] = SIZE_MAX;
    for (size_t k = 0; k < evidence->pair_nr; k++)
        if (counts(evidence, &evidence->pair[k])) {
            number_node(evidence, evidence->pair[k].a);
            number_node(evidence, evidence->pair[k].b);
        }
}

/* Mean and spread of all, less what is noise. */
static void find_usual(struct evidence *evidence)
{
    enum { FEW = 8 };
    const double min_spread = 0.02;
    double nr = 0, sum = 0, squares = 0, noise = 0;
    for (size_t i = 0; i < evidence->time_nr; i++) {
        const struct evidence_time *time = &evidence->time[i];
        if (!(time->weight > 0))
            continue;
        double x = time->sum / time->weight;
        nr++;
        sum += x;
        squares += x * x;
        noise += 1 / time->weight;
    }
    evidence->usual_weight = 0;
    if (nr < FEW)
        return;
    evidence->usual = sum / nr;
    double spread = (squares - sum * sum / nr) / (nr - 1) - noise / nr;
    evidence->usual_weight = 1 / fmax(spread, min_spread * min_spread);
}

/* Own times, and that it is as all others are. */
static double weight_alone(const struct evidence *evidence, size_t i)
{
    return evidence->time[i].weight + evidence->usual_weight;
}

static double sum_alone(const struct evidence *evidence, size_t i)
{
    return evidence->time[i].sum + evidence->usual_weight * evidence->usual;
}

static void fill_equations(struct evidence *evidence)
{
    size_t nr = evidence->node_nr;
    double *m = evidence->factor, *right = evidence->log_s;
    memset(m, 0, nr * nr * sizeof(*m));
    for (size_t i = 0; i < evidence->time_nr; i++) {
        size_t at = evidence->node[i];
        if (at == SIZE_MAX)
            continue;
        m[at * nr + at] += weight_alone(evidence, i);
        right[at] = sum_alone(evidence, i);
    }
    for (size_t k = 0; k < evidence->pair_nr; k++) {
        const struct evidence_pair *pair = &evidence->pair[k];
        if (!counts(evidence, pair))
            continue;
        size_t a = evidence->node[pair->a], b = evidence->node[pair->b];
        m[a * nr + a] += pair->weight;
        m[b * nr + b] += pair->weight;
        m[a * nr + b] -= pair->weight;
        m[b * nr + a] -= pair->weight;
        right[a] += pair->weight * pair->log_ratio;
        right[b] -= pair->weight * pair->log_ratio;
    }
}

/* The lower triangle becomes the factor; the matrix is positive definite, as each of them
 * has a time of its own. */
static void factorize(double *m, size_t nr)
{
    for (size_t j = 0; j < nr; j++) {
        for (size_t k = 0; k < j; k++)
            for (size_t i = j; i < nr; i++)
                m[i * nr + j] -= m[i * nr + k] * m[j * nr + k];
        double root = sqrt(m[j * nr + j]);
        for (size_t i = j; i < nr; i++)
            m[i * nr + j] /= root;
    }
}

static void forward(const double *m, size_t nr, double *x)
{
    for (size_t i = 0; i < nr; i++) {
        for (size_t k = 0; k < i; k++)
            x[i] -= m[i * nr + k] * x[k];
        x[i] /= m[i * nr + i];
    }
}

static void backward(const double *m, size_t nr, double *x)
{
    for (size_t i = nr; i-- > 0;) {
        for (size_t k = i + 1; k < nr; k++)
            x[i] -= m[k * nr + i] * x[k];
        x[i] /= m[i * nr + i];
    }
}

static void solve(struct evidence *evidence)
{
    if (evidence->is_solved)
        return;
    find_usual(evidence);
    number_nodes(evidence);
    size_t nr = evidence->node_nr;
    evidence->factor = xrealloc(evidence->factor, nr * nr + 1, sizeof(double));
    evidence->log_s = xrealloc(evidence->log_s, nr + 1, sizeof(double));
    fill_equations(evidence);
    factorize(evidence->factor, nr);
    forward(evidence->factor, nr, evidence->log_s);
    backward(evidence->factor, nr, evidence->log_s);
    evidence->is_solved = true;
}

static bool is_node(const struct evidence *evidence, size_t i)
{
    return i < evidence->node_of_nr && evidence->node[i] != SIZE_MAX;
}

static double log_s(const struct evidence *evidence, size_t i)
{
    return is_node(evidence, i) ? evidence->log_s[evidence->node[i]]
                                : sum_alone(evidence, i) / weight_alone(evidence, i);
}

double evidence_s(struct evidence *evidence, size_t i)
{
    solve(evidence);
    return exp(log_s(evidence, i));
}

/* Of the difference of the logarithms of a and b. */
static double variance(const struct evidence *evidence, size_t a, size_t b)
{
    size_t nr = evidence->node_nr;
    double *x = xcalloc(nr + 1, sizeof(*x)), sum = 0;
    const size_t of[] = {a, b};
    for (size_t k = 0; k < 2; k++)
        if (is_node(evidence, of[k]))
            x[evidence->node[of[k]]] += k ? -1 : 1;
        else
            sum += 1 / weight_alone(evidence, of[k]);
    forward(evidence->factor, nr, x);
    for (size_t i = 0; i < nr; i++)
        sum += x[i] * x[i];
    free(x);
    return sum;
}

static struct quantity ratio_of(double log_ratio, double half, size_t runs)
{
    return quantity_between(exp(log_ratio), exp(log_ratio - half), exp(log_ratio + half),
                            runs, PROVENANCE_CLOCK);
}

struct quantity evidence_ratio(struct evidence *evidence, size_t a, size_t b)
{
    if (!evidence_has(evidence, a) || !evidence_has(evidence, b))
        return quantity_unknown();
    if (a == b)
        return quantity_exact(1, PROVENANCE_CLOCK);
    solve(evidence);
    return ratio_of(log_s(evidence, a) - log_s(evidence, b),
                    normal_95 * sqrt(variance(evidence, a, b)), 2);
}

double evidence_next_variance(const struct evidence *evidence, size_t a, size_t b)
{
    const struct evidence_time *left = &evidence->time[a], *right = &evidence->time[b];
    return ((double)left->runs / left->weight + (double)right->runs / right->weight) / 4;
}

/* For one look, two and so on; beyond, the last. */
static double widened(size_t looks)
{
    static const double pocock[] = {1.960, 2.178, 2.289, 2.361, 2.413,
                                    2.453, 2.485, 2.512, 2.535, 2.555};
    size_t last = ARRAY_SIZE(pocock);
    return pocock[looks < last ? looks : last - 1] / normal_95;
}

/* Those that lie further apart than their intervals say are as unsure as they lie apart
 * (R. T. Birge, Physical Review 40, 1932). */
static double birge(const struct quantity *ratio, size_t nr, double center)
{
    double squares = 0;
    for (size_t i = 0; i < nr; i++) {
        double away = log(ratio[i].value) - center;
        squares += away * away * weight_of(hypot(half_width(ratio[i]), ratio_scatter));
    }
    return fmax(1, sqrt(squares / (double)(nr - 1)));
}

struct quantity evidence_join(const struct quantity *ratio, size_t nr)
{
    double weight = 0, sum = 0;
    if (nr < 2)
        return nr ? ratio[0] : quantity_unknown();
    for (size_t i = 0; i < nr; i++) {
        double one = weight_of(hypot(half_width(ratio[i]), ratio_scatter));
        weight += one;
        sum += one * log(ratio[i].value);
    }
    double half =
        normal_95 / sqrt(weight) * widened(nr - 1) * birge(ratio, nr, sum / weight);
    struct quantity joined = ratio_of(sum / weight, half, nr);
    for (size_t i = 0; i < nr; i++) {
        joined.disturbed = fmax(joined.disturbed, ratio[i].disturbed);
        joined.doubted = joined.doubted || ratio[i].doubted;
    }
    return joined;
}
