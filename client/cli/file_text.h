#pragma once
// The files that commands are given.

#include <istream>
#include <string>

#include "absl/status/statusor.h"

namespace muster::cli {

// Longest file that is read; and of those that list a cluster's nodes.
inline constexpr size_t kMaxFileBytes = 16 << 20;
inline constexpr size_t kMaxInventoryBytes = 64 << 20;

// "-" is `in`. Usage error: no file named, it can't be read, it is a folder or longer than `limit`.
absl::StatusOr<std::string> ReadText(const std::string& path, std::istream& in, size_t limit = kMaxFileBytes);

// How messages call the file: "job.yaml", or "(standard input)".
std::string FileName(const std::string& path);

}  // namespace muster::cli
