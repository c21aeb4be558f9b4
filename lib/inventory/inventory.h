#pragma once
// A cluster as some file describes it: what every parser of this room gives.

#include <map>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "lib/topology/tiers.h"
#include "proto/muster/v1/node.pb.h"

namespace muster::inventory {

// Most nodes, switches or rows that a file may have.
inline constexpr int kMaxNodes = 20'000;
// Longest label value that is read. Kubernetes allows 63 characters, Muster 256.
inline constexpr size_t kMaxValue = 256;

struct Inventory {
  // Coarse to fine; without levels that are the node itself.
  Tiers tiers;
  // Label key of the accelerator domains; empty: nobody has any.
  std::string accelerator_label;
  // In the file's order. Labels hold the tiers' keys.
  std::vector<v1::Node> nodes;
  // When the job that has a node is gone at the latest, by the node's name.
  std::map<std::string, absl::Time> ends;
  // Whether the file says what fits on a node. If not, no node has a capacity.
  bool has_capacity = false;
  // One sentence each: what was taken how, what was left out.
  std::vector<std::string> notes;
};

// For labels of files that name no label keys: "leaf" becomes "topology.muster.dev/leaf".
std::string LabelKey(absl::string_view level);

}  // namespace muster::inventory
