#include "advisor/doctor/doctor.h"

#include <stdlib.h>
#include <string.h>

#include "advisor/cli/layout.h"
#include "core/base/buf.h"

static const char *const state_word[] = {"ok", "limited", "missing"};

void doctor_add(struct doctor *doctor, enum doctor_state state, const char *what,
                struct remedy remedy, const char *format, ...)
{
    struct buf sentence = {0};
    va_list args;
    va_start(args, format);
    buf_addf_va(&sentence, format, args);
    va_end(args);
    if (!doctor->findings)
        doctor->findings = json_array();
    json_array_append_new(
        doctor->findings,
        json_pack("{s:s, s:s, s:o, s:s?, s:b}", "what", what, "state", state_word[state],
                  "finding", json_stringn(buf_str(&sentence), sentence.length), "remedy",
                  remedy.command, "as_root", (int)remedy.as_root));
    doctor->missing += state == DOCTOR_MISSING;
    buf_release(&sentence);
}

void doctor_release(struct doctor *doctor)
{
    json_decref(doctor->findings);
    *doctor = (struct doctor){0};
}

static const char *colour_of(const char *state)
{
    return !strcmp(state, "ok")        ? "\033[32m"
           : !strcmp(state, "limited") ? "\033[33m"
                                       : "\033[31m";
}

/* A remedy is never wrapped: it is there to be copied. */
static void add_finding(const json_t *finding, bool colour, size_t width, struct buf *out)
{
    enum { TEXT = 24 };
    const char *state = json_string_value(json_object_get(finding, "state")),
               *remedy = json_string_value(json_object_get(finding, "remedy"));
    buf_addf(out, "%s%-8s%s%-16s", colour ? colour_of(state) : "", state,
             colour ? "\033[0m" : "",
             json_string_value(json_object_get(finding, "what")));
    struct buf wrapped = {0};
    buf_add_repeat(&wrapped, ' ', TEXT);
    buf_add_wrapped(&wrapped, json_string_value(json_object_get(finding, "finding")),
                    TEXT, width);
    buf_addf(out, "%s\n", buf_str(&wrapped) + TEXT);
    if (remedy)
        buf_addf(out, "%*s%s%s\n", TEXT, "",
                 json_is_true(json_object_get(finding, "as_root")) ? "as root: "
                                                                   : "remedy: ",
                 remedy);
    buf_release(&wrapped);
}

void doctor_text(const struct doctor *doctor, bool colour, int columns, struct buf *out)
{
    struct layout layout = layout_on(out, colour, columns);
    const json_t *finding;
    size_t i, limited = 0;
    json_array_foreach(doctor->findings, i, finding) {
        add_finding(finding, colour, layout.width, out);
        limited +=
            !strcmp(json_string_value(json_object_get(finding, "state")), "limited");
    }
    if (doctor->missing)
        buf_addf(out, "\n%zu missing: inflight cannot tune here until that is fixed\n",
                 doctor->missing);
    else if (limited)
        buf_addf(out, "\ninflight can tune here; %zu limited, see above\n", limited);
    else
        buf_add(out, "\ninflight can tune here, with nothing in its way\n");
}

json_t *doctor_json(const struct doctor *doctor)
{
    return json_pack("{s:s, s:b, s:O}", "schema", "inflight.doctor/1", "usable",
                     (int)(doctor->missing == 0), "findings", doctor->findings);
}
