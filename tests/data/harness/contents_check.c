/* Checks what the arrays are filled with; prints what is wrong. Compiled and run by
 * test_harness.c. */
#include "program_contents.c"

static const struct inflight_array arrays[] = {
#define PLAIN(name, kind, bytes) {name, kind, bytes, bytes, 0, 1, bytes, 0, 1, 0, 0, 1}
    PLAIN("i1", 'u', 1), PLAIN("i2", 'i', 2), PLAIN("i4", 'i', 4), PLAIN("i8", 'u', 8),
    PLAIN("b", 'b', 1),  PLAIN("f4", 'f', 4), PLAIN("f8", 'f', 8),
    /* of struct { short a; int pos[3]; char b; double c; }, 32 bytes */
    {"r.pos", 'i', 4, 32, 4, 3, 4, 7, 1, 0, 0, 1},
    {"r.c", 'f', 8, 32, 24, 1, 8, 7, 1, 0, 0, 1}};
const struct inflight_table inflight_table = {"check", 0, 0, arrays, 9, 0, 0, 'v', 0};

enum { I1, I2, I4, I8, B, F4, F8, POS, C };
static int failures;

static void check(int good, const char *what, const char *text, size_t length)
{
    if (good)
        return;
    printf("%s: %s, %zu elements\n", text, what, length);
    failures++;
}

static double at(int array, const void *data, size_t i)
{
    switch (array) {
    case I1: return ((const unsigned char *)data)[i];
    case I2: return ((const short *)data)[i];
    case I4: return ((const int *)data)[i];
    case I8: return (double)((const unsigned long long *)data)[i];
    case B: return ((const _Bool *)data)[i];
    case F4: return ((const float *)data)[i];
    default: return ((const double *)data)[i];
    }
}

static void *filled(int array, size_t length, const char *text, unsigned seed)
{
    void *data = malloc(length * 8 + 8);

    memset(data, 0x5a, length * 8 + 8);
    fill(&arrays[array], data, length, text, seed);
    check(((unsigned char *)data)[length * arrays[array].bytes] == 0x5a, "overrun", text,
          length);
    return data;
}

static void check_range(int array, size_t length, const char *text, double low, double high)
{
    void *data = filled(array, length, text, 1);
    double least = INFINITY, most = -INFINITY;

    for (size_t i = 0; i < length; i++) {
        double x = at(array, data, i);

        least = x < least ? x : least;
        most = x > most ? x : most;
    }
    check(least >= low && most <= high, "out of range", text, length);
    check(least <= low + (high - low) * 0.1 && most >= high - (high - low) * 0.1,
          "far from its bounds", text, length);
    free(data);
}

static void check_permutation(int array, size_t length)
{
    void *data = filled(array, length, "permutation", 3);
    char *seen = calloc(length, 1);
    size_t still = 0;

    for (size_t i = 0; i < length; i++) {
        double x = at(array, data, i);

        check(x >= 0 && x < (double)length && !seen[(size_t)x], "no permutation", "permutation",
              length);
        if (x >= 0 && x < (double)length)
            seen[(size_t)x] = 1;
        still += x == (double)i;
    }
    check(length < 100 || still < length / 10, "hardly shuffled", "permutation", length);
    free(data);
    free(seen);
}

static void check_offsets(size_t length, double k, const char *text)
{
    void *data = filled(I4, length, text, 5);
    int uneven = 0;

    check(at(I4, data, 0) == 0, "no zero first", text, length);
    check(at(I4, data, length - 1) == k * (double)(length - 1), "wrong end", text, length);
    for (size_t i = 1; i < length; i++) {
        double row = at(I4, data, i) - at(I4, data, i - 1);

        check(row >= 0 && row <= 2 * k, "a row out of range", text, length);
        uneven += row != k;
    }
    check(length < 100 || uneven > 50, "all rows alike", text, length);
    free(data);
}

/* One cycle through all nodes; the visits to one block are consecutive. */
static void check_cycle(int array, size_t length, size_t stride, size_t block, const char *text)
{
    void *data = filled(array, length, text, 7);
    size_t nodes = (length + stride - 1) / stride, place = 0, switches = 0, steps = 0;
    size_t blocks = (length + block - 1) / block;

    do {
        size_t next = (size_t)at(array, data, place);

        if (next >= length || next % stride != 0)
            break;
        switches += next / block != place / block;
        place = next;
        steps++;
    } while (place != 0 && steps <= nodes);
    check(steps == nodes && place == 0, "no single cycle", text, length);
    check(switches == (blocks > 1 ? blocks : 0), "blocks are left in between", text, length);
    for (size_t i = 0; i < length; i++)
        check(i % stride == 0 || at(array, data, i) == 0, "something between nodes", text, length);
    free(data);
}

static void check_mantissas(void)
{
    const double *data = filled(F8, 1000, "uniform(0.5,1.5)", 1);
    const double *other = filled(F8, 1000, "uniform(0.5,1.5)", 2);
    int odd = 0, same = 0, twice = 0;

    for (int i = 0; i < 1000; i++) {
        double scaled = data[i] * 0x1p52;

        odd += data[i] >= 1 ? fmod(scaled, 2) == 1 : fmod(scaled * 2, 2) == 1;
        same += data[i] == other[i];
        twice += i > 0 && data[i] == data[i - 1];
    }
    check(odd > 200, "short mantissas", "uniform", 1000);
    check(twice < 10, "neighbours are alike", "uniform", 1000);
    check(same < 10, "the seed does not matter", "uniform", 1000);
    free((void *)data);
    free((void *)other);
}

/* Every element, and nothing between the fields. */
static void check_fields(const char *pos, const char *c, double bound)
{
    unsigned char *data = malloc(100 * 32), *seen = calloc(100, 32);
    int touched = 0;

    memset(data, 0x5a, 100 * 32);
    fill(&arrays[POS], data, 300, pos, 1);
    fill(&arrays[C], data, 100, c, 1);
    for (size_t i = 0; i < 100; i++) {
        for (size_t k = 0; k < 3; k++) {
            int value = *(int *)(data + 32 * i + 4 + 4 * k);

            check(value >= 0 && value < bound, "a field out of range", pos, i);
        }
        check(*(double *)(data + 32 * i + 24) <= bound, "a field out of range", c, i);
        memset(seen + 32 * i + 4, 1, 12);
        memset(seen + 32 * i + 24, 1, 8);
    }
    for (size_t i = 0; i < 100 * 32; i++)
        touched += !seen[i] && data[i] != 0x5a;
    check(touched == 0, "bytes between the fields", pos, 100);
    free(data);
    free(seen);
}

int main(void)
{
    static const size_t lengths[] = {1, 2, 3, 7, 64, 100, 255, 1000, 4097};

    check_range(F8, 1000, "uniform(-1,1)", -1, 1);
    check_range(F4, 1000, "uniform(-1,1)", -1, 1);
    check_range(I1, 1000, "uniform(3,9)", 3, 9);
    check_range(I2, 1000, "uniform(-50,50)", -50, 50);
    check_range(B, 1000, "uniform(0,1)", 0, 1);
    check_range(I8, 1000, "index(123456789012)", 0, 123456789011);
    check_range(I4, 1000, "index(2147483648)", 0, 2147483647);
    check_range(F8, 1000, "index(50)", 0, 49);
    check_range(I4, 1000, "iota", 0, 999);
    check_range(F4, 100, "zero", 0, 0);
    for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
        check_permutation(I4, lengths[i]);
        check_permutation(F8, lengths[i]);
        check_cycle(I4, lengths[i], 1, lengths[i], "cycle(1)");
        check_cycle(I8, lengths[i], 1, 16, "cycle(1,16)");
    }
    check_permutation(I1, 256);
    check_cycle(I2, 30000, 8, 30000, "cycle(8)");
    check_cycle(I4, 100000, 16, 1024, "cycle(16,1024)");
    check_cycle(I4, 100003, 16, 1024, "cycle(16,1024)");
    check_offsets(1001, 8, "offsets(8)");
    check_offsets(2, 3, "offsets(3)");
    check_offsets(1, 3, "offsets(3)");
    check_mantissas();
    check_fields("iota", "uniform(0,1)", 300);
    check_fields("index(7)", "zero", 7);
    check_fields("permutation", "iota", 300);
    check_fields("cycle(1)", "index(300)", 300);
    check_fields("zero", "permutation", 100);
    if (!failures)
        printf("good\n");
    return failures != 0;
}
