#pragma once
// What differs between two receipts: the good run and the slow one.

#include <vector>

#include "proto/muster/v1/receipt.pb.h"

namespace muster::selftest {

// The most telling first: verdicts and accusations; then shape and placement; surroundings of nodes; bandwidths by the
// size of the change (only changes of 5 % and more); annotations. Identity and times are not compared. Empty: alike.
std::vector<v1::ReceiptDifference> Compare(const v1::Receipt& left, const v1::Receipt& right);

}  // namespace muster::selftest
