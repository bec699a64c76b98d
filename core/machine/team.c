#include "core/machine/team.h"

#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "core/machine/arch.h"

enum { TEAM_WAITS, TEAM_GOES, TEAM_CANCELLED };

static void *start(void *argument)
{
    struct team_member *member = argument;
    int state;

    /* Where pinning is forbidden the scheduler places us: more noise, the same meaning.
     */
    topology_pin(member->topology, member->cpu);
    while ((state = atomic_load(&member->team->state)) == TEAM_WAITS)
        sched_yield();
    if (state == TEAM_GOES)
        member->work(member);
    return NULL;
}

void team_wait(struct team_member *member)
{
    struct team *team = member->team;
    unsigned generation = atomic_load(&team->generation);

    if (atomic_fetch_add(&team->arrived, 1) + 1 == team->member_nr) {
        atomic_store(&team->arrived, 0);
        atomic_fetch_add(&team->generation, 1);
        return;
    }
    for (unsigned spin = 0; atomic_load(&team->generation) == generation; spin++) {
        arch_relax();
        if (spin % 1024 == 1023) /* more threads than processors: let the others come */
            sched_yield();
    }
}

int team_run(const struct topology *topology, size_t nr,
             void (*work)(struct team_member *), void *task, struct error *err)
{
    assert(nr >= 1 && nr <= topology->cpus.cpu_nr);
    return team_run_on(topology, topology->cpus.cpu, nr, work, task, err);
}

int team_run_on(const struct topology *topology, const int *cpu, size_t nr,
                void (*work)(struct team_member *), void *task, struct error *err)
{
    struct team team = {.member_nr = nr, .state = TEAM_WAITS};
    struct team_member *member = xcalloc(nr, sizeof(*member));
    pthread_t *thread = xcalloc(nr, sizeof(*thread));
    size_t started = 0;
    int code = 0;

    assert(nr >= 1);
    for (; started < nr && !code; started += !code) {
        member[started] = (struct team_member){.team = &team,
                                               .index = started,
                                               .cpu = cpu[started],
                                               .topology = topology,
                                               .task = task,
                                               .work = work};
        code = pthread_create(&thread[started], NULL, start, &member[started]);
    }
    atomic_store(&team.state, code ? TEAM_CANCELLED : TEAM_GOES);
    for (size_t i = 0; i < started; i++)
        pthread_join(thread[i], NULL);
    free(member);
    free(thread);
    return code ? fail(err, STATUS_MISSING, "cannot start a thread: %s", strerror(code))
                : 0;
}
