/* What all cores together draw from memory, reading and copying. */
#include <math.h>
#include <stdlib.h>

#include "core/machine/load.h"
#include "core/machine/team.h"

enum { SAMPLES_MAX = 200, NODE_MIXES = LOAD_COPY + 1 }; /* reads and copies */

/* One member's part of one window. */
struct part {
    double bytes_per_s, start_s;
    bool disturbed;
};

struct node_task {
    struct probe *probe;
    size_t windows_max, buffer_bytes;
    double window_s;
    struct part *part; /* of each member, in the current window */
    double sample_gbs[NODE_MIXES][SAMPLES_MAX];
    size_t sample_nr[NODE_MIXES];
    atomic_int failed;
    struct error err;
};

static struct part own_part(struct load_buffer *buffer, enum load_mix mix,
                            double window_s)
{
    const size_t burst = 16 << 10, checks = 8;
    struct watch start = watch_now(), now = start;
    double bytes = 0;

    while (now.wall_s - start.wall_s < window_s) {
        for (size_t i = 0; i < checks; i++)
            bytes += load_burst(buffer, mix, burst);
        now = watch_now();
    }
    return (struct part){.bytes_per_s = bytes / (now.wall_s - start.wall_s),
                         .start_s = start.wall_s,
                         .disturbed = watch_was_disturbed(&start, &now)};
}

/* Sum of the members' rates; NaN unless all ran at the same time and alone on their
 * cores. */
static double together(const struct part *part, size_t nr, double window_s)
{
    double total = 0, first = part[0].start_s, last = part[0].start_s;

    for (size_t i = 0; i < nr; i++) {
        if (part[i].disturbed)
            return NAN;
        total += part[i].bytes_per_s;
        first = fmin(first, part[i].start_s);
        last = fmax(last, part[i].start_s);
    }
    return last - first <= 0.1 * window_s ? total : NAN;
}

static void one_window(struct team_member *member, struct load_buffer *buffer,
                       enum load_mix mix)
{
    struct node_task *task = member->task;
    double total;

    team_wait(member);
    task->part[member->index] = own_part(buffer, mix, task->window_s);
    team_wait(member);
    if (member->index > 0)
        return;
    total = together(task->part, member->team->member_nr, task->window_s);
    if (!isnan(total) && task->sample_nr[mix] < SAMPLES_MAX)
        task->sample_gbs[mix][task->sample_nr[mix]++] = total / 1e9;
}

static void work(struct team_member *member)
{
    struct node_task *task = member->task;
    struct load_buffer buffer = {0};

    if (region_map(&buffer.region, task->buffer_bytes, true,
                   member->index == 0 ? &task->err : NULL))
        atomic_store(&task->failed, 1);
    team_wait(member);
    for (size_t i = 0; i < task->windows_max && !atomic_load(&task->failed); i++)
        one_window(member, &buffer, i % NODE_MIXES);
    region_release(&buffer.region);
}

/* Where others left us no three windows of our own: at least what one core alone draws.
 */
static struct quantity samples_of(const struct node_task *task, enum load_mix mix)
{
    struct quantity alone = task->probe->machine->one_core.read_gbs;
    size_t nr = task->sample_nr[mix];

    if (nr >= 3 || !alone.known)
        return samples_quantity(task->sample_gbs[mix], nr);
    return quantity_between(alone.value, alone.low, INFINITY, alone.runs,
                            alone.provenance);
}

int probe_node(struct probe *probe, struct error *err)
{
    size_t cores = probe->topology.cpus.cpu_nr;
    struct node_task task = {.probe = probe,
                             .windows_max = probe->quick ? 200 : 400,
                             .buffer_bytes = load_buffer_bytes(probe),
                             .window_s = 5e-3};
    int result = -1;

    probe_say(probe, "measuring the memory bandwidth of %zu cores together", cores);
    task.part = xcalloc(cores, sizeof(*task.part));
    if (team_run(&probe->topology, cores, work, &task, err))
        goto out;
    if (atomic_load(&task.failed)) {
        fail(err, STATUS_MISSING, "%s",
             task.err.text[0] ? task.err.text : "not enough memory to load all cores");
        goto out;
    }
    probe->machine->node_read_gbs = samples_of(&task, LOAD_READ);
    probe->machine->node_copy_gbs = samples_of(&task, LOAD_COPY);
    result = 0;
out:
    free(task.part);
    return result;
}
