/* Reading our own document, and the figures of it as text. What is missing or of another
 * kind reads as nothing: an old or a damaged document is shown as far as it goes. */
#ifndef ADVISOR_REPORT_READ_H
#define ADVISOR_REPORT_READ_H

#include "core/base.h"

/* "" where there is no text. Borrowed. */
const char *report_word(const json_t *object, const char *key);
bool report_has(const json_t *object, const char *key);
/* NAN where there is no number. */
double report_figure(const json_t *object, const char *key);
/* NULL where there is no quantity. */
const json_t *report_quantity(const json_t *object, const char *key);
bool report_true(const json_t *object, const char *key);

/* Of a session that only advised: nothing was tried. */
bool report_is_advice(const json_t *report);

/* Of an object with value, low and high; an end that is missing is open. */
struct quantity report_value(const json_t *quantity);
/* "1.85x (1.80 to 1.91)", with ", not beyond the noise" where the interval holds 1; of
 * NULL `absent`. */
void add_report_gain(struct buf *out, const json_t *quantity, const char *absent);
/* Of advice that was tried: its plan's, and whose that is where it added none. */
void add_report_measured(struct buf *out, const json_t *advice);
/* A ratio that was not measured, with the two digits it deserves: "9.3x", "17x". */
void add_report_rough(struct buf *out, double ratio);
/* The advice is expected to pay and was not tried: its class is "try" or "allow". */
bool report_is_untried(const json_t *advice);
/* What is expected of the advice is worth a sentence of its own. */
bool report_is_promising(const json_t *advice);
/* "about 9.3x", of advice. */
void add_report_expected(struct buf *out, const json_t *advice);
/* "at most 4.70x"; nothing of NULL. */
void add_report_bound(struct buf *out, const json_t *quantity);
/* "1.23 ms +-2%" of a measurement, "1.23 ms to 18 ms" where that tells little, or its
 * outcome. */
void add_report_time(struct buf *out, const json_t *measurement);

/* "not believed: the machine was busy (...); measure again when it is quiet", of a gain
 * that something else may have moved. */
void add_report_doubt(struct buf *out, double disturbed);
/* "; on a busy machine: ...", of a claim that was made beside something else; nothing
 * where that was little. */
void add_report_disturbed(struct buf *out, double disturbed);
/* Is the quantity to be claimed? */
bool report_is_believed(const json_t *quantity);

/* Of a gain: does its interval hold 1? */
bool report_is_noise(double low, double high);

#endif
