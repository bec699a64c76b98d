/*
 * What a child leaves behind although its group is killed: descendants that went into
 * groups or sessions of their own. We are made the reaper of all our descendants, so they
 * become our children when their parents end; a mark in the environment, which they
 * inherit, tells whose they were. A descendant that has started another program with an
 * environment emptied of the mark is not recognised, nor is any where the kernel lists no
 * children (CONFIG_PROC_CHILDREN; all distributions have it). Private to core/base.
 */
#ifndef CORE_BASE_ORPHANS_H
#define CORE_BASE_ORPHANS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define ORPHANS_VARIABLE "INFLIGHT_SPAWNED"
enum { orphan_mark_max = 64 };

/* From now on orphans come to us. Repeating it does nothing. */
void orphans_adopt(void);

/* A mark that no other child of any process has. */
void orphans_mark(char mark[orphan_mark_max]);
/* What all marks of this process begin with. */
void orphans_mark_of_all(char mark[orphan_mark_max]);

/*
 * Kills and reaps what carries the mark, and kills the group (0 = none), until nothing is
 * left or 2 s have passed. Children that somebody else in this process has started carry
 * no mark and are left alone; those that wait to be reaped are told by the group, or by a
 * session that is not ours, since the dead carry no marks. Returns how many lived, about:
 * those that end meanwhile may or may not count. Async-signal-safe.
 */
size_t orphans_end(const char *mark, pid_t group);

#endif
