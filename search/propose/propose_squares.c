/* Tiles for arrays that are crossed in two directions. */
#include "search/propose/propose_squares.h"

#include <math.h>

#include "core/machine/machine.h"
#include "search/propose/nest.h"
#include "search/propose/propose.h"
#include "search/space/choice.h"
#include "variants/kernel/kernel_view.h"

static bool runs_along(const struct nest *nest, const struct kernel_access *access,
                       size_t depth)
{
    const struct kernel_array *array = &nest->view->array[access->array];
    return fabs(access->stride_at[depth]) == (double)array->element_bytes;
}

/* Along its lines in loop a, from line to line in loop b. */
static bool leads(const struct propose *about, const struct kernel_access *access,
                  size_t a, size_t b)
{
    return nest_holds(about->nest, access) && runs_along(about->nest, access, a) &&
           fabs(access->stride_at[b]) >= about->machine->line_bytes;
}

static bool any_leads(const struct propose *about, size_t a, size_t b)
{
    const struct kernel_view *view = about->nest->view;
    for (size_t i = 0; i < view->access_nr; i++)
        if (leads(about, &view->access[i], a, b))
            return true;
    return false;
}

static bool is_crossed(const struct propose *about)
{
    for (size_t a = 0; a < about->nest->nr; a++)
        for (size_t b = a + 1; b < about->nest->nr; b++)
            if (any_leads(about, a, b) && any_leads(about, b, a))
                return true;
    return false;
}

/* Of all arrays of the nest, one element each. */
static double element_bytes(const struct nest *nest)
{
    double bytes = 0;
    for (size_t a = 0; a < nest->view->array_nr; a++)
        for (size_t i = 0; i < nest->view->access_nr; i++)
            if (nest->view->access[i].array == (int)a &&
                nest_holds(nest, &nest->view->access[i])) {
                bytes += (double)nest->view->array[a].element_bytes;
                break;
            }
    return bytes;
}

static double room(const struct propose *about)
{
    const struct machine *machine = about->machine;
    int k = about->nest->nr > 2 && machine->level_nr > 1;
    double bytes = machine_share_guess_bytes(machine, k);
    return k ? bytes / 4 : bytes;
}

void add_squares(const struct propose *about, struct choices *out)
{
    const struct nest *nest = about->nest;
    if (!is_crossed(about))
        return;
    double elements = room(about) / element_bytes(nest);
    long side = (long)exp2(floor(log2(fmax(pow(elements, 1.0 / (double)nest->nr), 4))));
    for (int half = 0; half < 2; half++, side /= 2) {
        struct choice choice = *about->now;
        struct loop_size tile[CHOICE_LOOPS_MAX];
        size_t nr = 0;
        for (size_t d = 0; d < nest->nr; d++)
            if ((double)side < nest->trips[d])
                tile[nr++] = (struct loop_size){nest->loop[d]->name, side};
        choice_put_sizes(&choice, STEP_TILE, tile, nr);
        if (nr >= 2)
            choices_add(out, &choice);
    }
}
