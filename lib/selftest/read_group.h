#pragma once
// One round's results, put together group by group: what was measured, what was wrong, who was missing. No verdict yet.
//
// A group's time is the median over iterations of its slowest rank.

#include <compare>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "lib/selftest/parties.h"
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
  int span = 0;  // Parties::SpanOf
  std::set<CorruptEdge> corrupt;
  // Why it failed; several may hold.
  bool errored = false;
  bool wrong_data = false;
  bool slow = false;
  // Just above the limit, or slow in some round and not in another.
  bool doubtful = false;
  // Every member has sent a result or an error: none was merely absent.
  bool all_reported = false;
  int step = 0;          // of its round
  double reference = 0;  // GB/s that it was compared with; 0: none
};

using GroupKey = std::pair<SiblingKey, int64_t /*group_index*/>;
// Ordered, so that whatever is decided from it does not depend on the order of arrival.
using Judged = std::map<GroupKey, JudgedGroup>;

// Every group of the round's steps in their order, measured or not; in rounds that localise a pair may come several
// times. The error of a group is the first own one of its ranks, not the
// echo of another's (hints.h).
std::vector<JudgedGroup> ReadRound(const Setting& setting, const Parties& parties, const Round& round);

}  // namespace muster::selftest
