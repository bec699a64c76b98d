/* inflight tune --replay: a strategy on a recorded space; nothing is built or run. */
#ifndef ADVISOR_REPLAY_SPACE_H
#define ADVISOR_REPLAY_SPACE_H

#include "advisor/cli/settings.h"

/* settings->replay, strategy, seed, variants, rules, json. */
int replay_space(const struct settings *settings, struct error *err);

#endif
