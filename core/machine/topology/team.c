#include "core/machine/topology/team.h"

#include <assert.h>
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/base/error.h"
#include "core/machine/topology/arch.h"
#include "core/process/term.h"

/* Big things are mapped, not put on stacks. Hundreds of threads would otherwise ask for
 * gigabytes of address space. */
enum { STACK_BYTES = 512 << 10 };

static pthread_mutex_t time_gate = PTHREAD_MUTEX_INITIALIZER;
static struct team_time time_taken;

static double thread_cpu_s(void)
{
    struct timespec cpu;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu);
    return (double)cpu.tv_sec + 1e-9 * (double)cpu.tv_nsec;
}

static void work_in_time(struct team_member *member)
{
    double wall_s = clock_s(), cpu_s = thread_cpu_s();

    member->work(member);
    wall_s = clock_s() - wall_s;
    cpu_s = thread_cpu_s() - cpu_s;
    pthread_mutex_lock(&time_gate);
    time_taken.wall_s += wall_s;
    time_taken.cpu_s += cpu_s;
    pthread_mutex_unlock(&time_gate);
}

struct team_time team_time(void)
{
    struct team_time taken;

    pthread_mutex_lock(&time_gate);
    taken = time_taken;
    pthread_mutex_unlock(&time_gate);
    return taken;
}

static void *start(void *argument)
{
    struct team_member *member = argument;
    struct team *team = member->team;
    bool cancelled;

    /* Where pinning is forbidden the scheduler places us: more noise, the same meaning.
     */
    if (topology_pin(member->topology, member->cpu))
        member->pin_error = errno;
    pthread_mutex_lock(&team->gate);
    cancelled = team->cancelled;
    pthread_mutex_unlock(&team->gate);
    if (!cancelled)
        work_in_time(member);
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

static int create(pthread_t *thread, struct team_member *member)
{
    pthread_attr_t attributes;
    int code = pthread_attr_init(&attributes);

    if (code)
        return code;
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    code = pthread_create(thread, &attributes, start, member);
    pthread_attr_destroy(&attributes);
    return code;
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
    struct team team = {.member_nr = nr, .gate = PTHREAD_MUTEX_INITIALIZER};
    struct team_member *member = xcalloc(nr, sizeof(*member));
    pthread_t *thread = xcalloc(nr, sizeof(*thread));
    size_t started = 0;
    int code = 0;

    assert(nr >= 1);
    pthread_mutex_lock(&team.gate);
    for (; started < nr && !code; started += !code) {
        member[started] = (struct team_member){.team = &team,
                                               .index = started,
                                               .cpu = cpu[started],
                                               .topology = topology,
                                               .task = task,
                                               .work = work};
        code = create(&thread[started], &member[started]);
    }
    team.cancelled = code != 0;
    pthread_mutex_unlock(&team.gate);
    for (size_t i = 0; i < started; i++)
        pthread_join(thread[i], NULL);
    pthread_mutex_destroy(&team.gate);
    free(member);
    free(thread);
    return code ? fail(err, STATUS_MISSING, "cannot start %zu threads: %s", nr,
                       strerror(code))
                : 0;
}
