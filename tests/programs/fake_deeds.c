/* How fake_harness misbehaves. */
#define _GNU_SOURCE
#include "tests/programs/fake_harness.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct deed {
    const char *name;
    void (*act)(const struct settings *settings);
};

void write_all(int fd, const char *text)
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

void sleep_for_ever(void)
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

static void do_denormal(const struct settings *settings)
{
    (void)settings;
    fprintf(results, "denormal c\ndenormal d\n");
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
    {"denormal", do_denormal},
    {"environment", do_environment},
};

bool deed_do(const struct settings *settings)
{
    for (size_t i = 0; i < sizeof(deeds) / sizeof(deeds[0]); i++) {
        if (strcmp(deeds[i].name, settings->deed) == 0) {
            deeds[i].act(settings);
            return true;
        }
    }
    return false;
}
