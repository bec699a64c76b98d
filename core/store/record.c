#include "core/store/record.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base.h"

void record_put(struct record *record, struct record_machine *machine)
{
    struct record_machine *old = record_find(record, &machine->cpu);
    if (old) {
        record_machine_release(old);
    } else {
        GROW(record->machine, record->machine_nr + 1, record->machine_alloc);
        old = &record->machine[record->machine_nr++];
    }
    *old = *machine;
    *machine = (struct record_machine){0};
}

/* ---- names ---- */

/* Behind the last dot of a C or C++ file's name, with it; "" of others. */
static const char *source_ending(const char *source)
{
    static const char *const endings[] = {".c", ".cc", ".cpp", ".cxx", ".c++", ".C"};
    const char *dot = strrchr(path_base(source), '.');
    for (size_t i = 0; dot && i < ARRAY_SIZE(endings); i++)
        if (!strcmp(dot, endings[i]))
            return dot;
    return "";
}

static size_t stem_length(const char *source)
{
    return strlen(source) - strlen(source_ending(source));
}

/* Letters and digits of `text` in lower case, the rest as one dot each. */
static void add_word(struct buf *out, const char *text)
{
    for (; *text; text++) {
        char c = (char)tolower((unsigned char)*text);
        buf_add_n(out, isalnum((unsigned char)c) ? &c : ".", 1);
    }
}

static const char *vendor_word(const char *vendor)
{
    static const char *const words[][2] = {{"AuthenticAMD", "amd"},
                                           {"GenuineIntel", "intel"},
                                           {"HygonGenuine", "hygon"},
                                           {"CentaurHauls", "centaur"}};
    for (size_t i = 0; i < ARRAY_SIZE(words); i++)
        if (!strcmp(vendor, words[i][0]))
            return words[i][1];
    return vendor;
}

char *record_cpu_word(const struct record_cpu *cpu)
{
    struct buf out = {0};
    bool arm = !strcmp(cpu->architecture, "aarch64");
    add_word(&out, arm ? "arm" : vendor_word(cpu->vendor));
    buf_add(&out, "-");
    add_word(&out, cpu->family);
    buf_add(&out, "-");
    add_word(&out, cpu->model);
    return buf_detach(&out);
}

char *record_code_name(const char *source, const struct record_cpu *cpu)
{
    const char *base = path_base(source), *ending = source_ending(source);
    char *word = record_cpu_word(cpu),
         *name = xasprintf("%.*s.inflight.%s%s", (int)stem_length(base), base, word,
                           *ending ? ending : ".c");
    free(word);
    return name;
}

/* ---- writing ---- */

char *record_beside(const char *path, const char *name)
{
    size_t length = (size_t)(path_base(path) - path);
    return xasprintf("%.*s%s", (int)length, path, name);
}

/* What stood there comes back; what was not there goes. */
static void restore(const char *path, bool was_there, const struct buf *old)
{
    if (was_there)
        file_write(path, buf_str(old), old->length, NULL);
    else
        unlink(path);
}

static int write_both(const char *path, const char *text, const char *code_path,
                      const struct buf *code, struct error *err)
{
    struct buf old = {0};
    bool was_there = file_exists(code_path);
    if (was_there && file_read(code_path, &old, err)) {
        buf_release(&old);
        return -1;
    }
    int status = file_write(code_path, buf_str(code), code->length, err);
    if (!status && (status = file_write(path, text, strlen(text), err)))
        restore(code_path, was_there, &old);
    buf_release(&old);
    return status;
}

int record_write(const char *path, const struct record *record, const char *code_name,
                 const struct buf *code, const char *stale, struct error *err)
{
    char *text = record_text(record);
    char *code_path = code ? record_beside(path, code_name) : NULL;
    int status = code ? write_both(path, text, code_path, code, err)
                      : file_write(path, text, strlen(text), err);
    if (!status && stale) {
        char *old = record_beside(path, stale);
        unlink(old);
        free(old);
    }
    free(code_path);
    free(text);
    return status;
}
