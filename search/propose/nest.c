#include "search/propose/nest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/machine/machine.h"

/* Of a loop of which nothing is known: long enough that deeper nests count as hotter and
 * that their order matters (the caches of the smallest core hold 100 x 100 doubles in L2,
 * not in L1). */
static const double unknown_trips = 100;

/* A bound that is a number or a bound parameter; NaN = another. */
static double bound_value(const struct kernel_view *view, const char *text)
{
    char *end;
    if (!text || !*text)
        return NAN;
    double value = strtod(text, &end);
    if (!*end)
        return value;
    for (size_t i = 0; i < view->param_nr; i++)
        if (view->param[i].is_set && !strcmp(view->param[i].name, text))
            return view->param[i].value;
    return NAN;
}

/* Where the model did not count: the bounds themselves, with one of them alone half of
 * it, as in a triangle. */
static double trips_of(const struct kernel_view *view, const struct kernel_loop *loop)
{
    if (loop->trips >= 0)
        return fmax(loop->trips, 1);
    double lower = bound_value(view, loop->lower_text),
           upper = bound_value(view, loop->upper_text);
    double trips = !isnan(lower) && !isnan(upper) ? upper - lower : upper / 2;
    return trips >= 1 ? trips : unknown_trips;
}

double nest_max_trips(const struct kernel_view *view, const char *loop)
{
    double max = 0;
    for (size_t i = 0; i < view->loop_nr; i++) {
        if (strcmp(view->loop[i].name, loop))
            continue;
        double lower = bound_value(view, view->loop[i].lower_text),
               upper = bound_value(view, view->loop[i].upper_text);
        max = isnan(lower) || isnan(upper) ? INFINITY : fmax(max, upper - lower);
    }
    return max;
}

/* What an iteration does counts by the lines it takes: eight elements of eight bytes
 * along a line cost as much as one from line to line. */
static double chain_work(const struct kernel_view *view, int loop)
{
    double work = 1;
    for (size_t i = 0; i < view->access_nr; i++) {
        double stride = fabs(view->access[i].stride_at[view->loop[loop].depth]);
        if (view->access[i].loop == loop)
            work += isnan(stride) || stride >= 64 ? 8 : stride / 8;
    }
    return work;
}

/* A loop below it that nothing is known of is a part of its body. */
static bool is_last(const struct kernel_view *view, int loop)
{
    bool last = true;
    for (size_t i = 0; i < view->loop_nr; i++)
        last = last && !(view->loop[i].modelled && view->loop[i].parent == loop);
    return last;
}

/* Of its nest alone: what is around that and cannot be read goes round for all alike. */
static double chain_trips(const struct kernel_view *view, int loop)
{
    double trips = 1;
    for (bool is_nest = true; is_nest && loop >= 0; loop = view->loop[loop].parent) {
        if (!view->loop[loop].modelled)
            return -1;
        trips *= trips_of(view, &view->loop[loop]);
        is_nest = view->loop[loop].depth > 0;
    }
    return trips;
}

/* The chain with the most work: that of nest `which`, -1 = of all. Returns the work,
 * below 0 where there is none. */
static double find_chain(const struct kernel_view *view, int which, struct nest *nest)
{
    double max = -1;
    int hot = -1;
    *nest = (struct nest){.view = view};
    for (size_t i = 0; i < view->loop_nr; i++) {
        bool asked = which < 0 || view->loop[i].nest == which;
        double trips = asked && is_last(view, (int)i) ? chain_trips(view, (int)i) : -1;
        if (trips > 0)
            trips *= chain_work(view, (int)i);
        if (trips > max) {
            max = trips;
            hot = (int)i;
        }
    }
    if (hot < 0 || view->loop[hot].depth >= KERNEL_DEPTH_MAX)
        return -1;
    nest->nr = (size_t)view->loop[hot].depth + 1;
    for (int i = hot, d = (int)nest->nr - 1; i >= 0 && d >= 0;
         i = view->loop[i].parent, d--) {
        nest->loop[d] = &view->loop[i];
        nest->trips[d] = trips_of(view, &view->loop[i]);
    }
    return max;
}

void nest_find(const struct kernel_view *view, struct nest *nest)
{
    find_chain(view, -1, nest);
}

/* What has less of the work cannot pay for its own tries. */
static const double hot_share = 0.1;

size_t nests_hot(const struct kernel_view *view, struct nest nest[NESTS_HOT_MAX])
{
    struct nest each;
    double all = 0;
    int last = -1;
    size_t nr = 0;
    for (size_t i = 0; i < view->loop_nr; i++)
        last = view->loop[i].nest > last ? view->loop[i].nest : last;
    for (int n = 0; n <= last; n++)
        all += fmax(find_chain(view, n, &each), 0);
    for (int n = 0; n <= last && nr < NESTS_HOT_MAX; n++)
        if (find_chain(view, n, &each) >= hot_share * all && each.nr)
            nest[nr++] = each;
    return nr;
}

const struct kernel_loop *loop_unread_at(const struct kernel_view *view, int line)
{
    const struct kernel_loop *at = NULL;
    bool any_read = false;
    for (size_t i = 0; i < view->loop_nr; i++) {
        any_read |= view->loop[i].modelled;
        if ((line <= 0 || view->loop[i].line <= line) &&
            (!at || view->loop[i].line >= at->line))
            at = &view->loop[i];
    }
    bool is_read = line > 0 ? at && at->modelled : any_read;
    return is_read ? NULL : at;
}

bool loop_is_row(const struct kernel_loop *loop)
{
    return loop->depth < loop->level && loop->depth == 0;
}

int nest_depth(const struct nest *nest, const char *loop)
{
    for (size_t d = 0; d < nest->nr; d++)
        if (!strcmp(nest->loop[d]->name, loop))
            return (int)d;
    return -1;
}

bool nest_holds(const struct nest *nest, const struct kernel_access *access)
{
    const struct kernel_loop *loop =
        access->loop < 0 ? NULL : &nest->view->loop[access->loop];
    return loop && (size_t)loop->depth < nest->nr && nest->loop[loop->depth] == loop;
}

bool nest_holds_innermost(const struct nest *nest, const struct kernel_access *access)
{
    return nest_holds(nest, access) &&
           (size_t)nest->view->loop[access->loop].depth + 1 == nest->nr;
}

static size_t order_of(const struct nest *nest, const struct choice *choice, int *depth)
{
    const char *name[CHOICE_LOOPS_MAX];
    bool ordered = choice_order(choice, name) == nest->nr;
    for (size_t d = 0; d < nest->nr; d++)
        depth[d] = ordered ? nest_depth(nest, name[d]) : (int)d;
    return nest->nr;
}

/* Tile loops stand outside of the outermost named loop, in the order named. */
static size_t add_tile_steps(const struct nest *nest, const struct loop_size *tile,
                             size_t tile_nr, struct nest_step *step, size_t nr)
{
    for (size_t i = 0; i < tile_nr; i++) {
        int depth = nest_depth(nest, tile[i].loop);
        double size = (double)tile[i].size;
        if (depth >= 0)
            step[nr++] = (struct nest_step){depth, ceil(nest->trips[depth] / size), size};
    }
    return nr;
}

static double size_of(const struct loop_size *size, size_t nr, const char *loop,
                      double none)
{
    for (size_t i = 0; i < nr; i++)
        if (!strcmp(size[i].loop, loop))
            return (double)size[i].size;
    return none;
}

/* The copies of a jammed loop stand inside of all others. */
static size_t add_jam_steps(const struct nest *nest, const struct loop_size *jam,
                            size_t jam_nr, struct nest_step *step, size_t nr)
{
    for (size_t i = 0; i < jam_nr; i++) {
        int depth = nest_depth(nest, jam[i].loop);
        if (depth >= 0)
            step[nr++] = (struct nest_step){depth, (double)jam[i].size, 1};
    }
    return nr;
}

size_t nest_steps(const struct nest *nest, const struct choice *choice,
                  struct nest_step *step)
{
    int depth[KERNEL_DEPTH_MAX];
    struct loop_size tile[CHOICE_LOOPS_MAX], jam[CHOICE_LOOPS_MAX];
    size_t nr = 0, loops = order_of(nest, choice, depth),
           tile_nr = choice_sizes(choice, STEP_TILE, tile),
           jam_nr = choice_sizes(choice, STEP_UNROLL_JAM, jam);
    bool tiled = false;
    for (size_t i = 0; i < loops; i++) {
        if (depth[i] < 0)
            continue;
        double size = size_of(tile, tile_nr, nest->loop[depth[i]]->name, 0);
        double trips = nest->trips[depth[i]];
        if (size > 0 && !tiled) {
            nr = add_tile_steps(nest, tile, tile_nr, step, nr);
            tiled = true;
        }
        double copies = size_of(jam, jam_nr, nest->loop[depth[i]]->name, 1);
        double extent = size > 0 ? fmin(size, trips) : trips;
        step[nr++] = (struct nest_step){depth[i], ceil(extent / copies), copies};
    }
    return add_jam_steps(nest, jam, jam_nr, step, nr);
}

/* How far an access reaches over the steps from `first` on, as runs of contiguous bytes.
 */
struct reach {
    double runs, run_bytes;
    bool conflict; /* a large power-of-two stride piles lines onto few sets */
};

/* An affine access has no stride in loops inside of its own: it does not move there. */
static double stride_of(const struct kernel_access *access, const struct nest_step *step)
{
    double stride = access->stride_at[step->depth];
    return isnan(stride) ? 0 : fabs(stride) * step->scale;
}

static void widen(struct reach *reach, double stride, double extent, int line)
{
    if (stride <= reach->run_bytes || stride <= line)
        reach->run_bytes += (extent - 1) * stride;
    else
        reach->runs *= extent;
}

/* Lines `stride` apart fall on way / gcd(stride, way) different sets. */
static bool piles_up(double stride, double extent, const struct machine_level *level)
{
    if (level->ways <= 0 || level->claimed_bytes <= 0 || stride < 1 || stride > 1e15)
        return false;
    unsigned long long way = (unsigned long long)(level->claimed_bytes / level->ways);
    unsigned long long a = (unsigned long long)stride, b = way;
    while (b) {
        unsigned long long rest = a % b;
        a = b;
        b = rest;
    }
    return a >= 64 && extent > (double)(way / a) * level->ways;
}

static struct reach reach_of(const struct kernel_access *access, size_t element_bytes,
                             const struct nest_step *step, size_t first, size_t nr,
                             int line, const struct machine_level *level)
{
    struct reach reach = {1, (double)element_bytes, false};
    bool used[NEST_STEPS_MAX] = {false};
    for (size_t round = first; round < nr; round++) {
        size_t next = nr;
        for (size_t i = first; i < nr; i++)
            if (!used[i] && (next == nr || stride_of(access, &step[i]) <
                                               stride_of(access, &step[next])))
                next = i;
        used[next] = true;
        double stride = stride_of(access, &step[next]);
        if (!(stride > 0) || step[next].extent <= 1)
            continue;
        widen(&reach, stride, step[next].extent, line);
        reach.conflict |= stride > line && piles_up(stride, step[next].extent, level);
    }
    return reach;
}

static double product(const struct nest_step *step, size_t first, size_t nr)
{
    double all = 1;
    for (size_t i = first; i < nr; i++)
        all *= step[i].extent;
    return all;
}

static bool is_affine(const struct nest *nest, const struct kernel_access *access)
{
    for (int d = 0; d <= nest->view->loop[access->loop].depth; d++)
        if (isnan(access->stride_at[d]))
            return false;
    return true;
}

/* All that may be fetched of an array: of a field, the lines of its records. */
static double array_lines(const struct kernel_array *array, int line)
{
    double bytes = array->bytes;
    if (array->record_bytes > array->element_bytes && array->element_bytes)
        bytes *= (double)array->record_bytes / (double)array->element_bytes;
    return bytes > 0 ? ceil(bytes / line) : 1e18;
}

static double lines_of(const struct nest *nest, const struct kernel_access *access,
                       const struct nest_step *step, size_t first, size_t nr, int line,
                       const struct machine_level *level, bool *conflict)
{
    const struct kernel_array *array = &nest->view->array[access->array];
    double max = array_lines(array, line);
    if (!is_affine(nest, access))
        return fmin(max, product(step, first, nr));
    struct reach reach =
        reach_of(access, array->element_bytes, step, first, nr, line, level);
    *conflict |= reach.conflict;
    return fmin(max, reach.runs * fmax(1, reach.run_bytes / line));
}

double nest_access_lines(const struct nest *nest, const struct kernel_access *access,
                         int line_bytes)
{
    static const struct machine_level no_level;
    struct nest_step step[NEST_STEPS_MAX];
    bool conflict = false;
    if (!is_affine(nest, access))
        return 0;
    for (size_t d = 0; d < nest->nr; d++)
        step[d] = (struct nest_step){(int)d, fmax(nest->loop[d]->trips, 1), 1};
    return lines_of(nest, access, step, 0, nest->nr, line_bytes, &no_level, &conflict);
}

/* Most of a column that would fit does not: fewer than a quarter of its lines. */
static const double few_sets = 0.25;

/* What a core gets of it; no sets where the claim that they follow from is refuted. */
static struct machine_level level_seen(const struct machine *machine, int i)
{
    struct machine_level level = machine->level[i];
    level.effective_bytes = machine_share_guess_bytes(machine, i);
    if (!machine_level_is_as_claimed(machine, i))
        level.ways = 0;
    return level;
}

static bool column_collides(const struct nest *nest, const struct kernel_access *access,
                            const struct machine *machine)
{
    for (int k = 0; k < machine->level_nr && k < 2; k++)
        for (size_t d = 0; d < nest->nr; d++) {
            struct machine_level level = level_seen(machine, k);
            double stride = fabs(access->stride_at[d]);
            double held = level.effective_bytes / machine->line_bytes;
            if (stride > machine->line_bytes &&
                piles_up(stride, fmin(nest->trips[d], held) * few_sets, &level))
                return true;
        }
    return false;
}

bool nest_rows_collide(const struct nest *nest, const struct machine *machine)
{
    for (size_t i = 0; i < nest->view->access_nr; i++)
        if (nest_holds(nest, &nest->view->access[i]) &&
            is_affine(nest, &nest->view->access[i]) &&
            column_collides(nest, &nest->view->access[i], machine))
            return true;
    return false;
}

/* Two accesses that move alike (neighbours of a stencil) share their lines. */
static bool seen_before(const struct nest *nest, size_t access)
{
    const struct kernel_access *a = &nest->view->access[access];
    for (size_t i = 0; i < access; i++) {
        const struct kernel_access *b = &nest->view->access[i];
        if (b->array == a->array && nest_holds(nest, b) && is_affine(nest, a) &&
            is_affine(nest, b) &&
            !memcmp(a->stride_at, b->stride_at, nest->nr * sizeof(a->stride_at[0])))
            return true;
    }
    return false;
}

static double footprint(const struct nest *nest, const struct nest_step *step,
                        size_t first, size_t nr, int line,
                        const struct machine_level *level, bool *conflict)
{
    double lines = 0;
    for (size_t i = 0; i < nest->view->access_nr; i++)
        if (nest_holds(nest, &nest->view->access[i]) && !seen_before(nest, i))
            lines += lines_of(nest, &nest->view->access[i], step, first, nr, line, level,
                              conflict);
    return lines;
}

/* Lines all accesses load into a level whose hits reach from step `first` inwards. */
static double loads(const struct nest *nest, const struct nest_step *step, size_t first,
                    size_t nr, int line, const struct machine_level *level)
{
    double all = 0;
    for (size_t i = 0; i < nest->view->access_nr; i++) {
        const struct kernel_access *access = &nest->view->access[i];
        bool conflict = false;
        if (!nest_holds(nest, access) || seen_before(nest, i))
            continue;
        double lines = lines_of(nest, access, step, first, nr, line, level, &conflict);
        double again = product(step, 0, first);
        if (first > 0 && is_affine(nest, access) &&
            stride_of(access, &step[first - 1]) == 0)
            again /= step[first - 1].extent;
        all += lines * again;
    }
    return all;
}

static double level_loads(const struct nest *nest, const struct nest_step *step,
                          size_t nr, int line, const struct machine_level *level)
{
    size_t first = nr;
    while (first > 0) {
        bool conflict = false;
        double lines = footprint(nest, step, first - 1, nr, line, level, &conflict);
        if (conflict || lines * line > level->effective_bytes / 2)
            break;
        first--;
    }
    return loads(nest, step, first, nr, line, level);
}

static double value_or(struct quantity quantity, double otherwise)
{
    return quantity.known ? quantity.value : otherwise;
}

double nest_cost_ns(const struct nest *nest, const struct machine *machine,
                    const struct choice *choice)
{
    struct nest_step step[NEST_STEPS_MAX];
    size_t nr = nest_steps(nest, choice, step);
    double cost = 0;
    for (int i = 0; i < machine->level_nr; i++) {
        double next = i + 1 < machine->level_nr
                          ? value_or(machine->level[i + 1].latency_ns, 4.0 * (i + 1))
                          : value_or(machine->memory_latency_ns, 100);
        cost +=
            next * level_loads(nest, step, nr, machine->line_bytes, &machine->level[i]);
    }
    return cost;
}
