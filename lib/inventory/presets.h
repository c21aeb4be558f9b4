#pragma once
// Which node labels say where a node is, cloud by cloud.

#include <map>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "lib/topology/tiers.h"

namespace muster::inventory {

// One map of labels a node.
using Labels = std::map<std::string, std::string>;

struct Preset {
  std::string name;         // "gke"
  std::string what;         // "Google GKE"
  std::vector<Tier> tiers;  // coarse to fine
  // Finer levels that are the machine itself: no tier of the network, but part of what the cloud calls its levels.
  std::vector<std::string> host_labels;
  // Keys of accelerator domains, the best first.
  std::vector<std::string> accelerator_labels;
  // Families of numbered levels ("fabric.topograph.run/tier-"): those that the nodes have, the coarsest first, come
  // after `tiers`. `rising`: a greater number is finer.
  std::string numbered_prefix;
  bool rising = false;
};

// All there are.
const std::vector<Preset>& Presets();
// nullptr: none of this name.
const Preset* FindPreset(absl::string_view name);
// The preset whose own keys are on most of the nodes; "generic" (region, zone) where no node has any other.
const Preset& DetectPreset(const std::vector<Labels>& nodes);

// The preset's levels on these nodes: those of numbered families as found, and never more than kMaxTiers in all.
std::vector<Tier> TiersOf(const Preset& preset, const std::vector<Labels>& nodes);
// The first of the preset's accelerator keys that a node has with a value; empty: none.
std::string AcceleratorLabelOf(const Preset& preset, const std::vector<Labels>& nodes);

}  // namespace muster::inventory
