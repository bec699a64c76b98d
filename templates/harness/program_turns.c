/* Two variants in turn: what a sample of either is, and how many there are. */
#include "program_slots.c"

/*
 * Before each sample come calls that are not timed: what the caches hold is then what
 * this side left there and not the other one, as where one variant is measured alone. One
 * call is not enough where a cache adapts to what it sees: of sums along rows of 8 MB,
 * called after sums down its columns, the first took three times as long as the sixteenth
 * and all later ones (Zen 5). Calls longer than the time for settling do without: to fill
 * the few MiB of cache that a core has for itself takes half a millisecond.
 */
enum { UNTIMED_CALLS_MAX = 256 };
/* Calls that differ by no more belong to one level. */
static const double settled_within = 0.03;
/* Fewer are what noise makes of none. */
enum { SETTLING_CALLS = 4 };

/* Two slots, and what a command asks of them. */
struct turns {
    struct arena *arena;
    struct slot *side[2];
    int first; /* the side that comes first: 0 or 1 */
    long long settle_ns;
    double first_limit_ns; /* a first call of the second that takes longer ends it */
};

static struct spent call_side(const struct turns *turns, int which, long long calls)
{
    struct spent spent;

    *turns->arena->turn = (char)(which + 1);
    spent = time_calls(&turns->side[which]->timing, calls);
    *turns->arena->turn = 0;
    return spent;
}

/* The first call of all. */
static void warm_side(const struct turns *turns, int which)
{
    struct slot *slot = turns->side[which];
    struct timing *timing = &slot->timing;

    barrier_wait(timing);
    timing->warm = call_side(turns, which, 1);
    slot->call_ns = clock_net_ns(&timing->sampler.clock, timing->warm.ns);
    fprintf(timing->out, "warm %.12g\n", slot->call_ns * 1e-9);
    timing->calls = calls_for(timing, slot->call_ns);
}

static void settle_side(const struct turns *turns, int which)
{
    struct slot *slot = turns->side[which];

    *turns->arena->turn = (char)(which + 1);
    slot->call_ns = settle(&slot->timing);
    *turns->arena->turn = 0;
    slot->timing.calls = calls_for(&slot->timing, slot->call_ns);
}

static long long middle_of_three(const long long *ns)
{
    long long low = ns[0] < ns[1] ? ns[0] : ns[1], high = ns[0] < ns[1] ? ns[1] : ns[0];

    return ns[2] < low ? low : ns[2] > high ? high : ns[2];
}

/* How many calls, right after the other side's, until a call takes as long as those long
 * after it: the middle one of the later half. */
static long long untimed_calls(const struct turns *turns, int which)
{
    long long ns[UNTIMED_CALLS_MAX], later[UNTIMED_CALLS_MAX];
    double call_ns = turns->side[which]->call_ns;
    long long nr = (long long)((double)turns->settle_ns / (call_ns > 1 ? call_ns : 1));
    long long level, i;

    nr = nr < UNTIMED_CALLS_MAX ? nr : UNTIMED_CALLS_MAX;
    for (i = 0; i < nr; i++)
        later[i] = ns[i] = call_side(turns, which, 1).ns;
    if (nr < 4)
        return nr > 0;
    qsort(later + nr / 2, (size_t)(nr - nr / 2), sizeof(*later), by_size);
    level = later[nr / 2 + (nr - nr / 2) / 2];
    for (i = 0; i < nr / 2; i++)
        if (llabs(middle_of_three(ns + i) - level) <= settled_within * (double)level)
            break;
    return i + 1;
}

/* As warm_up does for one: each side gets as many calls as make a sample of it. What was
 * warm before stays as it is. */
static void warm_up_both(const struct turns *turns)
{
    const struct request *request = &turns->arena->request;
    bool fresh[2], over = false;

    for (int i = 0; i < 2; i++) {
        int which = i ^ turns->first;

        fresh[which] = turns->side[which]->call_ns <= 0;
        if (!fresh[which])
            continue;
        warm_side(turns, which);
        over = over || wall_ns(&turns->side[which]->timing.warm) > request->limit_ns / 2;
    }
    if (fresh[1] &&
        (!*turns->side[1]->ran ||
         (turns->first_limit_ns > 0 && turns->side[1]->call_ns > turns->first_limit_ns)))
        atomic_fetch_add(&turns->arena->shared->slow, 1);
    if (over)
        atomic_store(&turns->arena->shared->over, 1);
    barrier_wait(&turns->side[0]->timing);
    over = over || atomic_load(&turns->arena->shared->stopped);
    for (int i = 0; i < 2; i++) {
        struct slot *slot = turns->side[i ^ turns->first];
        struct timing *timing = &slot->timing;

        if (!over && fresh[i ^ turns->first] && timing->calls > 1)
            settle_side(turns, i ^ turns->first);
        sampler_plan(&timing->sampler, slot->call_ns * (double)timing->calls,
                     timing->calls);
    }
    for (int i = 0; i < 2; i++) {
        struct slot *slot = turns->side[i ^ turns->first];

        barrier_wait(&slot->timing); /* also where this copy alone is over */
        if (!over && slot->untimed < 0)
            slot->untimed = is_cold(&slot->timing.sampler)
                                ? 0
                                : untimed_calls(turns, i ^ turns->first);
    }
}

/* ---- samples ---- */

/* What one side has seen of the machine, the other need not hold against itself. */
static void share_watch(const struct watch *from, struct watch *to)
{
    to->stolen = from->stolen;
}

/*
 * Up to where all copies meet. Caches that copies share settle for all of them together
 * or for none: if one was held up meanwhile, the sample is not what it is meant to be;
 * where the first call is as good as later ones, that does not matter. *disturbed gets
 * what disturbed the sample before this one. Returns whether it is time to end; if it
 * may end here, that is all.
 */
static bool prepare_side(const struct turns *turns, int which, bool may_end,
                         unsigned *disturbed)
{
    struct slot *slot = turns->side[which];
    struct timing *timing = &slot->timing;
    bool ended = barrier_wait(timing);
    long long held_up_ns = late_ns(timing);
    struct spent spent;

    *disturbed |= atomic_load(&timing->shared->agreed);
    if (ended && may_end)
        return true;
    spent = call_side(turns, which, slot->untimed);
    sample_prepare(&timing->sampler);
    barrier_wait(timing);
    held_up_ns += spent.waited_ns + late_ns(timing);
    timing->before =
        slot->untimed >= SETTLING_CALLS && held_up_ns > spent.ns / 4 ? APART : 0;
    return ended;
}

static void sample_side(const struct turns *turns, int which)
{
    struct timing *timing = &turns->side[which]->timing;

    *turns->arena->turn = (char)(which + 1);
    take_sample(timing);
    *turns->arena->turn = 0;
    share_watch(&timing->sampler.watch, &turns->side[!which]->timing.sampler.watch);
}

/* A first call as long as half of the time there is counts as the sample, and so does one
 * that was slow enough to end it; the other side, if it was warm before, gets a call. */
static void take_single_calls(const struct turns *turns)
{
    for (int i = 0; i < 2; i++) {
        struct timing *timing = &turns->side[i]->timing;

        if (timing->warm.ns > 0)
            print_sample(timing, &timing->warm, 1, 0);
        else if (turns->side[i]->call_ns > 0 &&
                 !atomic_load(&turns->arena->shared->stopped)) {
            sample_prepare(&timing->sampler);
            sample_side(turns, i);
        }
    }
}

/*
 * A B, B A, A B ...: drift and what the first place brings cancel. As take_samples does
 * for one, until there are as many undisturbed pairs as asked for, or twice as many in
 * all. At each meeting the copies learn whether something disturbed the sample before it:
 * at the second one of a pair the first sample, at the first one of the next the second.
 */
static void take_turns(const struct turns *turns)
{
    const struct request *request = &turns->arena->request;
    struct timing *timing[2] = {&turns->side[0]->timing, &turns->side[1]->timing};
    long long wanted = request->samples, good = 0;
    unsigned disturbed = 0;

    for (int i = 0; i < 2; i++) {
        timing[i]->began_ns = now_ns();
        timing[i]->taken = 0;
    }
    for (long long taken = 0;; taken++) {
        int first = turns->first ^ (int)(taken % 2);
        bool ended = prepare_side(turns, first, true, &disturbed);

        good += taken > 0 && disturbed == 0;
        if (ended && taken == 0)
            take_single_calls(turns);
        if (ended || good == wanted || taken == 2 * wanted)
            break;
        sample_side(turns, first);
        disturbed = 0;
        prepare_side(turns, !first, false, &disturbed);
        sample_side(turns, !first);
        /* After A B B A, and not while one side had the better place more often. */
        if (taken % 2 == 1)
            vote_slow(timing[1], request->stop_ratio * timing[0]->longest_ns);
    }
    print_stopped(timing[0]);
    print_stopped(timing[1]);
}

/* Between two meetings nobody looks at what the last command left. */
static void forget_last(const struct arena *arena, struct timing *timing)
{
    struct shared *shared = arena->shared;

    barrier_wait(timing);
    if (arena->request.index == 0) {
        atomic_store(&shared->over, 0);
        atomic_store(&shared->disturbed, 0);
        atomic_store(&shared->agreed, 0);
        atomic_store(&shared->slow, 0);
        atomic_store(&shared->stopped, 0);
    }
    barrier_wait(timing);
}

/* Two files for each copy: PATH.0 and PATH.0.second. */
static void take_out(struct arena *arena, const struct turns *turns, const char *path)
{
    size_t room = strlen(path) + 40;
    char *name[2] = {must_alloc(room, 1), must_alloc(room, 1)};

    snprintf(name[0], room, "%s.%lld", path, arena->request.index);
    snprintf(name[1], room, "%s.second", name[0]);
    for (int i = 0; i < 2; i++) {
        struct slot *slot = turns->side[i];

        slot->timing.out = open_out(name[i]);
        slot->timing.warm = (struct spent){0};
        fprintf(slot->timing.out, "buffers %zu\n", arena->bytes);
        fprintf(slot->timing.out, "huge %lld\n", arena->huge_bytes);
        sampler_report(&slot->timing.sampler, slot->empty_ns, slot->timing.out);
    }
    forget_last(arena, &turns->side[0]->timing);
    warm_up_both(turns);
    take_turns(turns);
    for (int i = 0; i < 2; i++) {
        for (size_t k = 0; k < inflight_table.array_nr; k++)
            report_denormals(turns->side[i]->timing.out, &inflight_table.array[k],
                             &turns->side[i]->buffer[k]);
        if (!*turns->side[i]->ran)
            fprintf(turns->side[i]->timing.out, "original\n");
        close_out(name[i], turns->side[i]->timing.out);
    }
    free(name[0]);
    free(name[1]);
}
