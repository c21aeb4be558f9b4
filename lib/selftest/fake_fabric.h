#pragma once
// A cluster with known faults that "runs" test plans, for tests of verdicts and localisation.

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "lib/selftest/setting.h"
#include "lib/selftest/simulated_group.h"
#include "proto/muster/v1/selftest.pb.h"

namespace muster::selftest {

struct FakeFabric {
  // By node rank.
  std::map<int32_t, LinkFaults> links;
  // Global ranks that never report, and those that report this error.
  std::set<int64_t> silent;
  std::map<int64_t, std::string> errors;
  // Each group is, with this probability a round, slowed to 0.5..0.8 of its speed by others' traffic.
  double congestion = 0;
  uint64_t seed = 1;

  std::vector<v1::StepResult> Run(const Setting& setting, const v1::TestPlan& plan) const;
};

}  // namespace muster::selftest
