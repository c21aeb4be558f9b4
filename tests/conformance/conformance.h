#pragma once
// Runs a file of golden rank tables against lib/mesh and says what differs.

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lib/mesh/compat.h"

namespace muster::conformance {

struct FileResult {
  std::string dialect;
  int64_t configs = 0;
  // One entry a differing configuration: its id and its differences, in file order.
  std::vector<std::pair<std::string, std::vector<std::string>>> differing;

  int64_t equal() const { return configs - static_cast<int64_t>(differing.size()); }
};

// `json` is the content of the file `name`. INVALID_ARGUMENT if it isn't JSON, is of another schema or an unknown
// framework, or a configuration lacks what its kind needs.
absl::StatusOr<FileResult> CheckText(absl::string_view name, absl::string_view json,
                                     mesh::Compat compat = mesh::Compat::kUpstream);

// As CheckText; NOT_FOUND if the file can't be read.
absl::StatusOr<FileResult> CheckFile(const std::string& path, mesh::Compat compat = mesh::Compat::kUpstream);

// "megatron: 229 of 229"; below it, for at most `named` differing configurations, id and first difference, then a
// count.
std::string Report(const FileResult& result, size_t named = 3);

}  // namespace muster::conformance
