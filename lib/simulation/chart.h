#pragma once
// The course of a simulation as a picture.

#include <string>

#include "lib/simulation/simulate.h"

namespace muster::simulation {

// SVG: nodes in use (share of all, with those that are down) and jobs in the queue over time, each as the mean of the
// interval that a pixel stands for, the queue with its greatest, too.
std::string Chart(const Result& result);

}  // namespace muster::simulation
