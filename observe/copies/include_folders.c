/* The -I that a source was compiled with, as far as it needs them: debug information
 * does not keep folders of headers, but where the headers were found. */
#include "observe/copies/copies.h"

#include <stdlib.h>
#include <string.h>

#include "core/code/code.h"
#include "core/files/fs.h"

struct includes {
    const struct strvec *headers; /* that the compiler read */
    struct strvec seen;           /* files that were looked through */
    struct strvec *folders;
};

/* "common/app.h" of a line #include "common/app.h" or <...>; NULL = it is none. Caller
 * frees. */
static char *included_name(const char *line, bool *quoted)
{
    line += strspn(line, " \t");
    if (*line++ != '#')
        return NULL;
    line += strspn(line, " \t");
    if (strncmp(line, "include", 7))
        return NULL;
    line += 7 + strspn(line + 7, " \t");
    *quoted = *line == '"';
    if (*line != '"' && *line != '<')
        return NULL;
    return xstrndup(line + 1, strcspn(line + 1, *quoted ? "\"\n" : ">\n"));
}

static void look_through(struct includes *includes, const char *path);

static bool lies_beside(struct includes *includes, const char *path, const char *name)
{
    char *folder = xstrndup(path, (size_t)(path_base(path) - path)),
         *beside = xasprintf("%s%s", folder, name);
    bool found = file_exists(beside);
    if (found)
        look_through(includes, beside);
    free(beside);
    free(folder);
    return found;
}

/* The header whose path ends in that name tells the folder. */
static void find_folder(struct includes *includes, const char *name)
{
    size_t length = strlen(name);
    for (size_t i = 0; i < includes->headers->nr; i++) {
        const char *header = includes->headers->v[i];
        size_t whole = strlen(header);
        if (whole <= length + 1 || header[whole - length - 1] != '/' ||
            strcmp(header + whole - length, name))
            continue;
        char *folder = xstrndup(header, whole - length - 1);
        if (strncmp(folder, "/usr/", 5))
            strvec_push_once(includes->folders, folder);
        free(folder);
        look_through(includes, header);
        return;
    }
}

static void look_through(struct includes *includes, const char *path)
{
    struct buf text = {0};
    if (strvec_has(&includes->seen, path) || !strncmp(path, "/usr/", 5))
        return;
    strvec_push(&includes->seen, path);
    if (file_read(path, &text, NULL) == 0)
        for (const char *line = buf_str(&text); *line;) {
            bool quoted = false;
            char *name = included_name(line, &quoted);
            if (name && !(quoted && lies_beside(includes, path, name)))
                find_folder(includes, name);
            free(name);
            line += strcspn(line, "\n");
            line += *line == '\n';
        }
    buf_release(&text);
}

void included_folders(const char *source, const struct strvec *headers,
                      struct strvec *folders)
{
    struct includes includes = {headers, {0}, folders};
    look_through(&includes, source);
    strvec_release(&includes.seen);
}

void program_include_folders(const char *program, const char *source,
                             struct strvec *folders)
{
    struct strvec headers = {0};
    source_headers(program, source, &headers);
    included_folders(source, &headers, folders);
    strvec_release(&headers);
}
