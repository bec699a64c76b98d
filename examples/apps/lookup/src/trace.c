/* Requests by Zipf's law: the key of rank r is asked for in proportion to 1 / r^skew. */
#define _POSIX_C_SOURCE 200809L /* getline */
#include "trace.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/app.h"

/* Ranks by inverting the integral of x^-skew, which stands for the sum (Gray and others,
 * 1994, do the same): close to Zipf's law but for the first few ranks. */
struct ranks {
    double nr, skew;
    double whole; /* of the integral, from 1 to nr + 1 */
};

static struct ranks ranks_of(double nr, double skew)
{
    double whole =
        skew == 1.0 ? log(nr + 1.0) : (pow(nr + 1.0, 1.0 - skew) - 1.0) / (1.0 - skew);

    return (struct ranks){.nr = nr, .skew = skew, .whole = whole};
}

static uint64_t ranks_draw(const struct ranks *ranks, struct app_random *random)
{
    double share = app_random_unit(random) * ranks->whole, x;

    if (ranks->skew == 0.0)
        x = 1.0 + share;
    else if (ranks->skew == 1.0)
        x = exp(share);
    else
        x = pow(1.0 + share * (1.0 - ranks->skew), 1.0 / (1.0 - ranks->skew));
    return x < ranks->nr + 1.0 ? (uint64_t)x - 1 : (uint64_t)ranks->nr - 1;
}

uint64_t trace_key(uint64_t rank)
{
    return (rank + 1) * 0x9e3779b97f4a7c15u; /* odd: no two ranks share a key */
}

void trace_make(struct trace *trace, const struct trace_kind *kind)
{
    struct app_random random = {.state = (uint64_t)kind->seed};
    struct ranks ranks = ranks_of((double)kind->population, kind->skew);

    trace->nr = kind->requests;
    trace->key = app_array((size_t)trace->nr, sizeof(*trace->key));
    for (long i = 0; i < trace->nr; i++) {
        bool unknown = app_random_unit(&random) < kind->unknown;
        uint64_t rank = ranks_draw(&ranks, &random);
        trace->key[i] = trace_key(unknown ? rank + (uint64_t)kind->population : rank);
    }
}

static int line_read(struct trace *trace, long *alloc, const char *path, const char *line)
{
    char *end = NULL;

    errno = 0;
    uint64_t key = strtoull(line, &end, 10);
    if (errno || end == line || *line == '-' || strspn(end, " \r\n") != strlen(end) ||
        key == 0) {
        fprintf(stderr, "%s:%ld: a key is a whole number from 1 on\n", path,
                trace->nr + 1);
        return -1;
    }
    if (trace->nr == *alloc) {
        *alloc = *alloc ? 2 * *alloc : 1024;
        uint64_t *more = app_array((size_t)*alloc, sizeof(*more));
        if (trace->nr)
            memcpy(more, trace->key, (size_t)trace->nr * sizeof(*more));
        free(trace->key);
        trace->key = more;
    }
    trace->key[trace->nr++] = key;
    return 0;
}

int trace_read(struct trace *trace, const char *path)
{
    FILE *file = fopen(path, "r");
    char *line = NULL;
    size_t size = 0;
    long alloc = 0;
    int status = 0;

    *trace = (struct trace){0};
    if (!file) {
        fprintf(stderr, "cannot open the trace '%s': %s\n", path, strerror(errno));
        return -1;
    }
    while (status == 0 && getline(&line, &size, file) >= 0)
        status = line_read(trace, &alloc, path, line);
    if (status == 0 && trace->nr == 0) {
        fprintf(stderr, "the trace '%s' has no requests\n", path);
        status = -1;
    }
    free(line);
    fclose(file);
    if (status)
        trace_release(trace);
    return status;
}

void trace_release(struct trace *trace)
{
    free(trace->key);
    *trace = (struct trace){0};
}
