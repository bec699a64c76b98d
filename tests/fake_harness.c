/*
 * A measuring program without a kernel: obeys the harness protocol of docs/design.md,
 * tells scripted times, and misbehaves on demand. For the tests of core/run.
 *
 *     fake_harness --samples 2 --out results --times 1e-6,2e-6 --do crash --who 1
 *
 * Its own arguments: --do NAME (a row of `deeds`), --who INDEX (only that copy does it;
 * all if not given), --times LIST (seconds per call, cyclic), --step PERCENT and
 * --counter FILE (launch n, counted in the file, is n * PERCENT slower), --skew PERCENT
 * (copy i is i * PERCENT slower),
 * --from N (with --counter: the deed is done from launch N on), --log FILE with
 * --name WORD (a line per launch), --second PERCENT (with --out-second: the second
 * variant's times are as much longer), --turn 1|2 (the deed is done in a call of that
 * one), --garbage TEXT (as the deed "text:", for the second's results).
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

struct settings {
    const char *deed, *times, *counter, *log, *name, *out, *barrier, *gate;
    const char *out_second, *garbage;
    long copies, index, samples, who, from, turn;
    double step_percent, skew_percent, second_percent;
};

struct deed {
    const char *name;
    void (*act)(const struct settings *settings);
};

static FILE *results, *others; /* of a pair: the second variant's */

static void finish(void)
{
    for (int i = 0; i < 2; i++) {
        FILE *file = i ? others : results;

        if (file) {
            fprintf(file, "done\n");
            fclose(file);
        }
    }
}

static void write_all(int fd, const char *text)
{
    size_t length = strlen(text);

    while (length > 0) {
        ssize_t done = write(fd, text, length);

        if (done <= 0)
            return;
        text += done;
        length -= (size_t)done;
    }
}

static void megabytes(int fd)
{
    char line[1024];

    memset(line, 'x', sizeof(line) - 2);
    line[sizeof(line) - 2] = '\n';
    line[sizeof(line) - 1] = '\0';
    for (int i = 0; i < 5000; i++)
        write_all(fd, line);
}

static void sleep_for_ever(void)
{
    for (;;)
        pause();
}

/* A child that closes nothing and does not go away by itself. Its number goes to the
 * counter file. */
static void leave_grandchild(const struct settings *settings, bool ignore_term)
{
    pid_t pid = fork();
    FILE *file;

    if (pid == 0) {
        if (ignore_term)
            signal(SIGTERM, SIG_IGN);
        sleep_for_ever();
    }
    file = fopen(settings->counter, "w");
    fprintf(file, "%ld\n", (long)pid);
    fclose(file);
}

static void do_crash(const struct settings *settings)
{
    (void)settings;
    raise(SIGSEGV);
}

static void do_null(const struct settings *settings)
{
    volatile int *volatile nowhere = NULL;

    (void)settings;
    *nowhere = 1;
}

static void do_term(const struct settings *settings)
{
    (void)settings;
    raise(SIGTERM);
}

static void do_kill(const struct settings *settings)
{
    (void)settings;
    raise(SIGKILL);
}

static void do_abort(const struct settings *settings)
{
    (void)settings;
    abort();
}

static void do_hang(const struct settings *settings)
{
    (void)settings;
    sleep_for_ever();
}

static void do_hang_deaf(const struct settings *settings)
{
    (void)settings;
    signal(SIGTERM, SIG_IGN);
    sleep_for_ever();
}

static void do_exit(const struct settings *settings)
{
    (void)settings;
    fflush(results);
    exit(0);
}

static void do_fail(const struct settings *settings)
{
    (void)settings;
    write_all(2, "first line\ncannot go on: \x1b[31mno reason\n\n");
    exit(7);
}

static void do_differ(const struct settings *settings)
{
    (void)settings;
    write_all(1, "differ c 17 1 2\n");
    exit(4);
}

/* As the harness does when mmap refuses. */
static void do_hog(const struct settings *settings)
{
    size_t block = (size_t)64 << 20;

    (void)settings;
    for (int i = 0; i < 1000; i++) {
        char *got =
            mmap(NULL, block, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

        if (got == MAP_FAILED) {
            write_all(2, "cannot map 64 MiB\n");
            exit(3);
        }
        got[0] = 1;
    }
}

static void do_print(const struct settings *settings)
{
    (void)settings;
    megabytes(1);
    megabytes(2);
}

static void do_close(const struct settings *settings)
{
    (void)settings;
    close(0);
    close(1);
    close(2);
}

static void do_fork(const struct settings *settings)
{
    leave_grandchild(settings, true);
}

static void do_fork_crash(const struct settings *settings)
{
    leave_grandchild(settings, false);
    raise(SIGSEGV);
}

static void do_remove(const struct settings *settings)
{
    unlink(settings->out);
    exit(0);
}

static void do_pipe(const struct settings *settings)
{
    unlink(settings->out);
    (void)!mkfifo(settings->out, 0600);
    exit(0);
}

static void do_drift(const struct settings *settings)
{
    (void)settings;
    fprintf(results, "drift c nan\ndrift d inf\n");
}

static void do_environment(const struct settings *settings)
{
    static const char *const names[] = {"OMP_NUM_THREADS", "OMP_PLACES", "OMP_PROC_BIND"};

    (void)settings;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const char *value = getenv(names[i]);

        printf("%s=%s\n", names[i], value ? value : "(none)");
    }
}

static const struct deed deeds[] = {
    {"crash", do_crash},
    {"null", do_null},
    {"term", do_term},
    {"kill", do_kill},
    {"abort", do_abort},
    {"hang", do_hang},
    {"deaf", do_hang_deaf},
    {"exit", do_exit},
    {"fail", do_fail},
    {"differ", do_differ},
    {"hog", do_hog},
    {"print", do_print},
    {"close", do_close},
    {"fork", do_fork},
    {"fork-crash", do_fork_crash},
    {"remove", do_remove},
    {"pipe", do_pipe},
    {"drift", do_drift},
    {"environment", do_environment},
};

/* A deed "text:TEXT" writes TEXT in place of the results, with ';' for a new line. */
static void rewrite(FILE *file, const char *text)
{
    rewind(file);
    if (ftruncate(fileno(file), 0))
        exit(2);
    for (; *text; text++)
        fputc(*text == ';' ? '\n' : *text == '~' ? '\x01' : *text, file);
    fclose(file);
}

static void write_instead(const char *text)
{
    rewrite(results, text);
    exit(0);
}

/* Says whose call is under way, as program_pair.c does. */
static void take_turn(const struct settings *settings)
{
    int fd = open(settings->barrier, O_WRONLY | O_CLOEXEC);
    char turn = (char)settings->turn;

    if (pwrite(fd, &turn, 1, 2048 + settings->index) != 1)
        exit(2);
    close(fd);
}

static long count_launch(const char *path)
{
    struct stat found;
    int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    long before = fd >= 0 && fstat(fd, &found) == 0 ? (long)found.st_size : 0;

    if (fd >= 0) {
        write_all(fd, "x");
        close(fd);
    }
    return before;
}

static void misbehave(const struct settings *settings)
{
    if (!settings->deed || (settings->who >= 0 && settings->who != settings->index))
        return;
    if (settings->from > 0 && count_launch(settings->counter) < settings->from)
        return;
    if (settings->turn)
        take_turn(settings);
    if (strncmp(settings->deed, "text:", 5) == 0)
        write_instead(settings->deed + 5);
    for (size_t i = 0; i < sizeof(deeds) / sizeof(deeds[0]); i++) {
        if (strcmp(deeds[i].name, settings->deed) == 0) {
            deeds[i].act(settings);
            return;
        }
    }
    fprintf(stderr, "no deed '%s'\n", settings->deed);
    exit(2);
}

static void wait_at_barrier(const struct settings *settings)
{
    static _Atomic uint32_t *word;
    uint32_t generation;

    if (settings->copies < 2)
        return;
    if (!word) {
        int fd = open(settings->barrier, O_RDWR | O_CLOEXEC);

        word = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        close(fd);
    }
    generation = atomic_load(&word[1]);
    if (atomic_fetch_add(&word[0], 1) + 1 == (uint32_t)settings->copies) {
        atomic_store(&word[0], 0);
        atomic_fetch_add(&word[1], 1);
    }
    while (atomic_load(&word[1]) == generation)
        sched_yield();
}

static void pass_gate(const struct settings *settings, char letter)
{
    int in, out;
    char answer;

    if (!settings->gate)
        return;
    if (sscanf(settings->gate, "%d,%d", &in, &out) != 2 || write(out, &letter, 1) != 1)
        exit(2);
    if (read(in, &answer, 1) != 1)
        exit(9);
}

static double next_time(const struct settings *settings)
{
    static const char *at;
    char *end;
    double seconds;

    if (!at || !*at)
        at = settings->times;
    seconds = strtod(at, &end);
    at = *end == ',' ? end + 1 : end;
    return seconds;
}

static void sample(const struct settings *settings)
{
    double factor = 1 + settings->skew_percent / 100 * (double)settings->index;

    if (settings->step_percent != 0)
        factor += settings->step_percent / 100 * (double)count_launch(settings->counter);
    for (long i = 0; i < settings->samples; i++) {
        double seconds = factor * next_time(settings);

        wait_at_barrier(settings);
        fprintf(results, "sample %.9g %d\n", seconds, 10);
        if (others)
            fprintf(others, "sample %.9g %d\n",
                    seconds * (1 + settings->second_percent / 100), 20);
    }
}

static const char **text_setting(struct settings *settings, const char *name)
{
    const struct {
        const char *name;
        const char **to;
    } known[] = {
        {"--do", &settings->deed},
        {"--times", &settings->times},
        {"--counter", &settings->counter},
        {"--log", &settings->log},
        {"--name", &settings->name},
        {"--out", &settings->out},
        {"--barrier", &settings->barrier},
        {"--gate", &settings->gate},
        {"--out-second", &settings->out_second},
        {"--garbage", &settings->garbage},
    };

    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (strcmp(known[i].name, name) == 0)
            return known[i].to;
    return NULL;
}

static void limit_memory(const char *bytes)
{
    rlim_t limit = (rlim_t)strtoull(bytes, NULL, 10);

    setrlimit(RLIMIT_AS, &(struct rlimit){limit, limit});
}

static bool take_number(struct settings *settings, const char *name, const char *value)
{
    if (strcmp(name, "--copies") == 0)
        settings->copies = atol(value);
    else if (strcmp(name, "--index") == 0)
        settings->index = atol(value);
    else if (strcmp(name, "--samples") == 0)
        settings->samples = atol(value);
    else if (strcmp(name, "--who") == 0)
        settings->who = atol(value);
    else if (strcmp(name, "--from") == 0)
        settings->from = atol(value);
    else if (strcmp(name, "--turn") == 0)
        settings->turn = atol(value);
    else if (strcmp(name, "--second") == 0)
        settings->second_percent = atof(value);
    else if (strcmp(name, "--skew") == 0)
        settings->skew_percent = atof(value);
    else if (strcmp(name, "--step") == 0)
        settings->step_percent = atof(value);
    else
        return false;
    return true;
}

static void take(struct settings *settings, const char *name, const char *value)
{
    static const char *const ignored[] = {"--set",  "--seed",          "--pages",
                                          "--cpu",  "--sample-min-ns", "--limit-ns",
                                          "--first"};
    const char **text = text_setting(settings, name);

    if (text)
        *text = value;
    if (strcmp(name, "--memory") == 0)
        limit_memory(value);
    else if (!text && !take_number(settings, name, value)) {
        for (size_t i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
            if (strcmp(ignored[i], name) == 0)
                return;
        fprintf(stderr, "unknown argument '%s'\n", name);
        exit(2);
    }
}

/* One line: our name and what the launch was told. */
static void log_launch(const struct settings *settings, int argc, char **argv)
{
    FILE *file;

    if (!settings->log)
        return;
    file = fopen(settings->log, "a");
    fprintf(file, "%s", settings->name ? settings->name : "");
    for (int i = 1; !settings->name && i < argc; i++)
        fprintf(file, "%s%s", i > 1 ? " " : "", argv[i]);
    fprintf(file, "\n");
    fclose(file);
}

int main(int argc, char **argv)
{
    struct settings settings = {.times = "1e-6", .copies = 1, .samples = 1, .who = -1};

    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (int i = 1; i < argc; i += 2)
        take(&settings, argv[i], i + 1 < argc ? argv[i + 1] : "");
    log_launch(&settings, argc, argv);
    results = fopen(settings.out ? settings.out : "/dev/null", "we");
    if (!results)
        return 2;
    if (settings.out_second)
        others = fopen(settings.out_second, "we");
    wait_at_barrier(&settings);
    for (int i = 0; i < 2; i++)
        if (i ? others : results)
            fprintf(i ? others : results, "buffers 4096\nhuge 2097152\nwarm 1e-6\n");
    pass_gate(&settings, 'R');
    misbehave(&settings);
    sample(&settings);
    pass_gate(&settings, 'E');
    if (settings.garbage) {
        rewrite(others, settings.garbage);
        others = NULL;
    }
    finish();
    return 0;
}
