/* The small expressions of pragma words: recursive descent, no C needed. */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/figures.h"
#include "core/base/text.h"
#include "variants/directives/pragma.h"

enum { DEPTH_MAX = 100 };

struct eval {
    const char *expr, *at;
    directive_lookup *lookup;
    void *data;
    bool dry; /* only the form counts */
    int depth;
    struct error *err;
};

struct directive_number directive_integer(long long value)
{
    return (struct directive_number){true, value, (double)value};
}

struct directive_number directive_real(double value)
{
    return (struct directive_number){false, 0, value};
}

static int fail_eval(struct eval *eval, const char *problem)
{
    if (!eval->expr[strspn(eval->expr, " \t")])
        return fail(eval->err, STATUS_INPUT, "a value is missing");
    return fail(eval->err, STATUS_INPUT, "'%.80s': %s", eval->expr, problem);
}

static char next(struct eval *eval)
{
    while (isspace((unsigned char)*eval->at))
        eval->at++;
    return *eval->at;
}

static int eval_sum(struct eval *eval, struct directive_number *out);

/* ---- numbers and names ---- */

/* Doubles up to here are all the integers that there are. */
static const double whole_max = 9007199254740992.0; /* 2^53 */

static bool is_whole(double real)
{
    return fabs(real) <= whole_max && real == floor(real);
}

static struct directive_number whole_or_real(double real)
{
    return is_whole(real) ? directive_integer((long long)real) : directive_real(real);
}

static int eval_number(struct eval *eval, struct directive_number *out)
{
    char *end, *end_real;
    errno = 0;
    long long integer = strtoll(eval->at, &end, 10);
    bool fits = errno == 0;
    double real = strtod(eval->at, &end_real);
    *out = end_real > end || !fits ? directive_real(real) : directive_integer(integer);
    eval->at = end_real;
    double factor = count_prefix(&eval->at);
    if (factor > 1) /* 64k, 1.5M: sizes */
        *out = whole_or_real(real * factor);
    bool hexadecimal = end < end_real && (*end == 'x' || *end == 'X');
    if (hexadecimal || isalnum((unsigned char)*eval->at) || *eval->at == '_' ||
        *eval->at == '.')
        return fail_eval(eval, "a number is followed by letters; sizes are written as "
                               "4000, 1e6, 64k (= 65536) or 2M");
    return isfinite(real) ? 0 : fail_eval(eval, "a number is too large");
}

size_t directive_path_length(const char *text)
{
    size_t length = 0;
    while (isalpha((unsigned char)text[length]) || text[length] == '_') {
        length += text_word_length(text + length);
        size_t joint = text[length] == '.'                    ? 1
                       : strncmp(text + length, "->", 2) == 0 ? 2
                                                              : 0;
        bool goes_on =
            isalpha((unsigned char)text[length + joint]) || text[length + joint] == '_';
        if (joint == 0 || !goes_on)
            break;
        length += joint;
    }
    return length;
}

static int eval_name(struct eval *eval, struct directive_number *out)
{
    size_t length = directive_path_length(eval->at);
    char *name = xstrndup(eval->at, length);
    eval->at += length;
    int status = 0;
    *out = directive_integer(1);
    if (!eval->dry && (!eval->lookup || eval->lookup(eval->data, name, out) < 0))
        status = fail(eval->err, STATUS_INPUT, "'%.80s': the value of '%s' is not known",
                      eval->expr, name);
    free(name);
    return status;
}

static int eval_parenthesis(struct eval *eval, struct directive_number *out)
{
    if (++eval->depth > DEPTH_MAX)
        return fail_eval(eval, "too many parentheses");
    eval->at++;
    if (eval_sum(eval, out) < 0)
        return -1;
    eval->depth--;
    if (next(eval) != ')')
        return fail_eval(eval, "a ')' is missing");
    eval->at++;
    return 0;
}

static int eval_unary(struct eval *eval, struct directive_number *out)
{
    char c = next(eval);
    bool minus = false;
    for (; c == '-' || c == '+'; c = next(eval)) {
        minus = minus != (c == '-');
        eval->at++;
    }
    int status;
    if (c == '(')
        status = eval_parenthesis(eval, out);
    else if (isdigit((unsigned char)c) || c == '.')
        status = eval_number(eval, out);
    else if (isalpha((unsigned char)c) || c == '_')
        status = eval_name(eval, out);
    else
        return fail_eval(eval, c ? "a number, a name or '(' is expected"
                                 : "the expression ends too early");
    if (status == 0 && minus) {
        out->real = -out->real;
        out->is_integer = out->is_integer && out->integer != LLONG_MIN;
        out->integer = out->is_integer ? -out->integer : 0;
    }
    return status;
}

/* ---- operators ---- */

static bool integer_operation(char op, long long a, long long b, long long *out)
{
    switch (op) {
    case '+':
        return !__builtin_add_overflow(a, b, out);
    case '-':
        return !__builtin_sub_overflow(a, b, out);
    case '*':
        return !__builtin_mul_overflow(a, b, out);
    default:
        if (a == LLONG_MIN && b == -1)
            return false;
        *out = op == '/' ? a / b : a % b;
        return true;
    }
}

static double real_operation(char op, double a, double b)
{
    switch (op) {
    case '+':
        return a + b;
    case '-':
        return a - b;
    case '*':
        return a * b;
    default:
        return op == '/' ? a / b : fmod(a, b);
    }
}

static int apply(struct eval *eval, char op, struct directive_number b,
                 struct directive_number *a)
{
    if (eval->dry)
        return 0;
    bool integers = a->is_integer && b.is_integer;
    if ((op == '/' || op == '%') && (integers ? b.integer == 0 : b.real == 0.0))
        return fail_eval(eval, "a division by zero");
    long long integer;
    if (integers && integer_operation(op, a->integer, b.integer, &integer))
        *a = directive_integer(integer);
    else
        *a = directive_real(real_operation(op, a->real, b.real));
    return isfinite(a->real) ? 0 : fail_eval(eval, "the result is too large");
}

static int eval_product(struct eval *eval, struct directive_number *out)
{
    if (eval_unary(eval, out) < 0)
        return -1;
    for (char op = next(eval); op == '*' || op == '/' || op == '%'; op = next(eval)) {
        struct directive_number right;
        eval->at++;
        if (eval_unary(eval, &right) < 0 || apply(eval, op, right, out) < 0)
            return -1;
    }
    return 0;
}

static int eval_sum(struct eval *eval, struct directive_number *out)
{
    if (eval_product(eval, out) < 0)
        return -1;
    for (char op = next(eval); op == '+' || op == '-'; op = next(eval)) {
        struct directive_number right;
        eval->at++;
        if (eval_product(eval, &right) < 0 || apply(eval, op, right, out) < 0)
            return -1;
    }
    return 0;
}

/* ---- contents ---- */

static const char *skip_spaces(const char *text)
{
    return text + strspn(text, " \t");
}

/* Up to the comma or parenthesis that ends an argument. */
static size_t argument_length(const char *text)
{
    size_t length = 0;
    for (int depth = 0; text[length] && (depth > 0 || !strchr(",)", text[length]));
         length++)
        depth += (text[length] == '(') - (text[length] == ')');
    return length;
}

/* The arguments behind an opening parenthesis; gives the place behind the closing one,
 * or NULL. */
static const char *split_arguments(const char *text, struct strvec *args)
{
    for (;; text++) {
        text = skip_spaces(text);
        size_t length = argument_length(text), used = length;
        while (used > 0 && strchr(" \t", text[used - 1]))
            used--;
        if (used == 0)
            return NULL;
        strvec_pushf(args, "%.*s", (int)used, text);
        text += length;
        if (*text != ',')
            return *text == ')' ? text + 1 : NULL;
    }
}

int directive_call(const char *contents, char **name, struct strvec *args,
                   struct error *err)
{
    const char *at = skip_spaces(contents);
    size_t length = text_name_length(at);
    *name = xstrndup(at, length);
    at = skip_spaces(at + length);
    if (length > 0 && *at == '(')
        at = split_arguments(at + 1, args);
    if (length > 0 && at && !*skip_spaces(at))
        return 0;
    return fail(err, STATUS_INPUT,
                "'%s' is not a buffer's contents, such as zero or uniform(0, 1)",
                contents);
}

/* ---- entry points ---- */

static int eval_all(struct eval *eval, struct directive_number *out)
{
    eval->at = eval->expr;
    if (eval_sum(eval, out) < 0)
        return -1;
    if (next(eval))
        return fail(eval->err, STATUS_INPUT,
                    "'%.80s': '%.80s' is left over; only + - * / %% ( ), numbers and "
                    "names are known",
                    eval->expr, eval->at);
    return 0;
}

int directive_eval(const char *expr, directive_lookup *lookup, void *data,
                   struct directive_number *out, struct error *err)
{
    struct eval eval = {.expr = expr, .lookup = lookup, .data = data, .err = err};
    return eval_all(&eval, out);
}

int directive_eval_integer(const char *expr, directive_lookup *lookup, void *data,
                           long long *out, struct error *err)
{
    struct directive_number number;
    if (directive_eval(expr, lookup, data, &number, err) < 0)
        return -1;
    if (!number.is_integer) /* 1e6 is one */
        number = whole_or_real(number.real);
    if (!number.is_integer)
        return fail(err, STATUS_INPUT, "'%s': the result, %.17g, is not a whole number%s",
                    expr, number.real,
                    fabs(number.real) > whole_max ? " of 64 bits that is exact" : "");
    *out = number.integer;
    return 0;
}

int directive_check(const char *expr, struct error *err)
{
    struct directive_number ignored;
    struct eval eval = {.expr = expr, .dry = true, .err = err};
    return eval_all(&eval, &ignored);
}
