#pragma once
// What one node is tested beside: a node alone, or with a single partner, can't be told slow from good.

#include <string>
#include <vector>

#include "proto/muster/v1/node.pb.h"

namespace muster::cli {

// Up to `most` of `nodes` that are free and ok, have as many accelerators of the same kind as `node` and an agent with
// `backend` (empty: any); those that share more of its topology first, then by name in natural order.
std::vector<std::string> SiblingsOf(const v1::Node& node, const std::vector<v1::Node>& nodes,
                                    const std::string& backend, int most);

}  // namespace muster::cli
