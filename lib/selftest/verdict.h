#pragma once
// From what the workers of one round report to one judged result a group.
//
// A group's time is the median over iterations of its slowest rank. It is judged by its data, by the user's floor and
// by its siblings: the groups of the same step, with the median taken over the others, so that groups slow in one half
// of a family still stand out. What is absent, late or unreadable is inconclusive, never a pass; an error is a fail.

#include <compare>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "absl/types/span.h"
#include "lib/selftest/setting.h"
#include "proto/muster/v1/selftest.pb.h"

namespace muster::selftest {

// One round that ran: results in any order, repeated or missing ones included. What the plan doesn't ask is ignored.
struct Round {
  v1::TestPlan plan;
  std::vector<v1::StepResult> results;
};

// What makes groups comparable: siblings share it.
struct SiblingKey {
  std::string family;
  v1::Collective collective = v1::COLLECTIVE_UNSPECIFIED;
  int64_t bytes = 0;
  auto operator<=>(const SiblingKey&) const = default;
};

// Wrong data seen by a receiver, where the element's place tells the sender.
struct CorruptEdge {
  int32_t sender = 0;    // node rank
  int32_t receiver = 0;  // node rank
  auto operator<=>(const CorruptEdge&) const = default;
};

struct JudgedGroup {
  v1::GroupResult result;
  std::set<CorruptEdge> corrupt;
  // Why it failed; several may hold.
  bool errored = false;
  bool wrong_data = false;
  bool slow = false;
};

using GroupKey = std::pair<SiblingKey, int64_t /*group_index*/>;
// Ordered, so that whatever is decided from it does not depend on the order of arrival.
using Judged = std::map<GroupKey, JudgedGroup>;

// `reference`: bus bandwidths (GB/s) to compare with in place of the siblings of this round, for rounds in which
// suspects run alone; without an entry, the siblings of this round.
Judged Judge(const Setting& setting, const Round& round, const std::map<SiblingKey, double>& reference = {});

// The worse of two: FAIL, INCONCLUSIVE, WARN, PASS, SKIPPED.
v1::TestVerdict Worse(v1::TestVerdict a, v1::TestVerdict b);

// Rows of the receipt's table, one a family, collective and size, in that order.
std::vector<v1::FamilyResult> FamilyTable(const Setting& setting, const Judged& judged);

}  // namespace muster::selftest
