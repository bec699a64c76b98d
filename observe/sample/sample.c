#include "observe/sample/sample.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/files/fs.h"
#include "observe/sample/sample_ring.h"

/* Between two looks at the rings; a processor's fills in 6 s at the usual frequency. */
static const double drain_s = 0.2;

void samples_release(struct samples *samples)
{
    for (size_t i = 0; i < samples->module_nr; i++)
        free(samples->module[i].path);
    free(samples->module);
    free(samples->hit);
    free(samples->thread);
    free(samples->miss_event);
    free(samples->miss_why);
    free(samples->dir);
    free(samples->rank);
    strvec_release(&samples->argv);
    *samples = (struct samples){0};
}

bool sample_module_is_file(const char *path)
{
    return path[0] == '/' && path[1] != '/';
}

int sample_possible(struct error *err)
{
    struct samples none = {0};
    struct sample_rings *rings = NULL;
    int status = sample_rings_open(&(struct sample_options){0}, &none, &rings, err);

    sample_rings_close(rings);
    samples_release(&none);
    return status;
}

/* Which of the processes that a launcher started we are: OpenMPI, MPICH and Intel MPI,
 * Slurm. */
static char *rank_here(void)
{
    static const char *const variable[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK",
                                           "PMIX_RANK", "SLURM_PROCID"};

    for (size_t i = 0; i < ARRAY_SIZE(variable); i++)
        if (getenv(variable[i]))
            return xstrdup(getenv(variable[i]));
    return NULL;
}

static void note_program(const struct spawn_request *program, struct samples *samples)
{
    for (const char *const *word = program->argv; *word; word++)
        strvec_push(&samples->argv, *word);
    samples->dir = path_absolute(program->dir ? program->dir : ".");
    samples->rank = rank_here();
}

static void note_end(const struct spawn_outcome *outcome, struct samples *samples)
{
    samples->wall_s = outcome->wall_s;
    samples->user_s = outcome->user_s;
    samples->system_s = outcome->system_s;
    samples->end = outcome->end;
    samples->code = outcome->code;
}

int sample_run(const struct spawn_request *program, const struct sample_options *options,
               struct samples *samples, struct spawn_outcome *outcome, struct error *err)
{
    struct sample_rings *rings = NULL;
    struct sample_fold *fold = NULL;
    struct spawn_child *child = NULL;
    int status = -1;

    *outcome = (struct spawn_outcome){0};
    *samples = (struct samples){0};
    if (sample_rings_open(options, samples, &rings, err))
        goto out;
    note_program(program, samples);
    fold = sample_fold_new(samples);
    if (spawn_start(program, &child, err))
        goto out;
    while (!spawn_wait_for(child, drain_s))
        sample_rings_drain(rings, fold, false);
    status = spawn_wait_all(&child, 1, false, outcome, err);
    sample_rings_drain(rings, fold, true);
    note_end(outcome, samples);
out:
    sample_fold_free(fold);
    sample_rings_close(rings);
    return status;
}

/* ---- how sure a count is ---- */

static const double z_95 = 1.959964;

struct quantity sample_count(uint64_t count, double scale)
{
    double k = (double)count, above = k + 1, low = 0, high;

    if (count > 0)
        low = k * pow(1 - 1 / (9 * k) - z_95 / (3 * sqrt(k)), 3);
    high = above * pow(1 - 1 / (9 * above) + z_95 / (3 * sqrt(above)), 3);
    return quantity_between(k * scale, fmax(low, 0) * scale, high * scale, count,
                            PROVENANCE_SAMPLED);
}

struct quantity sample_share(uint64_t count, uint64_t of)
{
    double n = (double)of, p = (double)count / n, z2 = z_95 * z_95;
    double middle = (p + z2 / (2 * n)) / (1 + z2 / n);
    double half = z_95 * sqrt(p * (1 - p) / n + z2 / (4 * n * n)) / (1 + z2 / n);

    return quantity_between(p, fmin(p, fmax(middle - half, 0)),
                            fmax(p, fmin(middle + half, 1)), of, PROVENANCE_SAMPLED);
}
