/*
 * What a tuning step costs a build: a project of N kernels with and without
 * inflight_tune, built clean and built again with nothing to do.
 *
 *     bench/build_step [--kernels 40] [--rounds 5] [--most 50]
 *
 * Each kernel has a record for this machine that fits, with its tuned C, and a header.
 * Built by one job, so that the time is that of all kernels one after the other. Rounds
 * take turns (without, with, with, without); a row holds the medians and the difference
 * for each kernel in milliseconds. Exit 1 when one is above --most.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "core/machine/machine.h"
#include "core/store/store.h"

enum { ROUNDS_MAX = 100, GENERATORS = 2 };

static const char *const generators[GENERATORS] = {"Ninja", "Unix Makefiles"};

struct project {
    char *dir;
    long long kernels, rounds;
    double most_ms;
};

/* ---- the project ---- */

static int put(const struct project *project, const char *name, const struct buf *text,
               struct error *err)
{
    char *path = path_join(project->dir, name);
    int status = file_write(path, buf_str(text), text->length, err);
    free(path);
    return status;
}

static int add_file(const struct project *project, struct record_machine *machine,
                    const char *name, struct error *err)
{
    char *path = path_join(project->dir, name), *hex = NULL;
    int status = sha256_file(path, &hex, err);
    GROW(machine->file, machine->file_nr + 1, machine->file_alloc);
    machine->file[machine->file_nr++] =
        (struct record_file){xstrdup(name), hex ? hex : xstrdup("")};
    free(path);
    return status;
}

static char *word(const char *text)
{
    return xstrdup(text ? text : "unknown");
}

static struct record_cpu cpu_of(const struct machine_processor *here)
{
    return (struct record_cpu){word(here->architecture), word(here->vendor),
                               word(here->first), word(here->second), word(here->name)};
}

/* As tune writes it; that nobody measured this gain makes no difference to a build. */
static int write_record(const struct project *project, const char *source,
                        const struct buf *code, struct error *err)
{
    struct machine_processor here;
    struct record record = {.source = xstrdup(source), .function = xstrdup("kernel")};
    machine_processor_here(&here);
    struct record_machine machine = {
        .cpu = cpu_of(&here),
        .plan = xstrdup("unroll(i:4)"),
        .code_sha256 = sha256_hex(buf_str(code), code->length),
        .compiler = xstrdup("cc"),
        .compiler_version = xstrdup("cc"),
        .profile = xstrdup(""),
        .cores = 1,
        .gain = quantity_between(1.5, 1.4, 1.6, 4, PROVENANCE_CLOCK),
        .environment_gain = quantity_unknown(),
        .tolerance = quantity_unknown(),
        .tolerance_absolute = quantity_unknown(),
        .verified = xstrdup("n=1, 2, 512"),
        .date = date_now(),
        .inflight = xstrdup("bench")};
    strvec_push_all(&machine.isa, &here.features);
    strvec_push(&machine.flags, "-O2");
    machine.code = record_code_name(source, &machine.cpu);
    char *name = xstrdup(machine.code), *beside = record_default_path(source);
    char *path = path_join(project->dir, beside);
    int status = add_file(project, &machine, source, err) ||
                 add_file(project, &machine, "kernel.h", err);
    record_put(&record, &machine);
    if (!status)
        status = record_write(path, &record, name, code, NULL, err);
    machine_processor_release(&here);
    record_release(&record);
    free(name);
    free(beside);
    free(path);
    return status ? -1 : 0;
}

static int write_kernel(const struct project *project, long long i, struct error *err)
{
    struct buf text = {0};
    char *name = xasprintf("k%lld.c", i);
    buf_addf(
        &text,
        "#include \"kernel.h\"\n\nvoid k%lld(long n, double a[n], const double b[n])\n"
        "{\n    for (long i = 0; i < n; i++)\n        a[i] += FACTOR * b[i];\n}\n",
        i);
    int status = put(project, name, &text, err);
    if (!status)
        status = write_record(project, name, &text, err);
    buf_release(&text);
    free(name);
    return status;
}

static int write_project(const struct project *project, struct error *err)
{
    struct buf lists = {0}, header = {0};
    buf_add(&header, "#define FACTOR 2.5\n");
    buf_add(&lists, "cmake_minimum_required(VERSION 3.20)\nproject(p LANGUAGES C)\n"
                    "set(CMAKE_C_FLAGS -O2)\noption(TUNE \"\" OFF)\n"
                    "include(\"" INFLIGHT_SOURCE_DIR "/cmake/inflight-tune.cmake\")\n"
                    "add_library(kernels STATIC");
    for (long long i = 0; i < project->kernels; i++)
        buf_addf(&lists, " k%lld.c", i);
    buf_add(&lists, ")\nif(TUNE)\n");
    for (long long i = 0; i < project->kernels; i++)
        buf_addf(&lists, "  inflight_tune(TARGET kernels KERNEL k%lld.c)\n", i);
    buf_add(&lists, "endif()\n");
    int status = put(project, "CMakeLists.txt", &lists, err) ||
                 put(project, "kernel.h", &header, err);
    for (long long i = 0; !status && i < project->kernels; i++)
        status = write_kernel(project, i, err);
    buf_release(&lists);
    buf_release(&header);
    return status ? -1 : 0;
}

/* ---- builds ---- */

static int run(const struct project *project, const char *const *argv, double *seconds,
               struct buf *said, struct error *err)
{
    struct spawn_outcome outcome = {0};
    double begin_s = clock_s();
    if (spawn_run(&(struct spawn_request){.argv = argv, .dir = project->dir}, &outcome,
                  err))
        return -1;
    *seconds = clock_s() - begin_s;
    bool good = outcome.end == SPAWN_EXITED && outcome.code == 0;
    if (said) {
        buf_add(said, buf_str(&outcome.out));
        buf_add(said, buf_str(&outcome.err));
    }
    int status = good ? 0
                      : fail(err, STATUS_FAILED, "%s fails: %s%s", argv[0],
                             buf_str(&outcome.out), buf_str(&outcome.err));
    spawn_outcome_release(&outcome);
    return status;
}

static char *folder_of(size_t generator, bool tuned)
{
    return xasprintf("b%zu-%d", generator, (int)tuned);
}

static int configure(const struct project *project, size_t generator, bool tuned,
                     struct error *err)
{
    char *folder = folder_of(generator, tuned);
    const char *const argv[] = {"cmake",
                                "-G",
                                generators[generator],
                                "-S",
                                ".",
                                "-B",
                                folder,
                                tuned ? "-DTUNE=ON" : "-DTUNE=OFF",
                                NULL};
    double ignored;
    int status = run(project, argv, &ignored, NULL, err);
    free(folder);
    return status;
}

/* Every kernel must have been built as tuned: else the figure means nothing. */
static int check_said(const struct project *project, const struct buf *said,
                      struct error *err)
{
    long long nr = 0;
    for (const char *at = buf_str(said); (at = strstr(at, "built as tuned")); at++)
        nr++;
    if (nr == project->kernels)
        return 0;
    return fail(err, STATUS_FAILED, "%lld of %lld kernels were built as tuned: %s", nr,
                project->kernels, buf_str(said));
}

/* Milliseconds of a clean build and of one with nothing to do. */
static int build(const struct project *project, size_t generator, bool tuned,
                 double ms[2], struct error *err)
{
    char *folder = folder_of(generator, tuned);
    const char *const clean[] = {"cmake", "--build", folder, "--target", "clean", NULL};
    const char *const all[] = {"cmake", "--build", folder, "-j", "1", NULL};
    struct buf said = {0};
    double ignored;
    int status = run(project, clean, &ignored, NULL, err);
    for (size_t i = 0; !status && i < 2; i++) {
        status = run(project, all, &ms[i], i ? NULL : &said, err);
        ms[i] *= 1000;
    }
    if (!status && tuned)
        status = check_said(project, &said, err);
    buf_release(&said);
    free(folder);
    return status;
}

/* ---- the table ---- */

static double median(double *value, size_t nr)
{
    sort_doubles(value, nr);
    return nr % 2 ? value[nr / 2] : (value[nr / 2 - 1] + value[nr / 2]) / 2;
}

static int measure(const struct project *project, size_t generator, bool *reached,
                   struct error *err)
{
    static const char *const what[2] = {"clean", "null"};
    static double ms[2][2][ROUNDS_MAX];
    for (int tuned = 0; tuned < 2; tuned++)
        if (configure(project, generator, tuned, err))
            return -1;
    for (long long r = 0; r < project->rounds; r++)
        for (int k = 0; k < 2; k++) {
            bool tuned = (k + r) % 2;
            double one[2];
            if (build(project, generator, tuned, one, err))
                return -1;
            for (size_t i = 0; i < 2; i++)
                ms[i][tuned][r] = one[i];
        }
    for (size_t i = 0; i < 2; i++) {
        double without = median(ms[i][0], (size_t)project->rounds),
               with = median(ms[i][1], (size_t)project->rounds),
               each = (with - without) / (double)project->kernels;
        bool good = each <= project->most_ms;
        *reached = *reached && good;
        printf("| %s | %s | %lld | %.0f | %.0f | %.1f | %g | %s |\n",
               generators[generator], what[i], project->kernels, without, with, each,
               project->most_ms, good ? "yes" : "**no**");
        fflush(stdout);
    }
    return 0;
}

static int read_args(int argc, char **argv, struct project *project, struct error *err)
{
    for (int i = 1; i < argc; i++) {
        bool more = i + 1 < argc;
        if (more && !strcmp(argv[i], "--kernels")) {
            if (parse_count(argv[++i], "--kernels", &project->kernels, err))
                return -1;
        } else if (more && !strcmp(argv[i], "--rounds")) {
            if (parse_count(argv[++i], "--rounds", &project->rounds, err))
                return -1;
        } else if (more && !strcmp(argv[i], "--most")) {
            if (parse_number(argv[++i], "--most", &project->most_ms, err))
                return -1;
        } else {
            return fail(err, STATUS_USAGE,
                        "usage: build_step [--kernels N] [--rounds N] [--most MS]");
        }
    }
    if (project->kernels < 1 || project->rounds < 1 || project->rounds > ROUNDS_MAX)
        return fail(err, STATUS_USAGE, "--kernels from 1 on, --rounds 1 to %d",
                    ROUNDS_MAX);
    return 0;
}

int main(int argc, char **argv)
{
    struct project project = {.kernels = 40, .rounds = 5, .most_ms = 50};
    struct error err = {0};
    bool reached = true;
    int status = read_args(argc, argv, &project, &err) ||
                 scratch_make(&project.dir, &err) || write_project(&project, &err);
    if (!status)
        printf("| generator | build | kernels | without, ms | with, ms | a kernel, ms | "
               "asked at most | reached |\n|---|---|---|---|---|---|---|---|\n");
    for (size_t g = 0; !status && g < GENERATORS; g++)
        status = measure(&project, g, &reached, &err);
    if (status)
        fprintf(stderr, "build_step: %s\n", err.text);
    if (project.dir)
        scratch_remove(project.dir);
    return status || !reached;
}
