#pragma once
// What all rounds so far say of node pairs, each test with what it is compared with.

#include <set>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "lib/selftest/pair_result.h"
#include "lib/selftest/parties.h"
#include "lib/selftest/read_group.h"
#include "lib/selftest/setting.h"

namespace muster::selftest {

// One rail of one test of one pair.
struct PairEvidence {
  int round = 0;  // 0: carried over
  int step = 0;
  int a = 0, b = 0, rail = 0;
  Seen seen = Seen::kUnknown;
  double gbps = 0;       // 0: not measured
  double reference = 0;  // 0: none
  bool alone = false;    // one rail at a time: tells parts of a node apart, decides nothing about the node
  std::string error;     // also wrong data
  int64_t bytes = 0;
};

// `first`: round 1 as judged; `rounds` as they ran. A pair is bad if it is below the limit, has wrong data, or broke
// while both sides reported. In rounds after the first, pairs of nodes that were cleared before are the measure.
std::vector<PairEvidence> ReadPairs(const Setting& setting, const Parties& parties, absl::Span<const Round> rounds,
                                    const Judged& first);

// As Diagnose wants it.
std::vector<PairResult> ResultsOf(const Parties& parties, const std::vector<PairEvidence>& evidence);

// "gpu-a ↔ gpu-b rail 3: 22.9 GB/s, 0.48 of 47.5 (round 2)"
std::string LineOf(const Parties& parties, const PairEvidence& evidence);

v1::PairProbe ProbeOf(const Parties& parties, const PairEvidence& evidence);

}  // namespace muster::selftest
