/* Load on the cores that no copy uses, as long as a launch runs: the measuring program
 * itself, started with --background. Private to core/run. */
#ifndef CORE_RUN_RUN_BACKGROUND_H
#define CORE_RUN_RUN_BACKGROUND_H

#include "core/run/run.h"

/* {0} is the valid empty one. */
struct background {
    struct spawn_child **child;
    size_t nr;
    char *note; /* what could not be done as asked; NULL = nothing */
};

/*
 * Where helpers go: `allowed` without `used`, one to each core that has no thread in use,
 * else to the siblings of threads in use (*on_siblings). siblings(a, b) tells whether two
 * cpus are threads of one core. `out` has room for allowed_nr. Returns how many; 0 when
 * every cpu is in use.
 */
size_t background_cpus(const int *allowed, size_t allowed_nr, const int *used,
                       size_t used_nr, bool (*siblings)(int a, int b), int *out,
                       bool *on_siblings);

/* Starts the helpers and waits until they are at work, files in `folder`. What cannot be
 * had is told in the note; -1 only when the system refuses. */
int background_start(const struct run_program *program, const struct run_opts *opts,
                     const char *folder, struct background *background,
                     struct error *err);

/* Ends them; the note then also tells of those that had ended before. */
void background_stop(struct background *background);
void background_release(struct background *background);

#endif
