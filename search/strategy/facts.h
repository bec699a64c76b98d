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
void say_word(struct situation *now, const char *metric, const char *word);
void say_yes_no(struct situation *now, const char *metric, bool yes);
void say_quantity(struct situation *now, const char *metric, struct quantity value);
void say_number(struct situation *now, const char *metric, double value);

double data_bytes(const struct situation *now);

/* What a plan would leave of the work: by the static estimate, and by what was measured.
 */
void say_ratios(struct situation *now);
void say_left(struct situation *now);

#endif
