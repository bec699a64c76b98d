/* Starting a program: its environment, signals, streams and terminal. Private to
 * core/base. */
#ifndef CORE_BASE_SPAWN_EXEC_H
#define CORE_BASE_SPAWN_EXEC_H

#include "core/process/spawn.h"

enum { SPAWN_STREAMS = 2 }; /* output and errors */

/* `write_end`: where its streams go, unless it is attached; `mark`: of strays.h. Returns
 * 0 or an errno. */
int spawn_exec(pid_t *pid, const struct spawn_request *request,
               const int write_end[SPAWN_STREAMS], const char *mark);

/* When an attached program has ended. */
void spawn_take_terminal_back(void);

#endif
