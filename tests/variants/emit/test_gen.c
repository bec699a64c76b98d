
#include "tests/variants/loop_models.h"
#include "tests/variants/programs.h"
#include "variants/model/loop_view.h"

SUITE(variants_gen);

#ifndef INFLIGHT_CC
#define INFLIGHT_CC "cc"
#endif

/* ---- random plans ---- */

enum { PLANS_PER_KERNEL = 3, TRIES_PER_KERNEL = 40, NAMES_MAX = 16 };
enum { RANDOM_OPERATIONS = 200000 }; /* so that no plan takes long */

static unsigned random_state;

static unsigned random_below(unsigned limit)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (random_state >> 16) % limit;
}

struct names {
    const char *loop[NAMES_MAX];
    size_t loop_nr, source_nr; /* the loops of the source come first, then tile loops */
    const char *array[NAMES_MAX];
    size_t array_nr;
    struct strvec made;
};

static void names_of(const struct loops *loops, struct names *names)
{
    struct model_view view = model_view(loops->model);
    size_t nest = 0, nests = 0;
    for (size_t i = 0; i < view.loop_nr; i++)
        nests = view.loop[i].nest >= (int)nests ? (size_t)view.loop[i].nest + 1 : nests;
    nest = random_below((unsigned)nests);
    *names = (struct names){0};
    for (size_t i = 0; i < view.loop_nr && names->loop_nr < NAMES_MAX; i++)
        if (view.loop[i].nest == (int)nest && view.loop[i].modelled)
            names->loop[names->loop_nr++] = view.loop[i].name;
    names->source_nr = names->loop_nr;
    for (size_t i = 0; i < view.array_nr && names->array_nr < NAMES_MAX; i++)
        if (view.array[i].read || view.array[i].written)
            names->array[names->array_nr++] = view.array[i].name;
}

static void shuffle(size_t *order, size_t nr)
{
    for (size_t i = 0; i < nr; i++)
        order[i] = i;
    for (size_t i = nr; i > 1; i--) {
        size_t k = random_below((unsigned)i), kept = order[i - 1];
        order[i - 1] = order[k];
        order[k] = kept;
    }
}

/* What the random steps look like: how many loops they name, which numbers stand behind
 * them. Tile loops can be named where no number is needed. */
static const struct step_shape {
    const char *word;
    size_t min, max;
    unsigned low, high; /* 0 = no numbers */
    const char *made;   /* what the new loops' names end in */
    bool bare_first;    /* the first loop has no number */
    const char *option; /* now and then behind the names */
} step_shapes[] = {
    {"tile", 1, 4, 2, 17, "t", false, NULL},
    {"tile", 1, 4, 2, 17, "t", false, NULL},
    {"interchange", 2, 4, 0, 0, NULL, false, NULL},
    {"interchange", 2, 4, 0, 0, NULL, false, NULL},
    {"unroll_jam", 1, 2, 2, 5, NULL, false, NULL},
    {"unroll", 1, 2, 2, 5, NULL, false, NULL},
    {"skew", 2, 2, 1, 3, NULL, true, NULL},
    {"skew_tile", 1, 3, 2, 9, "t", false, NULL},
    {"fuse", 1, 2, 0, 0, NULL, false, ",shift:1"},
    {"fuse", 1, 1, 0, 0, NULL, false, ",shift:2"},
    {"distribute", 1, 1, 0, 0, NULL, false, NULL},
};

static void add_shaped_step(struct names *names, const struct step_shape *shape,
                            struct buf *plan)
{
    size_t order[NAMES_MAX], of = shape->low ? names->source_nr : names->loop_nr;
    size_t max = shape->max < of ? shape->max : of;
    size_t nr = shape->min + random_below((unsigned)(max + 1));
    nr = nr > max ? shape->min : nr;
    shuffle(order, of);
    buf_addf(plan, "%s(", shape->word);
    for (size_t i = 0; i < nr && i < of; i++) {
        buf_addf(plan, "%s%s", i ? "," : "", names->loop[order[i]]);
        if (shape->low && (i || !shape->bare_first))
            buf_addf(plan, ":%u", shape->low + random_below(shape->high - shape->low));
        if (shape->made && names->loop_nr < NAMES_MAX) {
            strvec_pushf(&names->made, "%s%s", names->loop[order[i]], shape->made);
            names->loop[names->loop_nr++] = names->made.v[names->made.nr - 1];
        }
    }
    buf_addf(plan, "%s)", shape->option && random_below(2) ? shape->option : "");
}

static void add_step(struct names *names, struct buf *plan)
{
    unsigned shapes = ARRAY_SIZE(step_shapes), which = random_below(shapes + 2);
    if (plan->length)
        buf_add(plan, " ");
    if (which < shapes)
        add_shaped_step(names, &step_shapes[which], plan);
    else if (which == shapes)
        buf_add(plan, "simd");
    else
        buf_addf(plan, "prefetch(%s:%u)",
                 names->array[random_below((unsigned)names->array_nr)],
                 1 + random_below(9));
}

static char *random_plan(const struct loops *loops)
{
    struct names names;
    struct buf plan = {0};
    names_of(loops, &names);
    size_t steps = 1 + random_below(4);
    for (size_t i = 0; i < steps; i++)
        add_step(&names, &plan);
    strvec_release(&names.made);
    return buf_detach(&plan);
}

/* ---- all of them in one program ---- */

static const char compiler[] =
    INFLIGHT_CC " -std=c17 -O2 -ffp-contract=off -fopenmp -Wall -Wextra -Werror";

#define RUN LOOPS_DATA "/run/"

static void random_plans_of(const char *name)
{
    const struct model_request quick = {.operation_limit = RANDOM_OPERATIONS};
    struct programs programs;
    struct loops loops;
    size_t legal = 0;
    if (!programs_start(&programs, compiler) || !loops_open(&loops, name, &quick))
        return;
    programs_add(&programs, "untransformed", loops.function->source);
    for (size_t i = 0; i < TRIES_PER_KERNEL && legal < PLANS_PER_KERNEL; i++) {
        struct error err = {0};
        struct buf text = {0};
        char *plan = random_plan(&loops);
        if (loops_emit(&loops, plan, &text, &err) == 0) {
            programs_add(&programs, plan, buf_str(&text));
            legal++;
        } else
            check(err.status == STATUS_ILLEGAL || err.status == STATUS_USAGE);
        buf_release(&text);
        free(plan);
    }
    check(legal > 0);
    programs_run(&programs, RUN "run.h", strcmp(name, "overlap") ? "0" : "1");
    loops_close(&loops);
    programs_release(&programs);
}

TEST("random legal plans compute the same")
{
    static const char *const kernels[] = {
        "gemm",    "jacobi",  "seidel",   "trmm",     "matvec",     "down",     "linear",
        "scatter", "rows",    "oldstyle", "cases",    "wide",       "lu",       "chain",
        "overlap", "fuse",    "heat",     "cholesky", "covariance", "unsigned", "syrk",
        "durbin",  "records", "locals",   "control",  "jumps",      "blocks",   "forms",
        "calls",   "csr",     "sparse",   "called",   "sums"};
    const char *seed = getenv("INFLIGHT_TEST_SEED");
    random_state = seed ? (unsigned)atoi(seed) : 7;
    for (size_t i = 0; i < ARRAY_SIZE(kernels); i++)
        random_plans_of(kernels[i]);
}

/* ---- chosen plans, as text and run ---- */

static const struct golden {
    const char *kernel, *plan, *file; /* of the text; NULL = only what it computes */
} golden[] = {
    {"gemm", "tile(i:64,j:256,k:64) interchange(it,jt,kt,k,i,j) unroll_jam(i:4,k:2) simd",
     "gemm_blocked"},
    {"gemm", "unroll_jam(i:2,j:2)", NULL},
    {"matvec", "unroll_jam(i:4)", NULL},
    {"trmm", "tile(i:8,k:8)", NULL},
    {"linear", "interchange(i,k,j) simd", NULL},
    {"scatter", "prefetch(a:16)", NULL},
    {"scatter", "prefetch(a:16,to:L2)", "scatter_prefetch_l2"},
    {"scatter", "prefetch(y:8,x:8) simd(j)", NULL},
    {"rows", "prefetch(x:8)", NULL},
    {"down", "tile(i:8) unroll_jam(i:2)", NULL},
    {"wide", "tile(i:8,j:8)", NULL},
    {"wide", "reverse(i,j) tile(i:8,j:8) unroll(j:2)", NULL},
    {"wide", "reverse(j) unroll_jam(i:2) unroll(j:4) parallel(i)", NULL},
    {"down", "reverse(i) tile(i:8) unroll(i:2)", NULL},
    {"down", "nest(1) reverse(i) interchange(j,i) simd", NULL},
    {"unsigned", "reverse(i,j) tile(i:4) unroll(j:4)", NULL},
    {"trmm", "tile(i:8) reverse(j) unroll(j:3)", NULL},
    {"fuse", "reverse(i) fuse(i) unroll(i:3)", NULL},
    {"csr", "reverse(i) prefetch(x:5,a:9) tile(i:4)", NULL},
    {"stream", "reverse(i) simd unroll(i:4)", NULL},
    {"oldstyle", "unroll_jam(i:2)", NULL},
    {"called", "interchange(i,j) unroll_jam(i:2)", NULL},
    {"sums", "nest(1) interchange(i,j) unroll_jam(i:2)", NULL},
    {"sums", "nest(2) skew(j,i:1) interchange(j,i)", NULL},
    {"cases", "interchange(j,i)", NULL},
    {"golden/file", "tile(i:16,j:16)", "file_tile"},
    {"fuse", "fuse(i) fuse(i,k)", NULL},
    {"fuse", "fuse(i,k,shift:1)", "fuse_shift"},
    {"overlapped", "fuse(i,k,shift:1) unroll(i:4)", NULL},
    {"overlapped", "fuse(i,k,shift:1) unroll_jam(i:2)", NULL},
    {"jacobi", "skew_tile(t:2,i:8)", NULL},
    {"jacobi", "fuse(i,shift:1) skew(i,t:2) tile(t:2,i:8)", NULL},
    {"heat", "skew_tile(t:2,i:4,j:4)", "heat_time"},
    {"seidel", "skew(i,t:1) skew(j,t:1,i:1) tile(t:2,i:4,j:4)", NULL},
    {"syrk", "distribute(i) tile(i:16,k:16) tile(i:4,k:4)", "syrk_levels"},
    {"syrk", "unroll_jam(i:4)", NULL},
    {"lu", "unroll_jam(i:4)", NULL},
    {"cholesky", "tile(i:4,j:4,k:4)", NULL},
    {"unsigned", "tile(i:4) unroll(j:4)", NULL},
    {"gemm", "tile(i:16,j:16) parallel(it,schedule:dynamic,chunk:4) unroll_jam(j:2)",
     "gemm_parallel"},
    {"wide", "parallel(j)", NULL},
    {"oldstyle", "parallel(i)", NULL},
    {"rows", "parallel(i) prefetch(x:4,to:NT)", "rows_parallel"},
    {"openmp", "tile(j:4)", NULL},
    {"openmp", "tile(i:4,j:4)", NULL},
    {"openmp", "simd(j,interleave:2)", "openmp_hints"},
    {"stream", "nontemporal(y) parallel(i,chunk:32) prefetch(x:16)", "stream_team"},
    {"stream", "nontemporal(a,b) unroll_jam(i:2) simd", NULL},
    {"stream", "nontemporal(a) parallel(i)", NULL},
    {"csr", "prefetch(x:5,a:9)", NULL},
    {"csr", "prefetch(x:5) parallel(i,schedule:guided)", NULL},
    {"csr", "tile(i:4) full(i) parallel(it)", "csr_full"},
    {"csr", "unroll(k:3) prefetch(x:5,a:9) parallel(i)", "csr_rows"},
    {"csr", "tile(k:4) unroll_jam(i:2)", NULL},
    {"csr", "unroll(k:4) when(n:9)", NULL},
    {"csr", "prefetch(x:2,at:i) unroll(k:2)", NULL},
    {"sparse", "unroll(k:2)", NULL},
    {"sparse", "nest(6) reverse(k) nest(2) tile(i:4)", NULL},
    {"sparse", "unroll(l:2)", "sparse_rows"},
    {"sparse", "unroll(l:3) nest(7) tile(k:3)", NULL},
    {"sparse", "unroll(l:2) unroll(k:2) unroll_jam(i:2) prefetch(x:4,a:3)", NULL},
    {"sparse", "accumulators(m:4) unroll(i:3)", NULL},
    {"helper", "interchange(j,i)", NULL},
    {"blocks", "tile(i:4) interchange(j,i)", "blocks_tile"},
    {"local", "pad(t:3) interchange(j,i)", NULL},
    {"extents", "interchange(j,i)", NULL},
    {"calls", "nest(1) unroll_jam(i:2)", "calls_jam"},
    {"calls", "nest(1) reverse(i,j) tile(i:4,j:4) unroll(k:2)", NULL},
    {"calls", "nest(1) interchange(j,i) parallel(j)", NULL},
    {"jumps", "interchange(i,j) simd(j)", NULL},
    {"jumps", "tile(i:8) distribute(i)", NULL},
    {"gemm", "tile(i:8,j:8) when(n:9)", "gemm_when"},
    {"gemm", "when(n:4) nest(1) unroll_jam(i:2,j:2) when(n:8)", NULL},
    {"overlap", "when(n:8) interchange(j,i)", NULL},
    {"unsigned", "tile(i:4) nest(2) when(n:9) nest(1) when(m:8) unroll(j:4)", NULL},
    {"fuse", "when(n:7) fuse(i) when(n:3)", NULL},
    {"down", "nest(1) reverse(i) interchange(j,i) simd when(n:8)", NULL},
    {"rows", "prefetch(x:8) when(n:8)", NULL},
    {"local", "pad(t:3) interchange(j,i) when(n:8)", NULL},
    {"scatter", "prefetch(y:8) simd(j,width:4,interleave:2)", "scatter_hints"},
    {"forms", "nest(1) interchange(j,i) nest(2) reverse(k)", NULL},
};

TEST("texts are as expected")
{
    for (size_t i = 0; i < ARRAY_SIZE(golden); i++) {
        struct loops loops;
        struct buf text = {0};
        struct error err = {0};
        char *path;
        if (!golden[i].file || !loops_open(&loops, golden[i].kernel, NULL))
            continue;
        path = xasprintf(LOOPS_DATA "/golden/%s.expected", golden[i].file);
        if (check_ok(loops_emit(&loops, golden[i].plan, &text, &err), &err))
            check_golden(path, buf_str(&text));
        free(path);
        buf_release(&text);
        loops_close(&loops);
    }
}

TEST("chosen plans compute the same")
{
    for (size_t i = 0; i < ARRAY_SIZE(golden); i++) {
        struct programs programs;
        struct loops loops;
        struct buf text = {0};
        struct error err = {0};
        if (strchr(golden[i].kernel, '/') || !programs_start(&programs, compiler))
            continue;
        if (loops_open(&loops, golden[i].kernel, NULL)) {
            programs_add(&programs, "untransformed", loops.function->source);
            if (check_ok(loops_emit(&loops, golden[i].plan, &text, &err), &err))
                programs_add(&programs, golden[i].plan, buf_str(&text));
            programs_run(&programs, RUN "run.h", "0");
        }
        buf_release(&text);
        loops_close(&loops);
        programs_release(&programs);
    }
}

/* A statement that stands inside of a loop which was not around it runs where that loop
 * has no iterations too, rows of no elements among them. */
TEST("sizes of zero compute the same")
{
    static const char *const plans[] = {
        "tile(k:32,i:4,j:4)",
        "distribute(j) tile(k:32,i:4,j:4)",
        "tile(k:4)",
        "tile(k:8,i:4,j:4) tile(k:2,j:2)",
        "tile(k:4,j:4) unroll_jam(j:2)",
        "unroll_jam(i:2,j:2)",
        "unroll(k:4)",
        "skew(k,j:1)",
        "tile(i:4,j:4) parallel(it)",
        "tile(k:8,j:4) interchange(jt,kt)",
        "tile(k:4,i:4,j:4) pack(b,jt)",
        "tile(k:4,i:4,j:4) when(n:5,l:2)",
        "distribute(j) tile(k:32,i:4,j:4) when(m:8) nest(2) unroll(q:4) when(l:1)",
    };
    struct programs programs;
    struct loops loops;
    if (!programs_start(&programs, compiler) || !loops_open(&loops, "textbook", NULL))
        return;
    programs_add(&programs, "untransformed", loops.function->source);
    for (size_t i = 0; i < ARRAY_SIZE(plans); i++) {
        struct error err = {0};
        struct buf text = {0};
        if (loops_emit(&loops, plans[i], &text, &err) == 0)
            programs_add(&programs, plans[i], buf_str(&text));
        else
            check_str(err.text, plans[i]);
        buf_release(&text);
    }
    programs_run(&programs, RUN "zero.h", "0");
    loops_close(&loops);
    programs_release(&programs);
}

/* Rows one by one where what they span overlaps: the test of the new code is false where
 * rows share memory, and only there. */
TEST("rows that lie between others are told from rows that share memory")
{
    struct programs programs;
    struct loops loops;
    struct buf text = {0}, main = {0};
    struct error err = {0};
    if (!programs_start(&programs, compiler) || !loops_open(&loops, "rows_apart", NULL))
        return;
    if (check_ok(loops_emit(&loops, "interchange(j,i) unroll_jam(j:2)", &text, &err),
                 &err)) {
        buf_addf(&main, "#define kernel tested\n%s#include \"%s\"\n", buf_str(&text),
                 RUN "rows.h");
        programs_build(&programs, buf_str(&main));
    }
    buf_release(&text);
    buf_release(&main);
    loops_close(&loops);
    programs_release(&programs);
}

static const char *behind(const char *text, const char *part)
{
    const char *at = strstr(text, part);
    return at ? at + strlen(part) : NULL;
}

/* What runs above a size is verified below it, too, as the code of the plan without the
 * step: so it must be that code. */
TEST("a size decides which code runs, and not what it is")
{
    static const char *const cases[][2] = {
        {"overlap", "interchange(j,i)"},
        {"overlap", "interchange(j,i) unroll(j:4)"},
        {"linear", "tile(i:4,k:8) unroll_jam(i:2)"},
        {"linear", "interchange(i,k,j) simd"},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct loops loops;
        struct buf without = {0}, with = {0};
        struct error err = {0};
        char *plan = xasprintf("%s when(n:8)", cases[i][1]);
        if (!loops_open(&loops, cases[i][0], NULL))
            continue;
        if (check_ok(loops_emit(&loops, cases[i][1], &without, &err), &err) &&
            check_ok(loops_emit(&loops, plan, &with, &err), &err)) {
            const char *want = behind(buf_str(&without), ") {\n        for ("),
                       *got = behind(buf_str(&with), ") {\n        for (");
            check_contains(buf_str(&with), "n >= 8");
            check(want && got);
            check_str(got, want);
        }
        free(plan);
        buf_release(&without);
        buf_release(&with);
        loops_close(&loops);
    }
}

/* Who builds it can see whether it ran; nobody else gets the lines for it, and there are
 * none where a part of the new code always runs. */
TEST("code that stands beside the original loop is marked")
{
    static const struct {
        const char *kernel, *plan;
        bool marked;
    } cases[] = {{"rows_apart", "interchange(j,i)", true},
                 {"overlap", "interchange(j,i) when(n:8)", true},
                 {"linear", "interchange(i,k,j) when(n:8)", true},
                 {"row_pointers", "nest(1) interchange(j,i) nest(4) unroll(j:2)", false}};
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct loops loops;
        struct buf plain = {0}, marked = {0};
        struct error err = {0};
        struct plan *plan = NULL;
        if (!loops_open(&loops, cases[i].kernel, NULL))
            continue;
        if (check_ok(plan_parse(cases[i].plan, &plan, &err), &err) &&
            check_ok(model_emit(loops.model, plan, &plain, &err), &err) &&
            check_ok(model_emit_marked(loops.model, plan, &marked, &err), &err)) {
            check(!strstr(buf_str(&plain), EMIT_RAN));
            check_eq(strstr(buf_str(&marked), EMIT_RAN ";\n") != NULL, cases[i].marked);
            if (!cases[i].marked)
                check_str(buf_str(&marked), buf_str(&plain));
        }
        plan_free(plan);
        buf_release(&plain);
        buf_release(&marked);
        loops_close(&loops);
    }
}

TEST("the empty plan changes nothing")
{
    struct loops loops;
    struct buf text = {0};
    struct error err = {0};
    if (!loops_open(&loops, "golden/file", NULL))
        return;
    check_ok(loops_emit(&loops, "", &text, &err), &err);
    check_str(buf_str(&text), loops.function->source);
    buf_release(&text);
    loops_close(&loops);
}
