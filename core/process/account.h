/*
 * Where the wall time of a command goes. One activity of this process is current at any
 * moment; whoever begins another one says so and gives the old one back at its end:
 *
 *     enum account before = account_switch(ACCOUNT_COMPILING);
 *     ...
 *     account_switch(before);
 *
 * Costs two readings of the clock. For the main thread only.
 */
#ifndef CORE_BASE_ACCOUNT_H
#define CORE_BASE_ACCOUNT_H

/* name, key in documents, meaning */
#define ACCOUNT_MAP(X)                                                                   \
    X(OTHER, "other_s", "everything else")                                               \
    X(ANALYSIS, "analysis_s", "reading the source, legality of plans, writing C")        \
    X(COMPILING, "compiling_s", "compilers and linkers")                                 \
    X(VERIFYING, "verifying_s", "programs that compare results, sanitizers included")    \
    X(TIMING, "timing_s", "programs that are timed")                                     \
    X(TRACING, "tracing_s", "programs that are traced or stepped through")               \
    X(MACHINE, "machine_s", "measuring the machine: its latency of the moment, profile")

enum account {
#define X(name, key, meaning) ACCOUNT_##name,
    ACCOUNT_MAP(X)
#undef X
        ACCOUNT_NR
};
const char *account_key(enum account account);
const char *account_meaning(enum account account);

/* Forgets all; OTHER is current from now on. Without it time counts from the first
 * switch. */
void account_restart(void);
/* `to` is current from now on. Returns what was. */
enum account account_switch(enum account to);
enum account account_current(void);
/* Seconds of each until now. */
struct account_times {
    double seconds[ACCOUNT_NR];
};
struct account_times account_now(void);

/* The sum, and the share of it that is neither compiling nor running variants nor
 * measuring the machine: OTHER and ANALYSIS. 0 where nothing was counted. */
double account_total_s(const struct account_times *times);
double account_overhead_share(const struct account_times *times);

#endif
