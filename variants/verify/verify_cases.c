#include "variants/verify/verify_cases.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"

/* Around powers of two and vector lengths, and primes; and nothing at all. */
static const long long alike[] = {1,  2,  3,  4,  5,  7,  8,   13,   16,   17,
                                  31, 33, 63, 64, 65, 97, 257, 1021, 4099, 0};
static const long long unlike[] = {3, 37, 8, 61, 1, 19, 2, 23, 0};

/* What a nest of that many iterations costs is a few milliseconds. */
static const double iterations_max = 2e6, extra_iterations_max = 2e7;

struct making {
    struct kernel *kernel;
    struct kernel_scalar *saved;
    double depth; /* of the deepest nest */
    double bytes_max;
    bool needs_rounds; /* where no loop runs, it uses a variable that nothing has set */
    struct verify_cases *cases;
};

void verify_case_release(struct verify_case *item)
{
    free(item->text);
    free(item->brief);
    strvec_release(&item->args);
}

void verify_cases_release(struct verify_cases *cases)
{
    for (size_t i = 0; i < cases->nr; i++)
        verify_case_release(&cases->item[i]);
    free(cases->item);
    *cases = (struct verify_cases){0};
}

/* Those that are varied; if there are none, all integers. */
static bool is_shown(const struct kernel *kernel, size_t scalar)
{
    bool any = false;

    for (size_t i = 0; i < kernel->scalar_nr; i++)
        any = any || kernel->scalar[i].is_size;
    return any ? kernel->scalar[scalar].is_size : kernel->scalar[scalar].is_integer;
}

static char *list_sizes(const struct kernel *kernel, const char *between, bool names,
                        bool values)
{
    struct buf text = {0};

    for (size_t i = 0; i < kernel->scalar_nr; i++) {
        if (!is_shown(kernel, i))
            continue;
        buf_add(&text, text.length ? between : "");
        if (names)
            buf_addf(&text, "%s%s", kernel->scalar[i].symbol->name, values ? "=" : "");
        if (values)
            buf_addf(&text, "%lld", kernel->scalar[i].integer);
    }
    return buf_detach(&text);
}

char *sizes_text(const struct kernel *kernel)
{
    char *text = list_sizes(kernel, " ", true, true);

    if (*text)
        return text;
    free(text);
    return xstrdup("its only size");
}

char *sizes_brief(const struct kernel *kernel)
{
    return list_sizes(kernel, " x ", false, true);
}

char *sizes_names(const struct kernel *kernel)
{
    return list_sizes(kernel, " x ", true, false);
}

static double deepest(const struct kernel *kernel)
{
    struct model_view view = model_view(kernel->model);
    int depth = 1;

    for (size_t i = 0; i < view.loop_nr; i++)
        if (view.loop[i].depth + 1 > depth)
            depth = view.loop[i].depth + 1;
    return depth;
}

static bool is_known(const struct verify_cases *cases, const char *text)
{
    for (size_t i = 0; i < cases->nr; i++)
        if (strcmp(cases->item[i].text, text) == 0)
            return true;
    return false;
}

static bool is_full(const struct making *making)
{
    for (size_t i = 0; i < making->kernel->scalar_nr; i++)
        if (making->kernel->scalar[i].integer != making->saved[i].integer)
            return false;
    return true;
}

/* The kernel's present sizes as a case, unless it is known; takes `text`. */
static struct verify_case *add_case(struct making *making, char *text)
{
    struct verify_cases *cases = making->cases;
    struct verify_case *new;

    if (kernel_bytes(making->kernel) > making->bytes_max || is_known(cases, text)) {
        free(text);
        return NULL;
    }
    GROW(cases->item, cases->nr + 1, cases->alloc);
    new = &cases->item[cases->nr++];
    *new = (struct verify_case){.text = text, .brief = sizes_brief(making->kernel)};
    variant_args(making->kernel, &new->args);
    return new;
}

static bool has_none(const struct making *making)
{
    for (size_t i = 0; i < making->kernel->scalar_nr; i++)
        if (making->kernel->scalar[i].is_size && making->kernel->scalar[i].integer <= 0)
            return true;
    return false;
}

/* Unless they are the full ones, or the original's results there are anything. */
static void keep(struct making *making)
{
    if (!is_full(making) && !(making->needs_rounds && has_none(making)))
        add_case(making, sizes_text(making->kernel));
}

static void set(struct making *making, size_t scalar, long long value)
{
    long long bound = making->saved[scalar].integer;

    kernel_override(making->kernel, scalar, value < bound ? value : bound);
}

/* A combination that contradicts itself is none: it is not told from a failure of ours,
 * and it does not matter. */
static void try_alike(struct making *making, long long value)
{
    struct kernel *kernel = making->kernel;

    for (size_t i = 0; i < kernel->scalar_nr; i++)
        if (kernel->scalar[i].is_size)
            set(making, i, value);
    if (kernel_refresh(kernel, NULL) == 0)
        keep(making);
}

/* Value by value to the parameters, beginning with number `turn`. */
static void try_unlike(struct making *making, const long long *value, size_t nr,
                       size_t turn)
{
    struct kernel *kernel = making->kernel;
    size_t place = turn;

    for (size_t i = 0; i < kernel->scalar_nr; i++)
        if (kernel->scalar[i].is_size)
            set(making, i, value[place++ % nr]);
    if (kernel_refresh(kernel, NULL) == 0)
        keep(making);
}

static size_t size_nr(const struct kernel *kernel)
{
    size_t nr = 0;

    for (size_t i = 0; i < kernel->scalar_nr; i++)
        nr += kernel->scalar[i].is_size;
    return nr;
}

static bool is_prime(long long value)
{
    for (long long i = 2; i * i <= value; i++)
        if (value % i == 0)
            return false;
    return value > 1;
}

static long long prime_from(long long value, long long step)
{
    while (value > 2 && !is_prime(value))
        value += step;
    return value;
}

/* Around a constant of the plan: one below, itself and one above, the primes on both
 * sides, and, of several parameters, one of each. Where that costs much, only what has
 * both a full and a partial block. */
static void try_around(struct making *making, long long value)
{
    const long long near[] = {value - 1, value, prime_from(value - 2, -1),
                              prime_from(value + 2, 1)};
    const long long mixed[] = {value + 1, value - 1, 2 * value + 1, value};
    double iterations = pow((double)value + 1, making->depth);

    if (size_nr(making->kernel) > 1 && 4 * iterations <= iterations_max)
        for (size_t turn = 0; turn < 2; turn++)
            try_unlike(making, mixed, ARRAY_SIZE(mixed), turn);
    for (size_t i = 0; i < ARRAY_SIZE(near) && iterations <= iterations_max; i++)
        try_alike(making, near[i]);
    if (iterations <= extra_iterations_max)
        try_alike(making, value + 1);
}

/* Each parameter far above the others, and far below them. */
static void try_apart(struct making *making)
{
    static const long long far[][2] = {{1021, 5}, {5, 131}};
    struct kernel *kernel = making->kernel;

    for (size_t k = 0; k < ARRAY_SIZE(far); k++)
        for (size_t i = 0; i < kernel->scalar_nr; i++) {
            double others = pow((double)far[k][1], making->depth - 1);

            if (!kernel->scalar[i].is_size || (double)far[k][0] * others > iterations_max)
                continue;
            for (size_t j = 0; j < kernel->scalar_nr; j++)
                if (kernel->scalar[j].is_size)
                    set(making, j, far[k][j != i]);
            if (kernel_refresh(kernel, NULL) == 0)
                keep(making);
        }
}

/* Blocks of blocks: a tile that is unrolled has its rest where both end. */
static void try_products(struct making *making, const long long *extra, size_t extra_nr)
{
    enum { LARGEST = 1024 };

    for (size_t i = 0; i < extra_nr; i++)
        for (size_t k = 0; k < i; k++) {
            long long product = extra[i] * extra[k];

            if (product <= LARGEST &&
                pow((double)product + 1, making->depth) <= iterations_max)
                try_alike(making, product + 1);
        }
}

static void make_all(struct making *making, const long long *extra, size_t extra_nr)
{
    if (size_nr(making->kernel) > 1) {
        for (size_t turn = 0; turn < ARRAY_SIZE(unlike); turn++)
            try_unlike(making, unlike, ARRAY_SIZE(unlike), turn);
        try_apart(making);
    }
    for (size_t i = 0; i < ARRAY_SIZE(alike); i++)
        if (pow((double)alike[i], making->depth) <= iterations_max)
            try_alike(making, alike[i]);
    for (size_t i = 0; i < extra_nr; i++)
        try_around(making, extra[i]);
    try_products(making, extra, extra_nr);
}

/* ---- ends of types, and no trips ---- */

enum { BESIDE = 5 }; /* the other parameters then */

/* What a function says about where it is defined. */
struct ends {
    long long top;            /* of the narrowest counter */
    bool is_plain, is_signed; /* all loops run to a name by steps of 1; no counter is
                                 unsigned */
};

static long long top_of(const struct ir_type *type)
{
    return type->bytes < sizeof(int) ? (1LL << (8 * type->bytes - !type->is_unsigned)) - 1
                                     : INT_MAX;
}

static void look_at_loops(struct ends *ends, const struct ir_stmt *stmt)
{
    if (!stmt)
        return;
    if (stmt->kind == IR_FOR && stmt->canonical) {
        const struct ir_type *type = &stmt->iterator->type;

        ends->is_signed &= !type->is_unsigned;
        if (top_of(type) < ends->top)
            ends->top = top_of(type);
        if (top_of(type) < INT_MAX)
            ends->is_plain &= stmt->step == 1 && !strcmp(stmt->cmp, "<") &&
                              (stmt->upper->kind == IR_NAME || stmt->upper->has_value);
    } else if (stmt->kind == IR_FOR || stmt->kind == IR_WHILE ||
               stmt->kind == IR_OPAQUE) {
        ends->is_plain = ends->is_signed = false;
    }
    for (size_t i = 0; i < stmt->child_nr; i++)
        look_at_loops(ends, stmt->child[i]);
}

/* Nothing that holds a certain number of elements, and nothing that the user promises. */
static bool takes_any_size(const struct kernel *kernel)
{
    const struct ir_function *function = kernel->function;

    for (size_t i = 0; i < function->symbol_nr; i++) {
        const struct ir_symbol *symbol = function->symbol[i];

        for (size_t k = 0; k < symbol->dim_nr; k++)
            if (symbol->role == IR_LOCAL || (symbol->dim[k] && symbol->dim[k]->has_value))
                return false;
    }
    return kernel->assume.nr == 0;
}

/* Loops that nobody can count are not tried. */
static void try_end(struct making *making, size_t scalar, long long value)
{
    struct kernel *kernel = making->kernel;
    struct quantity iterations;

    for (size_t i = 0; i < kernel->scalar_nr; i++)
        if (kernel->scalar[i].is_size)
            set(making, i, BESIDE);
    kernel_override(kernel, scalar, value);
    if (kernel_bind(kernel, NULL))
        return;
    iterations = kernel_counts(kernel).iterations;
    if (iterations.known && iterations.value <= iterations_max)
        keep(making);
}

/* Of narrow parameters and counters, and trips below zero. */
static void try_ends(struct making *making)
{
    const struct kernel *kernel = making->kernel;
    struct ends ends = {.top = INT_MAX, .is_plain = true, .is_signed = true};

    look_at_loops(&ends, kernel->function->body);
    if (!takes_any_size(kernel) || !ends.is_plain)
        return;
    for (size_t i = 0; i < kernel->scalar_nr; i++) {
        const struct ir_type *type = &kernel->scalar[i].symbol->type;
        long long top = top_of(type) < ends.top ? top_of(type) : ends.top;

        if (!kernel->scalar[i].is_size)
            continue;
        if (top < INT_MAX)
            for (long long below = 1; below >= 0; below--)
                try_end(making, i, top - below);
        if (ends.is_signed && !type->is_unsigned)
            try_end(making, i, -1);
    }
}

/* ---- sizes that the plan's `when` names ---- */

enum { BEHIND = 37 }; /* so far behind them: no multiple of blocks */

/* Moves behind "n >= 256"; false = something else stands there. */
static bool next_threshold(struct making *making, const char **at, long long by)
{
    size_t length = strcspn(*at, " \n");
    char *name = xstrndup(*at, length), *end;
    bool is_one = !strncmp(*at + length, " >= ", 4);
    long long least = is_one ? strtoll(*at + length + 4, &end, 10) : 0;

    for (size_t i = 0; is_one && i < making->kernel->scalar_nr; i++)
        if (making->kernel->scalar[i].is_size &&
            !strcmp(making->kernel->scalar[i].symbol->name, name))
            set(making, i, least + by);
    if (is_one)
        *at = strncmp(end, " and ", 5) ? end : end + 5;
    free(name);
    return is_one;
}

/* All of the line so much above its threshold, the other sizes small. */
static void try_threshold(struct making *making, const char *line, long long by)
{
    struct kernel *kernel = making->kernel;
    struct quantity iterations;

    for (size_t i = 0; i < kernel->scalar_nr; i++)
        if (kernel->scalar[i].is_size)
            set(making, i, BEHIND);
    while (next_threshold(making, &line, by))
        ;
    if (kernel_bind(kernel, NULL))
        return;
    iterations = kernel_counts(kernel).iterations;
    if (iterations.known && iterations.value <= extra_iterations_max)
        keep(making);
}

static void try_thresholds(struct making *making, const char *rests_on)
{
    static const long long by[] = {-1, 0, 1, BEHIND};

    for (const char *at = rests_on; *at; at += strcspn(at, "\n"), at += *at == '\n') {
        const char *tested = strstr(at, TESTED_SIZE);

        for (size_t i = 0; i < ARRAY_SIZE(by) && tested; i++)
            if (tested < at + strcspn(at, "\n"))
                try_threshold(making, at, by[i]);
    }
}

/* ---- arrays that overlap ---- */

/* Sizes of those calls. */
static const long long overlapping[] = {17, 64};

/* What makes the original undefined where arrays overlap, or not aligned. */
static bool is_assumed(const struct kernel *kernel)
{
    static const char *const word[] = {"omp", "ivdep", "aligned", "assume"};

    for (size_t i = 0; i < ARRAY_SIZE(word); i++)
        if (strstr(kernel->function->source, word[i]))
            return true;
    return kernel->assume.nr > 0;
}

/* An array of numbers that decide on no address. */
static const struct kernel_buffer *find_buffer(const struct kernel *kernel,
                                               const char *name, size_t length)
{
    for (size_t i = 0; i < kernel->buffer_nr; i++) {
        const struct kernel_buffer *buffer = &kernel->buffer[i];

        if (strlen(buffer->name) == length && !strncmp(buffer->name, name, length))
            return buffer->is_filled && buffer->kind != 'r' && !*buffer->path &&
                           !buffer->subscript_hint && !buffer->contents.captured
                       ? buffer
                       : NULL;
    }
    return NULL;
}

/* The guest begins at the second element of the host. */
static void try_overlap(struct making *making, const struct kernel_buffer *guest,
                        const struct kernel_buffer *host)
{
    struct verify_case *new;
    char *sizes;

    if (lies_in_place(guest->symbol) || host->length < 2 || guest->length < 1 ||
        (lies_in_place(host->symbol) && guest->length >= host->length))
        return;
    sizes = sizes_text(making->kernel);
    new = add_case(making,
                   xasprintf("%s with %s = %s + 1", sizes, guest->name, host->name));
    free(sizes);
    if (!new)
        return;
    sizes = new->brief;
    new->brief = xasprintf("%s (%s = %s + 1)", sizes, guest->name, host->name);
    free(sizes);
    strvec_push(&new->args, "--overlap");
    strvec_pushf(&new->args, "%s=%s=1", guest->name, host->name);
}

/* Each row begins in the last element of the one before. */
static void try_fold(struct making *making, const char *name)
{
    char *array = xstrndup(name, strcspn(name, "'")), *sizes = sizes_text(making->kernel);
    struct verify_case *new =
        add_case(making, xasprintf("%s with rows of %s that overlap", sizes, array));

    free(sizes);
    if (new) {
        sizes = new->brief;
        new->brief = xasprintf("%s (rows of %s overlap)", sizes, array);
        free(sizes);
        strvec_push(&new->args, "--fold");
        strvec_push(&new->args, array);
    }
    free(array);
}

/* Every "'a' and 'b' do not overlap (tested at run time" in the text. */
static void try_overlaps(struct making *making, const char *rests_on)
{
    const struct kernel *kernel = making->kernel;

    for (const char *at = rests_on; *at; at += strcspn(at, "\n"), at += *at == '\n') {
        size_t first = *at == '\'' ? strcspn(at + 1, "'") : 0;
        const char *second = at + 1 + first + strlen("' and '");
        const struct kernel_buffer *a, *b;
        size_t length;

        if (!strncmp(at, TESTED_ROWS, strlen(TESTED_ROWS)))
            try_fold(making, at + strlen(TESTED_ROWS "'"));
        if (!first || strncmp(at + 1 + first, "' and '", strlen("' and '")))
            continue;
        length = strcspn(second, "'");
        a = find_buffer(kernel, at + 1, first);
        b = find_buffer(kernel, second, length);
        if (strncmp(second + length, "'" TESTED_APART, strlen("'" TESTED_APART)) || !a ||
            !b || a->kind != b->kind || a->bytes != b->bytes)
            continue;
        try_overlap(making, a, b);
        try_overlap(making, b, a);
    }
}

static void overlap_all(struct making *making, const char *rests_on)
{
    struct kernel *kernel = making->kernel;

    for (size_t k = 0; k < ARRAY_SIZE(overlapping) && !is_assumed(kernel); k++) {
        for (size_t i = 0; i < kernel->scalar_nr; i++)
            if (kernel->scalar[i].is_size)
                set(making, i, overlapping[k]);
        if (pow((double)overlapping[k], making->depth) <= iterations_max &&
            kernel_refresh(kernel, NULL) == 0)
            try_overlaps(making, rests_on);
    }
}

int verify_cases_make(struct kernel *kernel, const long long *extra, size_t extra_nr,
                      double bytes_max, const char *rests_on, struct verify_cases *cases,
                      struct error *err)
{
    struct making making = {.kernel = kernel,
                            .depth = deepest(kernel),
                            .bytes_max = bytes_max,
                            .needs_rounds = ir_needs_rounds(kernel->function),
                            .cases = cases};
    size_t bytes = kernel->scalar_nr * sizeof(*kernel->scalar);
    bool bound = kernel->is_bound;

    *cases = (struct verify_cases){0};
    making.saved = xcalloc(kernel->scalar_nr + 1, sizeof(*making.saved));
    if (bytes)
        memcpy(making.saved, kernel->scalar, bytes);
    if (size_nr(kernel) > 0)
        make_all(&making, extra, extra_nr);
    try_ends(&making);
    try_thresholds(&making, rests_on ? rests_on : "");
    overlap_all(&making, rests_on ? rests_on : "");
    if (bytes)
        memcpy(kernel->scalar, making.saved, bytes);
    free(making.saved);
    kernel->is_bound = bound;
    return bound ? kernel_bind(kernel, err) : kernel_refresh(kernel, err);
}
