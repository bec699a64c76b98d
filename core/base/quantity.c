#include "core/base/quantity.h"

#include <math.h>
#include <string.h>

#include "core/base/array.h"

static const char *const words[] = {
#define X(name, word) [PROVENANCE_##name] = word,
    PROVENANCE_MAP(X)
#undef X
};

struct quantity quantity_unknown(void)
{
    return (struct quantity){.value = NAN, .low = NAN, .high = NAN};
}

struct quantity quantity_exact(double value, enum provenance provenance)
{
    return quantity_between(value, value, value, 0, provenance);
}

struct quantity quantity_between(double value, double low, double high, size_t runs,
                                 enum provenance provenance)
{
    if (!(low <= value && value <= high)) /* also when one is NaN */
        return quantity_unknown();
    return (struct quantity){.known = true,
                             .value = value,
                             .low = low,
                             .high = high,
                             .runs = runs,
                             .provenance = provenance};
}

/* The numbers with the pedigree of both. */
static struct quantity combine(struct quantity a, struct quantity b, double value,
                               double low, double high)
{
    size_t fewer = a.runs < b.runs ? a.runs : b.runs;
    size_t more = a.runs < b.runs ? b.runs : a.runs;
    struct quantity both = quantity_between(
        value, low, high, fewer ? fewer : more,
        a.provenance == b.provenance ? a.provenance : PROVENANCE_DERIVED);

    both.disturbed = fmax(a.disturbed, b.disturbed);
    both.doubted = a.doubted || b.doubted;
    return both;
}

struct quantity quantity_add(struct quantity a, struct quantity b)
{
    if (!a.known || !b.known)
        return quantity_unknown();
    return combine(a, b, a.value + b.value, a.low + b.low, a.high + b.high);
}

struct quantity quantity_add_independent(struct quantity a, struct quantity b)
{
    double value = a.value + b.value;

    if (!a.known || !b.known)
        return quantity_unknown();
    return combine(a, b, value, value - hypot(a.value - a.low, b.value - b.low),
                   value + hypot(a.high - a.value, b.high - b.value));
}

struct quantity quantity_subtract(struct quantity a, struct quantity b)
{
    if (!a.known || !b.known)
        return quantity_unknown();
    return combine(a, b, a.value - b.value, a.low - b.high, a.high - b.low);
}

/* The interval is spanned by its four corners. */
static struct quantity from_corners(struct quantity a, struct quantity b, double value,
                                    const double corner[4])
{
    double low = corner[0], high = corner[0];

    for (int i = 0; i < 4; i++) {
        if (isnan(corner[i]))
            return quantity_unknown();
        low = fmin(low, corner[i]);
        high = fmax(high, corner[i]);
    }
    return combine(a, b, value, low, high);
}

struct quantity quantity_multiply(struct quantity a, struct quantity b)
{
    const double corner[] = {a.low * b.low, a.low * b.high, a.high * b.low,
                             a.high * b.high};

    if (!a.known || !b.known)
        return quantity_unknown();
    return from_corners(a, b, a.value * b.value, corner);
}

struct quantity quantity_divide(struct quantity a, struct quantity b)
{
    if (!a.known || !b.known || (b.low <= 0 && b.high >= 0))
        return quantity_unknown();
    const double corner[] = {a.low / b.low, a.low / b.high, a.high / b.low,
                             a.high / b.high};
    return from_corners(a, b, a.value / b.value, corner);
}

struct quantity quantity_scale(struct quantity a, double factor)
{
    if (!a.known)
        return a;
    return combine(a, a, a.value * factor, fmin(a.low * factor, a.high * factor),
                   fmax(a.low * factor, a.high * factor));
}

struct quantity quantity_max(struct quantity a, struct quantity b)
{
    if (!a.known || !b.known)
        return a.known ? a : b;
    return combine(a, b, fmax(a.value, b.value), fmax(a.low, b.low),
                   fmax(a.high, b.high));
}

struct quantity quantity_min(struct quantity a, struct quantity b)
{
    if (!a.known || !b.known)
        return a.known ? a : b;
    return quantity_scale(quantity_max(quantity_scale(a, -1), quantity_scale(b, -1)), -1);
}

const char *provenance_word(enum provenance provenance)
{
    return words[provenance];
}

enum provenance provenance_from_word(const char *word)
{
    for (size_t i = 0; i < ARRAY_SIZE(words); i++)
        if (strcmp(words[i], word) == 0)
            return (enum provenance)i;
    return PROVENANCE_NONE;
}
