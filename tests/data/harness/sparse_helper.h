#define SHRINK(x) (0.5 * (x))
