/* Before anything runs: whether the calls of a function can be captured at all. */
#include <stdlib.h>
#include <string.h>

#include "core/base/error.h"
#include "core/code/code.h"
#include "observe/capture/trace.h"

/* A process that has everything: what is asked is where things are, not what. */
static int read_nothing(void *data, uint64_t address, void *to, size_t bytes)
{
    (void)data, (void)address;
    memset(to, 0, bytes);
    return 0;
}

static int check_parameters(const struct entry_file *file,
                            const struct entry_point *point,
                            const struct trace_variable *variable, size_t nr,
                            struct error *err)
{
    struct entry_frame *frame = xcalloc(1, sizeof(*frame));
    struct entry_place *place;
    size_t places = 1;
    int status = 0;

    for (size_t i = 0; i < nr; i++)
        if (variable[i].param >= 0 && (size_t)variable[i].param >= places)
            places = (size_t)variable[i].param + 1;
    place = xcalloc(places, sizeof(*place));
    for (size_t i = 0; i < places; i++)
        place[i].kind = ENTRY_IN_REGISTER;
    memset(frame->is_known, true, sizeof(frame->is_known));
    frame->read = read_nothing;
    frame->passed = place;
    frame->passed_nr = places;
    for (size_t i = 0; i < nr && !status; i++) {
        struct entry_path path = {variable[i].root, "", variable[i].param};
        struct entry_object object;
        struct error why = {0};

        /* what is not there any more the capture takes from the source */
        if (entry_find_object(file, point, frame, &path, &object, &why) &&
            (variable[i].param >= 0 || why.status != STATUS_MISSING))
            status = fail(err, why.status, "%s", why.text);
    }
    free(place);
    free(frame);
    return status;
}

int trace_fail_inlined(const char *function, const char *program,
                       const struct strvec *inlined_at, size_t inlined, struct error *err)
{
    char *places = strvec_join(inlined_at, ", ");

    fail(
        err, STATUS_INPUT,
        "every call of '%s' in '%s' was inlined (%s%s), so that there is no call to stop "
        "at; build with -fno-inline, or mark the function __attribute__((noinline))",
        function, program, places, inlined > inlined_at->nr ? " ..." : "");
    free(places);
    return -1;
}

int trace_check(const char *program, const char *function, const char *source,
                const struct trace_variable *variable, size_t variable_nr,
                struct error *err)
{
    struct entry_points points = {0};
    struct entry_file *file = NULL;
    int status = 0;

    if (entry_file_open(program, &file, NULL))
        return 0; /* a script, or not here: what it starts is not known */
    entry_points_find(file, function, source, &points);
    if (!points.nr && points.inlined)
        status = trace_fail_inlined(function, program, &points.inlined_at, points.inlined,
                                    err);
    for (size_t i = 0; i < points.nr && !status; i++)
        status = check_parameters(file, &points.item[i], variable, variable_nr, err);
    entry_points_release(&points);
    entry_file_close(file);
    return status;
}
