/* Pictures by gnuplot; that of a machine: latency over bandwidth. */
#ifndef ADVISOR_PLOT_H
#define ADVISOR_PLOT_H

#include "core/machine/machine.h"

enum plot_kind { PLOT_TERMINAL, PLOT_SVG, PLOT_PNG };

/* "-" = terminal, else by the ending of the name. */
int plot_kind_of(const char *path, enum plot_kind *kind, struct error *err);

/* Whether plot_draw can work: the ending, the folder, gnuplot. */
int plot_check(const char *path, struct error *err);

/* Draws the curves of all machines; for a single one also what its miss queues let
 * through. "-" prints. The file is the old one or the new one. */
int plot_draw(const struct machine *const *machine, size_t nr, const char *path,
              struct error *err);

/* Runs a script of gnuplot, which writes the file "picture" of its folder, and hands the
 * picture over: "-" prints. The file is the old one or the new one. */
int plot_picture(const struct buf *script, const char *path, struct error *err);

/* Runs a script of gnuplot that writes the files "picture0", "picture1" ... of its
 * folder, and appends each to picture[i]; one that it does not write stays as it was.
 * `option`: what asked for them, for messages: "--html". */
int plot_pictures(const struct buf *script, const char *option, struct buf *picture,
                  size_t nr, struct error *err);

/* gnuplot's script that does it; writes the file "picture" of the working folder. Names
 * of any content are drawn as they are. Fails when no machine has a curve. */
int plot_script(const struct machine *const *machine, size_t nr, enum plot_kind kind,
                struct buf *script, struct error *err);

/* Bytes that the miss queue of this level keeps in flight when full in so many cores:
 * GB/s x ns along its line. A queue of a tile or cluster is shared. Unknown = its length
 * is. */
struct quantity plot_in_flight(const struct machine *machine, int level, double cores);

#endif
