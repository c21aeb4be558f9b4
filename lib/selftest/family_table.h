#pragma once
// The receipt's table: one row a family, collective and size.

#include <vector>

#include "lib/selftest/read_group.h"
#include "lib/selftest/setting.h"
#include "proto/muster/v1/selftest.pb.h"

namespace muster::selftest {

// In the order of `judged`. A family whose median is below the limit's share of that in the last pass of this placement
// has a warning at least: then all siblings are slow together, and none is slower than the others.
std::vector<v1::FamilyResult> FamilyTable(const Setting& setting, const Judged& judged);

}  // namespace muster::selftest
