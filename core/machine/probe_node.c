/* What all cores together draw from memory, reading and copying. */
#include <stdlib.h>

#include "core/machine/load.h"
#include "core/machine/team.h"

enum { ROUNDS_MAX = 15 };

struct node_task {
    struct probe *probe;
    size_t rounds, buffer_bytes;
    double window_s;
    double *rate; /* of each member in the current window, byte/s */
    double sample_gbs[LOAD_MIXES][ROUNDS_MAX];
    atomic_int failed, disturbed;
    struct error err;
};

static double own_rate(struct load_buffer *buffer, enum load_mix mix, double window_s,
                       atomic_int *disturbed)
{
    const size_t burst = 16 << 10, checks = 64;
    struct watch start = watch_now(), now = start;
    double bytes = 0;

    while (now.wall_s - start.wall_s < window_s) {
        for (size_t i = 0; i < checks; i++)
            bytes += load_burst(buffer, mix, burst);
        now = watch_now();
    }
    if (watch_was_disturbed(&start, &now))
        atomic_store(disturbed, 1);
    return bytes / (now.wall_s - start.wall_s);
}

static double sum(const double *rate, size_t nr)
{
    double total = 0;

    for (size_t i = 0; i < nr; i++)
        total += rate[i];
    return total;
}

static bool one_window(struct team_member *member, struct load_buffer *buffer, size_t round,
                       enum load_mix mix)
{
    struct node_task *task = member->task;
    bool valid;

    team_wait(member);
    task->rate[member->index] = own_rate(buffer, mix, task->window_s, &task->disturbed);
    team_wait(member);
    valid = !atomic_load(&task->disturbed);
    if (member->index == 0)
        task->sample_gbs[mix][round] = sum(task->rate, member->team->member_nr) / 1e9;
    team_wait(member);
    atomic_store(&task->disturbed, 0);
    return valid;
}

/* All members see the same flag, so all try again together. */
static void one_round(struct team_member *member, struct load_buffer *buffer, size_t round)
{
    for (enum load_mix mix = 0; mix < LOAD_MIXES; mix++)
        for (int tries = 0; tries < 3; tries++)
            if (one_window(member, buffer, round, mix))
                break;
}

static void work(struct team_member *member)
{
    struct node_task *task = member->task;
    struct load_buffer buffer = {0};

    if (region_map(&buffer.region, task->buffer_bytes, true,
                   member->index == 0 ? &task->err : NULL))
        atomic_store(&task->failed, 1);
    team_wait(member);
    for (size_t round = 0; round < task->rounds && !atomic_load(&task->failed); round++)
        one_round(member, &buffer, round);
    region_release(&buffer.region);
}

int probe_node(struct probe *probe, struct error *err)
{
    size_t cores = probe->topology.cpus.cpu_nr;
    struct node_task task = {.probe = probe,
                             .rounds = probe->quick ? 9 : ROUNDS_MAX,
                             .buffer_bytes = load_buffer_bytes(probe),
                             .window_s = probe->quick ? 0.05 : 0.2};
    int result = -1;

    probe_say(probe, "measuring the memory bandwidth of %zu cores together", cores);
    task.rate = xcalloc(cores, sizeof(*task.rate));
    if (team_run(&probe->topology, cores, work, &task, err))
        goto out;
    if (atomic_load(&task.failed)) {
        fail(err, STATUS_MISSING, "%s",
             task.err.text[0] ? task.err.text : "not enough memory to load all cores");
        goto out;
    }
    probe->machine->node_read_gbs = samples_quantity(task.sample_gbs[LOAD_READ], task.rounds);
    probe->machine->node_copy_gbs = samples_quantity(task.sample_gbs[LOAD_COPY], task.rounds);
    result = 0;
out:
    free(task.rate);
    return result;
}
