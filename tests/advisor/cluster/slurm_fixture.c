#define _GNU_SOURCE /* sched_setaffinity, MAP_ANONYMOUS, memmem */
#include "tests/advisor/cluster/slurm_fixture.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pwd.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/base.h"

/* Nobody waits so long for a daemon on the busiest machine. */
static const double patience_s = 300;

struct slurm_daemon {
    char program[256], conf[256], node[32]; /* node: "" = the controller */
    cpu_set_t processors;
    pid_t guard;        /* 0 = none */
    _Atomic pid_t self; /* of the daemon; 0 = it has ended */
};

static void rest(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
}

/* ---- a guard ---- */

static void become(const struct slurm_daemon *daemon)
{
    int null = open("/dev/null", O_RDWR);
    sigset_t none;

    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    sched_setaffinity(0, sizeof(daemon->processors), &daemon->processors);
    setsid();
    for (int i = 0; i < 3; i++)
        dup2(null, i);
    if (*daemon->node)
        execl(daemon->program, daemon->program, "-D", "-f", daemon->conf, "-N",
              daemon->node, (char *)NULL);
    else
        execl(daemon->program, daemon->program, "-D", "-f", daemon->conf, (char *)NULL);
    _exit(127);
}

static void start_daemon(struct slurm_daemon *daemon)
{
    pid_t pid = fork();

    if (pid == 0)
        become(daemon);
    daemon->self = pid > 0 ? pid : 0;
}

static void kill_children(void)
{
    char path[64], list[4096] = "";
    FILE *file;

    snprintf(path, sizeof(path), "/proc/self/task/%ld/children", (long)getpid());
    file = fopen(path, "r");
    if (!file)
        return;
    size_t got = fread(list, 1, sizeof(list) - 1, file);
    fclose(file);
    list[got] = '\0';
    if (got == sizeof(list) - 1 && strrchr(list, ' ')) /* the last may be cut */
        *strrchr(list, ' ') = '\0';
    for (char *at = list, *end;; at = end) {
        pid_t pid = (pid_t)strtol(at, &end, 10);

        if (end == at)
            break;
        kill(pid, SIGKILL);
    }
}

/* Those of a child that ends become our children, so this ends when all have. */
static void end_all(void)
{
    do
        kill_children();
    while (waitpid(-1, NULL, 0) > 0 || errno == EINTR);
}

static void reap(struct slurm_daemon *daemon)
{
    for (pid_t pid; (pid = waitpid(-1, NULL, WNOHANG)) > 0;)
        if (pid == daemon->self)
            daemon->self = 0;
}

/* With all signals blocked: those that are meant for us are waited for. */
static void guard(struct slurm_daemon *daemon, pid_t parent)
{
    sigset_t all;

    prctl(PR_SET_PDEATHSIG, (unsigned long)SIGTERM, 0L, 0L, 0L);
    prctl(PR_SET_CHILD_SUBREAPER, 1L, 0L, 0L, 0L);
    if (getppid() != parent)
        _exit(1);
    sigfillset(&all);
    start_daemon(daemon);
    for (;;) {
        int got = sigwaitinfo(&all, NULL);

        if (got == SIGCHLD)
            reap(daemon);
        else if (got == SIGUSR1 && daemon->self == 0)
            start_daemon(daemon);
        else if (got == SIGTERM || got == SIGINT || got == SIGHUP)
            break;
    }
    end_all();
    daemon->self = 0;
    _exit(0);
}

/* ---- from outside of it ---- */

static void guard_start(struct slurm_daemon *daemon)
{
    pid_t parent = getpid();
    sigset_t all, old;

    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &old);
    daemon->self = -1; /* not yet */
    pid_t pid = fork();
    if (pid == 0)
        guard(daemon, parent);
    daemon->guard = pid > 0 ? pid : 0;
    sigprocmask(SIG_SETMASK, &old, NULL);
    while (pid > 0 && daemon->self == -1)
        rest();
}

static void guard_end(struct slurm_daemon *daemon)
{
    if (daemon->guard <= 0)
        return;
    kill(daemon->guard, SIGTERM);
    while (waitpid(daemon->guard, NULL, 0) < 0 && errno == EINTR)
        ;
    daemon->guard = 0;
    daemon->self = 0;
}

/* Waits until the daemon has ended of it. */
static void daemon_end(struct slurm_daemon *daemon, int signal)
{
    double until_s = clock_s() + patience_s;
    pid_t pid = daemon->self;

    if (pid <= 0)
        return;
    kill(pid, signal);
    kill(pid, SIGCONT);
    while (daemon->self == pid && clock_s() < until_s)
        rest();
}

static void daemon_start(struct slurm_daemon *daemon)
{
    double until_s = clock_s() + patience_s;

    if (daemon->guard <= 0)
        guard_start(daemon);
    else if (daemon->self == 0)
        kill(daemon->guard, SIGUSR1);
    while (daemon->self == 0 && clock_s() < until_s)
        rest();
}

/* ---- its configuration ---- */

/* Free ports, each kept until all have been found. */
static int find_ports(int *port, size_t nr, struct error *err)
{
    int fd[SLURM_FIXTURE_NODES_MAX + 1], result = 0;
    size_t found = 0;

    for (; found < nr && result == 0; found++) {
        struct sockaddr_in address = {.sin_family = AF_INET};
        socklen_t length = sizeof(address);

        fd[found] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (fd[found] < 0 ||
            bind(fd[found], (struct sockaddr *)&address, sizeof(address)) ||
            getsockname(fd[found], (struct sockaddr *)&address, &length))
            result =
                fail(err, STATUS_FAILED, "cannot find a free port: %s", strerror(errno));
        port[found] = ntohs(address.sin_port);
    }
    for (size_t i = 0; i < found; i++)
        if (fd[i] >= 0)
            close(fd[i]);
    return result;
}

/* What a job or a node does is seen soon: a queue is looked at once a second, a silent
 * node is down within seconds (SlurmdTimeout). A requeued job waits 6 s and not 2 minutes
 * (cred_expire has no smaller value): one that is made to run sooner may be killed by
 * what was sent to its first run. */
static const char settings[] = "ClusterName=inflight\n"
                               "AuthType=auth/none\n"
                               "CredType=cred/none\n"
                               "AuthInfo=cred_expire=5\n"
                               "MpiDefault=none\n"
                               "ProctrackType=proctrack/linuxproc\n"
                               "TaskPlugin=task/none\n"
                               "SwitchType=switch/none\n"
                               "SelectType=select/cons_tres\n"
                               "SelectTypeParameters=CR_Core\n"
                               "SlurmdParameters=config_overrides\n"
                               "SchedulerParameters=batch_sched_delay=0,"
                               "sched_min_interval=0,bf_interval=1\n"
                               "PreemptType=preempt/partition_prio\n"
                               "PreemptMode=REQUEUE\n"
                               "ReturnToService=2\n"
                               "SlurmdTimeout=2\n"
                               "MessageTimeout=2\n"
                               "KillWait=2\n";

static void add_nodes(struct buf *text, size_t nr, int last_cpus, const char *host,
                      const int *port)
{
    for (size_t i = 1; i <= nr; i++)
        buf_addf(text,
                 "NodeName=n%zu NodeHostname=%s NodeAddr=127.0.0.1 Port=%d CPUs=%d "
                 "RealMemory=1000 Feature=n%zu\n",
                 i, host, port[i], i == nr && last_cpus ? last_cpus : 1, i);
    buf_addf(text, "PartitionName=p Nodes=n[1-%zu] Default=YES State=UP\n", nr);
    buf_addf(text, "PartitionName=q Nodes=n%zu State=UP\n", nr);
    buf_addf(text, "PartitionName=u Nodes=n[1-%zu] State=UP PriorityTier=2\n", nr);
}

static int write_conf(const struct slurm_fixture *fixture, int last_cpus,
                      struct error *err)
{
    const struct passwd *user = getpwuid(getuid());
    int port[SLURM_FIXTURE_NODES_MAX + 1], result;
    const char *dir = fixture->dir;
    struct buf text = {0};
    char host[256] = "";

    if (find_ports(port, fixture->node_nr + 1, err))
        return -1;
    if (!user || gethostname(host, sizeof(host) - 1))
        return fail(err, STATUS_FAILED, "cannot tell the names of user and machine");
    host[strcspn(host, ".")] = '\0';
    buf_add(&text, settings);
    buf_addf(&text, "SlurmctldHost=%s(127.0.0.1)\nSlurmctldPort=%d\n", host, port[0]);
    buf_addf(&text, "SlurmUser=%s\nSlurmdUser=%s\n", user->pw_name, user->pw_name);
    buf_addf(&text, "StateSaveLocation=%s/state\nSlurmdSpoolDir=%s/spool-%%n\n", dir,
             dir);
    buf_addf(&text, "SlurmctldPidFile=%s/ctld.pid\nSlurmdPidFile=%s/%%n.pid\n", dir, dir);
    buf_addf(&text, "SlurmctldLogFile=%s/ctld.log\nSlurmdLogFile=%s/%%n.log\n", dir, dir);
    add_nodes(&text, fixture->node_nr, last_cpus, host, port);
    result = file_write(fixture->conf, buf_str(&text), text.length, err);
    buf_release(&text);
    return result;
}

static int make_folders(const struct slurm_fixture *fixture, struct error *err)
{
    char *path = path_join(fixture->dir, "state");
    int result = dir_make_all(path, err);

    for (size_t i = 1; i <= fixture->node_nr && result == 0; i++) {
        free(path);
        path = xasprintf("%s/spool-n%zu", fixture->dir, i);
        result = dir_make_all(path, err);
    }
    free(path);
    return result;
}

/* ---- the daemons ---- */

/* Ordinary users have no sbin in their PATH. */
static int find_program(const char *name, char *out, size_t size, struct error *err)
{
    char *path = path_of_program(name);

    if (!path)
        path = xasprintf("/usr/sbin/%s", name);
    bool fits = (size_t)snprintf(out, size, "%s", path) < size;
    free(path);
    if (fits && access(out, X_OK) == 0)
        return 0;
    return fail(
        err, STATUS_MISSING,
        "there is no %s on this machine, so no Slurm can be started for tests; run "
        "./check, which installs it",
        name);
}

static int describe_daemons(struct slurm_fixture *fixture, struct error *err)
{
    cpu_set_t allowed;
    int cpu = -1;

    sched_getaffinity(0, sizeof(allowed), &allowed);
    for (size_t i = 0; i <= fixture->node_nr; i++) {
        struct slurm_daemon *daemon = &fixture->daemons[i];

        if (find_program(i ? "slurmd" : "slurmctld", daemon->program,
                         sizeof(daemon->program), err))
            return -1;
        snprintf(daemon->conf, sizeof(daemon->conf), "%s", fixture->conf);
        daemon->processors = allowed;
        if (i == 0)
            continue;
        snprintf(daemon->node, sizeof(daemon->node), "n%zu", i);
        do
            cpu = (cpu + 1) % CPU_SETSIZE;
        while (!CPU_ISSET(cpu, &allowed));
        CPU_ZERO(&daemon->processors);
        CPU_SET(cpu, &daemon->processors);
    }
    return 0;
}

/* Nodes of partition p that are up, by sinfo; false = it does not answer. */
static bool count_up(size_t *up)
{
    static const char *const argv[] = {"sinfo",
                                       "--noheader",
                                       "--responding",
                                       "--states=idle,alloc,mixed",
                                       "--format=%D",
                                       "--partition=p",
                                       NULL};
    struct spawn_outcome outcome = {0};
    struct strvec numbers = {0};

    if (spawn_run(&(struct spawn_request){.argv = argv, .timeout_s = 10}, &outcome, NULL))
        return false;
    bool answers = outcome.end == SPAWN_EXITED && outcome.code == 0;
    strvec_split(&numbers, buf_str(&outcome.out));
    *up = 0;
    for (size_t i = 0; i < numbers.nr; i++)
        *up += strtoul(numbers.v[i], NULL, 10);
    strvec_release(&numbers);
    spawn_outcome_release(&outcome);
    return answers;
}

/* Until so many nodes are up, or there is an answer at all (0). */
static int wait_for_nodes(const struct slurm_fixture *fixture, size_t nr,
                          struct error *err)
{
    double until_s = clock_s() + patience_s;
    size_t up = 0;

    while (clock_s() < until_s) {
        if (count_up(&up) && up >= nr)
            return 0;
        rest();
    }
    return fail(err, STATUS_FAILED,
                "the Slurm in '%s' has not come up within %.0f s; its logs are there",
                fixture->dir, patience_s);
}

/* ---- outward ---- */

int slurm_fixture_start(struct slurm_fixture *fixture, size_t node_nr, int last_cpus,
                        struct error *err)
{
    *fixture = (struct slurm_fixture){.node_nr = node_nr};
    if (node_nr == 0 || node_nr > SLURM_FIXTURE_NODES_MAX)
        return fail(err, STATUS_FAILED, "%zu is no number of nodes for a Slurm", node_nr);
    if (scratch_make(&fixture->dir, err))
        return -1;
    fixture->conf = path_join(fixture->dir, "slurm.conf");
    fixture->daemons = mmap(NULL, (node_nr + 1) * sizeof(*fixture->daemons),
                            PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (fixture->daemons == MAP_FAILED) {
        fixture->daemons = NULL;
        fail(err, STATUS_FAILED, "no memory for guards: %s", strerror(errno));
        goto out;
    }
    if (describe_daemons(fixture, err) || make_folders(fixture, err) ||
        write_conf(fixture, last_cpus, err))
        goto out;
    fixture->conf_before = xstrdup(getenv("SLURM_CONF"));
    setenv("SLURM_CONF", fixture->conf, 1);
    for (size_t i = 0; i <= node_nr; i++)
        daemon_start(&fixture->daemons[i]);
    if (wait_for_nodes(fixture, node_nr, err) == 0)
        return 0;
out:
    slurm_fixture_stop(fixture);
    return -1;
}

void slurm_fixture_stop(struct slurm_fixture *fixture)
{
    const char *set = getenv("SLURM_CONF");

    if (fixture->daemons) {
        /* Nodes first: the controller would wonder, not they. */
        for (size_t i = fixture->node_nr + 1; i-- > 0;)
            guard_end(&fixture->daemons[i]);
        munmap(fixture->daemons, (fixture->node_nr + 1) * sizeof(*fixture->daemons));
    }
    if (set && fixture->conf && strcmp(set, fixture->conf) == 0) {
        if (fixture->conf_before)
            setenv("SLURM_CONF", fixture->conf_before, 1);
        else
            unsetenv("SLURM_CONF");
    }
    free(fixture->conf_before);
    free(fixture->conf);
    if (fixture->dir)
        scratch_remove(fixture->dir);
    *fixture = (struct slurm_fixture){0};
}

static bool file_holds(const char *pid, const char *name, const char *text)
{
    char *path = xasprintf("/proc/%s/%s", pid, name);
    struct buf file = {0};
    bool found = file_read(path, &file, NULL) == 0 && file.length &&
                 memmem(file.data, file.length, text, strlen(text));

    buf_release(&file);
    free(path);
    return found;
}

/* All daemons are called with the path, and jobs have it in their environment. */
size_t slurm_fixture_processes(const char *dir)
{
    DIR *proc = opendir("/proc");
    size_t nr = 0;

    for (const struct dirent *entry; proc && (entry = readdir(proc));)
        if (isdigit((unsigned char)entry->d_name[0]))
            nr += file_holds(entry->d_name, "cmdline", dir) ||
                  file_holds(entry->d_name, "environ", dir);
    if (proc)
        closedir(proc);
    return nr;
}

void slurm_fixture_kill_node(struct slurm_fixture *fixture, size_t node)
{
    guard_end(&fixture->daemons[node]);
}

void slurm_fixture_kill_daemon(struct slurm_fixture *fixture, size_t node)
{
    daemon_end(&fixture->daemons[node], SIGKILL);
}

void slurm_fixture_start_node(struct slurm_fixture *fixture, size_t node)
{
    daemon_start(&fixture->daemons[node]);
}

void slurm_fixture_end_controller(struct slurm_fixture *fixture)
{
    daemon_end(&fixture->daemons[0], SIGTERM);
}

void slurm_fixture_kill_controller(struct slurm_fixture *fixture)
{
    daemon_end(&fixture->daemons[0], SIGKILL);
}

void slurm_fixture_forget(struct slurm_fixture *fixture)
{
    char *path = path_join(fixture->dir, "state");

    slurm_fixture_kill_controller(fixture);
    dir_remove_all(path);
    dir_make_all(path, NULL);
    free(path);
}

void slurm_fixture_freeze_controller(struct slurm_fixture *fixture)
{
    if (fixture->daemons[0].self > 0)
        kill(fixture->daemons[0].self, SIGSTOP);
}

int slurm_fixture_start_controller(struct slurm_fixture *fixture, struct error *err)
{
    if (fixture->daemons[0].self > 0)
        kill(fixture->daemons[0].self, SIGCONT);
    else
        daemon_start(&fixture->daemons[0]);
    return wait_for_nodes(fixture, 0, err);
}
