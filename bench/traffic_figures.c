/*
 * Traffic of the cache model against closed forms: streams (read, write, past the caches,
 * copy, triad), matrix products, the re-sorting copies of a 3-D FFT, and a gather array
 * by array. The machine is fixed here, so that the table is the same everywhere. Prints
 * one row a kernel and size; exit 1 when one for which the closed form holds is off by
 * more than 2 %. Rows named "not claimed" show where it does not hold, and why.
 * Arguments: compilers, gcc unless told.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/traffic/traffic.h"
#include "variants/variants.h"

#define LLC (2.0 * 1048576)

static const struct traffic_geometry machine = {
    .line_bytes = 64,
    .level_nr = 3,
    .level = {{.bytes = 32768, .ways = 8},
              {.bytes = 262144, .ways = 8},
              {.bytes = LLC, .ways = 16}},
    .page_bytes = 4096,
    .store_read_factor = 1,
};
static const double allowed = 0.02;

/* Bytes of one call through memory; 0 = nothing may move. */
struct row {
    const char *kernel;
    const char *words[6];
    double reads, writes;
    const char *regime;    /* what makes the closed form */
    const char *unclaimed; /* why it need not hold; NULL = it must */
};

static const struct row rows[] = {
    {"stream_read", {"set n = 1000000"}, 8e6, 0, "n", NULL},
    {"stream_read", {"set n = 4000000"}, 32e6, 0, "n", NULL},
    {"stream_read", {"set n = 100000"}, 0, 0, "fits", NULL},
    {"stream_write", {"set n = 1000000"}, 8e6, 8e6, "n, n", NULL},
    {"stream_write", {"set n = 4000000"}, 32e6, 32e6, "n, n", NULL},
    {"stream_past", {"set n = 1000000"}, 0, 8e6, "0, n", NULL},
    {"stream_past", {"set n = 4000000"}, 0, 32e6, "0, n", NULL},
    {"stream_copy", {"set n = 1000000"}, 16e6, 8e6, "2n, n", NULL},
    {"stream_copy", {"set n = 4000000"}, 32e6 * 2, 32e6, "2n, n", NULL},
    {"stream_triad", {"set n = 1000000"}, 24e6, 8e6, "3n, n", NULL},
    {"stream_triad", {"set n = 4000000"}, 96e6, 32e6, "3n, n", NULL},
    {"stream_triad", {"set n = 60000"}, 0, 0, "fits (0.7 of the last level)", NULL},
    {"stream_triad",
     {"set n = 90000"},
     24 * 9e4,
     8 * 9e4,
     "3n, n",
     "1.03 of the last level: what of it stays depends on how its index spreads"},
    {"stream_triad", {"set n = 120000"}, 24 * 12e4, 8 * 12e4, "3n, n", NULL},
    {"stream_strided",
     {"set n = 500000"},
     8 * 5e5,
     8 * 5e5,
     "n, n",
     "one element of a line is used: eight times what was asked for moves"},
    {"stream_strided",
     {"set n = 500000"},
     64 * 5e5,
     64 * 5e5,
     "8n, 8n (whole lines)",
     NULL},
    {"gemv",
     {"set m = 1000", "set n = 2000"},
     8 * (2e6 + 3000),
     8 * 1000.0,
     "mn+m+n, m",
     NULL},
    {"gemv",
     {"set m = 100000", "set n = 40"},
     8 * (4e6 + 1e5 + 40),
     8e5,
     "mn+m+n, m",
     NULL},
    {"gemv_capped",
     {"set m = 1000000", "set n = 32"},
     8e6,
     8e6,
     "m, m (matrix fits)",
     NULL},
    {"gemv_capped",
     {"set m = 400000", "set n = 128"},
     8 * 4e5,
     8 * 4e5,
     "m, m (matrix fits)",
     NULL},
    {"gemv_capped",
     {"set m = 6000", "set n = 1000"},
     8 * (6e6 + 6e3 + 1e3),
     8 * 6e3,
     "mn+m+n, m (matrix does not fit)",
     NULL},
    {"gemv_capped",
     {"set m = 50000", "set n = 512"},
     8 * 5e4,
     8 * 5e4,
     "m, m (matrix fits)",
     "the matrix is just as large as the last level"},
    {"gemm",
     {"set batch = 16", "set n = 128"},
     16 * 3 * 8 * 16384.0,
     16 * 8 * 16384.0,
     "3n^2, n^2 (in cache)",
     NULL},
    {"gemm",
     {"set batch = 8", "set n = 200"},
     8 * 3 * 8 * 4e4,
     8 * 8 * 4e4,
     "3n^2, n^2 (in cache)",
     NULL},
    {"gemm",
     {"set batch = 1", "set n = 640"},
     8 * (262144e3 + 2 * 409600.0),
     8 * 409600.0,
     "n^3+2n^2, n^2 (out of cache)",
     NULL},
    {"gemm",
     {"set batch = 1", "set n = 500"},
     8 * (125e6 + 2 * 250e3),
     8 * 250e3,
     "n^3+2n^2, n^2 (out of cache)",
     "one matrix is 0.95 of the last level: neither all nor nothing of it stays"},
    {"s1cf_nest1",
     {"set planes = 64", "set rows = 64", "set cols = 64"},
     2 * 4194304.0,
     4194304.0,
     "2, 1 per element",
     NULL},
    {"s1cf_nest1",
     {"set planes = 200", "set rows = 200", "set cols = 32"},
     2 * 2048e4,
     2048e4,
     "2, 1 per element",
     NULL},
    {"s1cf_nest2",
     {"set planes = 60", "set rows = 60", "set cols = 100"},
     2 * 576e4,
     576e4,
     "2, 1 (lines of a column of planes fit)",
     NULL},
    {"s1cf_nest2",
     {"set planes = 200", "set rows = 200", "set cols = 36"},
     5 * 2304e4,
     2304e4,
     "5, 1 (they do not fit)",
     NULL},
    {"s1cf_nest2",
     {"set planes = 160", "set rows = 160", "set cols = 36"},
     5 * 14745600.0,
     14745600.0,
     "5, 1",
     "they take 0.98 of the last level: between two and five reads"},
    {"s1cf",
     {"set planes = 60", "set rows = 60", "set cols = 100"},
     2 * 576e4,
     576e4,
     "2, 1",
     NULL},
    {"s1cf",
     {"set planes = 200", "set rows = 200", "set cols = 36"},
     2 * 2304e4,
     2304e4,
     "2, 1",
     NULL},
    {"s1cf",
     {"set planes = 128", "set rows = 128", "set cols = 128"},
     2 * 33554432.0,
     33554432.0,
     "2, 1",
     "stores 256 KiB apart: how many of them share a set is up to the hash of the last "
     "level"},
    {"s2cf",
     {"set planes = 30", "set x = 40", "set y = 50", "set rows = 8"},
     2 * 768e4,
     768e4,
     "2, 1",
     NULL},
    {"s2cf",
     {"set planes = 60", "set x = 60", "set y = 60", "set rows = 4"},
     2 * 13824e3,
     13824e3,
     "2, 1",
     NULL},
    {"s1pf",
     {"set planes = 20", "set rows = 100", "set cols = 120"},
     2 * 384e4,
     384e4,
     "2, 1",
     NULL},
    {"s1pf",
     {"set planes = 4", "set rows = 400", "set cols = 400"},
     2 * 1024e4,
     1024e4,
     "2, 1",
     NULL},
    {"s2pf",
     {"set planes = 30", "set x = 40", "set y = 50", "set rows = 8"},
     2 * 768e4,
     768e4,
     "2, 1",
     NULL},
    {"s2pf",
     {"set planes = 4", "set x = 200", "set y = 200", "set rows = 4"},
     2 * 1024e4,
     1024e4,
     "2, 1",
     NULL},
};

static char *source_of(const char *kernel)
{
    return xasprintf("%s/bench/kernels/%s.c", INFLIGHT_SOURCE_DIR,
                     strcmp(kernel, "stream_past") ? "closed_forms"
                                                   : "closed_forms_past");
}

static int open_bound(const char *name, const char *const *word, size_t word_nr,
                      struct kernel **kernel, struct error *err)
{
    struct kernel_request request = {.function = name};
    char *path = source_of(name);
    int result;

    request.path = path;
    for (size_t i = 0; i < word_nr && word[i]; i++)
        strvec_push(&request.words, word[i]);
    result = kernel_open(&request, kernel, err);
    if (result == 0)
        result = kernel_bind(*kernel, err);
    strvec_release(&request.words);
    free(path);
    return result;
}

/* Everything is simulated: what is asked here is the model, not the sampling. */
static int trace(struct kernel *kernel, const char *program, const char *scratch,
                 struct traffic *traffic, struct error *err)
{
    struct strvec args = {0};
    struct kernel_counts counts = kernel_counts(kernel);
    struct traffic_trace_request request = {
        .program = program,
        .args = &args,
        .geometry = machine,
        .accesses_total = counts.accesses.known ? counts.accesses.value : 0,
        .accesses_budget = 2e9,
        .limit_s = 600,
        .scratch = scratch,
        .cpu = -1};
    int result;

    variant_args(kernel, &args);
    result = traffic_trace(&request, traffic, err);
    strvec_release(&args);
    return result;
}

static int measure(const char *name, const char *const *word, size_t word_nr,
                   const struct toolchain *toolchain, const char *scratch,
                   struct traffic *traffic)
{
    struct kernel *kernel = NULL;
    struct plan *plan = NULL;
    struct error err = {0};
    char *program = NULL;
    int result = -1;

    *traffic = (struct traffic){0};
    if (open_bound(name, word, word_nr, &kernel, &err) == 0 &&
        plan_parse("", &plan, &err) == 0 &&
        variant_build(kernel, plan, toolchain, VARIANT_TRACE, scratch, &program, &err) ==
            0)
        result = trace(kernel, program, scratch, traffic, &err);
    if (result)
        printf("| %s | | | | | | %s |\n", name, err.text);
    free(program);
    plan_free(plan);
    kernel_free(kernel);
    return result;
}

/* "7.9 MB, -0.1 %"; *off: by how much. Where nothing may move: against the last level. */
static void print_against(double got, double want, double *off)
{
    *off = want > 0 ? got / want - 1 : got / LLC;
    printf(" %.4g MB | %.4g MB | %+.2f %% |", got * 1e-6, want * 1e-6, 100 * *off);
}

static double written(const struct traffic *traffic)
{
    return traffic_write_bytes(traffic).value;
}

static int print_row(const struct row *row, const struct traffic *traffic)
{
    double reads_off, writes_off;
    bool held;

    printf("| %s |", row->kernel);
    for (size_t i = 0; i < ARRAY_SIZE(row->words) && row->words[i]; i++)
        printf("%s%s", i ? ", " : " ", row->words[i] + strlen("set "));
    printf(" | %s |", row->regime);
    print_against(traffic_read_bytes(traffic).value, row->reads, &reads_off);
    print_against(written(traffic), row->writes, &writes_off);
    held = fabs(reads_off) <= allowed && fabs(writes_off) <= allowed;
    printf(" %s%s |\n",
           row->unclaimed ? "not claimed: "
           : held         ? "yes"
                          : "**no**",
           row->unclaimed ? row->unclaimed : "");
    fflush(stdout);
    return !held && !row->unclaimed;
}

static int run_rows(const struct toolchain *toolchain, const char *scratch)
{
    int off = 0;

    printf(
        "\nTraffic through memory, %s; last level 2 MiB, 16 ways, lines of 64 bytes\n\n"
        "| kernel | size | closed form (reads, writes) | read | closed form | off | "
        "written | closed form | off | within 2 %% |\n"
        "|---|---|---|---|---|---|---|---|---|---|\n",
        toolchain->version);
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct traffic traffic;

        if (measure(rows[i].kernel, rows[i].words, ARRAY_SIZE(rows[i].words), toolchain,
                    scratch, &traffic))
            off++;
        else
            off += print_row(&rows[i], &traffic);
        traffic_release(&traffic);
    }
    return off;
}

/*
 * By array. Of the random lines, those hit that are still in the last level; the three
 * arrays share it as they fill it: one line, 1/8 and 1/16 of a line per element.
 */

enum { GATHER_N = 2000000, GATHER_M = 8000000 };

static double gather_bytes(const char *array)
{
    double fills = 1 + 1.0 / 8 + 1.0 / 16;

    if (!strcmp(array, "to"))
        return 8.0 * GATHER_N;
    if (!strcmp(array, "index"))
        return 4.0 * GATHER_N;
    if (!strcmp(array, "table"))
        return 64.0 * GATHER_N * (1 - LLC / fills / (8.0 * GATHER_M));
    return 0;
}

static int print_part(const struct traffic *traffic, const struct traffic_part *part)
{
    int last = traffic->level_nr - 1;
    double reads_off, writes_off;
    double read = part->fills[last].value * traffic->line_bytes;
    double write = part->writebacks[last].value * traffic->line_bytes;
    bool held;

    printf("| %s |", part->name);
    print_against(read, gather_bytes(part->name), &reads_off);
    print_against(write, !strcmp(part->name, "to") ? gather_bytes("to") : 0, &writes_off);
    held = fabs(reads_off) <= allowed && fabs(writes_off) <= allowed;
    printf(" %s |\n", held ? "yes" : "**no**");
    return !held;
}

static int run_parts(const struct toolchain *toolchain, const char *scratch)
{
    static const char *const words[] = {"set n = 2000000", "set m = 8000000",
                                        "buffer index = index(m)"};
    struct traffic traffic;
    int off = 0;

    printf("\nBy array: to[i] = table[index[i]], %d elements of a table of %d\n\n",
           GATHER_N, GATHER_M);
    if (measure("gather", words, ARRAY_SIZE(words), toolchain, scratch, &traffic))
        return 1;
    if (traffic.array_nr == 0) {
        puts("no figures by array: this source of traffic cannot tell them");
        off++;
    } else {
        puts(
            "| array | read | closed form | off | written | closed form | off | within 2 "
            "% |\n|---|---|---|---|---|---|---|---|");
    }
    for (size_t i = 0; i < traffic.array_nr; i++)
        off += print_part(&traffic, &traffic.array[i]);
    traffic_release(&traffic);
    return off;
}

static int run(const char *compiler, const char *scratch)
{
    struct toolchain toolchain;
    struct error err = {0};
    int off;

    if (toolchain_find(compiler, NULL, &toolchain, &err)) {
        fprintf(stderr, "bench: %s\n", err.text);
        return 1;
    }
    off = run_rows(&toolchain, scratch) + run_parts(&toolchain, scratch);
    toolchain_release(&toolchain);
    return off;
}

int main(int argc, char **argv)
{
    struct error err = {0};
    char *scratch = NULL;
    int off = 0;

    if (scratch_make(&scratch, &err)) {
        fprintf(stderr, "bench: %s\n", err.text);
        return 2;
    }
    if (argc < 2)
        off = run("gcc", scratch);
    for (int i = 1; i < argc; i++)
        off += run(argv[i], scratch);
    scratch_remove(scratch);
    return off > 0;
}
