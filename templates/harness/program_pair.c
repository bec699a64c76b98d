/*
 * Measures two variants in turn, on the same buffers: `program --set n=100 --buffer
 * a=100:zero --out results --out-second others`. What the neighbours do and where the
 * pages lie hits both alike.
 */
#define INFLIGHT_PAIR
#define inflight_variant_call   inflight_first_call
#define inflight_variant_global inflight_first_global
#include "program_time.c"

void inflight_second_call(void *const *array, const long long *integer,
                          const double *real, struct inflight_result *result);
void *inflight_second_global(int i);

/*
 * Before each sample comes a call that is not timed: what the caches hold is then what
 * this side left there and not the other one, as where one variant is measured alone.
 * Calls longer than this do without: to fill the few MiB of cache that a core has for
 * itself takes half a millisecond.
 */
enum { UNTIMED_NS_MAX = 50000000 };

/* Where in the barrier's file we say whose call is under way: a byte for each copy, 0 =
 * none, 1 = the first, 2 = the second. */
enum { TURN_AT = 2048 };

struct pair {
    struct request request[2]; /* they differ in `out` */
    struct timing side[2];
    struct buffer *buffer[2];
    volatile char *turn;
};

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
}

static long long call_side(struct pair *pair, int which, long long calls)
{
    long long spent;

    *pair->turn = (char)(which + 1);
    spent = run_calls(&pair->side[which], calls);
    *pair->turn = 0;
    return spent;
}

/* As warm_up does for one: each side gets as many calls as make a sample of it. */
static void warm_up_both(struct pair *pair, const int order[2])
{
    const struct request *request = &pair->request[0];
    long long wanted = request->sample_min_ns, both = 0;

    for (int i = 0; i < 2; i++) {
        struct timing *side = &pair->side[order[i]];

        barrier_wait(side);
        both += side->warm_ns = call_side(pair, order[i], 1);
        fprintf(side->out, "warm %.9f\n", (double)side->warm_ns * 1e-9);
        side->calls = calls_for(wanted, (double)side->warm_ns);
    }
    if (request->gate_out < 0 && both > request->limit_ns / 2)
        atomic_store(&pair->side[0].shared->over, 1);
    for (int i = 0; i < 2 && both <= request->limit_ns / 2; i++) {
        struct timing *side = &pair->side[order[i]];

        if (side->calls > 1)
            side->calls =
                calls_for(wanted, (double)call_side(pair, order[i], side->calls) /
                                      (double)side->calls);
    }
}

static void sample_side(struct pair *pair, int which)
{
    struct timing *side = &pair->side[which];
    long long spent = call_side(pair, which, side->calls);

    print_sample(side, spent, side->calls);
}

/* Both arrive at every barrier equally often in all copies: whether it has ended is asked
 * once for each pair. */
static bool take_pair(struct pair *pair, const int order[2], bool first_pair)
{
    for (int i = 0; i < 2; i++) {
        struct timing *side = &pair->side[order[i]];
        bool ended;

        if (side->warm_ns < UNTIMED_NS_MAX)
            call_side(pair, order[i], 1);
        ended = barrier_wait(side);
        if (i == 0 && ended && first_pair)
            for (int k = 0; k < 2; k++)
                print_sample(&pair->side[k], pair->side[k].warm_ns, 1);
        if (i == 0 && ended)
            return false;
        sample_side(pair, order[i]);
    }
    return true;
}

/* A B, B A, A B ...: drift and what the first place brings cancel. */
static void take_pairs(struct pair *pair, const int order[2])
{
    const struct request *request = &pair->request[0];
    const int reverse[2] = {order[1], order[0]};
    long long began_ns = now_ns();

    for (long long i = 0; i < request->samples; i++) {
        if (!take_pair(pair, i % 2 ? reverse : order, i == 0))
            break;
        if (now_ns() - began_ns > request->limit_ns)
            atomic_store(&pair->side[0].shared->over, 1);
    }
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

    if (!request.out_second)
        stop(EXIT_ARGUMENTS, "no --out-second");
    limit_self(&request);
    set_up(&pair, &request);
    for (size_t i = 0; i < inflight_table.array_nr; i++)
        bytes += pair.buffer[0][i].bytes;
    print_all(&pair, "buffers %lld\n", (long long)bytes);
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
