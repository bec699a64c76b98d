/* A watched build: the folder in front of PATH, and what was written down in it. */
#define _XOPEN_SOURCE 700 /* realpath */
#include "observe/build/build_watch.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base.h"
#include "core/files/json.h"
#include "observe/build/build_seen.h"
#include "observe/build/products.h"

void build_watch_release(struct build_watch *watch)
{
    free(watch->folder);
    strvec_release(&watch->env);
    *watch = (struct build_watch){0};
}

void build_seen_release(struct build_seen *seen)
{
    free(seen->database);
    free(seen->note);
    *seen = (struct build_seen){0};
}

/* ---- names of compilers ---- */

/* "gcc" of "x86_64-linux-gnu-gcc-12": without a version, and behind the last dash. */
static char *kind_of(const char *name)
{
    size_t length = strlen(name), end = length;
    while (end && (isdigit((unsigned char)name[end - 1]) || name[end - 1] == '.'))
        end--;
    if (end < length && end && name[end - 1] == '-')
        length = end - 1;
    size_t from = length;
    while (from && name[from - 1] != '-')
        from--;
    return xstrndup(name + from, length - from);
}

static bool is_compiler(const char *name)
{
    static const char *const known[] = {
        "cc",  "gcc", "c89", "c99",     "clang", "icc",  "icx",   "nvc",
        "tcc", "c++", "g++", "clang++", "icpc",  "icpx", "nvc++", BUILD_LAUNCHERS,
    };
    char *kind = kind_of(name);
    bool is_known = false;
    for (size_t i = 0; i < ARRAY_SIZE(known); i++)
        is_known = is_known || strcmp(kind, known[i]) == 0;
    free(kind);
    return is_known;
}

/* ---- before the build ---- */

static int link_to(const char *target, const char *folder, const char *name,
                   struct error *err)
{
    char *path = path_join(folder, name);
    int status = symlink(target, path) == 0 || errno == EEXIST
                     ? 0
                     : fail(err, STATUS_FAILED, "cannot make the link '%s': %s", path,
                            strerror(errno));
    free(path);
    return status;
}

static int link_those_in(const char *entry, const char *bin, struct error *err)
{
    DIR *dir = opendir(entry);
    int status = 0;
    for (struct dirent *one; dir && !status && (one = readdir(dir));) {
        char *path = path_join(entry, one->d_name);
        if (is_compiler(one->d_name) && file_exists(path) && access(path, X_OK) == 0)
            status = link_to("../" BUILD_FRONT, bin, one->d_name, err);
        free(path);
    }
    if (dir)
        closedir(dir);
    return status;
}

static int link_all(const char *path, const char *bin, struct error *err)
{
    int status = 0;
    for (const char *at = path; at && !status;
         at = strchr(at, ':') ? strchr(at, ':') + 1 : NULL) {
        char *entry = xstrndup(at, strcspn(at, ":"));
        status = link_those_in(*entry ? entry : ".", bin, err);
        free(entry);
    }
    return status;
}

/* $CC is "/opt/gcc/bin/gcc -m64": a folder of its own tells whom its link stands for. */
static int front_named(struct build_watch *watch, const char *variable, struct error *err)
{
    const char *value = getenv(variable);
    if (!value || value[0] != '/' || strpbrk(value, "\"'\\`$") ||
        strpbrk(watch->folder, " \t\"'\\`$;&|<>()*?#~"))
        return 0; /* the shell or make would take it apart otherwise */
    size_t length = strcspn(value, " \t");
    char *real = xstrndup(value, length), *folder = path_join(watch->folder, variable);
    int status = 0;
    if (file_exists(real) && access(real, X_OK) == 0) {
        status = dir_make_all(folder, err);
        if (!status)
            status = link_to("../" BUILD_FRONT, folder, path_base(real), err);
        if (!status)
            status = link_to(real, folder, BUILD_NAMED, err);
        strvec_pushf(&watch->env, "%s=%s/%s%s", variable, folder, path_base(real),
                     value + length);
    }
    free(real);
    free(folder);
    return status;
}

/* A copy, whose place says which watch it is of. */
static int copy_front(const char *folder, struct timespec *made, struct error *err)
{
    struct stat about;
    char *from = helper_path(BUILD_FRONT), *to = path_join(folder, BUILD_FRONT);
    struct buf bytes = {0};
    int status = 0;
    if (!from)
        status =
            fail(err, STATUS_MISSING,
                 BUILD_FRONT " is not where inflight is installed; install it again");
    if (!status)
        status = file_read(from, &bytes, err);
    if (!status)
        status = file_write(to, bytes.data, bytes.length, err);
    if (!status && (chmod(to, S_IRWXU) || access(to, X_OK)))
        status = fail(err, STATUS_MISSING,
                      "no program can be started in '%s', so that a build cannot be "
                      "watched from there; set TMPDIR to another folder",
                      folder);
    if (!status && stat(to, &about) == 0)
        *made = about.st_mtim;
    buf_release(&bytes);
    free(from);
    free(to);
    return status;
}

int build_watch_begin(const char *folder, struct build_watch *watch, struct error *err)
{
    static const char *const variable[] = {"CC",       "CXX",      "OMPI_CC",
                                           "OMPI_CXX", "MPICH_CC", "MPICH_CXX"};
    const char *set = getenv("PATH"), *path = set ? set : "/bin:/usr/bin";
    *watch = (struct build_watch){.folder = path_absolute(folder)};
    char *bin = path_join(watch->folder, "bin");
    int status = 0;
    if (strchr(bin, ':'))
        status = fail(err, STATUS_MISSING,
                      "'%s' has a colon in its name and cannot stand in PATH; set TMPDIR "
                      "to another folder",
                      bin);
    if (!status)
        status = dir_make_all(bin, err);
    if (!status)
        status = copy_front(watch->folder, &watch->began, err);
    if (!status)
        status = link_all(path, bin, err);
    strvec_pushf(&watch->env, "PATH=%s:%s", bin, path);
    for (size_t i = 0; i < ARRAY_SIZE(variable) && !status; i++)
        status = front_named(watch, variable[i], err);
    free(bin);
    if (status)
        build_watch_release(watch);
    return status;
}

/* ---- what was written down ---- */

struct record {
    char *directory, *compiler;
    bool debug_added;
    struct strvec source, word;
};

static void record_release(struct record *record)
{
    free(record->directory);
    free(record->compiler);
    strvec_release(&record->source);
    strvec_release(&record->word);
    *record = (struct record){0};
}

/* The next text of the file; NULL = it ends before. */
static const char *next_text(const char **at, const char *end)
{
    const char *text = *at, *zero = memchr(text, 0, (size_t)(end - text));
    if (!zero)
        return NULL;
    *at = zero + 1;
    return text;
}

static bool next_texts(const char **at, const char *end, struct strvec *list)
{
    const char *nr = next_text(at, end);
    for (long i = 0, all = nr ? strtol(nr, NULL, 10) : -1; i < all; i++) {
        const char *text = next_text(at, end);
        if (!text)
            return false;
        strvec_push(list, text);
    }
    return nr != NULL;
}

/* Half a one at the end, of a full disk, is none. */
static bool next_record(const char **at, const char *end, struct record *record)
{
    const char *directory = next_text(at, end),
               *compiler = directory ? next_text(at, end) : NULL,
               *added = compiler ? next_text(at, end) : NULL;
    if (!added || !next_texts(at, end, &record->source) ||
        !next_texts(at, end, &record->word))
        return false;
    record->directory = xstrdup(directory);
    record->compiler = xstrdup(compiler);
    record->debug_added = *added == '1';
    return true;
}

/* ---- the database ---- */

struct writing {
    const char *copy, *own;
    char *real_copy; /* without links: as compilers are told where they are */
    json_t *entries;
    struct build_seen *seen;
};

/* Of a path in the copy, the same in the tree that it is a copy of; NULL = it is
 * elsewhere. Caller frees. */
static char *own_path(const struct writing *writing, const char *path)
{
    const char *const root[] = {writing->copy, writing->real_copy};
    for (size_t i = 0; writing->own && i < ARRAY_SIZE(root); i++) {
        size_t length = root[i] ? strlen(root[i]) : 0;
        if (length && !strncmp(path, root[i], length) &&
            (!path[length] || path[length] == '/'))
            return xasprintf("%s%s", writing->own, path + length);
    }
    return NULL;
}

static const char *folder_flag(const char *word)
{
    static const char *const flag[] = {"-isystem", "-iquote", "-idirafter", "-I"};
    for (size_t i = 0; i < ARRAY_SIZE(flag); i++)
        if (text_begins(word, flag[i]))
            return flag[i];
    return NULL;
}

static bool is_header(const char *name)
{
    static const char *const ending[] = {".h",   ".hh",  ".hpp", ".hxx", ".H", ".inc",
                                         ".ipp", ".tcc", ".def", ".inl", ".c"};
    const char *dot = strrchr(name, '.');
    for (size_t i = 0; dot && i < ARRAY_SIZE(ending); i++)
        if (strcmp(dot, ending[i]) == 0)
            return true;
    return false;
}

/* Whether a build has made headers in the folder `copy` that are not in `own`. */
static bool has_more_headers(const char *copy, const char *own)
{
    DIR *dir = opendir(copy);
    bool more = false;
    for (struct dirent *one; dir && !more && (one = readdir(dir));) {
        char *there = path_join(own, one->d_name);
        more = is_header(one->d_name) && !file_exists(there);
        free(there);
    }
    if (dir)
        closedir(dir);
    return more;
}

/* A folder of headers: the own tree's first, the copy's where that has more. */
static void push_folder(const struct writing *writing, const char *flag,
                        const char *folder, const char *directory, struct strvec *words)
{
    char *path = path_join(directory, folder), *own = own_path(writing, path);
    bool has_own = own && dir_exists(own);
    if (has_own) {
        strvec_push(words, flag);
        strvec_push(words, own);
    }
    if (!has_own || has_more_headers(path, own)) {
        strvec_push(words, flag);
        strvec_push(words, path);
    }
    free(own);
    free(path);
}

/* A file named by -include and the like: the own tree's where it is there. */
static void push_file(const struct writing *writing, const char *word,
                      const char *directory, struct strvec *words)
{
    char *path = path_join(directory, word), *own = own_path(writing, path);
    strvec_push(words, own && file_exists(own) ? own : path);
    free(own);
    free(path);
}

/* The words for the same source in the tree that was copied. */
static void map_words(const struct writing *writing, const struct record *record,
                      const char *source, struct strvec *words)
{
    const struct strvec *word = &record->word;
    for (size_t i = 1; i < word->nr; i++) {
        const char *flag = folder_flag(word->v[i]);
        char *own = own_path(writing, word->v[i]);
        if (flag && (word->v[i][strlen(flag)] || i + 1 < word->nr)) {
            const char *behind = word->v[i] + strlen(flag);
            push_folder(writing, flag, *behind ? behind : word->v[++i], record->directory,
                        words);
        } else if ((!strcmp(word->v[i], "-include") || !strcmp(word->v[i], "-imacros")) &&
                   i + 1 < word->nr) {
            strvec_push(words, word->v[i++]);
            push_file(writing, word->v[i], record->directory, words);
        } else {
            strvec_push(words, own ? own : word->v[i]);
        }
        free(own);
    }
    /* Headers beside the source that the build has made. */
    char *path = path_join(record->directory, source), *folder = path_folder(path);
    char *own = own_path(writing, folder);
    if (own && has_more_headers(folder, own)) {
        strvec_push(words, "-iquote");
        strvec_push(words, folder);
    }
    free(own);
    free(folder);
    free(path);
}

static void add_entry(struct writing *writing, const char *directory, const char *file,
                      const char *compiler, char *const *word, size_t nr)
{
    json_t *words = json_array(), *entry;
    json_array_append_new(words, json_string(compiler));
    for (size_t i = 0; i < nr; i++)
        json_array_append_new(words, json_string(word[i]));
    /* NULL where a text is no UTF-8 */
    entry = json_array_size(words) == nr + 1
                ? json_pack("{s:s, s:s, s:O}", "directory", directory, "file", file,
                            "arguments", words)
                : NULL;
    if (entry)
        json_array_append_new(writing->entries, entry);
    json_decref(words);
}

/* The one of `own`, whose folders may not be there: a folder for objects. */
static void add_own_entry(struct writing *writing, const struct record *record,
                          const char *source)
{
    char *path = path_join(record->directory, source), *file = own_path(writing, path),
         *directory = own_path(writing, record->directory);
    struct strvec words = {0};
    if (file && file_exists(file)) {
        map_words(writing, record, source, &words);
        add_entry(writing, directory && dir_exists(directory) ? directory : writing->own,
                  file, record->compiler, words.v, words.nr);
    }
    strvec_release(&words);
    free(directory);
    free(file);
    free(path);
}

static bool is_there(const struct record *record, const char *source)
{
    char *path = path_join(record->directory, source);
    bool there = file_exists(path);
    free(path);
    return there;
}

static void add_record(struct writing *writing, const struct record *record)
{
    for (size_t i = 0; i < record->source.nr; i++) {
        const char *source = record->source.v[i];
        if (!is_there(record, source)) /* tried out, and gone */
            continue;
        writing->seen->compilations++;
        writing->seen->debug_added += record->debug_added;
        add_own_entry(writing, record, source);
        add_entry(writing, record->directory, source, record->compiler,
                  record->word.v + 1, record->word.nr - 1);
    }
}

/* What a source's object is called; "" = not said. */
static const char *output_of(const struct record *record)
{
    for (size_t i = 1; i < record->word.nr; i++)
        if (text_begins(record->word.v[i], "-o"))
            return record->word.v[i][2]      ? record->word.v[i] + 2
                   : i + 1 < record->word.nr ? record->word.v[i + 1]
                                             : "";
    return "";
}

static bool is_same_list(const struct strvec *a, const struct strvec *b)
{
    bool same = a->nr == b->nr;
    for (size_t i = 0; i < a->nr && same; i++)
        same = strcmp(a->v[i], b->v[i]) == 0;
    return same;
}

/* The same sources compiled once more: in a later build, or by the compiler that a script
 * of this name calls, which knows better. */
static bool is_done_again(const struct record *record, size_t at, size_t nr)
{
    for (size_t i = at + 1; i < nr; i++)
        if (strcmp(record[at].directory, record[i].directory) == 0 &&
            is_same_list(&record[at].source, &record[i].source) &&
            strcmp(output_of(&record[at]), output_of(&record[i])) == 0)
            return true;
    return false;
}

static void add_records(struct writing *writing, const struct buf *text)
{
    struct record *record = NULL;
    size_t nr = 0, alloc = 0;
    const char *at = buf_str(text), *end = at + text->length;
    struct record one = {0};
    while (next_record(&at, end, &one)) {
        GROW(record, nr + 1, alloc);
        record[nr++] = one;
        one = (struct record){0};
    }
    record_release(&one);
    for (size_t i = 0; i < nr; i++)
        if (!is_done_again(record, i, nr))
            add_record(writing, &record[i]);
    for (size_t i = 0; i < nr; i++)
        record_release(&record[i]);
    free(record);
}

/* ---- after the build ---- */

static char *nothing_seen(const struct build_watch *watch, const char *copy)
{
    char *called = path_join(watch->folder, BUILD_CALLED),
         *product =
             copy && !file_exists(called) ? products_newer(copy, &watch->began) : NULL,
         *note;
    if (product)
        note = xasprintf("the build calls its compiler by an absolute path ('%s' is new "
                         "and no compiler of PATH was called), so its flags are not "
                         "known: let it call the compiler by name, such as CC=gcc",
                         product);
    else
        note = xstrdup("the build compiled nothing, so its flags are not known: all was "
                       "up to date, or its command compiles nothing");
    free(product);
    free(called);
    return note;
}

int build_watch_end(const struct build_watch *watch, const char *copy, const char *own,
                    struct build_seen *seen, struct error *err)
{
    char *path = path_join(watch->folder, BUILD_SEEN),
         *database = path_join(watch->folder, "compile_commands.json");
    struct buf text = {0};
    *seen = (struct build_seen){0};
    struct writing writing = {.copy = copy,
                              .own = own,
                              .real_copy = copy ? realpath(copy, NULL) : NULL,
                              .entries = json_array(),
                              .seen = seen};
    int status = file_exists(path) ? file_read(path, &text, err) : 0;
    if (!status)
        add_records(&writing, &text);
    if (!status && json_array_size(writing.entries)) {
        status = json_write_file(database, writing.entries, err);
        seen->database = xstrdup(database);
    } else if (!status) {
        seen->note = nothing_seen(watch, copy);
    }
    if (status)
        build_seen_release(seen);
    json_decref(writing.entries);
    free(writing.real_copy);
    buf_release(&text);
    free(database);
    free(path);
    return status;
}
