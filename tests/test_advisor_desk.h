/* A finished search by hand, as the reports see it: nothing is measured. */
#ifndef TESTS_TEST_ADVISOR_DESK_H
#define TESTS_TEST_ADVISOR_DESK_H

#include "advisor/report/report.h"
#include "tests/test_search_space.h"

struct desk {
    struct settings settings;
    struct workbench bench;
    struct search_result result;
    struct report_input input;
    struct error err;
};

/* The kernel of tests/data/advisor/gather.c, measured as written: 0.52 s, explained. */
void desk_start(struct desk *desk, const char *command);
void desk_release(struct desk *desk);

struct quantity desk_gain(double value, double low, double high);
/* Of the outcome OK with that time, or of another with a reason. */
struct measurement *desk_add(struct desk *desk, const char *plan,
                             enum run_outcome outcome, double seconds);
/* By figures that are easy to find again. */
void desk_explain(struct measurement *measurement);
/* bound 0 = unknown */
struct advice *desk_advise(struct desk *desk, const char *name, enum verdict verdict,
                           double bound);
void desk_prune(struct desk *desk, const char *plan, const char *rule,
                const char *reason);

/* Its document, without what differs from run to run and from machine to machine. */
json_t *desk_document(struct desk *desk);

#endif
