/* One round of turns in an arena, as its copies told it. Private to core/run. */
#ifndef CORE_RUN_RUN_ARENA_H
#define CORE_RUN_RUN_ARENA_H

#include "core/run/run_launch.h"

/* As run_arena_turns. Fails only when nothing could be tried. */
int arena_turns(struct run_arena *arena, const char *const library[2],
                const struct run_turns *how, struct launch *launch, struct error *err);
/* Ends it; `usage` (may be NULL) gets what its copies used since they were started. */
void arena_stop(struct run_arena *arena, struct launch *usage);

#endif
