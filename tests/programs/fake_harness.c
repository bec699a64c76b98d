/*
 * A measuring program without a kernel: obeys the harness protocol of
 * docs/internals/design.md, tells scripted times, and misbehaves on demand. For the tests
 * of core/run.
 *
 *     fake_harness --samples 2 --out results --times 1e-6,2e-6 --do crash --who 1
 *
 * Its own arguments: --do NAME (a row of `deeds`, fake_deeds.c), --who INDEX (only that
 * copy does it; all if not given), --times LIST (seconds per call, cyclic), --step
 * PERCENT and
 * --counter FILE (launch n, counted in the file, is n * PERCENT slower), --skew PERCENT
 * (copy i is i * PERCENT slower),
 * --from N (with --counter: the deed is done from launch N on), --log FILE with
 * --name WORD (a line per launch and command), --second PERCENT (as an arena: the second
 * variant's times are as much longer), --turn 1|2 (the deed is done in a call of that
 * one), --garbage TEXT (as the deed "text:", for the second's results).
 * --disturbed LIST (of each sample, cyclic, 0 = not). As a background load it makes its
 * file and waits; `--background disk` ends at once.
 */
#define _GNU_SOURCE
#include "tests/programs/fake_harness.h"

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

FILE *results;
static FILE *others; /* of an arena: the second variant's */

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

/* Says whose call is under way, as program_arena.c does. */
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
    if (deed_do(settings))
        return;
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

/* Of a list that is read again and again. */
static double next_of(const char *list, const char **at)
{
    char *end;
    double number;

    if (!*at || !**at)
        *at = list;
    number = strtod(*at, &end);
    *at = *end == ',' ? end + 1 : end;
    return number;
}

static double next_time(const struct settings *settings)
{
    static const char *at;

    return next_of(settings->times, &at);
}

static void say_disturbed(const struct settings *settings)
{
    static const char *at;
    int causes = settings->disturbed ? (int)next_of(settings->disturbed, &at) : 0;

    if (causes)
        fprintf(results, "disturbed %d\n", causes);
}

static int be_background(const struct settings *settings)
{
    fclose(fopen(settings->out, "w"));
    if (strcmp(settings->background, "disk") != 0)
        sleep_for_ever();
    return 0;
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
        say_disturbed(settings);
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
        {"--start", &settings->start},
        {"--background", &settings->background},
        {"--disturbed", &settings->disturbed},
        {"--commands", &settings->commands},
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
    static const char *const ignored[] = {"--set", "--seed",          "--pages",
                                          "--cpu", "--sample-min-ns", "--limit-ns"};
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

/* A command of an arena. */
static void log_line(const struct settings *settings, const char *line)
{
    FILE *file = settings->log ? fopen(settings->log, "a") : NULL;

    if (!file)
        return;
    fputs(line, file);
    fclose(file);
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

/* Between arguments or a command, and their end. */
static void measure(const struct settings *settings)
{
    wait_at_barrier(settings);
    for (int i = 0; i < 2; i++)
        if (i ? others : results)
            fprintf(i ? others : results, "buffers 4096\nhuge 2097152\nwarm 1e-6\n");
    pass_gate(settings, 'R');
    misbehave(settings);
    sample(settings);
    pass_gate(settings, 'E');
    if (settings->garbage) {
        rewrite(others, settings->garbage);
        others = NULL;
    }
    finish();
}

/* "turns 0 1 FIRST PAIRS ... PATH" */
static void take_turns(struct settings *settings, const char *line)
{
    char path[4096], name[4200];

    if (sscanf(line, "turns %*d %*d %*d %ld %*f %*f %*f %*f %*f %4095[^\n]",
               &settings->samples, path) != 2)
        exit(2);
    snprintf(name, sizeof(name), "%s.%ld", path, settings->index);
    results = fopen(name, "we");
    snprintf(name, sizeof(name), "%s.%ld.second", path, settings->index);
    others = fopen(name, "we");
    if (!results || !others)
        exit(2);
    measure(settings);
}

static int be_arena(struct settings *settings)
{
    int in, out;
    char line[4200];
    FILE *commands;

    if (sscanf(settings->commands, "%d,%d", &in, &out) != 2)
        return 2;
    commands = fdopen(in, "r");
    while (fgets(line, sizeof(line), commands)) {
        bool turns = strncmp(line, "turns ", 6) == 0;

        log_line(settings, line);
        if (turns)
            take_turns(settings, line);
        if (write(out, turns ? "D" : "L", 1) != 1)
            return 2;
    }
    return 0;
}

int main(int argc, char **argv)
{
    struct settings settings = {.times = "1e-6", .copies = 1, .samples = 1, .who = -1};

    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (int i = 1; i < argc; i += 2)
        take(&settings, argv[i], i + 1 < argc ? argv[i + 1] : "");
    log_launch(&settings, argc, argv);
    if (settings.background)
        return be_background(&settings);
    if (settings.commands)
        return be_arena(&settings);
    results = fopen(settings.out ? settings.out : "/dev/null", "we");
    if (!results)
        return 2;
    measure(&settings);
    return 0;
}
