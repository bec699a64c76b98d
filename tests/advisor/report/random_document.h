/* Documents from random measurements, made the way the product makes them: a machine, a
 * kernel and times of every plan that a seed decides, through the model of occupancy, the
 * shipped rules, a search and its closing, into a report. Nothing is timed. */
#ifndef TESTS_ADVISOR_RANDOM_DOCUMENT_H
#define TESTS_ADVISOR_RANDOM_DOCUMENT_H

#include "core/files/json.h"
#include "tests/advisor/finished_search.h"

struct rule_set;

struct random_maker {
    struct fixture fixture; /* its kernel stands for the file; the document tells that of
                               the search */
    struct rule_set *rules;
};
void random_maker_start(struct random_maker *maker);
void random_maker_release(struct random_maker *maker);

/* A finished search, or advice of a file; every 50th was interrupted, in a child. */
json_t *random_search(struct random_maker *maker, uint64_t seed);
/* Of a search that others ran: on this machine, with this kernel. */
json_t *document_of_search(struct random_maker *maker, const struct machine *machine,
                           const struct kernel_view *view, const char *command,
                           const struct search_result *result);
#endif
