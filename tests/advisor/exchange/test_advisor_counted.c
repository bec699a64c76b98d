/* Questions from counts: whose they are, what formulas give, what is told of them. */
#include "advisor/exchange/exchanged.h"
#include "core/cpu/cpu.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/session/context.h"
#include "search/session/measured.h"
#include "tests/check.h"
#include "variants/kernel/kernel.h"

SUITE(advisor_counted);

/* ---- names of CPUs ---- */

TEST("names of one CPU agree")
{
    static const struct {
        const char *a, *b;
        bool agree;
    } cases[] = {
        {"Intel(R) Xeon(R) Platinum 8160 CPU @ 2.10GHz",
         "Intel Xeon Platinum 8160 (Skylake-SP)", true},
        {"AMD EPYC 7742 64-Core Processor", "AMD EPYC 7742", true},
        {"AMD EPYC 7742", "AMD EPYC 7763", false},
        {"Intel Xeon Platinum 8160", "Intel Xeon Platinum 8168", false},
        {"Intel Xeon", "AMD EPYC 7742", false},
        {"", "AMD EPYC 7742", false},
        {"Neoverse-V2 (Grace", "neoverse-v2", true},
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        check_eq(cpu_names_agree(cases[i].a, cases[i].b), cases[i].agree);
        check_eq(cpu_names_agree(cases[i].b, cases[i].a), cases[i].agree);
    }
}

/* ---- a formula over events ---- */

static char *asked_cpu;

/* Lines of 64 bytes; a CPU that counts writes, too, has that event. */
static int lines(const char *cpu, const struct count_set *set,
                 struct quantity *read_bytes, struct quantity *write_bytes, char **source,
                 struct error *err)
{
    const struct event_count *read = count_set_find(set, "CAS_RD"),
                             *written = count_set_find(set, "CAS_WR");

    free(asked_cpu);
    asked_cpu = xstrdup(cpu);
    if (!read)
        return fail(err, STATUS_INPUT, "the event CAS_RD is missing");
    *read_bytes = quantity_scale(read->value, 64);
    *write_bytes = written ? quantity_scale(written->value, 64) : quantity_unknown();
    *source = xstrdup("64 bytes a CAS");
    return 0;
}

struct trial {
    struct settings settings;
    struct given given;
    struct question question;
    char *dir, *path;
    struct error err;
};

static int ask(struct trial *trial, const char *text, counted_formula *formula)
{
    check_ok(scratch_make(&trial->dir, &trial->err), &trial->err);
    trial->path = path_join(trial->dir, "c.csv");
    check_ok(file_write(trial->path, text, strlen(text), &trial->err), &trial->err);
    strvec_push(&trial->settings.counts, trial->path);
    if (!trial->settings.machine)
        trial->settings.machine = "skl";
    return counted_question(&trial->settings, formula, &trial->given, &trial->question,
                            &trial->err);
}

static void drop(struct trial *trial)
{
    given_release(&trial->given);
    strvec_release(&trial->settings.counts);
    scratch_remove(trial->dir);
    free(trial->path);
    free(asked_cpu);
    asked_cpu = NULL;
}

TEST("a formula gives the bytes")
{
    struct trial trial = {0};

    if (check_ok(ask(&trial, "CAS_RD,1e9,0.9\nCAS_WR,5e8\nseconds,2\n", lines),
                 &trial.err)) {
        check_near(trial.question.read_gbs.value, 32, 1e-9);
        check_near(trial.question.read_gbs.low, 28.8, 1e-9);
        check_near(trial.question.read_gbs.high, 35.2, 1e-9);
        check_near(trial.question.write_gbs.value, 16, 1e-9);
        check_near(trial.question.gbs, 48, 1e-9);
        check_str(trial.given.source, "bandwidth recorded by c.csv: 64 bytes a CAS");
        check_str(asked_cpu, "Intel Xeon Platinum 8160 (Skylake-SP)");
        check_eq(trial.question.read_gbs.provenance, PROVENANCE_RECORDED);
    }
    drop(&trial);
}

TEST("what is said outright goes before")
{
    struct trial trial = {0};

    if (check_ok(ask(&trial, "CAS_RD,1e9\nread_gbs,20\ncpu,Xeon Platinum 8160\n", lines),
                 &trial.err)) {
        check_near(trial.question.read_gbs.value, 20, 0);
        check_near(trial.question.write_gbs.value, 0, 0);
        check_str(trial.given.source, "bandwidth recorded by c.csv");
        check_contains(trial.given.note.v[0], "writes are not among the counts");
        check(!asked_cpu);
    }
    drop(&trial);
}

TEST("what a formula cannot say")
{
    static const struct {
        const char *text, *part;
    } cases[] = {
        {"CAS_WR,1\nseconds,1\n", "bytes through memory: the event CAS_RD is missing; "
                                  "add rows read_bytes and write_bytes, or gbs"},
        {"CAS_RD,1e9\n", "do not say what time they cover: give --seconds TIME"},
        {"CAS_RD,0\nseconds,1\n", "nothing was read from memory"},
        {"CAS_RD,nan\nseconds,1\n", "do not tell the bytes through memory"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct trial trial = {0};

        check_fails(ask(&trial, cases[i].text, lines), &trial.err, STATUS_INPUT,
                    cases[i].part);
        drop(&trial);
    }
}

/* ---- access and cores ---- */

static void check_share(const char *text, const char *access, double share)
{
    struct trial trial = {.settings.access = access};

    if (check_ok(ask(&trial, text, NULL), &trial.err)) {
        check_eq(trial.question.random_share.known, share >= 0);
        if (trial.question.random_share.known)
            check_near(trial.question.random_share.value, share, 1e-9);
    }
    drop(&trial);
}

TEST("access is told or counted")
{
    check_share("gbs,50\n", NULL, -1);
    check_share("gbs,50\n", "random", 1);
    check_share("gbs,50\nrandom_share,0.3\n", NULL, 0.3);
    check_share("gbs,50\nrandom_share,0.3\n", "streaming", 0);
    check_share("gbs,50\nfill_lines,1000\nprefetched_lines,750\n", NULL, 0.25);
    check_share("gbs,50\nfill_lines,1000\nprefetched_lines,1100\n", NULL, 0);
    check_share("gbs,50\nfill_lines,0\nprefetched_lines,0\n", NULL, -1);
}

TEST("cores are those of the machine at most")
{
    static const struct {
        const char *text;
        long long given;
        int cores;
    } cases[] = {{"gbs,50\n", -1, 0},
                 {"gbs,50\ncores,12\n", -1, 12},
                 {"gbs,50\ncores,48\n", -1, 24},
                 {"gbs,50\ncores,48\n", 6, 6}};

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct trial trial = {.settings.cores = cases[i].given};

        if (check_ok(ask(&trial, cases[i].text, NULL), &trial.err))
            check_eq(trial.question.cores, cases[i].cores);
        drop(&trial);
    }
}

/* ---- what an interval and an unknown access do to the answer ---- */

TEST("the answer carries the interval")
{
    struct trial trial = {0};
    struct rule_set *rules = NULL;
    struct answer answer;

    check_ok(rule_set_load(NULL, &rules, &trial.err), &trial.err);
    if (check_ok(ask(&trial, "read_gbs,60,0.9\nwrite_gbs,20\n", NULL), &trial.err) &&
        check_ok(answer_question(&trial.question, rules, &answer, &trial.err),
                 &trial.err)) {
        const struct occupancy *now = &answer.occupancy;

        check_near(now->bandwidth_gbs.low, 74, 1e-9);
        check_near(now->bandwidth_gbs.value, 80, 1e-9);
        check_near(now->bandwidth_gbs.high, 86, 1e-9);
        check_near(now->read_share.value, 0.75, 1e-9);
        check(now->paper_n.low < now->paper_n.value);
        check(!now->random_share.known || now->random_share.high > 0.99);
        answer_release(&answer);
    }
    rule_set_free(rules);
    drop(&trial);
}

/* ---- sessions ---- */

static int count_record(void *data, const char *variant, const char *text)
{
    (void)variant;
    (void)text;
    ++*(int *)data;
    return 0;
}

/* What a record answered is in the database already. */
TEST("replayed measurements are not stored again")
{
    static const char kernel[] = INFLIGHT_SOURCE_DIR "/templates/kernels/triad.c";
    struct settings settings = {.command = "tune", .quiet = true};
    struct kernel_request request = {.path = kernel};
    struct measurement measurement = {.plan = xstrdup(""), .time_s = quantity_unknown()};
    struct context bench;
    struct error err = {0};
    char *dir = NULL, *path;
    int stored = 0;

    context_start(&bench, &settings);
    check_ok(scratch_make(&dir, &err), &err);
    path = path_join(dir, "s.db");
    if (check_ok(kernel_open(&request, &bench.kernel, &err), &err) &&
        check_ok(store_open(path, &bench.store, &err), &err) &&
        check_ok(store_session_new(bench.store, "key", "tune", "triad", "{}",
                                   &bench.session, &err),
                 &err)) {
        struct search_observer observer = context_observer(&bench);

        check_ok(observer.measured(observer.data, &measurement, &err), &err);
        measurement.replayed = true;
        check_ok(observer.measured(observer.data, &measurement, &err), &err);
        check_ok(store_measurement_each(bench.store, bench.session, count_record, &stored,
                                        &err),
                 &err);
        check_eq(stored, 1);
    }
    measurement_release(&measurement);
    context_release(&bench);
    free(path);
    scratch_remove(dir);
}
