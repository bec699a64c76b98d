/*
 * core/base: what every folder stands on and what knows nothing of the domain: errors,
 * text, arrays, files, subprocesses, JSON, quantities, units, the terminal. This is the
 * folder's one outward header.
 */
#ifndef CORE_BASE_BASE_H
#define CORE_BASE_BASE_H

#include "core/base/array.h"
#include "core/base/buf.h"
#include "core/base/csv.h"
#include "core/base/error.h"
#include "core/base/figures.h"
#include "core/base/quantity.h"
#include "core/base/statistics.h"
#include "core/base/text.h"
#include "core/files/condition.h"
#include "core/files/fs.h"
#include "core/files/gz.h"
#include "core/files/hash.h"
#include "core/files/json.h"
#include "core/process/account.h"
#include "core/process/progress.h"
#include "core/process/spawn.h"
#include "core/process/term.h"

#endif
