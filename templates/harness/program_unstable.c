/*
 * Sizes at which the untransformed kernel itself, of inputs that differ by what rounding
 * makes of a sum of so many terms, makes results that differ by more than is tolerated,
 * such as a decomposition of more columns than rows: what another order of rounding makes
 * there proves nothing. Each number that differs must be one that such inputs change, and
 * integers must be equal. Not of kernels with global arrays or further outputs, whose
 * results lie elsewhere.
 */
#include <float.h>

/* A number that rounding makes 0 or not needs several until one shows it. */
enum { NUDGE_TERMS = 64, NUDGES = 16 };

/* Up or down, by turns that follow no period of a loop, and others each time. */
static void nudge(const struct inflight_array *array, unsigned time, void *data,
                  size_t length)
{
    for (size_t i = 0; i < length; i++) {
        char *at = (char *)data + place_of(array, i);
        double sign = (unsigned)(i * NUDGES + time) * 2654435761U >> 31 ? 1 : -1;

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
        nudge(&inflight_table.array[i], verification->nudges,
              verification->pair[i].variant, verification->sizes->array[i].length);
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

/* The untransformed kernel once more, where the variant worked. */
static void run_again(struct verification *verification, bool nudged,
                      struct inflight_result *result)
{
    for_each(verification, fill_beside);
    if (nudged)
        for_each(verification, nudge_beside);
    run_kernel(verification, false, true, result);
    for_each(verification, fill_again);
}

static bool is_repeated(struct verification *verification,
                        const struct inflight_result *wanted)
{
    struct inflight_result result[2] = {*wanted, {0}};
    bool different;

    run_again(verification, false, &result[1]);
    free(compare_aside(verification, result, &different));
    return !different;
}

static void set_real(const struct inflight_array *array, void *data, size_t i,
                     const void *from)
{
    memcpy((char *)data + place_of(array, i), (const char *)from + place_of(array, i),
           array->bytes);
}

/* Is each number that the variant made otherwise one that nudging changes, too? Those
 * that are become what was wanted: what is left must be changed by another nudge.
 * Integers never are. */
static bool are_explained(const struct verification *verification,
                          const struct inflight_array *array, unsigned exact,
                          const void *want, void *got, const void *nudged, size_t length)
{
    const struct request *request = verification->request;
    bool all = true;

    if (array->kind != 'f')
        return !compare_integers(array, want, got, length).differs;
    double min = least(array, want, length);
    for (size_t i = 0; i < length; i++) {
        double a = real_at(array, want, i);

        if (!is_apart(request, exact, min, a, real_at(array, got, i)))
            continue;
        if (is_apart(request, exact, min, a, real_at(array, nudged, i)))
            set_real(array, got, i, want);
        else
            all = false;
    }
    return all;
}

static bool is_result_explained(const struct verification *verification,
                                const struct inflight_result *want,
                                struct inflight_result *got,
                                const struct inflight_result *nudged)
{
    struct inflight_array alone = {.kind = inflight_table.result,
                                   .bytes = 8,
                                   .record_bytes = 8,
                                   .inside = 1,
                                   .inside_bytes = 8};

    if (alone.kind != 'f')
        return alone.kind == 'v' || want->integer == got->integer;
    return are_explained(verification, &alone, inflight_table.result_bytes, &want->real,
                         &got->real, &nudged->real, 1);
}

/* What the variant made of each memory, by entries. */
static char **save_all(const struct verification *verification)
{
    char **saved = must_alloc(inflight_table.array_nr, sizeof(*saved));

    for (size_t i = 0; i < inflight_table.array_nr; i++) {
        const struct space *space = &verification->pair[i].second;

        if (!space->map)
            continue;
        saved[i] = must_alloc(space->bytes + 1, 1);
        memcpy(saved[i], space->data, space->bytes);
    }
    return saved;
}

static bool are_all_explained(const struct verification *verification, char *const *saved)
{
    bool all = true;

    for (size_t i = 0; i < inflight_table.array_nr; i++) {
        const struct inflight_array *array = &inflight_table.array[i];
        const struct pair *pair = &verification->pair[i];
        size_t memory = memory_of(verification, i);

        if (saved[memory] && array->kind != 'r')
            all &= are_explained(verification, array, array->bytes, pair->reference,
                                 saved[memory] + shift_of(verification, i), pair->variant,
                                 verification->sizes->array[i].length);
    }
    return all;
}

/* What the variant made is lost. */
static bool is_unstable(struct verification *verification,
                        const struct inflight_result result[2])
{
    char **saved = can_nudge() ? save_all(verification) : NULL;
    struct inflight_result got = result[1], nudged = {0};
    bool unstable = false, repeated;

    if (!saved)
        return false;
    repeated = is_repeated(verification, &result[0]);
    verification->nudges = 0;
    while (repeated && !unstable && verification->nudges < NUDGES) {
        run_again(verification, true, &nudged);
        verification->nudges++;
        unstable = are_all_explained(verification, saved);
        unstable &= is_result_explained(verification, &result[0], &got, &nudged);
    }
    for (size_t i = 0; i < inflight_table.array_nr; i++)
        free(saved[i]);
    free(saved);
    return unstable;
}

/* Where it is unstable, a line before what is told says that it does not count. */
static void compare_stable(struct verification *verification,
                           struct inflight_result result[2])
{
    bool different;
    char *told = compare_aside(verification, result, &different);

    if (different && !verification->different && is_unstable(verification, result))
        fprintf(verification->out, "unstable\n");
    else
        verification->different |= different;
    fputs(told, verification->out);
    free(told);
}
