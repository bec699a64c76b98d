/* Counts what the kernel moves: `program --set n=100 --buffer a=100:zero --geometry ...
 * --out counts`. */
#include "program_buffers.c"

#include "core/traffic/tracer/tracer.h"

/* The kernel's own calls of these; the compiler is told not to make any by itself. */
void *inflight_traced_memcpy(void *to, const void *from, size_t bytes);
void *inflight_traced_memmove(void *to, const void *from, size_t bytes);
void *inflight_traced_memset(void *to, int byte, size_t bytes);

/* What it does is charged to the kernel's line that calls. */
#define CALLER ((uintptr_t)__builtin_return_address(0))

void *inflight_traced_memcpy(void *to, const void *from, size_t bytes)
{
    tracer_copy_from(CALLER, to, from, bytes);
    return memcpy(to, from, bytes);
}

void *inflight_traced_memmove(void *to, const void *from, size_t bytes)
{
    tracer_copy_from(CALLER, to, from, bytes);
    return memmove(to, from, bytes);
}

void *inflight_traced_memset(void *to, int byte, size_t bytes)
{
    size_t done = 0;

    for (; done + 16 <= bytes; done += 16)
        tracer_write_from(CALLER, (char *)to + done, 16);
    for (; done < bytes; done++)
        tracer_write_from(CALLER, (char *)to + done, 1);
    return memset(to, byte, bytes);
}

static void announce(const struct inflight_array *array, const struct buffer *memory)
{
    size_t bytes = (array->inside - 1) * array->inside_bytes + array->bytes;

    if (is_dense(array))
        tracer_array(array->name, memory->data, memory->bytes);
    else
        tracer_field(array->name, memory->data, memory->bytes, array->record_bytes,
                     array->offset, bytes);
}

/* The pointers to rows have no entry of the table. */
static void announce_rows(const struct inflight_array *array, const struct asked *asked,
                          const void *pointers)
{
    size_t room = strlen(array->name) + sizeof("pointers of "), nr = 0;
    char *name = must_alloc(room, 1);

    snprintf(name, room, "pointers of %s", array->name);
    for (size_t k = 0; k + 1 < array->levels; k++)
        nr += pointers_of(asked, k);
    tracer_array(name, pointers, nr * sizeof(void *));
    free(name);
}

int main(int argc, char **argv)
{
    struct request request = read_args(argc, argv, FOR_TRACE);
    struct buffer *buffer = must_alloc(inflight_table.array_nr, sizeof(*buffer));
    struct inflight_result result;
    void **data;

    limit_self(&request);
    if (tracer_configure(request.geometry, read_real("--total", request.total),
                         read_real("--budget", request.budget), request.out))
        return EXIT_ARGUMENTS;
    data = buffers_fill(&request, buffer);
    for (size_t i = 0; i < inflight_table.array_nr; i++)
        announce(&inflight_table.array[i], &buffer[inflight_table.array[i].memory]);
    for (size_t i = 0; i < inflight_table.array_nr; i++)
        if (buffer[i].argument != buffer[i].data)
            announce_rows(&inflight_table.array[i], &request.sizes[0].array[i],
                          buffer[i].argument);
    for (int calls = tracer_calls(); calls > 0; calls--) {
        tracer_start();
        inflight_variant_call(data, request.sizes[0].integer, request.sizes[0].real,
                              &result);
        tracer_stop();
    }
    return 0;
}
