#pragma once
// The layers of a topology, coarse to fine, and the node labels that say where a node is in each.

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "lib/topology/fabric.h"

namespace muster {

// Longest list of tiers.
inline constexpr size_t kMaxTiers = 8;

// A node's domains, coarse to fine, one label value a tier. Empty: unknown, equal to nothing; any tier may be unknown,
// also one in the middle.
using TopologyPath = absl::InlinedVector<std::string, 4>;

struct Tier {
  std::string name;   // "rack": what job files and sentences say
  std::string label;  // "topology.example.com/rack": the node label's key
};

// No tiers at all is legal: every two nodes are equally far apart.
class Tiers {
 public:
  Tiers() = default;

  // INVALID_ARGUMENT, naming `field`: an empty or repeated name or label, one over 317 characters (a label key of
  // Kubernetes), more than kMaxTiers.
  static absl::StatusOr<Tiers> Create(std::vector<Tier> tiers, absl::string_view field = "tiers");
  // Names each tier after its label key: what follows the last '/', without a leading "topology-".
  static absl::StatusOr<Tiers> FromLabels(const std::vector<std::string>& labels, absl::string_view field = "tiers");

  size_t size() const { return tiers_.size(); }
  const Tier& operator[](size_t tier) const { return tiers_[tier]; }
  // By name, or by label key.
  absl::optional<size_t> Find(absl::string_view name) const;
  // How the network's rails are joined.
  Fabric fabric() const { return fabric_; }
  void set_fabric(Fabric fabric) { fabric_ = fabric; }
  // Names, coarse to fine.
  std::vector<std::string> Names() const;

 private:
  std::vector<Tier> tiers_;
  Fabric fabric_ = Fabric::kAnyRail;
};

// Where labels put a node. `Labels` is any map from string to string.
template <typename Labels>
TopologyPath PathOf(const Labels& labels, const Tiers& tiers) {
  TopologyPath path(tiers.size());
  for (size_t i = 0; i < tiers.size(); ++i) {
    const auto found = labels.find(tiers[i].label);
    if (found != labels.end()) path[i] = found->second;
  }
  return path;
}

// "b1/r2"; an unknown tier reads "-".
std::string PathText(absl::Span<const std::string> path);

}  // namespace muster
