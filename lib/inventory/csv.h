#pragma once
// Node lists as spreadsheets write them: a heading, then a node a row.
//
//   node,block,rack,gpus,nvlink,state
//   gpu-01,b1,r1,8,nvl-1,ok
//
// Columns by their names, in any case: node (or name, hostname), gpus (or gpu), nvlink (or accelerator), state (ok,
// draining, quarantined, lost), reason, until (when that ends by itself), job (who has it), ends (when that job is gone
// at the latest), uid, address. Times as "2026-11-30T15:40:00Z". Every other column is a tier, coarse to fine from left
// to right; an empty field is "unknown". A tab or ";" in the heading separates in place of the comma; fields may stand
// in double quotes.

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lib/inventory/inventory.h"

namespace muster::inventory {

// Errors with file and line: no node column, a heading twice, a row with another number of fields, a repeated or empty
// node, a number that is none, negative or too large, an unknown state, a quote that isn't closed, a line above 1 MiB.
absl::StatusOr<Inventory> ParseCsv(absl::string_view text, absl::string_view file);

}  // namespace muster::inventory
