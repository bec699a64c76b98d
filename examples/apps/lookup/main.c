/*
 * lookup: one shard of a key-value service.
 *
 *     $ build/lookup
 *     16777216 entries in 33554432 slots (1024 MiB), 1.50 probes a hit, 47 at most
 *     result hits ... misses ... checksum ...
 */
#include <stdbool.h>
#include <stdio.h>

#include "common/app.h"
#include "src/service.h"
#include "src/trace.h"

struct run {
    long entries, batch, ticks;
    double load;
    struct trace_kind kind;
    const char *file;
    bool small;
};

static enum app_read run_read(struct run *run, int argc, char **argv)
{
    const struct app_option option[] = {
        {"--entries", "entries of the table", .count = &run->entries, .least = 1,
         .most = 1e9},
        {"--load", "slots in use, at most, as a share", .real = &run->load, .least = 0.05,
         .most = 0.9},
        {"--batch", "requests that are answered together", .count = &run->batch,
         .least = 1, .most = 1e8},
        {"--ticks", "batches", .count = &run->ticks, .least = 1, .most = 1e7},
        {"--requests", "of the trace, which is replayed as often as it takes",
         .count = &run->kind.requests, .least = 1, .most = 1e9},
        {"--skew", "of Zipf's law: 0 = all keys alike", .real = &run->kind.skew,
         .least = 0.0, .most = 1.5},
        {"--unknown", "share of requests for keys that are not there",
         .real = &run->kind.unknown, .least = 0.0, .most = 1.0},
        {"--seed", "of the random numbers", .count = &run->kind.seed, .least = 0,
         .most = 1e15},
        {"--trace", "a FILE of requests, a key a line, instead", .text = &run->file},
        {"--small", "a problem of a moment: --entries 20000 --batch 1000 --ticks 50",
         .flag = &run->small},
    };
    enum app_read read = app_options_read(argc, argv, "One shard of a key-value service.",
                                          option, sizeof(option) / sizeof(*option));

    if (run->small) {
        run->entries = 20000;
        run->batch = 1000;
        run->ticks = 50;
        run->kind.requests = 20000;
    }
    run->kind.population = run->entries;
    return read;
}

static int requests_get(const struct run *run, struct trace *trace)
{
    if (run->file)
        return trace_read(trace, run->file);
    trace_make(trace, &run->kind);
    return 0;
}

static void table_print(const struct table *table)
{
    struct table_probes probes;

    table_probes(table, &probes);
    printf("%llu entries in %llu slots (%llu MiB), %.2f probes a hit, %llu at most\n",
           (unsigned long long)table->entries, (unsigned long long)table->mask + 1,
           (unsigned long long)((table->mask + 1) * sizeof(*table->slot) >> 20),
           probes.mean, (unsigned long long)probes.longest);
}

/* Replays the trace, a batch a tick; what is left at its end is a smaller batch. */
static void run_ticks(const struct run *run, struct service *service,
                      const struct trace *trace)
{
    long at = 0;

    for (long tick = 0; tick < run->ticks; tick++) {
        long n = trace->nr - at < run->batch ? trace->nr - at : run->batch;
        service_tick(service, &trace->key[at], n);
        at = at + n < trace->nr ? at + n : 0;
    }
}

static bool report(const struct service *service)
{
    uint64_t asked = service->hits + service->misses;
    bool good = service->wrong == 0;

    printf("result hits %llu misses %llu updates %llu checksum %016llx\n",
           (unsigned long long)service->hits, (unsigned long long)service->misses,
           (unsigned long long)service->updates, (unsigned long long)service->checksum);
    printf("check  %llu of %llu answers are not what was stored: %s\n",
           (unsigned long long)service->wrong, (unsigned long long)asked,
           good ? "good" : "BAD");
    printf("batch  median %.3f ms, 99 %% %.3f ms, longest %.3f ms\n",
           1e-6 * (double)histogram_quantile(&service->batch_ns, 0.5),
           1e-6 * (double)histogram_quantile(&service->batch_ns, 0.99),
           1e-6 * (double)histogram_quantile(&service->batch_ns, 1.0));
    return good;
}

int main(int argc, char **argv)
{
    struct run run = {
        .entries = 1 << 24,
        .batch = 1 << 19,
        .ticks = 192,
        .load = 0.5,
        .kind = {.requests = 1 << 23, .skew = 0.5, .unknown = 0.1, .seed = 1}};
    enum app_read read = run_read(&run, argc, argv);
    struct service service;
    struct trace trace = {0};

    if (read != APP_READ_RUN)
        return read == APP_READ_HELP ? 0 : 2;
    double begin = app_seconds();
    if (requests_get(&run, &trace))
        return 1;
    service_start(&service, run.entries, run.load, run.batch);
    service_fill(&service, run.entries, run.ticks);
    table_print(&service.table);
    double filled = app_seconds() - begin;
    run_ticks(&run, &service, &trace);
    bool good = report(&service);
    printf("time   fill %.2f s, lookups %.2f s, rest %.2f s\n", filled, service.lookup_s,
           service.rest_s);
    service_release(&service);
    trace_release(&trace);
    return good ? 0 : 1;
}
