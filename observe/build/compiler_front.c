/*
 * inflight-compiler: stands in front of the compilers of a build that is watched
 * (build_watch.c), under their names, in the first folder of PATH. Writes down what is
 * compiled with what, adds -g where no debug information was asked for, and becomes the
 * compiler that would have been started without it, with the PATH that it would have had.
 */
#define _XOPEN_SOURCE 700
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/array.h"
#include "core/base/buf.h"
#include "core/base/text.h"
#include "observe/build/build_seen.h"

struct front {
    char *folder;         /* of the watch */
    char *real;           /* what is started instead of us */
    bool is_script;       /* that calls a compiler in turn, which is of interest too */
    char *compiler;       /* the same, behind a launcher the one that it is given */
    char *path;           /* PATH without us; NULL = there is none */
    size_t first;         /* of argv: the compiler, 1 behind a launcher such as ccache */
    struct strvec word;   /* of the command from there on, files of options read in */
    struct strvec source; /* that are compiled to code */
    bool compiles;        /* something of a language, also headers */
    bool has_debug;       /* -g, or -g0, was asked for */
    bool is_text;         /* -S: others may read it */
    bool adds_debug;      /* so that the project did not ask for it */
    bool has_ours;        /* our -g is there: from a script that we called */
};

static bool is_one_of(const char *word, const char *const *list, size_t nr)
{
    for (size_t i = 0; i < nr; i++)
        if (strcmp(word, list[i]) == 0)
            return true;
    return false;
}

/* ---- files of options ---- */

/* Deeper ones name each other. */
enum { depth_max = 20 };

/* As gcc and clang read them: a backslash stands before any character, in quotes too. */
static void split_options(const char *text, struct strvec *word)
{
    struct buf one = {0};
    while (*(text += strspn(text, " \t\n\r\f\v"))) {
        char quote = 0;
        buf_reset(&one);
        for (; *text && (quote || !isspace((unsigned char)*text)); text++) {
            if (*text == '\\' && text[1])
                buf_add_n(&one, ++text, 1);
            else if (quote ? *text == quote : *text == '\'' || *text == '"')
                quote = quote ? 0 : *text;
            else
                buf_add_n(&one, text, 1);
        }
        strvec_push(word, buf_str(&one));
    }
    buf_release(&one);
}

static bool read_file(const char *path, struct buf *text)
{
    char bytes[4096];
    size_t nr;
    FILE *file = fopen(path, "r");
    while (file && (nr = fread(bytes, 1, sizeof(bytes), file)) > 0)
        buf_add_n(text, bytes, nr);
    bool is_read = file && !ferror(file);
    if (file)
        fclose(file);
    return is_read;
}

static void read_in(const char *word, int depth, struct strvec *out)
{
    struct buf text = {0};
    struct strvec inner = {0};
    if (word[0] != '@' || depth > depth_max || !read_file(word + 1, &text)) {
        strvec_push(out, word);
    } else {
        split_options(buf_str(&text), &inner);
        for (size_t i = 0; i < inner.nr; i++)
            read_in(inner.v[i], depth + 1, out);
    }
    strvec_release(&inner);
    buf_release(&text);
}

/* ---- what the command does ---- */

/* Words behind which another one belongs to them. */
static const char *const with_word[] = {
    "-o",
    "-I",
    "-D",
    "-U",
    "-L",
    "-l",
    "-T",
    "-u",
    "-e",
    "-z",
    "-h",
    "-A",
    "-B",
    "-F",
    "-G",
    "-MF",
    "-MT",
    "-MQ",
    "-MJ",
    "-include",
    "-imacros",
    "-isystem",
    "-iquote",
    "-idirafter",
    "-iprefix",
    "-iwithprefix",
    "-iwithprefixbefore",
    "-isysroot",
    "-imultilib",
    "-iframework",
    "-framework",
    "-include-pch",
    "-ivfsoverlay",
    "-Xlinker",
    "-Xassembler",
    "-Xpreprocessor",
    "-Xclang",
    "-Xanalyzer",
    "-Xopenmp-target",
    "-mllvm",
    "-arch",
    "-target",
    "-wrapper",
    "-aux-info",
    "-dumpbase",
    "-dumpbase-ext",
    "-dumpdir",
    "-working-directory",
    "--param",
    "--sysroot",
    "--serialize-diagnostics",
};

/* With one of these nothing is compiled to code. */
static const char *const without_code[] = {
    "-E",         "-M",        "-MM",          "-fsyntax-only",
    "-###",       "--version", "-dumpversion", "-dumpmachine",
    "-dumpspecs", "-cc1",      "-cc1as",       "-dumpfullversion",
};

static bool has_ending(const char *path, const char *const *ending, size_t nr)
{
    const char *dot = strrchr(path, '.');
    return dot && !strchr(dot, '/') && is_one_of(dot, ending, nr);
}

/* `language`: of -x; NULL = by the name. */
static bool is_source(const char *path, const char *language)
{
    static const char *const ending[] = {".c",   ".C",   ".cc",  ".cp",  ".cpp",
                                         ".CPP", ".cxx", ".c++", ".cppm"};
    return language ? !strcmp(language, "c") || !strcmp(language, "c++")
                    : has_ending(path, ending, ARRAY_SIZE(ending));
}

/* Precompiled headers must agree with their users about -g; text behind the preprocessor
 * comes from the users' own launchers. */
static bool is_other_text(const char *path, const char *language)
{
    static const char *const ending[] = {".i",   ".ii",  ".h",   ".hh", ".H",
                                         ".hpp", ".hxx", ".h++", ".tcc"};
    return language ? text_begins(language, "c-") || text_begins(language, "c++-") ||
                          text_begins(language, "cpp-")
                    : has_ending(path, ending, ARRAY_SIZE(ending));
}

/* A level of debug information, 0 among them, and not a detail of it as -gz. */
static bool is_debug(const char *word)
{
    static const char *const start[] = {"-ggdb", "-gdwarf", "-gstabs", "-gline-",
                                        "-gmlt", "-gctf",   "-gbtf"};
    if (strcmp(word, "-g") == 0 ||
        (text_begins(word, "-g") && isdigit((unsigned char)word[2])))
        return true;
    for (size_t i = 0; i < ARRAY_SIZE(start); i++)
        if (text_begins(word, start[i]))
            return true;
    return false;
}

/* Of configure, CMake and Meson: what is tried there is not the project's. */
static bool is_trial(const char *path)
{
    static const char *const part[] = {
        "/CMakeFiles/CMakeTmp", "/CMakeFiles/CMakeScratch", "/CMakeFiles/_CMakeLTOTest",
        "/CompilerIdC",         "/meson-private",
    };
    const char *slash = strrchr(path, '/');
    for (size_t i = 0; i < ARRAY_SIZE(part); i++)
        if (strstr(path, part[i]))
            return true;
    return text_begins(slash ? slash + 1 : path, "conftest.");
}

static void read_words(struct front *front, const char *here)
{
    const char *language = NULL;
    bool nothing = is_trial(here);
    for (size_t i = 1; i < front->word.nr; i++) {
        const char *word = front->word.v[i], *next = front->word.v[i + 1];
        nothing = nothing || text_begins(word, "-print-") ||
                  text_begins(word, "--help") ||
                  is_one_of(word, without_code, ARRAY_SIZE(without_code));
        front->has_debug = front->has_debug || is_debug(word);
        front->is_text = front->is_text || strcmp(word, "-S") == 0;
        if (text_begins(word, "-x")) {
            const char *named = word[2] ? word + 2 : next ? front->word.v[++i] : "none";
            language = strcmp(named, "none") == 0 ? NULL : named;
        } else if (is_one_of(word, with_word, ARRAY_SIZE(with_word)) && next) {
            nothing = nothing || (!strcmp(word, "-o") && !strcmp(next, "/dev/null"));
            i++;
        } else if (word[0] == '-' || !strcmp(word, "/dev/null")) {
            continue;
        } else if (is_trial(word)) {
            nothing = true;
        } else if (is_source(word, language)) {
            strvec_push(&front->source, word);
        } else {
            front->compiles = front->compiles || is_other_text(word, language);
        }
    }
    if (nothing)
        strvec_release(&front->source);
    front->compiles = !nothing && (front->compiles || front->source.nr);
}

/* ---- who is started ---- */

static bool is_same(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static bool is_program(const char *path, struct stat *about)
{
    return stat(path, about) == 0 && S_ISREG(about->st_mode) && access(path, X_OK) == 0;
}

/* `path`, a list as PATH, without our folder. */
static char *without_us(const struct front *front, const char *path)
{
    char *own = xasprintf("%s/bin", front->folder);
    struct stat folder, about;
    bool has_own = stat(own, &folder) == 0;
    struct buf rest = {0};
    for (const char *at = path; at; at = strchr(at, ':') ? strchr(at, ':') + 1 : NULL) {
        char *entry = xstrndup(at, strcspn(at, ":"));
        if (!has_own || stat(entry, &about) || !is_same(&about, &folder))
            buf_addf(&rest, "%s%s", rest.length ? ":" : "", entry);
        free(entry);
    }
    free(own);
    return buf_detach(&rest);
}

/* The first of that name in PATH which is neither we nor `but`; NULL = there is none. */
static char *search_path(const struct front *front, const char *name, const char *but)
{
    char *self = xasprintf("%s/" BUILD_FRONT, front->folder), *found = NULL;
    struct stat program, about;
    bool has_self = stat(self, &program) == 0;
    for (const char *at = front->path; at && !found;
         at = strchr(at, ':') ? strchr(at, ':') + 1 : NULL) {
        char *entry = xstrndup(at, strcspn(at, ":")),
             *file = xasprintf("%s/%s", *entry ? entry : ".", name);
        if (is_program(file, &about) && !(has_self && is_same(&about, &program)) &&
            (!but || strcmp(but, file) != 0))
            found = xstrdup(file);
        free(file);
        free(entry);
    }
    free(self);
    return found;
}

/* One that $CC named: the folder of the link says whom it stands for. */
static char *named_compiler(const char *called)
{
    const char *slash = strrchr(called, '/');
    char target[PATH_MAX];
    char *link = xasprintf("%.*s/" BUILD_NAMED, (int)(slash - called), called);
    ssize_t length = readlink(link, target, sizeof(target) - 1);
    free(link);
    return length > 0 ? xstrndup(target, (size_t)length) : NULL;
}

static bool is_ours(const struct front *front, const char *called)
{
    size_t length = strlen(front->folder);
    return strncmp(called, front->folder, length) == 0 && called[length] == '/';
}

/* The compiler that stands behind a name; NULL = there is none. */
static char *real_of(const struct front *front, const char *called, const char *but)
{
    const char *slash = strrchr(called, '/');
    if (!slash)
        return search_path(front, called, but);
    if (!is_ours(front, called))
        return xstrdup(called);
    char *named = named_compiler(called);
    return named ? named : search_path(front, slash + 1, but);
}

static bool starts_script(const char *path)
{
    char start[2] = {0};
    FILE *file = fopen(path, "r");
    bool is_script =
        file && fread(start, 1, 2, file) == 2 && start[0] == '#' && start[1] == '!';
    if (file)
        fclose(file);
    return is_script;
}

/* ---- writing down ---- */

static void add_text(struct buf *out, const char *text)
{
    buf_add_n(out, text, strlen(text) + 1);
}

static void add_texts(struct buf *out, const struct strvec *list)
{
    char nr[32];
    snprintf(nr, sizeof(nr), "%zu", list->nr);
    add_text(out, nr);
    for (size_t i = 0; i < list->nr; i++)
        add_text(out, list->v[i]);
}

/* Whole or not at all, whoever else writes: a build must not fail by it. */
static void append(const char *path, const struct buf *record)
{
    int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0)
        return;
    if (flock(fd, LOCK_EX) == 0) {
        off_t end = lseek(fd, 0, SEEK_END);
        ssize_t nr = write(fd, record->data, record->length);
        bool is_clean = nr == (ssize_t)record->length || ftruncate(fd, end) == 0;
        (void)is_clean; /* half a record at the end is not read */
    }
    close(fd);
}

static void write_down(const struct front *front, const char *here)
{
    struct buf record = {0};
    char *path = xasprintf("%s/" BUILD_SEEN, front->folder);
    add_text(&record, here);
    add_text(&record, front->compiler ? front->compiler : front->word.v[0]);
    add_text(&record, front->adds_debug ? "1" : "0");
    add_texts(&record, &front->source);
    add_texts(&record, &front->word);
    append(path, &record);
    free(path);
    buf_release(&record);
}

/* ---- going on ---- */

static bool is_launcher(const char *name)
{
    static const char *const launcher[] = {BUILD_LAUNCHERS};
    return is_one_of(name, launcher, ARRAY_SIZE(launcher));
}

static char *folder_of_watch(void)
{
    char path[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);
    const char *end = length > 0 ? strrchr((path[length] = '\0', path), '/') : NULL;
    return end ? xstrndup(path, (size_t)(end - path)) : NULL;
}

static void become(const struct front *front, int argc, char **argv)
{
    struct strvec words = {0};
    /* gcc looks for its parts beside what it is called as. */
    strvec_push(&words, strchr(argv[0], '/') ? front->real : argv[0]);
    for (int i = 1; i < argc; i++) {
        if (front->adds_debug && !front->has_ours && (size_t)i == front->first + 1)
            strvec_push(&words, "-g");
        /* A launcher is to start the compiler itself. */
        bool is_link = (size_t)i == front->first && is_ours(front, argv[i]);
        strvec_push(&words, is_link && front->compiler ? front->compiler : argv[i]);
    }
    /* A launcher starts what was written down already. */
    if (front->is_script && !front->first) {
        char *script = xasprintf("%c%s", front->adds_debug ? 'g' : '-', front->real);
        setenv(BUILD_SCRIPT_VARIABLE, script, 1);
    } else {
        unsetenv(BUILD_SCRIPT_VARIABLE);
        if (front->path)
            setenv("PATH", front->path, 1);
    }
    execv(front->real, words.v);
    fprintf(stderr, "%s: %s\n", front->real, strerror(errno));
}

/* The command as it is for the project: without the -g that we gave to the script which
 * called us. */
static void read_command(struct front *front, int argc, char **argv)
{
    const char *script = getenv(BUILD_SCRIPT_VARIABLE);
    bool ours = script && script[0] == 'g';
    for (int i = (int)front->first; i < argc; i++)
        if (ours && !strcmp(argv[i], "-g"))
            ours = false;
        else
            read_in(argv[i], 0, &front->word);
    front->has_ours = script && script[0] == 'g' && !ours;
}

/* Somebody called a compiler by its name, whatever for. */
static void say_called(const struct front *front)
{
    char *path = xasprintf("%s/" BUILD_CALLED, front->folder);
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (fd >= 0)
        close(fd);
    free(path);
}

static void find_compilers(struct front *front, int argc, char **argv)
{
    /* A script may look its compiler up by the name that it has itself. */
    const char *script = getenv(BUILD_SCRIPT_VARIABLE), *path = getenv("PATH"),
               *slash = strrchr(argv[0], '/');
    front->path = path ? without_us(front, path) : NULL;
    front->real = real_of(front, argv[0], script ? script + 1 : NULL);
    front->is_script = front->real && starts_script(front->real);
    front->first =
        is_launcher(slash ? slash + 1 : argv[0]) && argc > 1 && argv[1][0] != '-';
    front->compiler = front->first ? real_of(front, argv[1], NULL) : xstrdup(front->real);
}

int main(int argc, char **argv)
{
    struct front front = {.folder = folder_of_watch()};
    char here[PATH_MAX];
    if (!argc || !front.folder)
        return 127;
    find_compilers(&front, argc, argv);
    if (!front.real) {
        fprintf(stderr, "%s: command not found\n", argv[0]);
        return 127;
    }
    say_called(&front);
    read_command(&front, argc, argv);
    bool has_here = getcwd(here, sizeof(here)) != NULL;
    read_words(&front, has_here ? here : "");
    front.adds_debug = front.compiles && !front.has_debug && !front.is_text;
    if (front.source.nr && has_here)
        write_down(&front, here);
    become(&front, argc, argv);
    return errno == ENOENT ? 127 : 126;
}
