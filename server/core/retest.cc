#include "server/core/retest.h"

#include <map>
#include <set>
#include <variant>

#include "absl/strings/match.h"
#include "lib/placement/place.h"

namespace muster::core {
namespace {

constexpr size_t kWitnesses = 3;
// What Quarantine is told of who set it, where a test did.
constexpr char kByReceipt[] = "rcp-";

}  // namespace

bool MayBeTested(const NodeEntry& node) {
  const bool condition = node.set == v1::NODE_OK || (node.set == v1::QUARANTINED && node.stop_of.empty());
  return node.users.empty() && !node.lost && condition;
}

bool IsRetest(const Job& job, NodeTable& nodes) {
  if (job.gang.spec->launch().kind() != v1::LaunchSpec::TEST_ONLY) return false;
  for (const std::string& name : job.gang.spec->placement().nodes()) {
    const NodeEntry* node = nodes.FindName(name);
    if (node != nullptr && node->set == v1::QUARANTINED) return true;
  }
  return false;
}

std::optional<placement::Placed> PlaceRetest(const Job& job, NodeTable& nodes, placement::Cluster& cluster,
                                             std::string* why) {
  placement::Cluster lenient = cluster;
  for (const std::string& name : job.gang.spec->placement().nodes()) {
    const NodeEntry* node = nodes.FindName(name);
    const absl::optional<NodeIndex> index = cluster.topology->Find(name);
    if (node != nullptr && index && MayBeTested(*node)) lenient.state_of(*index).ok = true;
  }
  placement::Decision decision = placement::Place(*job.request, lenient);
  auto* placed = std::get_if<placement::Placed>(&decision);
  if (placed == nullptr) {
    *why = placement::ReasonOf(decision);
    return std::nullopt;
  }
  for (const v1::PlacedNode& rank : placed->placement.ranks()) {
    if (const absl::optional<NodeIndex> index = cluster.topology->Find(rank.node()))
      cluster.state_of(*index).free = false;
  }
  return std::move(*placed);
}

std::vector<NodeEntry*> ClearedBy(const v1::Placement& placement, NodeTable& nodes) {
  std::map<std::string, NodeEntry*> cleared;
  std::set<NodeUid> witnesses;
  for (const v1::PlacedNode& rank : placement.ranks()) {
    NodeEntry* node = nodes.Find(NodeUid(rank.node_uid()));
    if (node == nullptr) continue;
    if (node->set == v1::NODE_OK) witnesses.insert(node->uid);
    const bool by_test = node->set == v1::QUARANTINED && absl::StartsWith(node->set_by, kByReceipt);
    if (by_test && node->stop_of.empty()) cleared.emplace(node->info.name(), node);
  }
  std::vector<NodeEntry*> list;
  if (witnesses.size() < kWitnesses) return list;
  for (const auto& [name, node] : cleared) list.push_back(node);
  return list;
}

}  // namespace muster::core
