#pragma once
// Slurm's host lists.

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace muster::inventory {

// "n5,n6,rack[1-2]-n[01-03]": expressions with commas between them, each as ExpandNames (lib/job/node_names.h). The
// left bracket runs slowest. INVALID_ARGUMENT, a sentence: a bracket without a partner, a range that runs backwards or
// is none, an empty name, more than `limit` names.
absl::StatusOr<std::vector<std::string>> ExpandHostList(absl::string_view list, int limit);

}  // namespace muster::inventory
