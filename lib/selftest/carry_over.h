#pragma once
// After a repair only what changed is tested again (lifecycle rule 17).

#include <functional>
#include <vector>

#include "proto/muster/v1/receipt.pb.h"
#include "proto/muster/v1/selftest.pb.h"

namespace muster::selftest {

// Groups of `from` that passed (also with a warning) and whose every node rank is `unchanged`: the same node, boot id
// and devices as in `from`, and `from` not too old; the caller knows. carried_from names the receipt in which the group
// ran.
std::vector<v1::GroupResult> CarryOver(const v1::Receipt& from,
                                       const std::function<bool(int32_t node_rank)>& unchanged);

}  // namespace muster::selftest
