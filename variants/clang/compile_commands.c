/* Compile flags from a compile_commands.json. */
#define _XOPEN_SOURCE 700 /* realpath */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base.h"
#include "core/files/json.h"
#include "variants/clang/clang.h"

/* ---- which flags are taken ---- */

/* What changes the meaning of the source and not how it is optimised. */
static const char *const taken_prefixes[] = {"-D", "-U", "-std="};
static const char *const taken_words[] = {
    "-ansi",
    "-pthread",
    "-m32",
    "-m64",
    "-mx32",
    "-funsigned-char",
    "-fsigned-char",
    "-fshort-enums",
    "-fwrapv",
    "-fno-strict-aliasing",
    "-fno-math-errno",
    "-ffast-math",
    "-Ofast",
    "-fms-extensions",
    "-fplan9-extensions",
    "-fgnu89-inline",
    "-fno-exceptions",
    "-fno-rtti",
    "-fpermissive",
    "-fchar8_t",
    "-fno-char8_t",
    "-fconcepts",
};
static const char *const folder_flags[] = {"-isystem", "-iquote",  "-idirafter",
                                           "-include", "-imacros", "-I"};

static bool is_taken(const char *flag)
{
    for (size_t i = 0; i < ARRAY_SIZE(taken_words); i++)
        if (strcmp(flag, taken_words[i]) == 0)
            return true;
    for (size_t i = 0; i < ARRAY_SIZE(taken_prefixes); i++)
        if (strncmp(flag, taken_prefixes[i], strlen(taken_prefixes[i])) == 0)
            return true;
    return false;
}

/* As all compilers spell it. */
static bool is_openmp(const char *flag)
{
    return strcmp(flag, "-fopenmp") == 0 || text_begins(flag, "-fopenmp=");
}

static const char *folder_flag(const char *flag)
{
    for (size_t i = 0; i < ARRAY_SIZE(folder_flags); i++)
        if (strncmp(flag, folder_flags[i], strlen(folder_flags[i])) == 0)
            return folder_flags[i];
    return NULL;
}

static char *absolute(const char *dir, const char *path)
{
    return path[0] == '/' || !dir ? xstrdup(path) : path_join(dir, path);
}

/* CMake's precompiled headers are told to clang so: -Xclang -include -Xclang FILE. */
static void without_carriers(const struct strvec *command, struct strvec *words)
{
    for (size_t i = 0; i < command->nr; i++)
        if (strcmp(command->v[i], "-Xclang") != 0)
            strvec_push(words, command->v[i]);
}

/* Folders of the database are searched behind those given by hand; its other flags come
 * first, so that a later -D or -std wins. */
static void filter(const struct strvec *command, const char *dir, struct strvec *first,
                   struct strvec *folders)
{
    for (size_t i = 1; i < command->nr; i++) {
        const char *flag = command->v[i], *folder = folder_flag(flag);
        bool more = i + 1 < command->nr;
        if (strcmp(flag, "-include-pch") == 0) {
            i++;
        } else if (folder) {
            const char *given = flag + strlen(folder);
            if (!*given && !more)
                return;
            char *path = absolute(dir, *given ? given : command->v[++i]);
            strvec_push(folders, folder);
            strvec_push(folders, path);
            free(path);
        } else if ((strcmp(flag, "-D") == 0 || strcmp(flag, "-U") == 0) && more) {
            strvec_pushf(first, "%s%s", flag, command->v[i + 1]);
            i++;
        } else if (is_openmp(flag)) {
            strvec_push(first, "-fopenmp");
        } else if (is_taken(flag)) {
            strvec_push(first, flag);
        }
    }
}

/* ---- entries ---- */

static bool is_same_file(const char *dir, const char *file, const char *real)
{
    char *path = absolute(dir, file), *resolved = realpath(path, NULL);
    bool same = resolved && strcmp(resolved, real) == 0;
    free(path);
    free(resolved);
    return same;
}

static int read_arguments(const struct json_at *entry, struct strvec *command,
                          struct error *err)
{
    const char *text;
    if (json_has(entry, "arguments"))
        return json_strings_at(entry, "arguments", command, err);
    if (json_string_at(entry, "command", &text, err) < 0)
        return -1;
    strvec_split(command, text);
    return 0;
}

struct lookup {
    const char *source, *real; /* as given; with links resolved */
    bool included;             /* a file that includes it is looked for instead */
    struct strvec first, folders;
    char *found; /* the database */
};

/* ---- headers, which are compiled as part of others ---- */

/* The file that an #include line, which begins there, names; NULL = it is none. Caller
 * frees. */
static char *file_of_include(const char *line)
{
    line += strspn(line, " \t");
    if (*line != '#')
        return NULL;
    line++;
    line += strspn(line, " \t");
    if (!text_begins(line, "include"))
        return NULL;
    line += strlen("include");
    line += strspn(line, " \t");
    if (*line != '"' && *line != '<')
        return NULL;
    return xstrndup(line + 1, strcspn(line + 1, "\">\n"));
}

/* By its name; headers that it includes are followed where they lie beside it. */
static bool includes(const char *path, const char *name, size_t depth)
{
    enum { DEPTH_MAX = 6 };
    struct buf text = {0};
    bool found = false;
    if (depth < DEPTH_MAX && file_read(path, &text, NULL) == 0)
        for (const char *at = buf_str(&text); !found && *at;) {
            char *file = file_of_include(at);
            const char *base = file ? path_base(file) : NULL;
            if (file) {
                char *folder = path_folder(path), *next = path_join(folder, file);
                found = !strcmp(base, name) || includes(next, name, depth + 1);
                free(next);
                free(folder);
            }
            free(file);
            at += strcspn(at, "\n");
            at += *at == '\n';
        }
    buf_release(&text);
    return found;
}

static bool is_part_of(const struct lookup *lookup, const char *dir, const char *file)
{
    char *path = absolute(dir, file);
    bool part = includes(path, path_base(lookup->real), 0);
    free(path);
    return part;
}

static void take_command(struct lookup *lookup, const struct strvec *command,
                         const char *dir)
{
    struct strvec words = {0};
    without_carriers(command, &words);
    if (cxx_is_command(&words) && !cxx_is_source(lookup->source, NULL))
        strvec_push(&lookup->first, "-xc++");
    filter(&words, dir, &lookup->first, &lookup->folders);
    strvec_release(&words);
}

static int read_entry(struct lookup *lookup, const struct json_at *entry,
                      const char *database, struct error *err)
{
    struct strvec command = {0};
    const char *dir, *file;
    if (json_string_at(entry, "directory", &dir, err) < 0 ||
        json_string_at(entry, "file", &file, err) < 0)
        return -1;
    if (lookup->included ? !is_part_of(lookup, dir, file)
                         : !is_same_file(dir, file, lookup->real))
        return 0;
    lookup->found = xstrdup(database);
    int status = read_arguments(entry, &command, err);
    if (status == 0)
        take_command(lookup, &command, dir);
    strvec_release(&command);
    return status;
}

static int read_database(struct lookup *lookup, const char *path, bool is_named,
                         struct error *err)
{
    json_t *root = NULL;
    struct buf text = {0};
    int status = is_named ? file_read(path, &text, err)
                          : file_read_found(path, lookup->real, &text, err);
    if (!status)
        status = json_read_text(buf_str(&text), path, NULL, &root, err);
    buf_release(&text);
    struct json_at top = json_top(path, root);
    if (!status && !json_is_array(root))
        status = json_fail(&top, err, "expected a list of compile commands");
    for (int included = 0; included < 2; included++) {
        lookup->included = included;
        for (size_t i = 0; status == 0 && !lookup->found && i < json_array_size(root);
             i++) {
            struct json_at entry = json_element(&top, i);
            status = read_entry(lookup, &entry, path, err);
        }
    }
    json_decref(root);
    return status;
}

/* ---- where the database is ---- */

/* Beside the file, in the folders above it, and in their build/. */
static int look_upward(struct lookup *lookup, const char *from, struct error *err)
{
    static const char *const names[] = {"compile_commands.json",
                                        "build/compile_commands.json"};
    char *dir = xstrdup(from), *slash;
    int status = 0;
    while (status == 0 && !lookup->found && (slash = strrchr(dir, '/'))) {
        *slash = '\0';
        for (size_t i = 0; status == 0 && !lookup->found && i < ARRAY_SIZE(names); i++) {
            char *path = xasprintf("%s/%s", dir, names[i]);
            if (access(path, F_OK) == 0)
                status = read_database(lookup, path, false, err);
            free(path);
        }
    }
    free(dir);
    return status;
}

static int look_around(struct lookup *lookup, const char *program, struct error *err)
{
    char *real = program ? realpath(program, NULL) : NULL;
    int status = look_upward(lookup, lookup->real, err);
    if (!status && real)
        status = look_upward(lookup, real, err);
    free(real);
    return status;
}

static int look(struct lookup *lookup, const char *database, const char *program,
                struct error *err)
{
    if (!database)
        return look_around(lookup, program, err);
    if (read_database(lookup, database, true, err) < 0)
        return -1;
    if (!lookup->found)
        return fail(err, STATUS_INPUT,
                    "%s: '%s' is not among the files that are compiled there, nor "
                    "included by one of them; give its "
                    "flags after --",
                    database, lookup->source);
    return 0;
}

static void add_flags(const struct lookup *lookup, const struct strvec *own,
                      struct strvec *flags)
{
    strvec_push_all(flags, &lookup->first);
    strvec_push_all(flags, own);
    strvec_push_all(flags, &lookup->folders);
}

static void lookup_release(struct lookup *lookup)
{
    strvec_release(&lookup->first);
    strvec_release(&lookup->folders);
    free(lookup->found);
}

int compile_commands_flags(const char *database, const char *source, const char *program,
                           const struct strvec *own, struct strvec *flags, char **found,
                           struct error *err)
{
    struct lookup lookup = {.source = source};
    char *real = realpath(source, NULL);
    int status = 0;
    lookup.real = real;
    bool wanted = !database || strcmp(database, "none") != 0;
    if (found)
        *found = NULL;
    if (real && wanted)
        status = look(&lookup, database, program, err);
    if (status == 0) {
        add_flags(&lookup, own, flags);
        if (found)
            *found = xstrdup(lookup.found);
    }
    lookup_release(&lookup);
    free(real);
    return status;
}

void command_flags(const struct strvec *command, const char *dir, const char *source,
                   const struct strvec *own, struct strvec *flags)
{
    struct lookup lookup = {.source = source};
    take_command(&lookup, command, dir);
    add_flags(&lookup, own, flags);
    lookup_release(&lookup);
}
