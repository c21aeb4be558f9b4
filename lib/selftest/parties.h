#pragma once
// The nodes of a placement as localisation sees them: each once, with its workers, its rails and its place.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "lib/base/ids.h"
#include "lib/selftest/pair_result.h"
#include "lib/selftest/setting.h"

namespace muster::selftest {

struct Party {
  NodeUid uid;
  std::string name;
  // Global ranks on it, by node rank and local rank. Rail i is the path of the i-th: its accelerator and that one's
  // NIC.
  std::vector<int64_t> workers;
};

// Immutable. Numbers are by first node rank, so that a node that takes another's rank takes its number.
class Parties {
 public:
  explicit Parties(const Setting& setting);

  int size() const { return static_cast<int>(parties_.size()); }
  const Party& operator[](int party) const { return parties_[static_cast<size_t>(party)]; }
  int OfNodeRank(int32_t node_rank) const;  // -1: outside the placement
  // Distinct parties of a group's node ranks, ascending; unknown ranks are left out.
  std::vector<int> OfNodeRanks(absl::Span<const int32_t> node_ranks) const;
  // Place of a worker on its node; -1: a stranger.
  int RailOf(int64_t global_rank) const;

  // As the search for culprits wants it; domains by the placement's tiers.
  const Fabric& fabric() const { return fabric_; }
  // "b1/r1": the domain's whole path. Empty for one that is unknown.
  std::string DomainName(int tier, int id) const;

  // How far apart a group's nodes are, as what it crosses decides what bandwidth to expect: 0 within a node, 1 within a
  // domain of the finest tier, up to the number of tiers, and one more across all.
  int SpanOf(absl::Span<const int32_t> node_ranks) const;
  // "node", a tier's name, or "cluster".
  std::string SpanName(int span) const;

 private:
  std::vector<Party> parties_;
  std::vector<int> of_node_rank_;
  std::map<int64_t, int> rail_of_;
  Fabric fabric_;
  std::vector<std::string> tiers_;                   // coarse to fine
  std::vector<std::map<int, std::string>> domains_;  // by tier: number -> path
};

}  // namespace muster::selftest
