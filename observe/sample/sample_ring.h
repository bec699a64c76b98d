/* The kernel's side: one clock on each processor for this process's children to inherit,
 * and the memory through which the kernel hands over records. */
#ifndef CORE_OBSERVE_SAMPLE_RING_H
#define CORE_OBSERVE_SAMPLE_RING_H

#include "observe/sample/sample.h"
#include "observe/sample/sample_fold.h"

struct error;

struct sample_rings;
/* Programs started from the calling thread from now on are sampled from their first
 * instruction on, with all that they start. Fills frequency_hz and the miss_ fields. */
int sample_rings_open(const struct sample_options *options, struct samples *samples,
                      struct sample_rings **rings, struct error *err);
/* Hands what has come in since the last call to the fold, in order of time; what is newer
 * than the call's beginning waits for the next one, unless `all`. */
void sample_rings_drain(struct sample_rings *rings, struct sample_fold *fold, bool all);
void sample_rings_close(struct sample_rings *rings); /* NULL is fine */

#endif
