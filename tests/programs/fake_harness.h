/* What the files of fake_harness share. */
#ifndef TESTS_PROGRAMS_FAKE_HARNESS_H
#define TESTS_PROGRAMS_FAKE_HARNESS_H

#include <stdbool.h>
#include <stdio.h>

struct settings {
    const char *deed, *times, *counter, *log, *name, *out, *barrier, *gate;
    const char *start, *background, *disturbed;
    const char *commands, *garbage;
    long copies, index, samples, who, from, turn;
    double step_percent, skew_percent, second_percent;
};

extern FILE *results;

void write_all(int fd, const char *text);
void sleep_for_ever(void);

/* False if there is no such deed. */
bool deed_do(const struct settings *settings);

#endif
