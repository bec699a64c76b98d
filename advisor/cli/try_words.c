#include "advisor/cli/cli.h"

#include <stdlib.h>
#include <string.h>

#include "advisor/cli/settings.h"
#include "advisor/session/context.h"
#include "core/base/error.h"
#include "search/space/space.h"
#include "variants/clang/clang.h"

static const char *const try_words[] = {"compiler", "flags", "smt", "threads",
                                        "schedule", "none",  NULL};
enum word {
    TRY_COMPILER,
    TRY_FLAGS,
    TRY_SMT,
    TRY_THREADS,
    TRY_SCHEDULE,
    TRY_NONE,
    TRY_NR
};

static struct environment *add(struct environments *list)
{
    GROW(list->item, list->nr + 1, list->alloc);
    list->item[list->nr] = (struct environment){0};
    return &list->item[list->nr++];
}

static int put_text(char *room, size_t size, const char *text, const char *what,
                    struct error *err)
{
    if (strlen(text) >= size)
        return fail(err, STATUS_USAGE, "%s: '%.40s...' is too long, %zu characters fit",
                    what, text, size - 1);
    memcpy(room, text, strlen(text) + 1);
    return 0;
}

/* ---- words ---- */

static int read_words(const char *text, bool wanted[TRY_NR], struct error *err)
{
    char *copy = xstrdup(text ? text : ""), *rest = NULL;
    int status = 0;
    for (char *word = strtok_r(copy, ", ", &rest); !status && word;
         word = strtok_r(NULL, ", ", &rest)) {
        size_t i = 0;
        while (i < TRY_NR && strcmp(try_words[i], word))
            i++;
        if (i == TRY_NR)
            status = fail(err, STATUS_USAGE,
                          "--try: expected compiler, flags, smt, threads, schedule or "
                          "none, got '%s'",
                          word);
        else
            wanted[i] = true;
    }
    free(copy);
    return status;
}

/* ---- compilers ---- */

char *first_compiler(const struct settings *settings)
{
    return xstrndup(settings->compiler, strcspn(settings->compiler, ","));
}

static int add_compiler(struct environments *list, const char *name, struct error *err)
{
    struct environment *environment = add(list);
    return put_text(environment->compiler, sizeof(environment->compiler), name,
                    "--compiler", err);
}

static int add_compilers(const struct settings *settings, bool wanted, bool is_clang,
                         struct environments *list, struct error *err)
{
    const char *more = strchr(settings->compiler, ',');
    char *copy = xstrdup(more ? more : ""), *rest = NULL;
    int status = 0;
    for (char *name = strtok_r(copy, ",", &rest); !status && name;
         name = strtok_r(NULL, ",", &rest))
        status = add_compiler(list, name, err);
    if (wanted && !more)
        status = add_compiler(list, is_clang ? "gcc" : "clang", err);
    free(copy);
    return status;
}

/* ---- flags ---- */

/* What may change results other than by its speed. */
static int check_order(const struct strvec *flags, struct error *err)
{
    static const char *const reorders[] = {"-Ofast", "-ffast-math", "-fassociative-math",
                                           "-funsafe-math-optimizations",
                                           "-ffp-model=fast"};
    for (size_t i = 0; i < flags->nr; i++)
        for (size_t k = 0; k < ARRAY_SIZE(reorders); k++)
            if (!strcmp(flags->v[i], reorders[k]))
                return fail(err, STATUS_USAGE,
                            "--flags-try: '%s' lets the compiler reorder sums; allow "
                            "that with --reassociate",
                            reorders[k]);
    return 0;
}

static int add_flags(const struct settings *settings, const char *text,
                     struct environments *list, struct error *err)
{
    struct strvec flags = {0};
    strvec_split(&flags, text);
    int status = flags_check(&flags, err);
    if (!status && !settings->reassociate)
        status = check_order(&flags, err);
    strvec_release(&flags);
    struct environment *environment = add(list);
    return status ? -1
                  : put_text(environment->flags, sizeof(environment->flags), text,
                             "--flags-try", err);
}

/* -fprefetch-loop-arrays is gcc's and no part of -O3; wide vectors are left unused by
 * default on many x86 processors that have them. */
static int add_flag_sets(const struct settings *settings, bool wanted, bool is_clang,
                         struct environments *list, struct error *err)
{
    static const struct {
        const char *flags;
        bool gcc_only;
    } sets[] = {
        {"-O2 -march=native", false},
        {"-O3 -march=native -funroll-loops", false},
        {"-O3 -march=native -fprefetch-loop-arrays", true},
#ifdef __x86_64__
        {"-O3 -march=native -mprefer-vector-width=512", false},
#endif
    };
    for (size_t i = 0; i < settings->flags_try.nr; i++)
        if (add_flags(settings, settings->flags_try.v[i], list, err))
            return -1;
    for (size_t i = 0; wanted && i < ARRAY_SIZE(sets); i++)
        if (!(is_clang && sets[i].gcc_only) &&
            add_flags(settings, sets[i].flags, list, err))
            return -1;
    return 0;
}

/* ---- threads ---- */

static void add_threads(int cores, struct environments *list)
{
    for (int threads = 2; threads < cores; threads *= 2)
        add(list)->threads = threads;
    if (cores > 1)
        add(list)->threads = cores;
}

/* With all threads: some runtimes take one iteration at a time where a loop leaves the
 * schedule to them. 16: whole cache lines of doubles, so that no two threads write into
 * one. */
static void add_schedules(int cores, struct environments *list)
{
    static const char *const schedule[] = {"static", "static,16", "dynamic,16", "guided"};
    for (size_t i = 0; cores > 1 && i < ARRAY_SIZE(schedule); i++) {
        struct environment *environment = add(list);
        memcpy(environment->schedule, schedule[i], strlen(schedule[i]) + 1);
        environment->threads = cores;
    }
}

int environments_to_try(const struct settings *settings, bool is_clang, int cores,
                        struct environments *out, struct error *err)
{
    bool wanted[TRY_NR] = {false};
    *out = (struct environments){0};
    if (read_words(settings->try, wanted, err) ||
        add_compilers(settings, wanted[TRY_COMPILER], is_clang, out, err) ||
        add_flag_sets(settings, wanted[TRY_FLAGS], is_clang, out, err))
        return -1;
    if (wanted[TRY_SMT])
        add(out)->smt = 2;
    if (wanted[TRY_THREADS])
        add_threads(cores, out);
    if (wanted[TRY_SCHEDULE])
        add_schedules(cores, out);
    out->none = wanted[TRY_NONE];
    if (out->none && out->nr)
        return fail(err, STATUS_USAGE,
                    "--try: none goes with no other word, no --flags-try and one "
                    "compiler");
    return 0;
}

void environments_release(struct environments *list)
{
    free(list->item);
    *list = (struct environments){0};
}
