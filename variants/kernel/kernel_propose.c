/* What a call takes and nobody says, and values for a first try. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "variants/kernel/kernel_inputs.h"
#include "variants/kernel/kernel_parts.h"

/* ---- what is not said ---- */

static bool has_scalar(const struct kernel *kernel, const struct ir_symbol *symbol)
{
    for (size_t i = 0; i < kernel->scalar_nr; i++)
        if (kernel->scalar[i].symbol == symbol)
            return true;
    return false;
}

/* Of the file's own integers those that decide on loops, which a call finds as they are
 * in the file. */
static void unsaid_globals(const struct kernel *kernel, struct strvec *words)
{
    const struct ir_function *function = kernel->function;
    for (size_t i = 0; i < function->symbol_nr; i++) {
        const struct ir_symbol *symbol = function->symbol[i];
        if (symbol->role == IR_GLOBAL && symbol->type.scalar == IR_INT &&
            !symbol->type.pointers && !symbol->dim_nr && !symbol->type.is_const &&
            !has_scalar(kernel, symbol) && is_size_symbol(function, symbol))
            strvec_pushf(words, "set %s=%d", symbol->name, PROPOSED_SIZE);
    }
}

static bool is_name(const struct kernel *kernel, const char *name)
{
    for (size_t i = 0; i < kernel->scalar_nr; i++)
        if (!strcmp(kernel->scalar[i].symbol->name, name))
            return true;
    return false;
}

/* "idx = index(m)", or "idx = index(1000)" where nothing is called so. */
static void add_contents(const struct kernel *kernel, const struct kernel_buffer *buffer,
                         struct strvec *words)
{
    struct strvec args = {0};
    char *name = NULL;
    bool call = directive_call(buffer->subscript_hint, &name, &args, NULL) == 0;
    if (call && args.nr == 1 && isalpha((unsigned char)*args.v[0]) &&
        !args.v[0][directive_path_length(args.v[0])] && !is_name(kernel, args.v[0]))
        strvec_pushf(words, "buffer %s = %s(%d)", buffer->name, name, PROPOSED_SIZE);
    else
        strvec_pushf(words, "buffer %s = %s", buffer->name, buffer->subscript_hint);
    strvec_release(&args);
    free(name);
}

void kernel_unsaid(const struct kernel *kernel, bool globals, struct strvec *words)
{
    for (size_t i = 0; i < kernel->scalar_nr; i++)
        if (kernel->scalar[i].is_integer && !kernel->scalar[i].word &&
            !kernel->scalar[i].is_overridden)
            strvec_pushf(words, "set %s=%d", kernel->scalar[i].symbol->name,
                         PROPOSED_SIZE);
    if (globals)
        unsaid_globals(kernel, words);
    for (size_t i = 0; i < kernel->buffer_nr; i++) {
        const struct kernel_buffer *buffer = &kernel->buffer[i];
        if (buffer->is_filled && buffer->subscript_hint &&
            !buffer_word(kernel, DIRECTIVE_BUFFER, buffer))
            add_contents(kernel, buffer, words);
    }
}

/* ---- sizes for a first try ---- */

/* Of what does not decide how long arrays are: rounds of a loop, and anything else. */
enum { ROUNDS = 10, OTHERS = 1 };
/* No array says less. */
#define SIZE_OPEN 1e9
/* Innermost iterations of a call: a second or two, so that a search can repeat it. */
static const double iterations_max = 1e9;

struct proposal {
    struct kernel *kernel;
    size_t *scalar; /* those to be chosen ... */
    bool *decides;  /* ... that decide how long arrays are */
    size_t nr;
    bool any; /* one of them does */
};

/* A proposed word: its number is the one that kernel_unsaid put there. */
static bool is_proposed(const struct kernel_scalar *scalar, const struct strvec *words)
{
    char *word = xasprintf("set %s=%d", scalar->symbol->name, PROPOSED_SIZE);
    bool found = false;
    for (size_t i = 0; i < words->nr; i++)
        found = found || !strcmp(words->v[i], word);
    free(word);
    return found;
}

/* Arrays of the file are as long as they are; shorter ones hold coefficients. */
static double size_max(const struct kernel *kernel)
{
    enum { COEFFICIENTS = 64 };
    double max = SIZE_OPEN;
    for (size_t i = 0; i < kernel->buffer_nr; i++) {
        const struct ir_symbol *symbol = kernel->buffer[i].symbol;
        const struct ir_expr *dim = symbol->dim_nr ? symbol->dim[0] : NULL;
        if (dim && dim->has_value && dim->value >= COEFFICIENTS)
            max = fmin(max, (double)dim->value);
    }
    return max;
}

/* All arrays together with this size; negative = they have none then. */
static double bytes_at(const struct proposal *at, double size)
{
    for (size_t i = 0; i < at->nr; i++)
        if (at->decides[i])
            kernel_override(at->kernel, at->scalar[i], (long long)size);
    return kernel_refresh(at->kernel, NULL) ? -1 : kernel_bytes(at->kernel);
}

/* More of it makes arrays longer. */
static void find_deciding(struct proposal *at)
{
    double bytes = bytes_at(at, PROPOSED_SIZE);
    if (bytes < 0)
        return;
    bool *decides = xcalloc(at->nr + 1, sizeof(*decides));
    for (size_t i = 0; i < at->nr; i++) {
        if (!at->decides[i])
            continue;
        kernel_override(at->kernel, at->scalar[i], 2 * PROPOSED_SIZE);
        bool refreshed = kernel_refresh(at->kernel, NULL) == 0;
        decides[i] = refreshed && kernel_bytes(at->kernel) > bytes;
        kernel_override(at->kernel, at->scalar[i], PROPOSED_SIZE);
    }
    for (size_t i = 0; i < at->nr; i++)
        at->any = at->any || decides[i];
    /* Where none does, the arrays are the file's own. */
    double rounds =
        !at->any && size_max(at->kernel) < SIZE_OPEN ? size_max(at->kernel) : ROUNDS;
    for (size_t i = 0; i < at->nr; i++) {
        if (at->decides[i] && !decides[i])
            kernel_override(at->kernel, at->scalar[i],
                            at->kernel->scalar[at->scalar[i]].is_size ? (long long)rounds
                                                                      : OTHERS);
        at->decides[i] = decides[i];
    }
    free(decides);
}

/* Two digits: easy to type, and no power of two, whose rows would collide in a cache. */
static double rounded(double size)
{
    double unit = pow(10, floor(log10(size)) - 1);
    return unit > 1 ? round(size / unit) * unit : round(size);
}

/* Bytes grow like a power of the size, about. */
static double size_for(const struct proposal *at, double bytes)
{
    enum { ROUNDS_OF_FIT = 4 };
    double size = PROPOSED_SIZE;
    for (int i = 0; at->any && i < ROUNDS_OF_FIT; i++) {
        double now = bytes_at(at, size), twice = bytes_at(at, 2 * size);
        if (!(now > 0) || !(twice > now))
            break;
        size *= pow(bytes / now, 1 / log2(twice / now));
        size = fmin(fmax(size, 16), SIZE_OPEN);
    }
    return fmin(rounded(size), size_max(at->kernel));
}

/* No call that takes minutes. */
static double size_in_time(const struct proposal *at, double size)
{
    enum { SIZE_MIN = 32 };
    while (at->any && size > SIZE_MIN) {
        bytes_at(at, size);
        if (kernel_bind(at->kernel, NULL))
            break;
        struct quantity iterations = kernel_counts(at->kernel).iterations;
        if (!iterations.known || iterations.value <= iterations_max)
            break;
        size = rounded(0.8 * size);
    }
    return size;
}

/* "set n=2000" in the place of "set n=1000". */
static void say(const struct proposal *at, struct strvec *words)
{
    for (size_t i = 0; i < at->nr; i++) {
        const struct kernel_scalar *scalar = &at->kernel->scalar[at->scalar[i]];
        char *word = xasprintf("set %s=%d", scalar->symbol->name, PROPOSED_SIZE);
        for (size_t k = 0; k < words->nr; k++)
            if (!strcmp(words->v[k], word)) {
                free(words->v[k]);
                words->v[k] =
                    xasprintf("set %s=%lld", scalar->symbol->name, scalar->override);
            }
        free(word);
    }
}

static void add_lengths(const struct kernel *kernel, struct strvec *words)
{
    for (size_t i = 0; i < kernel->buffer_nr; i++)
        if (kernel->buffer[i].is_filled && kernel->buffer[i].length < 0 &&
            kernel->buffer[i].memory == i)
            strvec_pushf(words, "buffer %s length ELEMENTS", kernel->buffer[i].name);
}

double kernel_propose(struct kernel *kernel, double bytes, struct strvec *words,
                      struct error *err)
{
    struct proposal at = {.kernel = kernel};
    double all = -1;
    at.scalar = xcalloc(kernel->scalar_nr + 1, sizeof(*at.scalar));
    at.decides = xcalloc(kernel->scalar_nr + 1, sizeof(*at.decides));
    for (size_t i = 0; i < kernel->scalar_nr; i++)
        if (is_proposed(&kernel->scalar[i], words)) {
            at.decides[at.nr] = kernel->scalar[i].symbol->type.bytes > 1;
            kernel_override(kernel, i, OTHERS);
            at.scalar[at.nr++] = i;
        }
    find_deciding(&at);
    double size = size_in_time(&at, size_for(&at, bytes));
    bytes_at(&at, size);
    if (kernel_refresh(kernel, err))
        add_lengths(kernel, words);
    else
        all = kernel_bytes(kernel);
    say(&at, words);
    free(at.scalar);
    free(at.decides);
    return all;
}
