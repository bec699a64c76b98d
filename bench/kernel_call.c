#include "bench/kernel_call.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGE = 4096, EXTENT_MAX = 1 << 22 };

static unsigned long long hash;

static void note_bytes(const void *at, size_t bytes)
{
    const unsigned char *byte = at;

    for (size_t i = 0; i < bytes; i++)
        hash = (hash ^ byte[i]) * 1099511628211u;
}

void call_note(const void *at, long nr, struct call_type type)
{
    for (long i = 0; i < nr; i++) {
        const unsigned char *element = (const unsigned char *)at + i * type.bytes;
        double real = 0;
        float single = 0;

        if (type.kind == 'f' && type.bytes == 4) {
            memcpy(&single, element, sizeof(single));
            real = single;
        } else if (type.kind == 'f') {
            memcpy(&real, element, sizeof(real));
        }
        if (real != real)
            note_bytes("nan", 3);
        else
            note_bytes(element, (size_t)type.bytes);
    }
}

static double number_of(long i, int contents, int is_real)
{
    static volatile double zero = 0;
    double mixed = (double)(i * 7 % 13 % 8);

    if (!is_real)
        return contents == 1 ? 1 : mixed;
    mixed = mixed * 0.37 - 1;
    if (contents == 1)
        return -0.5;
    const double odd[] = {0 / zero, 1 / zero, -0.0, 1e-310, mixed};
    return contents == 2 ? odd[i % 5] : mixed;
}

static void fill(unsigned char *at, long nr, struct call_type type, int contents)
{
    for (long i = 0; i < nr; i++, at += type.bytes) {
        double number = number_of(i, contents, type.kind == 'f');
        float single = (float)number;

        if (type.kind == 'f' && type.bytes == 4) {
            memcpy(at, &single, sizeof(single));
        } else if (type.kind == 'f') {
            memcpy(at, &number, sizeof(number));
        } else { /* of this machine: the low bytes first */
            int64_t integer = (int64_t)number;
            memcpy(at, &integer, (size_t)type.bytes);
        }
    }
}

/* Memory that ends, or begins, at a page that nobody may touch. */
struct arena {
    unsigned char *map, *begin;
    size_t bytes, mapped;
};

static struct arena arena_make(size_t bytes, int at_end)
{
    size_t inside = (bytes + PAGE) / PAGE * PAGE;
    struct arena arena = {.bytes = bytes, .mapped = inside + 2 * PAGE};

    arena.map = mmap(NULL, arena.mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (arena.map == MAP_FAILED ||
        mprotect(arena.map + PAGE, inside, PROT_READ | PROT_WRITE))
        abort();
    arena.begin = arena.map + PAGE + (at_end ? inside - bytes : 0);
    return arena;
}

void call_extend(long *extent, long long element)
{
    if (element < 0 || element > EXTENT_MAX)
        exit(3);
    if (element >= *extent)
        *extent = element + 1;
}

static void call_apart(const struct call_kernel *kernel, const struct call *call, long ea,
                       long eb)
{
    int at_end = call->m % 2 == 0;
    struct arena a = arena_make((size_t)(ea * kernel->a.bytes), at_end),
                 b = arena_make((size_t)(eb * kernel->b.bytes), at_end);
    long room = 0;
    void *global = call->alias == APART ? a.begin : kernel->global_of(call->alias, &room);

    if (!global || (call->alias != APART && ea > room))
        exit(3);
    fill(a.begin, ea, kernel->a, call->contents == 1 ? 0 : call->contents);
    fill(b.begin, eb, kernel->b, call->contents);
    kernel->invoke(call, global, b.begin);
    call_note(a.begin, ea, kernel->a);
    call_note(b.begin, eb, kernel->b);
    munmap(a.map, a.mapped);
    munmap(b.map, b.mapped);
}

static void call_shifted(const struct call_kernel *kernel, const struct call *call,
                         long ea, long eb)
{
    long unit = kernel->a.bytes > kernel->b.bytes ? kernel->a.bytes : kernel->b.bytes,
         shift = labs(call->shift) * unit, longest = ea * kernel->a.bytes;

    if (eb * kernel->b.bytes > longest)
        longest = eb * kernel->b.bytes;
    struct arena arena = arena_make((size_t)((longest + shift + unit) / unit * unit), 1);
    long nr = (long)arena.bytes / kernel->a.bytes;

    fill(arena.begin, nr, kernel->a, 0);
    kernel->invoke(call, arena.begin + (call->shift < 0 ? shift : 0),
                   arena.begin + (call->shift > 0 ? shift : 0));
    call_note(arena.begin, nr, kernel->a);
    munmap(arena.map, arena.mapped);
}

static void call_one(const struct call_kernel *kernel, int number)
{
    const struct call *call = &kernel->call[number];
    long a = 0, b = 0;

    hash = 1469598103934665603u;
    kernel->globals_reset();
    kernel->extents(call, &a, &b);
    if (call->alias == SHIFTED)
        call_shifted(kernel, call, a, b);
    else
        call_apart(kernel, call, a, b);
    kernel->globals_note();
    printf("%d %016llx\n", number, hash);
    fflush(stdout); /* a crash in the next one leaves this line */
}

int call_main(int argc, char **argv, const struct call_kernel *kernel)
{
    for (int i = 0; argc == 1 && i < kernel->nr; i++)
        printf("%s first=%lld second=%lld m=%lld contents=%d alias=%d shift=%d\n",
               kernel->call[i].kind, kernel->call[i].first, kernel->call[i].second,
               kernel->call[i].m, kernel->call[i].contents, (int)kernel->call[i].alias,
               kernel->call[i].shift);
    for (int i = 1; i < argc; i++)
        call_one(kernel, atoi(argv[i]) % kernel->nr);
    return 0;
}
