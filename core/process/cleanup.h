/*
 * What must not outlive us: process groups of children and scratch folders. Registered in
 * fixed tables without locks, so that a signal handler can end them. Private to
 * core/base.
 */
#ifndef CORE_BASE_CLEANUP_H
#define CORE_BASE_CLEANUP_H

#include <stdbool.h>
#include <sys/types.h>

#include "core/base/error.h"

/* Installs the handlers for fatal signals and the exit hook; repeating it does nothing.
 * Signals that somebody else handles or ignores already are left to them. */
void cleanup_install(void);

/* Slots are numbers of 0 and up; -1 when the table is full, err says so. */
int cleanup_add_group(pid_t group, struct error *err);
void cleanup_forget_group(int slot);
/* Whether the group's leader is a child that was started and not waited for;
 * async-signal-safe. */
bool cleanup_has_group(pid_t group);
int cleanup_add_folder(const char *path, struct error *err);
void cleanup_forget_folder(const char *path);

/* As rm -rf without following links; async-signal-safe; 0 also when it was not there. */
int remove_tree(const char *path);

#endif
