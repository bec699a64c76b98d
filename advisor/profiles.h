/* Machine profiles as the command line names them. */
#ifndef ADVISOR_PROFILES_H
#define ADVISOR_PROFILES_H

#include "core/machine/machine.h"

/* `spec`: "here" (the stored profile of this machine), a name of --list, or a path.
 * `memory`: one of the profile's memories, NULL = as it is. Caller releases. */
int profile_load(const char *spec, const char *memory, struct machine *machine,
                 struct error *err);

/* inflight machine --list. */
int profiles_list(bool json, struct error *err);
/* The list as text, 79 columns. */
void profiles_text(const struct machine_entry *entry, size_t nr, struct buf *out);

#endif
