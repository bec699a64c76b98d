/* What a sweep varies: `n=64:8192:x2`, `n,m=64,100,256`, `pages=small,huge`. */
#ifndef ADVISOR_SWEEP_AXES_H
#define ADVISOR_SWEEP_AXES_H

#include "core/base/array.h"

struct error;
struct kernel_view;

#define AXIS_MAP(X)                                                                      \
    X(SIZE, "")       /* integer parameters of the kernel */                             \
    X(PAGES, "pages") /* 0 small, 1 huge */                                              \
    X(CORES, "cores")                                                                    \
    X(START, "start")           /* enum run_start */                                     \
    X(BACKGROUND, "background") /* enum run_background */

enum axis_kind {
#define X(name, word) AXIS_##name,
    AXIS_MAP(X)
#undef X
};

enum { SWEEP_AXES_MAX = 6, SWEEP_POINTS_MAX = 10000 };

struct sweep_axis {
    enum axis_kind kind;
    struct strvec name; /* tied parameters; one for the other kinds */
    long long *value;   /* ascending as given, each once */
    size_t value_nr, value_alloc;
};

struct sweep_axes {
    struct sweep_axis axis[SWEEP_AXES_MAX];
    size_t nr;
};

/* `text`: as --sweep got them. A name is a parameter of the kernel where it has one of
 * that name. STATUS_USAGE with the axis and what was expected. */
int sweep_axes_read(const struct strvec *text, const struct kernel_view *view,
                    struct sweep_axes *axes, struct error *err);
void sweep_axes_release(struct sweep_axes *axes);

/* Every combination, the last axis varying fastest. */
size_t sweep_axes_points(const struct sweep_axes *axes);
void sweep_axes_at(const struct sweep_axes *axes, size_t point,
                   long long value[SWEEP_AXES_MAX]);

/* "4096", "huge". Caller frees. */
char *sweep_value_text(const struct sweep_axis *axis, long long value);
/* "n=4096 pages=huge": the point's name, also in the database. Caller frees. */
char *sweep_point_text(const struct sweep_axes *axes, const long long *value);

#endif
