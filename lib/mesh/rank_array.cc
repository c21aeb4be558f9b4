#include "lib/mesh/rank_array.h"

#include <cmath>
#include <cstddef>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "lib/mesh/grid.h"
#include "lib/mesh/refusal.h"

namespace muster::mesh {
namespace {

constexpr double kLargestRank = 9007199254740992.0;  // 2^53: above, doubles skip integers

absl::Status AddRank(double number, RankArray& array) {
  if (!(number >= 0 && number <= kLargestRank) || std::trunc(number) != number) {
    return Refuse("integer_ranks", absl::StrCat("layout: ", number, " (place ", array.ranks.size(),
                                                ") is no rank; ranks are integers from 0"));
  }
  array.ranks.push_back(static_cast<int64_t>(number));
  return absl::OkStatus();
}

absl::Status Ragged(size_t depth, absl::string_view what) {
  return Refuse("layout_rectangular", absl::StrCat("layout: at depth ", depth, " ", what,
                                                   "; all lists of one depth must have the same length"));
}

absl::Status AddNested(const NestedRanks& nested, size_t depth, RankArray& array) {
  if (!nested.is_list) {
    if (depth != array.shape.size()) return Ragged(depth, "a number stands beside a list");
    return AddRank(nested.number, array);
  }
  if (depth == kMaxAxes) return Ragged(depth, absl::StrCat("lists nest deeper than ", kMaxAxes));
  const int64_t length = static_cast<int64_t>(nested.entries.size());
  if (array.ranks.empty() && depth == array.shape.size()) {
    array.shape.push_back(length);
  } else if (depth >= array.shape.size()) {
    return Ragged(depth, "a list stands beside a number");
  } else if (array.shape[depth] != length) {
    return Ragged(depth, absl::StrCat("a list has ", length, " entries, the first has ", array.shape[depth]));
  }
  for (const NestedRanks& entry : nested.entries) {
    if (absl::Status status = AddNested(entry, depth + 1, array); !status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<RankArray> ArrayOf(const NestedRanks& nested) {
  RankArray array;
  if (absl::Status status = AddNested(nested, 0, array); !status.ok()) return status;
  return array;
}

}  // namespace muster::mesh
