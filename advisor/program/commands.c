#include "advisor/program/commands.h"

#include <stdio.h>
#include <string.h>

#include "advisor/cli/cli.h"
#include "core/base/buf.h"
#include "core/base/error.h"
#include "core/base/text.h"

/* Of commands that read a C file: what most calls need, and the rest. */
#define KERNEL      "function set buffer inputs "
#define KERNEL_REST "assume tunable constraint include compile-commands cflags "
/* Of those that measure on other nodes. */
#define CLUSTER                                                                          \
    "on nodes partition account node-constraint time exclusive slurm-options "           \
    "node-hours "
#define REST "quiet verbose color help-all version"

static const struct command commands[] = {
    {GROUP_START, "tune", "search for a faster variant, prove it, write it as C",
     "tune FILE.c[:LINE] [-o TUNED.c] [options] [-- compiler flags]\n"
     "       inflight tune [--build CMD] [-o FILE.patch] [options] -- PROGRAM [args]\n"
     "       inflight tune --replay SPACE.json.gz [--strategy NAME] [options]",
     "Measures the kernel, says what limits it, tries what the rules find promising,\n"
     "keeps what is faster beyond the noise with equal results, and writes the best\n"
     "variant as plain C. With a program: finds its hot loops, takes their inputs,\n"
     "tunes one after the other in copies of the project, keeps what makes the whole\n"
     "program faster with the same output, and writes one patch\n"
     "(docs/application.md).\n"
     "Ctrl-C reports what is known; the same command continues the session.\n\n"
     "example: inflight tune templates/kernels/transpose.c -o transpose_tuned.c\n"
     "         inflight tune templates/kernels/blocked_transpose.c --emit-header t.h\n"
     "         inflight tune --build 'make -j2' -- ./app 4000",
     KERNEL
     "output budget compiler flags build in-app patch html evidence json help "
     "| " KERNEL_REST
     "quick thorough flags-try try machine emit-header build-record variants "
     "strategy seed rules cores tolerance tolerance-absolute reassociate audit "
     "save replay fresh reuse no-record top dry-run frequency "
     "in-app-budget in-app-dir in-app-check cpu database sarif diagnostics " CLUSTER REST,
     OPERAND_SOURCE, BEHIND_PROGRAM_OR_FLAGS, tune_command},
    {GROUP_START, "advise", "measure the kernel as written and rank what can still pay",
     "advise FILE.c[:LINE] [options] [-- compiler flags]\n"
     "       inflight advise [options] -- PROGRAM [args]\n"
     "       inflight advise --machine NAME --bandwidth RATE\n"
     "                       --access random|streaming [--cores N] [--latency NS]\n"
     "                       [--memory NAME] [--what-if KEY=VALUE,...]\n"
     "       inflight advise --counts FILE [--seconds TIME] [--machine NAME]\n"
     "                       [--access KIND] [--cores N]\n"
     "       inflight advise --measurement FILE [--machine NAME]",
     "With a C file: measures the baseline only. With a program (any language, a\n"
     "script, mpirun): runs it once, says by sampling which loops its time goes to,\n"
     "and for those in C what to type next (docs/application.md). Without either:\n"
     "advice at once, from numbers alone, from counts that another tool took, or from\n"
     "a saved measurement; with --what-if for a machine with other queues. The\n"
     "files are described in docs/internals/formats.md.\n\n"
     "example: inflight advise --machine skl --bandwidth 106.9GB/s --access random\n"
     "                         --latency 120ns --what-if l1_mshrs=24\n"
     "         perf stat -a -x, -o counts.csv -e duration_time,... ./program\n"
     "         inflight advise --counts counts.csv --machine skl --access random",
     KERNEL "build compiler machine bandwidth access cores counts html evidence json "
            "help | " KERNEL_REST
            "flags quick thorough memory rules tolerance tolerance-absolute reassociate "
            "latency seconds cpu measurement what-if samples frequency save "
            "fresh database sarif diagnostics " REST,
     OPERAND_SOURCE, BEHIND_PROGRAM_OR_FLAGS, advise_command},
    {GROUP_MORE, "measure", "one kernel, one variant: time, traffic, every queue",
     "measure FILE.c[:LINE] [--plan 'PLAN'] [--sweep AXIS] [options]\n"
     "                        [-- compiler flags]",
     "Measures the kernel as written, or with a plan, and prints all figures with\n"
     "their intervals and where they come from. With --sweep: a series over sizes,\n"
     "pages, cores, start or background, as a table, --csv and --json, which\n"
     "inflight-plot, a script beside this program, draws; Ctrl-C prints what is\n"
     "known, and the same command continues.\n\n"
     "example: inflight measure templates/kernels/dgemm.c --sweep n=64:512:x2\n"
     "                          --csv dgemm.csv",
     KERNEL "compiler flags plan sweep pages cores csv save json help | " KERNEL_REST
            "build machine memory start background min-of cache line tolerance "
            "tolerance-absolute reassociate budget thorough fresh database " CLUSTER REST,
     OPERAND_SOURCE, BEHIND_FLAGS, measure_command},
    {GROUP_APPLICATION, "profile",
     "a whole program: time, bytes and occupancy of its marked regions",
     "profile [options] -- PROGRAM [arguments]\n"
     "       inflight profile --regions FOLDER [options]\n"
     "       inflight profile --timeline TIME [options] -- PROGRAM [arguments]\n"
     "       inflight profile --timeline TIME --list",
     "Runs the program as it is and reports the regions that it marks with\n"
     "inflight_region_begin and inflight_region_end (docs/reference/regions.md):\n"
     "calls, time, threads, processes, and where bytes are declared or counted, the\n"
     "bandwidth, the lines in flight and what limits them. --regions reads what a\n"
     "program left that ran without inflight, with INFLIGHT_REGIONS=FOLDER set. When\n"
     "the program fails the report is made all the same, and the exit status is 1.\n\n"
     "With --timeline: how busy cores, page faults, bytes read and written, memory\n"
     "traffic and power go over time; inflight-plot, a script beside this program,\n"
     "draws what --json prints (docs/reference/timeline.md).\n\n"
     "example: inflight profile -- ./app input.txt\n"
     "         inflight profile --timeline 10ms -- ./app input.txt\n"
     "         inflight profile --regions results --json",
     "regions timeline events list machine evidence json help | memory "
     "access cores rules " REST,
     OPERAND_NONE, BEHIND_PROGRAM, profile_command},
    {GROUP_APPLICATION, "metrics",
     "one set of metrics on every CPU: top-down, bytes, occupancy",
     "metrics FILE.c[:LINE] [options] [-- compiler flags]\n"
     "       inflight metrics [options] -- PROGRAM [args]\n"
     "       inflight metrics --counts [LABEL=]FILE[,FILE...] [--counts ...]\n"
     "                        [--cpu NAME] [options]\n"
     "       inflight metrics --regions FOLDER[,FOLDER...] [options]\n"
     "       inflight metrics --regions -- PROGRAM [args]\n"
     "       inflight metrics --list [--cpu NAME] [options]",
     "Turns counts into metrics by the definitions of the CPU: trees of slots or cycles\n"
     "with the way to the largest loss marked, the portable metrics of a loop, lines in\n"
     "flight (docs/reference/metrics.md). Counts are taken here, of a kernel or a\n"
     "program, or were taken elsewhere; several --counts are shown one after the\n"
     "other, and with --regions the marked regions of a program. What cannot be\n"
     "computed says which event it lacks; the rest is shown, with exit status 0.\n\n"
     "example: inflight metrics --counts old=a.csv --counts new=b.csv --cpu skylake-sp\n"
     "         inflight metrics -- ./app input.txt\n"
     "         inflight metrics --list --cpu a64fx",
     "function set counts regions cpu list model runs seconds html save evidence "
     "json help | buffer inputs " KERNEL_REST
     "build compiler flags machine memory cores " REST,
     OPERAND_SOURCE, BEHIND_PROGRAM_OR_FLAGS, metrics_command},
    {GROUP_START, "compare", "two versions of one function: which is faster, and why",
     "compare OLD.c[:FUNCTION] NEW.c[:FUNCTION] [options]\n"
     "                        [-- compiler flags]\n"
     "       inflight compare FILE.c --plan 'PLAN' [options]",
     "Compares results first, then times the two in turn, and says whether one is\n"
     "faster, every queue before and after, and whether it is less work or faster\n"
     "work. Sizes and contents of arrays are those of the first version; a difference\n"
     "of results ends with status 1.\n\n"
     "example: inflight compare kernel.c:plain kernel.c:blocked",
     KERNEL "plan compiler flags pages cores budget reassociate tolerance in-app json "
            "help | " KERNEL_REST
            "build machine memory start background cache line tolerance-absolute "
            "in-app-budget in-app-dir in-app-check " REST,
     OPERAND_VERSIONS, BEHIND_FLAGS, compare_command},
    {GROUP_START, "show",
     "the loops, arrays and access classes, and what may legally be done",
     "show FILE.c[:LINE] [options] [-- compiler flags]",
     "Reads the kernel and prints its model; measures nothing.\n\n"
     "example: inflight show templates/kernels/dgemm.c",
     "function set assume reassociate include cflags compile-commands build evidence "
     "json help | buffer inputs tunable constraint " REST,
     OPERAND_SOURCE, BEHIND_FLAGS, show_command},
    {GROUP_BUILD, "apply", "one plan by hand: the transformed C, or a patch",
     "apply FILE.c[:LINE] --plan 'PLAN' [-o OUT.c] [options]\n"
     "                      [-- compiler flags]\n"
     "       inflight apply FILE.c --from TUNED.c [-o OUT.c] [options]",
     "Checks that the plan is legal and writes the transformed file (to standard\n"
     "output without -o); with --patch a unified diff. --from takes plan and comment\n"
     "from a file that tune or apply wrote: with the options given then, the result is\n"
     "that file again, byte for byte.\n\n"
     "example: inflight apply templates/kernels/transpose.c --plan 'tile(i:32,j:32)'\n"
     "         inflight apply kernel.c --from kernel_tuned.c --patch | patch -p1",
     "function plan from output patch set assume reassociate include cflags "
     "compile-commands build help | buffer inputs tunable constraint force " REST,
     OPERAND_SOURCE, BEHIND_FLAGS, apply_command},
    {GROUP_BUILD, "check", "does a record that builds read still hold here?",
     "check RECORD.json [--strict] [options] [-- compiler flags]",
     "Checks whether source, headers, tuned code, compiler, flags and machine are\n"
     "still those of the record (docs/build.md), applies the plan again, compares\n"
     "results and times the tuned code against the source, both in turn. Says of each\n"
     "what it means and what to do. Ends with status 1 when results differ; --strict\n"
     "makes it 1 also when something drifted or the gain is gone. Unless --compiler\n"
     "and --flags say otherwise, gcc and the recorded flags are used; sizes and\n"
     "contents are those of the record.\n\n"
     "example: inflight check stencil.inflight.json --strict -- -Iinclude",
     "source strict compiler flags budget machine cores include json help | inputs set "
     "buffer assume function compile-commands cflags build " REST,
     OPERAND_RESULTS, BEHIND_FLAGS, check_command},
    {GROUP_APPLICATION, "outline", "a loop of a long function as a function of its own",
     "outline FILE.c:LINE [-o OUT.c] [options] [-- compiler flags]",
     "Writes the file (to standard output without -o) with the loop around the line\n"
     "as a static function before the one it is in, and a call in its place:\n"
     "the outermost loop whose nest is read as a whole. What may be read later comes\n"
     "back as the result or through pointers; all other text stays as it is. What\n"
     "cannot safely be moved is refused, with its line. See "
     "docs/reference/capture.md.\n\n"
     "example: inflight outline solver.c:425 -o outlined.c",
     "include compile-commands output patch json help | function " REST, OPERAND_SOURCE,
     BEHIND_FLAGS, outline_command},
    {GROUP_APPLICATION, "capture",
     "the real inputs of one call of a kernel in an application",
     "capture FILE.c[:LINE] [--build CMD] [options] -- PROGRAM [args]\n"
     "       inflight capture --show FILE",
     "Builds the application in a private copy of its project, with a recorder in the\n"
     "function, and runs it there: at a call its arguments and the contents of every\n"
     "array are written into a file (default NAME.inputs), and it goes on. tune, "
     "advise,\n"
     "measure, compare, check and show take that file as --inputs. PROGRAM may be a\n"
     "script or 'make run'. See docs/reference/capture.md.\n\n"
     "example: inflight capture solver.c --function sweep --build make -- ./app in.txt\n"
     "         inflight tune solver.c --inputs sweep.inputs",
     "function buffer build call sizes limit stop output show include cflags json help | "
     "assume in-app-dir " REST,
     OPERAND_SOURCE, BEHIND_PROGRAM, capture_command},
    {GROUP_SETUP, "machine", "characterise this machine, and look at profiles",
     "machine [--quick | --longer TIME] [-o FILE] [options]\n"
     "       inflight machine --list | --show NAME [options]",
     "Probes miss queues, latencies, bandwidths and the latency under load, at most\n"
     "two minutes, and keeps the profile. Ctrl-C ends it at once and leaves the old\n"
     "profile. The other forms measure nothing: they list profiles, or show one;\n"
     "'here' is this machine's.\n\n"
     "example: inflight machine --peak 307GB/s\n"
     "         inflight machine --show here --json | inflight-plot - -o curves.svg",
     "quick longer peak machine list show memory output json help "
     "| " CLUSTER REST,
     OPERAND_PROFILE, BEHIND_FLAGS, machine_command},
    {GROUP_MORE, "report", "an earlier session again", "report [SESSION] [options]",
     "Without a number: the newest session. --list names them all.\n\n"
     "example: inflight report --list\n"
     "         inflight report 12 --html page.html",
     "list evidence html json help | sarif diagnostics database "
     "forget-record " REST,
     OPERAND_SESSION, BEHIND_FLAGS, report_command},
    {GROUP_MORE, "rules", "the rules that the advice follows, and tests of them",
     "rules [ID | TRANSFORMATION] [--rules FILE] [options]\n"
     "       inflight rules --metrics | --transformations | --record [options]\n"
     "       inflight rules --test FILE [--rules FILE] [options]",
     "Lists all rules in the order in which they are asked, or explains one, or those\n"
     "of a transformation: conditions, what is left of each resource's work, bound,\n"
     "source. --test judges situations and ends with status 1 when a verdict is not the\n"
     "expected one; of a saved measurement it prints the verdicts.\n"
     "docs/reference/rules.md describes the files.\n\n"
     "example: inflight rules prefetch_l2\n"
     "         inflight rules --rules mine.json --test cases.json",
     "rules metrics transformations record test json help | machine database " REST,
     OPERAND_RULE, BEHIND_FLAGS, rules_command},
    {GROUP_MORE, "export", "a session's measurements as JSON, for other tuners too",
     "export [SESSION] [-o FILE] [options]",
     "Without a number: the newest session. inflight-exchange, a script beside this\n"
     "program, makes T4 results, a cache file of Kernel Tuner or a table of it; "
     "'import'\n"
     "takes it on another machine. A FILE that ends in .gz is compressed. See\n"
     "docs/reference/exchange.md.\n\n"
     "example: inflight export | inflight-exchange - --to kernel-tuner -o triad.json\n"
     "         inflight export 12 -o session.json.gz",
     "output help | database quiet color help-all version", OPERAND_SESSION, BEHIND_FLAGS,
     export_command},
    {GROUP_MORE, "import", "exported measurements, other tuners' too, as a session",
     "import FILE [options]",
     "Reads what 'export' writes, and what inflight-exchange makes of T4 results and of\n"
     "cache files of Kernel Tuner; 'inflight report' and 'inflight export' take the\n"
     "session. All of the file is stored, or nothing. See docs/reference/exchange.md.\n\n"
     "example: inflight-exchange A100.json.gz -o a100.json && inflight import a100.json",
     "help | database quiet color help-all version", OPERAND_RESULTS, BEHIND_FLAGS,
     import_command},
    {GROUP_SETUP, "doctor",
     "what works on this machine, and the remedy where it does not", "doctor [options]",
     "Looks at compilers, counters, huge pages, limits of processors and memory,\n"
     "clock, frequency, noise, folders, profile and database: each is ok, limited (it\n"
     "works, but less well) or missing, with the command that fixes it, to paste.\n"
     "Ends with status 6 when something is missing that inflight cannot do without.\n\n"
     "example: inflight doctor",
     "compiler json help | database " REST, OPERAND_NONE, BEHIND_FLAGS, doctor_command},
    {GROUP_SETUP, "worker", "judge variants on this machine for a search elsewhere",
     "worker FOLDER [options]",
     "Answers the questions of 'inflight tune FILE.c --on FOLDER', one after the other,\n"
     "until that search is over; both see the FOLDER, and that is all they need.\n"
     "Who may write there has code run as you: a folder that is not yours alone is\n"
     "refused (docs/reference/trust.md).\n"
     "'--on slurm' starts workers by itself (docs/reference/cluster.md).\n\n"
     "example: inflight worker /shared/tuning",
     "help | " REST, OPERAND_RESULTS, BEHIND_FLAGS, worker_command},
};

const struct command *command_find(const char *name)
{
    for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
        if (!strcmp(commands[i].name, name))
            return &commands[i];
    return NULL;
}

const struct command *command_row(size_t i)
{
    return i < ARRAY_SIZE(commands) ? &commands[i] : NULL;
}

/* ---- words that are none ---- */

static const struct synonym command_synonyms[] = {
    {"optimize", "tune"},     {"optimise", "tune"},   {"autotune", "tune"},
    {"analyze", "advise"},    {"analyse", "advise"},  {"bench", "measure"},
    {"benchmark", "measure"}, {"time", "measure"},    {"run", "measure"},
    {"diff", "compare"},      {"transform", "apply"}, {"info", "show"},
    {"inspect", "show"},      {"model", "show"},      {"explain", "rules"},
    {"list", "report"},       {"history", "report"},  {"session", "report"},
    {"sessions", "report"},   {"probe", "machine"},   {"record", "capture"},
    {"setup", "doctor"},      {"variants", "report"}, {"timeline", "profile"},
    {"apps", "profile"},      {"perf", "profile"},    {"plan", "apply"},
    {"verify", "check"},      {"topdown", "metrics"},
};

static int unknown_option_first(const char *word, struct error *err)
{
    static const char *const words[] = {"--help", "--help-all", "--version"};
    const char *meant = nearest_word(word, words, ARRAY_SIZE(words));
    if (meant)
        return fail(err, STATUS_USAGE, "unknown option '%s'; did you mean '%s'?", word,
                    meant);
    return fail(err, STATUS_USAGE,
                "a command is expected, got '%s': options follow the command, as in "
                "'inflight tune %s'; try 'inflight --help'",
                word, word);
}

int command_unknown(const char *word, struct error *err)
{
    const char *names[ARRAY_SIZE(commands)];
    const char *end = strrchr(word, '.');
    if (*word == '-')
        return unknown_option_first(word, err);
    if (end && !strpbrk(end, "/ "))
        return fail(err, STATUS_USAGE,
                    "there is no command '%s'; a file follows the command, as in "
                    "'inflight advise %s'; try 'inflight --help'",
                    word, word);
    for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
        names[i] = commands[i].name;
    const char *meant = meant_word(word, names, ARRAY_SIZE(names), command_synonyms,
                                   ARRAY_SIZE(command_synonyms));
    if (meant)
        return fail(err, STATUS_USAGE,
                    "there is no command '%s'; did you mean '%s'? Try 'inflight --help'",
                    word, meant);
    return fail(err, STATUS_USAGE, "there is no command '%s'; try 'inflight --help'",
                word);
}

void command_owners(const char *option, struct buf *out)
{
    struct strvec names = {0};
    for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
        if (command_takes(&commands[i], option))
            strvec_push(&names, commands[i].name);
    for (size_t i = 0; i < names.nr; i++)
        buf_addf(out, "%s%s", !i ? "" : i + 1 < names.nr ? ", " : " and ", names.v[i]);
    strvec_release(&names);
}

/* ---- the overview ---- */

static void list_group(enum command_group group, const char *heading, FILE *stream)
{
    fprintf(stream, "%s:\n", heading);
    for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
        if (commands[i].group == group)
            fprintf(stream, "  %-10s %s\n", commands[i].name, commands[i].summary);
    fprintf(stream, "\n");
}

void commands_help(FILE *stream)
{
    static const int exit_status[] = {
#define X(name, number, text) number,
        STATUS_MAP(X)
#undef X
    };
    static const char *const meaning[] = {
#define X(name, number, text) text,
        STATUS_MAP(X)
#undef X
    };
    static const char *const heading[] = {
#define X(name, heading) heading,
        COMMAND_GROUPS(X)
#undef X
    };
    fprintf(stream,
            "usage: inflight COMMAND [options]\n\n"
            "Finds out how many cache misses a loop keeps in flight, says which\n"
            "optimizations can still pay, tries them, and writes a faster loop.\n\n");
    for (size_t i = 0; i < ARRAY_SIZE(heading); i++)
        list_group((enum command_group)i, heading[i], stream);
    fprintf(stream, "'inflight COMMAND --help' describes one. Results go to standard\n"
                    "output, the rest to standard error. Exit status:\n");
    for (size_t i = 0; i < ARRAY_SIZE(exit_status); i++)
        fprintf(stream, "  %d  %s\n", exit_status[i], meaning[i]);
    fprintf(stream, "interrupted by a signal: ends by that signal after the report\n");
}
