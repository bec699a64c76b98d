/* inflight doctor: what works here, each line with the remedy where something does not.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "advisor/commands.h"
#include "advisor/plot.h"
#include "core/machine/machine.h"
#include "core/store/store.h"
#include "core/traffic/traffic.h"
#include "rules/rules.h"
#include "variants/variants.h"

enum state { WORKS, LIMITED, MISSING };

struct findings {
    json_t *list;
    struct buf text;
    bool colour;
};

static void find(struct findings *findings, enum state state, const char *what,
                 const char *format, ...) __attribute__((format(printf, 4, 5)));

static void find(struct findings *findings, enum state state, const char *what,
                 const char *format, ...)
{
    static const char *const word[] = {"ok", "limited", "missing"};
    static const char *const colour[] = {"\033[32m", "\033[33m", "\033[31m"};
    struct buf sentence = {0};
    va_list args;
    va_start(args, format);
    buf_addf_va(&sentence, format, args);
    va_end(args);
    json_array_append_new(findings->list,
                          json_pack("{s:s, s:s, s:s}", "what", what, "state", word[state],
                                    "finding", buf_str(&sentence)));
    buf_addf(&findings->text, "%s%-8s%s%-16s", findings->colour ? colour[state] : "",
             word[state], findings->colour ? "\033[0m" : "", what);
    buf_add_wrapped(&findings->text, buf_str(&sentence), 24, 79);
    buf_add(&findings->text, "\n");
    buf_release(&sentence);
}

static void look_at_compiler(struct findings *findings, const char *name)
{
    struct toolchain toolchain = {0};
    struct error why = {0};
    if (toolchain_find(name, NULL, &toolchain, &why))
        find(findings, MISSING, name, "%s", why.text);
    else
        find(findings, WORKS, name, "%s", toolchain.version);
    toolchain_release(&toolchain);
}

static void look_at_counters(struct findings *findings)
{
    static const char otherwise[] = "the cache model on traced accesses is used instead";
    struct papi_status status = {0};
    papi_probe(&status);
    if (status.usable)
        find(findings, WORKS, "counters", "%s", status.sentence);
    else
        find(findings, LIMITED, "counters", "%s; %s",
             status.sentence ? status.sentence : "PAPI could not be asked", otherwise);
    papi_status_release(&status);
}

static void read_line(const char *path, struct buf *out)
{
    buf_reset(out);
    if (file_read(path, out, NULL) == 0 && out->length &&
        out->data[out->length - 1] == '\n')
        buf_truncate(out, out->length - 1);
}

static void look_at_pages(struct findings *findings)
{
    struct buf mode = {0};
    read_line("/sys/kernel/mm/transparent_hugepage/enabled", &mode);
    if (strstr(buf_str(&mode), "[never]") || !mode.length)
        find(findings, MISSING, "huge pages",
             "transparent huge pages are off, so their effect cannot be measured; as "
             "root: "
             "echo madvise > /sys/kernel/mm/transparent_hugepage/enabled");
    else
        find(findings, WORKS, "huge pages", "transparent huge pages: %s", buf_str(&mode));
    buf_release(&mode);
}

static void look_at_cores(struct findings *findings)
{
    struct machine_cpus cpus = {0};
    struct error why = {0};
    if (machine_cpus(NULL, &cpus, &why)) {
        find(findings, MISSING, "cores", "%s", why.text);
        return;
    }
    find(findings, cpus.cpu_nr > 1 ? WORKS : LIMITED, "cores",
         "%zu physical core%s may be used%s", cpus.cpu_nr, cpus.cpu_nr == 1 ? "" : "s",
         cpus.cpu_nr > 1 ? "" : "; a loaded machine cannot be measured with one");
    find(findings, cpus.threads_per_core > 1 ? WORKS : LIMITED, "SMT",
         "%d hardware thread%s a core%s", cpus.threads_per_core,
         cpus.threads_per_core == 1 ? "" : "s",
         cpus.threads_per_core > 1 ? ""
                                   : "; advice on SMT is given but cannot be tried here");
    free(cpus.cpu);
}

static void look_at_clock(struct findings *findings)
{
    struct buf source = {0};
    double least = 1, start = clock_s();
    for (int i = 0; i < 1000; i++) {
        double before = clock_s(), after = clock_s();
        while (after <= before)
            after = clock_s();
        least = after - before < least ? after - before : least;
    }
    read_line("/sys/devices/system/clocksource/clocksource0/current_clocksource",
              &source);
    find(findings, least < 1e-6 ? WORKS : LIMITED, "clock",
         "%s, steps of %.0f ns, %.0f ns a reading",
         source.length ? buf_str(&source) : "unknown source", least * 1e9,
         (clock_s() - start) / 2000 * 1e9);
    buf_release(&source);
}

/* The same short arithmetic again and again: how much its time varies is what neighbours
 * and clocks do. */
static void look_at_noise(struct findings *findings)
{
    enum { ROUNDS = 41 };
    double seconds[ROUNDS];
    for (int r = 0; r < ROUNDS; r++) {
        volatile double x = 1;
        double start = clock_s();
        for (int i = 0; i < 400000; i++)
            x = x * 0.999999 + 1e-6;
        seconds[r] = clock_s() - start;
    }
    struct quantity time = run_statistics(seconds, ROUNDS, PROVENANCE_CLOCK);
    double least = seconds[0], most = seconds[0];
    for (int r = 1; r < ROUNDS; r++) {
        least = seconds[r] < least ? seconds[r] : least;
        most = seconds[r] > most ? seconds[r] : most;
    }
    bool quiet = (most - least) / time.value < 0.1;
    find(findings, quiet ? WORKS : LIMITED, "noise",
         "equal work of %.1f ms varies by %.0f %%%s", time.value * 1e3,
         100 * (most - least) / time.value,
         quiet
             ? ""
             : "; other work shares this machine, so runs are interleaved and repeated");
}

static void look_at_space(struct findings *findings)
{
    const char *dir = getenv("TMPDIR");
    struct statvfs file_system;
    dir = dir && *dir ? dir : "/tmp";
    if (statvfs(dir, &file_system)) {
        find(findings, MISSING, "scratch space",
             "'%s' cannot be looked at; set TMPDIR to a folder that exists", dir);
        return;
    }
    double free_bytes = (double)file_system.f_bavail * (double)file_system.f_frsize;
    find(findings, free_bytes > 268435456 ? WORKS : LIMITED, "scratch space",
         "%.1f GiB in '%s'%s", free_bytes / 1073741824, dir,
         free_bytes > 268435456 ? "" : "; set TMPDIR to a folder with at least 256 MiB");
}

static void look_at_profile(struct findings *findings)
{
    struct machine machine = {0};
    struct error why = {0};
    struct buf other = {0};
    char *path = NULL;
    if (machine_default_path(&path, &why))
        find(findings, MISSING, "profile", "%s", why.text);
    else if (!file_exists(path))
        find(findings, LIMITED, "profile",
             "none yet: 'inflight machine' makes one, 'inflight tune' a quick one");
    else if (machine_load(path, &machine, &why))
        find(findings, MISSING, "profile", "%s; remove it or run 'inflight machine'",
             why.text);
    else if (!machine_matches_here(&machine, &other))
        find(findings, LIMITED, "profile",
             "'%s' does not fit here (%s); 'inflight machine' makes one that does", path,
             buf_str(&other));
    else
        find(findings, machine.quick ? LIMITED : WORKS, "profile", "'%s'%s", path,
             machine.quick ? ", a quick one; 'inflight machine' makes a better one" : "");
    machine_release(&machine);
    buf_release(&other);
    free(path);
}

static void look_at_database(struct findings *findings, const struct settings *settings)
{
    char *path = settings->database ? xstrdup(settings->database) : NULL;
    struct store *store = NULL;
    struct error why = {0};
    if ((!path && store_default_path(&path, &why)) || store_open(path, &store, &why))
        find(findings, MISSING, "database", "%s", why.text);
    else
        find(findings, WORKS, "database", "'%s'", path);
    store_close(store);
    free(path);
}

static void look_at_gnuplot(struct findings *findings)
{
    struct error why = {0};
    if (plot_check("-", &why))
        find(findings, MISSING, "gnuplot", "%s", why.text);
    else
        find(findings, WORKS, "gnuplot", "'inflight machine --plot' can draw");
}

static void look_at_rules(struct findings *findings)
{
    struct rule_set *set = NULL;
    struct error why = {0};
    if (rule_set_load(NULL, &set, &why))
        find(findings, MISSING, "rules", "%s", why.text);
    else
        find(findings, WORKS, "rules", "%zu rules", rule_set_nr(set));
    rule_set_free(set);
}

static void look_at_isl(struct findings *findings)
{
    const char *version = kernel_isl_version();
    find(findings, WORKS, "isl", "%.*s", (int)strcspn(version, "\n"), version);
}

int doctor_command(const struct settings *settings, struct error *err)
{
    struct findings findings = {.list = json_array(),
                                .colour = term_colour(stdout, settings->colour)};
    int status;
    look_at_compiler(&findings, settings->compiler);
    if (strcmp(settings->compiler, "clang"))
        look_at_compiler(&findings, "clang");
    look_at_isl(&findings);
    look_at_counters(&findings);
    look_at_cores(&findings);
    look_at_pages(&findings);
    look_at_clock(&findings);
    look_at_noise(&findings);
    look_at_space(&findings);
    look_at_rules(&findings);
    look_at_gnuplot(&findings);
    look_at_profile(&findings);
    look_at_database(&findings, settings);
    json_t *document =
        json_pack("{s:s, s:O}", "schema", "inflight.doctor/1", "findings", findings.list);
    status = settings->json ? print_json(document, err)
                            : print_text(buf_str(&findings.text), err);
    json_decref(document);
    json_decref(findings.list);
    buf_release(&findings.text);
    return status;
}
