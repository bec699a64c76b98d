/* What the three applications share: options, arrays, time, random numbers. */
#ifndef APP_H
#define APP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One option. Exactly one of `count`, `real`, `flag`, `text` is set; it holds the default
 * before and the value afterwards. Numbers outside of least .. most are refused; a text
 * is borrowed from the command line. */
struct app_option {
    const char *name; /* as typed: "--steps" */
    const char *help; /* with the unit */
    long *count;
    double *real;
    bool *flag;
    const char **text;
    double least, most;
};

/* What app_options_read found. */
enum app_read {
    APP_READ_RUN,  /* go on */
    APP_READ_HELP, /* the help was asked for and printed: end with status 0 */
    APP_READ_WRONG /* one sentence was printed on stderr: end with status 2 */
};

/* Reads the command line into what `option[nr]` point to. `about` is the program's one
 * sentence for --help. */
enum app_read app_options_read(int argc, char **argv, const char *about,
                               const struct app_option *option, size_t nr);

/* `nr` zeroed elements of `bytes` bytes each, at the beginning of a cache line; the
 * caller frees them. Ends the program with a sentence and status 1 where there is no
 * memory: nothing here can go on without. */
void *app_array(size_t nr, size_t bytes);

/* Seconds since some moment in the past. */
double app_seconds(void);

/* Random numbers by splitmix64 (Steele, Lea, Flood 2014): equal seeds give equal numbers
 * on every machine. */
struct app_random {
    uint64_t state;
};

uint64_t app_random_next(struct app_random *random);
double app_random_unit(struct app_random *random);   /* 0 <= x < 1 */
double app_random_normal(struct app_random *random); /* mean 0, variance 1 */

/* order[nr] holds 0 .. nr - 1, shuffled. */
void app_shuffled(struct app_random *random, int *order, long nr);

#endif
