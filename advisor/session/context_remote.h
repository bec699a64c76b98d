/* A context whose variants are judged by workers of one kind of node (--on FOLDER, where
 * the folder is that of one kind of a campaign). */
#ifndef ADVISOR_CONTEXT_REMOTE_H
#define ADVISOR_CONTEXT_REMOTE_H

#include <stdbool.h>
#include <stddef.h>

#include "core/files/json.h"
#include "search/live/live.h"

struct compared;
struct context;
struct count_set;
struct error;
struct search_result;
struct settings;

/* What a campaign knows of a kind of node, in its folder: "kind". */
#define KIND_FILE "kind.json"
/* Of the search among its nodes: "progress", and the report. */
#define KIND_PROGRESS "progress.json"
#define KIND_REPORT   "report.json"
/* There: no worker will come any more. */
#define KIND_LAST "last"
/* Of the campaign: "told", what a search is to know of others. Of the search: "used", its
 * node-seconds where they are limited, and "winner", once it has one. */
#define KIND_TOLD   "told.json"
#define KIND_USED   "used.json"
#define KIND_WINNER "winner.json"

/* Where the profile of such nodes is kept for all campaigns; the folder is made. Caller
 * frees. */
int kind_profile_path(const char *kind, char **path, struct error *err);
/* Is variants' judgement to be asked of the workers of settings->on? */
bool remote_is_asked(const struct settings *settings);

/* What KIND_TOLD says now, {"node_s": all that may be used or null, "others": [{"name",
 * "plan", "why"}]}: plan null = none is known yet, or there will be none, and why.
 * Borrowed until it is asked again; NULL = nothing is told. */
const json_t *context_remote_told(struct context *bench);
/* Seconds until the prompt, or until the node-seconds are used up. */
double context_left_s(const struct context *bench);
/* The search is over: what was kept for measuring others' winners may be used. */
void context_remote_unkeep(struct context *bench);

/* Waits for the first worker: its profile, which becomes bench->machine, how many copies
 * run there and how long a call takes. */
int context_remote_start(struct context *bench, size_t *copies, struct error *err);
/* Behind the budget: workers are told all they need, and bench->live_runner asks them. */
int context_remote_open(struct context *bench, struct error *err);
/* As live_compare_file, on a node. */
int context_remote_file(struct context *bench, const char *source,
                        struct compared *comparison, struct error *err);
/* What metrics_count says there. Interrupted: fails. */
int context_remote_counts(struct context *bench, struct count_set *counts,
                          struct error *err);
/* Of the nodes: what keep_record_processor says there, {"architecture", "vendor",
 * "family", "model", "name", "isa"}. Caller json_decref's. */
int context_remote_processor(struct context *bench, json_t **out, struct error *err);
/* {"nodes": [...], "node_seconds", "variant_node_seconds", "pruned",
 * "saved_node_seconds"} of a search that measured and left out so many; NULL = it was
 * measured here. */
json_t *context_remote_json(const struct context *bench, size_t measured, size_t pruned);
/* Nodes are worth waiting for a database that finds no room, half an hour at most:
 * sleeps, clears the error, true = to be tried again. *until_s: 0 at first. */
bool context_remote_waits(struct context *bench, double *until_s, struct error *err);
/* The words that the user gave, as an array; NULL = it was measured here. */
json_t *context_remote_words(const struct context *bench);
/* The C of the fastest variants, and of those that the advice tells, for the report: to
 * make that of each when it was measured takes longer than all else about a verdict. */
void context_remote_codes(struct context *bench, const struct search_result *result);
/* Where the campaign finds it. */
int context_remote_keep(const struct context *bench, const json_t *report,
                        struct error *err);
void context_remote_progress(struct context *bench, const char *doing, size_t variants,
                             double best, double left_s);
void context_remote_end(struct context *bench);

#endif
