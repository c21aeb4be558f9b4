#pragma once
// An N-dimensional array of ranks as frameworks take it: nested lists, outermost dimension first.

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"

namespace muster::mesh {

// A list of entries, or one number. Numbers are doubles because frameworks accept 3.0 for 3 (and must refuse 0.5).
struct NestedRanks {
  bool is_list = false;
  double number = 0;
  std::vector<NestedRanks> entries;
};

struct RankArray {
  std::vector<int64_t> shape;  // outermost first
  std::vector<int64_t> ranks;  // row-major: the last dimension varies fastest
};

// Refused: "layout_rectangular" if lists of one level differ in length or mix lists and numbers, or nest deeper than
// 32; "integer_ranks" if a number is no integer, or not within 0..2^53.
absl::StatusOr<RankArray> ArrayOf(const NestedRanks& nested);

}  // namespace muster::mesh
