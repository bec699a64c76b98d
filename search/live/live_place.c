/* The live runner: compilers, processors and threads of an environment. */
#include <stdlib.h>
#include <string.h>

#include "core/base/error.h"
#include "search/live/live_parts.h"

/* ---- what builds it ---- */

static int open_toolchain(const struct live *live, const struct environment *environment,
                          struct toolchain *toolchain, struct error *err)
{
    const struct toolchain *own = live->opts.toolchain;
    struct strvec flags = {0};
    if (*environment->flags)
        strvec_split(&flags, environment->flags);
    else
        strvec_push_all(&flags, &own->flags);
    if (environment->threads > 1)
        strvec_push(&flags, "-fopenmp");
    int status =
        toolchain_find(*environment->compiler ? environment->compiler : own->compiler,
                       &flags, toolchain, err);
    strvec_release(&flags);
    return status;
}

static struct live_toolchain *known_toolchain(const struct live *live, const char *key)
{
    for (size_t i = 0; i < live->toolchain_nr; i++)
        if (!strcmp(live->toolchain[i]->key, key))
            return live->toolchain[i];
    return NULL;
}

int live_toolchain(struct live *live, const struct environment *environment,
                   const struct toolchain **out, struct error *err)
{
    *out = live->opts.toolchain;
    if (!*environment->compiler && !*environment->flags && environment->threads <= 1)
        return 0;
    char *key = xasprintf("%s|%s|%s", environment->compiler, environment->flags,
                          environment->threads > 1 ? "threads" : "");
    struct live_toolchain *found = known_toolchain(live, key);
    if (found) {
        free(key);
    } else {
        found = xcalloc(1, sizeof(*found));
        found->key = key;
        GROW(live->toolchain, live->toolchain_nr + 1, live->toolchain_alloc);
        if (open_toolchain(live, environment, &found->toolchain, err)) {
            free(found);
            free(key);
            return -1;
        }
        live->toolchain[live->toolchain_nr++] = found;
    }
    *out = &found->toolchain;
    return 0;
}

void live_toolchains_release(struct live *live)
{
    for (size_t i = 0; i < live->toolchain_nr; i++) {
        toolchain_release(&live->toolchain[i]->toolchain);
        free(live->toolchain[i]->key);
        free(live->toolchain[i]);
    }
    free(live->toolchain);
}

/* ---- where it runs ---- */

size_t live_copies_on(size_t places, size_t loaded, int threads)
{
    size_t each = threads > 1 ? (size_t)threads : 1;
    if (each > places)
        return 0;
    return loaded / each ? loaded / each : 1;
}

static int use_siblings(struct live *live, int smt, struct error *err)
{
    if (live->smt.threads_per_core == smt)
        return 0;
    free(live->smt.cpu);
    live->smt = (struct machine_cpus){0};
    return machine_cpus_smt(NULL, smt, &live->smt, err);
}

int live_place(struct live *live, const struct environment *environment,
               struct run_place *place, struct error *err)
{
    int smt = environment->smt > 1 ? environment->smt : 1,
        threads = environment->threads > 1 ? environment->threads : 1;
    if (smt > 1 && use_siblings(live, smt, err))
        return -1;
    const struct machine_cpus *cpus = smt > 1 ? &live->smt : &live->cpus;
    *place = (struct run_place){
        .cpu = cpus->cpu,
        .copies = live_copies_on(cpus->cpu_nr, live->copies * (size_t)smt, threads),
        .threads = threads,
        .schedule = environment->schedule};
    if (!place->copies)
        return fail(err, STATUS_MISSING,
                    "%d threads were asked for, but this process may use %zu %s", threads,
                    cpus->cpu_nr, smt > 1 ? "hardware threads" : "cores");
    return 0;
}
