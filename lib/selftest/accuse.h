#pragma once
// Accusations in words and numbers.

#include <set>
#include <string>
#include <vector>

#include "lib/selftest/localise.h"
#include "proto/muster/v1/selftest.pb.h"

namespace muster::selftest {

// "dp group 3 REDUCE_SCATTER (gpu-a, gpu-b): why it failed"
std::string GroupLine(const Findings& findings, const JudgedGroup& group);

// A node, a NIC of it, or with `inside` (may be null) an accelerator.
v1::Accusation AccuseEnd(const Findings& findings, const Diagnosis::Culprit& culprit, const InsideFinding* inside);
// A node or accelerator whose groups inside the node are slow, while its network is good.
v1::Accusation AccuseInside(const Findings& findings, int node, const InsideFinding& finding);
v1::Accusation AccuseCorruption(const Findings& findings, int node, const std::set<int>& receivers,
                                const std::set<int>& senders, const std::vector<std::string>& lines);
v1::Accusation AccuseLink(const Findings& findings, const Diagnosis::Link& link);
v1::Accusation AccuseRail(const Findings& findings, int rail);
// `leave`: whether its nodes are taken from the job.
v1::Accusation AccuseDomain(const Findings& findings, const Diagnosis::Domain& domain, bool leave);

// Why nobody: the placement itself, or something that the pairs don't show.
v1::Accusation NobodyForSlow(const Findings& findings, const std::vector<const JudgedGroup*>& slow);
v1::Accusation NobodyForErrors(const Findings& findings, const std::vector<const JudgedGroup*>& failed);

}  // namespace muster::selftest
