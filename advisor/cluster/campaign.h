/* One command for every kind of node among workers: those of a folder, or jobs of Slurm
 * that are submitted for it (docs/reference/cluster.md). */
#ifndef ADVISOR_CAMPAIGN_H
#define ADVISOR_CAMPAIGN_H

struct error;
struct settings;

/* tune FILE.c: a search for each kind of node, whose workers judge its variants. Other
 * commands, and tune of a whole program: run on one node of each kind. */
int campaign_command(const struct settings *settings, struct error *err);

/* Options that say something of a campaign where there is none. */
int campaign_check(const struct settings *settings, struct error *err);

#endif
