/* The session database that was asked for: --database, INFLIGHT_DATABASE, or the user's.
 */
#ifndef ADVISOR_DATABASE_H
#define ADVISOR_DATABASE_H

#include "advisor/cli/settings.h"
#include "core/store/store.h"

/* `to_read`: one that is named with --database must be there; else it is made. */
int database_open(const struct settings *settings, bool to_read, struct store **store,
                  struct error *err);

#endif
