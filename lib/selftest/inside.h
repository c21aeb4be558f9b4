#pragma once
// Which accelerator of a node is slow, when a group inside the node is: its workers two by two.

#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "lib/selftest/parties.h"
#include "lib/selftest/read_group.h"
#include "lib/selftest/setting.h"

namespace muster::selftest {

// Nodes with a group of their own that is slow in two rounds, by their numbers.
std::set<int> SlowInside(const Parties& parties, const Judged& merged);

// Adds steps that test the workers of `nodes` two by two, beside those of up to two nodes of `controls`. At most 16
// matchings: all of them for up to 16 workers.
void AddInsideSteps(const Setting& setting, const Parties& parties, const std::set<int>& nodes,
                    const std::set<int>& controls, v1::TestPlan& plan);

struct InsideFinding {
  std::set<int> rails;  // accelerators that are bad with all others; all of the node's: what they share
  int pairs = 0;        // tests
  std::vector<std::string> lines;
};
// Of every node that was tested so and is in `nodes`.
std::map<int, InsideFinding> ReadInside(const Setting& setting, const Parties& parties, absl::Span<const Round> rounds,
                                        const std::set<int>& nodes);

}  // namespace muster::selftest
