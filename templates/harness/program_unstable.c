/*
 * Sizes at which the untransformed kernel itself, of inputs that differ by what rounding
 * makes of a sum of so many terms, makes results that differ by more than is tolerated,
 * such as a decomposition of more columns than rows: what another order of rounding makes
 * there proves nothing. Not of kernels with global arrays or further outputs, whose
 * results lie elsewhere.
 */
#include <float.h>

enum { NUDGE_TERMS = 64 };

/* Up or down, by turns that follow no period of a loop. */
static void nudge(const struct inflight_array *array, void *data, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        char *at = (char *)data + place_of(array, i);
        double sign = (unsigned)i * 2654435761U >> 31 ? 1 : -1;

        if (array->bytes == 8)
            *(double *)at *= 1 + sign * NUDGE_TERMS * DBL_EPSILON;
        else
            *(float *)at *= (float)(1 + sign * NUDGE_TERMS * (double)FLT_EPSILON);
    }
}

static void fill_beside(struct verification *verification, size_t i)
{
    struct pair *pair = &verification->pair[i];

    space_allow(&pair->first, is_memory_written(verification, memory_of(verification, i))
                                  ? PROT_READ
                                  : PROT_READ | PROT_WRITE);
    fill_contents(verification, i, pair->variant);
}

static void nudge_beside(struct verification *verification, size_t i)
{
    if (inflight_table.array[i].kind == 'f')
        nudge(&inflight_table.array[i], verification->pair[i].variant,
              verification->sizes->array[i].length);
}

/* What only is read, as it was. */
static void fill_again(struct verification *verification, size_t i)
{
    if (is_memory_written(verification, memory_of(verification, i)))
        return;
    fill_contents(verification, i, verification->pair[i].variant);
    space_protect(&verification->pair[i].first);
}

static bool can_nudge(void)
{
    for (size_t i = 0; i < inflight_table.array_nr; i++)
        if (inflight_table.array[i].is_global ||
            (inflight_table.array[i].kind == 'f' && inflight_table.array[i].bytes != 8 &&
             inflight_table.array[i].bytes != 4))
            return false;
    return inflight_table.output_nr == 0;
}

/* All is compared, and what was found is not told yet. */
static char *compare_aside(struct verification *verification,
                           struct inflight_result result[2], bool *different)
{
    bool before = verification->different;
    FILE *out = verification->out;
    char *told = NULL;
    size_t length;

    verification->different = false;
    verification->out = open_memstream(&told, &length);
    if (!verification->out)
        stop(EXIT_MEMORY, "not enough memory");
    compare_all(verification, result);
    fclose(verification->out);
    verification->out = out;
    *different = verification->different;
    verification->different = before;
    return told;
}

/* Does the untransformed kernel, called once more, make other results than it did? */
static bool does_differ(struct verification *verification, bool nudged,
                        const struct inflight_result *wanted)
{
    struct inflight_result result[2] = {*wanted, {0}};
    bool different;

    for_each(verification, fill_beside);
    if (nudged)
        for_each(verification, nudge_beside);
    run_kernel(verification, false, true, &result[1]);
    for_each(verification, fill_again);
    free(compare_aside(verification, result, &different));
    return different;
}

/* What the variant made is lost. */
static bool is_unstable(struct verification *verification,
                        const struct inflight_result *wanted)
{
    return can_nudge() && !does_differ(verification, false, wanted) &&
           does_differ(verification, true, wanted);
}

/* Where it is unstable, a line before what is told says that it does not count. */
static void compare_stable(struct verification *verification,
                           struct inflight_result result[2])
{
    bool different;
    char *told = compare_aside(verification, result, &different);

    if (different && !verification->different && is_unstable(verification, &result[0]))
        fprintf(verification->out, "unstable\n");
    else
        verification->different |= different;
    fputs(told, verification->out);
    free(told);
}
