/*
 * Numbers, intervals and units as text for people, and numbers with units read from text;
 * documents keep all digits.
 *
 * One rule of rounding: digits follow the interval. A figure has three significant
 * digits: what is measured here is seldom known better. It has two where half its
 * interval, rounded as the Particle Data Group does, says nothing of the third; and more,
 * five at most, until its ends are told apart from it. Value and ends stop at the same
 * decimal, so that they can be compared. Digits before the point are all shown up to a
 * million, and from there with the prefix M, G or T. Ratios have two decimals below 10:
 * 0.99x and 1.01x are told apart at any size of the interval. Shares are whole percents.
 *
 * A figure's interval stands in brackets, since where it comes from often follows in
 * parentheses; a ratio's stands in words: it is read in sentences.
 */
#ifndef CORE_BASE_FIGURES_H
#define CORE_BASE_FIGURES_H

#include "core/base/quantity.h"

struct buf;
struct error;

/* ---- numbers ---- */

/* 1.5, 12434, 1.23 G, "unknown" */
void buf_add_number(struct buf *buf, double number);
void buf_add_size(struct buf *buf, double bytes); /* 1.5 GiB */
/* In powers of ten, as bandwidths are counted: "288 MB". */
void buf_add_bytes(struct buf *buf, double bytes);
void buf_add_time(struct buf *buf, double seconds); /* 12.3 ms */
void buf_add_times(struct buf *buf, double ratio);  /* 1.80x, 12.3x, 123x; "?" of NaN */
void buf_add_percent(struct buf *buf,
                     double share); /* 59 %; "? %" of what is no number */

/* ---- quantities; `scale` turns them into the unit ---- */

/* "12.3 GB/s", "unknown". */
void buf_add_value(struct buf *buf, struct quantity quantity, double scale,
                   const char *unit);
/* "12.3 GB/s [12.1, 12.6]", "12.3 GB/s or more", "unknown". */
void buf_add_figure(struct buf *buf, struct quantity quantity, double scale,
                    const char *unit);
void buf_add_bytes_figure(struct buf *buf, struct quantity bytes);
void buf_add_time_figure(struct buf *buf, struct quantity seconds);
/* "[12.1, 12.6]"; "" of what is exact or unknown. */
void buf_add_interval(struct buf *buf, struct quantity quantity, double scale);
/* The value right-aligned in so many columns; "?" when unknown. */
void buf_add_cell(struct buf *buf, struct quantity quantity, double scale, int width);
/* For sentences: "9.8", "between 7.1 and 9.8" when that is wide, "at least 7.1", "an
 * unknown number". */
void buf_add_between(struct buf *buf, struct quantity quantity, double scale);

/* "1.85x (1.80 to 1.91)", "unknown", "not believed". */
void buf_add_ratio(struct buf *buf, struct quantity ratio);
void buf_add_ratio_value(struct buf *buf, struct quantity ratio);
void buf_add_ratio_range(struct buf *buf, struct quantity ratio);

/* "59 % (55 to 61)", "59 % (55 or more)", "unknown". */
void buf_add_share(struct buf *buf, struct quantity share);
/* Tenths of a percent, of parts that add up to a whole in a column: "59.0"; and their
 * ends, "[55.4, 61.0]", "" where they read alike. */
void buf_add_tenths(struct buf *buf, double share);
void buf_add_tenths_interval(struct buf *buf, struct quantity share);
/* "59% (55-61)", right-aligned; open ends are question marks, and so is the unknown.
 * "impossible" where it is more than all. */
void buf_add_share_cell(struct buf *buf, struct quantity share, int width);
/* For sentences: "59 %", "55 to 61 %", "at least 55 %", "an unknown share". */
void buf_add_share_between(struct buf *buf, struct quantity share);

/* ---- read from text ---- */

/* Parse the whole text; `what` names the subject in the message. Size: k, M, G, T or KiB,
 * MiB ... = powers of 1024, result in bytes. Time: ns, us, ms, s, m, h; a bare number is
 * seconds; result in seconds. Bandwidth: B/s, kB/s, MB/s, GB/s, TB/s (1e9 byte/s), never
 * bare; result in GB/s. Count: integers, also as 1e6, with optional k, M, G, T, an i
 * behind it or not = powers of 1024. */
int parse_size(const char *text, const char *what, double *bytes, struct error *err);
int parse_time(const char *text, const char *what, double *seconds, struct error *err);
int parse_bandwidth(const char *text, const char *what, double *gbs, struct error *err);
/* A latency: 145, 145ns, 0.145us; a bare number is nanoseconds; result in nanoseconds. */
int parse_latency(const char *text, const char *what, double *ns, struct error *err);
int parse_count(const char *text, const char *what, long long *count, struct error *err);
int parse_number(const char *text, const char *what, double *number, struct error *err);
/* What k, M ... behind a count mean; 1 where there is none. *at moves behind it. */
double count_prefix(const char **at);

#endif
