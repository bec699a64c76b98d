
#include "tests/variants/loop_models.h"
#include "tests/variants/programs.h"

SUITE(variants_pack);

#ifndef INFLIGHT_CC
#define INFLIGHT_CC "cc"
#endif

#define PACK_DATA INFLIGHT_SOURCE_DIR "/tests/data/pack"
/* The shape of a matrix product, with small blocks. */
#define BLOCKS "tile(k:16,i:12) tile(j:16,i:6) interchange(k,i,j) "
#define PACKS  "pack(a,it) pack(b,jt) pack(c,it2) "

/* The same in panels that are walked in order. */
#define PANELS    "tile(k:16,j:48,i:12) tile(j:16,i:6) interchange(k,i,j) "
#define IN_PANELS "pack(a,it,i:6) pack(b,jt,j:16) pack(c,it2) "

/* What stands beside the product runs in the first of its tiles. */
#define FIRST                                                                            \
    "tile(k:16,i:12) tile(j:16,i:6) distribute(j) distribute(i) interchange(k,i,j) "
#define TRIANGLE       "tile(k:16,i:16) tile(j:16,i:4) interchange(k,i,j) "
#define TRIANGLE_FIRST "tile(k:16,i:16) tile(j:16,i:4) distribute(i) interchange(k,i,j) "
#define TWICE          "pack(b,it) pack(b,jt,j:16) pack(c,it2) "

static const struct packed {
    const char *kernel, *plan, *golden;
} packed[] = {
    {"rows", BLOCKS "full(i,j) " PACKS "vec(j:8)", "rows"},
    {"rows", BLOCKS PACKS "vec(j:8)", NULL},
    {"rows", BLOCKS "full(i,j) " PACKS, NULL},
    {"rows",
     "tile(k:16,i:12) tile(j:16,i:4) interchange(k,i,j) full(i,j) pack(c,it2) vec(j:8)",
     NULL}, /* tiles whose loop has one iteration */
    {"rows", "tile(i:5,j:7) full(i,j)", NULL},
    {"rows", "tile(j:16,k:16) pack(b,kt)", NULL},
    {"rows", "interchange(i,k,j) vec(j:8)", "rows_lanes"},
    {"rows", "pack(a,k) unroll_jam(i:2) unroll(k:4)", NULL},
    {"rows", PANELS "full(i,j) " IN_PANELS "vec(j:8) prefetch(c:1)", NULL},
    {"rows", PANELS IN_PANELS "prefetch(b:1)", NULL},
    /* panels that no tile loop has */
    {"rows", BLOCKS "full(i,j) pack(a,it,k:5) pack(b,jt,j:7) pack(c,it2,j:4)", NULL},
    {"rows", "tile(j:10,k:16) tile(j:4) pack(b,kt,j:4) pack(a,kt,k:4) prefetch(a:2,b:1)",
     NULL},
    {"rows", "tile(j:16) pack(c,jt) pack(b,k) prefetch(b:3,c:1)", NULL},
    {"linear", BLOCKS "full(i,j) " PACKS "vec(j:4)", NULL},
    {"linear", PANELS "full(i,j) " IN_PANELS "vec(j:8) prefetch(c:1)", NULL},
    {"transposed", BLOCKS "full(i,j) " PACKS "vec(j:8)", NULL},
    {"transposed", PANELS "full(i,j) " IN_PANELS "vec(j:8) prefetch(c:1)", NULL},
    {"scaled", BLOCKS "full(i,j) " PACKS "vec(j:8)", NULL},
    {"scaled", "vec(j:4)", NULL},
    {"single", BLOCKS "full(i,j) " PACKS "vec(j:16)", NULL},
    {"integer", BLOCKS "full(i,j) pack(c,it2) vec(j:8)", NULL},
    {"unsigned", BLOCKS "full(i,j) " PACKS "vec(j:8)", NULL},
    {"unsigned", PANELS "full(i,j) " IN_PANELS "vec(j:8) prefetch(c:1,a:1,b:1)", NULL},
    {"batch", PANELS "full(i,j) " IN_PANELS "vec(j:8) prefetch(c:1)", NULL},
    {"batch", BLOCKS "full(i,j) " PACKS "vec(j:8)", NULL},
    {"textbook", "distribute(j) distribute(i) " BLOCKS "full(i,j) " PACKS "vec(j:8)",
     NULL},
    {"started", FIRST "full(i,j) " PACKS "vec(j:8)", NULL},
    {"started", FIRST PACKS "vec(j:4)", NULL},
    {"started", FIRST "full(i,j) pack(c,it2) vec(j:8)", NULL},
    {"started", "tile(k:16) pack(c,kt) pack(a,kt)", NULL},
    {"started", "distribute(j) distribute(i) " BLOCKS "full(i,j) " PACKS "vec(j:8)",
     NULL},
    {"triangle", "distribute(i) " TRIANGLE "full(i,j) " TWICE "vec(j:8)", NULL},
    {"triangle", TRIANGLE_FIRST "full(i,j) " TWICE, NULL},
    {"triangle", "distribute(i) tile(k:5,i:6) tile(j:8,i:2) " TWICE, NULL},
    {"triangle", "tile(j:16,k:8) pack(b,kt,i:4) pack(b,kt,j:16)", NULL},
    {"partly", TRIANGLE_FIRST "full(i,j) " PACKS "vec(j:8)", NULL},
    {"partly", "tile(k:16,i:8,j:8) distribute(i) pack(c,jt) pack(a,jt)", NULL},
    /* the other half is read before it is set */
    {"crossed", "pack(c,h)", NULL},
    {"crossed", "tile(h:4) pack(c,ht) unroll(k:2)", NULL},
    {"chain", "nest(2) interchange(i,k,j) vec(j:8) nest(1) tile(k:8) pack(a,kt)",
     "chain"},
    {"chain", "nest(1) " BLOCKS "full(i,j) " PACKS "vec(j:8) nest(all) prefetch(b:2)",
     NULL},
    {"add", "tile(j:16) full(j) vec(j:8)", NULL},
    {"add", "pack(a,j) unroll(j:4)", NULL}, /* copies, each with an element of its own */
    {"add", "tile(j:12) vec(j:8)", NULL},   /* blocks that lie across tiles */
    {"add", "tile(i:4,j:16) pack(c,jt) vec(j:8)", NULL},
    /* scalars that need a place for every iteration of a tile */
    {"columns", "tile(i:4,j:16) distribute(j,i) interchange(k,i,j)", "columns"},
    {"columns", "tile(j:16) distribute(j) interchange(k,j) unroll_jam(k:2)", NULL},
    {"columns", "tile(j:8) distribute(j) unroll_jam(j:4)", NULL},
    {"columns", "tile(i:4,j:16) distribute(j,i) interchange(k,i,j) full(i,j)", NULL},
    {"columns", "tile(j:16384) distribute(j) interchange(k,j) prefetch(b:8)", NULL},
    {"strided", "tile(i:4,j:16) distribute(j,i) interchange(k,i,j)", NULL},
    {"strided", "tile(j:8) distribute(j) unroll_jam(j:2)", NULL},
    {"accumulator",
     "tile(i:4,j:16) distribute(j,i) interchange(k,i,j) full(i,j) vec(j:8)", NULL},
    {"accumulator", "tile(i:4,j:16) distribute(j,i) interchange(k,i,j) vec(j:8)", NULL},
};

static const char *kind_of(const char *kernel)
{
    return !strcmp(kernel, "single") ? "'f'" : !strcmp(kernel, "integer") ? "'i'" : "'d'";
}

static bool open_kernel(struct loops *loops, const char *kernel)
{
    char *name = xasprintf("../pack/%s", kernel);
    bool ok = loops_open(loops, name, NULL);
    free(name);
    return ok;
}

/* ---- results ---- */

static void run_kernel(const char *kernel)
{
    struct programs programs;
    struct loops loops;
    struct error err = {0};
    if (!programs_start(&programs, INFLIGHT_CC
                        " -std=c17 -O0 -ffp-contract=off -Wall -Wextra -Werror") ||
        !open_kernel(&loops, kernel))
        return;
    programs_add(&programs, "untransformed", loops.function->source);
    for (size_t i = 0; i < ARRAY_SIZE(packed); i++) {
        struct buf text = {0};
        if (!strcmp(packed[i].kernel, kernel) &&
            check_ok(loops_emit(&loops, packed[i].plan, &text, &err), &err)) {
            if (packed[i].golden) {
                char *path = xasprintf(PACK_DATA "/golden/%s.expected", packed[i].golden);
                check_golden(path, buf_str(&text));
                free(path);
            }
            programs_add(&programs, packed[i].plan, buf_str(&text));
        }
        buf_release(&text);
    }
    programs_run(&programs, PACK_DATA "/run.h", kind_of(kernel));
    loops_close(&loops);
    programs_release(&programs);
}

TEST("texts and results are as expected")
{
    for (size_t i = 0; i < ARRAY_SIZE(packed); i++)
        if (!i || strcmp(packed[i].kernel, packed[i - 1].kernel) != 0)
            run_kernel(packed[i].kernel);
}

/* ---- refusals ---- */

static bool check_refused(const char *kernel, const char *plan, struct error *err)
{
    struct loops loops;
    if (!open_kernel(&loops, kernel))
        return false;
    check(loops_check(&loops, plan, NULL, err) != 0);
    loops_close(&loops);
    return true;
}

TEST("what cannot be done is said")
{
    static const struct {
        const char *kernel, *plan, *says;
    } table[] = {
        {"outside", "vec(j:4)", "cannot be lanes of a vector"},
        {"outside", "vec(i:4)", "needs an innermost loop of one statement"},
        {"outside", "tile(i:4,j:4) pack(c,jt)", "not always made"},
        {"rows", "vec(k:4)", "cannot be lanes of a vector"},
        {"rows", "vec(j:6)", "lanes"},
        {"rows", "full(i)", "put tile(i:8) before it"},
        {"sums", "tile(j:7,i:7) full(j)", "complete tiles cannot have code"},
        {"rows", "pack(b,i)", "no constant size"},
        {"rows", "tile(i:8,j:8,k:8) pack(b,jt) pack(b,kt)", "packed twice alike"},
        {"triangle", "tile(i:8,j:8,k:8) pack(c,jt,j:8) pack(c,it)", "and is written"},
        {"rows", "nest(2) tile(i:8)", "is for nest 2"},
        {"rows", "nest(1) tile(h:8)", "there are i, j, k"},
        {"rows", "tile(i:8,k:8) pack(b,it,kt)", "one loop"},
        {"rows", "tile(i:8,k:8) pack(b,it:2)", "one loop"},
        {"rows", "tile(i:8,k:8) pack(a,kt,i)", "one loop"},
        {"rows", "tile(i:8,k:8) pack(a,kt,j:4)", "panels need a loop"},
        {"transposed", "interchange(i,k,j) vec(j:4)", "does not follow the loop"},
        {"columns", "distribute(j)", "put a tile(j:256) outside of where 'scale'"},
        {"columns", "tile(j:16384) distribute(j) interchange(k,j) parallel(j)",
         "belongs to one thread"},
        {"rows", "tile(k:256,i:384) tile(j:32,i:6) pack(a,it) parallel(jt)",
         "belongs to one thread"},
    };
    for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
        struct error err = {0};
        if (check_refused(table[i].kernel, table[i].plan, &err))
            check_contains(err.text, table[i].says);
    }
}

/* In the words of a plan, for who puts plans together; again and again until it helps. */
TEST("what would help is said")
{
    static const struct {
        const char *kernel, *plan, *remedy;
    } table[] = {
        {"textbook", "tile(i:8) interchange(k,j)",
         "tile(i:8) distribute(j) interchange(k,j)"},
        {"chain", "nest(2) full(k)", "nest(2) tile(k:8) full(k)"},
        {"outside", "vec(j:4)", ""},
    };
    for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
        struct error err = {0};
        if (check_refused(table[i].kernel, table[i].plan, &err))
            check_str(err.remedy, table[i].remedy);
    }
}

static bool emit(const char *kernel, const char *plan, struct buf *text)
{
    struct loops loops;
    struct error err = {0};
    if (!open_kernel(&loops, kernel))
        return false;
    bool ok = check_ok(loops_emit(&loops, plan, text, &err), &err);
    loops_close(&loops);
    return ok;
}

/* A product that is added at once costs nothing more: it stays. */
TEST("what each use multiplies is multiplied once")
{
    struct buf text = {0};
    if (emit("scaled", BLOCKS PACKS, &text)) {
        check_contains(buf_str(&text), "= alpha * a[i][k]");
        check(!strstr(buf_str(&text), "alpha * a_l"));
    }
    buf_reset(&text);
    if (emit("partly", "tile(k:16) pack(a,kt)", &text))
        check_contains(buf_str(&text), "= a[i][k];");
    buf_release(&text);
}

/* What is added to fill tiles must not touch what the loop computes: k is not filled. */
TEST("only harmless iterations are added")
{
    struct buf text = {0};
    if (emit("rows", BLOCKS "full(i,j,k) " PACKS, &text))
        check_contains(buf_str(&text), "k < kernel_min(l, kt + 16)");
    buf_release(&text);
}

TEST("too complex is said")
{
    struct model_request request = {.operation_limit = 3000};
    struct loops loops;
    struct error err = {0};
    if (!loops_open(&loops, "../pack/rows", &request))
        return;
    check(loops_check(&loops, BLOCKS "full(i,j) " PACKS "vec(j:8)", NULL, &err) != 0);
    check_contains(err.text, "too complex");
    loops_close(&loops);
}
