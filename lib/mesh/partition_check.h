#pragma once
// For tests: a family's two directions, group -> members and rank -> group, agree, and its groups partition some ranks.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "gtest/gtest.h"
#include "lib/mesh/family.h"

namespace muster::mesh {

// Every rank of `ranks` is in exactly one group, nobody else is in any, and GroupOf finds group, place and group rank.
inline ::testing::AssertionResult Partitions(const Family& family, std::vector<GlobalRank> ranks) {
  std::vector<GlobalRank> seen;
  for (int64_t g = 0; g < family.count(); ++g) {
    const std::vector<GlobalRank> members = family.group(g).Members();
    std::vector<GlobalRank> ascending = members;
    std::sort(ascending.begin(), ascending.end());
    for (size_t j = 0; j < members.size(); ++j) {
      const auto found = family.GroupOf(members[j]);
      const int64_t group_rank = std::lower_bound(ascending.begin(), ascending.end(), members[j]) - ascending.begin();
      if (!found || found->group_index != g || found->position != static_cast<int64_t>(j) ||
          found->group_rank != group_rank || found->group.Members() != members) {
        return ::testing::AssertionFailure() << family.name() << ": rank " << members[j] << ", member " << j
                                             << " of group " << g << ", is not found there";
      }
      seen.push_back(members[j]);
    }
  }
  std::sort(seen.begin(), seen.end());
  std::sort(ranks.begin(), ranks.end());
  if (seen == ranks) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << family.name() << ": the groups' " << seen.size()
                                       << " members are not the expected " << ranks.size() << " ranks, each once";
}

// The same for the ranks 0..world-1.
inline ::testing::AssertionResult PartitionsWorld(const Family& family, int64_t world) {
  std::vector<GlobalRank> ranks;
  for (GlobalRank rank = 0; rank < world; ++rank) ranks.push_back(rank);
  return Partitions(family, std::move(ranks));
}

inline std::vector<std::vector<GlobalRank>> GroupsOf(const Family& family) {
  std::vector<std::vector<GlobalRank>> groups;
  for (int64_t g = 0; g < family.count(); ++g) groups.push_back(family.group(g).Members());
  return groups;
}

}  // namespace muster::mesh
