#include "tests/variants/programs.h"

#include <stdlib.h>
#include <string.h>

#include "core/files/fs.h"
#include "core/process/spawn.h"
#include "tests/check.h"

bool programs_start(struct programs *programs, const char *words)
{
    struct error err = {0};

    *programs = (struct programs){0};
    strvec_split(&programs->argv, words);
    return check_ok(scratch_make(&programs->dir, &err), &err);
}

void programs_release(struct programs *programs)
{
    strvec_release(&programs->argv);
    buf_release(&programs->main);
    buf_release(&programs->table);
    scratch_remove(programs->dir);
}

void programs_add(struct programs *programs, const char *plan, const char *text)
{
    struct error err = {0};
    struct buf file = {0};
    char *path = xasprintf("%s/kernel_%zu.c", programs->dir, programs->nr);

    buf_addf(&file, "#define kernel kernel_%zu\n%s", programs->nr, text);
    check_ok(file_write(path, buf_str(&file), file.length, &err), &err);
    buf_addf(&programs->main, "kernel_fn kernel_%zu;\n", programs->nr);
    buf_addf(&programs->table, "    {\"%s\", kernel_%zu},\n", plan, programs->nr);
    strvec_push(&programs->argv, path);
    programs->nr++;
    free(path);
    buf_release(&file);
}

static bool runs_quietly(const struct strvec *argv)
{
    struct spawn_request request = {.argv = (const char *const *)argv->v,
                                    .timeout_s = PATIENCE_S};
    struct spawn_outcome outcome = {0};
    struct error err = {0};
    bool ok = check_ok(spawn_run(&request, &outcome, &err), &err) &&
              check_str(buf_str(&outcome.err), "") &&
              check_str(buf_str(&outcome.out), "") &&
              check(outcome.end == SPAWN_EXITED && !outcome.code);

    spawn_outcome_release(&outcome);
    return ok;
}

void programs_build(struct programs *programs, const char *main)
{
    struct error err = {0};
    struct strvec run = {0};

    if (ONLY_OWN_CODE)
        return;
    char *source = path_join(programs->dir, "main.c"),
         *program = path_join(programs->dir, "program");

    check_ok(file_write(source, main, strlen(main), &err), &err);
    strvec_push(&programs->argv, source);
    strvec_push(&programs->argv, "-o");
    strvec_push(&programs->argv, program);
    strvec_push(&programs->argv, "-lm");
    strvec_push(&run, program);
    if (runs_quietly(&programs->argv))
        runs_quietly(&run);
    strvec_release(&run);
    free(source);
    free(program);
}

void programs_run(struct programs *programs, const char *header, const char *argument)
{
    struct buf text = {0};

    buf_addf(&text,
             "#include \"%s\"\n%sint main(void)\n{\n    static const struct variant "
             "variants[] = {\n%s    };\n    return run_all(variants, %zu, %s);\n}\n",
             header, buf_str(&programs->main), buf_str(&programs->table), programs->nr,
             argument);
    programs_build(programs, buf_str(&text));
    buf_release(&text);
}
