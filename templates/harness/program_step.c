/* One call between marks, for a parent that steps through it (core/run/run_stretch.c).
 * A mark is a SIGSTOP of our own. */
#include <sys/ptrace.h>

/* Where they lie, for who looks at the addresses that the call touches. */
static void report_arrays(FILE *out, const struct buffer *buffer)
{
    for (size_t i = 0; i < inflight_table.array_nr; i++)
        if (buffer[i].bytes)
            fprintf(out, "array %s %zu %zu\n", inflight_table.array[i].name,
                    (size_t)buffer[i].data, buffer[i].bytes);
    if (fflush(out))
        stop(1, "cannot write where the arrays lie: %s", strerror(errno));
}

/* What runs between the first two marks is all that does not belong to the call. */
static void step_call(const struct request *request, void *const *data)
{
    const struct sizes *sizes = &request->sizes[0];
    struct inflight_result result;

    if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
        stop(EXIT_ARGUMENTS, "tracing is not allowed here: %s", strerror(errno));
    for (int mark = 0; mark < 3; mark++) {
        if (mark == 2)
            inflight_variant_call(data, sizes->integer, sizes->real, &result);
        raise(SIGSTOP);
    }
}
