/*
 * Subprocesses: posix_spawn with an argument vector, no shell. Own process group,
 * standard input empty, pipes drained by one poll loop; the whole group is killed on
 * timeout, on interrupt, when its leader has ended, and on our own end, and so are
 * descendants that have left the group (orphans.h). Using it makes this process the
 * reaper of all its descendants.
 */
#ifndef CORE_BASE_SPAWN_H
#define CORE_BASE_SPAWN_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/base/buf.h"
#include "core/process/account.h"

struct error;

enum spawn_end {
    SPAWN_EXITED,
    SPAWN_SIGNALLED,
    SPAWN_TIMED_OUT,
    SPAWN_INTERRUPTED,
    SPAWN_NOT_STARTED
};

struct spawn_request {
    const char *const *argv;      /* NULL-terminated; argv[0] is looked up in PATH */
    const char *const *env_extra; /* NULL-terminated "NAME=value" list; NULL = none */
    const char *dir;              /* working folder, also for argv[0]; NULL = ours */
    double timeout_s;             /* 0 = none */
    double grace_s;               /* then, between SIGTERM and SIGKILL; at least 0.5 */
    size_t output_limit;          /* bytes kept of each stream; 0 = 1 MiB */
    /* The program has our three streams and, for as long as it runs, our terminal (Ctrl-C
     * is its own then): an application as a user starts it. Nothing of it is kept. */
    bool attached;
    bool out_to_err;           /* attached: what it prints goes to our standard error */
    int pass_fd[2];            /* ours, under the same number in the child; 0 = none */
    double memory_limit_bytes; /* address space, of it and of each child; 0 = none */
    bool after_interrupt; /* runs to its end although an interrupt was caught: for what
                             reports what is known by then */
    enum account account; /* spawn_run: what the time is counted as; 0 = as it is now */
};

struct spawn_outcome {
    enum spawn_end end;
    int code; /* exit status, signal number, or errno when not started */
    struct buf out, err;
    double wall_s, user_s, system_s;
    /* Linux counts our own peak into the child's: max_rss_kib is never below it. */
    long max_rss_kib, involuntary_switches, major_faults, minor_faults;
    size_t left_behind; /* descendants that outlived it and were killed, about */
};

/* Runs to the end. Returns 0 for every end that was observed (the outcome says which); -1
 * only when nothing could be tried. A program that does not exist is SPAWN_NOT_STARTED
 * with code ENOENT. Caller releases the outcome. */
int spawn_run(const struct spawn_request *request, struct spawn_outcome *outcome,
              struct error *err);
void spawn_outcome_release(struct spawn_outcome *outcome);
const char *spawn_end_word(enum spawn_end end);
/* What somebody or something did: "ended with status 2", "was ended by signal 9
 * (Killed)", "could not be started: ..."; NULL for status 0, and for an end that we made.
 * Caller frees. */
char *spawn_end_phrase(enum spawn_end end, int code);

/* The two halves of spawn_run, for several children at once (copies) or for work while a
 * child runs. */
struct spawn_child;
int spawn_start(const struct spawn_request *request, struct spawn_child **child,
                struct error *err);
pid_t spawn_pid(const struct spawn_child *child); /* 0 if it was not started */
/* Waits for all of them, draining their output; frees them; outcome[i] belongs to
 * child[i]. When one ends other than by exit 0 and `all_or_none` is set, the others are
 * killed (their outcome then is SPAWN_SIGNALLED by SIGKILL). */
int spawn_wait_all(struct spawn_child **child, size_t nr, bool all_or_none,
                   struct spawn_outcome *outcome, struct error *err);

/* Waits until one of them has ended, draining the output of all; its place. It is then
 * taken by spawn_wait_all. nr > 0. */
size_t spawn_wait_one(struct spawn_child *const *child, size_t nr);

/* Waits `seconds` at most, for work at intervals while it runs. True when it has ended;
 * it is then taken by spawn_wait_all. */
bool spawn_wait_for(struct spawn_child *child, double seconds);

/* Waits until one of the descriptors (-1 = none) may have something to read, one of the
 * children has ended, or the time is over, draining the children's output. True when one
 * has ended. */
bool spawn_wait_to_read(struct spawn_child *const *child, size_t nr, const int *fd,
                        size_t fd_nr, double seconds);

/* Ctrl-C: after spawn_catch_interrupt, SIGINT, SIGTERM and SIGHUP kill running children
 * and set this flag instead of ending us; every spawn then ends as SPAWN_INTERRUPTED. A
 * second signal ends the program (after killing children and removing scratch folders).
 */
void spawn_catch_interrupt(void);
/* Takes that back, for work with nothing to report when cut short: the first such signal
 * ends the program at once, after cleaning up, with `last_words` (a static text) on
 * standard error. */
void spawn_die_on_interrupt(const char *last_words);
int spawn_interrupted(void); /* 0 or the signal's number */
/* Our parent is that process: when it ends in whatever way, or has, that is as if SIGTERM
 * had come. */
void spawn_end_with_parent(pid_t parent);

/* Programs that run at that moment of clock_s() are ended as if their own time were up,
 * those that are started later at once; 0 = never. Those that run to their end after an
 * interrupt are left alone. Returns the moment that held before. */
double spawn_end_at(double moment_s);
/* Seconds until then, 0 behind it; infinite = never. */
double spawn_left_s(void);
/* That moment has come. */
bool spawn_is_late(void);

#endif
