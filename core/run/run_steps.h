/*
 * The account of a run of program counters: which instructions, how often, which way the
 * branches went. Knows the decoder and the predictor, not the process. Private to
 * core/run and its tests.
 */
#ifndef CORE_RUN_RUN_STEPS_H
#define CORE_RUN_RUN_STEPS_H

#include "core/code/code.h"
#include "core/run/run.h"

struct steps;
struct steps *steps_new(const struct decoder *decoder);
void steps_free(struct steps *steps);

/* Where the next instruction is; `code` is asked for the bytes there at the first visit.
 * While `aside` the places are only remembered: they never count. */
typedef void (*steps_code)(void *data, uint64_t pc, uint8_t code[DECODE_BYTES]);
void steps_add(struct steps *steps, uint64_t pc, bool aside, steps_code code, void *data);
struct run_steps steps_total(const struct steps *steps);

#endif
