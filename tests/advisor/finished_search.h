/* A finished search by hand, as the reports see it: nothing is measured. */
#ifndef TESTS_ADVISOR_FINISHED_SEARCH_H
#define TESTS_ADVISOR_FINISHED_SEARCH_H

#include "advisor/cli/settings.h"
#include "advisor/report/report.h"
#include "advisor/report/report_verdict.h"
#include "advisor/session/context.h"
#include "tests/search/scripted_space.h"

struct fixture {
    char *given[2];
    struct settings settings;
    struct context bench;
    struct search_result result;
    struct report_input input;
    struct error err;
};

/* The kernel of tests/data/advisor/gather.c, measured as written: 0.52 s, explained. */
void fixture_start(struct fixture *fixture, const char *command);
void fixture_release(struct fixture *fixture);

struct quantity fixture_gain(double value, double low, double high);
/* Of the outcome OK with that time, or of another with a reason. */
struct measurement *fixture_add(struct fixture *fixture, const char *plan,
                                enum run_outcome outcome, double seconds);
/* By figures that are easy to find again. */
void fixture_explain(struct measurement *measurement);
/* bound 0 = unknown */
struct advice *fixture_advise(struct fixture *fixture, const char *name,
                              enum verdict verdict, double bound);
void fixture_prune(struct fixture *fixture, const char *plan, const char *rule,
                   const char *reason);

/* Its document, without what differs from run to run and from machine to machine. */
json_t *fixture_document(struct fixture *fixture);

#endif
