#pragma once
// A YAML or JSON document as a plain tree with line numbers, read defensively: what a stranger sends.

#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace muster {

inline constexpr size_t kMaxFileBytes = 1 << 20;

struct YamlEntry;

struct YamlNode {
  enum class Kind { kNull, kScalar, kList, kMap };
  Kind kind = Kind::kNull;
  int line = 1;         // 1-based
  std::string text;     // of a scalar
  bool quoted = false;  // never a number or a truth value then
  std::vector<YamlNode> items;
  // Keys as written, in the document's order; not checked for repeats.
  std::vector<YamlEntry> entries;

  // "a map", "a list", "text" …
  const char* KindName() const;
};

struct YamlEntry {
  YamlNode key;
  YamlNode value;
};

struct TreeLimits {
  size_t bytes = kMaxFileBytes;
  size_t values = 100'000;  // a document
  // Values of these keys are left out, and not counted; they read as nothing.
  std::set<std::string> left_out = {};
};

// INVALID_ARGUMENT, "job.yaml:9: …": bad syntax; more than kMaxFileBytes, 100,000 values or 32 levels; NUL bytes; more
// than one document; anchors, aliases, tags; a key that isn't a scalar. An empty document is kNull.
absl::StatusOr<YamlNode> ParseYaml(absl::string_view text, absl::string_view file);

// All documents of the file, under other limits.
absl::StatusOr<std::vector<YamlNode>> ParseYamlDocuments(absl::string_view text, absl::string_view file,
                                                         const TreeLimits& limits);

// INVALID_ARGUMENT: the text is too long, or has a NUL byte.
absl::Status CheckText(absl::string_view text, absl::string_view file, const TreeLimits& limits);

// Puts "file:line: " in front of an error, keeping its details.
absl::Status AtLine(const absl::Status& status, absl::string_view file, int line);

}  // namespace muster
