/*
 * Instructions, FLOP and mispredictions of a variant without counters: its timing program
 * is stepped through at small sizes, and what was seen is scaled
 * (search/live/scale_counts.h).
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "search/live/live_parts.h"
#include "search/live/scale_counts.h"

/* Some 5e4 steps a second on a slow guest. */
static const double steps_budget = 50000;
/* Fewer instructions are mostly the call itself. */
enum { instructions_min = 400, first_size = 16 };
/* Buffers are filled for each size. */
static const double footprint_max = 64 << 20;

struct looking {
    struct live *live;
    const char *program;
    const struct traffic_trace_request
        *request; /* to trace where the source cannot count */
    bool modelled;
    struct scale_points points;
    struct scale_basis full;
    struct buf sizes; /* "64, 128, 256" */
    double steps_left, until_s;
    /* of the size that was looked at last */
    long long size;
    double flops;
    struct run_count count;
};

/* ---- what a size is made of ---- */

static double rounds(const struct kernel_view *view, size_t loop)
{
    double all = 1;

    for (int i = (int)loop; i >= 0; i = view->loop[i].parent)
        all *= view->loop[i].trips;
    return all;
}

/* How often each loop goes round, and the call itself. */
static struct scale_basis source_basis(const struct kernel *kernel)
{
    struct kernel_view view = kernel_view(kernel);
    struct scale_basis basis = {.nr = 0};

    for (size_t i = 0; i < view.loop_nr && basis.nr < SCALE_BASES - 1; i++)
        basis.value[basis.nr++] = rounds(&view, i);
    basis.value[basis.nr++] = 1;
    return basis;
}

static struct scale_basis traced_basis(double accesses)
{
    return (struct scale_basis){.value = {accesses, 1}, .nr = 2};
}

static int trace_small(struct looking *look, const struct strvec *args,
                       struct scale_basis *basis, struct error *err)
{
    struct traffic_trace_request request = *look->request;
    struct traffic traffic = {0};

    request.args = args;
    request.accesses_total = request.accesses_likely = 0;
    request.other_nr = 0;
    if (traffic_trace(&request, &traffic, err))
        return -1;
    *basis = traced_basis(traffic.accesses.known ? traffic.accesses.value : 0);
    traffic_release(&traffic);
    return 0;
}

/* ---- one size ---- */

static int count_here(struct looking *look, const struct strvec *args, struct error *err)
{
    double left_s = look->until_s - clock_s();
    struct run_program program = {look->program, args, false, NULL};
    struct run_opts opts = {.cpu = look->live->cpus.cpu, .launch_limit_s = left_s};

    if (left_s <= 0)
        return fail(err, STATUS_FAILED, "there was no time left");
    if (run_count(&program, &opts, look->steps_left, &look->count, err))
        return -1;
    look->steps_left -= look->count.all.instructions;
    return 0;
}

static int keep_point(struct looking *look, struct kernel *kernel,
                      const struct strvec *args, struct error *err)
{
    struct scale_points *points = &look->points;
    struct scale_point point = {.steps = look->count.all};

    if (look->modelled)
        point.basis = source_basis(kernel);
    else if (trace_small(look, args, &point.basis, err))
        return -1;
    if (points->nr == SCALE_POINTS)
        memmove(points->point, points->point + 1,
                --points->nr * sizeof(points->point[0]));
    points->point[points->nr++] = point;
    buf_addf(&look->sizes, "%s%lld", look->sizes.length ? ", " : "",
             kernel_largest(kernel));
    return 0;
}

static int look_at(struct kernel *kernel, void *data, struct error *err)
{
    struct looking *look = data;
    struct kernel_counts counts = kernel_counts(kernel);
    struct strvec args = {0};
    int status;

    look->count = (struct run_count){0};
    look->flops = counts.flops.known ? counts.flops.value : 0;
    if (counts.footprint_bytes > footprint_max)
        return fail(err, STATUS_INPUT, "its buffers are too large even at that size");
    variant_args(kernel, &args);
    status = count_here(look, &args, err);
    if (!status && look->count.whole && look->count.all.instructions >= instructions_min)
        status = keep_point(look, kernel, &args, err);
    strvec_release(&args);
    return status;
}

/* ---- the sizes ---- */

/* Towards three times as many instructions, or half of the steps that are left; 0 = it is
 * enough. */
static long long next_size(const struct looking *look, long long size)
{
    double now = look->count.all.instructions, wanted;
    int depth = kernel_depth(look->live->opts.kernel);

    if (now < instructions_min)
        return 2 * size;
    wanted = fmin(3 * now, 0.5 * look->steps_left);
    if (wanted < 1.2 * now)
        return 0;
    return (long long)((double)size * pow(wanted / now, 1.0 / (depth ? depth : 1))) + 1;
}

/* A size that contradicts the contents, or is too small for them, is no failure. */
static void grow_sizes(struct looking *look, struct error *err)
{
    struct kernel *kernel = look->live->opts.kernel;
    long long full = kernel_largest(kernel), size = first_size;

    while (size && clock_s() < look->until_s && !spawn_interrupted()) {
        struct error local = {0};
        int status = kernel_at_size(kernel, size, look_at, look, &local);

        if (status && local.status != STATUS_INPUT) {
            fail(err, local.status, "%s", local.text);
            return;
        }
        if (!status && !look->count.whole)
            return;
        look->size = size;
        if (size >= full)
            return;
        size = status ? 2 * size : next_size(look, size);
        size = size < full ? size : full;
    }
}

/* Elements of a vector register, by the smallest of the kernel's. */
static double lanes(const struct looking *look)
{
    struct kernel_view view = kernel_view(look->live->opts.kernel);
    double min = 8;

    for (size_t i = 0; i < view.array_nr; i++)
        min = fmin(min, (double)view.array[i].element_bytes);
    return look->live->opts.machine->simd_bytes / min;
}

/* Compilers unroll a loop of vectors up to four times. */
static long long vector_extent(const struct looking *look)
{
    return (long long)(4 * fmax(lanes(look), 1));
}

/* In a deep nest a size that is followed to its end within the budget has loops too short
 * for vectors. Where the source knows the FLOP, the beginning of a larger call does. */
static struct scaled from_beginning(struct looking *look, double full_flops)
{
    struct kernel *kernel = look->live->opts.kernel;
    double budget = look->steps_left;
    long long size;
    struct scaled none = scale_counts(&look->points, &look->full), out;

    if (!look->modelled || kernel_depth(kernel) < 2 || full_flops <= 0)
        return none;
    look->steps_left = budget / 2;
    for (size = kernel_largest(kernel); size > vector_extent(look); size /= 2)
        if (kernel_at_size(kernel, size, look_at, look, NULL) == 0)
            break;
    out = look->count.whole || look->flops <= 0
              ? none
              : scale_beginning(&look->count, full_flops);
    look->steps_left = budget - look->count.all.instructions;
    if (out.instructions.known)
        buf_addf(&look->sizes, "the beginning of one of size %lld", size);
    return out;
}

/* Loops too short for the vectors that the full ones are made of: it may be fewer. */
static void open_for_vectors(const struct looking *look, struct scaled *scaled)
{
    const struct kernel *kernel = look->live->opts.kernel;

    if (look->size >= vector_extent(look) || kernel_depth(kernel) < 2 ||
        look->size >= kernel_largest(kernel) || !scaled->instructions.known)
        return;
    scaled->instructions.low /= fmax(lanes(look), 1);
}

/* ---- the outward call ---- */

static void put(struct quantity *into, struct quantity counted)
{
    if (!into->known && counted.known)
        *into = counted;
}

void live_add_note(struct traffic *traffic, const char *text)
{
    char *note = traffic->note ? xasprintf("%s; %s", traffic->note, text) : xstrdup(text);

    free(traffic->note);
    traffic->note = note;
}

/* A vector and its unrolling take so many iterations at most for an instruction. */
static const double iterations_max = 64;

/* Compilers replace a loop whose result has a formula, or that has none. */
static bool is_closed_form(const struct looking *look, struct quantity instructions)
{
    struct kernel_counts counts = kernel_counts(look->live->opts.kernel);

    return instructions.known && counts.iterations.known &&
           counts.iterations.value > iterations_max * instructions.high;
}

static void take(const struct looking *look, const struct scaled *scaled,
                 const struct error *why, struct traffic *traffic)
{
    struct quantity all = scaled->instructions;
    char *text;

    put(&traffic->instructions, all);
    put(&traffic->flops, scaled->flops);
    put(&traffic->divisions, scaled->divisions);
    put(&traffic->branches_missed, scaled->branches_missed);
    put(&traffic->code_bytes, scaled->code_bytes);
    if (all.known && all.low == all.high)
        text = xstrdup("instructions counted by stepping through the call");
    else if (all.known)
        text = xasprintf("instructions stepped through in smaller calls (%s) and scaled, "
                         "%+.0f to %+.0f %%",
                         buf_str(&look->sizes), 100 * (all.low / all.value - 1),
                         100 * (all.high / all.value - 1));
    else
        text = xasprintf("instructions not counted: %s",
                         *why->text ? why->text
                                    : "the calls are too long to be stepped "
                                      "through");
    live_add_note(traffic, text);
    free(text);
    if (is_closed_form(look, all))
        live_add_note(traffic,
                      "the compiler has replaced the loop by a formula, or removed it: a "
                      "call runs far fewer instructions than the loop has "
                      "iterations");
}

/* The whole call was stepped through, and is too short to be scaled from. */
static struct scaled short_call(const struct looking *look)
{
    struct scaled none = scale_counts(&look->points, &look->full);
    const struct run_steps *all = &look->count.all;

    if (look->points.nr || !look->count.whole ||
        look->size < kernel_largest(look->live->opts.kernel))
        return none;
    return (struct scaled){
        .instructions = quantity_exact(all->instructions, PROVENANCE_STEPPED),
        .flops = all->undecoded > 0 ? quantity_unknown()
                                    : quantity_exact(all->flops, PROVENANCE_STEPPED),
        .divisions = quantity_exact(all->divisions, PROVENANCE_STEPPED),
        .branches_missed = quantity_exact(all->branches_missed, PROVENANCE_STEPPED),
        .code_bytes = quantity_exact(all->code_bytes, PROVENANCE_STEPPED)};
}

void live_count(struct live *live, const struct built *built,
                const struct traffic_trace_request *request, double seconds,
                struct traffic *traffic)
{
    struct kernel_counts counts = kernel_counts(live->opts.kernel);
    /* Of a file that somebody wrote, the kernel's loops say nothing. */
    struct looking look = {.live = live,
                           .program = built->program[VARIANT_TIME],
                           .request = request,
                           .modelled = counts.iterations.known && !built->source,
                           .steps_left = steps_budget,
                           .until_s = clock_s() + seconds};
    struct error why = {0};
    struct scaled scaled;

    if (traffic->instructions.known || spawn_interrupted())
        return;
    if (look.modelled)
        look.full = source_basis(live->opts.kernel);
    else if (traffic->accesses.known && !traffic_is_beginning(traffic))
        look.full = traced_basis(traffic->accesses.value);
    scaled = from_beginning(&look, counts.flops.known ? counts.flops.value : 0);
    if (!scaled.instructions.known && look.full.nr > 0) {
        grow_sizes(&look, &why);
        scaled = scale_counts(&look.points, &look.full);
        open_for_vectors(&look, &scaled);
        if (!scaled.instructions.known)
            scaled = short_call(&look);
    }
    take(&look, &scaled, &why, traffic);
    buf_release(&look.sizes);
}

/* ---- how far the loop model is trusted ---- */

static bool is_field(const char *name)
{
    return strstr(name, "->") != NULL;
}

static bool is_read_again(const struct kernel_view *view, size_t i)
{
    const struct kernel_access *access = &view->access[i];
    for (size_t k = 0; k < i; k++)
        if (!access->write && !view->access[k].write &&
            view->access[k].array == access->array && access->text &&
            view->access[k].text && !strcmp(view->access[k].text, access->text))
            return true;
    return false;
}

/* Most of its accesses name the same element again and again. */
static bool may_stay_in_registers(const struct kernel_view *view, int loop)
{
    size_t all = 0, invariant = 0;
    for (size_t i = 0; i < view->access_nr; i++) {
        all += view->access[i].loop == loop;
        invariant += view->access[i].loop == loop &&
                     view->access[i].access_class == ACCESS_INVARIANT;
    }
    return 2 * invariant > all;
}

bool live_is_unsure(const struct kernel_view *view)
{
    if (view->local_arrays)
        return true;
    for (size_t i = 0; i < view->loop_nr; i++)
        if (view->loop[i].innermost && may_stay_in_registers(view, (int)i))
            return true;
    for (size_t i = 0; i < view->param_nr; i++)
        if (is_field(view->param[i].name))
            return true;
    for (size_t i = 0; i < view->array_nr; i++)
        if (is_field(view->array[i].name) || view->array[i].has_rows)
            return true;
    for (size_t i = 0; i < view->access_nr; i++)
        if (is_read_again(view, i))
            return true;
    return false;
}
