/* Machine profiles as the command line names them. */
#ifndef ADVISOR_PROFILES_H
#define ADVISOR_PROFILES_H

#include "core/machine/machine.h"

/* `spec`: "here" (the stored profile of this machine), a name of --list, or a path.
 * `memory`: one of the profile's memories, NULL = as it is. Caller releases. */
int profile_load(const char *spec, const char *memory, struct machine *machine,
                 struct error *err);

/* A line of --list. */
struct profile {
    char *name; /* for profile_load */
    struct machine machine;
    char *problem; /* why it cannot be read; NULL = it can, else `machine` is empty */
};

/* The shipped ones, the user's own (files of the folder of settings), and "here" if there
 * is one. Caller releases. */
int profiles_find(struct profile **profile, size_t *nr, struct error *err);
void profiles_release(struct profile *profile, size_t nr);
/* 79 columns. */
void profiles_text(const struct profile *profile, size_t nr, struct buf *out);
json_t *profiles_json(const struct profile *profile, size_t nr);

#endif
