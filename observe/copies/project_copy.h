/* Private copies of the folder that an application is built from. */
#ifndef CORE_OBSERVE_PROJECT_COPY_H
#define CORE_OBSERVE_PROJECT_COPY_H

#include "core/base.h"

struct project {
    char *root; /* absolute, without links */
    char *file; /* the source, relative to it */
    char *cwd;  /* the folder we are in, relative to it; "" = it, or one outside of it */
};
void project_release(struct project *project);

/* The project of the source `file`: `dir` where it is told, else the git work tree that
 * holds the file, else the folder we are in. STATUS_INPUT when the file is not below it.
 */
int project_find(const char *file, const char *dir, struct project *project,
                 struct error *err);

/* What is copied, so that it is not twice looked for. */
struct project_list {
    struct strvec item; /* files, links and whole folders, relative to the root */
    double bytes;
    char *build;     /* the first build folder that is left out; NULL = none */
    size_t left_out; /* build folders (with a CMakeCache.txt), .git, sockets, devices */
};
void project_list_release(struct project_list *list);
int project_list_make(const struct project *project, const char *without,
                      struct project_list *list, struct error *err);

/* `copies` of it must fit on the disk of the folder `to`, with room to build in.
 * STATUS_MISSING with the remedy when they do not. */
int project_check_room(const struct project *project, const struct project_list *list,
                       const char *to, size_t copies, struct error *err);

/* Below the folder `to`, which is made. Times, modes and links stay as they are. */
int project_copy(const struct project *project, const struct project_list *list,
                 const char *to, struct error *err);

#endif
