/*
 * Measures two variants in turn, on the same buffers: `program --set n=100 --buffer
 * a=100:zero --out results --out-second others`. What the neighbours do and where the
 * pages lie hits both alike.
 */
#define INFLIGHT_PAIR
#define inflight_variant_call       inflight_first_call
#define inflight_variant_empty_call inflight_first_empty_call
#define inflight_variant_global     inflight_first_global
#include "program_time.c"

void inflight_second_call(void *const *array, const long long *integer,
                          const double *real, struct inflight_result *result);
void *inflight_second_global(int i);

/*
 * Before each sample come calls that are not timed: what the caches hold is then what
 * this side left there and not the other one, as where one variant is measured alone. One
 * call is not enough where a cache adapts to what it sees: of sums along rows of 8 MB,
 * called after sums down its columns, the first took three times as long as the sixteenth
 * and all later ones (Zen 5). Calls longer than this do without: to fill the few MiB of
 * cache that a core has for itself takes half a millisecond.
 */
enum { UNTIMED_NS_MAX = 50000000, UNTIMED_CALLS_MAX = 256 };
/* Calls that differ by no more belong to one level. */
static const double settled_within = 0.03;
/* Fewer are what noise makes of none. */
enum { SETTLING_CALLS = 4 };

/* Where in the barrier's file we say whose call is under way: a byte for each copy, 0 =
 * none, 1 = the first, 2 = the second. */
enum { TURN_AT = 2048 };

struct pair {
    struct request request[2]; /* they differ in `out` */
    struct timing side[2];
    struct buffer *buffer[2];
    long long untimed[2]; /* calls before each sample */
    volatile char *turn;
};

/*
 * The code of a library keeps its pages from launch to launch, in the kernel's cache of
 * files. Where they lie decides how often streams of data push it out of the caches that
 * hold both: 2 to 4 % between two copies of one loop were seen, the same in each launch.
 * So each launch puts the code of either side into other pages: what the place does
 * shows as a difference between launches, where it belongs.
 */
enum { PLACES = 64 };

static void move_code(char *from, size_t bytes)
{
    size_t place = (size_t)(now_ns() / 64 % PLACES) * bytes;
    char *pool = mmap(NULL, (PLACES + 1) * bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

    if (pool == MAP_FAILED)
        return;
    memcpy(pool + place, from, bytes);
    __builtin___clear_cache(pool + place, pool + place + bytes);
    if (mprotect(pool + place, bytes, PROT_READ | PROT_EXEC) == 0)
        mremap(pool + place, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, from);
    munmap(pool, (PLACES + 1) * bytes);
}

/* data: an address within the code to be moved. */
static int move_code_of(struct dl_phdr_info *object, size_t size, void *data)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), code = *(uintptr_t *)data;

    (void)size;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[i];
        uintptr_t from = object->dlpi_addr + part->p_vaddr, end = from + part->p_memsz;

        if (part->p_type != PT_LOAD || !(part->p_flags & PF_X) || code < from ||
            code >= end)
            continue;
        from -= from % page;
        end += (page - end % page) % page;
        move_code((char *)from, end - from);
        return 1;
    }
    return 0;
}

static void move_code_at(uintptr_t code)
{
    dl_iterate_phdr(move_code_of, &code);
}

static volatile char *turn_of(struct shared *shared, const struct request *request)
{
    static char nobody_looks;

    if (!request->barrier || request->index >= BARRIER_BYTES - TURN_AT)
        return &nobody_looks;
    return (volatile char *)shared + TURN_AT + request->index;
}

/* The arrays are the same for both, but for the global ones, which each library has of
 * its own. */
static void fill_second(struct pair *pair)
{
    size_t nr = inflight_table.array_nr;

    pair->buffer[1] = must_alloc(nr, sizeof(struct buffer));
    pair->side[1].data = must_alloc(nr, sizeof(void *));
    for (size_t i = 0; i < nr; i++) {
        const struct inflight_array *array = &inflight_table.array[i];
        const struct asked *asked = &pair->request[0].sizes[0].array[i];

        pair->buffer[1][i] = pair->buffer[0][i];
        if (array->is_global) {
            pair->buffer[1][i].data = inflight_second_global((int)i);
            fill(array, pair->buffer[1][i].data, asked->length, asked->contents,
                 pair->request[0].seed);
        }
        pair->side[1].data[i] = pair->buffer[1][i].data;
    }
}

static void set_up(struct pair *pair, const struct request *request)
{
    struct shared *shared = open_barrier(request);

    pair->turn = turn_of(shared, request);
    for (int i = 0; i < 2; i++) {
        pair->request[i] = *request;
        pair->side[i] = (struct timing){.request = &pair->request[i], .shared = shared};
    }
    pair->request[1].out = request->out_second;
    pair->side[0].call = inflight_first_call;
    pair->side[1].call = inflight_second_call;
    for (int i = 0; i < 2; i++)
        pair->side[i].out = open_out(&pair->request[i]);
    pair->buffer[0] = must_alloc(inflight_table.array_nr, sizeof(struct buffer));
    pair->side[0].data = buffers_fill(request, pair->buffer[0]);
    fill_second(pair);
    move_code_at((uintptr_t)inflight_first_call);
    move_code_at((uintptr_t)inflight_second_call);
}

static void set_samplers(struct pair *pair, const struct request *request)
{
    struct sampler sampler = sampler_make(request, pair->buffer[0]);

    for (int i = 0; i < 2; i++) {
        pair->side[i].sampler = sampler;
        pair->side[i].sampler.buffer = pair->buffer[i];
        sampler_report(&sampler, empty_call_ns(&pair->side[i]), pair->side[i].out);
    }
}

static struct spent call_side(struct pair *pair, int which, long long calls)
{
    struct spent spent;

    *pair->turn = (char)(which + 1);
    spent = time_calls(&pair->side[which], calls);
    *pair->turn = 0;
    return spent;
}

static double warm_call_ns(struct pair *pair, int which)
{
    struct timing *side = &pair->side[which];
    double net_ns;

    barrier_wait(side);
    side->warm = call_side(pair, which, 1);
    net_ns = clock_net_ns(&side->sampler.clock, side->warm.ns);
    fprintf(side->out, "warm %.12g\n", net_ns * 1e-9);
    side->calls = calls_for(side, net_ns);
    return net_ns;
}

static double settled_call_ns(struct pair *pair, int which)
{
    double call_ns;

    *pair->turn = (char)(which + 1);
    call_ns = settle(&pair->side[which]);
    *pair->turn = 0;
    return call_ns;
}

static long long middle_of_three(const long long *ns)
{
    long long low = ns[0] < ns[1] ? ns[0] : ns[1], high = ns[0] < ns[1] ? ns[1] : ns[0];

    return ns[2] < low ? low : ns[2] > high ? high : ns[2];
}

/* How many calls, right after the other side's, until a call takes as long as those long
 * after it: the middle one of the later half. */
static long long untimed_calls(struct pair *pair, int which, double call_ns)
{
    long long ns[UNTIMED_CALLS_MAX], later[UNTIMED_CALLS_MAX];
    long long nr = (long long)(UNTIMED_NS_MAX / (call_ns > 1 ? call_ns : 1)), level, i;

    nr = nr < UNTIMED_CALLS_MAX ? nr : UNTIMED_CALLS_MAX;
    for (i = 0; i < nr; i++)
        later[i] = ns[i] = call_side(pair, which, 1).ns;
    if (nr < 4)
        return nr > 0;
    qsort(later + nr / 2, (size_t)(nr - nr / 2), sizeof(*later), by_size);
    level = later[nr / 2 + (nr - nr / 2) / 2];
    for (i = 0; i < nr / 2; i++)
        if (llabs(middle_of_three(ns + i) - level) <= settled_within * (double)level)
            break;
    return i + 1;
}

/* As warm_up does for one: each side gets as many calls as make a sample of it. */
static void warm_up_both(struct pair *pair, const int order[2])
{
    const struct request *request = &pair->request[0];
    double call_ns[2] = {warm_call_ns(pair, order[0]), warm_call_ns(pair, order[1])};
    bool over = request->gate_out < 0 &&
                wall_ns(&pair->side[0].warm) + wall_ns(&pair->side[1].warm) >
                    request->limit_ns / 2;

    if (over)
        atomic_store(&pair->side[0].shared->over, 1);
    for (int i = 0; i < 2; i++) {
        struct timing *side = &pair->side[order[i]];

        if (!over && side->calls > 1) {
            call_ns[i] = settled_call_ns(pair, order[i]);
            side->calls = calls_for(side, call_ns[i]);
        }
        sampler_plan(&side->sampler, call_ns[i] * (double)side->calls, side->calls);
    }
    for (int i = 0; i < 2; i++) {
        barrier_wait(&pair->side[order[i]]); /* also where this copy alone is over */
        if (!over && !is_cold(&pair->side[order[i]].sampler))
            pair->untimed[order[i]] = untimed_calls(pair, order[i], call_ns[i]);
    }
}

/* What one side has seen of the machine, the other need not hold against itself. */
static void share_watch(const struct watch *from, struct watch *to)
{
    to->stolen = from->stolen;
    if (from->best_ns < to->best_ns)
        to->best_ns = from->best_ns;
}

/*
 * Up to where all copies meet. Caches that copies share settle for all of them together
 * or for none: if one was held up meanwhile, the sample is not what it is meant to be;
 * where the first call is as good as later ones, that does not matter. *disturbed gets
 * what disturbed the sample before this one.
 */
static bool prepare_side(struct pair *pair, int which, unsigned *disturbed)
{
    struct timing *side = &pair->side[which];
    bool ended = barrier_wait(side);
    long long held_up_ns = late_ns(side);
    struct spent spent;

    *disturbed |= atomic_load(&side->shared->agreed);
    spent = call_side(pair, which, pair->untimed[which]);
    sample_prepare(&side->sampler);
    barrier_wait(side);
    held_up_ns += spent.waited_ns + late_ns(side);
    side->before =
        pair->untimed[which] >= SETTLING_CALLS && held_up_ns > spent.ns / 4 ? APART : 0;
    return ended;
}

static void sample_side(struct pair *pair, int which)
{
    *pair->turn = (char)(which + 1);
    take_sample(&pair->side[which]);
    *pair->turn = 0;
    share_watch(&pair->side[which].sampler.watch, &pair->side[!which].sampler.watch);
}

static void print_warm_calls(const struct pair *pair)
{
    for (int i = 0; i < 2; i++)
        print_sample(&pair->side[i], &pair->side[i].warm, 1, 0);
}

/*
 * A B, B A, A B ...: drift and what the first place brings cancel. As take_samples does
 * for one, until there are as many undisturbed pairs as asked for, or twice as many in
 * all. At each meeting the copies learn whether something disturbed the sample before it:
 * at the second one of a pair the first sample, at the first one of the next the second.
 */
static void take_pairs(struct pair *pair, const int order[2])
{
    long long wanted = pair->request[0].samples, good = 0;
    unsigned disturbed = 0;

    pair->side[0].began_ns = pair->side[1].began_ns = now_ns();
    for (long long taken = 0;; taken++) {
        int first = order[taken % 2], second = order[(taken + 1) % 2];
        bool ended = prepare_side(pair, first, &disturbed);

        good += taken > 0 && disturbed == 0;
        if (ended && taken == 0)
            print_warm_calls(pair);
        if (ended || good == wanted || taken == 2 * wanted)
            break;
        sample_side(pair, first);
        disturbed = 0;
        prepare_side(pair, second, &disturbed);
        sample_side(pair, second);
        /* After A B B A, and not while one side had the better place more often. */
        if (taken % 2 == 1)
            vote_slow(&pair->side[1],
                      pair->request[0].stop_ratio * pair->side[0].longest_ns);
    }
    print_stopped(&pair->side[1]);
}

static void print_all(struct pair *pair, const char *format, long long value)
{
    for (int i = 0; i < 2; i++)
        fprintf(pair->side[i].out, format, value);
}

int main(int argc, char **argv)
{
    struct request request = read_args(argc, argv, FOR_TIME | FOR_PAIR);
    const int order[2] = {request.first != 0, request.first == 0};
    struct pair pair;
    size_t bytes = 0;

    if (!request.out_second && !request.background)
        stop(EXIT_ARGUMENTS, "no --out-second");
    limit_self(&request);
    if (request.background)
        load_run(&request);
    set_up(&pair, &request);
    for (size_t i = 0; i < inflight_table.array_nr; i++)
        bytes += pair.buffer[0][i].bytes;
    print_all(&pair, "buffers %lld\n", (long long)bytes);
    set_samplers(&pair, &request);
    warm_up_both(&pair, order);
    print_all(&pair, "huge %lld\n", huge_bytes());
    pass_gate(&request, 'R');
    take_pairs(&pair, order);
    pass_gate(&request, 'E');
    for (int side = 0; side < 2; side++) {
        for (size_t i = 0; i < inflight_table.array_nr; i++)
            report_drift(pair.side[side].out, &inflight_table.array[i],
                         &pair.buffer[side][i]);
        close_out(&pair.request[side], pair.side[side].out);
    }
    return 0;
}
