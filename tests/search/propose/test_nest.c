/* The hot nest, its cost estimate, and the text of choices. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/search/choices.h"
#include "tests/search/scripted_space.h"

SUITE(search_nest);

static void check_choice(const struct choice *choice, const char *want)
{
    char *text = choice_text(choice);

    check_str(text, want);
    free(text);
}

TEST("a choice has one text")
{
    static const struct choice_prefetch prefetch[] = {{"t", 16, false, NULL},
                                                      {"u", 64, true, NULL}};
    static const struct loop_size jam = {"i", 4}, unroll = {"j", 2},
                                  tile[] = {{"k", 64}, {"j", 256}};
    static const char *const order[] = {"i", "k", "j"};
    struct choice choice = {0};

    check_choice(&choice, "");
    choice_put_prefetches(&choice, prefetch, 2);
    check_choice(&choice, "prefetch(t:16) prefetch(u:64,to:L2)");
    choice_put(&choice, plan_step_get(&(struct plan_step){.kind = STEP_SIMD}));
    choice_put_sizes(&choice, STEP_UNROLL_JAM, &jam, 1);
    check_choice(&choice, "unroll_jam(i:4) simd prefetch(t:16) prefetch(u:64,to:L2)");
    choice_put_sizes(&choice, STEP_UNROLL, &unroll, 1);
    check_choice(&choice,
                 "unroll_jam(i:4) unroll(j:2) simd prefetch(t:16) prefetch(u:64,to:L2)");
    choice_drop(&choice, STEP_UNROLL);
    choice_drop(&choice, STEP_PREFETCH);
    choice_put_sizes(&choice, STEP_TILE, tile, 2);
    choice_put_order(&choice, order, 3, 0);
    check_choice(&choice, "interchange(i,k,j) tile(k:64,j:256) unroll_jam(i:4) simd");
}

/* Of two nests with as many iterations the one that goes from line to line. */
TEST("lines count more than iterations")
{
    struct space_kernel kernel;
    struct nest nest;
    struct kernel_loop loop[2];

    space_transpose(&kernel, 100);
    kernel.view.loop = loop;
    for (int i = 0; i < 2; i++) {
        loop[i] = kernel.loop[1];
        loop[i].nest = i;
        loop[i].depth = 0;
        loop[i].parent = -1;
        kernel.access[i].loop = i;
    }
    kernel.access[0].stride_at[0] = 8;
    kernel.access[1].stride_at[0] = 800;
    nest_find(&kernel.view, &nest);
    check_eq(nest.loop[0]->nest, 1);
    kernel.access[1].stride_at[0] = 8;
    nest_find(&kernel.view, &nest);
    check_eq(nest.loop[0]->nest, 0);
}

TEST("bounds stand in for unknown counts")
{
    struct space_kernel kernel;
    struct nest nest;
    struct kernel_param n = {
        .name = "n", .type = "int", .is_integer = true, .is_set = true, .value = 400};

    space_transpose(&kernel, 100);
    kernel.loop[0].trips = kernel.loop[1].trips = -1;
    kernel.loop[1].lower_text = "i + 1";
    nest_find(&kernel.view, &nest);
    check(nest.trips[0] == 100 && nest.trips[1] == 100);
    kernel.view.param = &n;
    kernel.view.param_nr = 1;
    nest_find(&kernel.view, &nest);
    check(nest.trips[0] == 400 && nest.trips[1] == 200);
    n.is_set = false;
    nest_find(&kernel.view, &nest);
    check(nest.trips[0] == 100);
}

TEST("the nest is the chain with most iterations")
{
    struct space_kernel kernel;
    struct nest nest;
    struct kernel_loop loop[3];

    space_dgemm(&kernel, 100);
    nest_find(&kernel.view, &nest);
    check_eq(nest.nr, 3);
    check_str(nest.loop[0]->name, "i");
    check_str(nest.loop[2]->name, "k");
    check_near(nest.trips[2], 100, 0);
    check_eq(nest_depth(&nest, "j"), 1);
    check_eq(nest_depth(&nest, "z"), -1);
    /* two nests, i and then j: the longer one */
    memcpy(loop, kernel.loop, sizeof(loop));
    loop[0].innermost = loop[1].innermost = true;
    loop[1].depth = 0;
    loop[1].parent = -1;
    loop[1].nest = 1;
    loop[1].trips = 101;
    kernel.view.loop = loop;
    kernel.view.loop_nr = 2;
    nest_find(&kernel.view, &nest);
    check_eq(nest.nr, 1);
    check_str(nest.loop[0]->name, "j");
    check(!nest_holds(&nest, &kernel.access[0]) || kernel.access[0].loop == 1);
}

TEST("no chain goes through a loop that is not modelled; one below ends it")
{
    struct space_kernel kernel;
    struct nest nest;

    space_dgemm(&kernel, 100);
    kernel.loop[1].modelled = false;
    nest_find(&kernel.view, &nest);
    check_eq(nest.nr, 1); /* the other two are a part of its body */
    kernel.loop[0].modelled = false;
    nest_find(&kernel.view, &nest);
    check_eq(nest.nr, 0);
    kernel.view.loop_nr = 0;
    nest_find(&kernel.view, &nest);
    check_eq(nest.nr, 0);
}

TEST("trips that are not known are guessed")
{
    struct space_kernel kernel;
    struct nest nest;

    space_transpose(&kernel, 100);
    kernel.loop[0].trips = -1;
    nest_find(&kernel.view, &nest);
    check_eq(nest.nr, 2);
    check_near(nest.trips[0], 100, 0);
    /* Two nests of which nothing is known: the deeper one is hot. */
    struct kernel_loop loop[3];
    space_dgemm(&kernel, 100);
    memcpy(loop, kernel.loop, sizeof(loop));
    struct kernel_loop all[4] = {loop[0], loop[0], loop[1], loop[2]};
    for (int i = 0; i < 4; i++) {
        all[i].trips = -1;
        all[i].parent = i < 2 ? -1 : i - 1;
    }
    all[0].innermost = true;
    kernel.view.loop = all;
    kernel.view.loop_nr = 4;
    nest_find(&kernel.view, &nest);
    check_eq(nest.nr, 3);
}

static void check_step(const struct nest_step *step, int depth, double extent,
                       double scale)
{
    check_eq(step->depth, depth);
    check_near(step->extent, extent, 0);
    check_near(step->scale, scale, 0);
}

TEST("tile loops stand outside of the first tiled one")
{
    struct space_kernel kernel;
    struct nest nest;
    struct nest_step step[NEST_STEPS_MAX];
    struct choice choice = choice_of("interchange(i,k,j)");

    space_dgemm(&kernel, 100);
    nest_find(&kernel.view, &nest);
    choice = choice_of("interchange(i,k,j) tile(j:32,k:128)");
    check_eq(nest_steps(&nest, &choice, step), 5);
    check_step(&step[0], 0, 100, 1); /* i */
    check_step(&step[1], 1, 4, 32);  /* jt */
    check_step(&step[2], 2, 1, 128); /* kt */
    check_step(&step[3], 2, 100, 1); /* k: the tile is longer than the loop */
    check_step(&step[4], 1, 32, 1);  /* j */
}

/* Copies of a jammed loop stand inside of all others. */
TEST("jammed loops step by their copies")
{
    struct space_kernel kernel;
    struct nest nest;
    struct nest_step step[NEST_STEPS_MAX];
    struct choice choice = choice_of("unroll_jam(i:8)");

    space_transpose(&kernel, 100);
    nest_find(&kernel.view, &nest);
    check_eq(nest_steps(&nest, &choice, step), 3);
    check_step(&step[0], 0, 13, 8);
    check_step(&step[1], 1, 100, 1);
    check_step(&step[2], 0, 8, 1);
}

static double cost_of(const struct nest *nest, const struct choice *choice)
{
    struct machine machine;

    space_machine(&machine);
    return nest_cost_ns(nest, &machine, choice);
}

TEST("interchange is cheaper for dgemm")
{
    struct space_kernel kernel;
    struct nest nest;
    struct choice ijk = {0}, ikj = choice_of("interchange(i,k,j)"),
                  jki = choice_of("interchange(j,k,i)"),
                  same = choice_of("interchange(i,j,k)");

    space_dgemm(&kernel, 1000);
    nest_find(&kernel.view, &nest);
    check(cost_of(&nest, &ikj) < 0.5 * cost_of(&nest, &ijk));
    check(cost_of(&nest, &jki) > cost_of(&nest, &ijk));
    check_near(cost_of(&nest, &same), cost_of(&nest, &ijk), 0);
}

TEST("tiles are cheaper")
{
    struct space_kernel kernel;
    struct nest nest;
    struct choice none = {0}, tiled = choice_of("tile(i:32,j:32)");

    space_transpose(&kernel, 6000);
    nest_find(&kernel.view, &nest);
    check(cost_of(&nest, &tiled) < 0.5 * cost_of(&nest, &none));
    space_dgemm(&kernel, 2000);
    nest_find(&kernel.view, &nest);
    tiled = choice_of("tile(i:64,j:64,k:64)");
    check(cost_of(&nest, &tiled) < 0.5 * cost_of(&nest, &none));
}

TEST("a kernel that fits gains nothing")
{
    struct space_kernel kernel;
    struct nest nest;
    struct choice none = {0}, ikj = choice_of("interchange(i,k,j)");

    space_dgemm(&kernel, 16);
    nest_find(&kernel.view, &nest);
    check_near(cost_of(&nest, &ikj), cost_of(&nest, &none), 0);
    check(cost_of(&nest, &none) > 0);
}

/* 32 columns of 16 KiB rows fit by size, but 8 ways hold 8 of them in each set. */
TEST("rows that share sets are conflicts")
{
    struct space_kernel even, odd;
    struct nest nest_even, nest_odd;
    struct choice tiled = choice_of("tile(i:32,j:32)");

    space_transpose(&even, 2048);
    space_transpose(&odd, 2056);
    nest_find(&even.view, &nest_even);
    nest_find(&odd.view, &nest_odd);
    check(cost_of(&nest_even, &tiled) > 1.2 * cost_of(&nest_odd, &tiled));
}

/* Sets follow from size and ways: where a core gets less than half of what is said to be
 * its own, nobody knows them. */
TEST("unknown sets do not collide")
{
    struct space_kernel kernel;
    struct machine machine;
    struct nest nest;

    space_machine(&machine);
    space_transpose(&kernel, 2048);
    nest_find(&kernel.view, &nest);
    check(nest_rows_collide(&nest, &machine));
    for (int i = 0; i < 2; i++) {
        struct machine_level *level = &machine.level[i];

        level->cores_sharing = 1;
        level->effective_bytes = level->effective_low_bytes = 0.3 * level->claimed_bytes;
        level->effective_high_bytes = 0.4 * level->claimed_bytes;
    }
    check(!nest_rows_collide(&nest, &machine));
}

/* for i for j { for k C[i][j] += ..; } with C kept in a scalar: its accesses stand in
 * loop j, where loop k is none of theirs. */
TEST("accesses of outer loops are not multiplied")
{
    struct space_kernel perfect, hoisted;
    struct nest nest_perfect, nest_hoisted;
    struct choice none = {0};

    space_dgemm(&perfect, 1000);
    space_dgemm(&hoisted, 1000);
    for (int a = 0; a < 2; a++) {
        hoisted.access[a].loop = 1;
        hoisted.access[a].stride_at[2] = NAN;
    }
    nest_find(&perfect.view, &nest_perfect);
    nest_find(&hoisted.view, &nest_hoisted);
    check(nest_holds(&nest_hoisted, &hoisted.access[0]));
    check_near(cost_of(&nest_hoisted, &none), cost_of(&nest_perfect, &none), 0.01);
}
