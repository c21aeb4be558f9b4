#pragma once
// A cluster with known faults that "runs" test plans, for tests of verdicts and localisation.

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "lib/selftest/setting.h"
#include "lib/selftest/simulated_group.h"
#include "proto/muster/v1/selftest.pb.h"

namespace muster::selftest {

// Factors are of time: 2 is twice as slow.
struct FakeFabric {
  // By node rank.
  std::map<int32_t, LinkFaults> links;
  // By global rank: its NIC (groups that span nodes), or its accelerator (every group).
  std::map<int64_t, double> nics, accelerators;
  // By local rank, between nodes.
  std::map<int32_t, double> rails;
  // By the last label of the topology path: groups that leave the domain.
  std::map<std::string, double> uplinks;
  // Between two node ranks (lower first), in groups of these two only; infinite: no answer.
  std::map<std::pair<int32_t, int32_t>, double> routes;
  // Node ranks that nobody outside reaches.
  std::set<int32_t> cut_off;
  // Global ranks that never report, and those that report this error.
  std::set<int64_t> silent;
  std::map<int64_t, std::string> errors;
  // Each group is, with this probability a round, slowed to 0.5..0.8 of its speed by others' traffic.
  double congestion = 0;
  uint64_t seed = 1;

  std::vector<v1::StepResult> Run(const Setting& setting, const v1::TestPlan& plan) const;

 private:
  // How much slower the group is than links say; infinite: it never ends.
  double FactorOf(const Setting& setting, const std::vector<int64_t>& ranks) const;
};

}  // namespace muster::selftest
