#include "core/run/run_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { weight_ok, weight_killed, weight_timed_out, weight_own_fault, weight_interrupted };
enum { exit_no_memory = 3, line_max = 200 };

static const char *const words[] = {
#define X(name, word) [RUN_OUTCOME_##name] = word,
    RUN_OUTCOME_MAP(X)
#undef X
};

static const struct {
    int number;
    const char *name, *meaning;
} signals[] = {
    {SIGSEGV, "SIGSEGV", "invalid memory access"},
    {SIGBUS, "SIGBUS", "access to memory that is not there"},
    {SIGFPE, "SIGFPE", "arithmetic error such as an integer division by zero"},
    {SIGILL, "SIGILL", "instruction that this CPU does not have"},
    {SIGABRT, "SIGABRT", "it aborted itself"},
    {SIGTRAP, "SIGTRAP", "trap"},
    {SIGSYS, "SIGSYS", "forbidden system call"},
    {SIGPIPE, "SIGPIPE", "write to a closed pipe"},
    {SIGXCPU, "SIGXCPU", "limit of processor time"},
    {SIGXFSZ, "SIGXFSZ", "limit of file size"},
    {SIGTERM, "SIGTERM", "not sent by us"},
    {SIGINT, "SIGINT", "not sent by us"},
    {SIGHUP, "SIGHUP", "not sent by us"},
    {SIGQUIT, "SIGQUIT", "not sent by us"},
    {SIGUSR1, "SIGUSR1", "not sent by us"},
    {SIGUSR2, "SIGUSR2", "not sent by us"},
    {SIGALRM, "SIGALRM", "its own timer"},
    {SIGKILL, "SIGKILL", "not sent by us, and the system reports no lack of memory"},
};

const char *run_outcome_word(enum run_outcome outcome)
{
    return words[outcome];
}

bool run_outcome_from_word(const char *word, enum run_outcome *outcome)
{
    for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
        if (strcmp(words[i], word) == 0) {
            *outcome = (enum run_outcome)i;
            return true;
        }
    }
    return false;
}

static long long count_oom_kills(void)
{
    FILE *file = fopen("/proc/vmstat", "re");
    char line[256];
    long long kills = -1;

    while (file && kills < 0 && fgets(line, sizeof(line), file))
        if (sscanf(line, "oom_kill %lld", &kills) != 1)
            kills = -1;
    if (file)
        fclose(file);
    return kills;
}

struct circumstances circumstances_before(double limit_s)
{
    return (struct circumstances){
        .limit_s = limit_s, .kills_before = count_oom_kills(), .kills_after = -1};
}

void circumstances_after(struct circumstances *circumstances)
{
    circumstances->kills_after = count_oom_kills();
}

/* The last line that says something, fit for terminals and JSON: plain ASCII, not
 * endless. */
static char *last_line(const struct buf *text)
{
    size_t end = text->length, from;
    char *line;

    while (end > 0 && (unsigned char)text->data[end - 1] <= ' ')
        end--;
    for (from = end; from > 0 && text->data[from - 1] != '\n' && end - from < line_max;)
        from--;
    line = end ? xstrndup(text->data + from, end - from) : xstrdup("");
    for (char *c = line; *c; c++)
        if (*c < ' ' || *c > '~')
            *c = '?';
    return line;
}

/* "problem: last line of stderr", or only the problem. Takes `problem`. */
static char *with_last_line(char *problem, const struct buf *text)
{
    char *line = last_line(text);
    char *both = *line ? xasprintf("%s: %s", problem, line) : xstrdup(problem);

    free(line);
    free(problem);
    return both;
}

static char *signal_sentence(int number)
{
    for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
        if (signals[i].number == number)
            return xasprintf("ended by %s (%s)", signals[i].name, signals[i].meaning);
    return xasprintf("ended by signal %d", number);
}

static struct verdict verdict_of_kill(const struct circumstances *around)
{
    static const char system[] = "killed by the system for lack of memory";

    if (around->kills_before < 0 || around->kills_after < 0)
        return (struct verdict){RUN_OUTCOME_OUT_OF_MEMORY,
                                xasprintf("ended by SIGKILL, most likely %s", system),
                                weight_killed};
    if (around->kills_after > around->kills_before)
        return (struct verdict){RUN_OUTCOME_OUT_OF_MEMORY, xstrdup(system),
                                weight_killed};
    return (struct verdict){RUN_OUTCOME_CRASHED, signal_sentence(SIGKILL), weight_killed};
}

static struct verdict verdict_of_signal(int number, const struct circumstances *around)
{
    if (number == SIGKILL)
        return verdict_of_kill(around);
    return (struct verdict){RUN_OUTCOME_CRASHED, signal_sentence(number),
                            weight_own_fault};
}

static struct verdict verdict_of_exit(const struct spawn_outcome *end)
{
    if (end->code == 0)
        return (struct verdict){RUN_OUTCOME_OK, NULL, weight_ok};
    if (end->code == exit_no_memory)
        return (struct verdict){RUN_OUTCOME_OUT_OF_MEMORY,
                                with_last_line(xstrdup("not enough memory"), &end->err),
                                weight_own_fault};
    return (struct verdict){
        RUN_OUTCOME_BAD_EXIT,
        with_last_line(xasprintf("exit status %d", end->code), &end->err),
        weight_own_fault};
}

struct verdict verdict_of_end(const struct spawn_outcome *end,
                              const struct circumstances *around)
{
    switch (end->end) {
    case SPAWN_EXITED:
        return verdict_of_exit(end);
    case SPAWN_SIGNALLED:
        return verdict_of_signal(end->code, around);
    case SPAWN_TIMED_OUT:
        return (struct verdict){
            RUN_OUTCOME_TIMED_OUT,
            xasprintf("did not end within %.3g s and was killed", around->limit_s),
            weight_timed_out};
    case SPAWN_INTERRUPTED:
        return (struct verdict){RUN_OUTCOME_INTERRUPTED, xstrdup("interrupted"),
                                weight_interrupted};
    case SPAWN_NOT_STARTED:
        break;
    }
    abort(); /* the caller has seen to it */
}

struct verdict verdict_bad_results_take(char *detail)
{
    return (struct verdict){RUN_OUTCOME_BAD_EXIT, detail, weight_own_fault};
}

void verdict_join_take(struct verdict *worst, struct verdict other)
{
    if (other.weight > worst->weight) {
        struct verdict old = *worst;

        *worst = other;
        other = old;
    }
    free(other.detail);
}
