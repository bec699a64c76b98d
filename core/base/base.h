/*
 * core/base: what every folder stands on and what knows nothing of the domain: errors,
 * text, arrays, files, subprocesses, JSON, quantities, units, the terminal. This is the
 * folder's one outward header.
 */
#ifndef CORE_BASE_BASE_H
#define CORE_BASE_BASE_H

#include "core/base/account.h"
#include "core/base/array.h"
#include "core/base/buf.h"
#include "core/base/csv.h"
#include "core/base/error.h"
#include "core/base/figures.h"
#include "core/base/fs.h"
#include "core/base/gz.h"
#include "core/base/json.h"
#include "core/base/progress.h"
#include "core/base/quantity.h"
#include "core/base/ranges.h"
#include "core/base/sha256.h"
#include "core/base/spawn.h"
#include "core/base/statistics.h"
#include "core/base/term.h"
#include "core/base/text.h"
#include "core/base/units.h"

#endif
