/* Files: whole reads, atomic writes, private temporary folders, the folders users know
 * of. */
#ifndef CORE_BASE_FS_H
#define CORE_BASE_FS_H

#include <stdbool.h>
#include <stddef.h>

struct buf;
struct error;
struct strvec;

/* Appends the whole file. Fails with STATUS_INPUT: "cannot read 'x': No such file or
 * directory". */
int file_read(const char *path, struct buf *out, struct error *err);
/* The same, refused with STATUS_INPUT when it holds more than so many bytes. */
int file_read_max(const char *path, size_t max, struct buf *out, struct error *err);
/* The same of a file that is believed: only the user's own (trust.h). */
int file_read_own(const char *path, size_t max, struct buf *out, struct error *err);
/* Of one that was found beside `source`: nobody's who may not write to the source. */
int file_read_found(const char *path, const char *source, struct buf *out,
                    struct error *err);

/* Writes to a temporary file in the same folder, syncs, renames: the old file or the new
 * one, never half of one. Links stay links; devices and pipes are written to directly,
 * but for links (also on the way) and pipes of other users, who would choose what is
 * written.
 */
int file_write(const char *path, const void *bytes, size_t length, struct error *err);
/* Fails as file_write would, as far as that can be seen now; leaves nothing behind. For
 * work of minutes whose result must find a place. */
int file_check_writable(const char *path, struct error *err);

bool file_exists(const char *path);
bool dir_exists(const char *path);
bool file_is_same(const char *a, const char *b);       /* or folder, behind all links */
int dir_make_all(const char *path, struct error *err); /* as mkdir -p */
int dir_make_private(const char *path, struct error *err); /* those made have mode 0700 */
int dir_remove_all(const char *path);                      /* as rm -rf; 0 if not there */

char *path_join(const char *dir, const char *name); /* caller frees */
char *path_absolute(const char *path);              /* caller frees; need not exist */
const char *path_base(const char *path);            /* borrowed: after the last slash */
/* Before the last slash, as dirname does: "/" for "/x", "." for "x". Caller frees. */
char *path_folder(const char *path);
/* `path` as it is named from `dir` (both absolute, without links), by .. where it must;
 * "." for the same. Caller frees. */
char *path_from(const char *dir, const char *path);
/* The nearest of `dir` (absolute) and the folders above it that is one; "/" is none. NULL
 * = none. Caller frees. */
char *path_nearest(const char *dir, bool (*is_one)(const char *dir));
/* The file that posix_spawnp starts for this name: one with a slash is taken as it is,
 * there or not; others are looked up in PATH. NULL = there is none. Caller frees. */
char *path_of_program(const char *name);
/* The folder the running program is in, with a slash at the end; "" if the system does
 * not tell. Caller frees. */
char *program_dir(void);

/* `inflight` beside the running program: which it is, but for tests and benches. Caller
 * frees. */
char *program_inflight(void);

/* A program or object of ours that others start or load: beside this program in its build
 * folder, else where it is installed. Caller frees; NULL = it is not there. */
char *helper_path(const char *name);

/* A private folder (mode 0700) under $TMPDIR or /tmp, removed at exit and on a fatal
 * signal; refused where others could put another in its place. Caller frees the path and
 * may remove it earlier with scratch_remove (which also frees). The first call also
 * removes those that processes of this user left behind which were ended by kill -9: a
 * lock tells that their owner lives. */
int scratch_make(char **path, struct error *err);
void scratch_remove(char *path);

/* $XDG_CONFIG_HOME/inflight (profiles), $XDG_DATA_HOME/inflight (sessions); made if
 * missing; refused where others could change what is there. Caller frees. */
int config_dir(char **path, struct error *err);
int data_dir(char **path, struct error *err);
/* What may be removed at any time: $XDG_CACHE_HOME, else ~/.cache. */
int cache_dir(char **path, struct error *err);

/* The shipped data (rules/, templates/, machine data): $INFLIGHT_DATA, else beside the
 * program where it was installed or moved to, for a program in its build folder the
 * source tree, else the folder it was configured to be installed in. `name` is relative,
 * such as "rules/recipe.json". Caller frees. */
int shipped_path(const char *name, char **path, struct error *err);
/* Those of them that the program knows without INFLIGHT_DATA, the first that is there is
 * used. */
void program_data_dirs(struct strvec *dirs);
/* The shipped folder, and the names of the JSON files in it without ".json", sorted.
 * Caller frees and releases, also after a failure. */
int shipped_names(const char *name, struct strvec *names, char **folder,
                  struct error *err);

#endif
