/* Facts for the rules: the choice of measurement i, the loop nest, the machine, and what
 * the measurement `explained` (i itself, or the one it was built on) says of traffic. */
#ifndef SEARCH_FACTS_H
#define SEARCH_FACTS_H

#include "search/session/engine.h"

/* Once, before the first facts. */
void session_ask_legality(struct session *session);
int session_facts(const struct session *session, size_t i, size_t explained,
                  struct rule_facts *facts, struct error *err);

/* The loop that the cause is in, if it could not be read; NULL = it could. */
const struct kernel_loop *session_unread_loop(const struct session *session,
                                              size_t explained);

#endif
