#pragma once
// Who is at fault, from the groups that failed. First form: the one node that all failures share.
//
// A collective is as slow as its slowest member, so one slow group names nobody. A node is accused only if it is the
// one node in every failing group (or in four of five, of at least five) and no partner is in more than four fifths of
// those: then the failures have two different partners, or are inside the node.
// Wrong data whose place tells the sender counts per edge: two different receivers accuse the sender, two senders the
// receiver. Errors alone (a crash, a time-out, a failed set-up) name anyone and accuse nobody.

#include <set>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "lib/base/ids.h"
#include "lib/selftest/setting.h"
#include "lib/selftest/verdict.h"
#include "proto/muster/v1/selftest.pb.h"

namespace muster::selftest {

struct Localised {
  std::set<NodeUid> accused;
  // One an accused node, or one without a node that says why nobody is accused.
  std::vector<v1::Accusation> accusations;
};

// `judged`: the final result of every group; slow ones must have been confirmed by a second round, alone.
Localised Localise(const Setting& setting, const Judged& judged);

}  // namespace muster::selftest
