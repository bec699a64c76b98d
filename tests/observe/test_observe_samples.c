/* Records of the kernel, made up; samples as a file; how sure a count is. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/files/fs.h"
#include "observe/sample/sample_decode.h"
#include "tests/check.h"

SUITE(observe_samples);

static const struct sample_hit *hit_at(const struct samples *samples, const char *module,
                                       uint64_t offset, int thread)
{
    for (size_t i = 0; i < samples->hit_nr; i++)
        if (samples->hit[i].offset == offset &&
            !strcmp(samples->module[samples->hit[i].module].path, module) &&
            samples->thread[samples->hit[i].thread].thread == thread)
            return &samples->hit[i];
    return NULL;
}

static void check_hits(const struct samples *samples, const char *module, uint64_t offset,
                       int thread, uint64_t want)
{
    const struct sample_hit *hit = hit_at(samples, module, offset, thread);

    if (check(hit != NULL))
        check_eq(hit->samples, want);
}

static void play(struct samples *samples, const struct sample_record *record, size_t nr)
{
    struct sample_fold *fold = sample_fold_new(samples);

    *samples = (struct samples){0};
    for (size_t i = 0; i < nr; i++)
        sample_fold_add(fold, &record[i]);
    sample_fold_free(fold);
}

static struct sample_record map(int process, uint64_t address, uint64_t length,
                                uint64_t offset, const char *path)
{
    return (struct sample_record){.kind = SAMPLE_MAP,
                                  .time_ns = 1,
                                  .process = process,
                                  .address = address,
                                  .length = length,
                                  .offset = offset,
                                  .path = (char *)(uintptr_t)path};
}

static struct sample_record clock_at(int process, int thread, uint64_t address)
{
    return (struct sample_record){.kind = SAMPLE_CLOCK,
                                  .time_ns = 500000001,
                                  .process = process,
                                  .thread = thread,
                                  .address = address};
}

static struct sample_record task(enum sample_kind kind, int process, int parent)
{
    return (struct sample_record){
        .kind = kind, .time_ns = 1, .process = process, .parent = parent};
}

TEST("places are those of the file")
{
    const struct sample_record record[] = {
        map(7, 0x10000, 0x1000, 0x2000, "/bin/a"),
        map(7, 0x20000, 0x1000, 0, "/lib/b"),
        clock_at(7, 7, 0x10010),
        clock_at(7, 8, 0x10010),
        clock_at(7, 8, 0x10010),
        clock_at(7, 7, 0x20fff),
        clock_at(7, 7, 0x21000),                 /* behind it */
        map(7, 0x20800, 0x100, 0x400, "/lib/c"), /* over a part of it */
        clock_at(7, 7, 0x20810),
        clock_at(7, 7, 0x20900),
        map(7, 0x30000, 0x1000, 0, "//anon"),
        clock_at(7, 7, 0x30010),
        {.kind = SAMPLE_LOST, .count = 5},
        {.kind = SAMPLE_MISS, .process = 7, .thread = 7, .address = 0x10010},
    };
    struct samples samples;

    play(&samples, record, ARRAY_SIZE(record));
    check_hits(&samples, "/bin/a", 0x2010, 7, 1);
    check_hits(&samples, "/bin/a", 0x2010, 8, 2);
    check_hits(&samples, "/lib/b", 0xfff, 7, 1);
    check_hits(&samples, "[unknown]", 0x21000, 7, 1);
    check_hits(&samples, "/lib/c", 0x410, 7, 1);
    check_hits(&samples, "/lib/b", 0x900, 7, 1);
    check_hits(&samples, "//anon", 0x30010, 7, 1);
    check_eq(samples.total, 8);
    check_eq(samples.lost, 5);
    check_eq(hit_at(&samples, "/bin/a", 0x2010, 7)->misses, 1);
    check_near(samples.thread[0].first_s, 0.5, 1e-9);
    samples_release(&samples);
}

TEST("processes have maps of their own")
{
    const struct sample_record record[] = {
        map(7, 0x10000, 0x1000, 0, "/bin/sh"),
        task(SAMPLE_FORK, 8, 7),
        clock_at(8, 8, 0x10010), /* still the shell's code */
        task(SAMPLE_EXEC, 8, 0),
        map(8, 0x10000, 0x1000, 0, "/bin/app"),
        clock_at(8, 8, 0x10010),
        clock_at(7, 7, 0x10010),
        task(SAMPLE_FORK, 8, 8), /* a thread */
        clock_at(8, 9, 0x10010),
        task(SAMPLE_FORK, 8, 7), /* its number came back */
        clock_at(8, 8, 0x10010),
    };
    struct samples samples;
    bool seen = false;

    play(&samples, record, ARRAY_SIZE(record));
    check_hits(&samples, "/bin/sh", 0x10, 8, 2); /* of the first 8 and of the last */
    check_hits(&samples, "/bin/app", 0x10, 8, 1);
    check_hits(&samples, "/bin/sh", 0x10, 7, 1);
    check_hits(&samples, "/bin/app", 0x10, 9, 1);
    for (size_t i = 0; i < samples.thread_nr; i++)
        seen |= samples.thread[i].thread == 9 &&
                !strcmp(samples.module[samples.thread[i].program].path, "/bin/app");
    check(seen);
    check_eq(samples.total, 5);
    samples_release(&samples);
}

TEST("many places")
{
    struct samples samples = {0};
    struct sample_fold *fold = sample_fold_new(&samples);
    struct sample_record record = map(7, 0, 1 << 20, 0, "/bin/a");

    sample_fold_add(fold, &record);
    for (uint64_t i = 0; i < 30000; i++) {
        record = clock_at(7, (int)(7 + i % 3), i % 10000 * 16);
        sample_fold_add(fold, &record);
    }
    check_eq(samples.hit_nr, 30000);
    check_hits(&samples, "/bin/a", 160, 8, 1);
    record = clock_at(7, 8, 160);
    sample_fold_add(fold, &record);
    check_hits(&samples, "/bin/a", 160, 8, 2);
    sample_fold_free(fold);
    samples_release(&samples);
}

/* ---- as the kernel writes them ---- */

TEST("records are decoded")
{
    struct {
        struct perf_event_header header;
        uint64_t word[16];
    } raw = {.header = {.type = PERF_RECORD_SAMPLE, .size = 40},
             .word = {77, 0x401000, 7 | UINT64_C(9) << 32, 123456}};
    uint64_t miss = 77;
    const struct sample_ids none = {0}, one = {&miss, 1};
    struct sample_record record;

    check(sample_decode(&raw.header, &none, &record));
    check_eq(record.kind, SAMPLE_CLOCK);
    check_eq(record.process, 7);
    check_eq(record.thread, 9);
    check_eq(record.address, 0x401000);
    check_eq(record.time_ns, 123456);
    check(sample_decode(&raw.header, &one, &record));
    check_eq(record.kind, SAMPLE_MISS);

    raw.header =
        (struct perf_event_header){.type = PERF_RECORD_MMAP2, .size = 8 + 64 + 8 + 24};
    memset(raw.word, 0, sizeof(raw.word));
    raw.word[0] = 7;
    raw.word[1] = 0x1000;
    raw.word[2] = 0x2000;
    raw.word[3] = 0x3000;
    memcpy(&raw.word[8], "/bin/a", 7);
    raw.word[9] = 7;
    raw.word[10] = 42;
    check(sample_decode(&raw.header, &none, &record));
    check_eq(record.kind, SAMPLE_MAP);
    check_eq(record.address, 0x1000);
    check_eq(record.length, 0x2000);
    check_eq(record.offset, 0x3000);
    check_eq(record.time_ns, 42);
    check_str(record.path, "/bin/a");
    free(record.path);
    raw.header.type = PERF_RECORD_COMM; /* a new name only, no new program */
    check(!sample_decode(&raw.header, &none, &record));
    raw.header.misc = PERF_RECORD_MISC_COMM_EXEC;
    check(sample_decode(&raw.header, &none, &record));
    check_eq(record.kind, SAMPLE_EXEC);
}

/* ---- as a file ---- */

static const char document[] =
    "{\"schema\": \"inflight.samples/1\", \"command\": [\"./a\", \"b c\"], \"dir\": "
    "\"/x\", \"rank\": \"3\", \"frequency_hz\": 997.0, \"lost\": 2, \"wall_s\": 1.5, "
    "\"user_s\": 1.25, \"system_s\": null, \"end\": \"signalled\", \"code\": 11, "
    "\"misses\": {\"event\": \"cache-misses\", \"period_lines\": 1000}, \"misses_why\": "
    "null, \"modules\": [\"/bin/a\", \"[vdso]\"], \"threads\": [[7, 8, 0, 0.1, 1.2], "
    "[7, 9, null, 0.2, 0.2]], \"hits\": [[0, 0, 4096, 90, 3], [1, 1, 8, 10, 0]]}";

static void write_document(const char *dir, const char *from, const char *to, char **path)
{
    struct buf text = {0};
    const char *at = from ? strstr(document, from) : NULL;
    struct error err = {0};

    if (at) {
        buf_add_n(&text, document, (size_t)(at - document));
        buf_addf(&text, "%s%s", to, at + strlen(from));
    } else
        buf_add(&text, document);
    *path = path_join(dir, "samples.json");
    check_ok(file_write(*path, buf_str(&text), text.length, &err), &err);
    buf_release(&text);
}

TEST("files come back")
{
    struct samples samples;
    struct error err = {0};
    char *dir, *path;

    check_ok(scratch_make(&dir, &err), &err);
    write_document(dir, NULL, NULL, &path);
    for (int round = 0; round < 2; round++) { /* read, written, read again */
        if (!check_ok(samples_read(path, &samples, &err), &err))
            break;
        check_eq(samples.total, 100);
        check_eq(samples.lost, 2);
        check_eq(samples.hit_nr, 2);
        check_hits(&samples, "/bin/a", 4096, 8, 90);
        check_eq(samples.hit[0].misses, 3);
        check_eq(samples.thread[1].program, UINT32_MAX);
        check_near(samples.thread[0].last_s, 1.2, 1e-9);
        check_str(samples.argv.v[1], "b c");
        check_str(samples.rank, "3");
        check(isnan(samples.system_s));
        check_near(samples.user_s, 1.25, 1e-9);
        check_eq(samples.end, SPAWN_SIGNALLED);
        check_eq(samples.code, 11);
        check_near(samples.miss_period, 1000, 1e-9);
        check_ok(samples_write(path, &samples, &err), &err);
        samples_release(&samples);
    }
    free(path);
    scratch_remove(dir);
}

TEST("damaged files are refused")
{
    static const struct {
        const char *from, *to, *part;
    } cases[] = {
        {"samples/1", "samples/9", "inflight.samples/9"},
        {"[0, 0, 4096", "[5, 0, 4096",
         "hits[0]: number 1: expected an integer from 0 to 1"},
        {"[1, 1, 8", "[1, 2, 8", "hits[1]: number 2"},
        {"8, 10, 0]", "8, 10]", "hits[1]: expected 5 numbers"},
        {"4096, 90", "4096, -90", "hits[0]: number 4"},
        {"[7, 8, 0, 0.1", "[7, 8, 2, 0.1", "threads[0]: number 3"},
        {"0.1, 1.2", "1.3, 1.2", "threads[0]: the thread ends before it begins"},
        {"signalled", "vanished", "'vanished' is not a way for a program to end"},
        {"\"lost\": 2", "\"lots\": 2", "lots"},
        {"997.0", "0", "frequency_hz"},
    };
    struct samples samples;
    struct error err = {0};
    char *dir, *path;

    check_ok(scratch_make(&dir, &err), &err);
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        write_document(dir, cases[i].from, cases[i].to, &path);
        check_fails(samples_read(path, &samples, &err), &err, STATUS_INPUT,
                    cases[i].part);
        free(path);
    }
    scratch_remove(dir);
}

/* Exact limits of a Poisson count (chi-square), and Wilson's interval by hand. */
TEST("intervals")
{
    static const struct {
        uint64_t count;
        double low, high;
    } exact[] = {
        {0, 0, 3.689}, {5, 1.623, 11.668}, {10, 4.795, 18.39}, {100, 81.36, 121.63}};

    for (size_t i = 0; i < ARRAY_SIZE(exact); i++) {
        struct quantity got = sample_count(exact[i].count, 1);

        check_near(got.value, (double)exact[i].count, 1e-12);
        check(fabs(got.low - exact[i].low) < 0.02 * (exact[i].low + 0.2));
        check(fabs(got.high - exact[i].high) < 0.02 * exact[i].high);
    }
    check_near(sample_count(10, 0.5).high, sample_count(10, 1).high / 2, 1e-12);
    check_near(sample_share(50, 100).low, 0.40383, 1e-4);
    check_near(sample_share(50, 100).high, 0.59617, 1e-4);
    check_near(sample_share(0, 100).high, 0.03699, 1e-3);
    check_eq(sample_share(0, 100).low, 0);
    check_eq(sample_share(100, 100).high, 1);
}
