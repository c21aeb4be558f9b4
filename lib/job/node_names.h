#pragma once
// Compact lists of node names, as clusters write them.

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace muster {

// "gpu-[01-03]" -> gpu-01, gpu-02, gpu-03. A range keeps its zeros; commas separate ("n[1-3,7]"); several brackets in a
// name multiply, the last one fastest. INVALID_ARGUMENT, a sentence without a field: a bracket that isn't closed, a
// range that isn't two numbers or runs backwards, more than `limit` names.
absl::StatusOr<std::vector<std::string>> ExpandNames(absl::string_view pattern, int limit);

}  // namespace muster
