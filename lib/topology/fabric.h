#pragma once
// How the rails of a network are joined: the ports of one place in every node (its first accelerator's, its second's).

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace muster {

enum class Fabric {
  // Nothing is known of rails: a hop to another place in another node costs as one to the same place.
  kAnyRail,
  // A leaf switch a rail: a hop to another rail goes one tier further up.
  kRailOptimised,
  // No way from one rail to another but within a node.
  kRailOnly,
};

// "any", "rail-optimised" or "rail-only". INVALID_ARGUMENT, naming `field`: another word.
absl::StatusOr<Fabric> FabricOf(absl::string_view text, absl::string_view field);
std::string FabricText(Fabric fabric);

}  // namespace muster
