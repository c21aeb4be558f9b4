#pragma once
// Lines of columns under a header line: CSV (comma, with double quotes), and what Slurm's sacct -P prints ('|').

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace muster::simulation {

// Longest line that is read.
inline constexpr size_t kMaxLine = 64 << 10;

struct TableRow {
  int line = 0;  // from 1
  std::vector<std::string> cells;
};

struct TableText {
  char separator = ',';
  TableRow header;
  std::vector<TableRow> rows;  // each of as many cells as the header
};

// Empty lines and lines that begin with '#' are passed over. The separator is the header's: '|' where it has one.
// INVALID_ARGUMENT "FILE:LINE: …; way out": no header, a line too long or with a NUL, an open quote, another number of
// cells than the header's, a column there twice.
absl::StatusOr<TableText> ReadTableText(absl::string_view text, absl::string_view file);

// "FILE:LINE: problem".
absl::Status AtLine(absl::string_view file, int line, absl::string_view problem);

}  // namespace muster::simulation
