/* What the files that tell the rules facts share; private to search/. */
#ifndef SEARCH_FACTS_H
#define SEARCH_FACTS_H

#include "search/session/session.h"

struct situation {
    const struct session *session;
    const struct nest *nest;
    const struct choice *choice;
    const struct measurement *measurement;
    const struct machine *machine;
    int innermost; /* depth (in the source) of the loop that is innermost under the
                      choice; -1 = none modelled */
    struct rule_facts *facts;
    struct error *err;
    int status;
    bool is_own; /* the measurement is that of the choice */
};

/* What is unknown is not said. After a failure nothing more is. */
double data_bytes(const struct situation *now);

#endif
