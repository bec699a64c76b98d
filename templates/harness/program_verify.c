/*
 * Compares the kernel with its untransformed self, at one set of sizes after the other:
 * `program --set n=3 --buffer a=3:iota --next --set n=100 ... --out results`.
 */
#include "program_spaces.c"

#include <time.h>

#include "program_deviation.c"

/* Both copies of one array. `second` is empty unless the kernel writes the array; both
 * are where the memory is another entry's. */
struct pair {
    struct space first, second;
    void *reference, *variant; /* what the two kernels work on */
    int image;                 /* what both held before any call; 0 = not kept */
};

/* Any number. */
struct number {
    char byte[8];
};

struct verification {
    const struct request *request;
    const struct sizes *sizes;
    struct pair *pair;
    struct number *before,
        *wanted; /* of each output: before the call, what it shall be */
    FILE *out;
    bool different;
    unsigned nudges; /* so far, of this size */
};

/* For the signal handler. */
static struct {
    struct pair *pair;
    int out;
} watched;

static void explain(const struct inflight_array *array, const struct space *space,
                    const char *address)
{
    char text[256];
    bool inside = address >= space->data && address < space->data + space->bytes;
    long long element = (address - space->data) / (long long)array->record_bytes;
    int length = snprintf(text, sizeof(text), "fault %s %lld %s\n", array->name, element,
                          inside ? "read-only" : "outside");

    if (write(watched.out, text, (size_t)length) < 0)
        return;
}

/* Says which array it was; the access is then repeated and ends the program. */
static void on_fault(int number, siginfo_t *info, void *context)
{
    const char *address = info->si_addr;

    (void)number;
    (void)context;
    stop_if_out_of_memory(address);
    for (size_t i = 0; i < inflight_table.array_nr; i++) {
        const struct pair *pair = &watched.pair[i];

        if (inflight_table.array[i].memory < i)
            continue; /* has been looked at */
        if (holds(&pair->first, address))
            explain(&inflight_table.array[i], &pair->first, address);
        else if (holds(&pair->second, address))
            explain(&inflight_table.array[i], &pair->second, address);
    }
}

static void catch_faults(struct pair *pair, FILE *out)
{
    struct sigaction action = {.sa_sigaction = on_fault,
                               .sa_flags = SA_SIGINFO | (int)SA_RESETHAND};

    watched.pair = pair;
    watched.out = fileno(out);
    sigaction(SIGSEGV, &action, NULL);
    sigaction(SIGBUS, &action, NULL);
}

/* Sums that begin at zero would hide whether a kernel adds or overwrites. */
static const char *contents_for(const struct verification *verification, size_t i)
{
    const char *asked = verification->sizes->array[i].contents;

    if (verification->request->full_precision && inflight_table.array[i].kind == 'f' &&
        strcmp(asked, "zero") == 0)
        return "uniform(0.5,1.5)";
    return asked;
}

static bool is_all_zero(const struct inflight_array *array, const char *data,
                        size_t length)
{
    static const char zero[8];

    for (size_t i = 0; i < length; i++)
        if (memcmp(data + place_of(array, i), zero, array->bytes) != 0)
            return false;
    return true;
}

/* Captured zeros are no better than those that are asked for. */
static void fill_contents(const struct verification *verification, size_t i, void *data)
{
    const struct inflight_array *array = &inflight_table.array[i];
    const char *asked = contents_for(verification, i);
    size_t length = verification->sizes->array[i].length;
    unsigned long long seed = verification->request->seed;

    fill(array, data, length, asked, seed);
    if (verification->request->full_precision && array->kind == 'f' &&
        strncmp(asked, "captured(", 9) == 0 && is_all_zero(array, data, length))
        fill(array, data, length, "uniform(0.5,1.5)", seed);
}

static void *global_of(const struct verification *verification, size_t i, bool variant)
{
    return variant && !verification->request->against_itself
               ? inflight_variant_global((int)i)
               : inflight_reference_global((int)i);
}

static size_t memory_at(const struct sizes *sizes, size_t i)
{
    size_t host = sizes->array[i].host;

    return host ? host - 1 : inflight_table.array[i].memory;
}

/* The entry whose memory it lies in. */
static size_t memory_of(const struct verification *verification, size_t i)
{
    return memory_at(verification->sizes, i);
}

static bool is_same_array(size_t i, const struct asked *a, const struct asked *b)
{
    return !inflight_table.array[i].is_global && a->length == b->length &&
           memcmp(a->extent, b->extent, sizeof(a->extent)) == 0 &&
           strcmp(a->contents, b->contents) == 0 && a->host == b->host &&
           a->shift == b->shift && a->is_folded == b->is_folded;
}

/*
 * Does the memory hold the same arrays at both sizes (NULL: there are none)? Of small
 * sizes most of the time would go into filling arrays whose length the file settles.
 * Global arrays lie in the user's file, and are filled anew.
 */
static bool stays(const struct sizes *a, const struct sizes *b, size_t memory)
{
    for (size_t i = 0; a && b && i < inflight_table.array_nr; i++)
        if ((memory_at(a, i) == memory || memory_at(b, i) == memory) &&
            !is_same_array(i, &a->array[i], &b->array[i]))
            return false;
    return a && b;
}

static const struct sizes *sizes_before(const struct verification *verification)
{
    const struct sizes *first = verification->request->sizes;

    return verification->sizes > first ? verification->sizes - 1 : NULL;
}

static const struct sizes *sizes_after(const struct verification *verification)
{
    const struct request *request = verification->request;

    return verification->sizes + 1 < request->sizes + request->sizes_nr
               ? verification->sizes + 1
               : NULL;
}

/* Behind the first byte of its memory. */
static size_t shift_of(const struct verification *verification, size_t i)
{
    return verification->sizes->array[i].shift * inflight_table.array[i].record_bytes;
}

static bool is_memory_written(const struct verification *verification, size_t memory)
{
    for (size_t i = 0; i < inflight_table.array_nr; i++)
        if (memory_of(verification, i) == memory && inflight_table.array[i].is_written)
            return true;
    return false;
}

/* With what overlaps it. */
static size_t bytes_of(const struct verification *verification, size_t memory)
{
    size_t max = 0;

    for (size_t i = 0; i < inflight_table.array_nr; i++) {
        size_t bytes =
            shift_of(verification, i) +
            memory_bytes(&inflight_table.array[i], verification->sizes->array[i].length);

        if (memory_of(verification, i) == memory && bytes > max)
            max = bytes;
    }
    return max;
}

/* The memory of the entry i, which is the first of it. */
static void make_memory(struct verification *verification, size_t i)
{
    const struct inflight_array *array = &inflight_table.array[i];
    struct pair *pair = &verification->pair[i];
    size_t bytes = bytes_of(verification, i);

    pair->first = space_map(array->name, bytes);
    pair->reference = pair->variant = pair->first.data;
    if (array->is_global) {
        pair->reference = global_of(verification, i, false);
        pair->variant = global_of(verification, i, true);
    } else if (is_memory_written(verification, i)) {
        pair->second = space_map(array->name, bytes);
        pair->variant = pair->second.data;
    }
}

static void make_pair(struct verification *verification, size_t i)
{
    struct pair *pair = &verification->pair[i],
                *memory = &verification->pair[memory_of(verification, i)];

    if (memory == pair) {
        make_memory(verification, i);
    } else {
        pair->reference = (char *)memory->reference + shift_of(verification, i);
        pair->variant = (char *)memory->variant + shift_of(verification, i);
    }
    fill_contents(verification, i, pair->reference);
}

static void renew_pair(const struct pair *pair)
{
    space_renew(&pair->first, pair->image);
    space_renew(&pair->second, pair->image);
}

/* After all that lies in it is filled. */
static void finish_memory(struct verification *verification, size_t i)
{
    struct pair *pair = &verification->pair[i];

    if (pair->second.map)
        memcpy(pair->variant, pair->reference, pair->first.bytes);
    if (pair->second.map && stays(verification->sizes, sizes_after(verification), i)) {
        pair->image = space_image(&pair->first, inflight_table.array[i].name);
        renew_pair(pair);
    }
    if (!is_memory_written(verification, i))
        space_protect(&pair->first);
}

/* What is there from the sizes before is as it was before them. */
static void begin_pair(struct verification *verification, size_t i)
{
    size_t memory = memory_of(verification, i);

    if (!stays(sizes_before(verification), verification->sizes, memory))
        make_pair(verification, i);
    else if (memory == i && verification->pair[i].image)
        renew_pair(&verification->pair[i]);
}

static void finish_pair(struct verification *verification, size_t i)
{
    if (memory_of(verification, i) == i &&
        !stays(sizes_before(verification), verification->sizes, i))
        finish_memory(verification, i);
}

/* Memories, then what lies in them. */
static void for_each(struct verification *verification,
                     void (*what)(struct verification *verification, size_t i))
{
    for (int inside = 0; inside < 2; inside++)
        for (size_t i = 0; i < inflight_table.array_nr; i++)
            if ((memory_of(verification, i) != i) == inside)
                what(verification, i);
}

/* What the untransformed kernel made must not change any more. A global array may be the
 * same one for both: its result is put aside, and it is filled anew. */
static void keep_reference(struct verification *verification, size_t i)
{
    struct pair *pair = &verification->pair[i],
                *memory = &verification->pair[memory_of(verification, i)];

    if (inflight_table.array[memory_of(verification, i)].is_global) {
        if (memory == pair && is_memory_written(verification, i))
            memcpy(pair->first.data, pair->reference, pair->first.bytes);
        fill_contents(verification, i, pair->variant);
    }
    pair->reference = memory->first.data + shift_of(verification, i);
}

static void protect_references(struct verification *verification)
{
    for (size_t i = 0; i < inflight_table.array_nr; i++)
        space_protect(&verification->pair[i].first);
}

/* Those whose records lie in it, or in part. */
static void clip_elements(const struct inflight_array *array, struct extent extent,
                          size_t *from, size_t *to)
{
    size_t first = extent.from / array->record_bytes * array->inside,
           end = (extent.to / array->record_bytes + (extent.to > 0)) * array->inside;

    *from = first < *to ? first : *to;
    *to = end < *to ? end : *to;
}

/* Where it has an image: elements that lie from the first to the last page written. */
static void report_all_odd(const struct verification *verification)
{
    for (size_t i = 0; i < inflight_table.array_nr; i++) {
        const struct inflight_array *array = &inflight_table.array[i];
        const struct pair *pair = &verification->pair[i],
                          *memory = &verification->pair[memory_of(verification, i)];
        size_t length = verification->sizes->array[i].length, from = 0, to = length;

        if (!array->is_written)
            continue;
        if (memory->image)
            clip_elements(array, space_changed(&memory->first, pair->reference), &from,
                          &to);
        report_odd(verification->out, array, pair->reference, from, to);
    }
}

/* A number by itself: no entry of the table. */
static bool is_alone(const struct inflight_array *array)
{
    const struct inflight_array *first = inflight_table.array;

    return array < first || array >= first + inflight_table.array_nr;
}

static void print_deviation(const struct verification *verification,
                            const struct inflight_array *array, size_t length,
                            struct deviation deviation)
{
    fprintf(verification->out, "array %s %zu %.3g %.3g\n", array->name, length,
            deviation.relative, deviation.absolute);
}

static void compare(struct verification *verification, const struct inflight_array *array,
                    unsigned exact, const void *want, const void *got, size_t length)
{
    struct deviation deviation = {0};

    if (memcmp(want, got, memory_bytes(array, length)) == 0)
        ; /* nothing to look at */
    else if (array->kind == 'f')
        deviation = compare_reals(verification->request, array, exact, want, got, length);
    else
        deviation = compare_integers(array, want, got, length);
    print_deviation(verification, array, length, deviation);
    if (!deviation.differs)
        return;
    verification->different = true;
    if (is_alone(array))
        fprintf(verification->out, "differ %s -", array->name);
    else
        fprintf(verification->out, "differ %s %zu", array->name, deviation.first);
    print_element(verification->out, array, want, deviation.first);
    print_element(verification->out, array, got, deviation.first);
    fputc('\n', verification->out);
}

/* A number by itself, as an array of one. */
static void compare_number(struct verification *verification, struct inflight_array alone,
                           unsigned exact, const void *want, const void *got)
{
    alone.record_bytes = alone.inside_bytes = alone.bytes;
    alone.inside = 1;
    report_odd(verification->out, &alone, want, 0, 1);
    compare(verification, &alone, exact, want, got, 1);
}

static void compare_result(struct verification *verification,
                           const struct inflight_result *want,
                           const struct inflight_result *got)
{
    struct inflight_array alone = {
        .name = "return", .kind = inflight_table.result, .bytes = 8};
    bool real = alone.kind == 'f';

    if (alone.kind != 'v')
        compare_number(verification, alone, inflight_table.result_bytes,
                       real ? (const void *)&want->real : &want->integer,
                       real ? (const void *)&got->real : &got->integer);
}

/* ---- fields and global variables that the kernel sets ---- */

static void *output_of(const struct verification *verification, size_t i, bool variant)
{
    return variant && !verification->request->against_itself
               ? inflight_variant_output((int)i)
               : inflight_reference_output((int)i);
}

/* Both kernels begin with what the untransformed one finds. */
static void begin_outputs(struct verification *verification, bool variant)
{
    for (size_t i = 0; i < inflight_table.output_nr; i++) {
        struct number *before = &verification->before[i];
        char *at = output_of(verification, i, variant);
        size_t bytes = inflight_table.output[i].bytes;

        if (variant)
            memcpy(at, before->byte, bytes);
        else
            memcpy(before->byte, at, bytes);
    }
}

static void keep_outputs(struct verification *verification)
{
    for (size_t i = 0; i < inflight_table.output_nr; i++)
        memcpy(verification->wanted[i].byte, output_of(verification, i, false),
               inflight_table.output[i].bytes);
}

static void compare_outputs(struct verification *verification)
{
    for (size_t i = 0; i < inflight_table.output_nr; i++) {
        const struct inflight_output *output = &inflight_table.output[i];
        struct inflight_array alone = {
            .name = output->name, .kind = output->kind, .bytes = output->bytes};

        compare_number(verification, alone, alone.bytes, verification->wanted[i].byte,
                       output_of(verification, i, true));
    }
}

/* `variant`: the variant, else the untransformed kernel; `beside`: on the variant's
 * memories. */
static void run_kernel(struct verification *verification, bool variant, bool beside,
                       struct inflight_result *result)
{
    const struct sizes *sizes = verification->sizes;
    void **data = must_alloc(inflight_table.array_nr, sizeof(*data));

    for (size_t i = 0; i < inflight_table.array_nr; i++)
        data[i] = argument_of(&inflight_table.array[i], &sizes->array[i],
                              beside ? verification->pair[i].variant
                                     : verification->pair[i].reference);
    if (variant && !verification->request->against_itself)
        inflight_variant_call(data, sizes->integer, sizes->real, result);
    else
        inflight_reference_call(data, sizes->integer, sizes->real, result);
    for (size_t i = 0; i < inflight_table.array_nr; i++)
        if (inflight_table.array[i].levels > 1)
            free(data[i]);
    free(data);
}

/* Says which arrays were written beside. */
static bool all_intact(const struct verification *verification)
{
    bool intact = true;

    for (size_t i = 0; i < inflight_table.array_nr; i++) {
        const struct pair *pair = &verification->pair[i];

        if (is_intact(&pair->first) && is_intact(&pair->second))
            continue;
        fprintf(verification->out, "outside %s\n", inflight_table.array[i].name);
        intact = false;
    }
    return intact;
}

/* Has it an image, and did both write the same over it? */
static bool is_alike(const struct pair *pair)
{
    const char *want = pair->first.data, *got = pair->second.data;
    struct extent extent;
    size_t end;

    if (!pair->image)
        return false;
    extent = space_joined(space_changed(&pair->first, want),
                          space_changed(&pair->second, got));
    end = extent.to < pair->first.bytes ? extent.to : pair->first.bytes;
    return end <= extent.from ||
           memcmp(want + extent.from, got + extent.from, end - extent.from) == 0;
}

static void compare_all(struct verification *verification,
                        struct inflight_result result[2])
{
    for (size_t i = 0; i < inflight_table.array_nr; i++) {
        const struct inflight_array *array = &inflight_table.array[i];
        const struct pair *pair = &verification->pair[i];
        size_t length = verification->sizes->array[i].length;

        if (!is_memory_written(verification, memory_of(verification, i)) ||
            array->kind == 'r')
            continue;
        if (is_alike(&verification->pair[memory_of(verification, i)]))
            print_deviation(verification, array, length, (struct deviation){0});
        else
            compare(verification, array, array->bytes, pair->reference, pair->variant,
                    length);
    }
    compare_outputs(verification);
    compare_result(verification, &result[0], &result[1]);
}

#include "program_kept.c"
#include "program_unstable.c"

static double seconds_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* The lines "case" and "reference" tell the reader of a file that ends early who is to
 * blame. */
static void verify_sizes(struct verification *verification)
{
    struct inflight_result result[2] = {{0}};

    for_each(verification, begin_pair);
    for_each(verification, finish_pair);
    begin_outputs(verification, false);
    if (!take_kept(verification, &result[0])) {
        double began_s = seconds_now();

        run_kernel(verification, false, false, &result[0]);
        fprintf(verification->out, "took %.6g\n", seconds_now() - began_s);
        if (!all_intact(verification)) {
            verification->different = true; /* the sizes make no sense for this kernel */
            return;
        }
        put_kept(verification, &result[0]);
    }
    fprintf(verification->out, "reference\n");
    for_each(verification, keep_reference);
    protect_references(verification);
    keep_outputs(verification);
    report_all_odd(verification);
    if (verification->request->reference_only)
        return;
    begin_outputs(verification, true);
    run_kernel(verification, true, true, &result[1]);
    if (!all_intact(verification))
        verification->different = true;
    if (verification->request->against_itself)
        compare_all(verification, result);
    else
        compare_stable(verification, result);
}

static void release_pair(struct verification *verification, size_t i)
{
    struct pair *pair = &verification->pair[i];

    if (memory_of(verification, i) == i &&
        stays(verification->sizes, sizes_after(verification), i))
        return;
    space_release(&pair->first);
    space_release(&pair->second);
    if (pair->image)
        close(pair->image);
    pair->image = 0;
}

/* Of a parallel kernel: however few processors there are, the threads take turns. */
enum { THREADS = 4 };
extern void omp_set_num_threads(int nr) __attribute__((weak));

static void set_threads(void)
{
    if (omp_set_num_threads)
        omp_set_num_threads(THREADS);
}

static int about(void)
{
    return printf("sizes %s\n", inflight_variant_sizes) < 0;
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--about") == 0)
        return about();
    struct request request = read_args(argc, argv, FOR_VERIFY);
    struct verification verification = {
        .request = &request,
        .pair = must_alloc(inflight_table.array_nr, sizeof(struct pair)),
        .before = must_alloc(inflight_table.output_nr, sizeof(struct number)),
        .wanted = must_alloc(inflight_table.output_nr, sizeof(struct number))};

    limit_self(&request);
    verification.out = open_out(request.out);
    setvbuf(verification.out, NULL, _IOLBF, BUFSIZ);
    sanitizer_begin(request.out, verification.out);
    catch_faults(verification.pair, verification.out);
    set_threads();
    for (size_t k = 0; k < request.sizes_nr && !verification.different; k++) {
        verification.sizes = &request.sizes[k];
        fprintf(verification.out, "case %zu\n", k);
        verify_sizes(&verification);
        for_each(&verification, release_pair);
    }
    close_out(request.out, verification.out);
    return verification.different ? EXIT_DIFFERENT : 0;
}
