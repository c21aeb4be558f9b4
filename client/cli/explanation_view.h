#pragma once
// Why a job can be placed, can't yet, or never can.

#include "client/cli/screen.h"
#include "proto/muster/v1/placement.pb.h"

namespace muster::cli {

// The answer first, the reasons next, the ways out last. Without the placement, which has its own view.
void PrintExplanation(Screen& out, const v1::Explanation& explanation);

// What more free nodes would bring, a line each; nothing where nothing is gained.
void PrintGains(Screen& out, const v1::Explanation& explanation);

}  // namespace muster::cli
