#pragma once

#include <limits>

#include "lib/mesh/rank_array.h"
#include "tests/conformance/tables.h"

namespace muster::conformance {

// Nested lists as the golden files hold them; anything but a list or a number becomes a number that is no rank.
inline mesh::NestedRanks NestedOf(const Json& json) {
  mesh::NestedRanks nested;
  nested.is_list = json.is_array();
  if (!nested.is_list) {
    nested.number = json.is_number() ? json.get<double>() : std::numeric_limits<double>::quiet_NaN();
    return nested;
  }
  for (const Json& entry : json) nested.entries.push_back(NestedOf(entry));
  return nested;
}

}  // namespace muster::conformance
