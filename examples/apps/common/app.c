#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include "common/app.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void help_print(const char *program, const char *about,
                       const struct app_option *option, size_t nr)
{
    printf("usage: %s [options]\n%s\n\n", program, about);
    for (size_t i = 0; i < nr; i++) {
        printf("  %-12s %s", option[i].name, option[i].help);
        if (option[i].count)
            printf(" (default %ld)", *option[i].count);
        if (option[i].real)
            printf(" (default %g)", *option[i].real);
        putchar('\n');
    }
    printf("  %-12s this text\n", "--help");
}

static const struct app_option *option_find(const struct app_option *option, size_t nr,
                                            const char *name)
{
    for (size_t i = 0; i < nr; i++)
        if (!strcmp(option[i].name, name))
            return &option[i];
    return NULL;
}

/* Whether the text is a number that the option takes; it is stored then. */
static bool option_store(const struct app_option *option, const char *text)
{
    char *end = NULL;

    errno = 0;
    double value = strtod(text, &end);
    if (errno || end == text || *end || !(value >= option->least) ||
        !(value <= option->most))
        return false;
    if (option->real)
        *option->real = value;
    else if (value == floor(value))
        *option->count = (long)value;
    else
        return false;
    return true;
}

enum app_read app_options_read(int argc, char **argv, const char *about,
                               const struct app_option *option, size_t nr)
{
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) {
            help_print(argv[0], about, option, nr);
            return APP_READ_HELP;
        }
        const struct app_option *found = option_find(option, nr, argv[i]);
        if (!found) {
            fprintf(stderr, "%s: '%s' is no option; --help lists them\n", argv[0],
                    argv[i]);
            return APP_READ_WRONG;
        }
        if (found->flag) {
            *found->flag = true;
        } else if (found->text && i + 1 < argc) {
            *found->text = argv[++i];
        } else if (found->text) {
            fprintf(stderr, "%s: %s takes %s\n", argv[0], found->name, found->help);
            return APP_READ_WRONG;
        } else if (++i == argc || !option_store(found, argv[i])) {
            fprintf(stderr, "%s: %s takes a%s number from %g to %g\n", argv[0],
                    found->name, found->count ? " whole" : "", found->least, found->most);
            return APP_READ_WRONG;
        }
    }
    return APP_READ_RUN;
}

void *app_array(size_t nr, size_t bytes)
{
    size_t size = (nr * bytes + 63) / 64 * 64;
    void *array = aligned_alloc(64, size ? size : 64);

    if (!array) {
        fprintf(stderr,
                "not enough memory for %zu elements of %zu bytes; ask for a "
                "smaller problem\n",
                nr, bytes);
        exit(1);
    }
    return memset(array, 0, size ? size : 64);
}

double app_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

uint64_t app_random_next(struct app_random *random)
{
    uint64_t z = random->state += 0x9e3779b97f4a7c15u;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

double app_random_unit(struct app_random *random)
{
    return (double)(app_random_next(random) >> 11) * 0x1p-53;
}

/* Box and Muller's transform, of which one of two numbers is used. */
double app_random_normal(struct app_random *random)
{
    double radius = sqrt(-2.0 * log(1.0 - app_random_unit(random)));

    return radius * cos(2.0 * 3.14159265358979323846 * app_random_unit(random));
}

void app_shuffled(struct app_random *random, int *order, long nr)
{
    for (long i = 0; i < nr; i++)
        order[i] = (int)i;
    for (long i = nr - 1; i > 0; i--) {
        long other = (long)(app_random_next(random) % (uint64_t)(i + 1));
        int kept = order[i];
        order[i] = order[other];
        order[other] = kept;
    }
}
