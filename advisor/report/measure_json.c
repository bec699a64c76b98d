#include <stdlib.h>

#include "advisor/cli/cli.h"
#include "advisor/report/measure_report.h"
#include "advisor/report/report_parts.h"
#include "core/process/term.h"
#include "core/store/store.h"
#include "search/session/measured.h"
#include "variants/kernel/kernel_view.h"

static json_t *run_json(const struct measurement *measurement)
{
    bool clock = measurement->clock_step_s > 0;
    return json_pack("{s:i, s:I, s:I, s:o, s:o, s:o}", "launches",
                     (int)measurement->launches, "samples",
                     (json_int_t)measurement->sample_nr, "disturbed",
                     (json_int_t)measurement->disturbed_nr, "clock_step_ns",
                     clock ? json_real(measurement->clock_step_s * 1e9) : json_null(),
                     "call_overhead_ns",
                     clock ? json_real(measurement->call_overhead_s * 1e9) : json_null(),
                     "note", text_json(measurement->note));
}

json_t *measure_json(const struct context *bench, const struct measurement *measurement)
{
    struct kernel_counts counts = kernel_counts(bench->kernel);
    char *date = date_now();
    json_t *root = json_pack(
        "{s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:{s:o, s:o, s:o, s:o}, s:o}", "schema",
        "inflight.measure/1", "version", INFLIGHT_VERSION, "date", date, "kernel",
        report_kernel_json(bench->kernel), "machine", report_machine_json(bench),
        "compiler", report_compiler_json(&bench->toolchain), "environment",
        environment_json(bench->settings), "run", run_json(measurement), "counted",
        "iterations", json_quantity(counts.iterations), "accesses",
        json_quantity(counts.accesses), "bytes", json_quantity(counts.bytes), "flops",
        json_quantity(counts.flops), "measurement", measurement_to_json(measurement));
    free(date);
    return root;
}
