/* Private to core/machine: what the control groups of this process allow, version 1 and 2
 * (Linux, admin-guide/cgroup-v2 and cgroup-v1). Our own group and all above it count, as
 * far as the mount shows them. `root` stands before /proc and /sys: "" is this machine,
 * tests have folders. */
#ifndef CORE_MACHINE_CGROUP_H
#define CORE_MACHINE_CGROUP_H

/* The smallest limit; INFINITY = none. */
double cgroup_memory_bytes(const char *root);
/* What the limits still leave; file pages count as free, the kernel gives them back. */
double cgroup_memory_left_bytes(const char *root);
/* Processor time per time, in processors ("--cpus=2.5" gives 2.5); INFINITY = no quota.
 */
double cgroup_processors(const char *root);

#endif
