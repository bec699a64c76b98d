/*
 * The program's memory, all of it at once: on huge pages, and kept by malloc instead of
 * given back to the system and got anew, page fault by page fault. What walks of page
 * tables cost is counted by few machines and the program's time tells it everywhere, so
 * each change is run, in the program, against the program without it.
 */
#define _XOPEN_SOURCE 700 /* confstr */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "advisor/application/tuning.h"
#include "core/base.h"
#include "core/code/code.h"
#include "core/machine/machine.h"

/* What the second-level TLBs of current cores reach with pages of 4 KiB, 1536 to 3072 of
 * them (Intel, AMD: optimization manuals): a program that touches less has nothing to
 * gain. */
enum { pages_min = 2048 };
/* Of the time, in the kernel: below it page faults cost too little to be the first that
 * is looked at. */
static const double kernel_much = 0.05;

/* malloc's settings: glibc's manual, "Memory Allocation Tunables". The numbers: nothing
 * by mmap, nothing given back, and grown by 64 MiB at a time. */
static const char *const tunable[] = {
    [MEMORY_MALLOC_HUGE] = "glibc.malloc.hugetlb=1",
    [MEMORY_MALLOC_KEPT] =
        "glibc.malloc.mmap_max=0:glibc.malloc.trim_threshold=0x4000000000000000:"
        "glibc.malloc.top_pad=0x4000000",
};
static const struct {
    int major, minor; /* of glibc: since when */
} since[] = {[MEMORY_MALLOC_HUGE] = {2, 35}, [MEMORY_MALLOC_KEPT] = {2, 26}};

const char memory_constructor[] =
    "\n"
    "/* Static arrays on huge pages: Linux, transparent huge pages. */\n"
    "#ifdef __linux__\n"
    "#include <sys/mman.h>\n"
    "extern char __bss_start[], _end[];\n"
    "#ifndef MADV_HUGEPAGE /* hidden by a strict -std */\n"
    "#define MADV_HUGEPAGE 14\n"
    "extern int madvise(void *, __SIZE_TYPE__, int);\n"
    "#endif\n"
    "__attribute__((constructor)) static void static_arrays_on_huge_pages(void)\n"
    "{\n"
    "    const __SIZE_TYPE__ huge = 2ul << 20;\n"
    "    __SIZE_TYPE__ begin = ((__SIZE_TYPE__)__bss_start + huge - 1) & ~(huge - 1);\n"
    "    __SIZE_TYPE__ end = (__SIZE_TYPE__)_end & ~(huge - 1);\n"
    "\n"
    "    if (begin < end)\n"
    "        madvise((void *)begin, end - begin, MADV_HUGEPAGE);\n"
    "}\n"
    "#endif\n";

const char *memory_name(enum memory_change change)
{
    static const char *const name[] = {
#define X(name, phrase) [MEMORY_##name] = phrase,
        MEMORY_MAP(X)
#undef X
    };
    return name[change];
}

/* ---- what is worth a try ---- */

static bool glibc_has(enum memory_change change)
{
#ifdef _CS_GNU_LIBC_VERSION
    char text[64] = "";
    int major = 0, minor = 0;

    confstr(_CS_GNU_LIBC_VERSION, text, sizeof(text));
    const char *at = strchr(text, ' ');
    if (at) {
        char *end;

        major = (int)strtol(at + 1, &end, 10);
        minor = *end == '.' ? (int)strtol(end + 1, NULL, 10) : 0;
    }
    return major > since[change].major ||
           (major == since[change].major && minor >= since[change].minor);
#else
    (void)change;
    return false;
#endif
}

static double static_mib(const struct tuning *tuning)
{
    const char *program = tuning->trees.argv.v[0];
    char *path = *program == '/'
                     ? xstrdup(program)
                     : path_join(tuning->trees.tree[TREE_ORIGINAL].cwd, program);
    struct entry_file *file = NULL;
    struct error ignored = {0};
    double bytes = 0;

    if (entry_file_open(path, &file, &ignored) == 0)
        bytes = (double)entry_zero_bytes(file);
    entry_file_close(file);
    free(path);
    return bytes / (1 << 20);
}

/* Why it is not tried; NULL = it is. Caller frees. */
static char *not_tried(const struct tuning *tuning, enum memory_change change,
                       double arrays_mib)
{
    const struct application *app = tuning->app;
    const char *mode = memory_thp_mode();
    double page_mib = (double)sysconf(_SC_PAGESIZE) / (1 << 20),
           mib = page_mib * (double)app->page_faults, reach_mib = page_mib * pages_min;
    bool is_huge = change != MEMORY_MALLOC_KEPT;

    if (is_huge && strcmp(mode, "madvise") != 0)
        return xasprintf("transparent huge pages are set to '%s' for all programs of "
                         "this machine",
                         mode);
    if (!app->source)
        return xstrdup("none of the hot routines has a source in C or C++ in the project "
                       "that would show that it was this program that ran");
    if (app->page_faults < pages_min)
        return xasprintf("the program touches %.1f MiB, which the TLBs cover", mib);
    if (change != MEMORY_STATIC_HUGE && arrays_mib <= mib && mib - arrays_mib < reach_mib)
        return xasprintf("of the %.1f MiB that it touches, %.1f MiB are static arrays",
                         mib, arrays_mib);
    if (change != MEMORY_STATIC_HUGE && !glibc_has(change))
        return xasprintf("its malloc has no such setting: that needs glibc %d.%d",
                         since[change].major, since[change].minor);
    if (change == MEMORY_STATIC_HUGE && arrays_mib < reach_mib)
        return xasprintf("they are %.1f MiB in all, which the TLBs cover", arrays_mib);
    return NULL;
}

/* ---- a change ---- */

/* What the user has set goes on. Caller frees. */
static char *environment_with(const char *old, const char *setting)
{
    const char *given = getenv("GLIBC_TUNABLES");

    if (old)
        return xasprintf("%s:%s", old, setting);
    return xasprintf("GLIBC_TUNABLES=%s%s%s", given ? given : "",
                     given && *given ? ":" : "", setting);
}

static void end_as(struct application_memory *memory, enum loop_end end, char *why)
{
    free(memory->why);
    memory->end = end;
    memory->why = why;
}

static int keep(struct tuning *tuning, enum memory_change change, char **environment,
                const struct buf *text, struct error *err)
{
    struct application *app = tuning->app;

    end_as(&app->memory[change], LOOP_CONFIRMED, NULL);
    if (change == MEMORY_STATIC_HUGE)
        return tuning_keep(tuning, app->source, text, err);
    free(app->environment);
    app->environment = *environment;
    *environment = NULL;
    return 0;
}

static int try_change(struct tuning *tuning, struct comparing *comparing,
                      enum memory_change change, const struct buf *source,
                      struct error *err)
{
    struct application *app = tuning->app;
    struct application_memory *memory = &app->memory[change];
    char *environment = change == MEMORY_STATIC_HUGE
                            ? NULL
                            : environment_with(app->environment, tunable[change]);
    struct buf text = {0};
    struct comparison comparison = {
        .text = &text,
        .environment = {app->environment, environment ? environment : app->environment}};
    struct error failure = {0};
    char *why;

    progress_say(tuning->progress, "trying %s", memory_name(change));
    buf_add_n(&text, buf_str(source), source->length);
    if (change == MEMORY_STATIC_HUGE)
        buf_add(&text, memory_constructor);
    int failed =
            tuning_confirm(tuning, comparing, &comparison, &memory->in_app, &failure),
        status = tuning_judge(tuning, failed, &failure, &memory->in_app, &why, err);
    if (!status && why)
        end_as(memory, LOOP_UNCONFIRMED, why);
    else if (!status)
        status = keep(tuning, change, &environment, &text, err);
    buf_release(&text);
    free(environment);
    return status;
}

/* What a change takes at least; behind the first, whose copies the others share. */
static double change_s(const struct tuning *tuning, bool opened)
{
    return tuning_pairs_s(tuning, IN_APP_PAIRS_MIN) -
           (opened ? tuning->build_s + tuning->run_s : 0);
}

/* In copies that all of them share; of the time that is theirs each has the same part. */
static int try_changes(struct tuning *tuning, double until_s, struct error *err)
{
    struct application *app = tuning->app;
    const struct comparison base = {.tree = TREE_CURRENT, .file = app->source};
    struct comparing comparing;
    struct error why = {0};
    struct buf source = {0};
    int status = trees_read(&tuning->trees, TREE_CURRENT, app->source, &source, err);
    int opened = tuning_open(tuning, &comparing, &base, &why), left = MEMORY_NR;

    if (!status && opened && spawn_interrupted())
        status = fail_as(err, &why);
    for (int change = 0; change < MEMORY_NR && !status; change++, left--) {
        if (app->memory[change].end != LOOP_READY ||
            clock_s() + change_s(tuning, true) > until_s)
            continue;
        tuning->until_s = clock_s() + (until_s - clock_s()) / left;
        if (opened)
            end_as(&app->memory[change], LOOP_UNCONFIRMED,
                   trees_in_project(&tuning->trees, why.text));
        else
            status =
                try_change(tuning, &comparing, (enum memory_change)change, &source, err);
    }
    tuning_close(&comparing);
    buf_release(&source);
    return status;
}

/* A text that can be added to. */
static char *find_source(const struct tuning *tuning)
{
    static const char *const ending[] = {".c", ".C", ".cc", ".cpp", ".cxx", ".c++"};
    const struct app *app = &tuning->app->app;

    for (size_t i = 0; i < app->row_nr; i++) {
        const char *file =
            app->row[i].source ? trees_file(&tuning->trees, app->row[i].source) : NULL;
        const char *dot = file ? strrchr(file, '.') : NULL;

        for (size_t k = 0; dot && k < ARRAY_SIZE(ending); k++)
            if (!strcmp(dot, ending[k]))
                return xstrdup(file);
    }
    return NULL;
}

double memory_kernel_share(const struct application *app)
{
    const struct samples *samples = &app->app.samples;
    double all_s = samples->user_s + samples->system_s;

    return all_s > 0 ? samples->system_s / all_s : 0;
}

void memory_look(struct tuning *tuning)
{
    double arrays_mib = static_mib(tuning);

    tuning->app->source = find_source(tuning);
    for (int change = 0; change < MEMORY_NR; change++) {
        char *why = not_tried(tuning, (enum memory_change)change, arrays_mib);

        end_as(&tuning->app->memory[change], why ? LOOP_REFUSED : LOOP_READY, why);
    }
}

bool memory_is_first(const struct tuning *tuning, double share)
{
    return memory_kernel_share(tuning->app) > kernel_much &&
           (tuning->end_s - clock_s()) * share > change_s(tuning, false);
}

int memory_try(struct tuning *tuning, double share, struct error *err)
{
    struct application *app = tuning->app;
    bool any = false;
    int status = 0;

    for (int change = 0; change < MEMORY_NR; change++)
        any = any || app->memory[change].end == LOOP_READY;
    tuning_share(tuning, share);
    if (any && clock_s() + change_s(tuning, false) <= tuning->until_s)
        status = try_changes(tuning, tuning->until_s, err);
    return status;
}

void memory_end(const struct tuning *tuning)
{
    struct application_memory *memory = tuning->app->memory;

    for (int change = 0; change < MEMORY_NR; change++)
        if (memory[change].end == LOOP_READY)
            end_as(&memory[change], LOOP_REFUSED,
                   tuning_too_late(tuning, change_s(tuning, false)));
}
