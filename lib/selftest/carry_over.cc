#include "lib/selftest/carry_over.h"

#include <algorithm>

namespace muster::selftest {

std::vector<v1::GroupResult> CarryOver(const v1::Receipt& from,
                                       const std::function<bool(int32_t node_rank)>& unchanged) {
  std::vector<v1::GroupResult> carried;
  for (const v1::GroupResult& group : from.groups()) {
    if (group.verdict() != v1::PASS && group.verdict() != v1::WARN) continue;
    if (group.node_ranks().empty() || !std::all_of(group.node_ranks().begin(), group.node_ranks().end(), unchanged)) {
      continue;
    }
    carried.push_back(group);
    if (group.carried_from().empty()) carried.back().set_carried_from(from.id());
  }
  return carried;
}

}  // namespace muster::selftest
