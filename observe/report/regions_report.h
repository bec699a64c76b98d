/* inflight profile: from a region profile to the report. */
#ifndef ADVISOR_REGIONS_REPORT_H
#define ADVISOR_REGIONS_REPORT_H

#include "advisor/cli/settings.h"
#include "advisor/report/numbers.h"
#include "observe/observe.h"

struct error;

/* What is said of one region beyond its times. */
struct region_answer {
    struct quantity read_gbs, write_gbs; /* of a machine's memory while it is in there */
    struct quantity cores;               /* of a machine that work in it, on average */
    bool by_processor_time; /* cores: of the process, else of marked threads */
    struct given given;
    char *why_not;        /* why there is no occupancy; NULL = `answer` is filled */
    struct answer answer; /* rules outlive it */
};

struct regions_report {
    const struct settings *settings;
    struct region_profile profile;
    struct region_answer *answer; /* one per region of the profile */
    double wall_s;                /* of the program */
    char *program;                /* as it was started; NULL = read from a folder */
    char *ended;   /* how it ended, where that was not exit 0; a part of a sentence */
    char *machine; /* whose profile explains it; NULL = none */
    struct strvec note;     /* one sentence each */
    struct rule_set *rules; /* owned */
};
void regions_report_release(struct regions_report *report);

/* Fills `answer` and `machine` from the profile and the settings machine, memory, access,
 * cores, rules. Without a profile of this machine there are no answers, and a note. */
int regions_answers(struct regions_report *report, struct error *err);

/* Fails for a --machine, --memory, --access or --rules that means nothing: before the
 * program is run. */
int regions_check(const struct settings *settings, struct error *err);

/* What the counters of this machine can say of regions, as names between commas; "" =
 * nothing. Caller frees. */
char *regions_events(const struct settings *settings);

/* Fails for a list that could not be counted anywhere. */
int regions_check_events(const char *list, struct error *err);

/* Adds to note what is wrong or limited: mistakes in marking, lost regions, processes
 * that ended early. */
void regions_notes(struct regions_report *report);

void regions_text(const struct regions_report *report, struct buf *out);
json_t *regions_json(const struct regions_report *report);

/* Of a name: what is not printable becomes '?'. Caller frees. */
char *region_shown(const char *name);
/* Share of the region's thread time that its markers cost. */
double region_marker_share(const struct region *region);

#endif
