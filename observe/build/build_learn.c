/* A build of a private copy, to see what it compiles with what. */
#include <stdlib.h>

#include "core/base.h"
#include "observe/build/build_watch.h"
#include "observe/copies/copies.h"

static const double build_limit_s = 3600;

/* The copy, ready to be built anew. */
static int make_copy(const struct project *project, const char *scratch, const char *root,
                     struct error *err)
{
    struct project_list list = {0};
    int status = project_list_make(project, scratch, &list, err);
    if (!status)
        status = project_check_room(project, &list, scratch, 1, err);
    if (!status)
        status = project_copy(project, &list, root, err);
    if (!status)
        status = build_outdate(root, err);
    project_list_release(&list);
    return status;
}

static int build(const char *command, const struct build_watch *watch, const char *dir,
                 const struct project *project, struct error *err)
{
    const char *const argv[] = {"sh", "-c", command, NULL};
    const struct spawn_request request = {.argv = argv,
                                          .env_extra = (const char *const *)watch->env.v,
                                          .dir = dir,
                                          .timeout_s = build_limit_s};
    struct spawn_outcome outcome;
    if (spawn_run(&request, &outcome, err))
        return -1;
    char *phrase = spawn_end_phrase(outcome.end, outcome.code),
         *complaint = shell_text_complaint(buf_str(&outcome.out), buf_str(&outcome.err));
    int status = 0;
    if (outcome.end == SPAWN_INTERRUPTED)
        status = fail(err, STATUS_FAILED, "interrupted while '%s' was watched", command);
    else if (outcome.end == SPAWN_TIMED_OUT)
        status = fail(err, STATUS_FAILED,
                      "--build: '%s' had not ended after %.0f s and was stopped", command,
                      build_limit_s);
    else if (phrase)
        status =
            fail(err, STATUS_FAILED, "--build: '%s' %s in a copy of '%s': %s", command,
                 phrase, project->root, complaint ? complaint : "it printed nothing");
    free(complaint);
    free(phrase);
    spawn_outcome_release(&outcome);
    return status;
}

int build_learn(const char *command, const char *file, struct build_seen *seen,
                struct error *err)
{
    struct project project = {0};
    struct build_watch watch = {0};
    char *scratch = NULL;
    *seen = (struct build_seen){0};
    if (project_find(file, NULL, &project, err))
        return -1;
    int status = scratch_make(&scratch, err);
    char *above = status ? NULL : path_join(scratch, "copy"),
         *front = status ? NULL : path_join(scratch, "front"),
         *root = status ? NULL : path_join(above, path_base(project.root)),
         *dir = status ? NULL : path_join(root, project.cwd);
    if (!status)
        status = make_copy(&project, scratch, root, err);
    if (!status)
        status = build_watch_begin(front, &watch, err);
    if (!status)
        status = build(command, &watch, dir, &project, err);
    if (!status)
        status = build_watch_end(&watch, root, project.root, seen, err);
    build_watch_release(&watch);
    project_release(&project);
    free(scratch);
    free(above);
    free(front);
    free(root);
    free(dir);
    return status;
}
