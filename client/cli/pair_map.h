#pragma once
// The node pairs of a self-test as a small map: a row and a column a node, the darker the slower.

#include "client/cli/screen.h"
#include "proto/muster/v1/receipt.pb.h"

namespace muster::cli {

// Of each pair its slowest result over rails and rounds, as a share of the median pair; at most 32 nodes, those with
// the worst pairs first. Nothing where fewer than three nodes were tested in pairs.
void PrintPairMap(Screen& out, const v1::Receipt& receipt);

// "▇▇▇▇▇▇▇▇▁▁": `share` of a whole, 0..1, in tenths.
std::string Bar(double share);

}  // namespace muster::cli
