#define SIZE 64
#define TWICE(x) (2 * (x))
typedef double *vec;
struct body { double position[3], mass; };
