/* How two results differ, element by element. */
struct deviation {
    double relative, absolute; /* largest */
    bool differs;
    size_t first; /* index of the first difference beyond what is tolerated */
};

static double real_at(const struct inflight_array *array, const void *data, size_t i)
{
    const char *at = (const char *)data + place_of(array, i);

    return array->bytes == 8 ? *(const double *)at : (double)*(const float *)at;
}

static long long integer_at(const struct inflight_array *array, const void *data,
                            size_t i)
{
    const char *at = (const char *)data + place_of(array, i);
    bool negative = array->kind == 'i';

    switch (array->bytes) {
    case 1:
        return negative ? *(const int8_t *)at : *(const uint8_t *)at;
    case 2:
        return negative ? *(const int16_t *)at : *(const uint16_t *)at;
    case 4:
        return negative ? *(const int32_t *)at : (long long)*(const uint32_t *)at;
    default:
        return *(const int64_t *)at;
    }
}

/* Mean size of the finite elements. */
static double typical(const struct inflight_array *array, const void *data, size_t length)
{
    double sum = 0;

    for (size_t i = 0; i < length; i++) {
        double size = fabs(real_at(array, data, i));

        sum += isfinite(size) ? size : 0;
    }
    return length ? sum / (double)length : 0;
}

static void note(struct deviation *deviation, double relative, double absolute)
{
    if (relative > deviation->relative)
        deviation->relative = relative;
    if (absolute > deviation->absolute)
        deviation->absolute = absolute;
}

static void note_difference(struct deviation *deviation, size_t i)
{
    if (!deviation->differs)
        deviation->first = i;
    deviation->differs = true;
}

/* `min`: elements below it are judged as if they were as large. */
static bool is_apart(const struct request *request, unsigned exact, double min, double a,
                     double b)
{
    double relative = exact == 8 ? request->relative_double : request->relative_float,
           scale = fabs(a) > min ? fabs(a) : min;

    return a != b && !(isnan(a) && isnan(b)) &&
           !(fabs(a - b) <= request->absolute + relative * scale);
}

static double least(const struct inflight_array *array, const void *want, size_t length)
{
    return typical(array, want, length) * 1e-3;
}

/* An element near zero is judged against a thousandth of the typical one: it is mostly
 * what cancellation left of larger terms. `exact`: bytes of the type it was computed in.
 */
static struct deviation compare_reals(const struct request *request,
                                      const struct inflight_array *array, unsigned exact,
                                      const void *want, const void *got, size_t length)
{
    struct deviation deviation = {0};
    double min = least(array, want, length);

    for (size_t i = 0; i < length; i++) {
        double a = real_at(array, want, i), b = real_at(array, got, i);
        double error = fabs(a - b), scale = fabs(a) > min ? fabs(a) : min;

        if (a == b || (isnan(a) && isnan(b)))
            continue;
        if (isfinite(error))
            note(&deviation, error / scale, error);
        if (is_apart(request, exact, min, a, b))
            note_difference(&deviation, i);
    }
    return deviation;
}

static struct deviation compare_integers(const struct inflight_array *array,
                                         const void *want, const void *got, size_t length)
{
    struct deviation deviation = {0};

    for (size_t i = 0; i < length; i++) {
        long long a = integer_at(array, want, i), b = integer_at(array, got, i);
        double error = fabs((double)a - (double)b);

        if (a == b)
            continue;
        note(&deviation, error / (a ? fabs((double)a) : 1), error);
        note_difference(&deviation, i);
    }
    return deviation;
}

static void print_element(FILE *out, const struct inflight_array *array, const void *data,
                          size_t i)
{
    if (array->kind == 'f')
        fprintf(out, " %.*g", array->bytes == 8 ? 17 : 9, real_at(array, data, i));
    else if (array->kind == 'i')
        fprintf(out, " %lld", integer_at(array, data, i));
    else
        fprintf(out, " %llu", (unsigned long long)integer_at(array, data, i));
}

/* Elements from `from` on, before `to`. */
static void report_odd(FILE *out, const struct inflight_array *array, const void *data,
                       size_t from, size_t to)
{
    size_t nan = 0, inf = 0, denormal = 0;

    if (array->kind != 'f')
        return;
    for (size_t i = from; i < to; i++) {
        double value = real_at(array, data, i);
        double min = array->bytes == 8 ? 0x1p-1022 : 0x1p-126;

        nan += isnan(value) != 0;
        inf += isinf(value) != 0;
        denormal += value != 0 && fabs(value) < min;
    }
    if (nan)
        fprintf(out, "odd %s nan %zu\n", array->name, nan);
    if (inf)
        fprintf(out, "odd %s inf %zu\n", array->name, inf);
    if (denormal)
        fprintf(out, "odd %s denormal %zu\n", array->name, denormal);
}
