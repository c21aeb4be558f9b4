#pragma once
// Who is at fault, from all rounds of a test.
//
// A collective is as slow as its slowest member, so a slow group names nobody; tests of pairs with partners that others
// have cleared do (diagnose.h). Wrong data whose place tells the sender counts per edge: two different receivers accuse
// the sender, two senders the receiver. An error accuses a node only if it has it with three such partners, as a dead
// link or a crashing library does; errors of configuration accuse nobody.

#include <set>
#include <vector>

#include "absl/types/span.h"
#include "lib/base/ids.h"
#include "lib/selftest/diagnose.h"
#include "lib/selftest/inside.h"
#include "lib/selftest/pair_evidence.h"
#include "lib/selftest/parties.h"
#include "lib/selftest/read_group.h"
#include "proto/muster/v1/selftest.pb.h"

namespace muster::selftest {

// All that is known when the question is asked.
struct Findings {
  const Parties& parties;
  const Judged& merged;
  const std::vector<PairEvidence>& pairs;
  const Diagnosis& diagnosis;
  std::map<int, InsideFinding> inside;  // by node
};

struct Localised {
  // Nodes that the job must not run on.
  std::set<NodeUid> accused;
  // What is at fault, or one without a node that says why nobody is accused. Empty only if nothing failed.
  std::vector<v1::Accusation> accusations;
};

Localised Localise(const Findings& findings);

}  // namespace muster::selftest
