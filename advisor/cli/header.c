#include "advisor/cli/cli.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "variants/kernel/kernel_view.h"

/* The value in "set(TI:64,TJ:8) ..." of a canonical plan; plans name a tunable once. */
static long long value_in(const struct kernel_tunable *tunable, const char *plan)
{
    size_t length = strlen(tunable->name);
    for (const char *at = plan; (at = strstr(at, tunable->name)); at += length) {
        const char *step = at;
        while (step > plan && *step != '(')
            step--;
        bool in_set = step - plan >= 3 && !strncmp(step - 3, "set(", 4) &&
                      (step - plan == 3 || step[-4] == ' ');
        if (in_set && (at[-1] == '(' || at[-1] == ',') && at[length] == ':')
            return strtoll(at + length + 1, NULL, 10);
    }
    return tunable->now;
}

/* TILES_H of "out/tiles.h". */
static char *guard_of(const char *path)
{
    const char *base = path_base(path);
    char *guard = isdigit((unsigned char)*base) ? xasprintf("H_%s", base) : xstrdup(base);
    for (char *c = guard; *c; c++)
        *c = isalnum((unsigned char)*c) ? (char)toupper((unsigned char)*c) : '_';
    return guard;
}

static void add_comment(const char *comment, struct buf *out)
{
    buf_add(out, "/*\n");
    while (*comment) {
        size_t length = strcspn(comment, "\n");
        buf_add(out, " * ");
        for (size_t i = 0; i < length; i++) {
            bool ends = comment[i] == '*' && comment[i + 1] == '/';
            buf_addf(out, "%c%s", comment[i], ends ? " " : "");
        }
        buf_add(out, "\n");
        comment += length + (comment[length] == '\n');
    }
    buf_add(out, " */\n");
}

int tunables_header(const struct kernel_view *view, const char *plan, const char *comment,
                    const char *path, struct buf *out, struct error *err)
{
    if (!view->tunable_nr)
        return fail(err, STATUS_USAGE,
                    "--emit-header: the kernel has no tunable; write '#pragma inflight "
                    "tunable NAME in {8,16,32}' beside a constant, or --tunable");
    char *guard = guard_of(path);
    add_comment(comment, out);
    buf_addf(out, "#ifndef %s\n#define %s\n\n", guard, guard);
    for (size_t i = 0; i < view->tunable_nr; i++) {
        long long value = value_in(&view->tunable[i], plan);
        buf_addf(out, value < 0 ? "#define %s (%lld)\n" : "#define %s %lld\n",
                 view->tunable[i].name, value);
    }
    buf_add(out, "\n#endif\n");
    free(guard);
    return 0;
}
